"""Who and what the offline mind finds by name; and who is who.

Found spans are compared with annotated ones, without leading articles and titles and without a
trailing possessive. Exact means the same characters, near means any overlap. The annotations of all
files `*.conll*` and `*.annotated` under `ner/` are read: two columns, the last one IOB. A file with
`-DOCSTART-` lines holds whole texts; otherwise every sentence is a note of its own.

GUM annotates all that is spoken of, "the bar" and "you" too. Of its spans only those count that are
written as names; whatever stands in another one, or in one of a class that is neither here nor there
(abstract, time, plant), is neither right nor wrong, for the annotation does not say.
"""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from bench.frame import Report, Row, Setting
from bench.people import measure_resolution
from remanent.core.model.mind_types import Reading
from remanent.core.model.node import Kind
from remanent.core.model.source import ContentType, Passage
from remanent.minds.offline import OfflineMind, lexicon
from remanent.minds.offline.named import Names
from remanent.minds.offline.names import find_names
from remanent.minds.offline.sentences import bounds, sentences
from remanent.minds.reader.reading import read

OWNER = "Reader"
MOMENT = datetime(2024, 1, 1, tzinfo=UTC)
CLASSES = {
    "person": "person",
    "per": "person",
    "location": "location",
    "loc": "location",
    "place": "location",
    "organization": "organization",
    "org": "organization",
    "corporation": "organization",
    "group": "organization",  # bands and teams, in WNUT
    "product": "product",
    "creative-work": "product",
    "event": "event",
    "object": "product",
    "misc": "other",
}
PER_CLASS = ("organization", "location", "product", "event")
UNNAMED = "unnamed"
ARTICLES = lexicon.words("the a an this that our my your his her their its")
JOINING = lexicon.words("of the and for in de la le van von der & 's ’s - . , ' ii iii")
PRONOUNS = lexicon.words("i you he she it we they me my your this that these those who what")
NO_SPACE_BEFORE = re.compile(r"^([,.;:!?%)\]}…]|'s|’s|n't|n’t|'\w{1,2}|''|\.\.\.)$")


class Span(NamedTuple):
    passage: int
    start: int
    end: int
    kind: str


@dataclass
class Text:
    """One note: its passages, and the spans in it that somebody annotated."""

    passages: list[str] = field(default_factory=list)
    gold: list[Span] = field(default_factory=list)


@dataclass
class Tally:
    """How much was found and how much of it is right, spans of one class in one set."""

    right_found: int = 0
    found: int = 0
    right_gold: int = 0
    gold: int = 0

    @property
    def precision(self) -> float:
        return 100 * self.right_found / max(1, self.found)

    @property
    def recall(self) -> float:
        return 100 * self.right_gold / max(1, self.gold)

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def __str__(self) -> str:
        return f"P {self.precision:.1f}  R {self.recall:.1f}  F1 {self.f1:.1f}"


def run(setting: Setting) -> Report:
    rows: list[Row] = []
    notes: list[str] = []
    for name, texts in _sets(setting.need("ner")):
        part = texts[::10] if setting.quick else texts
        found = [_compare(text) for text in part]
        rows += _rows(name, found)
        notes.append(f"{name}: {len(part)} texts, {sum(len(t.gold) for t in part)} spans")
    rows += _dialogues(setting)
    rows += measure_resolution(setting)
    return Report(name="extraction", rows=rows, notes=notes)


# --- annotated texts ---------------------------------------------------------------------------


def _sets(folder: Path) -> Iterator[tuple[str, list[Text]]]:
    for home in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = [*home.rglob("*.conll*"), *home.rglob("*.annotated")]
        texts = [text for file in sorted(files) if file.is_file() for text in _texts(file)]
        if texts:
            yield home.name, texts


def _texts(file: Path) -> Iterator[Text]:
    blocks = [block for block in re.split(r"\n\s*\n", file.read_text("utf-8")) if block.strip()]
    whole = any(block.startswith("-DOCSTART-") for block in blocks)
    everything = not re.search(r"\s[BI]-(abstract|substance)\b", "".join(blocks[:200]))
    text = Text()
    for block in blocks:
        starts = block.startswith("-DOCSTART-")
        if text.passages and (starts or not whole):
            yield text
            text = Text()
        rows = [line.split() for line in block.splitlines() if not line.startswith("-DOCSTART-")]
        rows = [row for row in rows if len(row) >= 2]
        if rows:
            _add(text, rows, all_named=everything)
    if text.passages:
        yield text


