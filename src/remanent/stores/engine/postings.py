"""The inverted index in memory: which rows of a matrix have which word.

What is here never changes for those who hold it: what grows is a new one, which shares
the old one's memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remanent.core.dataclasses import dataclass, field, replace

_SATURATION: Final = 1.2  # of BM25: how soon a repeated word counts no more
_LENGTH: Final = 0.4  # of BM25: how much a long text is held against it
_MOST_OFTEN: Final = 65535  # that a word in a row is counted: it adds nothing long before
_MARK: Final = "\x1f"  # before a mark, so that no word is taken for one
# What is known of a row beside its words, each a column; `length` is how many it has.
_COLUMNS: Final = {"length": "f4", "thread": "i4", "place": "i4", "day": "f4", "last": "f4"}
ABOUT: Final = np.dtype([*_COLUMNS.items(), ("speaker", "i4")])

Whole = NDArray[np.int64]
_NONE: Final = np.empty(0, dtype=np.int32)


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


class Numbered(dict[Any, int]):
    """Numbers names as they come; looking one up numbers it."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[Any] = []

    def __missing__(self, name: Any) -> int:
        number = self[name] = len(self.names)
        self.names.append(name)
        return number

    def of(self, names: Iterable[Any]) -> Whole:
        """The numbers of these, whether they have one yet or not."""
        return np.array([self[name] for name in names], dtype=np.int64)

    def known(self, names: Iterable[Any]) -> list[int]:
        """The numbers of those that have one."""
        return [self[name] for name in names if name in self]


class Runs(NamedTuple):
    """Words by their numbers, in order, and where of each begins what follows: the rows that have it,
    and how often."""

    words: Whole
    starts: Whole
    rows: NDArray[np.int32]
    counts: NDArray[np.uint8 | np.uint16]

    @staticmethod
    def joined(runs: Sequence[Runs], begins: Sequence[int] = ()) -> Runs:
        """These as one, each counting its rows from where it begins; the rows of a word stay in order."""
        words, places = np.unique(np.concatenate([one.words for one in runs]), return_inverse=True)
        sizes = np.concatenate([np.diff(one.starts) for one in runs])
        starts = np.zeros(len(words) + 1, dtype=np.int64)
        np.add.at(starts, places + 1, sizes)
        free = np.cumsum(starts, out=starts)[:-1].copy()
        rows = np.empty(starts[-1], dtype=np.int32)
        counts = np.empty(starts[-1], dtype=np.result_type(*(one.counts for one in runs)))
        for one, begin in zip(runs, begins or [0] * len(runs), strict=True):
            mine, places = places[: len(one.words)], places[len(one.words) :]
            sizes = np.diff(one.starts)
            to = np.repeat(free[mine] - one.starts[:-1], sizes) + np.arange(len(one.rows))
            rows[to], counts[to] = one.rows + np.int32(begin), one.counts
            free[mine] += sizes
        return Runs(words, starts, rows, counts)


def stacked(parts: Sequence[Any], other: Any) -> tuple[Any, ...]:
    """These and another one. None is smaller than the one after it: so there are few, and adding is cheap."""
    stack = [*parts, other]
    while len(stack) > 1 and len(stack[-1].rows) >= len(stack[-2].rows):
        stack[-2:] = [other.joined(stack[-2:])]
    return tuple(stack)


