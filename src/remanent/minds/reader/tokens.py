"""Tokens: a source cut into windows that the reader takes at once, with the way back to its characters.

A window is ``[CLS]``, then for every turn its speaker, a colon, the words and ``[SEP]``. Whoever
writes a note is called ``me``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from remanent.core.dataclasses import dataclass, field
from remanent.weights.encoder import CLS, SEP
from remanent.weights.wordpiece import WordPiece

Span: TypeAlias = tuple[int, int]
NOWHERE: Final = (-1, -1)
AUTHOR: Final = "me"
MOST_TOKENS: Final = 192
"""Of a window's own turns; attention grows with the square."""
MOST_BEFORE: Final = 48
"""Of the turns before them, which are read again so that a pronoun finds whom it means."""
MOST_OF_PAIR: Final = 160
"""Tokens of each of two statements that are judged."""
_WORD: Final = re.compile(r"\w+")
_CUT: Final = re.compile(r"(?<=[.!?…;])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a source, or a piece of a long one that begins at the character `base`."""

    number: int
    speaker: str
    words: str
    base: int = 0


@dataclass(slots=True)
class Window:
    """Turns as tokens. `turns` has for each token the index in `pieces`, -1 between turns; `offsets`
    its characters in that piece; `glued` whether it goes on with the word of the token before."""

    pieces: list[Turn]
    own: int = 0
    """Index of the first piece that was not read before."""
    numbers: list[int] = field(default_factory=lambda: [CLS])
    kinds: list[int] = field(default_factory=lambda: [0])
    turns: list[int] = field(default_factory=lambda: [-1])
    offsets: list[Span] = field(default_factory=lambda: [NOWHERE])
    glued: list[bool] = field(default_factory=lambda: [False])
    speakers: dict[int, Span] = field(default_factory=dict)
    """By piece, the tokens of its speaker's name."""

    def word(self, place: int) -> str:
        """The token in lower case; nothing between turns."""
        start, end = self.offsets[place]
        return "" if start < 0 else self.pieces[self.turns[place]].words[start:end].lower()

    def is_parted(self, place: int) -> bool:
        """Whether a blank line, as below a heading, stands between this token and the one before."""
        words, before = self.pieces[self.turns[place]].words, self.offsets[place - 1][1]
        return words.count("\n", before, self.offsets[place][0]) > 1

    def characters(self, span: Span) -> tuple[int, int, int]:
        """Turn, start and end of a span of tokens, in the characters of the source's turn."""
        piece = self.pieces[self.turns[span[0]]]
        start, end = self.offsets[span[0]][0], self.offsets[span[1] - 1][1]
        return piece.number, piece.base + start, piece.base + end

    def surface(self, span: Span) -> str:
        """The words of a span as they stand in the text."""
        words = self.pieces[self.turns[span[0]]].words
        return words[self.offsets[span[0]][0] : self.offsets[span[1] - 1][1]]


def windows(tok: WordPiece, turns: Iterable[tuple[str, str]]) -> Iterator[Window]:
    """A source as windows, each with the last turns of the one before in front."""
    pieces = [
        (piece, tokens(tok, f"{piece.speaker}:"), tokens(tok, piece.words))
        for number, (speaker, words) in enumerate(turns)
        for piece in _pieces(tok, Turn(number, speaker, words))
    ]
    start = 0
    while start < len(pieces):
        end, size = start, 0
        while end < len(pieces) and (end == start or size + _size(pieces[end]) <= MOST_TOKENS):
            size += _size(pieces[end])
            end += 1
        first, before = start, 0
        while first > 0 and before + _size(pieces[first - 1]) <= MOST_BEFORE:
            before += _size(pieces[first - 1])
            first -= 1
        yield _window(pieces[first:end], start - first)
        start = end


_Encoded: TypeAlias = tuple[list[int], list[int], list[Span]]
_Piece: TypeAlias = tuple[Turn, _Encoded, _Encoded]


def _size(piece: _Piece) -> int:
    return len(piece[1][0]) + len(piece[2][0]) + 1


def _window(pieces: Sequence[_Piece], own: int) -> Window:
    out = Window([one[0] for one in pieces], own)
    for place, (turn, (head, head_kinds, _), (ids, kinds, offsets)) in enumerate(pieces):
        start = len(out.numbers)
        out.speakers[place] = (start, start + max(1, len(head) - 1))
        out.numbers += [*head, *ids, SEP]
        out.kinds += [*head_kinds, *kinds, 0]
        out.turns += [place] * (len(head) + len(ids)) + [-1]
        out.offsets += [*[NOWHERE] * len(head), *offsets, NOWHERE]
        joined = [_goes_on(turn.words, a, b) for a, b in pairwise([NOWHERE, *offsets])]
        out.glued += [*[False] * len(head), *joined, False]
    return out


def _pieces(tok: WordPiece, turn: Turn) -> Iterator[Turn]:
    """The turn, or where it is too long its sentences, as many together as there is room for."""
    room = MOST_TOKENS - len(tok.encode(f"{turn.speaker}:").ids) - 1
    if len(turn.words) <= room:  # a token has at least one character
        yield turn
        return
    base, end, size = 0, 0, 0
    for start, stop, length in _parts(tok, turn.words, room):
        if size + length > room and end > base:
            yield Turn(turn.number, turn.speaker, turn.words[base:end], base)
            base, size = start, 0
        end, size = stop, size + length
    yield Turn(turn.number, turn.speaker, turn.words[base:end], base)


def _parts(tok: WordPiece, words: str, room: int) -> Iterator[tuple[int, int, int]]:
    """Start, end and tokens of each sentence; one that is too long is cut between words."""
    bounds = [0, *(found.end() for found in _CUT.finditer(words)), len(words)]
    for start, end in pairwise(bounds):
        offsets = tok.encode(words[start:end]).offsets
        for first in range(0, len(offsets) or 1, room):
            run = offsets[first : first + room]
            begin = start + (run[0][0] if first else 0)
            last = first + room >= len(offsets)
            yield begin, end if last else start + run[-1][1], len(run)


def tokens(tok: WordPiece, text: str) -> _Encoded:
    """Token numbers of a text, the kind of each (the case of its word) and its characters."""
    # A lone surrogate (half an emoji, out of broken JSON) has no UTF-8: it becomes a "?".
    clean = text.encode("utf-8", "replace").decode("utf-8")
    found = tok.encode(clean)
    bounds = [(m.start(), m.end(), _case(m.group())) for m in _WORD.finditer(clean)]
    kinds, at = [], 0
    for start, _ in found.offsets:
        while at < len(bounds) and bounds[at][1] <= start:
            at += 1
        kinds.append(bounds[at][2] if at < len(bounds) and bounds[at][0] <= start else 0)
    return list(found.ids), kinds, list(found.offsets)


def pair(tok: WordPiece, old: str, new: str) -> tuple[list[int], list[int]]:
    """A believed statement and a later one as token numbers and kinds; the second half has its own."""
    first, first_kinds, _ = tokens(tok, old)
    second, second_kinds, _ = tokens(tok, new)
    first, second = first[:MOST_OF_PAIR], second[:MOST_OF_PAIR]
    later = (4 + kind for kind in second_kinds[:MOST_OF_PAIR])
    return [CLS, *first, SEP, *second, SEP], [0, *first_kinds[:MOST_OF_PAIR], 0, *later, 4]


def _case(word: str) -> int:
    """The case of a word: 0 lower or none, 1 Title, 2 CAPITALS, 3 mixed."""
    letters = [c for c in word if c.isalpha()]
    if not letters or all(c.islower() for c in letters):
        return 0
    if letters[0].isupper() and not any(c.isupper() for c in letters[1:]):
        return 1
    return 2 if all(c.isupper() for c in letters) else 3


def _goes_on(words: str, before: Span, at: Span) -> bool:
    """Whether a token goes on with the word of the token before it ("month-end" is one)."""
    if before[1] != at[0] or at[0] == 0:
        return False
    last, first = words[at[0] - 1], words[at[0]]
    joint = first == "-" and last.isalnum() and words[at[1] : at[1] + 1].isalnum()
    return joint or (first.isalnum() and (last.isalnum() or last == "-"))
