"""Word lists: data that rules and minds read, kept as text files beside them."""

from __future__ import annotations

from pkgutil import get_data  # importlib.resources takes ten times as long to load


def lines_of(package: str, file: str) -> list[str]:
    """The lines of a file of that package; those that begin with # are for people."""
    text = (get_data(package, file) or b"").decode("utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def word_lists(package: str, file: str = "words.txt") -> dict[str, frozenset[str]]:
    """Lists of words by their names: `name: word word`, and on in lines that are indented."""
    lists: dict[str, frozenset[str]] = {}
    name = ""
    for line in lines_of(package, file):
        if not line.startswith(" "):
            name, _, line = line.partition(":")
        lists[name] = lists.get(name, frozenset()) | set(line.split())
    return lists
