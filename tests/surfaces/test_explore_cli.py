"""`remanent explore` and `remanent traverse`, for people and for programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Done, remanent

from remanent.core.index_entries import entries, story_line
from remanent.core.model.keys import key_for
from remanent.core.model.relationship import LinkKind
from remanent.core.model.source import Source
from remanent.core.model.story import Macro
from remanent.core.ports.graph import Nodes
from remanent.memory import Memory
from remanent_conformance.builders import MOMENT, a_link, a_scope, a_storyline


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Maria, who has a story of her own; stories are put by hand, for nothing writes them yet."""
    path = tmp_path_factory.mktemp("lived") / "memory.db"
    text = (
        "My sister Maria Holm lives in Oslo. Maria is a nurse at a hospital. "
        "Maria loves fish soup and hiking \x1b[31m[bold]badly[/bold]."
    )
    for arguments in (
        ("init", "--user", "ada", "--name", "Ada Lindqvist", "--timezone", "Europe/Oslo"),
        ("add", "--text", text, "--started-at", "2026-03-02"),
    ):
        done = ask(path, *arguments)
        assert done.code == 0, done.err
    _tell(path)
    return path


def _tell(path: Path) -> None:
    scope = a_scope("ada")
    with Memory.open(path) as memory:
        env = memory.env
        (source,) = env.graph.select(scope, Nodes(Source))
        maria = key_of(memory, "Maria Holm")
        story = a_storyline(
            maria,
            user="ada",
            name="Maria Holm – storyline",
            description="Maria cooks fish soup. She hikes.",
            source_count=1,
        )
        macro = Macro(
            key=key_for("ada", "macro", maria),
            user_id="ada",
            created_at=MOMENT,
            updated_at=MOMENT,
            anchor_key=maria,
            name="Maria Holm – macro",
            started_at=MOMENT,
            last_event_at=MOMENT,
            description="Years of fish soup.",
        )
        for node in (story, macro):
            env.graph.put(scope, node)
        for src, dst, kind in (
            (story.key, source.key, LinkKind.INCLUDES),
            (macro.key, story.key, LinkKind.GROUPS),
        ):
            env.graph.link(scope, a_link(src, dst, kind=kind, user="ada"))
        env.index.put(entries(env, scope, [story_line(story), story_line(macro)]))


def key_of(memory: Memory, name: str) -> str:
    return next(one.key for one in memory.user("ada").anchors() if one.name == name)


def ask(path: Path, *arguments: str) -> Done:
    return remanent(*arguments, "--memory", str(path))


@pytest.fixture(scope="module")
def maria(lived: Path) -> str:
    with Memory.open(lived) as memory:
        return key_of(memory, "Maria Holm")


def test_explore_shows_who_how_and_what(lived: Path) -> None:
    done = ask(lived, "explore", "what does my sister Maria do?", "--explain", "--no-touch")

    assert done.code == 0, done.err
    for words in ("Maria Holm", "sister", "nurse", "similarity", "Maria Holm – storyline"):
        assert words in done.out
    assert "\x1b" not in done.out
    assert "[bold]" in done.out


@pytest.mark.parametrize(
    ("granularity", "told"),
    [("2", "Maria cooks fish soup. She hikes."), ("3", "Years of fish soup.")],
)
def test_explore_tells_stories(lived: Path, granularity: str, told: str) -> None:
    done = ask(lived, "explore", "fish soup", "-g", granularity, "--no-touch")

    assert done.code == 0, done.err
    assert told in done.out
    assert "Maria cooks fish soup." in done.out


def test_explore_answers_programs(lived: Path) -> None:
    done = ask(
        lived, "explore", "-t", "Maria", "--min-proximity", "4", "--type", "sister", "--json",
        "--no-touch", "--semantic-weight", "1", "--time-weight", "0", "--threshold", "0.5",
    )  # fmt: skip

    assert done.code == 0, done.err
    assert set(done.json) == {"meta", "semantic", "episodic"}
    assert set(done.json["semantic"]) == {"people", "concepts", "entities", "relationships"}
    assert set(done.json["episodic"]) == {"sources", "storylines", "macros", "artifacts"}
    assert [one["name"] for one in done.json["semantic"]["people"]] == ["Maria Holm"]
    (one,) = done.json["semantic"]["relationships"]
    assert (one["relationship_type"], one["to_name"]) == ("sister", "Maria Holm")


