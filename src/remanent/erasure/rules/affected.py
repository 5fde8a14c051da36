"""Which beliefs an episode has to do with, and what they are without it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from remanent.beliefs.rules.belief import OUTDATED
from remanent.core.model.belief import Belief, BeliefStatus, Change, ChangeKind, Support
from remanent.core.model.event import event_key

_BY_GROUNDS = frozenset({ChangeKind.INVALIDATED, ChangeKind.RESCORED})


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


def tangled(
    beliefs: Mapping[str, Belief],
    seeds: Collection[str],
    alike: Callable[[Belief], Collection[str]],
) -> set[str]:
    """The seeds and every asserted belief whose fate may have hung on one of them: what replaced,
    weakened or took in another, and what is so `alike` that the two were weighed against each other."""
    ties = _ties(beliefs)
    found, pending = set[str](), [key for key in seeds if key in beliefs]
    while pending:
        key = pending.pop()
        if key in found or not beliefs[key].supports:
            continue
        found.add(key)
        near = ties.get(key, set()) | set(alike(beliefs[key]))
        pending += sorted(one for one in near - found if one in beliefs)
    return found


def _ties(beliefs: Mapping[str, Belief]) -> dict[str, set[str]]:
    ties: dict[str, set[str]] = {}
    for one in beliefs.values():
        others = {one.supersedes, one.superseded_by, *(change.by for change in one.changes)}
        for other in others:
            if other is not None and other in beliefs and other != one.key:
                ties.setdefault(one.key, set()).add(other)
                ties.setdefault(other, set()).add(one.key)
    return ties


def heard_at(beliefs: Iterable[Belief], episode_key: str, statement: str) -> datetime | None:
    """When we settled what that episode said, by the log of these beliefs."""
    first = None
    for one in beliefs:
        for change in one.changes:
            if change.by != episode_key:
                continue
            if change.kind is ChangeKind.REINFORCED and change.reason == statement:
                return change.recorded_at
            if change.kind is ChangeKind.CREATED and _first_said(one, statement):
                first = change.recorded_at
    return first


def _first_said(belief: Belief, statement: str) -> bool:
    return bool(belief.supports) and belief.supports[0].statement == statement


def lost(beliefs: Iterable[Belief], gone: Collection[str]) -> set[str]:
    """Keys of the inferences, however indirect, that were drawn from one that is gone; what somebody
    asserted as well does not hang on that."""
    inferences = [one for one in beliefs if one.derived_from and not one.supports]
    fallen, found = set(gone), set[str]()
    while fresh := [
        one.key for one in inferences if one.key not in found and fallen & set(one.derived_from)
    ]:
        found.update(fresh)
        fallen.update(fresh)
    return found


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
