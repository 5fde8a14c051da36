"""What a memory holds on each question of a year: which beliefs and relationships speak for which value."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bench.life.living import Year
from bench.life.world import OWNER, Slot, Telling
from remanent import UserMemory
from remanent.core.model.belief import Belief
from remanent.core.model.relationship import Relationship

EDGE_KINDS = frozenset({"home", "employer", "partner"})
"""Slots that are relationships with one value at a time as well as beliefs; types of both are equal."""


@dataclass(frozen=True, slots=True)
class Held:
    """A belief as exported: with every status, and what it was drawn from."""

    statement: str
    status: str
    says: frozenset[tuple[str, str]]  # slot and value
    tellings: tuple[Telling, ...]  # those that it was read from


class Reader:
    """Brings what a memory says together with what it was told."""

    def __init__(self, user: UserMemory, year: Year) -> None:
        self.user = user
        self.year = year
        self.slots = {one.id: one for one in year.world.slots}
        self._piece_of = {key: piece for piece, key in year.keys.items()}
        self._told: dict[str, list[Telling]] = defaultdict(list)
        self._told_by_event: dict[str, Telling] = {}
        for piece in year.pieces:
            for number, telling in enumerate(piece.tellings):
                self._told[piece.id].append(telling)
                self._told_by_event[f"told-{piece.id}-{number}"] = telling
        self.first_known: dict[tuple[str, str], datetime] = {}
        for one in year.world.tellings:
            slot_value = (one.slot.id, one.value)
            at = min(one.recorded_at, self.first_known.get(slot_value, one.recorded_at))
            self.first_known[slot_value] = at
        self._successors = {one["key"]: one.get("superseded_by") for one in self._exported()}
        self._persons = self._nodes_of_people()

    def tellings_of(
        self, statement: str, supports: Iterable[tuple[str | None, str]]
    ) -> list[Telling]:
        """The tellings that a statement has its value from, by the sources and events behind it."""
        low = statement.casefold()
        tellings: list[Telling] = []
        for source, event in supports:
            if source is not None:
                tellings += self._told.get(self._piece_of.get(source, ""), ())
            elif event in self._told_by_event:
                tellings.append(self._told_by_event[event])
        return [one for one in tellings if one.value.casefold() in low]

    def belief(self, belief: Belief) -> frozenset[tuple[str, str]]:
        supports = [(one.source_key, one.event_id) for one in belief.supports]
        return _slot_values(self.tellings_of(belief.statement, supports))

    def all_held(self) -> list[Held]:
        """Beliefs of every status."""
        result = []
        for record in self._exported():
            supports = [(one.get("source_key"), one["event_id"]) for one in record["supports"]]
            heard = self.tellings_of(record["statement"], supports)
            held = Held(record["statement"], record["status"], _slot_values(heard), tuple(heard))
            result.append(held)
        return result

    def _exported(self) -> list[dict[str, Any]]:
        stream = io.StringIO()
        self.user.export_beliefs(stream)
        records: list[dict[str, Any]] = [json.loads(one) for one in stream.getvalue().splitlines()]
        return [one for one in records if "statement" in one]

    def answers(
        self, *, as_of: datetime | None = None, known_at: datetime | None = None
    ) -> dict[str, set[str]]:
        """All values that the memory gives for each slot at that point in time."""
        values: dict[str, set[str]] = defaultdict(set)
        for belief in self._not_superseded(self.user.beliefs(as_of=as_of, known_at=known_at)):
            for slot, value in self.belief(belief):
                values[slot].add(value)
        for slot, value in self.edges(as_of=as_of, known_at=known_at):
            values[slot].add(value)
        return values

    def _not_superseded(self, beliefs: Sequence[Belief]) -> list[Belief]:
        """Those that no other of them supersedes. A belief told three times or more is not ended by
        one word against it; it stands, marked by `superseded_by`, and whoever reads it sees the mark."""
        held = {one.key for one in beliefs}

        def gives_way(belief: Belief) -> bool:
            seen = {belief.key}
            after = belief.superseded_by
            while after is not None and after not in seen and after not in held:
                seen.add(after)
                after = self._successors.get(after)
            return after is not None and after not in seen

        return [one for one in beliefs if not gives_way(one)]

    def edges(
        self,
        *,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        history: bool = False,
    ) -> set[tuple[str, str]]:
        """The values that relationships of one at a time give."""
        values = set()
        for subject, keys in self._persons.items():
            for key in keys:
                related = self.user.relationships(
                    key, as_of=as_of, known_at=known_at, history=history
                )
                values |= {said for one in related for said in self._edge(subject, key, one)}
        return values

    def _edge(self, subject: str, key: str, edge: Relationship) -> Iterable[tuple[str, str]]:
        slot = self.slots.get(f"{subject}.{edge.relationship_type}")
        if slot is None or edge.relationship_type not in EDGE_KINDS or edge.src != key:
            return
        name = self._names.get(edge.dst, "").casefold()
        for value in self._values(slot):
            if name and name == value.casefold():
                yield slot.id, value

    def _values(self, slot: Slot) -> set[str]:
        return {one.value for one in self.year.world.of(slot)}

    def _nodes_of_people(self) -> dict[str, list[str]]:
        """The nodes that bear a person's full name, or a name that only this person has."""
        anchors = self.user.anchors(include_archived=True)
        self._names = {one.key: one.name for one in anchors}
        by_name: dict[str, set[str]] = defaultdict(set)
        for person in self.year.world.people.values():
            for name in {full for _, full in person.names} | {person.first}:
                by_name[name.casefold()].add(person.id)
        nodes: dict[str, list[str]] = defaultdict(list)
        for one in anchors:
            if getattr(one, "is_owner", False):
                nodes[OWNER].append(one.key)
            else:
                ids = by_name.get(one.name.casefold(), set())
                if len(ids) == 1 and one.kind.value == "person":
                    nodes[next(iter(ids))].append(one.key)
        return nodes


def _slot_values(tellings: Iterable[Telling]) -> frozenset[tuple[str, str]]:
    return frozenset((one.slot.id, one.value) for one in tellings)
