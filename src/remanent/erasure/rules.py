"""Which beliefs an episode has to do with, and what they are without it; what erasing means for the ledger,
what to look for afterwards, and the signed certificate of it."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from remanent.beliefs.rules.belief import OUTDATED
from remanent.core.dataclasses import dataclass, replace
from remanent.core.model import event as told
from remanent.core.model.belief import Authority, Belief, BeliefStatus, Change, ChangeKind, Support
from remanent.core.model.codec import to_record
from remanent.core.model.event import Event, event_key
from remanent.core.records.admin import Erased, Removed
from remanent.core.records.item import LABELS

_BY_GROUNDS = frozenset({ChangeKind.INVALIDATED, ChangeKind.RESCORED})


def is_active(belief: Belief) -> bool:
    """Whether it is held true."""
    return belief.status is BeliefStatus.ACTIVE


def episode_of(user_id: str, support: Support) -> str:
    """The key of what said so: a source, or something that was remembered."""
    return support.source_key or event_key(user_id, support.event_id)


def outdated_by(belief: Belief) -> Iterator[Change]:
    """The changes that ended relationships made to it; each is named by the relationship's key."""
    return (one for one in belief.changes if one.by is not None and one.reason.startswith(OUTDATED))


def is_of(support: Support, episode: str) -> bool:
    """Whether a source of that key said so, or what was remembered under that id."""
    return episode == (support.source_key or support.event_id)


def rest_on(beliefs: Iterable[Belief], episode: str) -> set[str]:
    """Keys of those that the source, or what was remembered, speaks for."""
    return {one.key for one in beliefs if any(is_of(support, episode) for support in one.supports)}


def affected_beliefs(
    beliefs: Mapping[str, Belief],
    seeds: Collection[str],
    alike: Callable[[Belief], Collection[str]],
) -> set[str]:
    """The seeds and every asserted belief whose fate may have hung on one of them: what replaced,
    weakened or took in another, and what is so `alike` that the two were weighed against each other."""
    ties = _ties(beliefs)
    keys, pending = set[str](), [key for key in seeds if key in beliefs]
    while pending:
        key = pending.pop()
        if key in keys or beliefs[key].authority is Authority.INFERENCE:
            continue
        keys.add(key)
        near = ties.get(key, set()) | set(alike(beliefs[key]))
        pending += sorted(one for one in near - keys if one in beliefs)
    return keys


def _ties(beliefs: Mapping[str, Belief]) -> dict[str, set[str]]:
    ties: dict[str, set[str]] = {}
    for belief in beliefs.values():
        changed_by = (change.by for change in belief.changes)
        for other in {belief.supersedes, belief.superseded_by, *changed_by}:
            if other is not None and other in beliefs and other != belief.key:
                ties.setdefault(belief.key, set()).add(other)
                ties.setdefault(other, set()).add(belief.key)
    return ties


def heard_at(beliefs: Iterable[Belief], episode_key: str, statement: str) -> datetime | None:
    """When we settled what that episode said, by the log of these beliefs."""
    first = None
    for belief in beliefs:
        for change in belief.changes:
            if change.by != episode_key:
                continue
            if change.kind is ChangeKind.REINFORCED and change.reason == statement:
                return change.recorded_at
            said = next((one.statement for one in belief.supports), None)
            if change.kind is ChangeKind.CREATED and said == statement:
                first = change.recorded_at
    return first


def lost(beliefs: Iterable[Belief], gone: Collection[str]) -> set[str]:
    """Keys of the inferences, however indirect, that were drawn from one that is gone; what somebody
    asserted as well does not hang on that."""
    inferences = [one for one in beliefs if one.derived_from and not one.supports]
    fallen, inferred = set(gone), set[str]()
    while fresh := [
        one.key for one in inferences if one.key not in inferred and fallen & set(one.derived_from)
    ]:
        inferred.update(fresh)
        fallen.update(fresh)
    return inferred


