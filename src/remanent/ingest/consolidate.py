"""Consolidate: what a conversation leaves behind becomes an episode, never a belief (SPEC 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from remanent.beliefs.model import Consolidation, ConsolidationOutcome
from remanent.core import checks
from remanent.core.dataclasses import dataclass, replace
from remanent.core.env import Env
from remanent.core.event_lookup import node_for
from remanent.core.index_entries import entry_of
from remanent.core.model.event import CONSOLIDATED, Event, event_key
from remanent.core.model.keys import content_hash, key_for
from remanent.core.model.mind_types import Reading
from remanent.core.model.scope import Scope
from remanent.core.model.source import ContentType
from remanent.core.new_event import new_event
from remanent.core.on_behalf import mind_for, vector_of
from remanent.core.ports.index import Vector
from remanent.core.ports.mind import Mind
from remanent.errors import InvalidInput
from remanent.ingest import formats
from remanent.ingest.rules import passages as cutting
from remanent.ingest.rules import request as intake

Turns = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A conversation that passed: `raw` as it is kept, `event_id` by which it is known again."""

    raw: str
    turns: int
    at: datetime
    session_id: str
    event_id: str


def consolidate_talk(
    env: Env,
    scope: Scope,
    turns: Sequence[Mapping[str, Any]],
    *,
    session_id: str = "",
    at: datetime | None = None,
    dry_run: bool = False,
) -> Consolidation:
    """Keep what a conversation of four turns or more leaves behind: an episode, not a belief."""
    talk = _talk(env, scope, turns, session_id, at)
    nothing = Consolidation(
        outcome=ConsolidationOutcome.TOO_SHORT, turns=talk.turns, dry_run=dry_run
    )
    if talk.turns < env.config.upkeep.consolidate_from:
        return nothing
    known = env.ledger.event(scope, talk.event_id)
    if known is not None:
        return _report(known, talk, ConsolidationOutcome.KNOWN, dry_run=dry_run)
    mind = mind_for(env.mind, scope, "consolidate")
    gist = " ".join(mind.gist(_reading(env, scope, mind, talk)).split())
    if not gist:
        return replace(nothing, outcome=ConsolidationOutcome.NOTHING)
    vector = vector_of(env.embedder, scope, "consolidate", gist)
    with env.transaction(dry_run=dry_run):
        event, is_new = env.ledger.append(_event(env, scope, talk, gist))
        if is_new:
            _store_gist(env, scope, event, gist, vector)
    return _report(
        event,
        talk,
        ConsolidationOutcome.KEPT if is_new else ConsolidationOutcome.KNOWN,
        dry_run=dry_run,
    )


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Keep the episode that the event tells of once more."""
    gist = str(event.payload["text"])
    vector = vector_of(env.embedder, scope, "consolidate", gist)
    with env.atomic():
        _store_gist(env, scope, event, gist, vector)


def _talk(env: Env, scope: Scope, turns: Turns, session_id: str, at: datetime | None) -> Talk:
    if isinstance(turns, str | bytes | Mapping) or not isinstance(turns, Sequence):
        raise InvalidInput("turns", "must be a list of turns {speaker, text, at, id}")
    now = env.clock.now()
    session = checks.plain("session_id", session_id)
    try:
        raw, _ = intake.raw_content(turns, env.config.intake) if turns else ("[]", True)
    except InvalidInput as problem:  # the door for sources calls them content
        raise InvalidInput(problem.field.replace("content", "turns", 1), problem.problem) from None
    given = None if at is None else checks.moment("at", at, now, env.config.intake)
    times = [one.at for one in _pieces(env, raw) if one.at is not None]
    first = checks.moment("turns", min(times), now, env.config.intake) if times else now
    # As with sources: one text on two days is two conversations, without a date the same again.
    digest = content_hash("\x1f".join((session, given.isoformat() if given else "", raw)))
    return Talk(
        raw=raw,
        turns=sum(bool(str(turn.get("text", "")).strip()) for turn in turns),
        at=given or first,
        session_id=session,
        event_id=key_for(scope.user_id, "consolidated", digest),
    )


def _pieces(env: Env, raw: str) -> Sequence[formats.Piece]:
    return cutting.cut(
        raw, is_json=True, content_type=ContentType.CONVERSATION, rules=env.config.passages
    )


def _reading(env: Env, scope: Scope, mind: Mind, talk: Talk) -> Reading:
    pieces = _pieces(env, talk.raw)
    cleaned = mind.clean([one.text for one in pieces], ContentType.CONVERSATION)
    owner = env.registry.user(scope.user_id)
    names = () if owner is None else (owner.name, owner.user_id, owner.name.split()[0])
    return Reading(
        content_type=ContentType.CONVERSATION,
        started_at=talk.at,
        passages=tuple(cutting.passages(talk.event_id, pieces, cleaned)),
        owner_names=tuple(dict.fromkeys((*names, "user", "me", "i"))),
    )


def _event(env: Env, scope: Scope, talk: Talk, gist: str) -> Event:
    event = new_event(
        scope.user_id,
        CONSOLIDATED,
        {"text": gist, "turns": talk.raw},
        now=env.clock.now(),
        occurred_at=talk.at,
        event_id=talk.event_id,
    )
    return replace(event, session_id=talk.session_id)


def _store_gist(env: Env, scope: Scope, event: Event, gist: str, vector: Vector | None) -> None:
    node = node_for(event, gist, summary=gist)
    env.graph.put(scope, node)
    env.index.put([entry_of(node, gist, vector)])


def _report(
    event: Event, talk: Talk, outcome: ConsolidationOutcome, *, dry_run: bool
) -> Consolidation:
    return Consolidation(
        outcome=outcome,
        turns=talk.turns,
        gist=str(event.payload["text"]),
        key=event_key(event.user_id, event.event_id),
        event_id=event.event_id,
        dry_run=dry_run,
    )
