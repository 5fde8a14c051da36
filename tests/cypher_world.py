"""A small known world for queries: three people, three things, two concerns, three episodes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from remanent.core.model.belief import BeliefStatus
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.relationship import LinkKind, RelationshipKind
from remanent.core.model.source import ContentType, SourceType
from remanent.core.ports.cypher import Bounds, Question
from remanent.stores.sqlite import SqliteStores
from remanent_conformance.builders import (
    a_belief,
    a_concept,
    a_link,
    a_note,
    a_passage,
    a_person,
    a_relationship,
    a_scope,
    a_source,
    an_entity,
)

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
ANN_SCOPE = a_scope("ann", "red")

ANN = a_person("Ann Lee", is_owner=True, source_count=2, confidence=1.0)
BOB = a_person("Bob Day", aliases=("Bobby",), source_count=2, confidence=0.9)
CYD = a_person("Cyd Moe", source_count=1, confidence=0.7)
OSLO = an_entity("Oslo", type="location")
BERGEN = an_entity("Bergen", type="location")
ACME = an_entity("Acme", type="organization", description="Builds boats.")
SAILING = a_concept("sailing")
PATIENCE = a_concept("patience")
FADED = a_person("Zed Old", life=Lifecycle(salience=0.005, state=State.ARCHIVED))


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, 12, tzinfo=UTC)


LUNCH = a_source("Lunch with Bob", title="Lunch", started_at=day(2026, 3, 1),
                 summary="Ann and Bob had lunch.", keywords=("lunch", "boat"), tags=("food",))  # fmt: skip
MEETING = a_source("Harbour meeting", title="Harbour", started_at=day(2026, 4, 10),
                   source_type=SourceType.MEETING, content_type=ContentType.MEETING, team_id="red",
                   participants=("ann", "bob"), summary="The harbour lease.", keywords=("boat",))  # fmt: skip
NOTE = a_source("Sailing note", title="Sailing", started_at=day(2026, 5, 1))
NEW_HOME = a_belief("Ann lives in Bergen", subject="ann lee", importance=8, confidence=0.9,
                    since=day(2025, 6, 1))  # fmt: skip
OLD_HOME = a_belief("Ann lives in Oslo", subject="ann lee", importance=6, since=day(2020, 1, 1),
                    until=day(2025, 6, 1), status=BeliefStatus.INVALIDATED)  # fmt: skip
TEA = a_belief("Ann prefers tea", subject="ann lee", importance=3, since=day(2024, 1, 1))


def _edges() -> list[Any]:
    entity, concept = RelationshipKind.ASSOCIATED_WITH, RelationshipKind.ENGAGES_WITH
    return [
        a_relationship(ANN.key, BOB.key, type="friend", attitude=5, proximity=4,
                       valid_from=day(2019, 1, 1), description="They sail together."),
        a_relationship(BOB.key, CYD.key, type="colleague", attitude=3, proximity=3,
                       valid_from=day(2023, 1, 1)),
        a_relationship(ANN.key, OSLO.key, type="lives_in", kind=entity,
                       valid_from=day(2020, 1, 1), valid_to=day(2025, 6, 1)),
        a_relationship(ANN.key, BERGEN.key, type="lives_in", kind=entity,
                       valid_from=day(2025, 6, 1)),
        a_relationship(BOB.key, ACME.key, type="works_at", kind=entity, valid_from=day(2022, 1, 1)),
        a_relationship(CYD.key, ACME.key, type="works_at", kind=entity, valid_from=day(2021, 1, 1)),
        a_relationship(ANN.key, SAILING.key, type="enjoys", kind=concept, attitude=5,
                       valid_from=day(2018, 1, 1)),
    ]  # fmt: skip


def _links() -> list[Any]:
    mentions: list[tuple[Any, tuple[Any, ...]]] = [
        (LUNCH, (ANN, BOB)),
        (MEETING, (BOB, CYD, ACME)),
        (NOTE, (ANN, SAILING)),
    ]
    links = [a_link(src.key, dst.key, detail=dst.name) for src, many in mentions for dst in many]
    links.append(a_link(LUNCH.key, BOB.key, detail="Bobby"))  # a second name for the same man
    links.append(a_link(NEW_HOME.key, ANN.key, kind=LinkKind.ABOUT))
    links.append(a_link(TEA.key, ANN.key, kind=LinkKind.ABOUT))
    links.append(a_link(OLD_HOME.key, ANN.key, kind=LinkKind.ABOUT))
    links.append(a_link(LUNCH.key, NEW_HOME.key, kind=LinkKind.SUPPORTS))
    links.append(a_link(NEW_HOME.key, TEA.key, kind=LinkKind.NEIGHBOUR, weight=0.5))
    return links


def fill(stores: SqliteStores) -> None:
    """Put all of it into these stores, for the user ann."""
    graph = stores.graph
    for node in (ANN, BOB, CYD, OSLO, BERGEN, ACME, SAILING, PATIENCE, FADED, LUNCH, MEETING, NOTE,
                 NEW_HOME, OLD_HOME, TEA):  # fmt: skip
        graph.put(ANN_SCOPE, node)
    for edge in _edges():
        graph.relate(ANN_SCOPE, edge)
    for link in _links():
        graph.link(ANN_SCOPE, link)
    graph.add_note(ANN_SCOPE, a_note(BOB.key, "Plays the cello.", date_added=day(2026, 3, 1)))
    gone = a_note(BOB.key, "Has a cold.", date_added=day(2026, 3, 1), expires_at=day(2026, 3, 8))
    graph.add_note(ANN_SCOPE, gone)
    graph.put_passages(ANN_SCOPE, LUNCH.key, [
        a_passage(LUNCH, 0, "We had soup.", speaker="Ann"),
        a_passage(LUNCH, 1, "The boat is for sale.", speaker="Bob"),
    ])  # fmt: skip


def ask(
    stores: SqliteStores, text: str, *, scope: Any = ANN_SCOPE, **asked: Any
) -> list[list[Any]]:
    """The rows of the answer."""
    bounds = asked.pop("bounds", Bounds(seconds=20.0))
    question = Question(text=text, now=NOW, **asked)
    return [list(row) for row in stores.cypher.query(scope, question, bounds=bounds).rows]
