"""Whether what was found still holds, and the newest truth first (SPEC 8).

Only what beliefs and relationships know of each other counts here, not wording or dates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from remanent.beliefs.rules import truth
from remanent.core.dataclasses import dataclass
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.relationship import Relationship
from remanent.retrieval.model import UNKNOWN, Validity


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One belief or relationship at the time asked about: what it is and what came in its place.

    `holds` is None where a newer statement speaks against it and both stand. `after` are all that
    came in its place, one after the other.
    """

    key: str
    holds: bool | None
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    after: tuple[str, ...] = ()


def claim_of_belief(
    belief: Belief, beliefs: Mapping[str, Belief], as_of: datetime | None
) -> Claim | None:
    """What the belief claims; None when it was not yet said, was forgotten or let go: that tells
    nothing of its truth. One that was merged into another claims what that one claims.

    `beliefs` holds those that came in its place, as far as they are known.
    """
    newer = beliefs.get(belief.superseded_by or "")
    if newer is not None and newer.key != belief.key and truth.was_merged(belief, newer):
        rest = {key: one for key, one in beliefs.items() if key != belief.key}
        return claim_of_belief(newer, rest, as_of)
    early = as_of is not None and belief.since > as_of
    if early or belief.status in (BeliefStatus.FORGOTTEN, BeliefStatus.PRUNED):
        return None
    if belief.status is BeliefStatus.INVALIDATED:
        over = as_of is None or (belief.until is not None and belief.until <= as_of)
    else:
        over = newer is not None and (as_of is None or newer.since <= as_of)
    if not over:
        return Claim(key=belief.key, holds=True)
    return Claim(
        key=belief.key,
        holds=None if belief.status is BeliefStatus.ACTIVE else False,
        superseded_by=belief.superseded_by,
        superseded_at=newer.since if belief.until is None and newer is not None else belief.until,
        after=_succession(belief, beliefs),
    )


def _succession(belief: Belief, beliefs: Mapping[str, Belief]) -> tuple[str, ...]:
    keys: dict[str, None] = {}
    following = belief.superseded_by
    while following is not None and following not in keys and following != belief.key:
        keys[following] = None
        newer = beliefs.get(following)
        following = None if newer is None else newer.superseded_by
    return tuple(keys)


def claim_of_relationship(
    one: Relationship,
    siblings: Iterable[Relationship],
    as_of: datetime | None,
    ended_by: str | None = None,
) -> Claim:
    """What the relationship claims. Of its siblings (same node, kind and type), the one that begins
    where it ends came in its place; if there is none, the belief that it was `ended_by`."""
    if one.valid_to is None or (as_of is not None and one.holds_at(as_of)):
        return Claim(key=one.key, holds=True)
    later = sorted(
        (
            other
            for other in siblings
            if (other.src, other.kind, other.relationship_type)
            == (one.src, one.kind, one.relationship_type)
            and other.valid_from >= one.valid_to
        ),
        key=lambda other: (other.valid_from, other.key),
    )
    if not later or later[0].valid_from != one.valid_to:
        later = []
    keys = tuple(other.key for other in later) or ((ended_by,) if ended_by else ())
    return Claim(
        key=one.key,
        holds=False,
        superseded_by=keys[0] if keys else None,
        superseded_at=one.valid_to,
        after=keys,
    )


def of_claims(claims: Sequence[Claim], *, whole: bool) -> Validity:
    """Whether a text that makes these claims still holds.

    A passage no longer holds as soon as one thing it says does not; a `whole` source, which says
    many things, only when none of them does.
    """
    if not claims:
        return UNKNOWN
    fallen = [one for one in claims if one.holds is False]
    doubted = [one for one in claims if one.holds is None]
    standing = [one for one in claims if one.holds]
    over = fallen or doubted
    first = max(over, key=_newest) if over else None
    holds: bool | None = True
    if over:
        holds = False if fallen and not (whole and (standing or doubted)) else None
    marked = first if first is not None and (holds is False or not whole) else None
    return Validity(
        holds=holds,
        superseded_by=None if marked is None else marked.superseded_by,
        superseded_at=None if marked is None else marked.superseded_at,
        says=frozenset(one.key for one in claims),
        over=frozenset(one.key for one in over),
        after=() if marked is None else tuple(dict.fromkeys(k for one in over for k in one.after)),
    )


def _newest(claim: Claim) -> tuple[bool, float, str]:
    at = claim.superseded_at
    return (claim.superseded_by is not None, 0.0 if at is None else at.timestamp(), claim.key)


def newest_first(order: Sequence[str], validities: Mapping[str, Validity]) -> list[str]:
    """The order, but where something stands above what came in its place, the best of those moves
    to the place right above it. All else keeps its place; done twice it changes nothing more."""
    placed: dict[str, None] = {}

    def place(key: str, above: frozenset[str]) -> None:
        if key in placed or key in above:
            return
        better = _successor(key, order, validities)
        if better is not None:
            place(better, above | {key})
        placed[key] = None

    for key in order:
        place(key, frozenset())
    return list(placed)


def _successor(key: str, order: Sequence[str], validities: Mapping[str, Validity]) -> str | None:
    """The best of what came in its place: what holds before what is superseded in its turn. What says the
    same old thing as well is none; that both say what is still so does not matter."""
    mine = validities.get(key, UNKNOWN)
    newer = [
        other
        for other in (order if mine.after else ())  # of most nothing took the place
        if other != key
        and not validities.get(other, UNKNOWN).says.isdisjoint(mine.after)
        and validities.get(other, UNKNOWN).says.isdisjoint(mine.over)
    ]
    return next((one for one in newer if validities[one].holds), newer[0] if newer else None)
