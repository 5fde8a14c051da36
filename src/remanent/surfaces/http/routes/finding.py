"""Routes that get something out of a memory: search, explore, walk, query, prepare."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Response

from remanent.core.model.anchor import Concept, Entity, Person
from remanent.core.model.hit import Explanation, Hits
from remanent.core.model.query_result import Rows
from remanent.core.model.query_types import Abbreviation, Need, Phrasings
from remanent.core.model.relationship import Relationship
from remanent.core.model.story import Macro, Storyline, Summary
from remanent.core.records.api_key import Power
from remanent.retrieval.model.context import Context
from remanent.retrieval.model.exploration import Explored
from remanent.retrieval.model.traversal import Traversal
from remanent.surfaces.http import asks
from remanent.surfaces.http.answers import page, said
from remanent.surfaces.http.caller import Acting
from remanent.surfaces.http.routing import Route, new_router, route
from remanent.surfaces.http.shapes import Found, Listed, Paged, Removed

router = new_router("finding")
AnyAnchor = Person | Concept | Entity


@route(router, "POST", "/v1/search", Route(verb="UserMemory.search"), Found)
def search(caller: Acting, ask: asks.Search) -> Response:
    """One ranked list over all this user may see, each hit with where it was said."""
    return said(_found(caller.user.search(**ask.given())))


@route(router, "GET", "/v1/search", Route(verb="UserMemory.search"), Found)
def search_simply(caller: Acting, ask: Annotated[asks.Search, Query()]) -> Response:
    """The same, by the address alone."""
    return said(_found(caller.user.search(**ask.given())))


def _found(hits: Hits) -> dict[str, Any]:
    return {"items": list(hits), "next": hits.next, "reason": hits.reason}


@route(router, "POST", "/v1/search/why-not", Route(verb="UserMemory.why_not"), Explanation)
def why_not(caller: Acting, ask: asks.WhyNot) -> Response:
    """Why a search with these filters does not return the memory of that key, or where it does."""
    return said(caller.user.why_not(**ask.given()))


@route(router, "POST", "/v1/explore", Route(verb="UserMemory.explore"), Explored)
def explore(caller: Acting, ask: asks.Explore) -> Response:
    """What this memory holds on something, with the people, things and relationships around it."""
    nested = ask.model_dump(
        include={"queries", "relationship_filters", "weights"}, exclude_none=True
    )
    given = ask.given("queries", "relationship_filters", "weights")
    return said(caller.user.explore(**nested, **given))


@route(router, "POST", "/v1/traverse", Route(verb="UserMemory.traverse"), Traversal)
def traverse(caller: Acting, ask: asks.Traverse) -> Response:
    """What hangs together with the memories of these keys, most often passed first."""
    return said(caller.user.traverse(**ask.given()))


@route(router, "POST", "/v1/cypher", Route(verb="UserMemory.cypher"), Rows)
def cypher(caller: Acting, ask: asks.Cypher) -> Response:
    """A read-only Cypher query over all this user may see and nothing else."""
    return said(caller.user.cypher(ask.query, **ask.given("query")))


@route(router, "POST", "/v1/context", Route(verb="UserMemory.context"), Context)
def context(caller: Acting, ask: asks.Context) -> Response:
    """What to know before answering a message, ready for a prompt."""
    return said(caller.user.context(**{**ask.given(), "before": _before(ask.before)}))


@route(router, "POST", "/v1/need", Route(verb="UserMemory.needs_memory"), Need)
def need(caller: Acting, ask: asks.Need) -> Response:
    """Whether a message can only be answered well out of memory, and why."""
    return said(caller.user.needs_memory(ask.message, _before(ask.before)))


@route(router, "POST", "/v1/phrasings", Route(verb="UserMemory.phrasings"), Phrasings)
def phrasings(caller: Acting, ask: asks.Phrasings) -> Response:
    """A question in full, then in other words: what a deep search goes by."""
    return said(caller.user.phrasings(ask.query, _before(ask.before)))


def _before(turns: list[asks.Said]) -> list[dict[str, Any]]:
    return [one.model_dump(exclude_none=True) for one in turns]


@route(
    router,
    "GET",
    "/v1/abbreviations",
    Route(verb="UserMemory.abbreviations"),
    Listed[Abbreviation],
)
def abbreviations(caller: Acting) -> Response:
    """All short forms that are set, and all that this user's sources explain."""
    return said({"items": caller.user.abbreviations()})


@route(
    router,
    "PUT",
    "/v1/abbreviations/{short}",
    Route(verb="UserMemory.define", power=Power.WRITE, once=True),
    Abbreviation,
)
def define(caller: Acting, short: str, ask: asks.Define) -> Response:
    """Let a short form stand for a long one in this user's questions."""
    return said(caller.user.define(short, ask.long))


@route(
    router,
    "DELETE",
    "/v1/abbreviations/{short}",
    Route(verb="UserMemory.undefine", power=Power.WRITE, once=True),
    Removed,
)
def undefine(caller: Acting, short: str) -> Response:
    """Take a short form as it stands again."""
    return said({"removed": caller.user.undefine(short)})


@route(router, "GET", "/v1/anchors", Route(verb="UserMemory.anchors"), Paged[AnyAnchor])
def anchors(caller: Acting, ask: Annotated[asks.ListAnchors, Query()]) -> Response:
    """The people, concepts and entities this memory knows, most mentioned first."""
    found = caller.user.anchors(ask.kind, include_archived=ask.include_archived)
    return said(page(lambda _: found, lambda one: one.key, ask.limit, ask.after))


@route(
    router,
    "POST",
    "/v1/anchors/{key}/merge",
    Route(verb="UserMemory.merge", power=Power.WRITE, once=True),
    AnyAnchor,
)
def merge(caller: Acting, key: str, ask: asks.Into) -> Response:
    """File all that is known of one anchor under another of its kind."""
    return said(caller.user.merge(key, ask.into))


@route(
    router,
    "POST",
    "/v1/anchors/{key}/split",
    Route(verb="UserMemory.split", power=Power.WRITE, once=True),
    AnyAnchor,
)
def split(caller: Acting, key: str) -> Response:
    """Make an anchor that was merged into another its own again."""
    return said(caller.user.split(key))


@route(
    router,
    "GET",
    "/v1/relationships",
    Route(verb="UserMemory.relationships"),
    Listed[Relationship],
)
def relationships(caller: Acting, ask: Annotated[asks.Related, Query()]) -> Response:
    """How an anchor stands to others, or to one `other`: now, then, or through all time."""
    return said({"items": caller.user.relationships(**ask.given())})


@route(router, "GET", "/v1/stories", Route(verb="UserMemory.stories"), Paged[Storyline | Macro])
def stories(caller: Acting, ask: Annotated[asks.Stories, Query()]) -> Response:
    """Storylines and macros; where something happened last comes first."""
    wanted = ask.given("limit", "after")
    found = page(
        lambda most: caller.user.stories(**wanted, limit=most),
        lambda one: one.key,
        ask.limit,
        ask.after,
    )
    return said(found)


@route(router, "GET", "/v1/summaries", Route(verb="UserMemory.summaries"), Paged[Summary])
def summaries(caller: Acting, ask: Annotated[asks.Summaries, Query()]) -> Response:
    """Summaries of events, those that reach furthest first."""
    found = page(
        lambda most: caller.user.summaries(ask.level, ask.session_id, most),
        lambda one: one.key,
        ask.limit,
        ask.after,
    )
    return said(found)
