"""Exploration: its request checked, every wrong field named; and how it gathers, ranks and cuts to size what
may answer it (SPEC 8)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from typing import Any

from remanent.core.checks import IntakeRules, choice, point, share, statement, whole
from remanent.core.dataclasses import dataclass, fields, replace
from remanent.core.model.anchor import Anchor, Note, Person
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Node
from remanent.core.model.relationship import Relationship
from remanent.core.model.search import Mode
from remanent.core.model.source import Source
from remanent.core.model.story import Macro, Storyline
from remanent.errors import InvalidInput
from remanent.retrieval.model import (
    ExploreRequest,
    Granularity,
    Queries,
    Query,
    RelationshipFilters,
)
from remanent.retrieval.rules import ranking
from remanent.retrieval.rules.ranking import RankingRules

MOST_QUERIES = 10
MOST_TEXTS = 20
_LOWEST, _HIGHEST = 1, 5
_TYPES = ("relationship_types", "exclude_relationship_types")


def checked(
    request: ExploreRequest, *, rules: ExploringRules, ranking: RankingRules, intake: IntakeRules
) -> ExploreRequest:
    """The same request with every value as it is compared, or `InvalidInput` naming the first field
    that is wrong."""
    queries = _queries(request.queries, rules, intake)
    texts = _texts(request.text_matches, intake)
    if not queries and not texts:
        raise InvalidInput("queries", "are empty, and so are text_matches: one of them is needed")
    return replace(
        request,
        queries=queries,
        text_matches=texts,
        relationship_filters=_filters(request.relationship_filters),
        granularity=_granularity(request.granularity),
        multi_query=bool(request.multi_query),
        mode=choice("mode", Mode, request.mode),
        weights=_weights(request.weights, ranking),
        as_of=point("as_of", request.as_of),
        known_at=point("known_at", request.known_at),
        return_explanations=bool(request.return_explanations),
    )


def _queries(given: Queries, rules: ExploringRules, intake: IntakeRules) -> tuple[Query, ...]:
    if given is None:
        return ()
    listed = _listed("queries", given, MOST_QUERIES)
    return tuple(_query(f"queries[{n}]", one, rules, intake) for n, one in enumerate(listed))


def _query(where: str, given: object, rules: ExploringRules, intake: IntakeRules) -> Query:
    text, threshold = given, rules.threshold
    if isinstance(given, Query):
        text, threshold = given.query, given.threshold
    elif isinstance(given, Mapping):
        _known(where, given, ("query", "threshold"))
        text, threshold = given.get("query", ""), given.get("threshold", threshold)
    words = statement(f"{where}.query", text, intake.max_statement_characters)
    return Query(query=words, threshold=share(f"{where}.threshold", threshold))


def _texts(given: object, intake: IntakeRules) -> tuple[str, ...]:
    listed = _listed("text_matches", given, MOST_TEXTS)
    limit = intake.max_statement_characters
    return tuple(statement(f"text_matches[{n}]", one, limit) for n, one in enumerate(listed))


def _listed(field: str, given: object, most: int) -> Sequence[object]:
    listed = [given] if isinstance(given, (str, Mapping, Query)) else given
    if not isinstance(listed, Sequence) or isinstance(listed, (bytes, bytearray)):
        raise InvalidInput(field, f"must be text or a list, not {type(given).__name__}")
    if len(listed) > most:
        raise InvalidInput(field, f"are {len(listed)}; at most {most} are taken at once")
    return listed


def _granularity(value: object) -> Granularity:
    if isinstance(value, int) and not isinstance(value, bool) and value in (1, 2, 3):
        return Granularity(value)
    raise InvalidInput(
        "granularity", f"{value!r} is not one of: 1 (sources), 2 (storylines), 3 (macros)"
    )


def _filters(given: object) -> RelationshipFilters:
    where = "relationship_filters"
    if given is None:
        return RelationshipFilters()
    if isinstance(given, RelationshipFilters):
        given = {one.name: getattr(given, one.name) for one in fields(given)}
    if not isinstance(given, Mapping):
        raise InvalidInput(where, f"must be a mapping, not {type(given).__name__}")
    _known(where, given, [one.name for one in fields(RelationshipFilters)])
    values: dict[str, Any] = {}
    for name, value in given.items():
        if value is not None:
            field = f"{where}.{name}"
            values[name] = (
                _types(field, value) if name in _TYPES else whole(field, value, _LOWEST, _HIGHEST)
            )
    filters = RelationshipFilters(**values)
    for what in ("attitude", "proximity"):
        low, high = getattr(filters, f"min_{what}"), getattr(filters, f"max_{what}")
        if low > high:
            raise InvalidInput(f"{where}.min_{what}", f"{low} is more than max_{what}, {high}")
    return filters


def _types(field: str, given: object) -> tuple[str, ...]:
    listed = _listed(field, given, 100)
    return tuple(statement(field, one, 200) for one in listed)


def _weights(given: object, ranking: RankingRules) -> Mapping[str, float]:
    usual = {"time": ranking.time, "salience": ranking.salience, "semantic": ranking.semantic}
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise InvalidInput("weights", f"must be a mapping, not {type(given).__name__}")
    _known("weights", given, usual)
    values = {name: number(f"weights.{name}", value) for name, value in {**usual, **given}.items()}
    for name, value in values.items():
        if value < 0:
            raise InvalidInput(f"weights.{name}", f"{value} is less than zero")
    if not math.fsum(values.values()) > 0:
        raise InvalidInput("weights", "are all zero: nothing would come before anything else")
    return values


def number(field: str, value: object) -> float:
    """A finite number."""
    real = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not real or not math.isfinite(value):  # type: ignore[arg-type]
        raise InvalidInput(field, f"{value!r} is not a number")
    return float(value)  # type: ignore[arg-type]


def _known(where: str, given: Mapping[Any, Any], names: Sequence[str] | Mapping[str, Any]) -> None:
    unknown = sorted(str(one) for one in given if one not in names)
    if unknown:
        raise InvalidInput(
            where, f"has unknown fields: {', '.join(unknown)}; known are: {', '.join(names)}"
        )


_DAY = timedelta(days=1)
_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_RECIPROCAL_K = ranking.RankingRules().reciprocal_k
_SAME_BEGINNING = 3  # letters that two spellings of a word share


@dataclass(frozen=True, slots=True, kw_only=True)
class ExploringRules:
    """The limits of SPEC 8; thresholds and shares where it leaves them open."""

    threshold: float = 0.30  # of a query that names none
    pool: int = 200  # candidates of each sort and query
    fuzzy_from: float = 0.8  # below it two spellings are two words
    part_of_name: float = 0.9  # a first name for a whole one
    end_share: float = 0.8  # of a relationship that fits, for the nodes at its ends

    nodes: int = 5
    relationships: int = 10
    sources: int = 5
    passages: int = 3  # of a source in full
    source_previews: int = 10
    storylines: int = 5
    storyline_names: int = 3
    previews: int = 5  # sources of a storyline in full
    macros: int = 5
    macro_names: int = 2
    artifacts: int = 5
    mentioned: int = 10  # nodes of a source
    top: int = 5  # people, entities, concepts of a storyline; nodes of an artifact

    snippets: int = 10  # notes
    snippet_characters: int = 500
    snippets_characters: int = 5000


_DEFAULTS = ExploringRules()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many of each are returned; `_names` are given by name alone."""

    nodes: int
    relationships: int
    sources: int = 0
    source_previews: int = 0
    storylines: int = 0
    storyline_names: int = 0
    macros: int = 0
    macro_names: int = 0
    artifacts: int = 0


