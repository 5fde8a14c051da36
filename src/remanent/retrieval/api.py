"""Retrieving: the right piece of a user's memory, at the right level of detail.

Minding: what a message asks of a user's memory, and what an agent should know to answer it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from remanent.core.checks import choice, limited, point
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.page import Page
from remanent.core.model.scope import Scope
from remanent.core.model.search import (
    Abbreviation,
    Explanation,
    Hits,
    Mode,
    Need,
    Phrasings,
    RawSearchRequest,
    Rows,
)
from remanent.core.model.source import Sensitivity, Source
from remanent.core.read import read_key
from remanent.core.user_handle import UserHandle
from remanent.cypher.query import run_cypher
from remanent.errors import InvalidInput
from remanent.ingest.extract import extract_shared, found
from remanent.retrieval import abbreviations
from remanent.retrieval.context import prepare_context
from remanent.retrieval.explore import explore_memory
from remanent.retrieval.model.exploration import (
    Context,
    Explored,
    Occasion,
    RelationshipFilters,
    Traversal,
)
from remanent.retrieval.need import needs_memory
from remanent.retrieval.phrasings import rephrase, search_phrasings
from remanent.retrieval.rules import ranking
from remanent.retrieval.rules.explore import Inquiry, Queries
from remanent.retrieval.search import search_hits
from remanent.retrieval.traverse import traverse_graph
from remanent.retrieval.why_not import why_not


class RetrievalApi(UserHandle):
    """The verbs that find."""

    def search(  # noqa: PLR0913 - every filter is one of them
        self,
        query: str,
        limit: int = 10,
        *,
        kinds: Sequence[str | Kind] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        types: Sequence[str] = (),
        team: str | None = None,
        speaker: str | None = None,
        not_speaker: str | None = None,
        anchor: str | None = None,
        states: Sequence[str | State] = (),
        sensitivity: Sequence[str | Sensitivity] = (),
        include_archived: bool = False,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        explain: bool = False,
        after: str | None = None,
        touch: bool = True,
        mode: str | Mode = Mode.FAST,
    ) -> Hits:
        """One ranked list over all this user may see, each hit with where it was said.

        Filters are hard. `as_of` asks what was true then, `known_at` what this memory knew then.
        `after` goes on behind a hit's cursor. With `touch=False` nothing at all is written.
        `mode="deep"` asks in other words as well and joins the answers; it has no pages.
        """
        raw = RawSearchRequest(
            query=query,
            kinds=kinds,
            since=since,
            until=until,
            types=types,
            team=team,
            speaker=speaker,
            not_speaker=not_speaker,
            anchor=anchor,
            states=states,
            sensitivity=sensitivity,
            include_archived=include_archived,
            as_of=as_of,
            known_at=known_at,
        )
        scope = self.scope
        if choice("mode", Mode, mode) is Mode.DEEP:
            if after is not None:
                raise InvalidInput("after", "a deep search has no pages")
            hits = self._deep(scope, raw, limited(limit), explain=explain, touch=touch)
        else:
            hits = search_hits(
                self.env,
                scope,
                raw,
                limit=limited(limit),
                after=after,
                explain=explain,
                touch=touch,
            )
        if touch:
            found(self.env, scope, hits)
        return hits

    def _deep(
        self, scope: Scope, raw: RawSearchRequest, limit: int, *, explain: bool, touch: bool
    ) -> Hits:
        """The question in every phrasing, each through the same filters."""

        def find(text: str, most: int) -> Hits:
            other = replace(raw, query=text)
            return search_hits(self.env, scope, other, limit=most, explain=explain, touch=touch)

        return search_phrasings(rephrase(self.env, scope, raw.query), find, limit=limit)

    def why_not(  # noqa: PLR0913 - the filters of search
        self,
        key: str,
        query: str,
        limit: int = 10,
        *,
        kinds: Sequence[str | Kind] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        types: Sequence[str] = (),
        team: str | None = None,
        speaker: str | None = None,
        not_speaker: str | None = None,
        anchor: str | None = None,
        states: Sequence[str | State] = (),
        sensitivity: Sequence[str | Sensitivity] = (),
        include_archived: bool = False,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Explanation:
        """Why a search with these filters does not return the memory of that key, or where it does."""
        raw = RawSearchRequest(
            query=query,
            kinds=kinds,
            since=since,
            until=until,
            types=types,
            team=team,
            speaker=speaker,
            not_speaker=not_speaker,
            anchor=anchor,
            states=states,
            sensitivity=sensitivity,
            include_archived=include_archived,
            as_of=as_of,
            known_at=known_at,
        )
        return why_not(self.env, self.scope, key, raw, limit=limited(limit))

    def explore(  # noqa: PLR0913 - SPEC 8 lists them
        self,
        queries: Queries = None,
        text_matches: str | Sequence[str] = (),
        relationship_filters: Mapping[str, Any] | RelationshipFilters | None = None,
        granularity: int = 1,
        *,
        multi_query: bool = False,
        mode: str = "fast",
        weights: Mapping[str, float] | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        return_explanations: bool = False,
        touch: bool = True,
    ) -> Explored:
        """What this memory holds on something: sources (granularity 1), storylines (2) or macros (3),
        each with the people, things and relationships that go with it. What is returned is
        strengthened, unless `touch` is False."""
        inquiry = Inquiry(
            queries=queries,
            text_matches=text_matches,
            relationship_filters=relationship_filters,
            granularity=granularity,
            multi_query=multi_query,
            mode=mode,
            weights=weights,
            as_of=as_of,
            known_at=known_at,
            return_explanations=return_explanations,
        )
        scope = self.scope
        found = explore_memory(self.env, scope, inquiry, touch=touch)
        if touch and scope.teams:
            keys = [one.entity_key for one in found.episodic.sources]
            nodes = self.env.graph.get_many(scope, keys).values()
            extract_shared(self.env, scope, [one for one in nodes if isinstance(one, Source)])
        return found

    def traverse(  # noqa: PLR0913 - SPEC 8 lists them
        self,
        seeds: str | Sequence[str],
        *,
        max_depth: int | None = None,
        damping: float | None = None,
        top_k: int | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        touch: bool = True,
        include_links: bool = True,
    ) -> Traversal:
        """What hangs together with the memories of these keys: all that a walk from them comes by,
        most often first, each with the way to it.

        `as_of` walks what held then, `known_at` what this memory knew then. What is returned is
        strengthened, unless `touch` is False or the question is about the past.
        """
        return traverse_graph(
            self.env,
            self.scope,
            seeds,
            ranking.checked(max_depth, damping, top_k, self.env.config.pagerank),
            as_of=point("as_of", as_of),
            known_at=point("known_at", known_at),
            touch=touch,
            include_links=include_links,
        )

    def cypher(
        self,
        text: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        include_archived: bool = False,
    ) -> Rows:
        """A read-only Cypher query over all this user may see and nothing else.

        `as_of` asks of the graph as it held then, `known_at` of the graph as it was recorded then;
        `limit` rows and `timeout` seconds are at most what the settings allow. Nothing is written,
        and nothing counts as recalled.
        """
        return run_cypher(
            self.env,
            self.scope,
            text,
            parameters,
            as_of=as_of,
            known_at=known_at,
            limit=limit,
            timeout=timeout,
            include_archived=include_archived,
        )

    def read(self, key: str) -> Page:
        """One memory by key (or the unambiguous beginning of one)."""
        scope = self.scope
        page = read_key(self.env, scope, key)
        if isinstance(page.node, Source):
            extract_shared(self.env, scope, [page.node])
        return page


Before = Sequence[str | Mapping[str, Any]]


class ContextApi(UserHandle):
    """The verbs for an agent that holds a conversation."""

    def needs_memory(self, message: str, before: Before = ()) -> Need:
        """Whether the message can only be answered well out of memory, and why.

        `before` is the conversation so far: texts, or turns `{speaker, text}`.
        """
        return needs_memory(self.env, self.scope, message, before)

    def phrasings(self, query: str, before: Before = ()) -> Phrasings:
        """The question in full, then in other words: what a deep search goes by."""
        return rephrase(self.env, self.scope, query, before)

    def context(
        self,
        message: str,
        budget: int = 1500,
        *,
        before: Before = (),
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        touch: bool = True,
        count: Callable[[str], int] | None = None,
    ) -> Context:
        """What to know before answering `message`, ready for a prompt, in at most `budget` tokens.

        `count` counts tokens as your model does; ours rather overcounts. What is recalled for it is
        strengthened, unless `touch` is False.
        """
        occasion = Occasion(
            message=message,
            budget=budget,
            before=before,
            as_of=as_of,
            known_at=known_at,
            touch=touch,
            count=count,
        )
        return prepare_context(self.env, self.scope, occasion)

    def define(self, short: str, long: str) -> Abbreviation:
        """Let a short form stand for a long one in this user's questions."""
        return abbreviations.define(self.env, self.scope, short, long)

    def undefine(self, short: str) -> bool:
        """Take a short form as it stands again, whatever was set or a source says; whether that is news."""
        return abbreviations.undefine(self.env, self.scope, short)

    def abbreviations(self) -> list[Abbreviation]:
        """All short forms that are set, and all that this user's sources explain."""
        return abbreviations.listed(self.env, self.scope)
