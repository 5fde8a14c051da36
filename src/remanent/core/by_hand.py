"""By hand: what the user put right stands in place of what was inferred, whoever writes the node (SPEC 12.14)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final, TypeVar

from remanent.core.dataclasses import replace
from remanent.core.model.anchor import Anchor, Note
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Correction, Kind, Node
from remanent.core.model.relationship import Relationship
from remanent.core.model.source import ContextType, Source

Thing = TypeVar("Thing", bound=Node | Relationship)

_ANCHOR: Final = ("name", "alias", "description", "note", "ttl_policy")
_STORY: Final = ("name", "description", "ttl_policy")
FIELDS: Final[Mapping[Kind, tuple[str, ...]]] = {
    Kind.PERSON: _ANCHOR,
    Kind.CONCEPT: _ANCHOR,
    Kind.ENTITY: (*_ANCHOR, "type"),
    Kind.STORYLINE: _STORY,
    Kind.MACRO: _STORY,
    Kind.SOURCE: ("context_type", "ttl_policy"),
    Kind.ARTIFACT: ("ttl_policy",),
    Kind.RELATIONSHIP: (
        *("type", "description", "attitude", "proximity", "confidence", "since", "until"),
        *("denied", "note", "ttl_policy"),
    ),
}
_IMPOSED: Final = frozenset({"name", "description", "attitude", "proximity", "confidence"})


def imposed(thing: Thing) -> Thing:
    """The thing with what the user's hand says of it; done again, the same."""
    if not thing.by_hand:
        return thing
    words = own_words(thing) if isinstance(thing, Node) else list(thing.by_hand)
    said = {one.field: one.value for one in words}
    changes = {name: said[name] for name in _IMPOSED & said.keys()}
    if isinstance(thing, Source) and "context_type" in said:
        changes["context_type"] = ContextType(said["context_type"])
    if isinstance(thing, Anchor):
        changes["aliases"] = _aliases(thing, words, said.get("name", thing.name))
        if "type" in said:
            changes["type"] = said["type"]
    return replace(thing, **changes)


def own_words(node: Node) -> list[Correction]:
    """What was put right in the node itself, and not in a relationship of it."""
    return [one for one in node.by_hand or () if one.relation is None]


def has_word(thing: Node | Relationship, name: str) -> bool:
    """Whether the hand says something of that field."""
    return any(
        one.field == name and (isinstance(thing, Relationship) or one.relation is None)
        for one in thing.by_hand or ()
    )


def _aliases(anchor: Anchor, words: Iterable[Correction], name: str) -> tuple[str, ...]:
    names = {canonical_name(one): one for one in (*anchor.aliases, anchor.name)}
    for one in words:
        if one.field == "alias":
            names.pop(canonical_name(one.was), None)
            if one.value:
                names[canonical_name(one.value)] = one.value
    return tuple(sorted(one for key, one in names.items() if key not in ("", canonical_name(name))))


def note_mark(source_key: str | None, content: str) -> str:
    """By which a note is known that is to go, wherever it stands; it does not tell what it says."""
    text = f"{source_key or ''}\x1f{content}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def notes_of(words: Iterable[Correction], on: str, user_id: str) -> dict[str, Note]:
    """The notes that the hand wrote on something and that stand, by their marks."""
    notes: dict[str, Note] = {}
    for one in words:
        if one.field == "note":
            notes.pop(one.was, None)
            if one.value:
                notes[note_mark(None, one.value)] = Note(
                    on=on,
                    content=one.value,
                    added_by=user_id,
                    date_added=one.at,
                    expires_at=one.expires_at,
                )
    return notes


def is_dropped(words: Iterable[Correction], note: Note) -> bool:
    """Whether the hand took that note of a source away."""
    mark = note_mark(note.source_key, note.content)
    return note.source_key is not None and any(one.was == mark for one in words)


def without(words: Iterable[Correction], event_ids: Iterable[str]) -> tuple[Correction, ...] | None:
    """The words but those of these events; what was inferred before them is known to the next."""
    gone, kept, before = frozenset(event_ids), list[Correction](), dict[tuple[str, str], str]()
    for one in words:
        place = (one.field, (one.relation or {}).get("key", ""))
        if one.event_id in gone:
            before.setdefault(place, one.before)
        else:
            kept.append(replace(one, before=before.pop(place, one.before)))
    return tuple(kept) or None


def moment(value: Any) -> datetime | None:
    """A time as a word keeps it."""
    return None if value is None else datetime.fromisoformat(str(value))
