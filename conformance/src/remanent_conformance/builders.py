"""Builders: valid things, made in one call; say what the test is about and leave the rest.

And the digest of a memory: one line stands for a whole graph; equal memories have equal digests.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from remanent.backup.rules import stripped
from remanent.core.model.anchor import Concept, Entity, Note, Person
from remanent.core.model.belief import Belief
from remanent.core.model.event import SOURCE_ADDED, Event
from remanent.core.model.job import Job, JobKind
from remanent.core.model.keys import canonical_name, content_hash, key_for
from remanent.core.model.mind_types import Extraction
from remanent.core.model.node import Kind
from remanent.core.model.relationship import (
    Assertion,
    Link,
    LinkKind,
    Relationship,
    RelationshipKind,
)
from remanent.core.model.scope import Scope
from remanent.core.model.source import ContentType, ContextType, Passage, Source, SourceType
from remanent.core.model.story import Storyline
from remanent.core.ports.index import Entry, Vector
from remanent.core.records.access import User
from remanent.core.records.spending import Answer

MOMENT: Final = datetime(2026, 3, 14, 9, 26, 53, 589793, tzinfo=UTC)
USER: Final = "ann"


def a_scope(user: str = USER, *teams: str, left: tuple[str, ...] = ()) -> Scope:
    """The scope of a user who is in these teams and has left those."""
    return Scope(user_id=user, teams=frozenset(teams), left=frozenset(left))


def may_read(scope: Scope, readers: Sequence[str], team: str | None, *, key: str = "") -> bool:
    """Whether the caller is named among the readers, has not left the team it belongs to, has not
    narrowed their sight to another, and has not hidden what is under that key.

    An oracle: the stores decide by their own statements, which must say the same.
    """
    if key in scope.hidden:
        return False
    if team is not None and scope.narrowed_to not in (None, team):
        return False
    if team in scope.left and team not in scope.teams:
        return False  # spec 12.5: a leaver loses it even as a participant; a guest was never in
    return not set(scope.tokens).isdisjoint(readers)


def a_user(user: str = USER, **fields: Any) -> User:
    """A registered user, in UTC unless told otherwise."""
    given = {"name": user.title(), "timezone": "UTC", "created_at": MOMENT, **fields}
    return User(user_id=user, **given)


def a_person(name: str = "Sarah Chen", *, user: str = USER, **fields: Any) -> Person:
    """Someone the user knows."""
    canonical = canonical_name(name)
    given = _node(user, key_for(user, Kind.PERSON, canonical)) | {
        "canonical_name": canonical,
        "created_by": user,
    }
    return Person(name=name, **given | fields)


def a_concept(name: str = "patience", *, user: str = USER, **fields: Any) -> Concept:
    """Something the user cares about."""
    given = _node(user, key_for(user, Kind.CONCEPT, canonical_name(name))) | {"created_by": user}
    return Concept(name=name, **given | fields)


def an_entity(
    name: str = "Acme",
    *,
    type: str = "organization",  # noqa: A002
    user: str = USER,
    **fields: Any,
) -> Entity:
    """Something with a proper name."""
    given = _node(user, key_for(user, Kind.ENTITY, canonical_name(name), type))
    return Entity(name=name, **given | {"type": type, "created_by": user} | fields)


def a_source(text: str = "Sarah moved to Oslo.", *, user: str = USER, **fields: Any) -> Source:
    """An experience of the user's own, not yet processed."""
    digest = content_hash(text)
    given = _node(user, key_for(user, Kind.SOURCE, digest)) | {
        "source_type": SourceType.TEXT_IMPORT,
        "content_type": ContentType.TEXT_NOTE,
        "context_type": ContextType.PERSONAL_REFLECTION,
        "event_id": key_for(user, Kind.EVENT, digest),
        "content_hash": digest,
        "participants": (user,),
        "started_at": MOMENT,
    }
    return Source(**given | fields)


def a_passage(
    source: Source, ordinal: int = 0, text: str = "Sarah moved to Oslo.", **fields: Any
) -> Passage:
    """A passage of that source."""
    key = key_for(source.user_id, Kind.PASSAGE, source.key, str(ordinal))
    given = {"key": key, "source_key": source.key, "text": text, **fields}
    return Passage(ordinal=ordinal, **given)


def a_belief(statement: str = "I live in Oslo", *, user: str = USER, **fields: Any) -> Belief:
    """A statement the user holds true."""
    given = _node(user, key_for(user, Kind.BELIEF, statement)) | {"since": MOMENT}
    return Belief(statement=statement, **given | fields)


