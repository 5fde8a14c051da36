"""Index entries: the text and the vectors by which each kind of thing enters the index.

Embedding is slow: do it outside transactions. What must not leave this machine is given to no embedder
elsewhere: it is found by its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from functools import partial
from typing import Any

from remanent.core import passage_features as marks
from remanent.core import relation, visibility
from remanent.core.dataclasses import dataclass, replace
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor, Note
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.event import REMEMBERED, EventNode
from remanent.core.model.keys import content_hash
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.source import Artifact, Passage, Source
from remanent.core.model.story import Macro, Storyline
from remanent.core.on_behalf import embedder_for, withheld_from
from remanent.core.ports.embedder import Embedder, TextKind
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Entry, Vector

ANCHOR_CHARACTERS = 600  # what an anchor is found by: names first, then the newest notes
ANCHOR_NOTES = 5
ARTIFACT_CHARACTERS = 2000
RELATIONSHIP_NOTES = 50
NOTES_CHARACTERS = 1000  # SPEC 3: a relationship's notes_embedding reads so much of its notes
ALL_NOTES = 1_000_000
NOTES_SUFFIX = "~notes"
TEAM_SUFFIX = "~team"  # of a story as its team is told it
BEFORE_CHARACTERS = 150  # of the passage before, in what is embedded of a passage


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexLine:
    """One text to be found by, and the node it leads to.

    What is embedded is `meant`, where that is not the text itself, and each of its `parts`. Whoever
    reads the node finds it, unless the line names its `readers`. Its words are those of its node, or
    of what it names in `words_of`.
    """

    key: str
    kind: Kind
    text: str
    node: Node
    meant: str = ""
    parts: tuple[str, ...] = ()
    marks: frozenset[str] = frozenset()
    day: date | None = None
    readers: tuple[str, ...] = ()
    words_of: tuple[str, ...] = ()

    @property
    def owners(self) -> tuple[str, ...]:
        """Keys of those in whose words it speaks."""
        return self.words_of or (self.node.key,)


Stale = tuple[IndexLine, Callable[[], None]]


def stale_lines(
    scope: Scope, graph: Graph, keys: Sequence[str], *, at: datetime | None = None
) -> list[Stale]:
    """The lines of those of these anchors and relationships that the index has by another text, or not at
    all; with `at` as if the notes that expired by then were gone.

    Each comes with the call that notes, in the transaction that indexes it, that it now has:
    embedding is the dear part of extraction, and what did not change is not embedded again.
    """
    stale: list[Stale] = []
    nodes: dict[str, Node] = graph.get_many(scope, keys)
    things = graph.relationships_by_key(scope, [key for key in keys if key not in nodes])
    ends = graph.get_many(scope, sorted({one.src for one in things.values()}))
    notes = _newest(scope, graph, list(nodes), at, ANCHOR_NOTES)
    notes |= _newest(scope, graph, list(things), at, RELATIONSHIP_NOTES)
    for key in keys:
        thing = nodes.get(key) or things.get(key)
        if isinstance(thing, Anchor):
            lines = [anchor_line(thing, notes[key])]
        elif isinstance(thing, Relationship) and isinstance(end := ends.get(thing.src), Anchor):
            lines = relationship_lines(thing, notes[key], end)
        else:
            continue
        digest = line_digest(lines)
        if digest != thing.line_digest:
            mark = _mark_anchor if isinstance(thing, Anchor) else _mark_relationship
            once = [_no_mark] * (len(lines) - 1) + [partial(mark, graph, scope, key, digest)]
            stale += zip(lines, once, strict=True)
    return stale


def entries(env: Env, scope: Scope, lines: Sequence[IndexLine]) -> list[Entry]:
    """Entries for these lines, embedded together."""
    private = _private(env, scope, lines)
    hand = embedder_for(env.embedder, scope, "index")
    vectors = iter(_embedded(hand, [line for line in lines if line.key not in private]))
    return [
        Entry(
            key=line.key,
            kind=line.kind,
            owner_key=line.node.key,
            text=line.text,
            vector=None if line.key in private else next(vectors),
            readers=line.readers or line.node.readers,
            team=line.node.team,
            marks=line.marks,
            day=line.day,
            parts=[next(vectors) for _ in ([] if line.key in private else line.parts)],
        )
        for line in lines
    ]


def entry_of(node: Node, text: str, vector: Vector | None, **more: Any) -> Entry:
    """The entry by which a node is found under its own key; `more` as `Entry` has it."""
    kind, readers = more.pop("kind", node.kind), node.readers
    own = {"key": node.key, "kind": kind, "owner_key": node.key}
    return Entry(**own, text=text, vector=vector, readers=readers, **more)


def words_entry(source: Source, words: str) -> Entry:
    """The entry by which a source is found as long as it has no summary."""
    day = source.started_at.date()
    return entry_of(source, words, None, team=source.team, day=day)


def belief_entry(belief: Belief, vector: Vector | None) -> Entry:
    """A belief is found among what is held true, or among what was."""
    kind = Kind.BELIEF if belief.status is BeliefStatus.ACTIVE else Kind.PAST_BELIEF
    return entry_of(belief, belief.statement, vector, kind=kind)


def _embedded(embedder: Embedder, lines: Sequence[IndexLine]) -> list[Vector]:
    """The vectors of all texts of these lines in order, of each its meaning first, then its parts; one batch
    for each kind of text."""
    texts = [
        (kind_of(line), text) for line in lines for text in (line.meant or line.text, *line.parts)
    ]
    found: dict[TextKind, Iterator[Vector]] = {}
    for kind in dict.fromkeys(kind for kind, _ in texts):
        same = [text for other, text in texts if other == kind]
        found[kind] = iter(embedder.embed(same, kind=kind))
    return [next(found[kind]) for kind, _ in texts]


def kind_of(line: IndexLine) -> TextKind:
    """Beliefs, and what was asked to be remembered, are statements; all else is a passage."""
    remembered = isinstance(line.node, EventNode) and line.node.event_type == REMEMBERED
    is_belief = line.kind in (Kind.BELIEF, Kind.PAST_BELIEF)
    return "statement" if is_belief or remembered else "passage"


def _private(env: Env, scope: Scope, lines: Sequence[IndexLine]) -> set[str]:
    """Keys of the lines that the embedder must not be given."""
    owners = {key for line in lines for key in line.owners}
    kept = withheld_from(env.embedder, scope, env.graph, owners)
    here = env.embedder.is_local
    return {
        line.key
        for line in lines
        if not kept.isdisjoint(line.owners) or (not here and visibility.is_private(line.node))
    }


def source_lines(source: Source, passages: Sequence[Passage]) -> list[IndexLine]:
    """The summary under the source's own key, and every passage with who said it."""
    summary = " ".join(part for part in (source.title, source.summary) if part)
    day = source.started_at.date()
    head = [IndexLine(key=source.key, kind=Kind.SOURCE, text=summary, node=source, day=day)]
    among_people = not any(marks.is_assistant(one.speaker) for one in passages)
    return (head if summary else []) + [
        _passage_line(source, passage, before, among_people=among_people)
        for before, passage in zip((None, *passages), passages, strict=False)
    ]


