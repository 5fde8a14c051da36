"""Abbreviations: short forms that the user set, that the user's sources explain, or that most people
know (SPEC 8).

What a user sets lives in the ledger alone: events with the ids `abbreviation:1`, `:2` and so
on, each one change, folded when read. Two writers cannot both take a number. What sources explain
is not stored at all but looked up in their passages when a question uses the short form.
"""

from __future__ import annotations

from typing import Any

from remanent.core.checks import identifier
from remanent.core.dataclasses import dataclass, field
from remanent.core.env import Env
from remanent.core.model.event import ABBREVIATION_DEFINED, ABBREVIATION_REMOVED, Event
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.model.search import Abbreviation
from remanent.core.model.source import Source
from remanent.core.new_event import new_event
from remanent.core.read import every
from remanent.errors import InvalidInput
from remanent.retrieval.rules import abbreviations as rule

MOST_DEFINED = 1000
_LOOKED_THROUGH = 50  # passages that use a short form, searched for what it stands for
_MOST_CANDIDATES = 5
_ID = "abbreviation:{}"
_TYPES = (ABBREVIATION_DEFINED, ABBREVIATION_REMOVED)


@dataclass(slots=True)
class _Table:
    """What the events up to `number` say: by canonical short form, what was set, or None for silence."""

    number: int = 0
    set: dict[str, tuple[str, str | None]] = field(default_factory=dict)


def define(env: Env, scope: Scope, short: str, long: str) -> Abbreviation:
    """Let a short form stand for a long one in this user's questions."""
    brief, full = rule.checked(short, long)
    table = _table(env, scope)
    wanted = canonical_name(brief)
    if wanted not in table and len(table) >= MOST_DEFINED:
        raise InvalidInput("short", f"{MOST_DEFINED} abbreviations are set already")
    if table.get(wanted) != (brief, full):
        _append(env, scope, ABBREVIATION_DEFINED, {"short": brief, "long": full})
    return Abbreviation(short=brief, long=full)


def undefine(env: Env, scope: Scope, short: str) -> bool:
    """Take a short form as it stands again, whatever was set or a source says; whether that is news."""
    brief = identifier("short", short)
    entry = _table(env, scope).get(canonical_name(brief))
    long = _learned(env, scope, brief) or rule.common(brief) if entry is None else entry[1]
    if not long:
        return False
    _append(env, scope, ABBREVIATION_REMOVED, {"short": brief})
    return True


def list_abbreviations(env: Env, scope: Scope) -> list[Abbreviation]:
    """All short forms that are set, and all that this user's sources explain."""
    table = _table(env, scope)
    by_short = {
        key: Abbreviation(short=short, long=long)
        for key, (short, long) in table.items()
        if long is not None
    }
    for source in every(env.graph, scope, Source):
        for passage in env.graph.passages(scope, source.key):
            for short, long in rule.explained_in(passage.text).items():
                key = canonical_name(short)
                if key not in table:
                    by_short.setdefault(key, Abbreviation(short=short, long=long, is_learned=True))
    return [by_short[key] for key in sorted(by_short)]


def abbreviations_in(
    env: Env, scope: Scope, text: str, *, with_common: bool = True
) -> dict[str, str]:
    """Those that the text uses, short or long, each with what it stands for; the user's own first."""
    table = _table(env, scope)
    words = f"-{canonical_name(text)}-"
    by_short = {
        short: long
        for key, (short, long) in table.items()
        if long and (f"-{key}-" in words or f"-{canonical_name(long)}-" in words)
    }
    wanted = [one for one in rule.candidates(text) if canonical_name(one) not in table]
    for short in wanted[:_MOST_CANDIDATES]:
        long = _learned(env, scope, short) or (rule.common(short) if with_common else "")
        if long:
            by_short[short] = long
    return by_short


def _learned(env: Env, scope: Scope, short: str) -> str:
    """What the memory itself knows that it stands for."""
    return _long_name_of_anchor(env, scope, short) or _explained_in_passage(env, scope, short)


def _long_name_of_anchor(env: Env, scope: Scope, short: str) -> str:
    """The name of the entity or concept that has it among its other names."""
    wanted = canonical_name(short)
    for kind in (Kind.ENTITY, Kind.CONCEPT):
        for name in env.graph.names(scope, kind, [wanted]):
            is_alias = wanted in (canonical_name(one) for one in name.aliases)
            if is_alias and canonical_name(name.name) != wanted:
                return name.name
    return ""


def _explained_in_passage(env: Env, scope: Scope, short: str) -> str:
    """What a visible passage says that it stands for; the one that uses it most decides."""
    matches = env.index.match(scope, short, kinds=(Kind.PASSAGE,), limit=_LOOKED_THROUGH)
    passages = env.graph.passages_by_key(scope, [one.key for one in matches])
    wanted = canonical_name(short)
    for match in matches:
        passage = passages.get(match.key)
        explained = {} if passage is None else rule.explained_in(passage.text)
        for brief, long in explained.items():
            if canonical_name(brief) == wanted:
                return long
    return ""


def _table(env: Env, scope: Scope) -> dict[str, tuple[str, str | None]]:
    """What is set now: the events not read yet are folded in."""
    with env.caches.lock:
        table = env.caches.abbreviations.get(scope.user_id)
        if table is None or (table.number and _event(env, scope, table.number) is None):
            table = env.caches.abbreviations[scope.user_id] = _Table()  # also after an erasure
        while (event := _event(env, scope, table.number + 1)) is not None:
            table.number += 1
            if event.event_type in _TYPES:
                short = str(event.payload["short"])
                table.set[canonical_name(short)] = (short, event.payload.get("long"))
        return dict(table.set)


def _append(env: Env, scope: Scope, event_type: str, payload: dict[str, Any]) -> None:
    """Under the first number that is free; another writer may be faster."""
    while True:
        _table(env, scope)
        number = env.caches.abbreviations[scope.user_id].number + 1
        event = new_event(
            scope.user_id, event_type, payload, now=env.clock.now(), event_id=_ID.format(number)
        )
        with env.atomic(durable=True):
            _, is_new = env.ledger.append(event)
        if is_new:
            return


def _event(env: Env, scope: Scope, number: int) -> Event | None:
    return env.ledger.event(scope, _ID.format(number))
