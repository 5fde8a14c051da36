"""What goes wrong, as `application/problem+json` (RFC 9457): one table from error to status.

No detail says more than the caller may know: what a store or a mind says of itself stays here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi import HTTPException as Refusal
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from remanent import errors
from remanent.core.dataclasses import dataclass
from remanent.surfaces.http.requests import flaws_of

MEDIA: Final = "application/problem+json"
_MOST_FLAWS: Final = 100
_PREFIX: Final = "urn:remanent:"


class Flaw(BaseModel):
    """One thing that is wrong with a request."""

    field: str
    detail: str


class Problem(BaseModel):
    """Why a request got no answer."""

    type: str = Field(examples=["urn:remanent:invalid-input"])
    title: str = Field(examples=["A value cannot be taken"])
    status: int = Field(examples=[422])
    detail: str = Field(examples=["limit: must be from 1 to 1000"])
    instance: str = Field(description="What was asked for.", examples=["/v1/search"])
    field: str | None = Field(default=None, description="What was wrong.", examples=["limit"])
    errors: list[Flaw] = Field(default=[], description="All that was wrong, where it is several.")


class TooMany(errors.RemanentError):
    """A caller asks more often than they may."""

    def __init__(self, wait: float) -> None:
        super().__init__(f"too many requests; try again in {math.ceil(wait)} seconds")
        self.wait = wait


class TooLarge(Refusal):
    """More was sent than a request may hold."""

    def __init__(self, most: int) -> None:
        super().__init__(413, f"a request may hold {most} bytes at most")


class InHand(errors.RemanentError):
    """The same request, by its Idempotency-Key, is being answered right now."""

    def __init__(self) -> None:
        super().__init__("a request with this Idempotency-Key is being answered; ask again soon")


class Reused(errors.InvalidInput):
    """An Idempotency-Key came with another request before."""

    def __init__(self) -> None:
        super().__init__("Idempotency-Key", "was used for another request")


@dataclass(frozen=True, slots=True)
class Row:
    """How one sort of error is answered; without `detail`, its own words stay here."""

    status: int
    name: str
    title: str
    detail: str | None = None


_MIND: Final = "The mind does not answer"
_NO_ANSWER: Final = (
    "The language model behind this memory gave no answer. Nothing was lost; try again."
)
_STORE: Final = "The place where this memory is kept failed. Whoever runs the server is told why."
_FULL: Final = (
    "The disk of this memory is full. Nothing was written and nothing is damaged; reading goes on."
)

TABLE: Final[Mapping[type[errors.RemanentError], Row]] = {
    errors.InvalidInput: Row(422, "invalid-input", "A value cannot be taken"),
    Reused: Row(422, "idempotency-key-reused", "The Idempotency-Key belongs to another request"),
    errors.NotFound: Row(404, "not-found", "There is nothing of that name"),
    errors.Unauthorized: Row(401, "unauthorized", "A key is needed"),
    errors.Forbidden: Row(403, "forbidden", "The caller may not do this"),
    errors.Conflict: Row(409, "conflict", "It cannot be done as things stand"),
    errors.ErasureFailed: Row(503, "erasure-failed", "Not all of it could be erased"),
    InHand: Row(409, "in-hand", "The same request is being answered"),
    TooMany: Row(429, "too-many-requests", "Too many requests"),
    errors.CypherError: Row(422, "bad-query", "The query got no answer"),
    errors.ForbiddenQuery: Row(422, "forbidden-query", "Queries only read what their caller may see"),
    errors.QueryLimit: Row(422, "query-limit", "The query asks for too much"),
    errors.ConfigError: Row(422, "bad-setting", "A setting cannot be used"),
    errors.BusyMemory: Row(
        503, "busy", "The memory is busy", "Others are writing; nothing was changed. Try again."
    ),
    errors.UnreachableMemory: Row(
        503, "store-away", "The memory is away", "Its server does not answer. Try again."
    ),
    errors.DiskFull: Row(507, "disk-full", "There is no room to write", _FULL),
    errors.StoreError: Row(503, "store-failed", "The memory cannot be reached", _STORE),
    errors.EmbedderError: Row(503, "embedder-failed", "The embedder does not answer", _STORE),
    errors.BudgetSpent: Row(
        503, "budget-spent", "The budget of the day is spent", "There is more tomorrow (UTC)."
    ),
    errors.MindError: Row(503, "mind-failed", _MIND, _NO_ANSWER),
    errors.RemanentError: Row(500, "fault", "A fault in Remanent", "It was logged."),
}  # fmt: skip

_TITLES: Final = {
    404: ("not-found", "There is nothing of that name"),
    405: ("method-not-allowed", "This cannot be done here"),
    413: ("too-large", "The request is too large"),
    415: ("unsupported-media-type", "The request is of another type than is taken here"),
}


def row_of(error: errors.RemanentError) -> Row:
    """The nearest entry of the table."""
    return next(TABLE[kind] for kind in type(error).__mro__ if kind in TABLE)


def record_of(error: errors.RemanentError, instance: str) -> dict[str, Any]:
    """The problem that an error is, for programs."""
    field = getattr(error, "field", None)
    return _record(row_of(error), detail_of(error), instance, field=field)


def detail_of(error: errors.RemanentError) -> str:
    """What a caller from outside may know of an error."""
    return row_of(error).detail or str(error)


def refuse(error: errors.RemanentError, instance: str) -> Response:
    """The answer to a request that ended in this error."""
    return _answer(record_of(error, instance), _headers(error))


def _headers(error: errors.RemanentError) -> dict[str, str]:
    if isinstance(error, errors.Unauthorized):
        return {"WWW-Authenticate": 'Bearer realm="remanent"'}
    if isinstance(error, TooMany):
        return {"Retry-After": str(max(1, math.ceil(error.wait)))}
    if isinstance(error, errors.BusyMemory | errors.UnreachableMemory | InHand):
        return {"Retry-After": "1"}
    return {}


def _record(
    row: Row, detail: str, instance: str, *, field: str | None = None, flaws: Sequence[Flaw] = ()
) -> dict[str, Any]:
    record: dict[str, Any] = {
        "type": f"{_PREFIX}{row.name}",
        "title": row.title,
        "status": row.status,
        "detail": detail,
        "instance": instance,
    }
    if field is not None:
        record["field"] = field
    if flaws:
        record["errors"] = [one.model_dump() for one in flaws]
    return record


def _answer(record: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    text = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace")
    return Response(text, record["status"], media_type=MEDIA, headers=dict(headers or {}))


def _instance(request: Request) -> str:
    return request.scope["path"]  # type: ignore[no-any-return]


async def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, errors.RemanentError)  # noqa: S101 - registered for these alone
    return refuse(error, _instance(request))


async def _invalid(request: Request, error: Exception) -> Response:
    """What does not fit its description. What was sent is not repeated: it may be a secret."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - as above
    wrong = [{**one, "loc": one["loc"][1:]} for one in error.errors()[:_MOST_FLAWS]]
    whole = str(error.errors()[0]["loc"][0])
    known = getattr(getattr(request.scope.get("route"), "endpoint", None), "fields", ())
    flaws = [Flaw(field=field, detail=text) for field, text in flaws_of(wrong, known, whole)]
    first = flaws[0]
    row = TABLE[errors.InvalidInput]
    detail = f"{first.field}: {first.detail}"
    several = flaws if len(flaws) > 1 else ()
    return _answer(_record(row, detail, _instance(request), field=first.field, flaws=several))


