"""WordPiece: the tokenizer of the built-in encoders, as BERT (uncased) has it, in plain Python.

It reads the vocabulary of `tokenizer.json` and gives what the package `tokenizers` gives for it, which
brings 45 MB of other packages with it.
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

_UNKNOWN = 100
_LONGEST_WORD = 100
_KEPT_WORDS = 20_000  # of which the pieces are remembered
_PLAIN = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_ODD = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")  # left out of a word, which goes on after it
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)

Word = tuple[str, list[int]]
"""A word as the vocabulary spells it, and the place in the text of each of its characters."""


class Tokens(NamedTuple):
    """The numbers of a text's tokens, and where in the text each begins and ends."""

    ids: list[int]
    offsets: list[tuple[int, int]]


class WordPiece:
    """Cuts texts into pieces of the vocabulary. Threads may share one."""

    def __init__(self, content: bytes) -> None:
        self._numbers: dict[str, int] = json.loads(content)["model"]["vocab"]
        self._pieces = functools.lru_cache(_KEPT_WORDS)(self._cut)

    def encode(self, text: str) -> Tokens:
        """The tokens of a text; nothing in it is a marker, whatever somebody wrote. Marks around it
        are for the caller to add."""
        tokens = Tokens([], [])
        if text.isascii() and not _ODD.search(text):
            for found in _PLAIN.finditer(text.lower()):
                begin = found.start()
                for number, start, end in self._pieces(found.group()):
                    tokens.ids.append(number)
                    tokens.offsets.append((begin + start, begin + end))
        else:
            for word, places in _words(text):
                for number, start, end in self._pieces(word):
                    tokens.ids.append(number)
                    tokens.offsets.append((places[start], places[end - 1] + 1))
        return tokens

    def _cut(self, word: str) -> tuple[tuple[int, int, int], ...]:
        """Number, beginning and end of each piece: the longest that is known, then the longest of what
        is left; a word that is not made of known pieces is one unknown piece."""
        whole = ((_UNKNOWN, 0, len(word)),)
        if len(word) > _LONGEST_WORD:
            return whole
        found: list[tuple[int, int, int]] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""  # no word begins so: marks stand alone
            pieces = ((end, mark + word[start:end]) for end in range(len(word), start, -1))
            known = next((one for one in pieces if one[1] in self._numbers), None)
            if known is None:
                return whole
            found.append((self._numbers[known[1]], start, known[0]))
            start = known[0]
        return tuple(found)


def _words(text: str) -> Iterator[Word]:
    """Lower-case words without accents; marks and ideographs are words of one character."""
    word, places = "", list[int]()
    for place, letter in enumerate(text):
        kind = _kind(letter)
        if kind == "left out":
            continue
        if kind != "letter" and word:
            yield word, places
            word, places = "", []
        if kind == "alone":
            yield from _alone(letter, place)
        elif kind == "letter":
            plain = _plain(letter)
            word += plain
            places += [place] * len(plain)
    if word:
        yield word, places


def _alone(letter: str, place: int) -> Iterator[Word]:
    plain = _plain(letter)
    if plain:
        yield plain, [place] * len(plain)


@functools.lru_cache(4096)
def _plain(letter: str) -> str:
    parts = unicodedata.normalize("NFD", letter)
    return "".join(one for one in parts if unicodedata.category(one) != "Mn").lower()


@functools.lru_cache(4096)
def _kind(letter: str) -> str:
    if letter in "\t\n\r":
        return "space"
    category = unicodedata.category(letter)
    if letter == "\ufffd" or category in ("Cc", "Cf", "Co", "Cs"):
        return "left out"
    if letter.isspace():
        return "space"
    number = ord(letter)
    if any(first <= number <= last for first, last in _IDEOGRAPHS):
        return "alone"
    is_mark = category.startswith("P") or (number < 128 and not letter.isalnum())
    return "alone" if is_mark else "letter"