def a_storyline(anchor_key: str, *, user: str = USER, **fields: Any) -> Storyline:
    """An arc around the anchor of that key."""
    given = _node(user, key_for(user, Kind.STORYLINE, anchor_key)) | {
        "name": "Sarah Chen – storyline",
        "started_at": MOMENT,
        "last_source_at": MOMENT,
    }
    return Storyline(anchor_key=anchor_key, **given | fields)


def a_relationship(
    src: str,
    dst: str,
    *,
    type: str = "friend",  # noqa: A002
    user: str = USER,
    **fields: Any,
) -> Relationship:
    """An open relationship between the people of these keys."""
    given: dict[str, Any] = {
        "key": key_for(user, "relationship", src, dst, type),
        "user_id": user,
        "kind": RelationshipKind.HAS_RELATIONSHIP_WITH,
        "relationship_type": type,
        "recorded_by": user,
        "recorded_at": MOMENT,
        "valid_from": MOMENT,
        "created_at": MOMENT,
        "updated_at": MOMENT,
    }
    return Relationship(src=src, dst=dst, **given | fields)


def an_assertion(
    src: str,
    dst: str,
    source_key: str,
    *,
    type: str = "friend",  # noqa: A002
    user: str = USER,
    **fields: Any,
) -> Assertion:
    """What that source says of how the people of these keys stand to each other."""
    given: dict[str, Any] = {
        "user_id": user,
        "kind": RelationshipKind.HAS_RELATIONSHIP_WITH,
        "relationship_type": type,
        "description": "They are friends.",
        "at": MOMENT,
        "recorded_at": MOMENT,
    }
    return Assertion(src=src, dst=dst, source_key=source_key, **given | fields)


def a_note(on: str, content: str = "Plays the cello.", *, user: str = USER, **fields: Any) -> Note:
    """A note on the anchor or relationship of that key, by no source."""
    given = {"added_by": user, "date_added": MOMENT, **fields}
    return Note(on=on, content=content, **given)


def an_extraction(source_key: str, **fields: Any) -> Extraction:
    """What a mind found in the source of that key: nothing, unless told otherwise."""
    return Extraction(source_key=source_key, **{"mind": "scripted", **fields})


def a_link(
    src: str, dst: str, *, kind: LinkKind = LinkKind.MENTIONS, user: str = USER, **fields: Any
) -> Link:
    """A link between the nodes of these keys."""
    given = {"user_id": user, "created_at": MOMENT, **fields}
    return Link(kind=kind, src=src, dst=dst, **given)


def an_event(event_id: str = "event-1", *, user: str = USER, **fields: Any) -> Event:
    """An event that was not appended yet."""
    given = {
        "event_type": SOURCE_ADDED,
        "payload": {"text": "Sarah moved to Oslo."},
        "occurred_at": MOMENT,
        "recorded_at": MOMENT,
        **fields,
    }
    return Event(event_id=event_id, user_id=user, **given)


def a_job(key: str = "job-1", *, user: str = USER, **fields: Any) -> Job:
    """A job that is due at `MOMENT`."""
    given = {"kind": JobKind.PROCESS, "created_at": MOMENT, "run_at": MOMENT, **fields}
    return Job(key=key, user_id=user, **given)


def an_answer(digest: str = "digest-1", *, user: str = USER, **fields: Any) -> Answer:
    """What a mind said to the user."""
    given = {
        "mind": "scripted",
        "task": "summarize",
        "text": "Yes.",
        "answered_at": MOMENT,
        **fields,
    }
    return Answer(digest=digest, user_id=user, **given)


def an_entry(
    key: str, text: str, vector: Vector | None = None, *, user: str = USER, **fields: Any
) -> Entry:
    """What is findable about the belief of that key, for its user alone."""
    given = {"kind": Kind.BELIEF, "owner_key": key, "readers": (f"user:{user}",), **fields}
    return Entry(key=key, text=text, vector=vector, **given)


def digest(records: Iterable[Mapping[str, Any]], *, without: Collection[str] = ()) -> str:
    """SHA-256 over the records of `Graph.export`, in the order they come, `without` some fields.

    Leave out `CIRCUMSTANCES` to compare two memories that lived through the same at other times.
    """
    whole = hashlib.sha256()
    for record in records:
        stripped_record = stripped(record, frozenset(without))
        whole.update(
            json.dumps(stripped_record, sort_keys=True, ensure_ascii=False).encode("utf-8")
        )
        whole.update(b"\n")
    return whole.hexdigest()


def _node(user: str, key: str) -> dict[str, Any]:
    return {"key": key, "user_id": user, "created_at": MOMENT, "updated_at": MOMENT}
