"""Word lists: data that rules and minds read, kept as text files beside them."""

from __future__ import annotations

from importlib.resources import files


def lines_of(package: str, file: str) -> list[str]:
    """The lines of a file of that package."""
    return files(package).joinpath(file).read_text("utf-8").splitlines()


def word_lists(package: str, file: str = "words.txt") -> dict[str, frozenset[str]]:
    """Lists of words by their names: `name: word word`, and on in lines that are indented. Lines that begin
    with # are for people."""
    lists: dict[str, frozenset[str]] = {}
    name = ""
    for line in lines_of(package, file):
        if line.startswith("#"):
            continue
        if not line.startswith(" "):
            name, _, line = line.partition(":")
        lists[name] = lists.get(name, frozenset()) | set(line.split())
    return lists