def limits(granularity: Granularity, rules: ExploringRules = _DEFAULTS) -> Limits:
    """What each level of detail holds."""
    common = {one: getattr(rules, one) for one in ("nodes", "relationships", "artifacts")}
    levels = {
        Granularity.MICRO: ("sources", "storyline_names", "macro_names"),
        Granularity.MESO: ("source_previews", "storylines", "macro_names"),
        Granularity.MACRO: ("macros",),
    }
    return Limits(**common, **{one: getattr(rules, one) for one in levels[granularity]})


# --- what may be thought of at all ----------------------------------------------------------


def passes(relationship: Relationship, filters: RelationshipFilters) -> bool:
    """Whether the filters let it through; types are compared without regard to capital letters."""
    type_ = relationship.relationship_type.casefold()
    wanted = {one.casefold() for one in filters.relationship_types}
    banned = {one.casefold() for one in filters.exclude_relationship_types}
    return (
        filters.min_attitude <= relationship.attitude <= filters.max_attitude
        and filters.min_proximity <= relationship.proximity <= filters.max_proximity
        and (not wanted or type_ in wanted)
        and type_ not in banned
    )


def was_there(node: Node, as_of: datetime | None, known_at: datetime | None) -> bool:
    """Whether it had happened by `as_of`, and was in our books at `known_at`; archived never is."""
    return node.life.state is not State.ARCHIVED and had_begun(node, as_of, known_at)


def had_begun(node: Node, as_of: datetime | None, known_at: datetime | None) -> bool:
    """The same, archived or not: what a story is made of stays a part of it."""
    if known_at is not None and node.created_at > known_at:
        return False
    return as_of is None or _began_at(node) is None or _began_at(node) <= as_of  # type: ignore[operator]


def _began_at(node: Node) -> datetime | None:
    if isinstance(node, (Source, Storyline, Macro)):
        return node.started_at
    if isinstance(node, Person) and node.is_owner:
        return None
    if isinstance(node, Anchor):
        return node.first_mentioned_at or node.created_at
    return node.created_at


