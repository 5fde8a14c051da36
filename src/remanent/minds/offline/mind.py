"""The offline mind as one object behind the port."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.mind import Tools
from remanent.minds.offline.believe import believe, find_beliefs
from remanent.minds.offline.extract import extract
from remanent.minds.offline.judge import judge
from remanent.minds.offline.names import Names, find_names
from remanent.minds.offline.parser import Parser
from remanent.minds.offline.principle import principle
from remanent.minds.offline.relations import relate, write_down
from remanent.minds.offline.rephrase import rephrase
from remanent.minds.offline.stories import describe, gist, tell
from remanent.minds.offline.summarize import clean_pieces, find_topics, summarize
from remanent.minds.offline.voice import Said, sentences


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """A reading and what every task needs of it. Nobody changes it."""

    reading: Reading
    told: list[Said]
    names: Names


class OfflineMind:
    """Reads English with a small parser and word lists; threads may share one.

    Constructing costs nothing: the first text to be parsed loads and checks the pipeline (about a
    second). With an embedder, a summary takes the sentences that are nearest in meaning to all others.

    Args:
        embedder: tells how near sentences are in meaning; without one, or with one that is not on
            this machine, their words do.
        weights: the pipeline's folder, where it is not the installed one.
    """

    def __init__(self, embedder: Embedder | None = None, *, weights: Path | None = None) -> None:
        self._embedder = embedder if embedder is not None and embedder.is_local else None
        self._parser = Parser(weights)
        self._last: _Read | None = None
        self._relating = threading.Lock()
        self._related: tuple[tuple[Reading, tuple[Anchor, ...]], Findings] | None = None

    @property
    def name(self) -> str:
        return "offline/1" if self._embedder is None else f"offline/1+{self._embedder.name}"

    def on(self, errand: OnBehalf) -> OfflineMind:  # noqa: ARG002 - it costs nothing and tells nobody
        """Itself."""
        return self

    def forget(self) -> None:
        """Keep nothing at hand any more of what was read."""
        with self._relating:
            self._last = self._related = None
        self._parser.forget()

    def clean(self, pieces: Sequence[str], content_type: ContentType) -> list[str]:
        """Each piece without fillers and stutters (speech) or stray marks (notes)."""
        return clean_pieces(pieces, content_type)

    def summarize(self, reading: Reading) -> str:
        """The one or two sentences that say most of the text, each with its speaker."""
        return summarize(self._read(reading).told, self._embedder)

    def topics(self, reading: Reading) -> Topics:
        """Keywords from the text's own noun phrases and tags from a fixed list."""
        read = self._read(reading)
        return find_topics(read.told, read.names)

    def extract(self, reading: Reading) -> list[Candidate]:
        """People, entities and concepts, each with what is said of it; never the owner."""
        read = self._read(reading)
        return extract(read.told, read.names)

    def relate(self, reading: Reading, about: Kind, tools: Tools) -> None:
        """Notes in the words of the text and relationships that it states outright."""
        write_down(self._findings(reading, tools.anchors), about, tools)

    def believe(self, text: str, *, owner_names: Sequence[str]) -> BeliefDraft:
        """The sentence that carries the fact; `MindError` when there is no word in the text.

        The subject is a name, the role of somebody known by that only ("my sister" is `sister`), or
        the owner, to whom the owner's things and all other facts belong.
        """
        return believe(self._parser, text, owner_names)

    def beliefs(self, reading: Reading) -> list[BeliefDraft]:
        """Up to twelve lasting statements, those of other speakers told of them by name."""
        read = self._read(reading)
        return find_beliefs(read.told, read.names, reading.owner_names)

    def judge(self, statement: str, believed: Sequence[str]) -> list[Judgement]:
        """By subject, slot and value of each statement; different when in doubt."""
        return judge(self._parser, statement, believed)

    def principle(self, statements: Sequence[str], subject: str) -> str:
        """The thing, deed or field of life that most of them speak of, and in how many."""
        return principle(self._parser, statements, subject)

    def gist(self, reading: Reading) -> str:
        """The one or two sentences worth keeping; none where nobody told of anything."""
        return gist(self._read(reading).told, self._embedder)

    def need(self, message: str, before: Sequence[Turn]) -> Need | None:  # noqa: ARG002
        """No opinion: what it could say is in the rules already."""
        return None

    def rephrase(self, question: str, before: Sequence[Turn]) -> Rephrased:  # noqa: ARG002
        """The statement that would answer it, its bare words, and whom and what it is about."""
        return rephrase(self._parser, question)

    def tell(self, tale: StoryText) -> str:
        """How it began, and its newest chapters, in their own words."""
        return tell(tale)

    def describe(self, name: str, description: str, notes: Sequence[str]) -> str:
        """Up to three sentences of the notes, the newest where they disagree, and of the description so
        far what they leave room for."""
        return describe(self.judge, name, description, notes)

    def _findings(self, reading: Reading, anchors: Sequence[Anchor]) -> Findings:
        """All that the source says of these anchors; three agents ask, and it is found once."""
        asked = (reading, tuple(anchors))
        with self._relating:
            if self._related is None or self._related[0] != asked:
                read = self._read(reading)
                self._related = (asked, relate(read.told, read.names, anchors))
            return self._related[1]

    def _read(self, reading: Reading) -> _Read:
        """The reading taken apart; the last one is kept, for it is asked about many times."""
        last = self._last
        if last is None or last.reading != reading:
            told = sentences(self._parser, reading)
            last = self._last = _Read(reading, told, find_names(told, reading))
        return last
