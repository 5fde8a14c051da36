"""Storylines: is there one for every burst of a project, none for chatter, and a macro for two bursts?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from bench.frame import Row
from bench.life.reading import Reader
from bench.life.world import DAY, START, Project

LINES = (
    "MATCH (s:Storyline)-[:ABOUT]->(a) RETURN s.key, a.key, a.name, labels(a)[0], s.started_at,"
    " s.last_source_at ORDER BY s.key"
)
MACROS = "MATCH (m:Macro)-[:ROOTED_IN]->(a) RETURN m.key, a.name, m.storyline_count ORDER BY m.key"
SOURCES, DAYS = 5, 3  # what a burst needs to become a storyline (SPEC 6)


class Line(NamedTuple):
    key: str
    anchor: str
    name: str
    kind: str
    begins: datetime
    ends: datetime


def measure_stories(reader: Reader) -> Iterator[Row]:
    lines = [
        Line(key, anchor, name, kind, _moment(begins), _moment(ends))
        for key, anchor, name, kind, begins, ends in reader.user.cypher(
            LINES, include_archived=True
        ).rows
    ]
    macros = reader.user.cypher(MACROS, include_archived=True).rows
    projects = {one.name.casefold(): one for one in reader.year.world.projects.values()}
    about = Counter(_sort(reader, one, projects) for one in lines)
    bursts = [
        (one, burst)
        for one in projects.values()
        for burst in one.bursts
        if _is_worth(reader, one, burst)
    ]
    with_line = [one for one in bursts if _has_line(one, lines)]
    twice = {name for name, one in projects.items() if _bursts(bursts, one) >= 2}
    named = {str(row[1]).casefold() for row in macros}
    life = about["project"] + about["life"]
    yield Row(what=f"of {len(bursts)} bursts of projects, with a storyline of their own", value=100 * len(with_line) / max(1, len(bursts)), unit="%")  # fmt: skip
    yield Row(what=f"of {len(lines)} storylines, about a project, person, place or firm of the year", value=100 * life / max(1, len(lines)), unit="%")  # fmt: skip
    yield Row(what="storylines about projects", value=about["project"])
    yield Row(what="storylines about people, places and firms", value=about["life"])
    yield Row(
        what="storylines about chatter",
        value=about["chatter"],
        aim="none",
        met=not about["chatter"],
    )
    yield Row(
        what=f"of {len(twice)} projects with two bursts, with a macro", value=len(twice & named)
    )
    yield Row(what="macros", value=len(macros))


def _sort(reader: Reader, line: Line, projects: dict[str, Project]) -> str:
    name = line.name.casefold()
    if name in projects:
        return "project"
    world = reader.year.world
    people = {word.casefold() for one in world.people.values() for _, full in one.names for word in (full, one.first, one.nick)}  # fmt: skip
    values = {one.value.casefold() for one in world.tellings}
    return "life" if name in people | values or line.kind == "Person" else "chatter"


def _is_worth(reader: Reader, project: Project, burst: tuple[int, int]) -> bool:
    """Enough sources on enough days for the rule of promotion, by the truth."""
    days = [
        one.day
        for one in reader.year.pieces
        if one.project == project.id and burst[0] <= one.day <= burst[1]
    ]
    return len(days) >= SOURCES and len(set(days)) >= DAYS


def _bursts(bursts: list[tuple[Project, tuple[int, int]]], project: Project) -> int:
    return sum(one is project for one, _ in bursts)


def _has_line(burst: tuple[Project, tuple[int, int]], lines: list[Line]) -> bool:
    """A storyline about that project which begins within the burst (give or take a week)."""
    project, (first, last) = burst
    begins, ends = START + (first - 7) * DAY, START + (last + 7) * DAY
    return any(
        one.name.casefold() == project.name.casefold() and begins <= one.begins <= ends
        for one in lines
    )


def _moment(value: object) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
