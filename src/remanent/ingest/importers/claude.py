"""Claude's export: the zip, the folder it unpacks to, or its conversations.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from remanent.ingest.importers import chats
from remanent.ingest.importers.box import Box
from remanent.ingest.importers.chats import Turn, mapping, sequence, text_of
from remanent.ingest.importers.fields import Dates
from remanent.ingest.rules.dedupe import Item
from remanent.ingest.rules.request import AddRequest

_SPEAKERS: Final = {"human": "user", "user": "user", "assistant": "assistant"}


def read(box: Box, dates: Dates) -> Iterator[Item]:
    """One conversation a source, without thoughts, tools and attached files."""
    return chats.conversations(box, lambda one: _request(one, dates))


def _request(conversation: Mapping[str, Any], dates: Dates) -> AddRequest:
    messages = map(mapping, sequence(conversation.get("chat_messages")))
    turns = [made for one in messages if (made := _turn(one, dates)) is not None]
    return chats.request(
        "claude",
        conversation.get("uuid"),
        turns,
        title=text_of(conversation.get("name")),
        started_at=dates.first(dates.iso(conversation.get("created_at"))),
    )


def _turn(message: Mapping[str, Any], dates: Dates) -> Turn | None:
    speaker = _SPEAKERS.get(str(message.get("sender")))
    text = _text(message)
    if speaker is None or not text.strip():
        return None
    at = dates.first(dates.iso(message.get("created_at")))
    return chats.turn(speaker, text, message.get("uuid"), at)


def _text(message: Mapping[str, Any]) -> str:
    """What was said in its blocks; older exports have the text alone."""
    blocks = map(mapping, sequence(message.get("content")))
    texts = [text_of(one.get("text")) for one in blocks if one.get("type") == "text"]
    return "\n".join(filter(str.strip, texts)) or text_of(message.get("text"))
