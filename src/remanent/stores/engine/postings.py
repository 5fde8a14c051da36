"""The inverted index in memory: which rows of a matrix have which word.

What is here never changes for those who hold it: what grows is a new one, which shares
the old one's memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

_LEAST_LATE: Final = 4096
_SATURATION: Final = 1.2  # of BM25: how soon a repeated word counts no more
_LENGTH: Final = 0.4  # of BM25: how much a long text is held against it
_MARK: Final = "\x1f"  # before a mark, so that no word is taken for one
# What is known of a row beside its words, each a column; `length` is how many it has.
_COLUMNS: Final = {"length": "f4", "thread": "i4", "place": "i4", "day": "f4", "last": "f4"}
ABOUT: Final = np.dtype([*_COLUMNS.items(), ("speaker", "i4")])

Whole = NDArray[np.int64]
Triples = NDArray[np.int32]


class Written(NamedTuple):
    """What a row says: its stems and its marks, each with blanks between, and where it stands.

    Rows of one `thread` follow one another in order of `place`. `day` is the ordinal of a date, `last`
    that of the last day it tells of; `speaker` is who said it, if anybody.
    """

    words: str
    marks: str
    thread: str
    place: int
    day: int | None = None
    last: int | None = None
    speaker: str = ""


class Numbers(dict[str, int]):
    """Numbers words as they come; looking one up numbers it."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


@dataclass(frozen=True, slots=True)
class Postings:
    """The stems and marks of so many rows.

    The sorted part is one run of (row, count) for each stem by number; what came later lies beside it
    unsorted, and joins it when it has grown. `numbers`, `threads` and `speakers` are shared with newer postings
    and may know more than these do.
    """

    numbers: Numbers = field(default_factory=Numbers)
    threads: Numbers = field(default_factory=Numbers)
    speakers: Numbers = field(default_factory=Numbers)
    starts: Whole = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    rows: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    counts: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, dtype=np.float32))
    late: Triples = field(default_factory=lambda: np.empty((0, 3), dtype=np.int32))
    about: NDArray[Any] = field(default_factory=lambda: np.empty(0, dtype=ABOUT))

    def grown(self, written: Sequence[Written], *, more: bool = False) -> Postings:
        """The same with these rows after the last one; with `more` others follow at once."""
        first = len(self.about)
        word_numbers: list[int] = []
        sizes, about = [], []
        for entry in written:
            marks = [_MARK + mark for mark in entry.marks.split()]
            words = entry.words.split() + marks
            word_numbers.extend(map(self.numbers.__getitem__, words))
            sizes.append(len(words))
            thread, speaker = self.threads[entry.thread], self.speakers[entry.speaker]
            days = (np.nan if day is None else day for day in (entry.day, entry.last))
            about.append((len(words) - len(marks), thread, entry.place, *days, speaker))
        rows = np.repeat(np.arange(first, first + len(written)), np.array(sizes, dtype=np.int64))
        span = first + len(written) + 1
        pairs, counts = np.unique(
            np.array(word_numbers, dtype=np.int64) * span + rows, return_counts=True
        )
        late = np.stack([pairs // span, pairs % span, counts], axis=1).astype(np.int32)
        grown = replace(
            self,
            late=np.concatenate([self.late, late]),
            about=np.concatenate([self.about, np.array(about, dtype=ABOUT)]),
        )
        settles = not more and len(grown.late) > max(_LEAST_LATE, len(grown.rows) // 4)
        return grown.ordered(grown.flat()) if settles else grown

    def select(self, rows: Sequence[int]) -> Postings:
        """Only these rows, in this order."""
        wanted = np.array(rows, dtype=np.int64)
        moved = np.full(len(self.about) + 1, -1, dtype=np.int64)
        moved[wanted] = np.arange(len(wanted))
        everything = self.flat()
        everything[:, 1] = moved[everything[:, 1]]
        fewer = replace(self, about=self.about[wanted])
        return fewer.ordered(everything[everything[:, 1] >= 0])

    def of(self, word: str, *, mark: bool = False) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The rows that have this stem, or this mark, and how often."""
        number = self.numbers.get(_MARK + word if mark else word, -1)
        late = self.late[self.late[:, 0] == number]
        start, end = (0, 0)
        if 0 <= number < len(self.starts) - 1:
            start, end = self.starts[number], self.starts[number + 1]
        rows = np.concatenate([self.rows[start:end].astype(np.int64), late[:, 1]])
        return rows, np.concatenate([self.counts[start:end], late[:, 2].astype(np.float32)])

    @property
    def size_bytes(self) -> int:
        """About how much memory it takes."""
        arrays = (self.rows, self.counts, self.late, self.about)
        return sum(one.nbytes for one in arrays) + 100 * len(self.numbers)

    def flat(self) -> Triples:
        """All there is as rows of (stem, row, count)."""
        stems = np.arange(len(self.starts) - 1, dtype=np.int32)
        numbers = np.repeat(stems, np.diff(self.starts))
        settled = np.stack([numbers, self.rows, self.counts.astype(np.int32)], axis=1)
        return np.concatenate([settled, self.late])

    def ordered(self, flat: Triples) -> Postings:
        """The same rows with this as what they say, all of it in the sorted part."""
        flat = flat[np.argsort(flat[:, 0], kind="stable")]
        starts = np.zeros(len(self.numbers) + 1, dtype=np.int64)
        np.cumsum(np.bincount(flat[:, 0], minlength=len(self.numbers)), out=starts[1:])
        return replace(
            self,
            starts=starts,
            rows=flat[:, 1].astype(np.int32),
            counts=flat[:, 2].astype(np.float32),
            late=np.empty((0, 3), dtype=np.int32),
        )


class Having(NamedTuple):
    """The places that have something, each once, and how often."""

    places: NDArray[np.intp]
    often: NDArray[np.float32]


class Scale:
    """BM25 at one scale: of rows, of what is around them, or of whole threads."""

    def __init__(self, lengths: NDArray[np.float32]) -> None:
        self._lengths = lengths
        self._middle = float(np.mean(lengths, dtype=np.float64)) or 1.0
        self._sums = np.zeros(len(lengths), dtype=np.float32)

    def add(self, having: Having, rarity: float | None = None) -> float:
        """Add a word that these places have so often; gives how rare it is, here where nothing is said."""
        places, often = having
        if rarity is None:
            rarity = math.log(1 + (len(self._sums) - len(places) + 0.5) / (len(places) + 0.5))
        gain = np.float32(rarity * (_SATURATION + 1))
        length = _SATURATION * (1 - _LENGTH + _LENGTH * self._lengths[places] / self._middle)
        self._sums[places] += gain * often / (often + length)
        return rarity

    def relative(self) -> NDArray[np.float32]:
        """Over the best: zero stays zero, for a word not there is not a word half there."""
        top = float(self._sums.max())
        return self._sums / np.float32(top) if top > 0 else self._sums
