"""Packing: the most useful lines that a token budget has room for, none of them twice (SPEC 8)."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from remanent.core.checks import whole
from remanent.core.dataclasses import dataclass, field
from remanent.core.model.keys import canonical_name
from remanent.retrieval.model import Line, Section

Count = Callable[[str], int]

LEAST_BUDGET = 50
MOST_BUDGET = 1_000_000
_LEAST_CUT = 16  # tokens: less of a line is not worth having
_LEAST_CUT_CHARACTERS = 40
_LEAST_WORDS = 3  # fewer words may be in another line by chance
_ELLIPSIS = "…"
_GIVEN_BY = re.compile(r" \(from [^()]*\)")

HEADINGS: Mapping[Section, str] = {
    Section.INSTRUCTIONS: "## Standing instructions",
    Section.OWNER: "## Owner",
    Section.RECENT: "## Recent days",
    Section.STORYLINES: "## Open storylines",
    Section.BELIEFS: "## Core beliefs",
    Section.CALLED_FOR: "## Called for by this message",
}
_BY_WORTH = (
    Section.INSTRUCTIONS,
    Section.OWNER,
    Section.CALLED_FOR,
    Section.BELIEFS,
    Section.STORYLINES,
    Section.RECENT,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRules:
    """What goes into a context, and which part of the budget each section has for itself first.

    What a section leaves goes to the others, the most useful first.
    """

    share_instructions: float = 0.5  # of users who have some
    share_owner: float = 0.2
    share_called_for: float = 0.45
    share_beliefs: float = 0.15
    share_storylines: float = 0.1
    share_recent: float = 0.1

    core_importance: int = 7
    core_confidence: float = 0.3  # effective: what is left of it today
    owner_facts: int = 5
    beliefs_most: int = 20
    recent_days: int = 7  # spec 8
    recent_most: int = 15
    storyline_days: int = 90  # spec 6
    storylines_most: int = 10
    hits_most: int = 30
    hits_from: float = 0.5  # of the best hit's score
    recalled_most: int = 8
    episodes_from: float = 0.30  # similarity, spec 8
    episodes_most: int = 5
    line_characters: int = 400

    def share(self, section: Section) -> float:
        return float(getattr(self, f"share_{section.value}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A line that may go in. `says` is what it tells, for finding doubles; `covers` are the keys of
    the passages that tell the same."""

    section: Section
    key: str
    mark: str
    body: str
    says: str
    covers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    text: str
    tokens: int
    lines: tuple[Line, ...]
    omitted: Mapping[str, int]


