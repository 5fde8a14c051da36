"""A belief about a relationship and the edge itself end together (SPEC 12.8)."""

from __future__ import annotations

import itertools
import re
from datetime import datetime, timedelta

import pytest

from remanent import SteppedClock, UserMemory
from remanent.anchors.write import write_extraction
from remanent.backup.rules import CIRCUMSTANCES
from remanent.beliefs.believe import infer
from remanent.beliefs.truth_maintenance import outdate_beliefs
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.mind_types import (
    BeliefDraft,
    Candidate,
    Findings,
    Judgement,
    Reading,
    RelationDraft,
)
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Relationship
from remanent.core.model.source import Source
from remanent.core.ports.graph import Nodes
from remanent.ingest.extract import make_findable
from remanent.testing import ScriptedMind
from remanent_conformance.builders import digest

DAY = timedelta(days=1)
SENTENCE = re.compile(
    r"(?P<who>\w+) (?P<verb>lives in|works at|left|works with) (?P<what>\w+)(?P<rest>[^.]*)\."
)
TYPES = {"lives in": "home", "works at": "employer", "left": "employer", "works with": "colleague"}


class Plain(ScriptedMind):
    """Reads `Tom lives in Oslo.`, `Tom works at Acme.`, `Tom left Acme.`; one home, one employer."""

    def extract(self, reading: Reading) -> list[Candidate]:
        found = {}
        for one in _told(reading):
            found[one["who"]] = Kind.PERSON
            found[one["what"]] = Kind.PERSON if one["verb"] == "works with" else Kind.ENTITY
        return [
            Candidate(
                kind=kind,
                name=name,
                confidence=9,
                subpoints=("a", "b", "c"),
                type="" if kind is Kind.PERSON else "organization",
            )
            for name, kind in found.items()
            if name != "Ada"
        ]

    def scripted_findings(self, reading: Reading, anchors: object) -> Findings:
        return Findings(
            relations=tuple(
                RelationDraft(
                    src="Ada Lindqvist" if one["who"] == "Ada" else one["who"],
                    dst=one["what"],
                    relationship_type=TYPES[one["verb"]],
                    description=one[0],
                    single=one["verb"] != "works with",
                    ended=one["verb"] == "left",
                )
                for one in _told(reading)
            )
        )

    def beliefs(self, reading: Reading) -> list[BeliefDraft]:
        return [
            _draft(one[0])
            for one in _told(reading)
            if one["verb"] != "left" and "quietly" not in one["rest"]
        ]

    def believe(self, text: str, *, owner_names: object) -> list[BeliefDraft]:
        return [_draft(text)]

    def judge(self, statement: str, believed: object) -> list[Judgement]:
        return [_judged(statement, one) for one in believed]  # type: ignore[attr-defined]


def _told(reading: Reading) -> list[re.Match[str]]:
    return [one for each in reading.passages for one in SENTENCE.finditer(each.text)]


def _draft(text: str) -> BeliefDraft:
    who = text.split()[0].lower()
    return BeliefDraft(statement=text, subject="owner" if who in ("i", "ada", "my") else who)


def _judged(new: str, old: str) -> Judgement:
    if new == old:
        return Judgement.SAME
    (who, *verb), (whose, *before) = (one.split()[:3] for one in (new, old))
    return Judgement.CONTRADICTS if (who, verb) == (whose, before) else Judgement.DIFFERENT


@pytest.fixture
def mind() -> ScriptedMind:
    return Plain()


def read(ada: UserMemory, text: str, at: datetime | None = None) -> None:
    ada.add(text, started_at=at)
    ada.work()


def edges(ada: UserMemory, name: str = "Tom", *, history: bool = False) -> list[Relationship]:
    key = next(one.key for one in ada.anchors() if one.name == name)
    return ada.relationships(key, history=history)


def open_ends(ada: UserMemory, name: str = "Tom") -> set[tuple[str, str]]:
    names = {one.key: one.name for one in ada.anchors()}
    return {(one.relationship_type, names[one.dst]) for one in edges(ada, name)}


def held(ada: UserMemory) -> set[str]:
    return {one.statement for one in ada.beliefs()}


def whole(ada: UserMemory) -> str:
    return digest(ada.env.graph.export(ada.scope))


