"""A vault of notes: wikilinks and front matter become people, names, tags and types (DEFECTS W5)."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.node import Kind

NOTES = {
    "Priya Raman.md": (
        "---\ntype: person\naliases: [Pri, PR]\ntags: [work/team, berlin]\n---\n"
        "# Priya Raman\n\nLeads the platform group. Likes climbing."
    ),
    "2024-10-14.md": (
        "Met [[Priya Raman]] and [[Piotr Nowak]] about [[the grey heron]].\n\n"
        "- [ ] ask [[Daniel Okafor|Daniel]] for the **plan** ^todo1\n"
    ),
    "the grey heron.md": "---\ntype: project\naliases:\n  - Project H\n---\nThe new store.",
    "Daniel Okafor.md": "---\ntags: person\n---\nPlays chess on Mondays.",
}
TITLES = [name.removesuffix(".md") for name in NOTES]


def vault(memory: Memory, folder: Path, names: Any) -> UserMemory:
    piotr = memory.user("piotr", name="Piotr Nowak")
    for name in names:
        (folder / name).write_text(NOTES[name])
        piotr.import_file(folder / name)
        memory.work()
    return piotr


def drawn(user: UserMemory) -> set[tuple[str, str, tuple[str, ...], int]]:
    return {
        (one.kind.value, one.name, one.aliases, one.source_count)
        for one in user.anchors(include_archived=True)
        if not getattr(one, "is_owner", False)
    }


@pytest.mark.slow
def test_links_and_front_matter_become_people_in_whatever_order_they_come(tmp_path: Path) -> None:
    seen = []
    for number, names in enumerate(list(permutations(NOTES))[::5]):
        (tmp_path / str(number)).mkdir()
        clock = SteppedClock(datetime(2026, 5, 1, tzinfo=UTC))
        with Memory.open(":memory:", clock=clock) as memory:
            piotr = vault(memory, tmp_path / str(number), names)
            seen.append(drawn(piotr))
            assert ("person", "Priya Raman", ("PR", "Pri"), 2) in seen[-1]
            assert ("entity", "the grey heron", ("Project H",), 2) in seen[-1]
            assert {one[:2] for one in seen[-1] if "Okafor" in one[1]} == {
                ("person", "Daniel Okafor")
            }
            assert not [one for one in seen[-1] if "Piotr" in one[1]]
            assert not [one for one in seen[-1] if one[0] == "concept" and one[1] in TITLES]
            assert memory.rebuild().comparison.is_same
    assert all(one == seen[0] for one in seen)


def test_names_tags_and_passages(tmp_path: Path) -> None:
    with Memory.open(":memory:", clock=SteppedClock(datetime(2026, 5, 1, tzinfo=UTC))) as memory:
        piotr = vault(memory, tmp_path, NOTES)
        sources = {one.title: one for one in piotr.sources()}
        assert sources["Priya Raman"].tags[:2] == ("work/team", "berlin")
        day = piotr.read(next(one.key for one in piotr.sources() if "2024" in one.title))
        text = "\n".join(one.text for one in day.passages)
        assert "- ask Daniel for the plan" in text
        assert not [mark for mark in ("[[", "]]", "[ ]", "^", "**") if mark in text]
        hits = piotr.search("Who is Pri?", touch=False)
        assert "Priya Raman" in hits[0].title + hits[0].text
        assert {one.kind for one in piotr.anchors()} <= {Kind.PERSON, Kind.CONCEPT, Kind.ENTITY}