def tokens(text: str) -> int:
    """About how many tokens a language model makes of a text, rather too many than too few.

    A word costs one token for every four letters begun, a digit or a mark one each, any other
    character its bytes; blanks between words are free.
    """
    data = text.encode("utf-8", "replace")
    words = data.translate(_APART).split()
    blanks = len(re.findall(b"(?<= ) ", data)) if b"  " in data else 0
    return sum((len(one) + 3) // 4 for one in words) + len(data.translate(None, _FREE)) + blanks


_LETTERS = string.ascii_letters.encode()
_APART = bytes(one if one in _LETTERS else 32 for one in range(256))
_FREE = _LETTERS + bytes({*range(33), 127}.difference(b"\n\t\r"))


def budgeted(
    value: object, least: int = LEAST_BUDGET, most: int = MOST_BUDGET, of: str = "tokens"
) -> int:
    """A budget as asked for, or `InvalidInput`."""
    return whole("budget", value, least, most, of=f"of {of} ")


def on_one_line(text: str, most: int) -> str:
    """The text without line breaks, cut at a word where it is too long: what a source says cannot
    look like a line or heading of ours."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    head = line[: most - 1]
    return _cut_at(line, head.rfind(" ") if " " in head[most // 2 :] else len(head))


def _cut_at(line: str, at: int) -> str:
    """The beginning of a line. It still says whose words it breaks off in, where somebody else gave them:
    no text is so long that it passes for the user's own."""
    given = next((one for one in _GIVEN_BY.finditer(line) if one.end() > at), None)
    head = line[: at if given is None else min(at, given.start())]
    return head.rstrip(" ,;:") + _ELLIPSIS + ("" if given is None else given[0])


def pack(
    pieces: Sequence[Piece], budget: int, rules: ContextRules, count: Count = tokens
) -> Packed:
    """The pieces that fit, best first within each section; `count` of the text never exceeds `budget`."""
    # Headings, and what did not fit at first, are looked at again; each word is between two dashes.
    words = cache(lambda text: f"-{canonical_name(text)}-")
    packing = _Packing(budget=budget, count=cache(count), words=words)
    waiting: dict[Section, list[Piece]] = {section: [] for section in _BY_WORTH}
    for piece in pieces:
        waiting[piece.section].append(piece)
    most = int(rules.share(Section.INSTRUCTIONS) * budget)
    waiting[Section.INSTRUCTIONS] = packing.take(waiting[Section.INSTRUCTIONS], most)
    waiting[Section.OWNER] = [
        *packing.take(waiting[Section.OWNER][:1], budget, cutting=True),
        *waiting[Section.OWNER][1:],
    ]
    for section in _BY_WORTH[1:]:
        allowed = packing.spent + int(rules.share(section) * budget)
        waiting[section] = packing.take(waiting[section], min(allowed, budget))
    for section in sorted(_BY_WORTH, key=Section.OWNER.__eq__):
        waiting[section] = packing.take(waiting[section], budget, cutting=True)
    packing.shrink()
    return packing.packed(waiting)


@dataclass(slots=True, kw_only=True)
class _Packing:
    """What is in so far, and what it costs at most."""

    budget: int
    count: Count
    words: Callable[[str], str]
    spent: int = 0
    admitted: list[tuple[Piece, Line]] = field(default_factory=list)
    _keys: set[str] = field(default_factory=set)
    _covered: set[str] = field(default_factory=set)
    _said: str = "\n"  # a line each
    _dropped: list[Piece] = field(default_factory=list)

    def take(self, pieces: Sequence[Piece], limit: int, *, cutting: bool = False) -> list[Piece]:
        """Let in what fits below `limit`; the pieces that are left over, doubles not among them."""
        left = []
        for piece in pieces:
            if self._is_double(piece):
                continue
            room = limit - self.spent - self._opening(piece.section)
            line = self._line(piece, room, cutting=cutting)
            if line is None:
                left.append(piece)
            else:
                self._admit(piece, line)
                cutting = cutting and not line.is_cut
        return left

    def _opening(self, section: Section) -> int:
        """What the heading costs, if this would be the first line under it."""
        if any(line.section is section for _, line in self.admitted):
            return 0
        return self.count(f"\n\n{HEADINGS[section]}\n")

    def _line(self, piece: Piece, room: int, *, cutting: bool) -> Line | None:
        whole = _written(piece.body, piece.mark)
        cost = self.count(f"{whole}\n")
        if cost <= room:
            return _line(piece, whole, cost)
        if not cutting or room < _LEAST_CUT:
            return None
        short = self._cut(piece, room)
        return None if not short else _line(piece, short, self.count(f"{short}\n"), is_cut=True)

    def _cut(self, piece: Piece, room: int) -> str:
        """As much of the line as fits, or nothing."""
        first = piece.section is Section.OWNER and not self.admitted
        least, most = (1 if first else _LEAST_CUT_CHARACTERS), len(piece.body)
        best = ""
        while least <= most:
            middle = (least + most) // 2
            tried = _written(_cut_at(piece.body, middle), piece.mark)
            if self.count(f"{tried}\n") <= room:
                best, least = tried, middle + 1
            else:
                most = middle - 1
        return best

    def _is_double(self, piece: Piece) -> bool:
        if piece.key in self._keys or piece.key in self._covered or piece.covers & self._keys:
            return True
        words = self.words(piece.says)
        if words == "--":
            return True
        inside = words.count("-") - 1 >= _LEAST_WORDS
        return (words if inside else f"\n{words}\n") in self._said

    def _admit(self, piece: Piece, line: Line) -> None:
        self.spent += self._opening(piece.section) + line.tokens
        self.admitted.append((piece, line))
        self._keys.add(piece.key)
        self._covered |= piece.covers
        self._said += f"{self.words(piece.says)}\n"

    def shrink(self) -> None:
        """Counters need not add up: take lines out again until the whole text fits."""
        while (
            self.admitted and self.count(_text([line for _, line in self.admitted])) > self.budget
        ):
            self._dropped.append(self.admitted.pop()[0])

    def packed(self, waiting: Mapping[Section, Sequence[Piece]]) -> Packed:
        lines = [line for _, line in self.admitted]
        text = _text(lines)
        order = list(Section)
        left = [one for some in waiting.values() for one in some if not self._is_double(one)]
        missing = Counter(one.section.value for one in (*left, *self._dropped))
        return Packed(
            text=text,
            tokens=self.count(text) if text else 0,
            lines=tuple(sorted(lines, key=lambda line: order.index(line.section))),
            omitted=dict(missing),
        )


def _line(piece: Piece, text: str, cost: int, *, is_cut: bool = False) -> Line:
    return Line(
        section=piece.section, key=piece.key, mark=piece.mark, text=text, tokens=cost, is_cut=is_cut
    )


def _written(body: str, mark: str) -> str:
    return f"- {body} [{mark}]"


def _text(lines: Sequence[Line]) -> str:
    """The lines under their headings; a section without lines is not there."""
    blocks = []
    for section, heading in HEADINGS.items():
        under = [line.text for line in lines if line.section is section]
        if under:
            blocks.append("\n".join([heading, *under]))
    return "\n\n".join(blocks)