class TestFromBeliefsToEdges:
    def test_what_replaces_a_belief_closes_the_edge(
        self, ada: UserMemory, clock: SteppedClock
    ) -> None:
        read(ada, "Tom lives in Oslo.")
        clock.advance(30 * DAY)

        settled = ada.remember("Tom lives in Bergen.", at=clock.now() - 10 * DAY)

        assert settled.outcome == "invalidated"
        assert open_ends(ada) == set()
        (closed,) = edges(ada, history=True)
        assert closed.valid_to == clock.now() - 10 * DAY
        told = ada.env.graph.assertions(ada.scope, closed.src)
        assert [one.source_key for one in told if one.ended] == [settled.belief.key]

    def test_drawing_the_source_again_does_not_open_it(
        self, ada: UserMemory, clock: SteppedClock
    ) -> None:
        read(ada, "Tom lives in Oslo.")
        clock.advance(DAY)
        ada.remember("Tom lives in Bergen.")
        env, scope = ada.env, ada.scope
        before = digest(env.graph.export(scope), without=CIRCUMSTANCES)
        (source,) = env.graph.select(scope, Nodes(Source))
        with env.atomic():
            touched = write_extraction(env, scope, [source.key])
        make_findable(env, scope, touched)

        assert open_ends(ada) == set()
        assert digest(env.graph.export(scope), without=CIRCUMSTANCES) == before

    def test_a_later_source_may_open_it_anew(self, ada: UserMemory, clock: SteppedClock) -> None:
        read(ada, "Tom lives in Oslo.")
        clock.advance(DAY)
        ada.remember("Tom lives in Bergen.")
        clock.advance(DAY)
        read(ada, "Tom lives in Oslo, as before.")

        assert open_ends(ada) == {("home", "Oslo")}
        assert len(edges(ada, history=True)) == 2

    def test_the_owner_by_i(self, ada: UserMemory, clock: SteppedClock) -> None:
        read(ada, "Ada lives in Oslo.")
        assert open_ends(ada, "Ada Lindqvist") == {("home", "Oslo")}
        clock.advance(DAY)

        assert ada.remember("Ada lives in Rome.").outcome == "invalidated"
        assert open_ends(ada, "Ada Lindqvist") == set()

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("Tom works at Acme as engineer.", "Tom works at Acme as manager."),
            ("Tom works with Eve.", "Tom works with Acme."),
            ("Tom lives in Oslo.", "Eve lives in Bergen."),
        ],
    )
    def test_whatever_else_it_is_stays_open(
        self, ada: UserMemory, clock: SteppedClock, text: str, said: str
    ) -> None:
        read(ada, text)
        before = open_ends(ada)
        clock.advance(DAY)
        ada.remember(said)
        assert open_ends(ada) == before

    def test_a_weakened_belief_leaves_it_open(self, ada: UserMemory, clock: SteppedClock) -> None:
        read(ada, "Tom lives in Oslo.")
        for number in range(2):
            ada.remember("Tom lives in Oslo.", event_id=str(number))
        clock.advance(DAY)

        assert ada.remember("Tom lives in Bergen.").outcome == "weakened"
        assert open_ends(ada) == {("home", "Oslo")}

    def test_an_inference_closes_nothing(self, ada: UserMemory, clock: SteppedClock) -> None:
        read(ada, "Tom lives in Oslo.")
        clock.advance(DAY)
        grounds = [ada.remember("Something quite else.").belief.key]

        settled = infer(ada.env, ada.scope, "Tom lives in Bergen.", grounds, subject="tom")

        assert settled.outcome == "disputed"
        assert open_ends(ada) == {("home", "Oslo")}


