"""An agent's hands: the tools of one source as a model may call them, in its own words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from pydantic_ai import ModelRetry, Tool

from remanent.core.model.anchor import Lifetime
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind
from remanent.core.ports.tools import Tools
from remanent.core.relation import SCALES, kind_of
from remanent.errors import InvalidInput
from remanent.minds.llm.asking import Ask, does

FINISH = "finish"

Lasting = Literal["week", "month", "year", "forever"]


class Hands:
    """Does what a model asks with the tools given; what they refuse goes back to the model.

    `taken` fills with the calls that were taken, `repeated` counts those that were taken before.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self.taken: list[dict[str, Any]] = []
        self.repeated = 0

    def offered(self, ask: Ask) -> list[Tool[None]]:
        """The tools that this question names, and no other."""
        made: Mapping[str, Callable[..., Any]] = {
            "create_relationship": self._relationship(),
            "add_note_to_relationship": self._relationship_note(),
        }
        return [
            Tool(made.get(name) or self._note(name), name=name, takes_ctx=False, sequential=True)
            for name in ask.tools
        ]

    def _note(self, tool: str) -> Callable[..., Any]:
        async def note(name: str, content: str, lifetime: Lasting = "month") -> str:
            """Keep one thing that the text says of somebody or something.

            Args:
                name: exactly as in the list.
                content: one sentence that can be understood alone.
                lifetime: how long it will matter: week, month, year or forever.
            """
            return self._do(tool, name=name, content=content, lifetime=Lifetime(lifetime))

        return note

    def _relationship(self) -> Callable[..., Any]:
        async def create_relationship(  # noqa: PLR0913 - the fields of a relationship (SPEC 3)
            src: str,
            dst: str,
            relationship_type: str,
            description: str,
            attitude: str = "",
            proximity: str = "",
            confidence: float = 0.7,
            ended: bool = False,  # noqa: FBT001, FBT002 - a model names its arguments
            single: bool = False,  # noqa: FBT001, FBT002
        ) -> str:
            """Say how one of the list stands to another.

            Args:
                src: the one it begins at, exactly as in the list.
                dst: the other one, exactly as in the list.
                relationship_type: one word, such as friend, manager, employer or hobby.
                description: one sentence.
                attitude: a word of the table; leave it out if the text does not tell.
                proximity: a word of the table; leave it out if the text does not tell.
                confidence: from 0 to 1.
                ended: the text says that it is over.
                single: there can be only one at a time, such as a home or an employer.
            """
            feeling, nearness = self._grades(src, dst, attitude, proximity)
            return self._do(
                "create_relationship",
                src=src,
                dst=dst,
                relationship_type=relationship_type,
                description=description,
                attitude=feeling,
                proximity=nearness,
                confidence=confidence,
                ended=ended,
                single=single,
            )

        return create_relationship

    def _relationship_note(self) -> Callable[..., Any]:
        async def add_note_to_relationship(
            src: str, dst: str, relationship_type: str, content: str
        ) -> str:
            """Say more of a relationship that you have created in this text.

            Args:
                src: as when it was created.
                dst: as when it was created.
                relationship_type: as when it was created.
                content: one sentence.
            """
            return self._do(
                "add_note_to_relationship",
                src=src,
                dst=dst,
                relationship_type=relationship_type,
                content=content,
            )

        return add_note_to_relationship

    def _do(self, tool: str, **args: Any) -> str:
        try:
            does(self._tools, tool)(**args)
        except InvalidInput as problem:
            raise ModelRetry(str(problem)[:500]) from None
        call = {"tool": tool, "args": args}
        if call in self.taken:
            self.repeated += 1
            return "already kept"
        self.taken.append(call)
        return "kept"

    def _grades(self, src: str, dst: str, attitude: str, proximity: str) -> tuple[int, int]:
        """The words of the table as figures; the table is that of the two kinds."""
        kinds = {canonical_name(one.name): one.kind for one in self._tools.anchors}
        begin, end = kinds.get(canonical_name(src)), kinds.get(canonical_name(dst))
        scale = SCALES[kind_of(begin or Kind.PERSON, end or Kind.PERSON)[0]]
        return (
            _grade("attitude", attitude, scale.attitude),
            _grade("proximity", proximity, scale.proximity),
        )


def _grade(argument: str, word: str, scale: Sequence[str]) -> int:
    said = " ".join(word.replace("_", " ").casefold().split())
    if not said:
        return 3
    if said in scale:
        return scale.index(said) + 1
    if said in {"1", "2", "3", "4", "5"}:
        return int(said)
    raise ModelRetry(f"{argument}: {word[:40]!r} is not one of: {', '.join(scale)}")
