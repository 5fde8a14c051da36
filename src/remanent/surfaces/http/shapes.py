"""Shapes of answers for the description of the API: made from our own dataclasses, never kept twice.

They describe and do not check: what is answered is `to_record` of the things themselves.
"""

from __future__ import annotations

import dataclasses
import typing
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, Field, create_model

from remanent.core.model.anchor import Anchor, Concept, Entity, Person
from remanent.core.model.belief import Belief
from remanent.core.model.event import EventNode
from remanent.core.model.job import Job
from remanent.core.model.node import Kind
from remanent.core.model.page import Evidence, Page
from remanent.core.model.search import Hit, Recollection
from remanent.core.model.source import Artifact, Source
from remanent.core.model.story import Macro, Storyline, Summary
from remanent.core.records.access import User
from remanent.core.records.admin import Finding
from remanent.core.records.spending import Account

T = TypeVar("T")
Registered = User
AnyAnchor = Person | Concept | Entity
AnyNode = (
    Person | Concept | Entity | Source | Artifact | Storyline | Macro | Belief | EventNode | Summary
)


class Paged(BaseModel, Generic[T]):
    """Some of many. `next` is where the next page begins: ask again with `after`."""

    items: list[T]
    next: str | None = None


class Listed(BaseModel, Generic[T]):
    """All there are."""

    items: list[T]


def _shape(name: str, says: str, **fields: Any) -> type[BaseModel]:
    """The shape of a small answer: what it is, and its fields with their types and defaults."""
    typed: dict[str, Any] = {
        field: kind if isinstance(kind, tuple) else (kind, ...) for field, kind in fields.items()
    }
    return create_model(name, __doc__=says or None, **typed)


if typing.TYPE_CHECKING:
    PageShape = Page
else:
    hints = typing.get_type_hints(Page) | {"node": AnyNode}
    PageShape = _shape(
        "Page", "", **{one.name: hints[one.name] for one in dataclasses.fields(Page)}
    )


class OpenedMemory(BaseModel):
    """One memory with all that hangs on it; of a belief, `why` are the episodes behind it."""

    kind: Kind
    page: PageShape
    why: list[Evidence] = Field(default=[])


class Jobs(Paged[Job]):
    """Work for this user, oldest first; `counts` has how much there is of each state."""

    counts: dict[str, int]


# fmt: off
SearchHits = _shape("SearchHits", "Hits, best first. `reason` says why there are none.",
    items=list[Hit], next=(str | None, None), reason=(str, ""))
CreatedKey = _shape("CreatedKey", "The key of what came in; the same again has the same key.", key=str)
Recollections = _shape("Recollections", "Beliefs that came to mind, best first.",
    items=list[Recollection])
SchedulePromise = _shape("SchedulePromise",
    "How many jobs were promised now, and how many seconds it is until another falls due.",
    promised=int, wait_seconds=(float | None, ...))
Removed = _shape("Removed", "Whether there was something to take away.", removed=bool)
Changed = _shape("Changed", "Whether that is news.", changed=bool)
AdoptionPromise = _shape("AdoptionPromise",
    "How many readings of a team's sources were promised.", promised=int)
DoctorReport = _shape("DoctorReport", "What a doctor found; `sound` says that nothing fails.",
    sound=bool, findings=list[Finding])
HealthStatus = _shape("HealthStatus", "A sign of life.", status=str)
Accounts = _shape("Accounts", "What each user's mind cost.", items=list[Account])
Verdict = _shape("Verdict", "Whether this memory signed it, and nothing in it was changed since.",
    genuine=bool)
# fmt: on


def answer_of(verb: Any, answer: str) -> Any:
    """The shape of what a route answers, from the type of its verb; None: it is no JSON."""
    if answer in ("lines", "stream", "text"):
        return None
    named = {"removed": Removed, "key": CreatedKey}.get(answer) or globals().get(answer)
    if named is not None:
        return named
    result = typing.get_type_hints(verb)["return"]
    one = typing.get_args(result)[0] if typing.get_origin(result) is list else result
    one = AnyAnchor if one is Anchor else one
    match answer:
        case "page":
            return Paged[one]  # type: ignore[valid-type]
        case "items":
            return Listed[one]  # type: ignore[valid-type]
        case _:
            return one
