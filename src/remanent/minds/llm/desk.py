"""A desk: where an agent's writing lies until all of it is known to be usable."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from remanent.core import checks, relation
from remanent.core.model.anchor import Anchor, Lifetime, Person
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind
from remanent.core.ports.tools import Tools
from remanent.errors import InvalidInput
from remanent.minds.llm.asking import does

MOST_CHARACTERS = 1000
_TYPE_CHARACTERS = 40
_OWNER = frozenset({"owner", "the-owner", "me", "i", "myself"})


class Desk:
    """The tools of one agent, as strict as those it stands for, that write nothing.

    A name may be spelt in any case; the agent for one kind writes of that kind, and of relationships
    that begin there.
    """

    def __init__(self, anchors: Sequence[Anchor], about: Kind) -> None:
        self._anchors = tuple(anchors)
        self._about = about
        self.calls: list[dict[str, Any]] = []

    @property
    def anchors(self) -> Sequence[Anchor]:
        return self._anchors

    def hand_over(self, tools: Tools) -> None:
        """Do for good all that lies here; what the tools still refuse is left out."""
        for call in self.calls:
            with contextlib.suppress(InvalidInput):
                does(tools, call["tool"])(**call["args"])

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
        begin, end = self.ends(src, dst)
        self._keep(
            "create_relationship",
            src=begin.name,
            dst=end.name,
            relationship_type=_one_word(relationship_type),
            description=_text("description", description),
            attitude=relation.clamped(attitude),
            proximity=relation.clamped(proximity),
            confidence=min(1.0, max(0.0, confidence)),
            ended=ended,
            single=single,
        )

    def add_note_to_relationship(
        self, src: str, dst: str, relationship_type: str, content: str
    ) -> None:
        begin, end = self.ends(src, dst)
        wanted = (begin.name, end.name, _one_word(relationship_type))
        created = {
            (one["args"]["src"], one["args"]["dst"], one["args"]["relationship_type"])
            for one in self.calls
            if one["tool"] == "create_relationship"
        }
        if wanted not in created:
            problem = f"no {wanted[2]!r} from {wanted[0]!r} to {wanted[1]!r} was created"
            raise InvalidInput("relationship_type", problem)
        self._keep(
            "add_note_to_relationship",
            src=wanted[0],
            dst=wanted[1],
            relationship_type=wanted[2],
            content=_text("content", content),
        )

    def ends(self, src: str, dst: str) -> tuple[Anchor, Anchor]:
        """The two anchors that a relationship would join; it begins where this agent may write."""
        begin = self._anchor("src", src, (self._about,))
        end = self._anchor("dst", dst, (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY))
        if begin.key == end.key:
            raise InvalidInput("dst", "is the same as src")
        if relation.kind_of(begin.kind, end.kind)[1]:
            raise InvalidInput(
                "dst", f"a relationship of a {begin.kind} with a {end.kind} begins there"
            )
        return begin, end

    def _note(self, kind: Kind, name: str, content: str, lifetime: Lifetime) -> None:
        if kind is not self._about:
            raise InvalidInput("name", f"only a {self._about} can be written about here")
        anchor = self._anchor("name", name, (kind,))
        self._keep(
            f"add_note_to_{kind.value}",
            name=anchor.name,
            content=_text("content", content),
            lifetime=Lifetime(lifetime).value,
        )

    def _anchor(self, argument: str, name: str, kinds: Sequence[Kind]) -> Anchor:
        named = canonical_name(checks.plain(argument, name))
        allowed = [one for one in self._anchors if one.kind in kinds]
        for one in allowed:
            is_owner = isinstance(one, Person) and one.is_owner
            if canonical_name(one.name) == named or (is_owner and named in _OWNER):
                return one
        known = ", ".join(one.name for one in allowed)
        raise InvalidInput(argument, f"{name[:80]!r} is not one of: {known or 'nobody'}")

    def _keep(self, tool: str, **args: Any) -> None:
        call = {"tool": tool, "args": args}
        if call not in self.calls:
            self.calls.append(call)


def _text(argument: str, text: str) -> str:
    return " ".join(checks.statement(argument, text, MOST_CHARACTERS).split())


def _one_word(text: str) -> str:
    """`Works at` is `works_at`: lower case, letters and digits, one word."""
    plain = checks.plain("relationship_type", text).casefold()
    words = "".join(one if one.isalnum() else " " for one in plain).split()
    if not words or len("_".join(words)) > _TYPE_CHARACTERS:
        raise InvalidInput("relationship_type", "must be one word, such as friend or manager")
    return "_".join(words)
