"""The comparison with others: floors and ourselves can be measured, and what is kept is what the page shows."""

from pathlib import Path

import pytest

from bench.page import PAGE
from bench.peers.check import ratios, verdicts
from bench.peers.compare import kept, merged
from bench.peers.environments import FLOORS, NAMES, OURS
from bench.peers.measure import Plan, grown, in_threads, killed
from bench.peers.table import table

TINY = Plan(sizes=(200,), cap_s=600, singles=3, questions=4, starts=1)
WHEN = {
    "date": "2026-11-17",
    "commit": "abc",
    "machine": {"system": "Linux", "cores": 2, "processor": "x", "python": "3.11"},
    "load_before": 1.0,
    "load_after": 1.0,
    "packages": ["thing==1.2"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [OURS, *FLOORS])
def test_a_system_is_filled_searched_and_emptied_in_a_process_of_its_own(
    name: str, tmp_path: Path
) -> None:
    found = grown(name, tmp_path / "memory", TINY, say=lambda _: None)

    assert "failed" not in found
    figures = found["sizes"]["200"]
    assert (figures["stored"], figures["asked"]) == (200, 4)
    assert figures["disk_mb"] > 0
    assert figures["resident_mb"] > 1
    assert (found["delete"]["count"], found["delete"]["left"]) == (200, 0)
    assert found["delete"]["others_lost"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", [OURS, *FLOORS])
def test_what_was_answered_is_there_after_a_kill(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.peers.measure.ROUNDS", 1)

    assert killed(name, tmp_path / "memory") == {"answered": 5, "there": 5}


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOORS)
def test_threads_are_counted(name: str, tmp_path: Path) -> None:
    found = in_threads(name, tmp_path / "memory")

    assert (found["given"], found["there"], found["errors"]) == (200, 200, 0)


def test_the_page_shows_what_is_kept() -> None:
    assert table(kept()).strip() in PAGE.read_text("utf-8")


def test_what_is_kept_is_of_systems_that_can_be_measured_in_their_order() -> None:
    systems = list(kept()["peers"])

    assert systems == [name for name in NAMES if name in systems]


def test_a_system_that_cannot_run_says_why_and_leaves_the_others_their_cells() -> None:
    good = {**WHEN, "add": {"cpu_ms": 1.5, "p50_ms": 2.0, "findable_cpu_ms": 1.5}}
    bad = {**WHEN, "failed": "cannot be installed: no such version"}

    shown = table({"peers": {"ours": good, "mem0": bad}}).splitlines()

    assert "| add one, CPU ms | 1.5 | – |" in shown
    assert "|  | – | cannot be installed: no such version |" in shown


def test_a_size_that_would_take_too_long_is_said() -> None:
    found = {**WHEN, "sizes": {"1000": {"stored": 700, "capped": 700, "fill_cpu_ms": 2.0}}}
    later = {**WHEN, "sizes": {"1000": {"expected_s": 2700.0}}}

    shown = table({"peers": {"mem0": found, "graphiti": later}})

    assert "left out: 45 min to fill" in shown
    assert "stopped at 700" in shown


def test_what_was_left_out_of_a_run_stays_kept() -> None:
    sizes = {"1000": {"cpu_ms": 1}, "10000": {"cpu_ms": 2}}
    old = {"peers": {"mem0": {"sizes": sizes, "failed": "x", "recall": 60}}, "check": 1}
    new = {"peers": {"mem0": {"sizes": {"1000": {"cpu_ms": 3}}}, "ours": {"failed": "x"}}}

    both = merged(old, new)

    assert list(both["peers"]) == ["ours", "mem0"]
    assert both["peers"]["mem0"]["sizes"] == {"1000": {"cpu_ms": 3}, "10000": {"cpu_ms": 2}}
    assert (both["peers"]["mem0"]["recall"], both["check"]) == (60, 1)
    assert "failed" not in both["peers"]["mem0"]


def test_a_tenth_more_passes_and_more_than_that_fails() -> None:
    known = {"check": {"search": 2.0, "add": 2.0}}

    found = dict(
        zip(
            ("search", "add", "new"),
            verdicts(known, {"search": 2.19, "add": 2.21, "new": 9.0}),
            strict=True,
        )
    )

    assert [good for good, _ in found.values()] == [True, False, True]
    assert found["add"][1] == "SLOWER add: 2.21, kept 2.00 (+10 %)"


def test_ratios_are_of_ours_over_the_floors() -> None:
    names = ("add", "findable", "fill", "search", "resident", "first")
    ours, floor = dict.fromkeys(names, 6.0), dict.fromkeys(names, 2.0)

    found = ratios({OURS: ours, **dict.fromkeys(FLOORS, floor)})

    assert found["add one, CPU, over FTS5"] == 3.0
    assert found["search, CPU, over FTS5 and numpy together"] == 1.5