# --- text -----------------------------------------------------------------------------------


class Speller:
    """Compares many spellings with one; what the one needs is worked out once."""

    def __init__(self, text: str, rules: ExploringRules = _DEFAULTS) -> None:
        self._words = _words(text)
        self._target = " ".join(self._words)
        self._rules = rules
        self._matcher = SequenceMatcher(None, "", self._target, autojunk=False)

    def names(self, names: Iterable[str]) -> float:
        """How well the text names something of these names: 1 for one of them, less for part of one
        or another spelling."""
        if not self._target:
            return 0.0
        return max((self._names(name) for name in names), default=0.0)

    def _names(self, name: str) -> float:
        words = _words(name)
        whole = " ".join(words)
        if self._target == whole:
            return 1.0
        if f" {self._target} " in f" {whole} ":
            return self._rules.part_of_name
        alike = self.alike(whole)
        if alike or len(words) < 2 or len(self._words) > 1:
            return alike
        return self._rules.part_of_name * max(self.alike(word) for word in words)

    def alike(self, other: str) -> float:
        """The share of letters two spellings have in common, or 0 when that is too little."""
        least, matcher = self._rules.fuzzy_from, self._matcher
        if 2.0 * min(len(self._target), len(other)) < least * (len(self._target) + len(other)):
            return 0.0
        matcher.set_seq1(other)
        if matcher.quick_ratio() < least:
            return 0.0
        ratio = matcher.ratio()
        return ratio if ratio >= least else 0.0


def text_match(wanted: str, text: str, rules: ExploringRules = _DEFAULTS) -> float:
    """How far a text says something: 1 where it stands there word for word, else the share of its
    words that do, in whatever spelling."""
    target, words = _words(wanted), _words(text)
    if not target:
        return 0.0
    if f" {' '.join(target)} " in f" {' '.join(words)} ":
        return 1.0
    there = set(words)
    near: dict[str, list[str]] = {}
    for word in there:
        near.setdefault(word[:_SAME_BEGINNING], []).append(word)
    similar = [
        1.0
        if word in there
        else max(map(Speller(word, rules).alike, near.get(word[:_SAME_BEGINNING], ())), default=0.0)
        for word in target
    ]
    return min(math.fsum(similar) / len(similar), 1.0 - 1.0 / 64) if any(similar) else 0.0


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


# --- ranking --------------------------------------------------------------------------------


def semantic(lists: Sequence[Mapping[str, float]], k: int = _RECIPROCAL_K) -> dict[str, float]:
    """One score from 0 to 1 for each key: a single list speaks for itself, several are fused by
    reciprocal rank, over what the first place in all of them would give."""
    filled = [one for one in lists if one]
    if len(filled) <= 1:
        return dict(filled[0]) if filled else {}
    fused = ranking.reciprocal_rank([ranking.ordered(one) for one in filled], k)
    return {key: score * (k + 1) / len(lists) for key, score in fused.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How well a memory fits, and the weighted parts of that."""

    time: float
    salience: float
    semantic: float

    @property
    def score(self) -> float:
        return math.fsum((self.time, self.salience, self.semantic))


def fit(
    thing: Node | Relationship,
    similarity: float,
    now: datetime,
    weights: Mapping[str, float],
    rate: float,
) -> Fit:
    """The weighted sum of SPEC 8, in its parts."""
    days = (now - fresh_at(thing)) / _DAY
    return Fit(
        time=weights["time"] * ranking.recency(days, rate),
        salience=weights["salience"] * thing.life.salience,
        semantic=weights["semantic"] * similarity,
    )


def fresh_at(thing: Node | Relationship) -> datetime:
    """When it was last updated. What happened does not change by being read: an episode is as fresh
    as its own end."""
    if isinstance(thing, Source):
        return thing.ended_at or thing.started_at
    if isinstance(thing, Storyline):
        return thing.last_source_at
    if isinstance(thing, Macro):
        return thing.last_event_at
    return thing.updated_at


# --- cutting to size ------------------------------------------------------------------------


def snippets(
    notes: Iterable[Note], now: datetime, rules: ExploringRules = _DEFAULTS
) -> tuple[str, ...]:
    """The newest unexpired notes, newest first, each cut, until together they are long enough."""
    alive = [one for one in notes if one.expires_at is None or one.expires_at > now]
    newest = sorted(alive, key=lambda one: (one.date_added, one.content), reverse=True)
    cut: list[str] = []
    room = rules.snippets_characters
    for note in newest[: rules.snippets]:
        text = note.content[: min(rules.snippet_characters, room)]
        if text:
            cut.append(text)
            room -= len(text)
    return tuple(cut)


def one_liner(text: str) -> str:
    """The first sentence."""
    return _SENTENCE.split(text.strip(), maxsplit=1)[0]