def _add(text: Text, rows: Sequence[Sequence[str]], *, all_named: bool) -> None:
    written, places = _joined([row[0] for row in rows])
    number = len(text.passages)
    text.passages.append(written)
    for first, last, label in _runs([row[-1] for row in rows]):
        kind = CLASSES.get(label.casefold(), UNNAMED)
        if not all_named and not _is_name([row[0] for row in rows[first : last + 1]]):
            kind = UNNAMED
        start, end = places[first][0], places[last][1]
        text.gold.append(_trimmed(written, Span(number, start, end, kind)))


def _joined(words: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Words as a person would write them, and where each of them stands."""
    written, places = "", []
    open_quote = False
    for word in words:
        glued = not written or NO_SPACE_BEFORE.match(word) or written[-1] in "([{#@"
        if word == '"':
            glued = glued or open_quote
            open_quote = not open_quote
        elif written.endswith('"') and open_quote:
            glued = True
        written += word if glued else f" {word}"
        places.append((len(written) - len(word), len(written)))
    return written, places


def _runs(tags: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """First and last place and label of every span, in IOB1 and IOB2."""
    start, label = 0, ""
    for place, tag in enumerate([*tags, "O"]):
        mark, _, kind = tag.partition("-")
        if label and (mark != "I" or kind != label):
            yield start, place - 1, label
            label = ""
        if mark in {"B", "I"} and not label:
            start, label = place, kind


def _is_name(words: Sequence[str]) -> bool:
    """Whether a span is written as a name: every word of it that carries meaning has a capital."""
    content = [word for word in words if word.casefold() not in ARTICLES | JOINING]
    if not content or content[0].casefold() in PRONOUNS:
        return False
    return all(word[:1].isupper() for word in content)


def _trimmed(written: str, span: Span) -> Span:
    start, end = span.start, span.end
    skipped = "|".join(re.escape(word) for word in sorted(ARTICLES | lexicon.TITLES, key=len)[::-1])
    opening = re.match(rf"(?:(?:{skipped})\s+)+(?=\S)", written[start:end], re.IGNORECASE)
    start += opening.end() if opening else 0
    closing = re.search(r"(?:['’]s|[\s.,'’\"])+$", written[start:end])
    end -= len(closing.group()) if closing and closing.start() else 0
    return span._replace(start=start, end=end)


# --- comparing ---------------------------------------------------------------------------------


@dataclass
class Compared:
    gold: list[Span]
    mind: list[Span]


def _compare(text: Text) -> Compared:
    reading = _reading([(None, passage) for passage in text.passages], ContentType.TEXT_NOTE)
    found = _by_mind(_names(reading))
    return Compared(text.gold, [_trimmed(text.passages[span.passage], span) for span in found])


def _names(reading: Reading) -> Names:
    known = read([(one.speaker, one.text) for one in reading.passages], reading.owner_names)
    return find_names(sentences(reading, known), known, reading)


def _by_mind(names: Names) -> list[Span]:
    return [
        Span(place.turn, place.start, place.end, one.kind)
        for one in names.named
        for place in one.places
    ]


def _reading(turns: Iterable[tuple[str | None, str]], type_: ContentType) -> Reading:
    passages = tuple(
        Passage(key=f"p{place}", source_key="s", ordinal=place, text=text, speaker=speaker)
        for place, (speaker, text) in enumerate(turns)
    )
    return Reading(content_type=type_, started_at=MOMENT, passages=passages, owner_names=(OWNER,))


def _rows(name: str, compared: Sequence[Compared]) -> Iterator[Row]:
    present = {span.kind for one in compared for span in one.gold} - {UNNAMED}
    entities = frozenset({*PER_CLASS, "other", "group", "project", "animal"})
    wanted = [("people", frozenset({"person"})), ("entities", entities)]
    wanted += [(kind, frozenset({kind})) for kind in PER_CLASS if kind in present]
    for title, kinds in wanted:
        for near in (False, True):
            mind = Tally()
            for one in compared:
                _count(one.gold, one.mind, kinds, mind, near=near)
            how = "near" if near else "exact"
            yield Row(what=f"{name}, {title}, {how}: {mind}", value=mind.f1, unit="F1 %")


def _count(
    gold: Sequence[Span],
    found: Sequence[Span],
    kinds: frozenset[str],
    tally: Tally,
    *,
    near: bool,
) -> None:
    """Any of `kinds` is right where any of `kinds` is annotated."""
    unsaid = [span for span in gold if span.kind == UNNAMED]
    asked = [span for span in gold if span.kind in kinds]
    given = [
        span
        for span in found
        if span.kind in kinds and (_met(span, asked) or not _met(span, unsaid))
    ]
    tally.gold += len(asked)
    tally.found += len(given)
    tally.right_gold += sum(_met(span, given, near=near) for span in asked)
    tally.right_found += sum(_met(span, asked, near=near) for span in given)


def _met(span: Span, others: Iterable[Span], *, near: bool = True) -> bool:
    for other in others:
        if other.passage == span.passage:
            if near and other.start < span.end and span.start < other.end:
                return True
            if (other.start, other.end) == (span.start, span.end):
                return True
    return False


# --- dialogues ---------------------------------------------------------------------------------


def _dialogues(setting: Setting) -> Iterator[Row]:
    """A weak check, for nobody annotated the people of LoCoMo: speakers, and what cannot be one."""
    speakers = found_speakers = people = odd = given = as_people = 0
    known = _given_names(setting)
    for conversation in _conversations(setting):
        talkers = {conversation["speaker_a"], conversation["speaker_b"]}
        sessions = [s for name, s in conversation.items() if re.fullmatch(r"session_\d+", name)]
        common = _lower_words(turn["text"] for session in sessions for turn in session)
        names: dict[str, int] = defaultdict(int)
        for session in sessions:
            turns = [(str(turn["speaker"]), str(turn["text"])) for turn in session]
            reading = _reading(turns, ContentType.CONVERSATION)
            for one in OfflineMind().extract(reading):
                names[one.name] += one.kind is Kind.PERSON
            inside, taken = _given_inside(reading, _by_mind(_names(reading)), known)
            given, as_people = given + inside, as_people + taken
        persons = {name for name, count in names.items() if count}
        speakers += len(talkers)
        found_speakers += len(talkers & persons)
        people += len(persons)
        odd += sum(_is_odd(name, known, common) for name in persons)
    yield Row(
        what="LoCoMo, speakers found as people", value=100 * found_speakers / speakers, unit="%"
    )
    yield Row(
        what=f"LoCoMo, given names inside sentences taken as people ({given})",
        value=100 * as_people / max(1, given),
        unit="%",
    )
    yield Row(
        what=f"LoCoMo, people whose name is a common word ({people} people)",
        value=100 * odd / max(1, people),
        unit="%",
    )


def _conversations(setting: Setting) -> list[Mapping[str, Any]]:
    files = sorted(setting.need("locomo").glob("*.json"))
    found = [one["conversation"] for file in files for one in json.loads(file.read_text("utf-8"))]
    return found[:1] if setting.quick else found


def _given_names(setting: Setting) -> frozenset[str]:
    with setting.need("nicknames", "names.csv").open(encoding="utf-8", newline="") as file:
        return frozenset(row["name1"] for row in csv.DictReader(file))  # not the mind's own list


def _lower_words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in re.findall(r"\b[a-z]{2,}\b", text))


def _is_odd(name: str, known: frozenset[str], common: frozenset[str]) -> bool:
    words = name.casefold().split()
    return words[0] not in known and any(word in common for word in words)


def _given_inside(
    reading: Reading, found: Sequence[Span], known: frozenset[str]
) -> tuple[int, int]:
    """Given names that stand with a capital inside a sentence, and how many are in a person."""
    people: dict[int, list[Span]] = defaultdict(list)
    for span in found:
        if span.kind == "person":
            people[span.passage].append(span)
    places = [
        Span(number, start + word.start(), start + word.end(), "")
        for number, passage in enumerate(reading.passages)
        for start, end in bounds(passage.text)
        for word in re.finditer(r"(?<=\s)[A-Z][a-z]+\b", passage.text[start:end])
        if word.group().casefold() in known
    ]
    return len(places), sum(_met(place, people[place.passage]) for place in places)
