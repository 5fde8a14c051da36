"""Rank: how well everything the caller may see fits a question (SPEC 8).

Words and meaning, each with its margin kept, of a thing itself, of what is around it and of
its whole source; when it was said; and whether it looks like an answer to what is asked. All in
one weighted sum. Where the best ones say the same, the newest goes first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from remanent.anchors.resolve import first_names
from remanent.beliefs.rules.belief import similarity
from remanent.core import passage_features
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.index_entries import NOTES_SUFFIX, TEAM_SUFFIX
from remanent.core.model.belief import Belief
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.on_behalf import embedder_for
from remanent.core.ports.embedder import question_scale
from remanent.core.ports.index import Few, PassageFilter, Question, Vector, Weighed, Within
from remanent.errors import EmbedderError
from remanent.retrieval.model import Candidate
from remanent.retrieval.rules import question, ranking
from remanent.retrieval.rules.ranking import NEWER

NOTHING: Final[Mapping[str, float]] = MappingProxyType({})


def rank_entries(  # noqa: PLR0913 - one for each way to narrow it
    env: Env,
    scope: Scope,
    query: str,
    *,
    kinds: Sequence[Kind],
    within: Within | None = None,
    passages: PassageFilter | None = None,
    pool: int | None = None,
    cold: bool = False,
    asked: Question | None = None,
    believed: Mapping[str, float] = NOTHING,
    first: int | None = None,
) -> list[Candidate]:
    """The best `pool` of all there is, best first; the same memory, query and day give the
    same scores.

    `within` names the only owners of some kinds, `passages` who may have said it, and when; with `cold`
    archived sources are ranked as well; `asked` is the question
    where it was put already; each passage in `believed` is worth so much more, or the best of each source. A source is as good
    as the best of its passages; where those are asked for too, they speak for themselves, and it by its
    summary. With `first` only so many of them are told of, as they stand among all.
    """
    by_passage = is_by_passage(kinds)
    passages_too = (Kind.PASSAGE, *(kind for kind in kinds if kind is not Kind.SOURCE))
    limit = pool or env.config.ranking.pool
    weighed = env.index.weigh(
        scope,
        asked or question_of(env, scope, query, kinds=kinds),
        kinds=passages_too if by_passage else kinds,
        limit=limit if first is None else Few(limit, first, believed.keys()),
        within=_for_passages(within) if by_passage else within,
        passages=passages,
        cold=cold,
    )
    by_key: dict[str, Weighed] = {}
    for one in weighed:  # best first: the first of a source is the best of it
        by_key.setdefault(
            one.owner_key if by_passage and one.kind is Kind.PASSAGE else one.key, one
        )
    lifted = _lifted(by_key, believed)
    scores = _newest_first(env, query, lifted, by_passage=by_passage)
    pool_signals = {key: _signals(one, scores[key]) for key, one in lifted.items()}
    return [
        Candidate(
            entry=key,
            key=key.removesuffix(NOTES_SUFFIX).removesuffix(TEAM_SUFFIX),
            kind=Kind.SOURCE if by_passage and one.kind is Kind.PASSAGE else one.kind,
            owner=one.owner_key,
            score=scores[key],
            signals=pool_signals[key],
            pool=pool_signals,
            covered=one.covered,
            cosine=one.cosine,
        )
        for key, one in ((key, by_key[key]) for key in ranking.ordered(scores)[:first])
    ]


def strength_of(env: Env, one: Candidate) -> float:
    """How well it answers, from 0 to 1, whatever else there is."""
    return ranking.answering(one.covered, similarity(one.cosine, question_scale(env.embedder)))


def question_of(env: Env, scope: Scope, query: str, *, kinds: Sequence[Kind]) -> Question:
    """The question as the index is asked: embedding it is the dear part, and done once."""
    today = env.clock.now().date()
    weights = ranking.weights(env.config.ranking)
    if question.is_of_several(query):
        weights = ranking.of_several(weights, env.config.ranking)
    periods = question.periods(query, today)
    if periods:  # whoever says when does not mean lately
        weights.pop("recent")
    if question.is_of_days(query, today):  # no other word or meaning can outweigh them
        weights["period"] += sum(weights.values())
    compared = question.compared_things(query)
    vector, *others = _vectors(env, scope, [query, *compared])
    return Question(
        text=question.without_asking_words(question.without_dates(query)),
        vector=vector,
        weights=weights,
        marks=question.feature_weights(query, env.config.ranking),
        today=today,
        fades_days=env.config.ranking.fades_days,
        periods=periods,
        aside=passage_features.ASSISTANT,
        aside_share=(
            1.0 if question.is_to_the_assistant(query) else env.config.ranking.assistant_share
        ),
        one_each=is_by_passage(kinds),
        also=list(zip(map(question.without_asking_words, compared), others, strict=True)),
        also_share=env.config.ranking.compared_share,
    )


def also_by_first_names(env: Env, scope: Scope, query: str, asked: Question) -> Question:
    """The question that also calls whom it calls by the full name as they do who wrote of somebody they know
    well. Words and meaning then count for a share, and so does how long ago it was."""
    texts = _shorter_names(env, scope, query)
    if not texts:
        return asked
    plain = map(question.without_asking_words, texts)
    also = [*asked.also, *zip(plain, _vectors(env, scope, texts), strict=True)]
    return replace(_less_recent(env, asked, env.config.ranking.compared_share), also=also)


def asked_of_the_past(env: Env, asked: Question) -> Question:
    """The question as archived sources are asked as well: how long ago it was counts for less."""
    return _less_recent(env, asked, env.config.ranking.cold_recent)


def _less_recent(env: Env, asked: Question, share: float) -> Question:
    recent = min(share * env.config.ranking.recent, asked.weights.get("recent", 0.0))
    return replace(asked, weights={**asked.weights, "recent": recent})


def _shorter_names(env: Env, scope: Scope, query: str) -> list[str]:
    """The query with a first name alone for each person whom it calls in full and nobody else is called."""
    shorter = query
    for full, first in first_names(env, scope, query).items():
        shorter = shorter.replace(full, first)
    return [shorter] if shorter != query else []


def lifted_by_beliefs(env: Env, scope: Scope, query: str, asked: Question) -> dict[str, float]:
    """The passages that the beliefs which answer best were last read from, or the sources where those are asked
    for, each with what it is worth more for that: the words of a belief are often nearer to the question, and
    it stays at hand when its source does not. A source says many things, and is worth more only by the square
    of how well the belief answers."""
    rules, beliefs = env.config.ranking, replace(asked, one_each=False)
    most = rules.believed_count
    worth = rules.believed * (rules.several_believed if question.is_of_several(query) else 1.0)
    ranked = rank_entries(env, scope, query, kinds=(Kind.BELIEF,), pool=most, asked=beliefs)
    nodes = env.graph.get_many(scope, [one.key for one in ranked]) if ranked else {}
    found: dict[str, float] = {}
    for one in ranked:
        node = nodes.get(one.key)
        supports = reversed(node.supports) if isinstance(node, Belief) else ()
        last = next((each for each in supports if each.source_key), None)
        place = last and (
            last.source_key if asked.one_each else last.passage_key or last.source_key
        )
        if place:
            fit = strength_of(env, one)
            found.setdefault(place, worth * (fit * fit if asked.one_each else fit))
    return found


def _vectors(env: Env, scope: Scope, texts: Sequence[str]) -> Sequence[Vector | None]:
    try:
        return list(embedder_for(env.embedder, scope, "search").embed(texts, kind="question"))
    except EmbedderError:  # words alone must do
        return [None] * len(texts)


def _lifted(by_key: dict[str, Weighed], believed: Mapping[str, float]) -> dict[str, Weighed]:
    """These, each that is believed, or the best of its source, worth so much more."""
    best = {one.owner_key: key for key, one in reversed(by_key.items())}
    lifted = dict(by_key)
    for place, worth in believed.items():
        key = place if place in by_key else best.get(place)
        if key is not None:
            one = lifted[key]
            signals = {**one.signals, "believed": worth + one.signals.get("believed", 0.0)}
            lifted[key] = one._replace(score=one.score + worth, signals=signals)
    return lifted


def _newest_first(
    env: Env, query: str, by_key: Mapping[str, Weighed], *, by_passage: bool
) -> dict[str, float]:
    """Scores in which the newest of the best that say the same have changed places with the older.

    To say the same is to have nearly as many of the question's words as the one that has most. Of
    passages, only what people say moves, and only for a question about the present.
    """
    scores = {key: one.score for key, one in by_key.items()}
    if question.of_then(query) or not (by_passage or question.of_now(query)):
        return scores
    rules = env.config.ranking
    least = rules.lexical * (rules.newer_likeness if by_passage else rules.newer_likeness_now)
    best = ranking.ordered(scores)[: rules.newer_count]
    said_at = {
        key: (one.day, _place(one))
        for key in best
        if (one := by_key[key]).day is not None
        and one.signals.get("lexical", 0.0) >= least > 0.0
        and (by_passage or not one.signals.get("voice"))
    }
    placed = ranking.newest_first(best, said_at)
    return scores | {new: scores[old] for old, new in zip(best, placed, strict=True)}


def _place(one: Weighed) -> int:
    """The place of a passage in its source; what is no passage has none."""
    number = one.key.rpartition("#")[2]
    return int(number) if one.kind is Kind.PASSAGE and number.isdecimal() else 0


def is_by_passage(kinds: Sequence[Kind]) -> bool:
    """Whether passages are ranked to find their sources."""
    return Kind.SOURCE in kinds and Kind.PASSAGE not in kinds


def _for_passages(within: Within | None) -> Within | None:
    if within is None or Kind.SOURCE not in within:
        return within
    return {**within, Kind.PASSAGE: within[Kind.SOURCE]}


def _signals(one: Weighed, score: float) -> dict[str, float]:
    """The parts of the score, with what the exchange of places added to it."""
    changed = {} if score == one.score else {NEWER: score - one.score}
    return {**one.signals, **changed}