class TestFromEdgesToBeliefs:
    def test_what_told_of_an_ended_edge_is_over(self, ada: UserMemory, clock: SteppedClock) -> None:
        ada.remember("Tom works at Acme.")
        read(ada, "Tom works at Acme quietly.")
        clock.advance(30 * DAY)
        when = clock.now() - 5 * DAY

        read(ada, "Tom left Acme.", when)

        assert held(ada) == set()
        over = believed(ada, "Tom works at Acme.")
        assert (over.status, over.until) == (BeliefStatus.INVALIDATED, when)
        assert over.superseded_by is None
        assert over.changes[-1].reason == "the relationship it tells of ended: Tom left Acme."
        assert over.changes[-1].by in {one.key for one in edges(ada, history=True)}
        (chapter,) = ada.history(over.key).chapters
        assert chapter.occurrences[-1].words == "Tom works at Acme quietly."

    def test_what_replaces_an_edge_ends_it_too(self, ada: UserMemory, clock: SteppedClock) -> None:
        ada.remember("Tom lives in Oslo.")
        read(ada, "Tom lives in Oslo quietly.")
        clock.advance(DAY)
        read(ada, "Tom lives in Bergen quietly.")

        assert held(ada) == set()
        assert open_ends(ada) == {("home", "Bergen")}

    def test_the_chain_is_kept_where_the_source_says_what_came_instead(
        self, ada: UserMemory, clock: SteppedClock
    ) -> None:
        read(ada, "Tom lives in Oslo.")
        clock.advance(DAY)
        read(ada, "Tom lives in Bergen.")

        old = believed(ada, "Tom lives in Oslo.")
        new = believed(ada, "Tom lives in Bergen.")
        assert (old.superseded_by, new.supersedes) == (new.key, old.key)
        assert [one.belief.key for one in ada.history(new.key).chapters] == [old.key, new.key]

    def test_a_well_supported_belief_is_weakened_once(
        self, ada: UserMemory, clock: SteppedClock
    ) -> None:
        for number in range(3):
            ada.remember("Tom works at Acme.", event_id=str(number))
        read(ada, "Tom works at Acme quietly.")
        clock.advance(DAY)

        read(ada, "Tom left Acme.")
        assert believed(ada, "Tom works at Acme.").confidence == pytest.approx(0.6)
        before = whole(ada)
        env, scope = ada.env, ada.scope
        outdate_beliefs(env, scope, [one.key for one in edges(ada, history=True)])
        assert whole(ada) == before
        assert believed(ada, "Tom works at Acme.").status is BeliefStatus.ACTIVE

    def test_inferences_go_with_it(self, ada: UserMemory, clock: SteppedClock) -> None:
        key = ada.remember("Tom works at Acme.").belief.key
        infer(ada.env, ada.scope, "Ask Tom about Acme", [key])
        read(ada, "Tom works at Acme quietly.")
        clock.advance(DAY)

        read(ada, "Tom left Acme.")

        assert held(ada) == set()

    @pytest.mark.parametrize(
        "said",
        [
            "Eve works at Acme.",
            "Tom likes Acme.",
            "Tom worked at Acme.",
            "My brother works at Acme.",
            "Tom works at Initech.",
            "Acme makes anvils.",
        ],
    )
    def test_beliefs_about_something_else_are_not_touched(
        self, ada: UserMemory, clock: SteppedClock, said: str
    ) -> None:
        before = ada.remember(said).belief
        read(ada, "Tom works at Acme quietly.")
        clock.advance(DAY)
        read(ada, "Tom left Acme.")

        assert ada.env.graph.get(ada.scope, before.key) == before

    def test_what_was_said_after_the_end_stands(self, ada: UserMemory, clock: SteppedClock) -> None:
        read(ada, "Tom works at Acme quietly.")
        clock.advance(10 * DAY)
        ada.remember("Tom works at Acme.")
        clock.advance(DAY)

        read(ada, "Tom left Acme.", clock.now() - 5 * DAY)

        assert held(ada) == {"Tom works at Acme."}

    def test_what_holds_again_is_not_over(self, ada: UserMemory, clock: SteppedClock) -> None:
        start = clock.now()
        ada.remember("Tom works at Acme.")
        clock.advance(30 * DAY)
        read(ada, "Tom works at Acme quietly.", start)
        read(ada, "Tom works at Acme again quietly.", start + 20 * DAY)
        read(ada, "Tom left Acme.", start + 10 * DAY)

        assert held(ada) == {"Tom works at Acme."}
        assert open_ends(ada) == {("employer", "Acme")}


SOURCES = ("Tom lives in Oslo.", "Tom lives in Bergen.", "Tom lives in Rome.")


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_in_whatever_order_sources_come_the_last_home_is_held_and_open(
    ada: UserMemory, clock: SteppedClock, order: tuple[int, ...]
) -> None:
    start = clock.now()
    clock.advance(90 * DAY)
    for place in order:
        read(ada, SOURCES[place], start + 10 * place * DAY)

    assert held(ada) == {"Tom lives in Rome."}
    assert open_ends(ada) == {("home", "Rome")}
    closed = [one.valid_to for one in edges(ada, history=True)]
    assert closed == [start + 10 * DAY, start + 20 * DAY, None]


def believed(ada: UserMemory, statement: str) -> Belief:
    nodes = ada.env.graph.select(ada.scope, Nodes(Belief))
    return next(one for one in nodes if isinstance(one, Belief) and one.statement == statement)