@dataclass(frozen=True, slots=True)
class Postings:
    """The stems and marks of so many rows.

    `numbers`, `threads` and `speakers` are shared with newer postings and may know more than these do.
    """

    numbers: Numbered = field(default_factory=Numbered)
    threads: Numbered = field(default_factory=Numbered)
    speakers: Numbered = field(default_factory=Numbered)
    runs: tuple[Runs, ...] = ()
    about: NDArray[Any] = field(default_factory=lambda: np.empty(0, dtype=ABOUT))

    def grown(self, written: Sequence[Written]) -> Postings:
        """The same with these rows after the last one."""
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
        numbers, starts = np.unique(pairs // span, return_index=True)
        often = np.minimum(counts, _MOST_OFTEN)
        often = often.astype(np.min_scalar_type(often.max(initial=0)))  # a byte each, nearly always
        run = Runs(numbers, np.append(starts, len(pairs)), (pairs % span).astype(np.int32), often)
        added = np.array(about, dtype=ABOUT).view("u1")  # bytes: columns are copied one by one
        every = np.concatenate([self.about.view("u1"), added]).view(ABOUT)
        return replace(self, runs=stacked(self.runs, run), about=every)

    def select(self, rows: NDArray[np.intp]) -> Postings:
        """Only these rows, in this order."""
        moved = np.full(len(self.about) + 1, -1, dtype=np.int32)
        moved[rows] = np.arange(len(rows))
        runs = []
        for run in self.runs:
            places = moved[run.rows]
            there = places >= 0
            starts = np.concatenate([[0], np.cumsum(there)])[run.starts]
            used = np.append(np.diff(starts) > 0, True)  # of a word that is gone nothing stays
            words, starts = run.words[used[:-1]], starts[used]
            runs.append(Runs(words, starts, places[there], run.counts[there]))
        return replace(self, runs=tuple(runs), about=self.about[rows])

    def of(self, word: str, *, mark: bool = False) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The rows that have this stem, or this mark, and how often."""
        number = self.numbers.get(_MARK + word if mark else word, -1)
        found = []
        for run in self.runs if number >= 0 else ():
            place = run.words.searchsorted(number)
            if place < len(run.words) and run.words[place] == number:
                start, end = run.starts[place : place + 2]
                found.append((run.rows[start:end], run.counts[start:end]))
        if len(found) == 1:
            ((rows, counts),) = found
        else:
            rows = np.concatenate([_NONE, *(one for one, _ in found)])
            counts = np.concatenate([_NONE, *(one for _, one in found)])
        return rows.astype(np.int64), counts.astype(np.float32)

    @property
    def size_bytes(self) -> int:
        """About how much memory it takes."""
        arrays = (self.about, *(array for run in self.runs for array in run))
        return sum(one.nbytes for one in arrays) + 100 * len(self.numbers)


class Having(NamedTuple):
    """The places that have something, each once, and how often."""

    places: NDArray[np.intp]
    often: NDArray[np.float32]


class Found(NamedTuple):
    """Some words at once: where they are, word by word, and how often; `words` has the number of each."""

    words: NDArray[np.intp]
    places: NDArray[np.intp]
    often: NDArray[np.float32]
    asked: int

    @staticmethod
    def of(words: Sequence[Having]) -> Found:
        """These, in their order."""
        numbers = np.repeat(np.arange(len(words)), [len(one.places) for one in words])
        places, often = (np.concatenate(column) for column in zip(*words, strict=True))
        return Found(numbers, places, often, len(words))

    @staticmethod
    def dense(total: NDArray[np.float32], asked: int) -> Found:
        """Those that come to anything, of the totals of each word at each place."""
        at = np.flatnonzero(total > 0)
        size = len(total) // asked
        words = at // size
        return Found(words, at - words * size, total[at], asked)


class Scale:
    """BM25 at one scale: of rows, of what is around them, or of whole threads."""

    def __init__(self, lengths: NDArray[np.float32]) -> None:
        self._lengths = lengths
        self._middle = float(lengths.sum(dtype=np.float64)) / len(lengths) or 1.0
        self._sums = np.zeros(len(lengths), dtype=np.float32)

    def add(self, found: Found, rarities: Sequence[float] | None = None) -> Sequence[float]:
        """Add words that these places have so often; gives how rare each is, here where nothing is said."""
        words, places, often, asked = found
        if rarities is None:
            size = len(self._sums)
            having = np.bincount(words, minlength=asked).tolist()
            rarities = [math.log(1 + (size - one + 0.5) / (one + 0.5)) for one in having]
        gain = np.array([one * (_SATURATION + 1) for one in rarities], dtype=np.float32)[words]
        length = _SATURATION * (1 - _LENGTH + _LENGTH * self._lengths[places] / self._middle)
        np.add.at(self._sums, places, gain * often / (often + length))
        return rarities

    def relative(self) -> NDArray[np.float32]:
        """Over the best: zero stays zero, for a word not there is not a word half there."""
        top = float(self._sums.max())
        return self._sums / np.float32(top) if top > 0 else self._sums
