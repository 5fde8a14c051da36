"""Findable: how each kind of thing enters the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from remanent.model.anchor import Anchor
from remanent.model.node import Kind, Node
from remanent.model.source import Passage, Source
from remanent.ports.embedder import Embedder
from remanent.ports.index import Entry, Index

ANCHOR_CHARACTERS = 600  # what an anchor is found by: names first, then the newest notes


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One text to be found by, and the node it leads to."""

    key: str
    kind: Kind
    text: str
    node: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Findable:
    """Embeds lines and makes them findable. Embedding is slow: do it outside transactions."""

    index: Index
    embedder: Embedder

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


def anchor_line(anchor: Anchor) -> Line:
    """Name, other names, description and newest notes of an anchor."""
    called = ", ".join((anchor.name, *anchor.aliases))
    said = " ".join(note.content for note in anchor.notes[-5:])
    text = ". ".join(part for part in (called, anchor.description, said) if part)
    return Line(key=anchor.key, kind=anchor.kind, text=text[:ANCHOR_CHARACTERS], node=anchor)


def spoken(passage: Passage) -> str:
    """A passage as one reads it aloud."""
    return f"{passage.speaker}: {passage.text}" if passage.speaker else passage.text
