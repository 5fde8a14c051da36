"""Erasing from a life of weeks that the offline mind has read, with its nights."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import erased
import pytest

from bench.life.living import Year, make_year, owner_of
from bench.life.talk import Piece
from bench.life.world import DAY, START
from remanent import Memory, SteppedClock, UserMemory

DAYS, SOURCES = 18, 60


def lived(year: Year, *, but: str = "") -> tuple[Memory, dict[str, str]]:
    """The memory of all those days, without one source."""
    clock = SteppedClock(START)
    memory = Memory.open(":memory:", clock=clock)
    user, keys = owner_of(memory), dict[str, str]()
    due: dict[int, list[Piece]] = {}
    for piece in sorted(year.pieces, key=lambda one: (one.added_at, one.id)):
        due.setdefault((piece.added_at - START).days, []).append(piece)
    for day in range(DAYS):
        for piece in due.get(day, ()):
            clock.move_to(max(piece.added_at, clock.now()))
            if piece.id != but:
                keys[piece.id] = _added(user, piece)
        clock.move_to(max(START + day * DAY + timedelta(hours=22), clock.now()))
        user.work()
        clock.move_to(START + (day + 1) * DAY + timedelta(hours=5))
        user.sleep()
        user.work()
    return memory, keys


def _added(user: UserMemory, piece: Piece) -> str:
    return user.add(piece.content, type=piece.type, started_at=piece.at, origin_id=piece.id)


def queries(year: Year, most: int = 50) -> list[str]:
    """Sentences that were told, which is about what people ask for."""
    said = [one.sentence for piece in year.pieces for one in piece.tellings]
    said += [str(piece.content)[:80] for piece in year.pieces]
    return list(dict.fromkeys(said))[:most]


@pytest.fixture(scope="module")
def year() -> Year:
    return make_year(11, DAYS, SOURCES)


def pieces_of(year: Year) -> Sequence[str]:
    within = [one for one in year.pieces if one.tellings and (one.added_at - START).days < DAYS]
    ordered = sorted(within, key=lambda one: (one.added_at, one.id))
    return [ordered[0].id, ordered[len(ordered) // 2].id, ordered[-1].id]


@pytest.mark.slow
@pytest.mark.parametrize("which", [0, 1, 2], ids=["first", "middle", "last"])
def test_erased_is_never_had_in_a_life_of_weeks(year: Year, which: int) -> None:
    piece = pieces_of(year)[which]
    one, keys = lived(year)
    other, _ = lived(year, but=piece)
    with one, other:
        done = owner_of(one).erase(keys[piece])
        assert done.probe.found == 0
        erased.same(one, other, owner_of(one).user_id, queries(year))
