"""ChatGPT's export: the zip, the folder it unpacks to, or its conversations.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from remanent.ingest.importers import chats
from remanent.ingest.importers.box import Box
from remanent.ingest.importers.chats import Turn, mapping, members, sequence, text_of
from remanent.ingest.importers.fields import Dates
from remanent.ingest.rules.dedupe import Item
from remanent.ingest.rules.request import AddRequest

__all__ = ["members", "read"]

_SPEAKERS: Final = ("user", "assistant")
_SAID: Final = ("text", "multimodal_text")  # not code for tools, thoughts, or the user's settings


def read(box: Box, dates: Dates) -> Iterator[Item]:
    """One conversation a source: the branch that was shown last, without systems and tools."""
    return chats.conversations(box, lambda one: _request(one, dates))


def _request(conversation: Mapping[str, Any], dates: Dates) -> AddRequest:
    turns = [
        made
        for message in _branch(mapping(conversation.get("mapping")), conversation)
        if (made := _turn(message, dates)) is not None
    ]
    return chats.request(
        "chatgpt",
        conversation.get("conversation_id") or conversation.get("id"),
        turns,
        title=text_of(conversation.get("title")),
        started_at=dates.first(dates.seconds(conversation.get("create_time"))),
    )


def _branch(nodes: Mapping[str, Any], conversation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Messages from the root to the current node; each node names its parent."""
    key = conversation.get("current_node")
    if not isinstance(key, str) or key not in nodes:
        key = _newest_leaf(nodes)
    messages: list[Mapping[str, Any]] = []
    seen = set()
    while isinstance(key, str) and key in nodes and key not in seen:
        seen.add(key)
        node = mapping(nodes[key])
        messages.append(mapping(node.get("message")))
        key = node.get("parent")
    return messages[::-1]


def _newest_leaf(nodes: Mapping[str, Any]) -> str | None:
    """Where the conversation ended, when the export does not say."""
    leaves = [key for key, node in nodes.items() if not sequence(mapping(node).get("children"))]
    return max(leaves, key=lambda key: _created(mapping(nodes[key])), default=None)


def _created(node: Mapping[str, Any]) -> float:
    when = mapping(node.get("message")).get("create_time")
    return when if isinstance(when, (int, float)) else 0.0


def _turn(message: Mapping[str, Any], dates: Dates) -> Turn | None:
    speaker = mapping(message.get("author")).get("role")
    content = mapping(message.get("content"))
    hidden = mapping(message.get("metadata")).get("is_visually_hidden_from_conversation")
    if speaker not in _SPEAKERS or hidden or message.get("recipient") not in (None, "all"):
        return None
    if content.get("content_type", "text") not in _SAID:
        return None
    text = "\n".join(filter(str.strip, map(_part, sequence(content.get("parts")))))
    if not text:
        return None
    at = dates.first(dates.seconds(message.get("create_time")))
    return chats.turn(str(speaker), text, message.get("id"), at)


def _part(part: object) -> str:
    """Text, or what was spoken; pictures and files say nothing."""
    return text_of(mapping(part).get("text") if isinstance(part, Mapping) else part)