def _passage_line(
    source: Source, passage: Passage, before: Passage | None, *, among_people: bool
) -> IndexLine:
    at = passage.at or source.started_at
    features = marks.marks(passage.text, speaker=passage.speaker, at=at, among_people=among_people)
    parts = () if marks.ASSISTANT in features else marks.parts(passage.text)
    return IndexLine(
        key=passage.key,
        kind=Kind.PASSAGE,
        text=quoted_text(passage),
        node=source,
        meant=in_context(passage, before, at),
        parts=tuple(said_on(passage.speaker, at, part) for part in parts),
        marks=frozenset(features),
        day=at.date(),
    )


def anchor_line(anchor: Anchor, notes: Sequence[Note]) -> IndexLine:
    """Name, other names, description and newest notes of an anchor."""
    called = ", ".join((anchor.name, *anchor.aliases))
    noted = " ".join(note.content for note in notes)
    text = ". ".join(part for part in (called, anchor.description, noted) if part)
    return IndexLine(key=anchor.key, kind=anchor.kind, text=text[:ANCHOR_CHARACTERS], node=anchor)


def relationship_lines(
    relationship: Relationship, notes: Sequence[Note], end: Anchor
) -> list[IndexLine]:
    """Type and words for how it feels under the relationship's key, its notes, newest first, beside it (SPEC 3)."""
    words = relation.words(relationship.kind, relationship.attitude, relationship.proximity)
    feel = f"{relationship.relationship_type}, {words}"
    noted = " ".join(note.content for note in reversed(notes))[:NOTES_CHARACTERS]
    own = (relationship.key,)
    texts = {relationship.key: feel, f"{relationship.key}{NOTES_SUFFIX}": noted}
    return [
        IndexLine(key=key, kind=Kind.RELATIONSHIP, text=text, node=end, words_of=own)
        for key, text in texts.items()
        if text
    ]


