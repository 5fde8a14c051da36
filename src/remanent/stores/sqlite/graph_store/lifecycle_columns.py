"""What nodes and relationships have in columns, beside the JSON of the rest."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from remanent.core.model.codec import from_record, to_record
from remanent.core.model.lifecycle import Lifecycle, State, TtlPolicy
from remanent.core.model.node import Node
from remanent.core.model.relationship import Relationship
from remanent.stores.sqlite.columns import (
    from_json,
    from_micros,
    micros_or_none,
    moment_or_none,
    to_json,
    to_micros,
)
from remanent.stores.sqlite.connection import Row

Lived = TypeVar("Lived", bound=Node | Relationship)

_STATES: Final = {one.value: one for one in State}
_POLICIES: Final = {one.value: one for one in TtlPolicy}
_IN_COLUMNS: Final = ("life", "confidence", "created_at", "updated_at")


def life_values(thing: Node | Relationship) -> dict[str, Any]:
    """The values of these columns by name; set-based steps may change all but `body` later."""
    record = to_record(thing)
    life = thing.life
    return {
        "salience": life.salience,
        "state": life.state.value,
        "ttl_policy": life.ttl_policy.value,
        "access_count": life.access_count,
        "recall_frequency": life.recall_frequency,
        "last_recall_interval": life.last_recall_interval,
        "decay_gradient": life.decay_gradient,
        "last_accessed_at": micros_or_none(life.last_accessed_at),
        "decayed_at": micros_or_none(life.decayed_at),
        "confidence": record.get("confidence"),
        "created_at": to_micros(thing.created_at),
        "updated_at": to_micros(thing.updated_at),
        "body": to_json({k: v for k, v in record.items() if k not in _IN_COLUMNS}, "node"),
    }


def life_columns(life: Lifecycle) -> tuple[object, ...]:
    """The values of a life's own columns, in the order of the schema."""
    return (
        life.salience,
        life.state.value,
        life.ttl_policy.value,
        life.access_count,
        life.recall_frequency,
        life.last_recall_interval,
        life.decay_gradient,
        micros_or_none(life.last_accessed_at),
        micros_or_none(life.decayed_at),
    )


def whole(type_: type[Lived], row: Row) -> Lived:
    """The thing that `life_values` took apart, from its columns in the order of the schema."""
    ready: dict[str, Any] = {
        "created_at": from_micros(row[10]),
        "updated_at": from_micros(row[11]),
        "life": life_of(row),
    }
    if row[9] is not None:
        ready["confidence"] = row[9]
    return from_record(type_, from_json(row[12]), ready=ready)


def life_of(row: Row) -> Lifecycle:
    """The life in the first columns of a row, in the order of the schema."""
    return Lifecycle(
        salience=row[0],
        state=_STATES[row[1]],
        ttl_policy=_POLICIES[row[2]],
        access_count=row[3],
        recall_frequency=row[4],
        last_recall_interval=row[5],
        decay_gradient=row[6],
        last_accessed_at=moment_or_none(row[7]),
        decayed_at=moment_or_none(row[8]),
    )
