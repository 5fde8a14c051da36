"""What exports of assistants have in common: lists of conversations, each a list of turns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from remanent.ingest.importers.box import Box, Member, Unreadable
from remanent.ingest.importers.fields import elements
from remanent.ingest.rules.dedupe import ImportedSource, Item, Skipped
from remanent.ingest.rules.request import AddRequest

Turn = dict[str, Any]
Read = Callable[[Mapping[str, Any]], AddRequest]

_NAME: Final = re.compile(r"conversations(-\d+)?\.json")
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


class Unusable(Exception):
    """A conversation cannot be taken; the message says why."""


def members(box: Box) -> list[Member]:
    """Files that hold conversations: `conversations.json`, whole or in numbered parts."""
    return [one for one in box.members if _NAME.fullmatch(one.path.name)]


def conversations(box: Box, read: Read) -> Iterator[Item]:
    """Every conversation as `read` makes it; what it cannot make is skipped and told."""
    named = members(box) or [one for one in box.members if one.path.suffix.lower() == ".json"]
    for member in box.pick(named or box.members):
        number = 0
        try:
            for number, one in enumerate(_conversations_of(box, member), start=1):
                yield _item(one, f"{member.name}, conversation {number}", read)
        except Unreadable as problem:
            yield Skipped(where=f"{member.name}, after conversation {number}", why=str(problem))


def _conversations_of(box: Box, member: Member) -> Iterator[Any]:
    for element in elements(box, member):
        inner = element.get("conversations") if isinstance(element, dict) else None
        if isinstance(inner, list):
            yield from inner
        else:
            yield element


def _item(conversation: Any, where: str, read: Read) -> Item:
    if not isinstance(conversation, Mapping):
        return Skipped(where=where, why="is not a conversation")
    title = text_of(conversation.get("title") or conversation.get("name")).strip()
    if title:
        where = f"{where} “{title[:60]}”"
    try:
        return ImportedSource(request=read(conversation), where=where)
    except Unusable as problem:
        return Skipped(where=where, why=str(problem))


def request(origin: str, own: object, turns: Sequence[Turn], **fields: Any) -> AddRequest:
    """The request for one conversation, under the id that the export has for it."""
    if not turns:
        raise Unusable("has no message of a person or an assistant with text in it")
    name = text_of(own).strip()
    if not name:
        raise Unusable("has no id")
    return AddRequest(
        content=list(turns), type="conversation", origin_id=f"{origin}:{name}", **fields
    )


def turn(speaker: str, text: str, own: object, at: datetime | None) -> Turn:
    """One turn, with the id and the time that the export has for it, if any."""
    made: Turn = {"speaker": speaker, "text": text}
    if own:
        made["id"] = text_of(own)
    if at is not None:
        made["at"] = at.isoformat()
    return made


def text_of(value: object) -> str:
    """Text that can be stored: NUL and halves of characters become a mark."""
    return _UNSTORABLE.sub("\ufffd", value) if isinstance(value, str) else ""


def mapping(value: object) -> Mapping[str, Any]:
    """`value` where it is one, else an empty one: exports leave things out."""
    return value if isinstance(value, Mapping) else {}


def sequence(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()
