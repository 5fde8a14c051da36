"""Correction request: what a user wants put right by hand, checked and made into a word of theirs (SPEC 12.14).

`InvalidInput` names what is wrong; nothing is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from remanent.anchors.resolve import anchor_called, final
from remanent.anchors.rules import resolution
from remanent.core import by_hand, checks
from remanent.core.env import Env
from remanent.core.index_entries import ALL_NOTES
from remanent.core.model.anchor import Anchor, Lifetime, Person
from remanent.core.model.keys import canonical_name
from remanent.core.model.lifecycle import TtlPolicy
from remanent.core.model.node import Correction, Kind, Node
from remanent.core.model.relationship import LinkKind, Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.source import ContextType
from remanent.core.read import Lived, kind_of, look_up_own
from remanent.errors import InvalidInput, UnknownKey
from remanent.ingest.extract import MOST_CHARACTERS
from remanent.ingest.model import CorrectionRequest

_UNSAID = datetime.min.replace(tzinfo=UTC)  # until its event is there


def thing_called(env: Env, scope: Scope, key: str) -> Lived:
    """The user's own thing of that key, or the one anchor of that name; where it was merged, the other."""
    called = checks.plain("key", key).strip()
    try:
        thing = look_up_own(env, scope, called)
    except UnknownKey:
        named = anchor_called(env, scope, called, "key")
        if named is None:
            raise
        thing = look_up_own(env, scope, named)
    if isinstance(thing, Anchor):
        return look_up_own(env, scope, final(env, scope, thing.key))
    return thing


def anchor_meant(env: Env, scope: Scope, field: str, key: str) -> Anchor:
    thing = thing_called(env, scope, key)
    if not isinstance(thing, Anchor):
        raise InvalidInput(field, f"{key!r} is a {kind_of(thing).value}: it has no relationships")
    return thing


def word_of(env: Env, scope: Scope, thing: Lived, request: CorrectionRequest) -> Correction | None:
    """The request as a word of the hand, or None where it says what stands; `InvalidInput` names what is wrong."""
    kind, name = kind_of(thing), request.field
    fields = by_hand.FIELDS.get(kind, ())
    if name not in fields:
        known = f"one of {', '.join(fields)}" if fields else "nothing that is put right so"
        hint = "; `restate` puts it in other words" if kind is Kind.BELIEF else ""
        raise InvalidInput("field", f"a {kind.value} has no {name!r}, but {known}{hint}")
    for other in ("was", "lifetime", "expires_at"):
        if (
            getattr(request, other) is not None
            and name != "note"
            and (other, name) != ("was", "alias")
        ):
            raise InvalidInput(
                other, f"goes with a note{' or an alias' * (other == 'was')}, not with {name}"
            )
    if name == "note":
        return _note_word(env, scope, thing, request)
    if name == "alias":
        return _alias_word(env, scope, thing, request)
    return fresh_word(
        name, _value(env, scope, thing, name, request.value), before=_before(thing, name)
    )


def fresh_word(name: str, value: Any, **more: Any) -> Correction:
    return Correction(event_id="", field=name, at=_UNSAID, value=value, **more)


def _before(thing: Lived, name: str) -> str:
    """What was inferred, where it has to be known: not what sources say in their own words."""
    if name == "ttl_policy":
        return thing.life.ttl_policy.value
    if isinstance(thing, Node) and name in ("name", "type", "context_type"):
        return thing.inferred(name)
    return ""


def _value(env: Env, scope: Scope, thing: Lived, name: str, value: Any) -> Any:
    if name == "denied":
        return True
    if name in ("since", "until"):
        return _time(env, thing, name, value)
    if value is None:
        raise InvalidInput("value", f"say what the {name} is")
    if name in ("name", "type", "ttl_policy"):
        return {"name": _name, "type": _kind, "ttl_policy": _policy}[name](env, scope, thing, value)
    plain: dict[str, Callable[[Any], Any]] = {
        "description": lambda text: checks.statement("value", text, MOST_CHARACTERS).strip(),
        "context_type": lambda word: checks.choice("value", ContextType, word).value,
        "attitude": lambda grade: checks.whole("value", _number(grade), 1, 5),
        "proximity": lambda grade: checks.whole("value", _number(grade), 1, 5),
        "confidence": _share,
    }
    return plain[name](value)


def _kind(env: Env, scope: Scope, thing: Lived, value: Any) -> str:
    word = type_word("value", value)
    if not isinstance(thing, Relationship):
        _insist_only(env, scope, thing, thing_name(thing), type_=word)
    return word


def _policy(env: Env, scope: Scope, thing: Lived, value: Any) -> str:  # noqa: ARG001 - as others
    policy = checks.choice("value", TtlPolicy, value)
    if isinstance(thing, Person) and thing.is_owner:
        raise InvalidInput("key", "the owner of this memory is always kept")
    return policy.value


def thing_name(thing: Lived) -> str:
    """What it is called."""
    return str(getattr(thing, "name", ""))


def _name(env: Env, scope: Scope, thing: Lived, value: Any, field: str = "value") -> str:
    text = checks.plain(field, value).strip()
    if not canonical_name(text):
        raise InvalidInput(field, "a name has to have a letter or a digit")
    name = checks.identifier(field, text)
    if isinstance(thing, Person) and thing.is_owner and field == "value":
        raise InvalidInput("key", "the owner is called what the profile says: change that")
    if isinstance(thing, Anchor):
        _insist_only(env, scope, thing, name)
    return name


