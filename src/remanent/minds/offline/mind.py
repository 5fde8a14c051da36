"""The offline mind as one object behind the port."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from remanent.core.dataclasses import dataclass
from remanent.core.later import later
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
)  # fmt: skip
from remanent.core.model.node import Kind
from remanent.core.model.search import Need, Rephrased
from remanent.core.model.source import ContentType, Passage, Turn
from remanent.core.ports.mind import Tools
from remanent.minds.reader.recent import RecentReadings

if TYPE_CHECKING:
    from remanent.minds.offline import (
        believe,
        extract,
        names,
        principle,
        relations,
        rephrase,
        sentences,
        stories,
        summarize,
    )  # fmt: skip
    from remanent.minds.offline.named import Names
    from remanent.minds.offline.sentences import Sentence
    from remanent.minds.reader import judge, need
    from remanent.minds.reader.reading import ReadSource
else:
    believe = later("remanent.minds.offline.believe")
    extract = later("remanent.minds.offline.extract")
    names = later("remanent.minds.offline.names")
    principle = later("remanent.minds.offline.principle")
    relations = later("remanent.minds.offline.relations")
    rephrase = later("remanent.minds.offline.rephrase")
    sentences = later("remanent.minds.offline.sentences")
    stories = later("remanent.minds.offline.stories")
    summarize = later("remanent.minds.offline.summarize")
    judge = later("remanent.minds.reader.judge")
    need = later("remanent.minds.reader.need")

NAME: Final = "offline/2"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_KEPT_CHARACTERS: Final = 400_000
"""How much text that was read is kept at hand: some hundred conversations, from processing to extraction."""
_MOST_CHARACTERS: Final = 50_000
"""How much of one passage is read."""


@dataclass(frozen=True, slots=True, eq=False)
class _Understood:
    """A reading and what every task needs of it. Nobody changes it."""

    reading: Reading
    read: ReadSource
    sentences: list[Sentence]
    names: Names


class OfflineMind:
    """Reads English with a trained encoder and a few rules over its heads; threads may share one.

    Constructing costs nothing: the first text loads and verifies the weights.
    """

    name: str = NAME

    def __init__(self) -> None:
        self._last: _Understood | None = None
        self._recent = RecentReadings(_KEPT_CHARACTERS)
        self._relating = threading.Lock()
        self._related: tuple[tuple[Reading, tuple[Anchor, ...]], Findings] | None = None

    def on(self, errand: OnBehalf) -> OfflineMind:  # noqa: ARG002 - it costs nothing and tells nobody
        """Itself."""
        return self

    def forget(self) -> None:
        """Keep nothing at hand any more of what was read."""
        with self._relating:
            self._last = self._related = None
        self._recent.clear()

    def clean(self, pieces: Sequence[str], content_type: ContentType) -> list[str]:
        """Each piece without fillers and stutters (speech) or stray marks (notes)."""
        return summarize.clean_pieces(pieces, content_type)

    def summarize(self, reading: Reading) -> str:
        """The one or two sentences that say most of the text, each with its speaker."""
        return summarize.summarize(self._understood(reading).sentences)

    def topics(self, reading: Reading) -> Topics:
        """Keywords from the text's own words and names, and tags from a fixed list."""
        found = self._understood(reading)
        return summarize.find_topics(found.sentences, found.names)

    def extract(self, reading: Reading) -> list[Candidate]:
        """People, entities and concepts, each with what is said of it; never the owner."""
        found = self._understood(reading)
        return extract.extract(found.sentences, found.names, found.reading)

    def relate(self, reading: Reading, about: Kind, tools: Tools) -> None:
        """Notes in the words of the text and relationships that it states outright."""
        relations.write_down(self._findings(reading, tools.anchors), about, tools)

    def believe(self, text: str, *, owner_names: Sequence[str]) -> list[BeliefDraft]:
        """Its sentences, each to be read alone; `MindError` when there is no word in the text.

        The subject is a name, the role of somebody known by that only ("my sister" is `sister`), or
        the owner, to whom the owner's things and all other facts belong.
        """
        bare = believe.without_lead_in(text)
        passage = Passage(key="", source_key="", ordinal=0, text=bare)
        reading = Reading(
            content_type=ContentType.TEXT_NOTE,
            started_at=_EPOCH,
            passages=(passage,),
            owner_names=tuple(owner_names),
        )
        found = _understand(reading, RecentReadings(_KEPT_CHARACTERS))
        return believe.believe(bare, found.sentences, found.read, found.names)

    def beliefs(self, reading: Reading) -> list[BeliefDraft]:
        """Lasting statements, those of other speakers told of them by name."""
        found = self._understood(reading)
        return believe.find_beliefs(found.read, found.names, found.reading)

    def judge(self, statement: str, believed: Sequence[str]) -> list[Judgement]:
        """As the trained judge says when it is sure; in doubt it says that."""
        return judge.judge(statement, believed)

    def principle(self, statements: Sequence[str], subject: str) -> str:
        """The thing or field of life that most of them speak of, and in how many."""
        return principle.principle(statements, subject)

    def gist(self, reading: Reading) -> str:
        """The one or two sentences worth keeping; none where nobody told of anything."""
        return summarize.gist(self._understood(reading).sentences)

    def need_chance(self, message: str, before: Sequence[Turn]) -> float:
        """As the trained head says."""
        return need.need_chance(message, [turn.text for turn in before])

    def need(self, message: str, before: Sequence[Turn]) -> Need | None:  # noqa: ARG002
        """No opinion: what it could say is in the chance already."""
        return None

    def rephrase(self, question: str, before: Sequence[Turn]) -> Rephrased:  # noqa: ARG002
        """The statement that would answer it, its bare words, and whom and what it is about."""
        return rephrase.rephrase(question)

    def tell(self, tale: StoryText) -> str:
        """How it began, and its newest chapters, in their own words."""
        return stories.tell(tale)

    def describe(self, name: str, description: str, notes: Sequence[str]) -> str:
        """Up to three sentences of the notes, the newest where they disagree, and of the description so
        far what they leave room for."""
        return stories.describe(self.judge, name, description, notes)

    def _findings(self, reading: Reading, anchors: Sequence[Anchor]) -> Findings:
        """All that the source says of these anchors; three agents ask, and it is found once."""
        asked = (reading, tuple(anchors))
        with self._relating:
            if self._related is None or self._related[0] != asked:
                found = self._understood(reading)
                drawn = relations.relate(
                    found.sentences, found.read, found.names, found.reading, anchors
                )
                self._related = (asked, drawn)
            return self._related[1]

    def _understood(self, reading: Reading) -> _Understood:
        """The reading taken apart; the last one is kept, for it is asked about many times."""
        last = self._last
        if last is None or last.reading != reading:
            last = self._last = _understand(reading, self._recent)
        return last


def _understand(reading: Reading, recent: RecentReadings) -> _Understood:
    turns = tuple((one.speaker, one.text[:_MOST_CHARACTERS]) for one in reading.passages)
    known = recent.read(turns, reading.owner_names if reading.owner_speaks else ())
    spoken = sentences.sentences(reading, known)
    return _Understood(reading, known, spoken, names.find_names(spoken, known, reading))
