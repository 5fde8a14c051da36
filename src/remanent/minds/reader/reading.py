"""Reading: what the reader's heads say of a source, in the characters of its turns.

Who or what something is goes by a key: the words of a mention, a speaker's name, or `OWNER`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from remanent.core.blas import one_thread
from remanent.core.dataclasses import dataclass, field
from remanent.core.interruption import checkpoint
from remanent.core.model.belief import OWNER
from remanent.minds.reader import heads
from remanent.minds.reader.labels import KINDS, REASONS, THINGS, TYPES
from remanent.minds.reader.tokens import AUTHOR, Span, Window, windows
from remanent.weights.encoder import Encoder, Floats, encoder, tokenizer

_STOPS: Final = frozenset(".!?…")
_JOINTS: Final = frozenset(
    ("and", "but", "so", "then", "because", "who", "which", "while", "though", "although", "or",
     ",", ";", ":", "–", "—", "-")
)  # fmt: skip
_SLIGHT: Final = frozenset(
    ("of", "the", "a", "an", "s", "in", "on", "at", "to", "and", "my", "our", "his", "her", "-")
)
_OF_WHERE: Final = frozenset(
    ("on", "in", "at", "near", "by", "from", "with", "under", "behind", "opposite", "across")
)
"""What goes on with a statement after a comma: "at the hospital, on the children's ward"."""


_THINGS: Final = [TYPES.index(one) for one in sorted(THINGS)]
_BEARING: Final = frozenset(("person", "organization", "group"))
_OTHERS: Final = frozenset(
    ("he", "him", "his", "himself", "she", "her", "hers", "herself", "you", "your", "yours",
     "yourself")
)  # fmt: skip


_NAME: Final = re.compile(r"(?!user$|human$)[^\W\d_][^\d_]*", re.IGNORECASE)
_LEGAL_FORM: Final = re.compile(
    r"\s+(?:ASA?|A/S|AB|AG|ApS|B\.?V\.?|N\.?V\.?|Co(?:rp)?|GmbH|Inc|KG(?:aA)?|LL[CP]|Ltd|Limited|Oyj?|P[Ll][Cc]|Pt[ey]"
    r"|S\.?A\.?|S\.?A\.?S\.?|SARL|SE|S\.?[Ll]\.?|S\.?p\.?A\.?|S\.?r\.?l\.?)(?!\w)"
)
"""What a company is by law, behind its name and part of it."""
_AFTER_STOP: Final = 0.05
"""Chance of a beginning from which a statement is cut after a full stop; "Dr." is far below it."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What the heads must be sure of, chosen on dev batches (`training.evaluate`)."""

    temperature: float = 1.0
    update: float = 0.9
    same: float = 0.3
    same_both_ways: float = 0.51
    same_certain: float = 0.85
    keep: float = 0.45
    drop: float = 0.25
    relation: float = 0.6
    reference: float = 0.93


THRESHOLDS: Final = Thresholds()


@dataclass(frozen=True, slots=True)
class Place:
    """Characters of a turn."""

    turn: int
    start: int
    end: int

    def within(self, other: Place) -> bool:
        """Whether the other has all of it."""
        return self.turn == other.turn and other.start <= self.start and self.end <= other.end


@dataclass(frozen=True, slots=True)
class Mention:
    """Somebody or something spoken of, or a date. It is `sure` that this is a person, a thing or a concept,
    and `typed` that it is of this type."""

    place: Place
    surface: str
    type: str
    sure: float
    typed: float


@dataclass(frozen=True, slots=True)
class Reference:
    """Pronoun or description, and whom it means."""

    place: Place
    surface: str
    key: str
    sure: float


@dataclass(frozen=True, slots=True)
class Statement:
    """Words worth keeping, of what kind, and whom they are about."""

    place: Place
    kind: str
    subject: str
    sure: float


