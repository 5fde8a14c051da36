"""Toolbox: collects what an agent writes about one source, checked, to be drawn later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from remanent.core import checks, relation
from remanent.core.model.anchor import Anchor, Lifetime
from remanent.core.model.mind_types import Findings, NoteDraft, RelationDraft
from remanent.core.model.node import Kind
from remanent.errors import InvalidInput

MOST_CHARACTERS = 2000
MOST_WRITES = 500  # of one agent on one source: one that runs wild is stopped


@dataclass(slots=True)
class Toolbox:
    """The `Tools` of one agent. It holds names of one source's anchors and no store: nothing an agent
    says can reach further."""

    anchors: Sequence[Anchor]
    _notes: list[NoteDraft] = field(default_factory=list)
    _relations: list[RelationDraft] = field(default_factory=list)

    @property
    def findings(self) -> Findings:
        """All that was written, each thing once, in order."""
        return Findings(
            notes=tuple(dict.fromkeys(self._notes)),
            relations=tuple(dict.fromkeys(self._relations)),
        )

    def add_note_to_person(self, name: str, content: str, lifetime: Lifetime) -> None:
        self._note(Kind.PERSON, name, content, lifetime)

    def add_note_to_concept(self, name: str, content: str, lifetime: Lifetime) -> None:
        self._note(Kind.CONCEPT, name, content, lifetime)

    def add_note_to_entity(self, name: str, content: str, lifetime: Lifetime) -> None:
        self._note(Kind.ENTITY, name, content, lifetime)

    def create_relationship(  # noqa: PLR0913 - the fields of a relationship (SPEC 3)
        self,
        src: str,
        dst: str,
        relationship_type: str,
        description: str,
        *,
        attitude: int = 3,
        proximity: int = 3,
        confidence: float = 0.7,
        ended: bool = False,
        single: bool = False,
    ) -> None:
        self._anchor("src", src)
        self._anchor("dst", dst)
        self._count()
        self._relations.append(
            RelationDraft(
                src=src,
                dst=dst,
                relationship_type=_word("relationship_type", relationship_type),
                description=_text("description", description),
                attitude=relation.clamped(attitude),
                proximity=relation.clamped(proximity),
                confidence=min(1.0, max(0.0, confidence)),
                ended=ended,
                single=single,
            )
        )

    def add_note_to_relationship(
        self, src: str, dst: str, relationship_type: str, content: str
    ) -> None:
        wanted = (src, dst, _word("relationship_type", relationship_type))
        for one in self._relations:
            if (one.src, one.dst, one.relationship_type) == wanted:
                self._count()
                self._relations.append(replace(one, description=_text("content", content)))
                return
        raise InvalidInput(
            "relationship_type", f"no {wanted[2]!r} from {src!r} to {dst!r} was created"
        )

    def _note(self, kind: Kind, name: str, content: str, lifetime: Lifetime) -> None:
        self._anchor("name", name, kind)
        self._count()
        self._notes.append(
            NoteDraft(anchor=name, content=_text("content", content), lifetime=Lifetime(lifetime))
        )

    def _anchor(self, argument: str, name: str, kind: Kind | None = None) -> None:
        for one in self.anchors:
            if one.name == name and (kind is None or one.kind is kind):
                return
        known = ", ".join(one.name for one in self.anchors if kind is None or one.kind is kind)
        raise InvalidInput(argument, f"{name!r} is not one of: {known or 'nobody'}")

    def _count(self) -> None:
        if len(self._notes) + len(self._relations) >= MOST_WRITES:
            raise InvalidInput("content", f"an agent may write {MOST_WRITES} times about a source")


def _text(argument: str, text: str) -> str:
    return checks.statement(argument, text, MOST_CHARACTERS).strip()


def _word(argument: str, text: str) -> str:
    words = checks.identifier(argument, text.strip()).casefold().split()
    return "_".join(words)