def _insist_only(env: Env, scope: Scope, thing: Lived, name: str, type_: str = "") -> None:
    """Two of one kind that are called the same are one: they are merged, and not renamed."""
    wanted, own = canonical_name(name), getattr(thing, "type", "")
    for one in env.graph.names(scope, kind_of(thing), wanted.split("-")):
        called = {canonical_name(word) for word in (one.name, *one.aliases)}
        other = final(env, scope, one.key) != final(env, scope, thing.key)
        if other and wanted in called and one.type == (type_ or own):
            raise InvalidInput("value", f"{one.name!r} ({one.key}) is called so: `merge` the two")


def type_word(field: str, value: Any) -> str:
    words = checks.identifier(field, checks.plain(field, value).strip()).casefold().split()
    return "_".join(words)


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.strip().isdigit() else value


def _share(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0.0 <= number <= 1.0 or isinstance(value, bool):
        raise InvalidInput("value", f"{value!r} is not a number from 0 to 1")
    return number


def moment_given(env: Env, field: str, value: Any) -> datetime | None:
    value = checks.from_iso(field, value)
    if isinstance(value, datetime) and value.tzinfo is None:
        raise InvalidInput(field, f"{value.isoformat()} has no time zone")
    if value is None:
        return None
    return checks.moment(field, value, env.clock.now(), env.config.intake)


def _time(env: Env, thing: Lived, name: str, value: Any) -> str | None:
    moment = moment_given(env, "value", value)
    if isinstance(thing, Relationship) and moment is not None:
        ends = (moment, thing.valid_to) if name == "since" else (thing.valid_from, moment)
        if ends[1] is not None and ends[1] <= ends[0]:
            raise InvalidInput("value", f"it would end at {ends[1]} and begin at {ends[0]}")
    return None if moment is None else moment.isoformat()


def _alias_word(env: Env, scope: Scope, thing: Lived, request: CorrectionRequest) -> Correction:
    if request.value is None and request.was is None:
        raise InvalidInput("value", "say which alias comes, or with `was` which one goes")
    was = "" if request.was is None else checks.plain("was", request.was).strip()
    value = None if request.value is None else _name(env, scope, thing, request.value, "alias")
    names = {canonical_name(one) for one in getattr(thing, "aliases", ())}
    gone = {canonical_name(one.was) for one in thing.by_hand or () if one.field == "alias"}
    if was and canonical_name(was) not in names | gone:
        raise InvalidInput("was", f"{was!r} is no alias of {thing_name(thing)!r}")
    return fresh_word("alias", value, was=was)


def _note_word(
    env: Env, scope: Scope, thing: Lived, request: CorrectionRequest
) -> Correction | None:
    if request.value is None and request.was is None:
        raise InvalidInput("value", "say what the note says, or with `was` which one goes")
    if request.value is None and (request.lifetime or request.expires_at):
        raise InvalidInput("lifetime", "is that of a note that is written")
    value = None
    if request.value is not None:
        value = checks.statement("value", request.value, MOST_CHARACTERS).strip()
    was = (
        ""
        if request.was is None
        else _mark(env, scope, thing, checks.plain("was", request.was), value)
    )
    expires = _expiry(env, request) if value is not None else None
    return None if was is None else fresh_word("note", value, was=was, expires_at=expires)


def _mark(env: Env, scope: Scope, thing: Lived, was: str, value: str | None) -> str | None:
    """The mark of the one note that says so, or begins so; None where it went before by hand."""
    wanted = " ".join(was.split()).casefold()
    notes = env.graph.notes(scope, thing.key, limit=ALL_NOTES)
    alike = [one for one in notes if " ".join(one.content.split()).casefold().startswith(wanted)]
    exact = [one for one in alike if one.content.strip() == was.strip()]
    found = exact[:1] or alike
    if not wanted or len(found) > 1:
        texts = "; ".join(one.content[:60] for one in found)
        raise InvalidInput("was", f"{was!r} could be any of: {texts}" if wanted else "is empty")
    if found:
        return by_hand.note_mark(found[0].source_key, found[0].content)
    links = env.graph.links(scope, thing.key, kinds=(LinkKind.MENTIONS,), outward=False)
    marks = {by_hand.note_mark(one, was.strip()) for one in (None, *(link.src for link in links))}
    known = {one.was: one.value for one in thing.by_hand or () if one.field == "note"}
    if any(known.get(mark, False) == value for mark in marks):
        return None
    raise InvalidInput("was", f"no note on it says {was!r}")


def _expiry(env: Env, request: CorrectionRequest) -> datetime | None:
    """What a hand writes stays, unless it says for how long."""
    now = env.clock.now()
    if request.expires_at is not None and request.lifetime is not None:
        raise InvalidInput("lifetime", "say either how long, or until when")
    if request.lifetime is not None:
        lifetime = checks.choice("lifetime", Lifetime, request.lifetime)
        return resolution.expires(now, lifetime, env.config.resolution)
    until = checks.point("expires_at", request.expires_at)
    if until is not None and until <= now:
        raise InvalidInput("expires_at", f"{until.isoformat()} is past")
    return until


def is_said(words: Sequence[Correction], fresh: Correction) -> bool:
    """Whether the hand says so already."""
    same = [one for one in words if one.field == fresh.field]
    if fresh.field == "note":
        notes = by_hand.notes_of(same, "", "")
        if not fresh.value:
            return fresh.was not in notes and any(one.was == fresh.was for one in same)
        known = notes.get(by_hand.note_mark(None, fresh.value))
        return known is not None and _alike(known.expires_at, fresh.expires_at)
    if fresh.field == "alias":
        named = {canonical_name(one.value or ""): one.value for one in same}
        gone = {canonical_name(one.was) for one in same} - named.keys()
        has = not fresh.value or canonical_name(fresh.value) in named.keys() - gone
        return has and (not fresh.was or canonical_name(fresh.was) in gone)
    return bool(same) and same[-1].value == fresh.value


def _alike(one: datetime | None, other: datetime | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) < timedelta(days=1)
