"""Word: the text of a summary, asked of the mind."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from remanent.core import event_text
from remanent.core.env import Env
from remanent.core.model.event import EventNode
from remanent.core.model.mind_types import Reading
from remanent.core.model.scope import Scope
from remanent.core.model.source import ContentType, Passage
from remanent.core.model.story import Summary
from remanent.core.on_behalf import mind_for
from remanent.events.rules import episodes
from remanent.events.rules.episodes import MOST
from remanent.events.rules.importance import importance


def events(env: Env, scope: Scope, key: str, events: Sequence[EventNode]) -> str:
    """What happened, from the events that weigh no less than average."""
    heard = episodes.summarized_events([_weight(env, event) for event in events])
    pieces = [
        (
            event.text[: env.config.episodes.event_characters],
            event_text.speaker_of(event.event_type, event.payload),
            event.occurred_at,
        )
        for event, is_heard in zip(events, heard, strict=True)
        if is_heard
    ]
    return _summary(env, scope, key, pieces)


def _weight(env: Env, event: EventNode) -> float:
    """What it says of itself: what it has come to mean may be another thing when told again."""
    if not event.is_recorded:
        return MOST
    hint = event.importance_hint
    return importance(event.event_type, event.payload, hint=hint, rules=env.config.importance)


def parts(env: Env, scope: Scope, key: str, parts: Sequence[Summary]) -> str:
    """What the lower summaries say together."""
    told = [(one.text, None, one.covers_from) for one in parts if one.text]
    return told[0][0] if len(told) == 1 else _summary(env, scope, key, told)


def _summary(
    env: Env, scope: Scope, key: str, pieces: Sequence[tuple[str, str | None, datetime]]
) -> str:
    if not pieces:
        return ""
    owner = env.registry.user(scope.user_id)
    spoken = any(speaker is not None for _, speaker, _ in pieces)
    reading = Reading(
        content_type=ContentType.CONVERSATION if spoken else ContentType.TEXT_NOTE,
        started_at=pieces[0][2],
        passages=tuple(
            Passage(key=f"{key}#{n}", source_key=key, ordinal=n, text=text, speaker=speaker, at=at)
            for n, (text, speaker, at) in enumerate(pieces)
        ),
        owner_names=() if owner is None else (owner.name, owner.user_id),
    )
    mind = mind_for(env.mind, scope, "reconsolidate")  # what happened has no sensitivity
    return mind.summarize(reading) or pieces[0][0]