def upheld_again(inference: Belief, revived: Collection[str]) -> Belief:
    """The inference without what was held against it because these did not stand."""
    kept = tuple(
        one for one in inference.changes if one.kind not in _BY_GROUNDS or one.by not in revived
    )
    if len(kept) == len(inference.changes):
        return inference
    confidences = [one.confidence for one in kept if one.confidence is not None]
    ended = any(one.kind is ChangeKind.INVALIDATED for one in kept)
    return replace(
        inference,
        changes=kept,
        confidence=confidences[-1] if confidences else inference.confidence,
        status=inference.status if ended else BeliefStatus.ACTIVE,
        until=inference.until if ended else None,
    )


def without_word_of(belief: Belief, gone: Collection[str]) -> Belief:
    """The belief without any mention of beliefs that are gone."""
    return replace(
        belief,
        changes=tuple(one for one in belief.changes if one.by not in gone),
        supersedes=None if belief.supersedes in gone else belief.supersedes,
        superseded_by=None if belief.superseded_by in gone else belief.superseded_by,
        disputes=None if belief.disputes in gone else belief.disputes,
        derived_from=tuple(one for one in belief.derived_from if one not in gone),
    )


PHRASE_WORDS: Final = (5, 4)  # the shorter where a text has no longer run without other signs
MOST_PHRASES: Final = 12
_OWN_KEY: Final = 16  # characters: no key of ours is shorter
_WORD = re.compile(r"[^\W_]+")
_PLAIN = re.compile(r"[\w ]+")

_OF_A_SOURCE: Final = (
    told.SOURCE_ADDED, told.SOURCE_PROCESSED, told.SOURCE_EXTRACTED, told.SOURCE_UNDONE,
    told.SOURCE_ACCEPTED, told.SOURCE_DECLINED, told.SOURCE_HIDDEN, told.SOURCE_SHOWN,
    told.ARTIFACT_PRODUCED, told.SESSION_ENDED,
)  # fmt: skip
_OF_A_KEY: Final = (
    told.BELIEF_FORGOTTEN, told.BELIEF_RESTATED, told.SUBJECT_ASSIGNED, told.MEMORY_PINNED,
    told.MEMORY_RESTORED, told.ANCHOR_SPLIT, told.STORYLINE_CLOSED, told.STORYLINE_RETOLD,
    told.MACRO_RETOLD,
)  # fmt: skip
# Payloads that name one thing which, once it is gone, leaves the event nothing to tell.
_OF_ONE: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(_OF_A_SOURCE, ("source_key",)),
    **dict.fromkeys(_OF_A_KEY, ("key",)),
    told.CONTRADICTION_SETTLED: ("newer", "older"),
    told.MEMORY_CORRECTED: ("key", "src", "dst", "undoes"),
    told.ANCHOR_MERGED: ("key", "into"),
    told.STORYLINE_OPENED: ("key", "anchor"),
    told.MACRO_OPENED: ("key", "anchor"),
}
# Payloads with lists of keys; without any of the first that is named there is nothing left to tell.
_LISTS: Final = {
    told.STORYLINE_OPENED: ("sources", "chapters", "team_chapters"),
    told.STORYLINE_RETOLD: ("chapters", "team_chapters"),
    told.MACRO_OPENED: ("storylines",),
    told.MACRO_RETOLD: ("storylines",),
    told.MEMORY_ARCHIVED: ("keys",),
}


def without(event: Event, gone: Collection[str]) -> Event | None:
    """The event with no word of the things that are gone; None when it tells of nothing else."""
    payload = event.payload
    if any(str(payload.get(name)) in gone for name in _OF_ONE.get(event.event_type, ())):
        return None
    rewrite = _REWRITTEN.get(event.event_type)
    fresh = _listed(event, gone) if rewrite is None else rewrite(payload, gone)
    if fresh is None:
        return None
    return event if fresh == payload else replace(event, payload=fresh)


def _listed(event: Event, gone: Collection[str]) -> Mapping[str, Any] | None:
    lists = _LISTS.get(event.event_type, ())
    fresh = dict(event.payload)
    for name in lists:
        fresh[name] = _others(fresh.get(name, ()), gone)
    if lists and fresh != event.payload and not fresh[lists[0]]:
        return None
    return fresh


