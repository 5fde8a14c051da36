"""Retrieval's part of `UserMemory`: search, explore, traverse, query and read; and, for an agent in a
conversation, what a message needs of the memory and the context to answer it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from remanent.core.checks import choice, limited
from remanent.core.later import later
from remanent.core.model.page import Page
from remanent.core.model.search import Explanation, Hits, Mode, Phrasings
from remanent.core.model.source import Source
from remanent.core.read import if_writable, read_key
from remanent.core.user_handle import UserHandle, takes_fields_of, verb
from remanent.errors import InvalidInput
from remanent.ingest.shared import enqueue_shared, extract_shared
from remanent.retrieval.model import (
    Before,
    Context,
    ContextRequest,
    Explored,
    ExploreRequest,
    SearchArguments,
    WhyNotArguments,
)

if TYPE_CHECKING:
    from remanent.beliefs import recall
    from remanent.cypher import query
    from remanent.retrieval import (
        abbreviations,
        context,
        explore,
        phrasings,
        profile,
        search,
        traverse,
        why_not,
    )
    from remanent.retrieval.rules import ranking
else:
    recall = later("remanent.beliefs.recall")
    query = later("remanent.cypher.query")
    abbreviations = later("remanent.retrieval.abbreviations")
    context = later("remanent.retrieval.context")
    explore = later("remanent.retrieval.explore")
    phrasings = later("remanent.retrieval.phrasings")
    profile = later("remanent.retrieval.profile")
    ranking = later("remanent.retrieval.rules.ranking")
    search = later("remanent.retrieval.search")
    traverse = later("remanent.retrieval.traverse")
    why_not = later("remanent.retrieval.why_not")


class RetrievalApi(UserHandle):
    """The verbs that find."""

    @takes_fields_of(SearchArguments)
    def search(self, given: SearchArguments) -> Hits:
        """One ranked list over all this user may see, each hit with where it was said.

        Filters are hard. `as_of` asks what was true then, `known_at` what this memory knew then.
        `after` goes on behind a hit's cursor. What answers nearly as well as the best hit of the page
        counts as access, at most once an hour; with `touch=False`, or of the past, nothing is written.
        `mode="deep"` asks in other words as well and joins the answers; it has no pages.
        """
        scope, limit = self.scope, limited(given.limit)
        find = partial(search.search_hits, self.env, scope, explain=given.explain)
        if choice("mode", Mode, given.mode) is Mode.FAST:
            hits = find(given.request(given.query), limit=limit, after=given.after)
        elif given.after is not None:
            raise InvalidInput("after", "a deep search has no pages")
        else:
            hits = phrasings.search_phrasings(
                phrasings.rephrase(self.env, scope, given.query),
                lambda text, most: find(given.request(text), limit=most),
                limit=limit,
            )
        if given.touch:
            with if_writable():
                enqueue_shared(self.env, scope, hits)
            if given.as_of is None and given.known_at is None:
                share = self.env.config.lifecycle.used_from
                least = ranking.used_from([hit.score for hit in hits], share)
                recall.record_use(self.env, scope, [hit.key for hit in hits if hit.score >= least])
        return hits

    @takes_fields_of(WhyNotArguments)
    def why_not(self, given: WhyNotArguments) -> Explanation:
        """Why a search with these filters does not return the memory of that key, or where it does."""
        request = given.request(given.query)
        return why_not.why_not(self.env, self.scope, given.key, request, limit=limited(given.limit))

    @takes_fields_of(ExploreRequest)
    def explore(self, request: ExploreRequest) -> Explored:
        """What this memory holds on something: sources (granularity 1), storylines (2) or macros (3),
        each with the people, things and relationships that go with it. What is returned is
        strengthened, unless `touch` is False."""
        scope = self.scope
        explored = explore.explore_memory(self.env, scope, request)
        if request.touch and scope.teams:
            keys = [hit.entity_key for hit in explored.episodic.sources]
            nodes = self.env.graph.get_many(scope, keys).values()
            with if_writable():
                extract_shared(self.env, scope, [one for one in nodes if isinstance(one, Source)])
        return explored

    traverse = verb(lambda: traverse.traverse_graph)
    cypher = verb(lambda: query.run_cypher)

    def read(self, key: str) -> Page:
        """One memory by key (or the unambiguous beginning of one)."""
        scope = self.scope
        page = read_key(self.env, scope, key)
        if isinstance(page.node, Source):
            with if_writable():
                extract_shared(self.env, scope, [page.node])
        return page


class ContextApi(UserHandle):
    """The verbs for an agent that holds a conversation."""

    needs_memory = verb(lambda: context.needs_memory)

    def phrasings(self, query: str, before: Before = ()) -> Phrasings:
        """The question in full, then in other words: what a deep search goes by."""
        return phrasings.rephrase(self.env, self.scope, query, before)

    @takes_fields_of(ContextRequest)
    def context(self, request: ContextRequest) -> Context:
        """What to know before answering `message`, ready for a prompt, in at most `budget` tokens.

        `count` counts tokens as your model does; ours rather overcounts. Every line counts as an access
        to its memory, at most once an hour, or once where it stands there whatever is asked; not if
        `touch` is False or it asks about the past.
        """
        return context.prepare_context(self.env, self.scope, request)

    about_me = verb(lambda: profile.owner_profile)
    define = verb(lambda: abbreviations.define)
    undefine = verb(lambda: abbreviations.undefine)
    abbreviations = verb(lambda: abbreviations.list_abbreviations)
