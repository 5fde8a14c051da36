"""The pages say what is there, all of it, and what they show runs."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import inspect
import json
import pkgutil
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

import remanent
import remanent.core.ports
import remanent.errors
from remanent.config import Config
from remanent.core.relation import SCALES
from remanent.errors import RemanentError
from remanent.memory import Memory, UserMemory

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TUTORIAL = DOCS / "tutorial" / "first-memory.md"
OTHERS = (
    *(ROOT / one for one in ("README.md", "CONTRIBUTING.md")),
    *(
        ROOT / one / "README.md"
        for one in ("conformance", "integrations/langgraph", "integrations/mem0")
    ),
)
PAGES = sorted([*DOCS.rglob("*.md"), *OTHERS])
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def prose(text: str) -> str:
    """The page without its fenced blocks."""
    return BLOCK.sub("", text)


def sections(text: str, level: int) -> dict[str, str]:
    """What stands under each heading of that level, up to the next of it or of a higher one."""
    found: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        heading = re.match(r"(#{1,6}) (.*)", line)
        if heading and len(heading[1]) <= level:
            name = heading[2].replace("`", "").strip() if len(heading[1]) == level else ""
        elif name:
            found[name] = f"{found.get(name, '')}{line}\n"
    return found


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


# --- nothing is missing ------------------------------------------------------------------------


def _verbs() -> Iterator[tuple[str, Any]]:
    for face in (Memory, UserMemory):
        for name, member in inspect.getmembers(face):
            if not name.startswith("_"):
                yield f"{face.__name__}.{name}", member


@pytest.mark.parametrize(("name", "verb"), list(_verbs()))
def test_every_verb_is_described_with_its_parameters(name: str, verb: Any) -> None:
    described = sections(page("reference/python.md"), 3)

    assert name in described
    if callable(verb):
        for parameter in inspect.signature(verb).parameters:
            assert parameter == "self" or re.search(rf"\b{parameter}\b", described[name])


def test_no_verb_is_described_that_is_not_there() -> None:
    described = {name for name in sections(page("reference/python.md"), 3) if "." in name}

    assert described == {name for name, _ in _verbs()}


@pytest.mark.parametrize("name", remanent.__all__)
def test_every_public_name_is_on_the_page(name: str) -> None:
    assert f"`{name}`" in page("reference/python.md")


def _settings(part: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if dataclasses.is_dataclass(value):
            yield from _settings(value, f"{prefix}{field.name}.")
        else:
            yield f"{prefix}{field.name}", json.dumps(value)


def test_every_setting_is_described_with_its_default() -> None:
    row = re.compile(r"^\| `([\w.]+)` \| `([^`]*)` \| \S", re.MULTILINE)

    assert dict(row.findall(page("reference/settings.md"))) == dict(_settings(Config()))


def _errors() -> list[str]:
    members = inspect.getmembers(remanent.errors, inspect.isclass)
    return [name for name, one in members if issubclass(one, RemanentError)]


@pytest.mark.parametrize("name", _errors())
def test_every_error_is_described(name: str) -> None:
    described = sections(page("reference/errors.md"), 3)

    assert described.get(name, "").strip()


def test_the_tree_of_errors_is_the_real_one() -> None:
    tree = next(text for kind, text in BLOCK.findall(page("reference/errors.md")) if kind == "text")
    drawn = [line.rsplit(" ", 1)[-1] for line in tree.splitlines()]

    assert sorted(drawn) == sorted(_errors())


def _commands() -> dict[str, Any]:
    whole = importlib.import_module("remanent.surfaces.cli.app").program()
    return dict(whole.commands)


@pytest.mark.parametrize("name", _commands())
def test_every_command_is_described_with_its_options(name: str) -> None:
    text = page("reference/cli.md")
    described = {title.split()[0]: body for title, body in sections(text, 3).items()}
    everywhere = sections(text, 2)["Which memory, whose memory"]

    assert name in described
    for parameter in _commands()[name].params:
        for option in parameter.opts:
            if option.startswith("--"):
                assert f"`{option}" in described[name] + everywhere, option


def _ports() -> Iterator[tuple[str, type]]:
    for info in pkgutil.iter_modules(remanent.core.ports.__path__):
        module = importlib.import_module(f"remanent.core.ports.{info.name}")
        for name, port in inspect.getmembers(module, inspect.isclass):
            if port.__module__ == module.__name__ and getattr(port, "_is_protocol", False):
                yield name, port


@pytest.mark.parametrize(("name", "port"), list(_ports()))
def test_every_port_is_described_with_its_methods(name: str, port: type) -> None:
    described = sections(page("reference/ports.md"), 2)
    rows = set(re.findall(r"^\| `(\w+)", described[name], re.MULTILINE))

    assert rows == {method for method in vars(port) if not method.startswith("_")}


def test_the_page_counts_the_members_of_a_mind_as_they_are() -> None:
    mind = dict(_ports())["Mind"]
    told = re.search(r"A mind has (\d+) members", page("how-to/write-an-adapter.md"))

    assert told is not None
    assert int(told[1]) == sum(not member.startswith("_") for member in vars(mind))


def test_every_table_of_a_memory_is_described(tmp_path: Path) -> None:
    Memory.open(tmp_path / "memory.db").close()
    with contextlib.closing(apsw.Connection(str(tmp_path / "memory.db"))) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM pragma_table_list")}
    own = {name for name in tables if not name.startswith("sqlite_")}
    described = sections(page("reference/storage.md"), 2)["Tables"]

    assert set(re.findall(r"^\| `(\w+)`", described, re.MULTILINE)) == own


def test_the_words_for_relationships_are_the_real_ones() -> None:
    rows = re.findall(r"^\| (?:`(\w+)`)? ?\| (attitude|proximity) \| (.+) \|$",
                      page("concepts/anchors-and-relationships.md"), re.MULTILINE)  # fmt: skip
    words = [(grade, tuple(line.split(" | "))) for _, grade, line in rows]
    scales = [(kind.value, scale) for kind, scale in SCALES.items()]

    assert [kind for kind, _, _ in rows if kind] == [kind for kind, _ in scales]
    assert words == [
        pair
        for _, scale in scales
        for pair in (("attitude", scale.attitude), ("proximity", scale.proximity))
    ]


@pytest.mark.parametrize("path", sorted(DOCS.glob("adr/[0-9]*.md")), ids=named)
def test_every_decision_is_listed_under_its_title(path: Path) -> None:
    title = re.sub(r"^# \d+\. ", "", path.read_text("utf-8").splitlines()[0])

    assert f"[{title}]({path.name})" in page("adr/index.md")


@pytest.mark.parametrize("path", sorted(DOCS.rglob("*.md")), ids=named)
def test_every_page_is_in_the_menu(path: Path) -> None:
    menu = (ROOT / "mkdocs.yml").read_text("utf-8")

    assert re.search(rf"\b{re.escape(str(path.relative_to(DOCS)))}$", menu, re.MULTILINE)


# --- nothing is said to be missing that is there -----------------------------------------------

STALE = re.compile(r"\byet\b|\bnot used\b|\bnamed only\b|\bon its way\b", re.IGNORECASE)


@pytest.mark.parametrize(
    "path", sorted([*DOCS.glob("concepts/*.md"), *DOCS.glob("how-to/*.md")]), ids=named
)
def test_no_page_says_what_will_be(path: Path) -> None:
    """Such a sentence goes stale unseen; the front page alone says what is to come."""
    lines = prose(path.read_text("utf-8")).splitlines()

    assert [line for line in lines if STALE.search(line)] == []


# --- links lead somewhere ----------------------------------------------------------------------


def _anchors(path: Path) -> set[str]:
    """The names that headings get on the built page."""
    headings = re.findall(r"^#{1,6} (.+)$", prose(path.read_text("utf-8")), re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in headings)
    return {re.sub(r"[-\s]+", "-", one) for one in plain}


@pytest.mark.parametrize("path", [*PAGES, ROOT / "CHANGELOG.md"], ids=named)
def test_no_page_is_left_in_the_middle_of_a_merge(path: Path) -> None:
    assert not re.search(r"^(<<<<<<<|>>>>>>>) ", path.read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    for link in LINK.findall(prose(path.read_text("utf-8"))):
        if re.match(r"\w+:", link):
            continue
        target, _, anchor = link.partition("#")
        place = (path.parent / target).resolve() if target else path
        assert place.exists(), link
        assert not anchor or anchor in _anchors(place), link


# --- what is shown runs ------------------------------------------------------------------------


def _shown(path: Path) -> list[tuple[str, str]]:
    """The blocks of a page with their kind, in order."""
    return BLOCK.findall(path.read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [one for one in PAGES if one != TUTORIAL and any(kind == "python" for kind, _ in _shown(one))],
    ids=named,
)
def test_python_on_pages_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}

    for kind, text in _shown(path):
        if kind == "python":
            exec(compile(text, named(path), "exec"), names)


@pytest.mark.slow
def test_the_tutorial_runs_and_prints_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    names: dict[str, Any] = {"__name__": "tutorial"}
    printed = ""

    for kind, text in _shown(TUTORIAL):
        if kind == "python":
            exec(compile(text, TUTORIAL.name, "exec"), names)
            printed = capsys.readouterr().out
        elif kind == "text":
            assert printed == text
        elif kind == "console":
            for command, answer in _typed(text):
                _type(command, monkeypatch)
                given = _lines(capsys.readouterr().out)
                assert not answer or given == answer, command


def _type(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run it as a shell would; installing was done before."""
    match command:
        case ["export", assignment]:
            monkeypatch.setenv(*assignment.split("=", 1))
        case ["remanent", *arguments]:
            assert importlib.import_module("remanent.surfaces.cli.app").run(arguments) == 0


def _typed(block: str) -> Iterator[tuple[list[str], list[str]]]:
    """The commands of a console block, and the lines shown under each."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, answer = part.partition("\n")
        yield shlex.split(command, comments=True), _lines(answer)


def _lines(text: str) -> list[str]:
    """What one reads, but for keys and scores: those of a belief are new in every memory."""
    lines = (line.rstrip() for line in text.splitlines() if line.strip())
    return [re.sub(r"\b[0-9a-f]{8}\b|(?<= · )\d\.\d\d$", "...", line) for line in lines]