def _others(keys: Iterable[Any], gone: Collection[str]) -> list[Any]:
    return [one for one in keys if str(one) not in gone]


def _described(payload: Mapping[str, Any], gone: Collection[str]) -> Mapping[str, Any] | None:
    things = []
    for thing in payload["things"]:
        sources = _others(thing["sources"], gone)
        if str(thing["key"]) not in gone and (sources or not thing["sources"]):
            things.append({**thing, "sources": sources})
    return {**payload, "things": things} if things else None


def _expired(payload: Mapping[str, Any], gone: Collection[str]) -> Mapping[str, Any] | None:
    on = {key: count for key, count in payload["on"].items() if key not in gone}
    if len(on) == len(payload["on"]):
        return payload
    return {**payload, "on": on, "notes": sum(on.values())} if on else None


def _distilled(payload: Mapping[str, Any], gone: Collection[str]) -> Mapping[str, Any] | None:
    parts = [
        {"sources": sources, "anchors": _others(one["anchors"], gone)}
        for one in payload["parts"]
        if (sources := _others(one["sources"], gone))
    ]
    if parts == list(payload["parts"]):
        return payload
    count = sum(len(one["sources"]) for one in parts)
    # Why these belonged together may have been said with a number or a time of what is gone.
    return {**payload, "parts": parts, "sources": count, "why": ""} if parts else None


def _merged(payload: Mapping[str, Any], gone: Collection[str]) -> Mapping[str, Any] | None:
    losers = _others(payload["losers"], gone)
    if str(payload["winner"]) in gone or not losers:
        return None
    return {**payload, "losers": losers}


def _pruned(payload: Mapping[str, Any], gone: Collection[str]) -> Mapping[str, Any] | None:
    kept = [
        (key, left)
        for key, left in zip(payload["keys"], payload["left"], strict=True)
        if str(key) not in gone
    ]
    if not kept:
        return None
    return {**payload, "keys": [key for key, _ in kept], "left": [left for _, left in kept]}


def _synthesized(payload: Mapping[str, Any], gone: Collection[str]) -> Mapping[str, Any] | None:
    return None if any(str(one) in gone for one in payload["derived_from"]) else payload


def _reconsolidated(payload: Mapping[str, Any], gone: Collection[str]) -> Mapping[str, Any] | None:
    """What a night decided of events names them by id, wherever it does."""
    fresh: dict[str, Any] = _without(payload, gone)
    if "episodes" in fresh:
        had = {str(one["key"]) for one in payload["episodes"] if one["events"]}
        fresh["episodes"] = [
            one for one in fresh["episodes"] if one["events"] or str(one["key"]) not in had
        ]
    emptied = [name for name in ("episodes", "parts") if payload.get(name) and not fresh[name]]
    return None if emptied else fresh


def _without(value: Any, gone: Collection[str]) -> Any:
    if isinstance(value, Mapping):
        return {name: _without(one, gone) for name, one in value.items() if name not in gone}
    if isinstance(value, list | tuple):
        return [_without(one, gone) for one in value if not _names(one, gone)]
    return value


def _names(value: Any, gone: Collection[str]) -> bool:
    """Whether it is one of these, or a row about one of them."""
    if isinstance(value, str):
        return value in gone
    if isinstance(value, list | tuple):
        return any(isinstance(one, str) and one in gone for one in value)
    if isinstance(value, Mapping):
        return str(value.get("key")) in gone or str(value.get("event_id")) in gone
    return False


def _item_put(payload: Mapping[str, Any], gone: Collection[str]) -> Mapping[str, Any] | None:
    """A record goes with what it is about, and one that names it by its key goes too. What is as short
    as an id that somebody made up may stand anywhere, and counts as the key of a label alone."""
    if payload["room"] == LABELS and str(payload["key"]) in gone:
        return None
    text = item_text(payload)
    return None if any(len(one) >= _OWN_KEY and one in text for one in gone) else payload


