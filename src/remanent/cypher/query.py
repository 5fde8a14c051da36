"""Cypher queries: read-only (SPEC 8, traverse)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from remanent.core.checks import point, whole
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.scope import Scope
from remanent.core.model.search import Rows
from remanent.core.ports.cypher import Bounds, Question
from remanent.errors import BadQuery, InvalidInput, QueryLimit


def run_cypher(  # noqa: PLR0913 - one for each way to ask
    env: Env,
    scope: Scope,
    text: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    limit: int | None = None,
    timeout: float | None = None,
    include_archived: bool = False,
    verbose: bool = False,
) -> Rows:
    """A read-only Cypher query over all this user may see and nothing else.

    `as_of` asks of the graph as it held then, `known_at` of the graph as it was recorded then;
    `limit` rows and `timeout` seconds are at most what the settings allow. Long texts are cut,
    unless `verbose`. Nothing is written, and nothing counts as recalled.
    """
    question = Question(
        text=_text(env, text),
        now=env.clock.now(),
        parameters=_parameters(env, parameters or {}),
        as_of=point("as_of", as_of),
        known_at=point("known_at", known_at),
        include_archived=include_archived,
    )
    bounds = Bounds(
        rows=_rows(env, limit),
        seconds=_seconds(env, timeout),
        megabytes=env.config.cypher.megabytes,
    )
    rows = env.stores.cypher.query(scope, question, bounds=bounds)
    return rows if verbose else _shortened(rows, env.config.cypher.text_characters)


def _shortened(rows: Rows, most: int) -> Rows:
    """The answer with no text longer than that, and a notice where one was."""
    cut = replace(rows, rows=tuple(tuple(_short(one, most) for one in row) for row in rows.rows))
    told = f"texts are cut at {most:,} characters; verbose gives them whole"
    return rows if cut.rows == rows.rows else replace(cut, notices=(*rows.notices, told))


def _short(value: Any, most: int) -> Any:
    match value:
        case str() if len(value) > most:
            return f"{value[: most - 1].rstrip()}…"
        case list():
            return [_short(one, most) for one in value]
        case dict():
            return {name: _short(one, most) for name, one in value.items()}
        case _:
            return value


def _text(env: Env, text: object) -> str:
    if not isinstance(text, str):
        raise InvalidInput("query", "must be text")
    most = env.config.cypher.query_characters
    if len(text) > most:
        raise QueryLimit("query_characters", f"has {len(text):,} characters; {most:,} are read")
    if not text.strip():
        raise BadQuery("is empty")
    return text


def _parameters(env: Env, parameters: object) -> dict[str, Any]:
    if not isinstance(parameters, Mapping):
        raise InvalidInput("parameters", "must be a map of names to values")
    try:
        encoded = json.dumps(dict(parameters), default=_json_default, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as problem:
        raise InvalidInput("parameters", f"must be plain JSON values: {problem}") from None
    most = env.config.cypher.parameter_characters
    if len(encoded) > most:
        raise QueryLimit(
            "parameter_characters", f"the parameters have more than {most:,} characters"
        )
    decoded: dict[str, Any] = json.loads(encoded)
    return decoded


def _rows(env: Env, limit: object) -> int:
    most = env.config.cypher.rows
    return most if limit is None else whole("limit", limit, 1, most)


def _seconds(env: Env, timeout: object) -> float:
    most = env.config.cypher.seconds
    if timeout is None:
        return most
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise InvalidInput("timeout", f"{timeout!r} is not a number of seconds")
    if not 0 < timeout <= most:
        raise InvalidInput("timeout", f"{timeout!r} is not above 0 and at most {most} seconds")
    return float(timeout)


def _json_default(value: object) -> str:
    if isinstance(value, date):  # a datetime is a date
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is none")
