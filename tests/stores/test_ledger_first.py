"""Decide, append, apply: whatever a transaction derives, the ledger has the decision before.

Where ledger and graph are two stores, what was appended can be derived once more after a crash; what
was derived without having been appended could not be taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from remanent import UserMemory
from remanent.core.env import Env
from remanent.core.model.mind_types import Candidate
from remanent.core.model.node import Kind
from remanent.core.model.sleep import SleepJob
from remanent.events.enrich import enrich_events
from remanent.events.project import project_events
from remanent.ingest.extract import extract_source
from remanent.ingest.process import process_source
from remanent.testing import ScriptedMind

WRITES: Final = frozenset({
    "put", "remove", "link", "unlink", "relate", "put_assertion", "add_note", "drop_note",
    "put_extraction", "retract", "put_passages", "touch",
})  # fmt: skip
SAID: Final = ("She met Tom.", "They live in Oslo.", "They like tea.")
DECISIONS: Final = frozenset({
    "source.added", "source.processed", "source.extracted", "storyline.opened", "anchor.merged",
    "anchor.split", "memory.pinned", "memory.archived", "memory.restored", "belief.remembered",
    "belief.restated", "belief.forgotten",
})  # fmt: skip
NIGHT: Final = datetime(2026, 5, 4, 9, tzinfo=UTC)


@dataclass
class Watch:
    """What each transaction appends and derives, in order."""

    open: int = 0
    writes: list[str] = field(default_factory=list)
    spanning: list[list[str]] = field(default_factory=list)

    @contextmanager
    def block(self, block: Any) -> Iterator[None]:
        self.open += 1
        try:
            with block:
                yield
        finally:
            self.open -= 1
            if not self.open:
                if len({one.partition(" ")[0] for one in self.writes}) > 1:
                    self.spanning.append(self.writes)
                self.writes = []

    @property
    def late(self) -> list[list[str]]:
        return [one for one in self.spanning if not one[0].startswith("appends")]


@dataclass
class Watched:
    """A store that is looked at."""

    store: Any
    watch: Watch
    writes: frozenset[str]
    how: str

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self.store, name)

        def called(*args: Any, **named: Any) -> Any:
            if name in self.writes and self.watch.open:
                what = args[0].event_type if name == "append" else name
                self.watch.writes.append(f"{self.how} {what}")
            return method(*args, **named)

        return called


def watched(env: Env) -> tuple[Env, Watch]:
    watch, stores = Watch(), env.stores
    seen = replace(
        stores,
        ledger=Watched(stores.ledger, watch, frozenset({"append"}), "appends"),
        graph=Watched(stores.graph, watch, WRITES, "derives"),
        index=Watched(stores.index, watch, WRITES, "derives"),
        atomic=lambda *args, **named: watch.block(stores.atomic(*args, **named)),
    )
    return replace(env, stores=seen), watch


def live(ada: UserMemory, env: Env) -> None:
    """A short life with nights, and all that a hand can do to what came of it."""
    ada.env = env
    for day in range(8):
        at = NIGHT - timedelta(days=20 - day)
        key = ada.add(f"Sarah Chen met Tom Berg in Oslo, for the {day}. time.", started_at=at)
        for _ in ("found", "read"):
            process_source(env, ada.scope, key)
        extract_source(env, ada.scope, key)
    ada.remember("I live in Oslo.")
    belief = ada.remember("I drink tea.").belief
    ada.restate(belief.key, "I drink green tea.")
    ada.forget(belief.key)
    one, other = (name.key for name in env.graph.names(ada.scope, Kind.PERSON, ["sarah", "tom"]))
    ada.pin(one)
    ada.pin(one, forever=False)
    ada.archive(one)
    ada.restore(one)
    ada.merge(one, other)
    ada.split(one)
    ada.record({"event_type": "message", "payload": {"text": "Sarah Chen called."}})
    project_events(env, ada.scope)
    enrich_events(env, ada.scope)
    for job in SleepJob:
        env.do_night_job(job, ada.scope, NIGHT)


def test_what_is_derived_was_appended_before(ada: UserMemory, mind: ScriptedMind) -> None:
    mind.candidates = {
        "met": [
            Candidate(kind=Kind.PERSON, name=one, confidence=9.0, subpoints=SAID)
            for one in ("Sarah Chen", "Tom Berg")
        ]
    }
    env, watch = watched(ada.env)

    live(ada, env)

    assert watch.late == []
    assert {one[0].partition(" ")[2] for one in watch.spanning} >= DECISIONS