def test_explore_the_past(lived: Path) -> None:
    done = ask(lived, "explore", "-t", "Maria", "--as-of", "2026-03-01", "--no-touch", "--json")

    assert done.json["semantic"]["people"] == []
    assert done.json["meta"]["reason"]
    people = ask(lived, "explore", "-t", "Maria", "--as-of", "2026-03-02", "--no-touch")
    assert "not there" not in people.out


def test_explore_finds_nothing(lived: Path) -> None:
    done = ask(lived, "explore", "-t", "quasar")

    assert done.code == 0
    assert "Nothing found" in done.out


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ((), "queries"),
        (("soup", "-g", "4"), "granularity"),
        (("soup", "--min-attitude", "6"), "relationship_filters.min_attitude"),
        (("soup", "--threshold", "2"), "queries[0].threshold"),
        (("soup", "--time-weight", "-1"), "weights.time"),
    ],
)
def test_explore_names_what_is_off(lived: Path, arguments: tuple[str, ...], field: str) -> None:
    done = ask(lived, "explore", *arguments, "--json")

    assert done.code == 2
    assert (done.error["type"], done.error["field"]) == ("InvalidInput", field)


def test_traverse_shows_the_way(lived: Path, maria: str) -> None:
    done = ask(lived, "traverse", maria[:8], "--no-touch")

    assert done.code == 0, done.err
    assert "Maria Holm ← sister ─" in " ".join(done.out.split())
    assert "within reach" in done.out
    assert "\x1b" not in done.out


def test_traverse_answers_programs(lived: Path, maria: str) -> None:
    done = ask(lived, "traverse", maria, "--no-links", "-d", "1", "-n", "4", "--json", "--no-touch")

    start, *reached = done.json["reached"]
    assert (start["distance"], {one["distance"] for one in reached}) == (0, {1})
    assert "sister" in [one["path"][0]["word"] for one in reached]
    assert done.json["titles"][maria] == "Maria Holm"


def test_traverse_without_a_way(lived: Path, maria: str) -> None:
    done = ask(lived, "traverse", maria, "--as-of", "2026-01-01", "--no-touch")

    assert "no edge that holds" in done.out


def test_traverse_of_what_was_known(lived: Path, maria: str) -> None:
    """It was told of March, and recorded when it was told."""
    asked = ("traverse", maria, "--as-of", "2026-04-01")
    assert len(ask(lived, *asked, "--json").json["reached"]) > 1
    before = ask(lived, *asked, "--known-at", "2026-04-01", "--json").json
    assert (before["reached"], before["known_at"][:10]) == ([], "2026-04-01")
    assert "none of the seeds was known then" in ask(lived, *asked, "--known-at", "2026-04-01").out
    assert ask(lived, *asked, "--known-at", "never", "--json").error["field"] == "--known-at"


def test_traverse_names_what_is_off(lived: Path, maria: str) -> None:
    assert ask(lived, "traverse", maria, "--damping", "1", "--json").error["field"] == "damping"
    assert ask(lived, "traverse", "ffffffff", "--json").error["type"] == "UnknownKey"


def test_looking_strengthens_unless_told_not_to(lived: Path, maria: str) -> None:
    def accesses() -> int:
        with Memory.open(lived) as memory:
            node = memory.env.graph.get(a_scope("ada"), maria)
            assert node is not None
            return node.life.access_count

    before = accesses()
    ask(lived, "explore", "-t", "Maria", "--no-touch")
    ask(lived, "traverse", maria, "--no-touch")
    assert accesses() == before
    ask(lived, "explore", "-t", "Maria")
    ask(lived, "traverse", maria)
    assert accesses() == before + 2