async def _refused(request: Request, error: Exception) -> Response:
    """What the framework itself refuses; a body that cannot be read is one that does not fit."""
    assert isinstance(error, HTTPException)  # noqa: S101 - as above
    if error.status_code not in _TITLES:
        row = TABLE[errors.InvalidInput]
        return _answer(_record(row, f"body: {error.detail}", _instance(request), field="body"))
    name, title = _TITLES[error.status_code]
    row = Row(error.status_code, name, title)
    headers = {**(error.headers or {}), **_allowed(request, error.status_code)}
    return _answer(_record(row, error.detail, _instance(request)), headers)


def _allowed(request: Request, status: int) -> dict[str, str]:
    """What can be done where something else was asked: the framework knows of one route at a time."""
    path = getattr(request.scope.get("route"), "path", None)
    methods = request.app.openapi()["paths"].get(path, {}) if status == 405 else {}
    return {"Allow": ", ".join(sorted(one.upper() for one in methods))} if methods else {}


async def _fault(request: Request, error: Exception) -> Response:  # noqa: ARG001 - logged by the server
    row = TABLE[errors.RemanentError]
    return _answer(_record(row, row.detail or "", _instance(request)))


def answer_with_problems(app: FastAPI) -> None:
    """Let every error of this app end as a problem."""
    app.add_exception_handler(errors.RemanentError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _fault)