@dataclass(frozen=True, slots=True)
class Relation:
    """How two stand to each other, as a turn says; `over` if it is denied or has ended."""

    turn: int
    src: str
    dst: str
    name: str
    sure: float
    over: bool
    attitude: int
    proximity: int


@dataclass(slots=True)
class ReadSource:
    """All that was read in a source, in order."""

    mentions: list[Mention] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    worth: dict[int, list[tuple[int, int, float, float]]] = field(default_factory=dict)
    """By turn, the start and end of each token, how likely it is worth keeping and to be dropped."""
    reasons: dict[int, list[str]] = field(default_factory=dict)
    """By turn, why each token should be dropped; "" where it should not."""

    def chances(self, place: Place) -> tuple[float, float]:
        """How likely these characters are worth keeping, and how likely to be dropped, on average."""
        inside = [
            (keep, drop)
            for start, end, keep, drop in self.worth.get(place.turn, ())
            if start < place.end and end > place.start
        ]
        if not inside:
            return 0.0, 1.0
        keeps, drops = zip(*inside, strict=True)
        return sum(keeps) / len(inside), sum(drops) / len(inside)


def load() -> Encoder:
    """The reader's encoder; `DamagedWeights` if its files are gone or altered."""
    return encoder("reader")


def read(
    turns: Sequence[tuple[str | None, str]],
    owners: Collection[str] = (),
    thresholds: Thresholds = THRESHOLDS,
) -> ReadSource:
    """Read turns of (speaker, words); no speaker is the owner, and so is who has one of these names."""
    out, model = ReadSource(), load()
    named = {name.casefold() for name in owners}
    labelled = [(_label(speaker, named), words) for speaker, words in turns]
    for window in windows(tokenizer(), labelled):
        checkpoint()
        (states,) = model.states([(window.numbers, window.kinds)])
        with one_thread():
            _Read(model.heads, states, window, named, thresholds).into(out)
    return out


def _label(speaker: str | None, owners: Collection[str]) -> str:
    """What the reader sees before a turn: the owner's label only where it could be a name, since a
    user id of digits tells it nothing."""
    if speaker is None or (speaker.casefold() in owners and not _NAME.fullmatch(speaker)):
        return AUTHOR
    return speaker


