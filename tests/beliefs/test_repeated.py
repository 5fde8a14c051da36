"""What the ledger tells of beliefs can be done once more: on a copy of the memory as it was before, the
events alone lead to the same memory."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kept import HOME, OTHER_HOME, SAME_HOME, line_of

from remanent import Memory, SteppedClock, UserMemory
from remanent.backup.rules import CIRCUMSTANCES
from remanent.core.model.event import (
    BELIEF_FORGOTTEN,
    BELIEF_IMPORTED,
    BELIEF_SYNTHESIZED,
    BELIEFS_MERGED,
    BELIEFS_PRUNED,
    CONSOLIDATED,
    CONTRADICTION_SETTLED,
    SUBJECT_ASSIGNED,
    Event,
)
from remanent.core.model.mind_types import BeliefDraft, Judgement
from remanent.core.model.scope import Scope
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import digest

START = datetime(2026, 5, 4, 9, tzinfo=UTC)
DAY = timedelta(days=1)
TEAS = (
    "I drink green tea every day",
    "I drink green tea every night",
    "I drink green tea every week",
)
TALK = [
    {"speaker": "Ada", "text": "We move the launch to June."},
    {"speaker": "Bob", "text": "Fine with me."},
    {"speaker": "Ada", "text": "I tell the customers."},
    {"speaker": "Bob", "text": "Thanks!"},
]
Act = Callable[[UserMemory, SteppedClock, ScriptedMind], object]
Apply = Callable[[UserMemory], Callable[[Scope, Event], None]]


def a_mind() -> ScriptedMind:
    """Takes everything for news until told otherwise."""
    return ScriptedMind(judgements=lambda _new, _old: Judgement.DIFFERENT)


@contextmanager
def opened(path: Path, clock: SteppedClock, mind: ScriptedMind) -> Iterator[UserMemory]:
    with Memory.open(path, clock=clock, mind=mind, embedder=HashEmbedder()) as memory:
        yield memory.user("ada", name="Ada Lindqvist", timezone="UTC")


def told(ada: UserMemory) -> str:
    return digest(ada.env.graph.export(ada.scope), without=CIRCUMSTANCES)


def homes(ada: UserMemory, clock: SteppedClock, mind: ScriptedMind) -> None:
    for statement in (HOME, OTHER_HOME, "Tom likes tea"):
        ada.remember(statement)
        clock.advance(DAY)


def doubles(ada: UserMemory, clock: SteppedClock, mind: ScriptedMind) -> None:
    for statement in (HOME, SAME_HOME, "Tom likes tea"):
        ada.remember(statement)
        clock.advance(DAY)


def teas(ada: UserMemory, clock: SteppedClock, mind: ScriptedMind) -> None:
    for statement in TEAS:
        ada.remember(statement)
        clock.advance(DAY)


def drawn(ada: UserMemory, clock: SteppedClock, mind: ScriptedMind) -> None:
    """Teas, and a principle that falls with them."""
    teas(ada, clock, mind)
    synthesize(ada, clock, mind)


def synthesize(ada: UserMemory, clock: SteppedClock, mind: ScriptedMind) -> object:
    mind.principles = lambda _statements, _subject: "I like green tea"
    return ada.synthesize()


def same(ada: UserMemory, clock: SteppedClock, mind: ScriptedMind) -> object:
    mind.judgements = lambda _new, _old: Judgement.SAME
    return ada.merge_beliefs()


def settle(ada: UserMemory, clock: SteppedClock, mind: ScriptedMind) -> object:
    mind.judgements = lambda _new, _old: Judgement.CONTRADICTS
    return ada.contradictions(resolve=True)


def prune(ada: UserMemory, clock: SteppedClock, mind: ScriptedMind) -> object:
    clock.advance(200 * DAY)
    return ada.prune()


def forget(ada: UserMemory, clock: SteppedClock, mind: ScriptedMind) -> object:
    return [ada.forget(one.key, "no more") for one in ada.beliefs() if one.statement in TEAS]


def assign(ada: UserMemory, clock: SteppedClock, mind: ScriptedMind) -> object:
    mind.remembered = {"Tom": BeliefDraft(statement="Tom likes tea", subject="Tom")}
    return ada.backfill_subjects()


def consolidate(ada: UserMemory, clock: SteppedClock, mind: ScriptedMind) -> object:
    mind.gists = {"launch": "Ada moves the launch to June."}
    return ada.consolidate(TALK, session_id="s", at=START)


def bring_in(ada: UserMemory, clock: SteppedClock, mind: ScriptedMind) -> object:
    """Beliefs that are linked to one another both ways, in whatever order they stand."""
    one, other, third = (line_of(ada, statement=statement) for statement in TEAS)
    keys = [line.split('"key": "')[1].split('"')[0] for line in (one, other, third)]
    lines = (
        line_of(ada, statement=TEAS[0], neighbours=keys[1:]),
        line_of(ada, statement=TEAS[1], neighbours=[keys[0]]),
        line_of(ada, statement=TEAS[2], derived_from=keys[:2], type="meta"),
    )
    return ada.import_beliefs(io.StringIO("".join(lines)))


@pytest.mark.parametrize(
    ("kind", "before", "act"),
    [
        (BELIEF_FORGOTTEN, drawn, forget),
        (BELIEFS_MERGED, doubles, same),
        (BELIEFS_PRUNED, drawn, prune),
        (BELIEF_SYNTHESIZED, teas, synthesize),
        (SUBJECT_ASSIGNED, homes, assign),
        (BELIEF_IMPORTED, homes, bring_in),
        (CONTRADICTION_SETTLED, homes, settle),
        (CONSOLIDATED, homes, consolidate),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_the_event_alone_leads_to_the_same_memory(
    tmp_path: Path, kind: str, before: Act, act: Act
) -> None:
    path, copy = tmp_path / "memory.db", tmp_path / "copy.db"
    clock, mind = SteppedClock(START), a_mind()
    with opened(path, clock, mind) as ada:
        before(ada, clock, mind)
        untold = told(ada)
    shutil.copy(path, copy)
    with opened(path, clock, mind) as ada:
        act(ada, clock, mind)
        events = [one for one in ada.env.ledger.replay(ada.scope) if one.event_type == kind]
        after = told(ada)
    assert events
    later = SteppedClock(clock.now() + 30 * DAY)
    with opened(copy, later, mind) as ada:
        for event in events:
            ada.env.routes[kind](ada.env, ada.scope, event)
        assert told(ada) == after != untold
        for event in events:
            ada.env.routes[kind](ada.env, ada.scope, event)
        assert told(ada) == after