def item_text(payload: Mapping[str, Any]) -> str:
    """All that an `item.put` says: where it is kept, and each name and value in it."""
    return "\n".join(_strings([payload["namespace"], payload["key"], payload["value"]]))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)


_Rewrite = Callable[[Mapping[str, Any], Collection[str]], Mapping[str, Any] | None]
_REWRITTEN: Final[Mapping[str, _Rewrite]] = {
    told.DESCRIBED: _described,
    told.NOTES_EXPIRED: _expired,
    told.SOURCES_DISTILLED: _distilled,
    told.BELIEFS_MERGED: _merged,
    told.BELIEFS_PRUNED: _pruned,
    told.BELIEF_SYNTHESIZED: _synthesized,
    told.EVENTS_RECONSOLIDATED: _reconsolidated,
    told.ITEM_PUT: _item_put,
}


# --- what to look for afterwards ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Needles:
    """What must not be found again: keys, and phrases that nothing else has."""

    keys: tuple[str, ...]
    phrases: tuple[str, ...]


def phrases(text: str, most: int = MOST_PHRASES) -> list[str]:
    """Runs of words from all over a text, as they stand in it: long enough to be nobody else's, and
    without signs that files write in more than one way."""
    words = list(_WORD.finditer(text))
    for length in PHRASE_WORDS:
        runs = _runs(text, words, min(length, len(words)), most)
        if runs:
            return runs
    return []


def _runs(text: str, words: Sequence[re.Match[str]], length: int, most: int) -> list[str]:
    runs: list[str] = []
    starts = range(len(words) - length + 1) if words else range(0)
    step = max(1, len(starts) // most)
    for start in starts[::step]:
        run = text[words[start].start() : words[start + length - 1].end()]
        if _PLAIN.fullmatch(run) and "  " not in run and len(run) >= 2 * length:
            runs.append(run)
    return list(dict.fromkeys(runs))[:most]


# --- the paper -------------------------------------------------------------------------------------


def listed(removed: Iterable[Removed]) -> tuple[Removed, ...]:
    """One line for each sort of thing and store, in order; of nothing there is no line."""
    lines: dict[tuple[str, str], Removed] = {}
    for removal in removed:
        place = (removal.store, removal.what)
        known = lines.get(place, replace(removal, count=0, keys=()))
        lines[place] = replace(
            known,
            count=known.count + removal.count,
            keys=tuple(sorted({*known.keys, *removal.keys})),
        )
    return tuple(lines[place] for place in sorted(lines) if lines[place].count)


def digest_of(erased: Erased) -> str:
    """SHA-256 over the list of what was removed, and what it was about."""
    return hashlib.sha256(_written(erased)).hexdigest()


def signature_of(erased: Erased, secret: bytes) -> str:
    """HMAC-SHA256 over all that the paper states."""
    return hmac.new(secret, _written(erased), hashlib.sha256).hexdigest()


def signed(erased: Erased, secret: bytes) -> Erased:
    """The paper with its digest and signature, and without titles."""
    plain = replace(erased, titles=(), digest="", signature="")
    return replace(plain, digest=digest_of(plain), signature=signature_of(plain, secret))


def is_genuine(erased: Erased, secret: bytes) -> bool:
    """Whether this memory signed just that."""
    same = hmac.compare_digest(erased.digest.encode(), digest_of(erased).encode())
    made = signature_of(erased, secret)
    return same and hmac.compare_digest(erased.signature.encode(), made.encode())


def _written(erased: Erased) -> bytes:
    record = to_record(replace(erased, titles=(), digest="", signature="", dry_run=False))
    return json.dumps(record, sort_keys=True, ensure_ascii=True).encode("ascii")


# --- people ----------------------------------------------------------------------------------------


def names_person(text: str, names: Sequence[str]) -> bool:
    """Whether one of these names stands in the text, as words of its own; capitals make no difference."""
    padded = f" {' '.join(_WORD.findall(text)).casefold()} "
    return any(f" {' '.join(_WORD.findall(name)).casefold()} " in padded for name in names if name)
