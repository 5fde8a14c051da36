"""The graph in SQLite as it stood in our books at one moment, with nothing that was recorded later.

Nodes, links and sources have a date of recording in a column. Relationships are drawn anew from the
assertions there were by then, beliefs replayed from their log: what stands in their rows is today's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from remanent.anchors.rules import timeline
from remanent.anchors.rules.timeline import Hand, Span
from remanent.beliefs.rules import as_of as past
from remanent.beliefs.rules.as_of import When
from remanent.core.by_hand import imposed
from remanent.core.dataclasses import dataclass, replace
from remanent.core.model.belief import Belief
from remanent.core.model.codec import NODE_TYPES
from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind, Relationship
from remanent.stores.sql.database import Database
from remanent.stores.sql.graph_store.nodes import LIVES, from_columns
from remanent.stores.sql.graph_store.notes import ASSERTIONS
from remanent.stores.sql.plain_rows import to_micros
from remanent.stores.sql.scope import scoped

_TOLD = scoped("""
SELECT ASSERTION(a), s.id, d.id
FROM assertions AS a
CROSS JOIN nodes AS s ON s.id = a.src_id
CROSS JOIN nodes AS d ON d.id = a.dst_id
CROSS JOIN nodes AS o ON o.id = a.source_id
WHERE a.user_id = :user AND a.recorded_at <= :known_at
""")
_LIVES = scoped("""
SELECT LIFE(r), r.key
FROM json_each(:keys) AS wanted CROSS JOIN relationships AS r ON r.key = wanted.value
WHERE r.user_id = :user
""")
_BELIEFS = scoped("""
SELECT THING(n), n.id
FROM json_each(:ids) AS wanted CROSS JOIN nodes AS n ON n.id = CAST(wanted.value AS BIGINT)
WHERE n.kind = 'belief'
""")
_BY_HAND = scoped("""
SELECT THING(n), n.kind, n.key FROM nodes AS n
WHERE n.user_id = :user AND n.kind IN ('person', 'concept', 'entity')
AND n.body ->> 'by_hand' IS NOT NULL
ORDER BY n.kind, n.key
""")
_ENDS = """
SELECT n.key, n.id FROM json_each(:keys) AS wanted CROSS JOIN nodes AS n ON n.key = wanted.value
WHERE n.user_id = :user
"""
_MERGED = """
SELECT s.key, d.key FROM links AS l
CROSS JOIN nodes AS s ON s.id = l.src_id CROSS JOIN nodes AS d ON d.id = l.dst_id
WHERE l.user_id = :user AND l.kind = 'same_as'
"""
_SUPPORTS: Final = LinkKind.SUPPORTS.value

Pair = tuple[int, int]  # the rows of a link's two ends


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRelationship:
    """A relationship as it was known, from which words, and between which rows."""

    relationship: Relationship
    span: Span
    src_id: int
    dst_id: int


def relationships_as_of(
    database: Database, user_id: str, known_at: datetime, as_of: datetime | None
) -> list[KnownRelationship]:
    """The relationships that were open, or held at `as_of`, by what was asserted by `known_at`; in
    order of key. Their lives are today's, where they are still there."""
    rows = database.execute(_TOLD, {"user": user_id, "known_at": to_micros(known_at)})
    ids = {key: number for row in rows for key, number in ((row[3], row[14]), (row[4], row[15]))}
    hands = _hands(database, user_id, known_at, ids)
    result = []
    for group, span in timeline.histories(map(ASSERTIONS.of, rows), hands):
        if span.valid_to is None if as_of is None else span.holds_at(as_of):
            times = [one.recorded_at for one in span.assertions]
            one = imposed(
                timeline.relationship(
                    user_id, group, span, created_at=min(times), updated_at=max(times)
                )
            )
            result.append(
                KnownRelationship(
                    relationship=one, span=span, src_id=ids[one.src], dst_id=ids[one.dst]
                )
            )
    lives = _lives(database, user_id, [one.relationship.key for one in result])
    return sorted(
        (_with_lifecycle(one, lives.get(one.relationship.key)) for one in result),
        key=lambda one: one.relationship.key,
    )


def _hands(database: Database, user_id: str, known_at: datetime, ids: dict[str, int]) -> list[Hand]:
    """What the user's hand had said of relationships by then; the rows of their ends come into `ids`."""
    merged: dict[str, str] = dict(database.execute(_MERGED, {"user": user_id}))

    def final(key: str) -> str:
        return final(merged[key]) if key in merged else key

    hands = list[Hand]()
    for row in database.execute(_BY_HAND, {"user": user_id}):
        words = from_columns(NODE_TYPES[Kind(row[-2])], row).by_hand
        if words and row[-1] not in merged:
            hands += timeline.hands_of(user_id, row[-1], words, final, known_at)
    ends = [end for one in hands for end in (one.assertion.src, one.assertion.dst)]
    ids.update(database.execute(_ENDS, {"user": user_id, "keys": json.dumps(ends)}))
    return [one for one in hands if one.assertion.dst in ids and one.assertion.src in ids]


def _lives(database: Database, user_id: str, keys: Sequence[str]) -> dict[str, Lifecycle]:
    rows = database.execute(_LIVES, {"user": user_id, "keys": json.dumps(keys)})
    return {row[-1]: LIVES.of(row) for row in rows}


def _with_lifecycle(one: KnownRelationship, life: Lifecycle | None) -> KnownRelationship:
    return one if life is None else replace(one, relationship=replace(one.relationship, life=life))


def beliefs(database: Database, ids: Iterable[int], when: When) -> dict[int, Belief | None]:
    """The beliefs in these rows as they were known; None for what did not stand then."""
    rows = database.execute(_BELIEFS, {"ids": json.dumps(list(ids))})
    return {row[-1]: known_belief(from_columns(Belief, row), when) for row in rows}


def known_belief(belief: Belief, when: When) -> Belief | None:
    """The belief as it was known; None if it did not stand then."""
    known = belief if when.known_at is None else past.as_known(belief, when.known_at)
    return known if known is not None and past.is_in_graph(known, when.as_of) else None


def supports(held: Mapping[int, Belief], numbers: Mapping[str, int]) -> set[Pair]:
    """What spoke for these beliefs, by the rows of both; `numbers` are those of what was there.

    A merge gives the links of one belief to another. Each belief's own episodes tell what they were.
    """
    return {
        (numbers[key], belief_id)
        for belief_id, belief in held.items()
        for key in past.episodes(belief)
        if key in numbers
    }


def links_as_of(
    linked: Iterable[tuple[str, Pair]], wanted: set[Pair]
) -> tuple[list[bool], list[Pair]]:
    """Which of these links, given by kind and ends, were there then; and those that are missing."""
    kept, seen = [], set()
    for kind, pair in linked:
        kept.append(kind != _SUPPORTS or pair in wanted)
        if kind == _SUPPORTS:
            seen.add(pair)
    return kept, sorted(wanted - seen)
