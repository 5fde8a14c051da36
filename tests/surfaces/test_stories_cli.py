"""`remanent stories`: a timeline for people, JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import remanent
from storied import START, Life, a_mind

from remanent.clock import SteppedClock
from remanent.memory import Memory


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two arcs of Kestrel under a macro, and one of Falcon; told by a scripted mind."""
    path = tmp_path_factory.mktemp("stories") / "memory.db"
    clock = SteppedClock(START)
    with Memory.open(path, clock=clock, mind=a_mind()) as memory:
        life = Life(memory.user("ada", name="Ada Lindqvist", timezone="Europe/Oslo"), clock)
        for start in (0, 50):
            life.burst(range(start, start + 5), "Kestrel")
            life.night(start + 5)
        life.burst(range(51, 56), "Falcon")
        life.night(56)
        life.day(57, "@Falcon has news.")
        yield path


def test_a_timeline_newest_first(lived: Path) -> None:
    done = remanent("stories", "--memory", str(lived))
    assert done.code == 0, done.err
    names = [line for line in done.out.splitlines() if "–" in line]
    told = [name.split("  ")[0] for name in names]
    assert told[0] == "● Falcon – storyline"
    assert set(told[1:3]) == {"● Kestrel – storyline (from February 2026)", "◆ Kestrel – macro"}
    assert told[3] == "● Kestrel – storyline"
    assert "2026-01-05 to 2026-01-09 · 5 sources · over" in done.out
    assert "2026-01-05 to 2026-02-28 · 2 storylines · 10 sources" in done.out
    assert "6 sources · open · news since it was told" in done.out
    assert "@Kestrel on day 0. @Kestrel on day 4." in done.out


def test_of_one_thing_or_one_kind(lived: Path) -> None:
    of_falcon = remanent("stories", "falcon", "--memory", str(lived))
    assert "Kestrel" not in of_falcon.out
    macros = remanent("stories", "--kind", "macro", "--json", "--memory", str(lived))
    (macro,) = macros.json["stories"]
    assert (macro["name"], macro["storyline_count"]) == ("Kestrel – macro", 2)
    one = remanent("stories", "-n", "1", "--json", "--memory", str(lived)).json["stories"]
    assert [story["name"] for story in one] == ["Falcon – storyline"]
    none = remanent("stories", "--state", "archived", "--memory", str(lived))
    assert "No stories yet" in none.out


def test_wrong_names_are_told(lived: Path) -> None:
    for arguments in (["nobody-at-all"], ["--kind", "person"], ["--state", "odd"], ["-n", "0"]):
        done = remanent("stories", *arguments, "--memory", str(lived))
        assert done.code != 0
        assert "Traceback" not in done.err


def test_show_opens_a_story_with_its_parts(lived: Path) -> None:
    found = remanent("stories", "kestrel", "--json", "--memory", str(lived)).json["stories"]
    macro = next(one for one in found if "storyline_count" in one)
    story = next(one for one in found if one["name"] == "Kestrel – storyline")
    page = remanent("show", story["key"], "--memory", str(lived)).out
    for words in ("2026-01-05 to 2026-01-09", "Sources", "@Kestrel on day 3.", "Part of", "About"):
        assert words in page
    page = remanent("show", macro["key"], "--memory", str(lived)).out
    assert "Storylines" in page
    assert "(from February 2026)" in page