@dataclass(slots=True)
class _Read:
    """One window, read."""

    weights: heads.Heads
    states: Floats
    window: Window
    owners: Collection[str]
    thresholds: Thresholds

    def into(self, out: ReadSource) -> None:
        """Add what this window's own turns say."""
        chances = heads.tagged(self.weights, self.states, self.window)
        mentions = self._mentions(chances["mention"])
        meaning = heads.spans(chances["reference"], self.window)
        offered = [
            (span, self._key(self.window.pieces[piece].speaker))
            for piece, span in self.window.speakers.items()
        ]
        offered += [
            (span, self._key(self.window.surface(span)))
            for span, type_, *_ in mentions
            if type_ != "date" and span not in meaning
        ]
        living = {span for span, type_, *_ in mentions if type_ in {"person", "animal"}}
        living |= set(self.window.speakers.values())
        meant = [(span, *self._referent(span, offered, living)) for span in meaning]
        for span, type_, sure, typed in mentions:
            if self._is_own(span):
                words, place = self.window.surface(span), self._place(span)
                out.mentions.append(Mention(place, words, type_, sure, typed))
        for span, key, sure in meant:
            if self._is_own(span):
                words = self.window.surface(span)
                out.references.append(Reference(self._place(span), words, key, sure))
        self._statements(chances, offered, out)
        self._relations(offered, [(span, key) for span, key, _ in meant], out)
        self._worth(chances, out)

    def _referent(
        self, span: Span, offered: Sequence[tuple[Span, str]], living: Collection[Span]
    ) -> tuple[str, float]:
        """Whom a reference means: nobody speaks of himself as "he", nor to himself as "you", and
        neither is a town."""
        if self.window.surface(span).casefold() in _OTHERS:
            speaker = self._key(self.window.pieces[self.window.turns[span[0]]].speaker)
            offered = [(spot, key) for spot, key in offered if key != speaker and spot in living]
        key, sure = heads.pointed(self.weights, "ref", self.states, span, offered)
        return (key, sure) if sure >= self.thresholds.reference else ("", sure)

    def _key(self, name: str) -> str:
        return OWNER if name == AUTHOR or name.casefold() in self.owners else name

    def _place(self, span: Span) -> Place:
        return Place(*self.window.characters(span))

    def _is_own(self, span: Span) -> bool:
        return self.window.turns[span[0]] >= self.window.own

    def _mentions(self, chances: Floats) -> list[tuple[Span, str, float, float]]:
        """Typed spans without a possessive at their end, joined where a date was split."""
        out: list[tuple[Span, str, float, float]] = []
        for (start, stop), at, typed in heads.typed_spans(chances, self.window):
            end = stop
            while end > start and self._ends_badly(start, end):
                end -= 1
            while start < end - 1 and self._begins_badly(start):
                start += 1
            words = [self.window.word(i) for i in range(start, end)]
            if not any(word.isalnum() and word not in _SLIGHT for word in words):
                continue
            type_ = TYPES[at]
            likes = _THINGS if type_ in THINGS else [at]
            chance = (heads.one_of(chances, (start, end), likes), typed)
            if type_ in _BEARING and (whole := self._with_legal_form(start, end)) > end:
                type_, end = "organization", whole
            if out and type_ == out[-1][1] == "date" and out[-1][0][1] == start:
                out[-1] = ((out[-1][0][0], end), type_, *chance)
            else:
                out.append(((start, end), type_, *chance))
        return out

    def _ends_badly(self, start: int, end: int) -> bool:
        """Whether a span ends in punctuation, in the s of a possessive, or with a small word: "Acme in"."""
        last = self.window.word(end - 1)
        before = self.window.word(end - 2) if end - 2 >= start else ""
        small = before != "" and not self.window.glued[end - 1] and self._is_slight(end - 1)
        return small or not any(c.isalnum() for c in last) or (last == "s" and before in {"'", "’"})

    def _is_slight(self, at: int) -> bool:
        return self.window.word(at) in _SLIGHT and self.window.surface((at, at + 1)).islower()

    def _begins_badly(self, start: int) -> bool:
        """Whether a span begins with punctuation, or with a small word: "in Zürich"."""
        word = self.window.word(start)
        return not any(c.isalnum() for c in word) or self._is_slight(start)

    def _with_legal_form(self, start: int, end: int) -> int:
        """Where a span ends with all of its legal form: "Hansen AS", of which it may have a part."""
        piece = self.window.turns[start]
        words, ends = self.window.pieces[piece].words, [one[1] for one in self.window.offsets]
        forms = (_LEGAL_FORM.match(words, ends[i - 1]) for i in range(end, start, -1))
        form = next((one.end() for one in forms if one is not None), 0)
        while self.window.turns[end] == piece and ends[end] <= form:
            end += 1
        return end

    def _statements(
        self, chances: dict[str, Floats], offered: Sequence[tuple[Span, str]], out: ReadSource
    ) -> None:
        """Runs of tokens worth keeping, cut where a clause begins, unless they should be dropped."""
        dropped = 1 - chances["drop"][:, 0]
        for span in self._runs(chances["keep"], dropped):
            if not self._is_own(span) or dropped[slice(*span)].max() >= self.thresholds.drop:
                continue
            kind, _ = heads.best_type(chances["keep"], span)
            who, _ = heads.pointed(self.weights, "who", self.states, span, offered)
            sure = float(1 - chances["keep"][slice(*span), 0].mean())
            out.statements.append(Statement(self._place(span), KINDS[kind], who, sure))

    def _runs(self, chances: Floats, dropped: Floats) -> list[Span]:
        likely = np.where(dropped >= 0.5, 0, 1 - chances[:, 0]).tolist()
        begins = chances[:, 1::2].sum(1).tolist()
        words = [self.window.word(i) for i in range(len(likely))]
        runs: list[Span] = []
        for i, word in enumerate(words):
            held = likely[i] >= self.thresholds.keep or (
                word not in _STOPS and _is_bridge(likely, words, i)
            )
            if not word or not held:
                continue
            joint = words[i - 1] in _JOINTS or word in _JOINTS
            ended = words[i - 1] in _STOPS and not joint
            cut = begins[i] > (_AFTER_STOP if ended else 0.5)
            if words[i - 1] == "," and word in _OF_WHERE and runs and runs[-1][1] >= i - 1:
                runs[-1], cut = (runs[-1][0], i), False
            cut |= runs[-1:] != [] and self.window.turns[runs[-1][0]] != self.window.turns[i]
            if runs and runs[-1][1] == i and not cut:
                runs[-1] = (runs[-1][0], i + 1)
            else:
                runs.append((i, i + 1))
        glued = [*self.window.glued, False]
        trimmed = [_trimmed(words, glued, run) for run in runs]
        return [one for one in trimmed if sum(w.isalnum() for w in words[slice(*one)]) >= 2]

    def _relations(
        self,
        offered: Sequence[tuple[Span, str]],
        meant: Sequence[tuple[Span, str]],
        out: ReadSource,
    ) -> None:
        for piece in range(self.window.own, len(self.window.pieces)):
            nodes: dict[str, list[Span]] = {}
            for span, key in (*offered, *meant):
                if self.window.turns[span[0]] == piece and span not in nodes.setdefault(key, []):
                    nodes[key].append(span)
            nodes = {key: found for key, found in nodes.items() if found}
            for a, b, name, sure, more in heads.related(self.weights, self.states, nodes):
                if sure >= self.thresholds.relation:
                    over, attitude, proximity = heads.rows(more)
                    out.relations.append(
                        Relation(
                            self.window.pieces[piece].number, a, b, name, sure, over > 0,
                            _figure(attitude), _figure(proximity),
                        )
                    )  # fmt: skip

    def _worth(self, chances: dict[str, Floats], out: ReadSource) -> None:
        keeps, drops = 1 - chances["keep"][:, 0], 1 - chances["drop"][:, 0]
        reasons = chances["drop"].argmax(1)
        for i, (start, end) in enumerate(self.window.offsets):
            place = self.window.turns[i]
            if start < 0 or place < self.window.own:
                continue
            piece = self.window.pieces[place]
            held = (piece.base + start, piece.base + end, float(keeps[i]), float(drops[i]))
            out.worth.setdefault(piece.number, []).append(held)
            reason = "" if reasons[i] == 0 else REASONS[reasons[i] - 1]
            out.reasons.setdefault(piece.number, []).append(reason)


def _figure(raw: float) -> int:
    """An attitude or a proximity from 1 to 5."""
    return int(np.clip(round(raw + 3), 1, 5))


def _is_bridge(likely: Sequence[float], words: Sequence[str], i: int) -> bool:
    """Whether an unlikely token stands between likely ones, nearer than three tokens."""
    back = any(likely[j] >= 0.5 for j in range(max(0, i - 2), i) if words[j])
    ahead = any(likely[j] >= 0.5 for j in range(i + 1, min(len(words), i + 3)) if words[j])
    return back and ahead


def _trimmed(words: Sequence[str], glued: Sequence[bool], run: Span) -> Span:
    """A run without the joints at its ends."""
    start, end = run
    while start < end and words[start] in _STOPS | _JOINTS and not glued[start + 1]:
        start += 1
    while end > start and words[end - 1] in _STOPS | _JOINTS and not glued[end - 1]:
        end -= 1
    return start, end
