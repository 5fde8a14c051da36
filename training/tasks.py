"""Tasks of the reader: our batches of pairs, notes and talks turned into token labels.

A *source* is a note (one turn, told by its owner) or a talk. Its tokens are ``[CLS]``, then for
every turn the speaker's name, a colon, the words and ``[SEP]``; the owner of a note is called
``me``. Surfaces are found as whole words, in exact case, as ``check.py`` counts them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from training import labels

CLS, SEP = 101, 102
MAX_TOKENS = 480
IGNORED = -100
"""Label of a token that no loss looks at."""
Span = tuple[int, int]


@dataclass(frozen=True)
class Pair:
    """Pair of statements: one believed, one that comes later, and what it does to the first."""

    old: str
    new: str
    label: str
    batch: str


@dataclass
class Text:
    """Text of a source as tokens, with the way back to the characters of each turn."""

    numbers: list[int] = field(default_factory=list)
    cases: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    offsets: list[Span] = field(default_factory=list)
    glued: list[bool] = field(default_factory=list)
    """Whether a token goes on with the word of the token before it."""
    speakers: dict[int, Span] = field(default_factory=dict)


@dataclass
class Source:
    """Source with its labels, as the reader is asked for them."""

    batch: str
    text: Text
    words: list[str]
    speakers: list[str]
    mentions: list[int] = field(default_factory=list)
    keeps: list[int] = field(default_factory=list)
    drops: list[int] = field(default_factory=list)
    refs: list[int] = field(default_factory=list)
    spans: list[tuple[Span, str]] = field(default_factory=list)
    """Candidates that a reference can mean: a span of tokens and the key it stands for."""
    links: list[tuple[Span, str]] = field(default_factory=list)
    """References: the span of the pronoun or description, and the key it means."""
    facts: list[tuple[Span, str, str]] = field(default_factory=list)
    """Statements worth keeping: span, kind and the key of the subject."""
    dropped: list[tuple[Span, str]] = field(default_factory=list)
    relations: list[tuple[int, str, str, str, dict[str, Any]]] = field(default_factory=list)
    """Relations: turn, key a, key b, class, and start, end, attitude, proximity, over."""


def tokenizer(path: Path) -> Tokenizer:
    """Load the tokenizer, without padding and cutting."""
    loaded = Tokenizer.from_file(str(path))
    loaded.no_padding()
    loaded.no_truncation()
    return loaded


def case_of(word: str) -> int:
    """Give the case class of a word: 0 lower or none, 1 Title, 2 CAPITALS, 3 mixed."""
    letters = [c for c in word if c.isalpha()]
    if not letters or all(c.islower() for c in letters):
        return 0
    if letters[0].isupper() and all(not c.isupper() for c in letters[1:]):
        return 1
    return 2 if all(c.isupper() for c in letters) else 3


def tokens(tok: Tokenizer, text: str) -> tuple[list[int], list[int], list[Span]]:
    """Give the token numbers of a text, the case class and the characters of each."""
    found = tok.encode(text, add_special_tokens=False)
    bounds = [(m.start(), m.end(), case_of(m.group())) for m in re.finditer(r"\w+", text)]
    cases, at = [], 0
    for start, _ in found.offsets:
        while at < len(bounds) and bounds[at][1] <= start:
            at += 1
        cases.append(bounds[at][2] if at < len(bounds) and bounds[at][0] <= start else 0)
    return list(found.ids), cases, list(found.offsets)


def encoded(tok: Tokenizer, turns: Iterable[tuple[str, str]]) -> Text:
    """Give the tokens of a source, turn by turn, cut at the most that the reader takes."""
    out = Text([CLS], [0], [-1], [(-1, -1)], [False])
    for number, (speaker, words) in enumerate(turns):
        head, head_cases, _ = tokens(tok, f"{speaker}:")
        ids, cases, offsets = tokens(tok, words)
        if len(out.numbers) + len(head) + len(ids) + 1 > MAX_TOKENS:
            break
        start = len(out.numbers)
        out.speakers[number] = (start, start + max(1, len(head) - 1))
        out.numbers += [*head, *ids, SEP]
        out.cases += [*head_cases, *cases, 0]
        out.turns += [number] * (len(head) + len(ids)) + [-1]
        out.offsets += [*[(-1, -1)] * len(head), *offsets, (-1, -1)]
        joined = [_goes_on(words, a, b) for a, b in pairwise([(-1, -1), *offsets])]
        out.glued += [*[False] * len(head), *joined, False]
    return out


def _goes_on(words: str, before: Span, at: Span) -> bool:
    """Say whether a token goes on with the word of the token before it ("month-end" is one)."""
    if before[1] != at[0] or at[0] == 0:
        return False
    last, first = words[at[0] - 1], words[at[0]]
    after = words[at[1] : at[1] + 1]
    joint = first == "-" and last.isalnum() and after.isalnum()
    return joint or (first.isalnum() and (last.isalnum() or last == "-"))


def occurrences(surface: str, text: str) -> list[Span]:
    """Give where a surface stands in a text as whole words, in exact case."""
    left = r"(?<!\w)" if re.match(r"\w", surface) else ""
    right = r"(?!\w)" if re.search(r"\w$", surface) else ""
    return [m.span() for m in re.finditer(left + re.escape(surface) + right, text)]


def token_span(text: Text, turn: int, chars: Span) -> Span | None:
    """Give the tokens of a turn that the characters cover, or nothing if they were cut off."""
    inside = [
        i
        for i, (number, (start, end)) in enumerate(zip(text.turns, text.offsets, strict=True))
        if number == turn and start >= 0 and start < chars[1] and end > chars[0]
    ]
    return (inside[0], inside[-1] + 1) if inside else None


PRONOUNS = frozenset(
    [
        "i",
        "me",
        "my",
        "mine",
        "myself",
        "you",
        "your",
        "yours",
        "yourself",
        "u",
        "ur",
        "he",
        "him",
        "his",
        "himself",
        "she",
        "her",
        "hers",
        "herself",
        "it",
        "its",
        "itself",
        "we",
        "us",
        "our",
        "ours",
        "ourselves",
        "they",
        "them",
        "their",
        "theirs",
        "themselves",
        "this",
        "that",
        "these",
        "those",
        "who",
        "whom",
        "whose",
        "which",
        "one",
        "ones",
        "both",
        "all",
        "here",
        "there",
        "then",
        "everyone",
        "everybody",
        "somebody",
        "someone",
        "em",
        "y'all",
        "yous",
        "ya",
    ]
)
_LEAD = re.compile(
    r"(?:my|our|your|his|her|their|its|the|a|an|this|that|these|those)\s+", re.IGNORECASE
)
_DATE_LEAD = re.compile(
    r"(?:in|on|by|since|until|till|at|for|from|of|to|around|about|before|after|during|the)\s+",
    re.IGNORECASE,
)
_ROLE_LEAD = re.compile(
    r"(?:(?!in |from |of |at |with |who |on |and |for )[^\W\dA-Z_][\w'’-]*,?\s+){1,3}(?=[A-Z]\w)"
)


_MINE = re.compile(r"\b(?:my|our)\s+$", re.IGNORECASE)


def lead(surface: str, kind: str) -> int:
    """Give how many characters stand before the core of a mention.

    Authors differ in whether an article, a possessive or a preposition belongs to a mention, and
    in whether "my son Kreeson" is one mention or two. The core is what they agree on.
    """
    at = 0
    pattern = _DATE_LEAD if kind == "date" else _LEAD
    while found := pattern.match(surface, at):
        at = found.end()
    if kind == "person" and (found := _ROLE_LEAD.match(surface, at)):
        at = found.end()
    return at if at < len(surface) else 0


def role_of(surface: str) -> Span | None:
    """Give where the role stands in "my son Kreeson", or nothing where there is no role."""
    start = 0
    while found := _LEAD.match(surface, start):
        start = found.end()
    role = _ROLE_LEAD.match(surface, start)
    if not role:
        return None
    return start, start + len(role.group().rstrip(" ,"))


class _Reading:
    """Reading of one JSON row into a source with labels."""

    def __init__(self, row: dict[str, Any], batch: str, tok: Tokenizer) -> None:
        self.row, self.talk = row, "turns" in row
        turns = [tuple(t) for t in row["turns"]] if self.talk else [("me", row["text"])]
        self.owner = row.get("owner", "")
        self.kinds = {e[0]: e[1] for _, e in self.entries("mentions")}
        self.out = Source(
            batch, encoded(tok, turns), [words for _, words in turns], [who for who, _ in turns]
        )

    def entries(self, name: str) -> Iterator[tuple[int, list[Any]]]:
        """Give the entries of a list with the number of their turn taken off."""
        for entry in self.row.get(name, []):
            yield (entry[0], entry[1:]) if self.talk else (0, entry)

    def found(self, turn: int, surface: str, nth: int | None, skip: int = 0) -> list[Span]:
        """Give the token spans of a surface in a turn, all of them or the one meant."""
        if turn >= len(self.out.words):
            return []
        places = occurrences(surface, self.out.words[turn])
        if nth is not None:
            places = places[nth - 1 : nth]
        cores = ((start + skip, end) for start, end in places)
        spans = (token_span(self.out.text, turn, core) for core in cores)
        return [span for span in spans if span]

    def key(self, name: str) -> str:
        """Give the key that a name stands for: the owner by one key, however called."""
        if name in {"owner", self.owner}:
            return "owner"
        return name[lead(name, self.kinds.get(name, "person")) :]

    def read(self) -> Source:
        """Read all lists."""
        out = self.out
        size = len(out.text.numbers)
        blank = [0 if at[0] >= 0 else IGNORED for at in out.text.offsets]
        out.mentions, out.keeps, out.drops, out.refs = (list(blank) for _ in range(4))
        for number, span in out.text.speakers.items():
            speaker = out.speakers[number]
            out.spans.append((span, "owner" if speaker == "me" else self.key(speaker)))
        self._mentions()
        self._refs()
        self._worth()
        self._relations()
        assert len(out.mentions) == size
        return out

    def _mentions(self) -> None:
        """Label mentions, longer surfaces first, so that a part never hides the whole."""
        entries = sorted(self.entries("mentions"), key=lambda e: -len(e[1][0]))
        for turn, (surface, kind, *nth) in entries:
            skip = lead(surface, kind)
            for span in self.found(turn, surface, nth[0] if nth else None, skip):
                if any(self.out.mentions[i] > 0 for i in range(*span)):
                    continue
                tag = 1 + 2 * labels.TYPES.index(kind)
                for i in range(*span):
                    self.out.mentions[i] = tag if i == span[0] else tag + 1
                if kind != "date":
                    self.out.spans.append((span, self.key(surface)))

    def _refs(self) -> None:
        for turn, (surface, target, *nth) in self.entries("refs"):
            kind = self.kinds.get(target, "person")
            described = surface.lower() not in PRONOUNS
            skip = lead(surface, kind) if described else 0
            for span in self.found(turn, surface, nth[0] if nth else 1, skip)[:1]:
                self._link(span, self.key(target), kind if described else "")
        for turn, (surface, kind, *nth) in self.entries("mentions"):
            role = role_of(surface) if kind == "person" else None
            if role:
                for whole in self.found(turn, surface[role[0] :], nth[0] if nth else None):
                    words = self.found(turn, surface[role[0] : role[1]], None)
                    for span in [one for one in words if one[0] == whole[0]]:
                        self._link(span, self.key(surface), "person")

    def _link(self, span: Span, key: str, kind: str) -> None:
        """Label a reference; a description ("my sister") is a mention as well as a reference."""
        if any(self.out.refs[i] > 0 for i in range(*span)):
            return
        for i in range(*span):
            self.out.refs[i] = 1 if i == span[0] else 2
        self.out.links.append((span, key))
        if kind and not any(self.out.mentions[i] > 0 for i in range(*span)):
            tag = 1 + 2 * labels.TYPES.index(kind)
            for i in range(*span):
                self.out.mentions[i] = tag if i == span[0] else tag + 1

    def _worth(self) -> None:
        for fact in self.row.get("facts", []):
            for span in self.found(fact.get("t", 0), fact["q"], None)[:1]:
                if any(self.out.keeps[i] > 0 for i in range(*span)):
                    continue
                tag = 1 + 2 * labels.KINDS.index(fact["k"])
                for i in range(*span):
                    self.out.keeps[i] = tag if i == span[0] else tag + 1
                self.out.facts.append((span, fact["k"], self.key(fact["who"])))
        for turn, (words, reason, *_) in self.entries("drop"):
            for span in self.found(turn, words, None)[:1]:
                self.out.dropped.append((span, reason))
                for i in range(*span):
                    self.out.drops[i] = 1 + labels.REASONS.index(reason)

    def _relations(self) -> None:
        for turn, (a, b, words, *more) in self.entries("rels"):
            meant = labels.relation(words, told_of=str(b))
            about = dict(more[0]) if more else {}
            if meant.over:
                about["neg"] = True
            ends = (self.key(b), self.key(a)) if meant.flip else (self.key(a), self.key(b))
            self.out.relations.append((turn, *ends, meant.name, about))
        self._stated_by_roles()

    def _stated_by_roles(self) -> None:
        """Add the ties that "my mum" states: most authors left half of them out of theirs."""
        tied = {frozenset((a, b)) for _, a, b, *_ in self.out.relations}
        for turn, (surface, kind, *_) in self.entries("mentions"):
            name = self.key(surface)
            role = name.lower().split()[-1]
            meant = labels.relation(role, told_of=name)
            if kind != "person" or turn >= len(self.out.words) or meant.name not in labels.ROLES:
                continue
            at = self.out.words[turn].find(name)
            speaker = self.out.speakers[turn]
            whose = "owner" if speaker == "me" else self.key(speaker)
            if at < 0 or not _MINE.search(self.out.words[turn][:at]) or not name.islower():
                continue
            if frozenset((whose, name)) not in tied:
                ends = (name, whose) if meant.flip else (whose, name)
                self.out.relations.append((turn, *ends, meant.name, {}))


def splits(folder: Path) -> dict[str, str]:
    """Give the split of every batch as its brief states it (no brief: train)."""
    out = {}
    for brief in (folder / "briefs").glob("*.md"):
        stated = re.search(r"split:\W*(\w+)", brief.read_text("utf-8"))
        out[brief.stem] = stated.group(1) if stated else "train"
    return out


def rows(folder: Path, kind: str, split: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the rows of all batches of a kind that belong to a split, with the batch's name."""
    of_batch = splits(folder)
    for path in sorted((folder / kind).glob("*.jsonl")):
        if of_batch.get(path.stem, "train") != split:
            continue
        for line in path.read_text("utf-8").splitlines():
            if line.strip():
                yield path.stem, json.loads(line)


