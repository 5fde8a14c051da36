"""Findable: how each kind of thing enters the index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from remanent.model.anchor import Anchor, Note
from remanent.model.keys import content_hash
from remanent.model.node import Kind, Node
from remanent.model.relationship import Relationship
from remanent.model.scope import Scope
from remanent.model.source import Passage, Source
from remanent.ports.embedder import Embedder
from remanent.ports.graph import Graph
from remanent.ports.index import Entry, Index
from remanent.rules import relation

ANCHOR_CHARACTERS = 600  # what an anchor is found by: names first, then the newest notes
ANCHOR_NOTES = 5
NOTES_CHARACTERS = 1000  # SPEC 3: a relationship's notes_embedding reads so much of its notes
NOTES_SUFFIX = "~notes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One text to be found by, and the node it leads to."""

    key: str
    kind: Kind
    text: str
    node: Node


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
        vectors = self.embedder.embed([line.text for line in lines])
        return [
            Entry(
                key=line.key,
                kind=line.kind,
                owner_key=line.node.key,
                text=line.text,
                vector=vector,
                readers=line.node.readers,
                team=line.node.team,
            )
            for line, vector in zip(lines, vectors, strict=True)
        ]


def source_lines(source: Source, passages: Sequence[Passage]) -> list[Line]:
    """The summary under the source's own key, and every passage with who said it."""
    summary = " ".join(part for part in (source.title, source.summary) if part)
    head = [Line(key=source.key, kind=Kind.SOURCE, text=summary, node=source)] if summary else []
    return head + [
        Line(key=passage.key, kind=Kind.PASSAGE, text=spoken(passage), node=source)
        for passage in passages
    ]


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


def spoken(passage: Passage) -> str:
    """A passage as one reads it aloud."""
    return f"{passage.speaker}: {passage.text}" if passage.speaker else passage.text


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
