"""Findable: how each kind of thing enters the index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial

from remanent.model.anchor import Anchor, Note
from remanent.model.keys import content_hash
from remanent.model.node import Kind, Node
from remanent.model.relationship import Relationship
from remanent.model.scope import Scope
from remanent.model.source import Passage, Source
from remanent.model.story import Macro, Storyline
from remanent.ports.embedder import Embedder
from remanent.ports.graph import Graph
from remanent.ports.index import Entry, Index
from remanent.rules import marks, relation

ANCHOR_CHARACTERS = 600  # what an anchor is found by: names first, then the newest notes
ANCHOR_NOTES = 5
NOTES_CHARACTERS = 1000  # SPEC 3: a relationship's notes_embedding reads so much of its notes
NOTES_SUFFIX = "~notes"
BEFORE_CHARACTERS = 150  # of the passage before, in what is embedded of a passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One text to be found by, and the node it leads to.

    What is embedded is `meant`, where that is not the text itself, and each of its `parts`.
    """

    key: str
    kind: Kind
    text: str
    node: Node
    meant: str = ""
    parts: tuple[str, ...] = ()
    marks: frozenset[str] = frozenset()
    day: date | None = None


Stale = tuple[Line, Callable[[], None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findable:
    """Embeds lines and makes them findable. Embedding is slow: do it outside transactions."""

    index: Index
    embedder: Embedder

    def stale_anchors(self, scope: Scope, graph: Graph, keys: Sequence[str]) -> list[Stale]:
        """The lines of those of these anchors that the index has by another text, or not at all.

        Each comes with the call that notes, in the transaction that indexes it, that it now has:
        embedding is the dear part of extraction, and what did not change is not embedded again.
        """
        found: list[Stale] = []
        for key in keys:
            anchor = graph.get(scope, key)
            if isinstance(anchor, Anchor):
                line = anchor_line(anchor, graph.notes(scope, key, limit=ANCHOR_NOTES))
                digest = _digest([line])
                if digest != anchor.line_digest:
                    found.append((line, partial(_mark_anchor, graph, scope, key, digest)))
        return found

    def stale_relationships(self, scope: Scope, graph: Graph, keys: Sequence[str]) -> list[Stale]:
        """The same for relationships, by their feel and by their notes."""
        found: list[Stale] = []
        for key in keys:
            one = graph.relationship(scope, key)
            end = None if one is None else graph.get(scope, one.src)
            if one is not None and isinstance(end, Anchor):
                lines = relationship_lines(one, graph.notes(scope, key, limit=ANCHOR_NOTES), end)
                digest = _digest(lines)
                if digest != one.line_digest:
                    mark = partial(_mark_relationship, graph, scope, key, digest)
                    found += [(line, mark) for line in lines]
        return found

    def entries(self, lines: Sequence[Line]) -> list[Entry]:
        """Entries for these lines, embedded in one batch."""
        texts = [text for line in lines for text in (line.meant or line.text, *line.parts)]
        vectors = iter(self.embedder.embed(texts))
        return [
            Entry(
                key=line.key,
                kind=line.kind,
                owner_key=line.node.key,
                text=line.text,
                vector=next(vectors),
                readers=line.node.readers,
                team=line.node.team,
                marks=line.marks,
                day=line.day,
                parts=[next(vectors) for _ in line.parts],
            )
            for line in lines
        ]


def source_lines(source: Source, passages: Sequence[Passage]) -> list[Line]:
    """The summary under the source's own key, and every passage with who said it."""
    summary = " ".join(part for part in (source.title, source.summary) if part)
    day = source.started_at.date()
    head = [Line(key=source.key, kind=Kind.SOURCE, text=summary, node=source, day=day)]
    among_people = not any(marks.is_assistant(one.speaker) for one in passages)
    return (head if summary else []) + [
        _passage_line(source, passage, before, among_people=among_people)
        for before, passage in zip((None, *passages), passages, strict=False)
    ]


def _passage_line(
    source: Source, passage: Passage, before: Passage | None, *, among_people: bool
) -> Line:
    at = passage.at or source.started_at
    told = marks.marks(passage.text, speaker=passage.speaker, at=at, among_people=among_people)
    parts = () if marks.ASSISTANT in told else marks.parts(passage.text)
    return Line(
        key=passage.key,
        kind=Kind.PASSAGE,
        text=spoken(passage),
        node=source,
        meant=in_context(passage, before, at),
        parts=tuple(said_on(passage.speaker, at, part) for part in parts),
        marks=frozenset(told),
        day=at.date(),
    )


def anchor_line(anchor: Anchor, notes: Sequence[Note]) -> Line:
    """Name, other names, description and newest notes of an anchor."""
    called = ", ".join((anchor.name, *anchor.aliases))
    said = " ".join(note.content for note in notes)
    text = ". ".join(part for part in (called, anchor.description, said) if part)
    return Line(key=anchor.key, kind=anchor.kind, text=text[:ANCHOR_CHARACTERS], node=anchor)


def relationship_lines(
    relationship: Relationship, notes: Sequence[Note], end: Anchor
) -> list[Line]:
    """Type and words for how it feels under the relationship's key, its notes beside it (SPEC 3)."""
    words = relation.words(relationship.kind, relationship.attitude, relationship.proximity)
    feel = f"{relationship.relationship_type}, {words}"
    said = " ".join(note.content for note in notes)[:NOTES_CHARACTERS]
    lines = [Line(key=relationship.key, kind=Kind.RELATIONSHIP, text=feel, node=end)]
    if said:
        key = f"{relationship.key}{NOTES_SUFFIX}"
        lines.append(Line(key=key, kind=Kind.RELATIONSHIP, text=said, node=end))
    return lines


def story_line(story: Storyline | Macro) -> Line:
    """Name and description of a storyline or a macro."""
    text = ". ".join(part for part in (story.name, story.description) if part)
    return Line(key=story.key, kind=story.kind, text=text, node=story)


def spoken(passage: Passage, last: int = 0) -> str:
    """A passage as one reads it aloud, or its last characters."""
    text = passage.text[-last:]
    return f"{passage.speaker}: {text}" if passage.speaker else text


def in_context(passage: Passage, before: Passage | None, at: datetime) -> str:
    """A passage as its meaning is taken: who said it and when, and the end of what went before.

    The passage comes first: the built-in embedder reads the beginning of a text most closely.
    """
    told = said_on(passage.speaker, at, passage.text)
    if before is None:
        return told
    return f"{told}\n(after {spoken(before, BEFORE_CHARACTERS)})"


def said_on(speaker: str | None, at: datetime, text: str) -> str:
    """Who said it, when, and what."""
    day = f"{at.day} {at:%B %Y}"
    return f"{speaker} said on {day}: {text}" if speaker else f"On {day}: {text}"


def _digest(lines: Sequence[Line]) -> str:
    return content_hash("\x1f".join(line.text for line in lines))[:16]


def _mark_anchor(graph: Graph, scope: Scope, key: str, digest: str) -> None:
    anchor = graph.get(scope, key)
    if isinstance(anchor, Anchor):
        graph.put(scope, replace(anchor, line_digest=digest))


def _mark_relationship(graph: Graph, scope: Scope, key: str, digest: str) -> None:
    one = graph.relationship(scope, key)
    if one is not None:
        graph.relate(scope, replace(one, line_digest=digest))