def pairs(folder: Path, split: str) -> list[Pair]:
    """Load the pairs of a split."""
    return [
        Pair(row["old"], row["new"], row["label"], batch)
        for batch, row in rows(folder, "pairs", split)
        if row["label"] in labels.JUDGE
    ]


def source(row: dict[str, Any], batch: str, tok: Tokenizer) -> Source:
    """Read one note or talk with its labels."""
    return _Reading(row, batch, tok).read()


def sources(folder: Path, split: str, tok: Tokenizer) -> list[Source]:
    """Load the notes and talks of a split with their labels."""
    return [
        source(row, batch, tok)
        for kind in ("notes", "talks")
        for batch, row in rows(folder, kind, split)
    ]


def pair_tokens(tok: Tokenizer, old: str, new: str, most: int = 160) -> tuple[list[int], list[int]]:
    """Give token numbers and kinds (case class, plus four in the second half) of a pair."""
    first, first_cases, _ = tokens(tok, old)
    second, second_cases, _ = tokens(tok, new)
    first, second = first[:most], second[:most]
    numbers = [CLS, *first, SEP, *second, SEP]
    kinds = [0, *first_cases[:most], 0, *(4 + c for c in second_cases[:most]), 4]
    return numbers, kinds


def messages(folder: Path, split: str) -> list[dict[str, Any]]:
    """Load the messages of a split: ``text``, ``needs`` and what was said ``before``, if anything."""
    return [row for _, row in rows(folder, "messages", split)]


def message_tokens(
    tok: Tokenizer, text: str, before: Sequence[str] = (), most: int = 160
) -> tuple[list[int], list[int]]:
    """Give token numbers and kinds of a message, after the last two turns before it, if any.

    Of a long message the reader sees both ends: a text that was pasted says no more.
    """
    numbers, cases, _ = tokens(tok, text)
    if len(numbers) > most:
        tail = most // 2
        numbers, cases = numbers[:tail] + numbers[-tail:], cases[:tail] + cases[-tail:]
    if not before:
        return [CLS, *numbers, SEP], [0, *cases, 0]
    earlier, earlier_cases, _ = tokens(tok, " ".join(before[-2:]))
    start = [CLS, *earlier[: most // 2], SEP]
    kinds = [0, *earlier_cases[: most // 2], 0, *(4 + case for case in cases), 4]
    return [*start, *numbers, SEP], kinds
