"""For tests of programs built on Remanent, and of adapters to it: a clock, a mind, an embedder.

`ScriptedMind` says what the test wrote down for it, and something simple otherwise; to `HashEmbedder`, which
has no weights, words that two texts share make them alike. The suites that every adapter has to pass, and
builders of valid things for tests, are a distribution of their own, `remanent-conformance`.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from remanent.clock import SteppedClock
from remanent.core.model.anchor import Anchor
from remanent.core.model.mind_types import (
    BeliefDraft,
    Candidate,
    Findings,
    Judgement,
    OnBehalf,
    Reading,
    StoryText,
    Topics,
)
from remanent.core.model.node import Kind
from remanent.core.model.search import Need, Rephrased
from remanent.core.model.source import ContentType, Turn
from remanent.core.ports.embedder import TextKind
from remanent.core.ports.mind import Tools
from remanent.errors import MindError

__all__ = ["HashEmbedder", "ScriptedMind", "SteppedClock"]

T = TypeVar("T")
_DIMENSIONS: Final = 64


@dataclass(kw_only=True)
class ScriptedMind:
    """Each script is a function, or a mapping from a phrase to what is said when the text holds it.

    `judgements` maps (statement, believed) instead. `asked` fills with the intents asked for, in order.
    """

    name: str = "scripted"
    candidates: Mapping[str, Sequence[Candidate]] | Callable[[Reading], Sequence[Candidate]] = (
        field(default_factory=dict)
    )
    findings: Mapping[str, Findings] | Callable[[Reading, Sequence[Anchor]], Findings] = field(
        default_factory=dict
    )
    drafts: Mapping[str, Sequence[BeliefDraft]] | Callable[[Reading], Sequence[BeliefDraft]] = (
        field(default_factory=dict)
    )
    remembered: Mapping[str, BeliefDraft] | Callable[[str], BeliefDraft | Sequence[BeliefDraft]] = (
        field(default_factory=dict)
    )
    judgements: Mapping[tuple[str, str], Judgement] | Callable[[str, str], Judgement] = field(
        default_factory=dict
    )
    principles: Mapping[str, str] | Callable[[Sequence[str], str], str] = field(
        default_factory=dict
    )
    gists: Mapping[str, str] | Callable[[Reading], str] = field(default_factory=dict)
    tales: Callable[[StoryText], str] | None = None
    descriptions: Callable[[str, str, Sequence[str]], str] | None = None
    needs: Mapping[str, Need] = field(default_factory=dict)
    chances: Mapping[str, float] = field(default_factory=dict)
    rephrasings: Mapping[str, Rephrased] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    errands: list[OnBehalf] = field(default_factory=list)

    def on(self, errand: OnBehalf) -> ScriptedMind:
        """Itself; `errands` fills with what it was sent on."""
        self.errands.append(errand)
        return self

    def clean(self, pieces: Sequence[str], content_type: ContentType) -> list[str]:  # noqa: ARG002
        """The same pieces, without blanks around them."""
        self.asked.append("clean")
        return [piece.strip() for piece in pieces]

    def summarize(self, reading: Reading) -> str:
        """The first sentence."""
        self.asked.append("summarize")
        return re.split(r"(?<=[.!?])\s+", _text(reading).strip())[0]

    def topics(self, reading: Reading) -> Topics:
        """The most frequent words of four letters or more."""
        self.asked.append("topics")
        words = Counter(re.findall(r"[^\W\d_]{4,}", _text(reading).casefold()))
        ranked = tuple(sorted(words, key=lambda word: (-words[word], word)))
        return Topics(keywords=ranked[:10], tags=ranked[:5])

    def extract(self, reading: Reading) -> list[Candidate]:
        """What the script finds in the text; nothing without one."""
        self.asked.append("extract")
        if callable(self.candidates):
            return list(self.candidates(reading))
        return [one for said in _matching(self.candidates, _text(reading)) for one in said]

    def relate(self, reading: Reading, about: Kind, tools: Tools) -> None:
        """Write what `scripted_findings` gives; the agent for people does all of it."""
        self.asked.append("relate")
        if about is not Kind.PERSON:
            return
        kinds = {anchor.name: anchor.kind for anchor in tools.anchors}
        findings = self.scripted_findings(reading, tools.anchors)
        for note in findings.notes:
            if note.anchor in kinds:
                tools.add_note(kinds[note.anchor], note.anchor, note.content, note.lifetime)
        for relation in findings.relations:
            if relation.src in kinds and relation.dst in kinds:
                tools.create_relationship(relation)

    def scripted_findings(self, reading: Reading, anchors: Sequence[Anchor]) -> Findings:
        """What the script finds in the text; nothing without one."""
        if callable(self.findings):
            return self.findings(reading, anchors)
        findings = _matching(self.findings, _text(reading))
        return Findings(
            notes=tuple(note for one in findings for note in one.notes),
            relations=tuple(relation for one in findings for relation in one.relations),
        )

    def believe(self, text: str, *, owner_names: Sequence[str]) -> list[BeliefDraft]:  # noqa: ARG002
        """What the script says of the text, or the text itself as a fact about the owner."""
        self.asked.append("believe")
        if callable(self.remembered):
            said = self.remembered(text)
            return [said] if isinstance(said, BeliefDraft) else list(said)
        drafts = _matching(self.remembered, text)
        if not drafts and not text.strip():
            raise MindError("text: there is nothing to believe in it")
        return drafts or [BeliefDraft(statement=text.strip())]

    def beliefs(self, reading: Reading) -> list[BeliefDraft]:
        """What the script finds in the text; nothing without one."""
        self.asked.append("beliefs")
        if callable(self.drafts):
            return list(self.drafts(reading))
        return [one for said in _matching(self.drafts, _text(reading)) for one in said]

    def judge(self, statement: str, believed: Sequence[str]) -> list[Judgement]:
        """What the script says; otherwise the same only if the words are the same."""
        self.asked.append("judge")
        return [self._judged(statement, one) for one in believed]

    def need_chance(self, message: str, before: Sequence[Turn]) -> float:  # noqa: ARG002
        """What the script says; no opinion without one."""
        return next(iter(_matching(self.chances, message)), 0.5)

    def need(self, message: str, before: Sequence[Turn]) -> Need | None:  # noqa: ARG002
        """What the script says; no opinion without one."""
        self.asked.append("need")
        return next(iter(_matching(self.needs, message)), None)

    def rephrase(self, question: str, before: Sequence[Turn]) -> Rephrased:  # noqa: ARG002
        """What the script says; no other words without one."""
        self.asked.append("rephrase")
        return next(iter(_matching(self.rephrasings, question)), Rephrased())

    def _judged(self, statement: str, believed: str) -> Judgement:
        if callable(self.judgements):
            return self.judgements(statement, believed)
        same = statement.casefold() == believed.casefold()
        usual = Judgement.SAME if same else Judgement.DIFFERENT
        return self.judgements.get((statement, believed), usual)

    def principle(self, statements: Sequence[str], subject: str) -> str:
        """What the script says of the statements, one to a line; nothing without one."""
        self.asked.append("principle")
        if callable(self.principles):
            return self.principles(statements, subject)
        return next(iter(_matching(self.principles, "\n".join(statements))), "")

    def gist(self, reading: Reading) -> str:
        """What the script says of the conversation; nothing without one."""
        self.asked.append("gist")
        if callable(self.gists):
            return self.gists(reading)
        return next(iter(_matching(self.gists, _text(reading))), "")

    def tell(self, tale: StoryText) -> str:
        """What the script says of the story; the first and the last chapter without one."""
        self.asked.append("tell")
        if self.tales is not None:
            return self.tales(tale)
        return " ".join(dict.fromkeys(one.text for one in (tale.chapters[0], tale.chapters[-1])))

    def describe(self, name: str, description: str, notes: Sequence[str]) -> str:
        """What the script says of it; the newest note without one."""
        self.asked.append("describe")
        if self.descriptions is not None:
            return self.descriptions(name, description, notes)
        return notes[-1] if notes else description


def _text(reading: Reading) -> str:
    return "\n".join(passage.text for passage in reading.passages)


def _matching(script: Mapping[str, T], text: str) -> list[T]:
    return [said for phrase, said in script.items() if phrase in text]


class HashEmbedder:
    """Counts words into hashed places. The same in every process and on every machine."""

    @property
    def name(self) -> str:
        """What it is, down to the weights: two embedders of one name give the same vectors."""
        return f"hash-{_DIMENSIONS}"

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        return _DIMENSIONS

    @property
    def scale(self) -> tuple[tuple[float, float], ...]:
        """A cosine means what it says."""
        return ((0.0, 0.0), (1.0, 1.0))

    @property
    def is_local(self) -> bool:
        """Nothing leaves this process."""
        return True

    def embed(
        self,
        texts: Sequence[str],
        *,
        kind: TextKind = "passage",  # noqa: ARG002 - words are words
    ) -> NDArray[np.float32]:
        """One unit vector per text, in order. The same text gives the same vector, of either kind."""
        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.casefold()) or [text]:
                vectors[row, _place(word)] += 1.0
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: NDArray[np.float32] = (vectors / lengths).astype(np.float32)
        return unit


def _place(word: str) -> int:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % _DIMENSIONS
