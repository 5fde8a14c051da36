"""What the pages draw, from Python: the graph, the outlook on beliefs, and how a memory faded so far."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from web_world import BEGINNING, a_mind, live

from remanent.clock import SteppedClock
from remanent.errors import InvalidInput, UnknownKey
from remanent.memory import Memory, UserMemory
from remanent.testing import HashEmbedder

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ada(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UserMemory]:
    clock, path = SteppedClock(BEGINNING), Path(tmp_path_factory.mktemp("data")) / "memory.db"
    with Memory.open(path, clock=clock, mind=a_mind(), embedder=HashEmbedder()) as memory:
        live(memory, clock)
        yield memory.user("ada")


def test_the_graph_has_what_holds_and_what_held(ada: UserMemory) -> None:
    drawn = ada.graph()
    names = {one.key: one.name for one in drawn.nodes}
    homes = {names[one.dst]: one.valid_to for one in drawn.edges if one.type == "home"}
    assert homes["Bergen"] is None
    assert homes["Oslo"] is not None


def test_the_graph_around_somebody_is_theirs_nearest_first(ada: UserMemory) -> None:
    assert {one.name for one in ada.graph(["Maria"]).nodes} == {"Maria", "Oslo", "Bergen"}
    assert len(ada.graph(["Maria"], limit=2).nodes) == 2
    with pytest.raises(UnknownKey):
        ada.graph(["Nobody at all"])
    with pytest.raises(InvalidInput):
        ada.graph(limit=0)


def test_to_draw_is_no_access(ada: UserMemory) -> None:
    before = {one.key: one.life for one in ada.anchors()}
    ada.graph()
    ada.outlook()
    assert {one.key: one.life for one in ada.anchors()} == before


def test_the_outlook_tells_what_is_left_and_how_it_goes_on(ada: UserMemory) -> None:
    held = ada.outlook()
    assert {one.belief.status.value for one in held} == {"active"}
    for one in held:
        assert one.course[0] == one.belief.confidence
        assert list(one.course) == sorted(one.course, reverse=True)
        assert 0 < one.effective_confidence <= one.belief.confidence
    assert len(ada.outlook(limit=1)) == 1


def test_with_since_it_tells_what_changed_the_latest_first(ada: UserMemory) -> None:
    changed = [one.belief for one in ada.outlook(BEGINNING + timedelta(days=20))]
    assert changed
    assert "invalidated" in {one.status.value for one in changed}  # Oslo gave way to Bergen
    times = [one.updated_at for one in changed]
    assert times == sorted(times, reverse=True)
    assert ada.outlook(BEGINNING + timedelta(days=400)) == []


def test_what_lies_behind_a_curve_falls_to_where_it_is(ada: UserMemory) -> None:
    curve = ada.curve(ada.sources(1)[0].key)
    salience = [one.salience for one in (*curve.behind, curve.points[0])]
    assert salience == sorted(salience, reverse=True)
    assert curve.behind[0].at <= curve.now
