"""Produce: what a user's agent made from a source is kept beside it (SPEC 3, Artifact)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from remanent.core import checks, index_entries
from remanent.core.dataclasses import dataclass
from remanent.core.env import Env
from remanent.core.index_entries import artifact_line
from remanent.core.model.event import ARTIFACT_PRODUCED, Event
from remanent.core.model.keys import content_hash, key_for
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import JSON, Artifact, Sensitivity, Source
from remanent.core.new_event import new_event
from remanent.errors import InvalidInput, UnknownKey

_TEXT = "md_file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """An artifact as the caller gave it."""

    name: str
    output: str | Mapping[str, Any] | Sequence[Any]
    content_type: str = _TEXT
    description: str = ""
    sensitivity: str = "normal"


def store_artifact(env: Env, scope: Scope, source_key: str, product: Product) -> str:
    """Keep the artifact and link it to its source; the same output twice is one artifact."""
    artifact = _artifact(env, scope, source_key, product, env.clock.now())
    if not isinstance(env.graph.get(scope, source_key), Source):
        raise UnknownKey(source_key)
    _store(env, scope, source_key, artifact, first=True)
    return artifact.key


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Keep once more the artifact that the event tells of."""
    fields = dict(event.payload)
    source_key = str(fields.pop("source_key"))
    if isinstance(env.graph.get(scope, source_key), Source):
        artifact = _artifact(env, scope, source_key, Product(**fields), event.recorded_at)
        _store(env, scope, source_key, artifact, first=False)


def _store(env: Env, scope: Scope, source_key: str, artifact: Artifact, *, first: bool) -> None:
    entries = index_entries.entries(env, scope, [artifact_line(artifact, source_key)])
    with env.atomic(durable=first):
        if env.graph.get(scope, artifact.key) is None:
            if first:
                env.ledger.append(_event(artifact, source_key))
            env.graph.put(scope, artifact)
            env.index.put(entries)
        env.graph.link(
            scope,
            Link(scope.user_id, LinkKind.PRODUCED, source_key, artifact.key, artifact.created_at),
        )


def _artifact(env: Env, scope: Scope, source_key: str, product: Product, now: datetime) -> Artifact:
    name = checks.identifier("name", product.name)
    text, content_type = _text_and_type(product)
    output = checks.statement("output", text, env.config.intake.max_characters)
    return Artifact(
        key=key_for(scope.user_id, Kind.ARTIFACT, source_key, name, content_hash(output)),
        user_id=scope.user_id,
        created_at=now,
        updated_at=now,
        name=name,
        description=checks.plain("description", product.description),
        content_type=checks.identifier("content_type", content_type),
        output=output,
        sensitivity=checks.choice("sensitivity", Sensitivity, product.sensitivity),
    )


def _text_and_type(product: Product) -> tuple[str, str]:
    """What was made, as it is kept: a JSON value as its text, and called so unless the caller says what it is."""
    if isinstance(product.output, str):
        return product.output, product.content_type
    try:
        text = json.dumps(product.output, ensure_ascii=False, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise InvalidInput("output", f"cannot be kept as JSON: {problem}") from None
    return text, JSON if product.content_type == _TEXT else product.content_type


def _event(artifact: Artifact, source_key: str) -> Event:
    payload = {
        "source_key": source_key,
        "name": artifact.name,
        "description": artifact.description,
        "content_type": artifact.content_type,
        "output": artifact.output,
        "sensitivity": artifact.sensitivity.value,
    }
    return new_event(artifact.user_id, ARTIFACT_PRODUCED, payload, now=artifact.created_at)
