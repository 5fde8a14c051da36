"""The three agents: what each is told, and what becomes of what it wrote."""

from __future__ import annotations

from collections.abc import Sequence

from remanent.core.model.anchor import Anchor, Entity, Person
from remanent.core.model.keys import canonical_name
from remanent.core.model.mind_types import Candidate, Reading
from remanent.core.model.node import Kind
from remanent.core.relation import SCALES, kind_of
from remanent.minds.llm.asking import Ask
from remanent.minds.llm.pages import fenced, lines, naming, on_one_line
from remanent.minds.llm.prompts import prompt

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
        tools=(
            f"add_note_to_{about.value}",
            "create_relationship",
            "add_note_to_relationship",
        ),
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
