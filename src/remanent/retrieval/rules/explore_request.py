"""Whether an exploration can be asked as it is asked: every field checked, and named where it is off."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from remanent.core.checks import IntakeRules, choice, point, statement
from remanent.core.model.query_types import Mode
from remanent.errors import InvalidInput
from remanent.retrieval.model.exploration import (
    Exploration,
    Granularity,
    Query,
    RelationshipFilters,
    Weights,
)
from remanent.retrieval.rules.explore import ExploringRules
from remanent.retrieval.rules.ranking import RankingRules

MOST_QUERIES = 10
MOST_TEXTS = 20
_LOWEST, _HIGHEST = 1, 5
_TYPES = ("relationship_types", "exclude_relationship_types")

Queries = str | Sequence[str | Mapping[str, Any]] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """An exploration as the caller gave it."""

    queries: Queries = None
    text_matches: str | Sequence[str] = ()
    relationship_filters: Mapping[str, Any] | RelationshipFilters | None = None
    granularity: int = 1
    multi_query: bool = False
    mode: str = "fast"
    weights: Mapping[str, float] | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    return_explanations: bool = False


def checked(
    inquiry: Inquiry,
    *,
    rules: ExploringRules,
    ranking: RankingRules,
    intake: IntakeRules,
) -> Exploration:
    """The exploration that `inquiry` makes, or `InvalidInput` naming the first field that is wrong."""
    queries = _queries(inquiry.queries, rules, intake)
    texts = _texts(inquiry.text_matches, intake)
    if not queries and not texts:
        raise InvalidInput("queries", "are empty, and so are text_matches: one of them is needed")
    return Exploration(
        queries=queries,
        text_matches=texts,
        filters=_filters(inquiry.relationship_filters),
        granularity=_granularity(inquiry.granularity),
        multi_query=bool(inquiry.multi_query),
        mode=choice("mode", Mode, inquiry.mode),
        weights=_weights(inquiry.weights, ranking),
        as_of=point("as_of", inquiry.as_of),
        known_at=point("known_at", inquiry.known_at),
        return_explanations=bool(inquiry.return_explanations),
    )


def _queries(given: Queries, rules: ExploringRules, intake: IntakeRules) -> tuple[Query, ...]:
    if given is None:
        return ()
    listed = _listed("queries", given, MOST_QUERIES)
    return tuple(_query(f"queries[{n}]", one, rules, intake) for n, one in enumerate(listed))


def _query(where: str, given: object, rules: ExploringRules, intake: IntakeRules) -> Query:
    said, threshold = given, rules.threshold
    if isinstance(given, Query):
        said, threshold = given.query, given.threshold
    elif isinstance(given, Mapping):
        _known(where, given, ("query", "threshold"))
        said, threshold = given.get("query", ""), given.get("threshold", threshold)
    words = statement(f"{where}.query", said, intake.max_statement_characters)
    share = number(f"{where}.threshold", threshold)
    if not 0.0 <= share <= 1.0:
        raise InvalidInput(f"{where}.threshold", f"{threshold!r} is not a number from 0 to 1")
    return Query(query=words, threshold=share)


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
            values[name] = _types(field, value) if name in _TYPES else _grade(field, value)
    filters = RelationshipFilters(**values)
    for what in ("attitude", "proximity"):
        low, high = getattr(filters, f"min_{what}"), getattr(filters, f"max_{what}")
        if low > high:
            raise InvalidInput(f"{where}.min_{what}", f"{low} is more than max_{what}, {high}")
    return filters


def _types(field: str, given: object) -> tuple[str, ...]:
    listed = _listed(field, given, 100)
    return tuple(statement(field, one, 200) for one in listed)


def _grade(field: str, value: object) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not _LOWEST <= value <= _HIGHEST:  # type: ignore[operator]
        raise InvalidInput(field, f"{value!r} is not a whole number from {_LOWEST} to {_HIGHEST}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def _weights(given: object, ranking: RankingRules) -> Weights:
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
    return Weights(**values)


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
