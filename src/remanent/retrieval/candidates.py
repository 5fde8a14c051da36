"""Candidates: everything that may answer an request, by meaning and by text (SPEC 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from remanent.anchors.relationships import relationships_of
from remanent.beliefs.rules.belief import similarity
from remanent.core.dataclasses import dataclass, field
from remanent.core.env import Env
from remanent.core.index_entries import NOTES_SUFFIX
from remanent.core.model.anchor import Anchor, Name
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.source import Artifact, Source
from remanent.core.model.story import Macro, Story, Storyline
from remanent.core.on_behalf import vector_of, withheld_from
from remanent.core.ports.embedder import question_scale
from remanent.core.ports.graph import Nodes
from remanent.core.ports.index import Match
from remanent.retrieval.model import ExploreRequest, Query
from remanent.retrieval.rules import explore
from remanent.retrieval.rules.explore import Speller

ANCHORS = (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)
STORIES = (Kind.STORYLINE, Kind.MACRO)
# Each sort is looked for by itself, so that many passages do not crowd out the few people.
SORTS = (ANCHORS, (Kind.RELATIONSHIP,), (Kind.SOURCE, Kind.PASSAGE), STORIES, (Kind.ARTIFACT,))
BY_TEXT = ((Kind.RELATIONSHIP,), (Kind.SOURCE, Kind.PASSAGE), (Kind.ARTIFACT,))
ASPECTS = ((Kind.SOURCE,), (Kind.PERSON,), (Kind.CONCEPT, Kind.ENTITY))
NEAREST = 3  # of each aspect, whose words stand for it
MOST_STORIES = 1000  # whose names are compared letter by letter
NO_EMBEDDING = "no embedding was to be had: the queries were matched by their words alone"

Scores = dict[str, float]


@dataclass(slots=True)
class Gathered:
    """Scores from 0 to 1 by key, one list for each query and one for all texts.

    Nodes and relationships stand in `queries` and `text`, passages under their source in
    `passages`; `relationships` are those that may be thought of.
    """

    queries: list[Scores] = field(default_factory=list)
    text: Scores = field(default_factory=dict)
    passages: dict[str, Scores] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)  # of relationships: a node they start from
    relationships: dict[str, Relationship] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @property
    def lists(self) -> list[Scores]:
        """All that is to be fused: for one query, what it and the texts say together."""
        if len(self.queries) == 1:
            both = dict(self.queries[0])
            for key, score in self.text.items():
                _raise_score(both, key, score)
            return [both]
        return [*self.queries, self.text] if self.text else self.queries

    def explained(self, key: str) -> Scores:
        """How it was found: the best similarity to a query, the best match of a text."""
        signals = {"similarity": max((one.get(key, 0.0) for one in self.queries), default=0.0)}
        return signals | {"text": self.text.get(key, 0.0)}


def gather_candidates(
    env: Env, scope: Scope, request: ExploreRequest, queries: Sequence[Query]
) -> Gathered:
    """What may answer. Relationships that the filters bar are gone before anything is scored."""
    gathered = Gathered()
    for query in queries:
        scores = _by_meaning(env, scope, query, gathered)
        gathered.queries.append(scores)
    names = env.graph.names(scope) if request.text_matches or gathered.owners else []
    for text in request.text_matches:
        _by_text(env, scope, text, names, gathered)
    _filter_relationships(env, scope, request, gathered)
    _bring_ends(env, {name.key for name in names if name.is_owner}, gathered)
    return gathered


# -- by meaning ---------------------------------------------------------------------------


def _by_meaning(env: Env, scope: Scope, query: Query, gathered: Gathered) -> Scores:
    scores: Scores = {}
    for match, score in _matches(env, scope, query, gathered):
        _raise_score(scores, _place(match, gathered), score)
        if match.kind is Kind.PASSAGE:
            _raise_score(gathered.passages.setdefault(match.owner_key, {}), match.key, score)
    return scores


def _matches(
    env: Env, scope: Scope, query: Query, gathered: Gathered
) -> Iterable[tuple[Match, float]]:
    pool = env.config.exploring.pool
    vector = vector_of(env.embedder, scope, "explore", query.query, kind="question")
    if vector is None:
        if NO_EMBEDDING not in gathered.remarks:
            gathered.remarks.append(NO_EMBEDDING)
        return _by_words(env, scope, query.query)
    scale = question_scale(env.embedder)
    near = (
        match for kinds in SORTS for match in env.index.near(scope, vector, kinds=kinds, limit=pool)
    )
    scaled = ((match, similarity(match.score, scale)) for match in near)
    return [(match, score) for match, score in scaled if score >= query.threshold]


def aspects(env: Env, scope: Scope, query: Query) -> list[Query]:
    """The query once more for each of its aspects (what happened, people, concepts and things), with
    the words for what the memory holds nearest to it there; none of what an embedder must not read."""
    vector = vector_of(env.embedder, scope, "explore", query.query, kind="question")
    if vector is None:
        return []
    scale, found = question_scale(env.embedder), []
    for kinds in ASPECTS:
        near = env.index.near(scope, vector, kinds=kinds, limit=NEAREST)
        keys = [one.key for one in near if similarity(one.score, scale) >= query.threshold]
        nodes = env.graph.get_many(scope, keys)
        private = withheld_from(env.embedder, scope, env.graph, keys)
        words = [
            word
            for key in keys
            if key in nodes and key not in private
            for word in _words_for(nodes[key])
            if word.casefold() not in query.query.casefold()
        ]
        if words:
            text = f"{query.query}: {', '.join(dict.fromkeys(words))}"
            found.append(Query(query=text, threshold=query.threshold))
    return found


def _words_for(node: Node) -> Sequence[str]:
    if isinstance(node, Source):
        return node.keywords[:NEAREST]
    return (node.name,) if isinstance(node, Anchor) else ()


def passages_of(env: Env, scope: Scope, source_key: str, queries: Sequence[Query]) -> Scores:
    """How like the queries a source's passages are, however little; its first ones without any.

    For a source that was found by its summary alone, and is to be shown with its passages.
    """
    within = {Kind.PASSAGE: (source_key,)}
    scores: Scores = {}
    for query in queries:
        vector = vector_of(env.embedder, scope, "explore", query.query, kind="question")
        if vector is None:
            break
        near = env.index.near(
            scope, vector, kinds=(Kind.PASSAGE,), limit=env.config.exploring.passages, within=within
        )
        for match in near:
            _raise_score(scores, match.key, similarity(match.score, question_scale(env.embedder)))
    first = env.graph.passages(scope, source_key)[: env.config.exploring.passages]
    return scores or dict.fromkeys((one.key for one in first), 0.0)


def _by_words(env: Env, scope: Scope, query: str) -> list[tuple[Match, float]]:
    """BM25 over its best; thresholds are similarities and say nothing about it."""
    matches = [
        match
        for kinds in SORTS
        for match in env.index.match(scope, query, kinds=kinds, limit=env.config.exploring.pool)
    ]
    top = max((match.score for match in matches), default=0.0)
    return [(match, match.score / top) for match in matches if top > 0]


# -- by text ------------------------------------------------------------------------------


def _by_text(env: Env, scope: Scope, text: str, names: Sequence[Name], gathered: Gathered) -> None:
    speller = Speller(text, env.config.exploring)
    for name in names:
        _raise_score(gathered.text, name.key, speller.names((name.name, *name.aliases)))
    stories: list[Story] = [*env.graph.select(scope, Nodes(Storyline, limit=MOST_STORIES))]
    stories += env.graph.select(scope, Nodes(Macro, limit=MOST_STORIES))
    for story in stories:
        _raise_score(gathered.text, story.key, speller.names((story.name,)))
    for key in env.graph.tagged(scope, [text], limit=env.config.exploring.pool):
        _raise_score(gathered.text, key, 1.0)
    for kinds in BY_TEXT:
        matches = env.index.match(scope, text, kinds=kinds, limit=env.config.exploring.pool)
        _read(env, scope, text, matches, gathered)


def _read(env: Env, scope: Scope, text: str, matches: Sequence[Match], gathered: Gathered) -> None:
    """Judge by their own words those that share a word with the text."""
    nodes = env.graph.get_many(
        scope, [match.owner_key for match in matches if match.kind is not Kind.RELATIONSHIP]
    )
    passages = env.graph.passages_by_key(
        scope, [match.key for match in matches if match.kind is Kind.PASSAGE]
    )
    for match in matches:
        place = _place(match, gathered)
        if match.kind is Kind.RELATIONSHIP:
            _raise_score(gathered.text, place, _score_of_relationship_text(env, scope, text, place))
        elif match.key in passages:
            score = explore.text_match(text, passages[match.key].text, env.config.exploring)
            _raise_score(gathered.text, place, score)
            _raise_score(gathered.passages.setdefault(place, {}), match.key, score)
        elif place in nodes:
            _raise_score(gathered.text, place, _score_of_node_text(env, text, nodes[place]))


def _score_of_node_text(env: Env, text: str, node: Node) -> float:
    if isinstance(node, Source):
        texts: tuple[str, ...] = (node.title, node.summary, *node.keywords, *node.tags)
    elif isinstance(node, Artifact):
        texts = (node.name, node.description)
    else:
        return 0.0
    return max(explore.text_match(text, one, env.config.exploring) for one in texts)


def _score_of_relationship_text(env: Env, scope: Scope, text: str, key: str) -> float:
    one = env.graph.relationship(scope, key)
    if one is None:
        return 0.0
    notes = env.graph.notes(scope, key, limit=env.config.exploring.snippets)
    texts = (one.relationship_type, one.description, *(note.content for note in notes))
    return max(explore.text_match(text, part, env.config.exploring) for part in texts)


# -- relationships ------------------------------------------------------------------------


def _filter_relationships(
    env: Env, scope: Scope, request: ExploreRequest, gathered: Gathered
) -> None:
    """Keep the relationships that held then and that the filters let through."""
    for key, owner in gathered.owners.items():
        one = _relationship_as_of(env, scope, request, key, owner)
        if one is not None and passes_filters(one, request):
            gathered.relationships[key] = one
    for key in gathered.owners.keys() - gathered.relationships.keys():
        for scores in (*gathered.queries, gathered.text):
            scores.pop(key, None)


def _relationship_as_of(
    env: Env, scope: Scope, request: ExploreRequest, key: str, owner: str
) -> Relationship | None:
    if request.known_at is None:
        one = env.graph.relationship(scope, key)
        return one if one is not None and holds(one, request) else None
    relationships = relationships_of(
        env, scope, owner, as_of=request.as_of, known_at=request.known_at
    )
    return next((one for one in relationships if one.key == key), None)


def _bring_ends(env: Env, owner: set[str], gathered: Gathered) -> None:
    """A relationship that fits brings to mind those it is between; the owner is in most."""
    for scores in (*gathered.queries, gathered.text):
        for key, one in gathered.relationships.items():
            for end in {one.src, one.dst} - owner:
                _raise_score(scores, end, env.config.exploring.end_share * scores.get(key, 0.0))


def passes_filters(relationship: Relationship, request: ExploreRequest) -> bool:
    """Whether it may be thought of: not archived, and let through."""
    archived = relationship.life.state is State.ARCHIVED
    return not archived and explore.passes(relationship, request.checked_filters)


def holds(relationship: Relationship, request: ExploreRequest) -> bool:
    """Whether it holds at the time asked about."""
    if request.as_of is None:
        return relationship.valid_to is None
    return relationship.holds_at(request.as_of)


def _place(match: Match, gathered: Gathered) -> str:
    """The key a match counts for: a passage counts for its source, notes for their relationship."""
    if match.kind is Kind.PASSAGE:
        return match.owner_key
    if match.kind is Kind.RELATIONSHIP:
        key = match.key.removesuffix(NOTES_SUFFIX)
        gathered.owners[key] = match.owner_key
        return key
    return match.owner_key if match.kind in STORIES else match.key


def _raise_score(scores: Scores, key: str, score: float) -> None:
    if score > scores.get(key, 0.0):
        scores[key] = score
