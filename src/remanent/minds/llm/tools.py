"""A desk: where an agent's writing lies until all of it is known to be usable.

An agent's hands: the tools of one source as a model may call them, in its own words.

The three agents: what each is told, and what becomes of what it wrote.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from pydantic_ai import ModelRetry, Tool

from remanent.core import checks, relation
from remanent.core.dataclasses import replace
from remanent.core.model.anchor import Anchor, Entity, Lifetime, Person
from remanent.core.model.keys import canonical_name
from remanent.core.model.mind_types import Candidate, Reading, RelationDraft
from remanent.core.model.node import Kind
from remanent.core.ports.mind import Tools
from remanent.core.relation import SCALES, kind_of
from remanent.errors import InvalidInput
from remanent.minds.llm.prompts import fenced, lines, naming, on_one_line, prompt, voiceless
from remanent.minds.llm.request import Ask, does

MOST_CHARACTERS = 1000
_TYPE_CHARACTERS = 40
_REFUSAL_CHARACTERS = 500
_OWNER = frozenset({"owner", "the-owner", "me", "i", "myself"})


class Desk:
    """The tools of one agent, as strict as those it stands for, that write nothing.

    A name may be spelt in any case; the agent for one kind writes of that kind, and of relationships
    that begin there.
    """

    def __init__(self, anchors: Sequence[Anchor], about: Kind) -> None:
        self._anchors = tuple(anchors)
        self._about = about
        self._calls: list[tuple[str, tuple[Any, ...]]] = []
        self._created: set[tuple[str, str, str]] = set()

    @property
    def anchors(self) -> Sequence[Anchor]:
        return self._anchors

    def hand_over(self, tools: Tools) -> None:
        """Do for good all that lies here; what the tools still refuse is left out."""
        for tool, args in self._calls:
            with contextlib.suppress(InvalidInput):
                getattr(tools, tool)(*args)

    def add_note(self, kind: Kind, name: str, content: str, lifetime: Lifetime) -> None:
        if kind is not self._about:
            raise InvalidInput("name", f"only a {self._about} can be written about here")
        anchor = self._anchor("name", name, (kind,))
        self._keep("add_note", kind, anchor.name, _text("content", content), Lifetime(lifetime))

    def create_relationship(self, draft: RelationDraft) -> None:
        begin, end = self.ends(draft.src, draft.dst)
        kept = replace(
            draft,
            src=begin.name,
            dst=end.name,
            relationship_type=_one_word(draft.relationship_type),
            description=_text("description", draft.description),
        )
        self._created.add((kept.src, kept.dst, kept.relationship_type))
        self._keep("create_relationship", kept)

    def add_note_to_relationship(
        self,
        src: str,
        dst: str,
        relationship_type: str,
        content: str,
        lifetime: Lifetime = Lifetime.MONTH,
    ) -> None:
        begin, end = self.ends(src, dst)
        wanted = (begin.name, end.name, _one_word(relationship_type))
        if wanted not in self._created:
            problem = f"no {wanted[2]!r} from {wanted[0]!r} to {wanted[1]!r} was created"
            raise InvalidInput("relationship_type", problem)
        said = _text("content", content)
        self._keep("add_note_to_relationship", *wanted, said, Lifetime(lifetime))

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

    def _anchor(self, argument: str, name: str, kinds: Sequence[Kind]) -> Anchor:
        named = canonical_name(checks.plain(argument, name))
        allowed = [one for one in self._anchors if one.kind in kinds]
        for one in allowed:
            is_owner = isinstance(one, Person) and one.is_owner
            if canonical_name(one.name) == named or (is_owner and named in _OWNER):
                return one
        known = ", ".join(one.name for one in allowed)
        raise InvalidInput(argument, f"{name[:80]!r} is not one of: {known or 'nobody'}")

    def _keep(self, tool: str, *args: Any) -> None:
        if (tool, args) not in self._calls:
            self._calls.append((tool, args))


def _text(argument: str, text: str) -> str:
    return " ".join(checks.statement(argument, text, MOST_CHARACTERS).split())


def _one_word(text: str) -> str:
    """`Works at` is `works_at`: lower case, letters and digits, one word."""
    plain = checks.plain("relationship_type", text).casefold()
    words = "".join(one if one.isalnum() else " " for one in plain).split()
    if not words or len("_".join(words)) > _TYPE_CHARACTERS:
        raise InvalidInput("relationship_type", "must be one word, such as friend or manager")
    return "_".join(words)


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
            src: str, dst: str, relationship_type: str, content: str, lifetime: Lasting = "month"
        ) -> str:
            """Say more of a relationship that you have created in this text.

            Args:
                src: as when it was created.
                dst: as when it was created.
                relationship_type: as when it was created.
                content: one sentence.
                lifetime: how long it will matter: week, month, year or forever.
            """
            return self._do(
                "add_note_to_relationship",
                src=src,
                dst=dst,
                relationship_type=relationship_type,
                content=content,
                lifetime=Lifetime(lifetime),
            )

        return add_note_to_relationship

    def _do(self, tool: str, **args: Any) -> str:
        try:
            does(self._tools, tool)(**args)
        except InvalidInput as problem:
            raise _refusal(str(problem)) from None
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
    raise _refusal(f"{argument}: {word[:40]!r} is not one of: {', '.join(scale)}")


def _refusal(told: str) -> ModelRetry:
    """It goes to the model outside the fence, and says again what the model, or a source, has said."""
    return ModelRetry(voiceless(told)[:_REFUSAL_CHARACTERS])


_ORDER = (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)
_MANY = {Kind.PERSON: "people", Kind.CONCEPT: "concepts", Kind.ENTITY: "entities"}
_POINTS, _POINT_CHARACTERS = 4, 120  # of each, shown again to the agent


def agent_ask(
    reading: Reading,
    about: Kind,
    anchors: Sequence[Anchor],
    candidates: Sequence[Candidate],
    budget: int,
) -> Ask:
    """The question to one agent: the list, what was found of each, and the passages that name them."""
    mine = [one for one in anchors if one.kind is about]
    system = prompt("agent").system(
        about=_MANY[about],
        kind=about.value,
        ends=f"relationships begin at a {about.value} and lead to {_ends(about)} in the list.",
        table=_table(about),
    )
    points = {canonical_name(one.name): _in_short(one) for one in candidates}
    found = [
        f"- {on_one_line(one.name)}: {said}"
        for one in mine
        if (said := points.get(canonical_name(one.name)))
    ]
    names = [one.name for one in mine if not _is_owner(one)]
    names += [one.name.split()[0] for one in mine if one.kind is Kind.PERSON]
    shown = naming(lines(reading), names, budget)
    data = [
        f"date: {reading.started_at:%Y-%m-%d}",
        "may be written about:",
        *(_listed(one) for one in anchors),
        "found so far:",
        *(found or ["- nothing"]),
        "passages:",
        *shown,
    ]
    return Ask(
        task="agents",
        prompt="agent",
        version=prompt("agent").version,
        system=system,
        data=fenced("\n".join(data)),
        tools=(f"add_note_to_{about.value}", "create_relationship", "add_note_to_relationship"),
    )


def _in_short(candidate: Candidate) -> str:
    shown = (on_one_line(one)[:_POINT_CHARACTERS] for one in candidate.subpoints[:_POINTS])
    return " / ".join(shown)


def _ends(about: Kind) -> str:
    """What a relationship of these may lead to; those the other way round are another agent's."""
    return " or ".join(_MANY[end] for end in _ORDER if not kind_of(about, end)[1])


def _is_owner(anchor: Anchor) -> bool:
    return isinstance(anchor, Person) and anchor.is_owner


def _listed(anchor: Anchor) -> str:
    what = anchor.type if isinstance(anchor, Entity) and anchor.type else anchor.kind.value
    owner = ", the owner of this memory" if _is_owner(anchor) else ""
    return f"- {on_one_line(anchor.name)} ({what}{owner})"


def _table(about: Kind) -> str:
    """The words for how it feels and how near it is, from least to most, by what it leads to."""
    rows = []
    for end in _ORDER[_ORDER.index(about) :]:
        scale = SCALES[kind_of(about, end)[0]]
        rows.append(
            f"{about.value} to {end.value}: attitude {' < '.join(scale.attitude)}; "
            f"proximity {' < '.join(scale.proximity)}"
        )
    return "\n".join(rows)
