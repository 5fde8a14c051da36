"""Names that hide what a thing does are not used, and nothing but the clock asks for the time."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
FILES = [
    path
    for home in ("src", "conformance/src", "integrations")
    for path in ROOT.glob(f"{home}/**/*.py")
]
BANNED_FILES = {"utils.py", "helpers.py", "common.py", "manager.py", "base.py", "misc.py"}
BANNED_SUFFIXES = ("Manager", "Helper", "Util", "Utils", "Handler", "Service", "Impl")
# Participles and pictures that say nothing to whoever meets them first. A name is a noun of
# docs/concepts/words.md or a term of the trade; these are neither.
NOUNLESS = """
told said sought asked meant spoken heard passed sifted placed kept
deed deeds errand errands witness rounds tally portion allowance toll
shelf shelve seat stow sift tend tidy draw whom happening happened
carrying carried keeping believing guarding sharing minding telling living
discreet storied vitals renewal bygone lived untold worn wear overnight
"""
RIDDLES = frozenset(NOUNLESS.split())
# Functions and methods may be called by none of these either, with or without underscores.
NOUNLESS_VERBS = """
found given seen one held gone drawn redraw stands stood standing bygones
tells tellings say says hear handed giving asking laid lay forsake parted
retell untell tallied tallies noted pared soil
"""
FUNCTION_RIDDLES = RIDDLES | frozenset(NOUNLESS_VERBS.split())
# A name that callers know: `UserMemory.shelf`.
PUBLIC = {"shelf"}
# Rooms whose functions still have riddles; to be emptied.
EXEMPT_FUNCTIONS: set[str] = set()
TIME = re.compile(
    r"\b(datetime\.now|utcnow|date\.today|time\.time|time_ns|monotonic|perf_counter)\b"
)


def test_no_file_is_named_after_nothing() -> None:
    assert not [path for path in FILES if path.name in BANNED_FILES]


def test_no_class_is_named_after_nothing() -> None:
    for path in FILES:
        for name in re.findall(r"^class (\w+)", path.read_text("utf-8"), re.MULTILINE):
            assert not name.endswith(BANNED_SUFFIXES), f"{path}: {name}"


def rooms_without(exempt: set[str]) -> list[Path]:
    return [path for path in FILES if not exempt & set(path.parts)]


def test_no_file_and_no_class_is_a_riddle() -> None:
    for path in FILES:
        assert path.stem not in RIDDLES, path
        for name in re.findall(r"^class (\w+)", path.read_text("utf-8"), re.MULTILINE):
            assert name.strip("_").lower() not in RIDDLES, f"{path}: {name}"


def test_no_function_is_a_riddle() -> None:
    riddles = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in rooms_without(EXEMPT_FUNCTIONS)
        for name in re.findall(r"^ *(?:async )?def (\w+)", path.read_text("utf-8"), re.MULTILINE)
        if name.strip("_") in FUNCTION_RIDDLES - PUBLIC
    ]

    assert not riddles


def test_only_the_clock_asks_for_the_time() -> None:
    for path in FILES:
        if path.name != "clock.py":
            assert not TIME.search(path.read_text("utf-8")), path


def test_the_library_never_imports_the_benchmarks_or_tests() -> None:
    for path in FILES:
        assert not re.search(
            r"^\s*(from|import) (bench|tests)\b", path.read_text("utf-8"), re.MULTILINE
        )
