"""What nodes and relationships have in columns, beside the JSON of the rest."""

from __future__ import annotations

from typing import Any, Final

from remanent.model.node import Node
from remanent.model.record import to_record
from remanent.model.relationship import Relationship
from remanent.stores.sqlite.columns import (
    from_json,
    from_micros,
    micros_or_none,
    moment_or_none,
    to_json,
    to_micros,
)
from remanent.stores.sqlite.seat import Row

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


def whole_record(row: Row) -> dict[str, Any]:
    """The record that `life_values` took apart, from its columns in the order of the schema."""
    record: dict[str, Any] = from_json(row[12])
    record["created_at"] = from_micros(row[10]).isoformat()
    record["updated_at"] = from_micros(row[11]).isoformat()
    if row[9] is not None:
        record["confidence"] = row[9]
    record["life"] = {
        "salience": row[0],
        "state": row[1],
        "ttl_policy": row[2],
        "access_count": row[3],
        "recall_frequency": row[4],
        "last_recall_interval": row[5],
        "decay_gradient": row[6],
        "last_accessed_at": to_record(moment_or_none(row[7])),
        "decayed_at": to_record(moment_or_none(row[8])),
    }
    return record
