"""The chat behind a mind that asks a language model, where there is one; all other minds ask nobody."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from remanent.core.ports.mind import Mind


class Chat(Protocol):
    """As far as verbs have to know it."""

    def model(self, task: str) -> str:
        """The model that is asked for a task."""


def chat_of(mind: Mind) -> Chat | None:
    """The chat of a mind that asks a language model; None: it asks nobody."""
    chat: Chat | None = getattr(mind, "chat", None)
    return chat


def hang_up(mind: Mind) -> None:
    """Close the connections that a mind keeps for its next question; most keep none."""
    chat = _innermost(mind)
    if chat is not None:
        chat.close()


def forget_texts(mind: Mind) -> None:
    """Have a mind forget what it keeps at hand of the last texts it read; most keep nothing."""
    forget = getattr(mind, "forget", None)
    if forget is not None:
        forget()


def asked_until(mind: Mind, stop: Callable[[], bool] | None) -> AbstractContextManager[None]:
    """Within this, a mind that asks others asks nothing more once `stop()` says so."""
    chat = None if stop is None else _innermost(mind)
    if chat is None:
        return nullcontext()
    until: AbstractContextManager[None] = chat.until(stop)
    return until


def _innermost(mind: Mind) -> Any:
    """The chat that has the connections, under those that remember and count."""
    chat = getattr(mind, "chat", None)
    while chat is not None and not hasattr(chat, "close"):
        chat = getattr(chat, "chat", None)
    return chat
