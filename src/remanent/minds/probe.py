"""Probing: ask a model for one word, to see whether it is there."""

from __future__ import annotations

from pydantic import BaseModel

from remanent.core.model.mind_types import OnBehalf
from remanent.minds.llm.request import Ask, Chat, Reply

_NOBODY = OnBehalf(user_id="", job="doctor")


class Pong(BaseModel):
    """The one word."""

    word: str


def probe(chat: Chat) -> Reply:
    """Put the smallest of questions; a `MindError` says what is wrong. Nothing of anyone's is in it."""
    ask = Ask(
        task="ask",
        prompt="probe",
        version=1,
        system="Answer with the single word: pong.",
        data="ping",
        output=Pong,
    )
    return chat(ask, _NOBODY)
