"""A file that is not as it should be is refused, and nothing is written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import exported as files
import pytest

from remanent import Memory
from remanent.core.model.scope import Scope
from remanent.core.records.export import RecordKind
from remanent.errors import InvalidInput


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    place = tmp_path_factory.mktemp("lived") / "memory.db"
    files.lived(place)
    with files.opened(place) as memory:
        yield memory


@pytest.fixture(scope="module")
def whole(source: Memory, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("files") / "all.jsonl"
    source.export(place)
    return place


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Memory]:
    with files.opened(tmp_path / "empty.db") as memory:
        yield memory


def _first(lines: list[dict[str, Any]], sort: str, kind: str | None = None) -> dict[str, Any]:
    return next(
        one
        for one in lines[1:]
        if one["record"] == sort and (kind is None or one.get("kind") == kind)
    )


def _set(sort: str, field: str, value: Any, kind: str | None = None) -> Any:
    def change(lines: list[dict[str, Any]]) -> None:
        part = _first(lines, sort, kind)["value"]
        *way, last = field.split(".")
        for name in way:
            part = part[name]
        part[last] = value

    return change


def _top(sort: str, field: str, value: Any) -> Any:
    return lambda lines: _first(lines, sort).update({field: value})


def _twice(sort: str) -> Any:
    def change(lines: list[dict[str, Any]]) -> None:
        one = _first(lines, sort)
        lines.insert(lines.index(one), one)

    return change


def _header(field: str, value: Any) -> Any:
    return lambda lines: lines[0].update({field: value})


HOSTILE = {
    "another format": (_header("format", "zip"), "line 1: format"),
    "a later version": (_header("version", 2), "line 1: version: 2 is written by a later version"),
    "no version": (_header("version", None), "line 1: version"),
    "nobody": (lambda lines: lines[0].update(users=[], whole=False), "line 1: users"),
    "somebody who does not come": (_header("users", ["ada", "bob", "mallory", "zoe"]), "line 1: users"),
    "somebody not named": (_header("users", ["ada"]), r"line \d+: user"),
    "a user with a line break": (_header("users", ["ada", "bob", "mallory", "x\ny"]), "line 1: users"),
    "unknown record": (_top("link", "record", "virus"), r"line \d+: record: 'virus'"),
    "unknown field of a line": (_top("link", "more", 1), r"line \d+: more"),
    "unknown field": (_set("link", "more", 1), r"line \d+: more: is no field of Link"),
    "another's record": (_set("event", "user_id", "eve"), r"line \d+: user_id"),
    "another's node": (_set("node", "user_id", "bob"), r"line \d+: user_id"),
    "no object": (_top("link", "value", []), r"line \d+: value"),
    "no such kind": (_top("node", "kind", "god"), r"line \d+: kind"),
    "the wrong type": (_set("event", "seq", "1"), r"line \d+: seq"),
    "no number": (_set("node", "life.salience", 7), r"line \d+: life.salience"),
    "a number too large": (_set("event", "seq", 2**70), r"line \d+: seq"),
    "no time": (_set("raw", "recorded_at", "yesterday"), r"line \d+: recorded_at"),
    "no zone": (_set("raw", "recorded_at", "2026-01-01T00:00:00"), r"line \d+: recorded_at"),
    "no choice": (_set("link", "kind", "owns"), r"line \d+: kind"),
    "missing": (lambda lines: _first(lines, "event")["value"].pop("event_id"), r"line \d+: event_id"),
    "half a character": (_set("raw", "content", "\ud800"), r"line \d+"),
    "a node twice": (_twice("node"), r"line \d+: key"),
    "an event twice": (_twice("event"), r"line \d+: key"),
    "an entry twice": (_twice("entry"), r"line \d+: key"),
    "a link to nothing": (_set("link", "dst", "nothing"), r"line \d+: key"),
    "a relationship to nothing": (_set("relationship", "dst", "nothing"), r"line \d+: key"),
    "a passage of nothing": (_set("passage", "source_key", "nothing"), r"line \d+: key"),
    "a job at work": (_set("job", "state", "running"), r"line \d+: state"),
    "a job for all": (_set("job", "kind", "reembed"), r"line \d+: kind"),
    "out of order": (lambda lines: lines.append(lines.pop(1)), r"line \d+"),
    "elsewhere": (_top("link", "elsewhere", True), r"line \d+: elsewhere"),
    "a short vector": (_set("entry", "vector", "AAAA"), r"line \d+: vector"),
    "no base64": (_set("entry", "vector", "../../etc"), r"line \d+: vector"),
    "a vector of none": (_set("entry", "vector", "AADAfw=="), r"line \d+: vector"),
    "read by a stranger": (_set("entry", "readers", ["user:eve"]), r"line \d+: readers"),
    "another length": (_header("dimensions", 65), "line 1: dimensions"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_and_nothing_is_written(
    name: str, whole: Path, empty: Memory
) -> None:
    change, message = HOSTILE[name]
    place = files.forged(whole, change)

    with pytest.raises(InvalidInput, match=message):
        empty.import_memory(place)
    assert files.untouched(empty)


def test_a_file_cannot_reach_into_what_is_here(whole: Path, tmp_path: Path) -> None:
    with files.opened(tmp_path / "m.db") as memory:
        eve = memory.user("eve", name="Eve")
        secret = eve.add("The password of Eve is swordfish.")
        eve.create_team("Spies", team_id="spies")
        memory.work()
        before = files.digests(memory)
        key = next(one.key for one in eve.anchors() if one.name == "Eve")

        for change in (
            _set("link", "dst", key),
            _set("link", "src", secret),
            _set("extraction", "source_key", secret),
            _set("node", "team_id", "spies", kind="source"),
            _set("event", "team_id", "spies"),
            _set("team", "team_id", "spies"),
            _set("entry", "owner_key", key),
            _set("raw", "key", secret),
            _set("node", "key", key),
        ):
            with pytest.raises(InvalidInput, match=r"line \d+"):
                memory.import_memory(files.forged(whole, change))
            assert files.digests(memory) == before
            assert [one.user_id for one in memory.users()] == ["eve"]


def test_marked_as_elsewhere_it_reaches_no_further(source: Memory, tmp_path: Path) -> None:
    place = tmp_path / "bob.jsonl"
    source.user("bob").export(place)
    with files.opened(tmp_path / "m.db") as memory:
        secret = memory.user("eve", name="Eve").add("The password of Eve is swordfish.")

        def change(lines: list[dict[str, Any]]) -> None:
            for one in lines[1:]:
                if one.get("elsewhere") and one["record"] == "extraction":
                    one["value"]["source_key"] = secret
                    return

        told = memory.import_memory(files.forged(place, change))
        assert told.left_out["extraction"] == len(files.of_sort(place, RecordKind.EXTRACTION))
        assert memory.env.graph.extraction(Scope(user_id="bob"), secret) is None


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
@pytest.mark.parametrize("end", [".jsonl", ".jsonl.gz"])
def test_a_file_that_was_cut_off_is_refused(
    share: float, end: str, source: Memory, tmp_path: Path, empty: Memory
) -> None:
    place = tmp_path / f"a{end}"
    source.export(place)
    content = place.read_bytes()
    place.write_bytes(content[: int(len(content) * share)])

    with pytest.raises(InvalidInput):
        empty.import_memory(place)
    assert files.untouched(empty)


def test_a_file_that_was_altered_is_refused(whole: Path, tmp_path: Path, empty: Memory) -> None:
    text = whole.read_text("utf-8")
    lines = text.split("\n")
    for altered in (
        text.replace("Maria Berg", "Maria Burg", 1),
        "\n".join([*lines[:40], *lines[41:]]),
        text.replace('"sha256":"', '"sha256":"0', 1),
        "\n".join(lines[:-2]) + "\n",
        "not json\n" * 3,
        "[]\n[]\n",
        "",
        "[" * 100_000 + "\n{}\n",
    ):
        place = tmp_path / "altered.jsonl"
        place.write_text(altered, "utf-8")
        with pytest.raises(InvalidInput):
            empty.import_memory(place)
    assert files.untouched(empty)
    for missing in (tmp_path, tmp_path / "none.jsonl"):
        with pytest.raises(InvalidInput, match="path"):
            empty.import_memory(missing)


def test_a_line_of_json_in_all_its_depth_is_refused(whole: Path, empty: Memory) -> None:
    records = files.records(whole)
    lines = [json.dumps(one) for one in records[:-1]]
    lines[5] = '{"record":"event","user":"ada","value":' + "[" * 200_000 + "]" * 200_000 + "}"

    with pytest.raises(InvalidInput, match="line 6"):
        empty.import_memory(files.sealed(whole, lines, records[-1]))
    assert files.untouched(empty)
