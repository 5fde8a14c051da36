"""Abbreviate: short forms that the user set or that the user's sources explain (SPEC 8)."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from remanent.clock import Clock
from remanent.core.checks import identifier
from remanent.core.model.event import ABBREVIATION_DEFINED, ABBREVIATION_REMOVED, Event
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind
from remanent.core.model.query_types import Abbreviation
from remanent.core.model.scope import Scope
from remanent.core.new_event import happening
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.transaction import Atomic
from remanent.core.read import every
from remanent.errors import InvalidInput
from remanent.retrieval.rules import abbreviations as rule

MOST_DEFINED = 1000
_LOOKED_THROUGH = 50  # passages that use a short form, searched for what it stands for
_MOST_CANDIDATES = 5
_TYPES = (ABBREVIATION_DEFINED, ABBREVIATION_REMOVED)


@dataclass(slots=True)
class _Table:
    """What the events up to `number` say: by canonical short form, what was set, or None for silence."""

    number: int = 0
    set: dict[str, tuple[str, str | None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Abbreviate:
    """What a user sets lives in the ledger alone: events with the ids `abbreviation:1`, `:2` and so
    on, each one change, folded when read. Two writers cannot both take a number. What sources explain
    is not stored at all but looked up in their passages when a question uses the short form."""

    ledger: Ledger
    graph: Graph
    index: Index
    atomic: Atomic
    clock: Clock
    _tables: dict[str, _Table] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def define(self, scope: Scope, short: str, long: str) -> Abbreviation:
        """Let `short` stand for `long` in this user's questions; the same again changes nothing."""
        brief, full = rule.checked(short, long)
        table = self._table(scope)
        wanted = canonical_name(brief)
        if wanted not in table and len(table) >= MOST_DEFINED:
            raise InvalidInput("short", f"{MOST_DEFINED} abbreviations are set already")
        if table.get(wanted) != (brief, full):
            self._append(scope, ABBREVIATION_DEFINED, {"short": brief, "long": full})
        return Abbreviation(short=brief, long=full)

    def undefine(self, scope: Scope, short: str) -> bool:
        """Take the short form as it stands from now on, even where a source explains it; whether that
        is news."""
        brief = identifier("short", short)
        known = self._table(scope).get(canonical_name(brief))
        if known is not None and known[1] is None:
            return False
        self._append(scope, ABBREVIATION_REMOVED, {"short": brief})
        return True

    def listed(self, scope: Scope) -> list[Abbreviation]:
        """All that are set, and all that the sources explain: every passage is read for this."""
        table = self._table(scope)
        found = {
            key: Abbreviation(short=short, long=long)
            for key, (short, long) in table.items()
            if long is not None
        }
        for source in every(self.graph, scope, Kind.SOURCE):
            for passage in self.graph.passages(scope, source.key):
                for short, long in rule.learned(passage.text).items():
                    key = canonical_name(short)
                    if key not in table:
                        found.setdefault(key, Abbreviation(short=short, long=long, is_learned=True))
        return [found[key] for key in sorted(found)]

    def known(self, scope: Scope, text: str) -> dict[str, str]:
        """Those that the text uses, short or long, each with what it stands for."""
        table = self._table(scope)
        asked = f"-{canonical_name(text)}-"
        found = {
            short: long
            for key, (short, long) in table.items()
            if long and (f"-{key}-" in asked or f"-{canonical_name(long)}-" in asked)
        }
        wanted = [one for one in rule.candidates(text) if canonical_name(one) not in table]
        for short in wanted[:_MOST_CANDIDATES]:
            long = self._called(scope, short) or self._explained(scope, short)
            if long:
                found[short] = long
        return found

    def _called(self, scope: Scope, short: str) -> str:
        """The name of the entity or concept that has it among its other names."""
        wanted = canonical_name(short)
        for kind in (Kind.ENTITY, Kind.CONCEPT):
            for name in self.graph.named(scope, kind, [wanted]):
                is_alias = wanted in (canonical_name(one) for one in name.aliases)
                if is_alias and canonical_name(name.name) != wanted:
                    return name.name
        return ""

    def _explained(self, scope: Scope, short: str) -> str:
        """What a visible passage says that it stands for; the one that uses it most decides."""
        matches = self.index.match(scope, short, kinds=(Kind.PASSAGE,), limit=_LOOKED_THROUGH)
        passages = self.graph.passages_by_key(scope, [one.key for one in matches])
        wanted = canonical_name(short)
        for match in matches:
            passage = passages.get(match.key)
            said = {} if passage is None else rule.learned(passage.text)
            for brief, long in said.items():
                if canonical_name(brief) == wanted:
                    return long
        return ""

    def _table(self, scope: Scope) -> dict[str, tuple[str, str | None]]:
        """What is set now: the events not read yet are folded in."""
        with self._lock:
            table = self._tables.get(scope.user_id)
            if table is None or (table.number and self._event(scope, table.number) is None):
                table = self._tables[scope.user_id] = _Table()  # also after an erasure
            while (event := self._event(scope, table.number + 1)) is not None:
                table.number += 1
                if event.event_type in _TYPES:
                    short = str(event.payload["short"])
                    table.set[canonical_name(short)] = (short, event.payload.get("long"))
            return dict(table.set)

    def _append(self, scope: Scope, event_type: str, payload: dict[str, Any]) -> None:
        """Under the first number that is free; another writer may be faster."""
        while True:
            self._table(scope)
            number = self._tables[scope.user_id].number + 1
            event = happening(
                scope.user_id, event_type, payload, now=self.clock.now(), event_id=_id(number)
            )
            with self.atomic(durable=True):
                _, is_new = self.ledger.append(event)
            if is_new:
                return

    def _event(self, scope: Scope, number: int) -> Event | None:
        return self.ledger.event(scope, _id(number))


def _id(number: int) -> str:
    return f"abbreviation:{number}"
