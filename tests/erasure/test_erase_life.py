"""Erasing from a life of weeks that the offline mind has read, with its nights."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import erased
import pytest
from effort import times

from bench.life.living import Year, make_year, owner_of
from bench.life.talk import Piece
from bench.life.world import DAY, START
from remanent import Memory, SteppedClock, UserMemory

pytestmark = pytest.mark.usefixtures("encoded_once")
DAYS, SOURCES = times(9, 18), times(30, 60)


def lived(path: Path, year: Year, *, but: str = "") -> tuple[Memory, dict[str, str]]:
    """The memory of all those days, without one source."""
    clock = SteppedClock(START)
    memory = Memory.open(path, clock=clock)
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


def queries(year: Year, most: int = times(20, 50)) -> list[str]:
    """Sentences that were told, which is about what people ask for."""
    said = [one.sentence for piece in year.pieces for one in piece.tellings]
    said += [str(piece.content)[:80] for piece in year.pieces]
    return list(dict.fromkeys(said))[:most]


@pytest.fixture(scope="module")
def year() -> Year:
    return make_year(11, DAYS, SOURCES)


@pytest.fixture(scope="module")
def whole(year: Year, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """All of it, lived through once; to be copied, not touched."""
    path = tmp_path_factory.mktemp("whole") / "memory.db"
    memory, keys = lived(path, year)
    memory.close()
    return path, keys


def pieces_of(year: Year) -> Sequence[str]:
    within = [one for one in year.pieces if one.tellings and (one.added_at - START).days < DAYS]
    ordered = sorted(within, key=lambda one: (one.added_at, one.id))
    return [ordered[0].id, ordered[len(ordered) // 2].id, ordered[-1].id]


@pytest.mark.slow
@pytest.mark.torture
@pytest.mark.parametrize("which", range(3)[:: times(2, 1)], ids=str)
def test_erased_is_never_had_in_a_life_of_weeks(
    year: Year, whole: tuple[Path, dict[str, str]], tmp_path: Path, which: int
) -> None:
    piece, (path, keys) = pieces_of(year)[which], whole
    clock = SteppedClock(START + DAYS * DAY + timedelta(hours=5))
    one = Memory.open(shutil.copy(path, tmp_path / "one.db"), clock=clock)
    other, _ = lived(tmp_path / "other.db", year, but=piece)
    with one, other:
        done = owner_of(one).erase(keys[piece])
        assert done.probe.found == 0
        erased.same(one, other, owner_of(one).user_id, queries(year))