def artifact_line(artifact: Artifact, source_key: str | None = None) -> IndexLine:
    """Name, description and the beginning of what was produced, from that source if it is new."""
    text = f"{artifact.name}. {artifact.description} {artifact.output}"[:ARTIFACT_CHARACTERS]
    own = (artifact.key,) if source_key is None else (artifact.key, source_key)
    return IndexLine(key=artifact.key, kind=Kind.ARTIFACT, text=text, node=artifact, words_of=own)


def story_line(story: Storyline | Macro) -> IndexLine:
    """Name and description of a storyline or a macro, for its owner alone."""
    text = ". ".join(part for part in (story.name, story.description) if part)
    return _story_line(story, story.key, text, f"user:{story.user_id}")


def team_line(story: Storyline | Macro) -> IndexLine | None:
    """The same as its team is told it, under a key beside its own; None before it is told."""
    if story.team_id is None or not story.team_description:
        return None
    text = f"{story.inferred('name')}. {story.team_description}"
    return _story_line(story, f"{story.key}{TEAM_SUFFIX}", text, f"team:{story.team_id}")


def _story_line(story: Storyline | Macro, key: str, text: str, reader: str) -> IndexLine:
    """A story that is about to be kept is known by its anchor: all its sources mention that."""
    own = (story.key, story.anchor_key)
    return IndexLine(
        key=key, kind=story.kind, text=text, node=story, readers=(reader,), words_of=own
    )


def story_lines(story: Storyline | Macro) -> list[IndexLine]:
    """All lines that a story is found by."""
    theirs = team_line(story)
    return [story_line(story)] if theirs is None else [story_line(story), theirs]


def quoted_text(passage: Passage, last: int = 0) -> str:
    """A passage as one reads it aloud, or its last characters."""
    text = passage.text[-last:]
    return f"{passage.speaker}: {text}" if passage.speaker else text


def in_context(passage: Passage, before: Passage | None, at: datetime) -> str:
    """A passage as its meaning is taken: who said it and when, and the end of what went before.

    The passage comes first: the built-in embedder reads the beginning of a text most closely.
    """
    text = said_on(passage.speaker, at, passage.text)
    if before is None:
        return text
    return f"{text}\n(after {quoted_text(before, BEFORE_CHARACTERS)})"


def said_on(speaker: str | None, at: datetime, text: str) -> str:
    """Who said it, when, and what."""
    day = f"{at.day} {at:%B %Y}"
    return f"{speaker} said on {day}: {text}" if speaker else f"On {day}: {text}"


def line_digest(lines: Sequence[IndexLine]) -> str:
    return content_hash("\x1f".join(line.text for line in lines))[:16]


def _newest(
    scope: Scope, graph: Graph, keys: Sequence[str], at: datetime | None, most: int
) -> dict[str, list[Note]]:
    """The newest notes on each of these; of those that outlast `at`, where it is given."""
    found: dict[str, list[Note]] = {key: [] for key in keys}
    for one in graph.notes(scope, *keys, limit=most if at is None else ALL_NOTES):
        if at is None or one.expires_at is None or one.expires_at > at:
            found[one.on].append(one)
    return {key: notes[-most:] for key, notes in found.items()}


def _no_mark() -> None:
    """The last of a thing's lines says what it now has."""


def _mark_anchor(graph: Graph, scope: Scope, key: str, digest: str) -> None:
    thing = graph.get(scope, key)
    if isinstance(thing, Anchor):
        graph.put(scope, replace(thing, line_digest=digest))


def _mark_relationship(graph: Graph, scope: Scope, key: str, digest: str) -> None:
    thing = graph.relationship(scope, key)
    if thing is not None:
        graph.relate(scope, replace(thing, line_digest=digest))
