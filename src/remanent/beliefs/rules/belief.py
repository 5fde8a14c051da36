"""What becomes of beliefs by a new statement, by recall, and as time goes by (SPEC 5)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from remanent.core import lifecycle
from remanent.core.dataclasses import dataclass, replace
from remanent.core.lifecycle import LifecycleRules
from remanent.core.model.belief import (
    OWNER,
    Authority,
    Belief,
    BeliefStatus,
    BeliefType,
    Change,
    ChangeKind,
    Support,
)
from remanent.core.model.event import event_key
from remanent.core.model.keys import canonical_name
from remanent.core.model.mind_types import BeliefDraft, Judgement

_DAY = timedelta(days=1)
COURSE_DAYS = 14
_STATED = frozenset(
    {BeliefType.FACTUAL, BeliefType.PREFERENCE, BeliefType.PROCEDURAL, BeliefType.ARCHITECTURAL}
)  # what a mind may call a statement; the other types are not its to give
IMPORTANCE = (1, 10)
OUTDATED = "the relationship it tells of ended"
_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefRules:
    """The figures of SPEC 5. Similarities are those of `similarity`, not raw cosines."""

    initial_confidence: float = 0.6
    compare_with: int = 5
    reinforce_above: float = 0.85
    grey_from: float = 0.70
    same_reinforces_from: float = 0.70
    neighbours_from: float = 0.40
    neighbours_to: float = 0.85
    neighbours_most: int = 3
    reinforce_by: float = 0.1
    weaken_by: float = 0.2
    confidence_least: float = 0.1  # weakening stops here
    weaken_from_episodes: int = 3

    cosine_from: float = 0.20
    weight_cosine: float = 0.50
    weight_importance: float = 0.20
    weight_recency: float = 0.10
    weight_stability: float = 0.05
    weight_subject: float = 0.15
    recency_rate: float = 0.023  # per day
    insight_factor: float = 0.5
    neighbours_of_top: int = 3
    neighbour_factor: float = 0.8
    stability_step: float = 0.1
    stability_most: float = 5.0

    half_life_days: float = 30.0  # times stability
    duplicate_from: float = 0.85
    stale_below: float = 0.10
    prune_below: float = 0.05
    cluster_from: float = 0.60
    clusters_most: int = 5
    meta_confidence: float = 0.8
    meta_stability: float = 3.0


_DEFAULTS = BeliefRules()


@dataclass(frozen=True, slots=True)
class Similar:
    """An active belief that resembles the new statement."""

    key: str
    similarity: float
    episodes: int
    since: datetime
    authority: Authority = Authority.SOURCE
    # What had given way to it does not come back by what was said before.
    told: datetime | None = None


@dataclass(frozen=True, slots=True)
class Create:
    """It is news."""

    neighbours: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reinforce:
    """It is believed already; nothing new is created."""

    key: str


@dataclass(frozen=True, slots=True)
class Weaken:
    """It speaks against a well supported belief: both stand, the old one weaker."""

    key: str
    neighbours: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Invalidate:
    """It takes the place of a belief."""

    key: str
    neighbours: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Predate:
    """It was true before a belief that has replaced it: a late arrival, superseded from the start."""

    key: str
    neighbours: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dispute:
    """It may speak against a belief, or does and may not overrule it: it stands beside it, flagged."""

    key: str
    neighbours: tuple[str, ...] = ()


Verdict = Create | Reinforce | Weaken | Invalidate | Predate | Dispute


def sound(draft: BeliefDraft, raw: str) -> BeliefDraft:
    """The draft within the bounds of SPEC 5, whatever the mind said; `raw` stands in for silence."""
    least, most = IMPORTANCE
    return replace(
        draft,
        statement=draft.statement.strip() or raw.strip(),
        type=draft.type if draft.type in _STATED else BeliefType.FACTUAL,
        importance=round(min(most, max(least, draft.importance))),
        subject=draft.subject.strip().casefold() or OWNER,
    )


def similarity(cosine: float, scale: Sequence[tuple[float, float]] = ()) -> float:
    """How alike two statements are, from 0 to 1, never less for a larger cosine.

    `scale` lists (cosine, similarity) points of one embedder; between them the line is straight,
    outside them flat. Without points the cosine stands for itself.
    """
    if not scale:
        return _unit(cosine)
    points = sorted(scale)
    low_at, low = points[0]
    for at, value in points[1:]:
        value = max(low, value)  # a scale that falls is levelled: monotone whatever was measured
        if cosine < at:
            share = max(0.0, (cosine - low_at) / (at - low_at)) if at > low_at else 0.0
            return _unit(low + share * (value - low))
        low_at, low = at, value
    return _unit(low)


def to_judge(similar: Sequence[Similar], rules: BeliefRules = _DEFAULTS) -> tuple[str, ...]:
    """Whom to ask the mind about, the most similar first."""
    return tuple(one.key for one in _best_first(similar) if one.similarity >= rules.grey_from)


def verdict(
    similar: Sequence[Similar],
    judgements: Mapping[str, Judgement],
    *,
    at: datetime,
    by: Authority = Authority.USER,
    rules: BeliefRules = _DEFAULTS,
) -> Verdict:
    """What a statement made at `at` does to what is believed: always exactly one thing.

    Close to SPEC 5, except that the mind is heard above 0.85 as well: embeddings put "lives in
    Oslo" and "lives in Bergen" as near as two wordings of one thing. What the mind calls the same
    is reinforced first of all: then the contradiction, if any, was settled when that one came.
    What only we infer never ends what somebody asserted, nor what somebody else contributed what is the
    user's own: that is settled as if nobody else had said anything, and takes the place of what others
    had said alike, or it would be held in their words and from their day on.
    """
    among = _verdict_among(similar, judgements, at, by, rules)
    own = [one for one in similar if one.authority is not Authority.OTHER]
    if by is Authority.OTHER or len(own) == len(similar):
        return among
    alone = _verdict_among(own, judgements, at, by, rules)
    if not isinstance(alone, Create):
        return alone
    if isinstance(among, Reinforce) and may_overrule(by, Authority.OTHER):
        return Invalidate(among.key, neighbours(_best_first(similar), rules, but=among.key))
    return among


def _verdict_among(
    similar: Sequence[Similar],
    judgements: Mapping[str, Judgement],
    at: datetime,
    by: Authority,
    rules: BeliefRules,
) -> Verdict:
    ranked, same_from = _best_first(similar), rules.same_reinforces_from
    for candidate in ranked:
        if judgements.get(candidate.key) is Judgement.SAME and candidate.similarity >= same_from:
            return Reinforce(candidate.key)
    for candidate in ranked:
        judged = judgements.get(candidate.key)
        if judged is Judgement.CONTRADICTS and candidate.similarity >= rules.grey_from:
            near = neighbours(ranked, rules, but=candidate.key)
            return _contradiction(candidate, near, at, by, rules)
        if judged is None and candidate.similarity > rules.reinforce_above:
            return Reinforce(candidate.key)
    doubted = _doubtful(ranked, judgements, rules)
    if doubted is not None:
        return Dispute(doubted, neighbours(ranked, rules, but=doubted))
    return Create(neighbours(ranked, rules))


def _doubtful(
    ranked: Sequence[Similar], judgements: Mapping[str, Judgement], rules: BeliefRules
) -> str | None:
    """The belief that the statement may contradict, if the mind is not sure of one."""
    near = (one.key for one in ranked if one.similarity >= rules.grey_from)
    return next((key for key in near if judgements.get(key) is Judgement.DOUBTFUL), None)


def may_overrule(newcomer: Authority, held: Authority) -> bool:
    """An inference of ours may only take the place of another; what somebody else contributed, of
    that too, and of what others contributed."""
    match newcomer:
        case Authority.INFERENCE:
            return held is Authority.INFERENCE
        case Authority.OTHER:
            return held in (Authority.INFERENCE, Authority.OTHER)
        case _:
            return True


def reinforced(
    belief: Belief, support: Support, now: datetime, rules: BeliefRules = _DEFAULTS
) -> Belief:
    """The belief with one more episode behind it; the same episode twice changes nothing."""
    known = {(one.event_id, one.statement) for one in belief.supports}
    if _is_final(belief) or (support.event_id, support.statement) in known:
        return belief
    confidence = _rounded(min(1.0, belief.confidence + rules.reinforce_by))
    dates = may_overrule(support.authority, belief.authority)
    change = Change(
        kind=ChangeKind.REINFORCED,
        recorded_at=now,
        reason=support.statement,
        by=support.source_key or event_key(belief.user_id, support.event_id),
        confidence=confidence,
    )
    return replace(
        belief,
        confidence=confidence,
        since=min(belief.since, support.began) if dates else belief.since,
        updated_at=now,
        supports=(*belief.supports, support),
        changes=(*belief.changes, change),
    )


def weakened(
    belief: Belief, by: Belief | str, now: datetime, rules: BeliefRules = _DEFAULTS
) -> Belief:
    """The belief less sure of itself, standing beside the one that speaks against it.

    `updated_at` stays: it is what effective confidence counts from, and doubt must not refresh it.
    """
    if _is_final(belief):
        return belief
    key, reason = _named(by)
    return replace(_doubted(belief, key, reason, now, rules), superseded_by=key)


def invalidated(belief: Belief, by: Belief | str, until: datetime, now: datetime) -> Belief:
    """The belief as something that was held true until `until` and was then replaced."""
    if _is_final(belief):
        return belief
    key, reason = _named(by)
    ended = _ended(belief, BeliefStatus.INVALIDATED, ChangeKind.INVALIDATED, now, reason, by=key)
    return replace(ended, until=max(belief.since, until), superseded_by=key)


def disputed(belief: Belief, by: Belief, now: datetime) -> Belief:
    """The belief as it was, with a note of what speaks against it; one note for each."""
    noted = any(one.kind is ChangeKind.DISPUTED and one.by == by.key for one in belief.changes)
    if _is_final(belief) or noted:
        return belief
    change = Change(kind=ChangeKind.DISPUTED, recorded_at=now, reason=by.statement, by=by.key)
    return replace(belief, changes=(*belief.changes, change))


def outdated(
    belief: Belief,
    by_key: str,
    statement: str,
    *,
    until: datetime,
    now: datetime,
    rules: BeliefRules,
) -> Belief:
    """The belief once the relationship it tells of has ended at `until`; `statement` are the words.

    A well supported one is only weakened, and by one relationship only once.
    """
    if _is_final(belief) or any(change.by == by_key for change in belief.changes):
        return belief
    reason = f"{OUTDATED}: {statement}" if statement else OUTDATED
    if episodes(belief) >= rules.weaken_from_episodes:
        return _doubted(belief, by_key, reason, now, rules)
    ended = _ended(belief, BeliefStatus.INVALIDATED, ChangeKind.INVALIDATED, now, reason, by=by_key)
    return replace(ended, until=max(belief.since, until))


def episodes(belief: Belief) -> int:
    """How many episodes speak for it, of those that count; several statements of one count once."""
    return len({support.event_id for support in weighty(belief)})


def weighty(belief: Belief) -> list[Support]:
    """What counts of all that speaks for it: the user's own memory, where that says so too. So nobody
    else can make what is the user's own harder to take back."""
    own = [one for one in belief.supports if one.authority is not Authority.OTHER]
    return own or list(belief.supports)


def forgotten(belief: Belief, now: datetime, reason: str) -> Belief:
    """The belief put out of mind on request; whether it was true is left open."""
    if _is_final(belief):
        return belief
    return _ended(belief, BeliefStatus.FORGOTTEN, ChangeKind.FORGOTTEN, now, reason)


def pruned(belief: Belief, now: datetime, reason: str) -> Belief:
    """The belief let go because nothing kept it up."""
    if _is_final(belief):
        return belief
    return _ended(belief, BeliefStatus.PRUNED, ChangeKind.PRUNED, now, reason)


def recalled(
    belief: Belief,
    now: datetime,
    rules: BeliefRules = _DEFAULTS,
    life_rules: LifecycleRules | None = None,
) -> Belief:
    """The belief after it came to mind: steadier, not surer. Within the hour it changes nothing."""
    life = lifecycle.used(belief.life, now, life_rules or LifecycleRules())
    if life is belief.life:
        return belief
    stability = _rounded(min(rules.stability_most, belief.stability + rules.stability_step))
    return replace(belief, stability=stability, life=life)


def effective_confidence(belief: Belief, now: datetime, rules: BeliefRules = _DEFAULTS) -> float:
    """What is left of the confidence since the belief was last confirmed; all of it while it is pinned."""
    days = 0.0 if belief.is_pinned else max(0.0, (now - belief.updated_at) / _DAY)
    return float(belief.confidence * 0.5 ** (days / (rules.half_life_days * belief.stability)))


def course(belief: Belief, rules: BeliefRules = _DEFAULTS) -> tuple[float, ...]:
    """The effective confidence every `COURSE_DAYS` from the last confirmation on, for a year."""
    moments = (belief.updated_at + n * COURSE_DAYS * _DAY for n in range(366 // COURSE_DAYS))
    return tuple(effective_confidence(belief, one, rules) for one in moments)


def days_since_access(belief: Belief, now: datetime) -> float:
    """Days since the belief last came to mind, or since it was made."""
    return max(0.0, (now - (belief.life.last_accessed_at or belief.created_at)) / _DAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallParts:
    """What recall weighs in one belief."""

    cosine: float
    importance: float
    days_since_access: float
    stability: float
    subject_match: bool = False
    is_insight: bool = False


def recall_signals(parts: RecallParts, rules: BeliefRules = _DEFAULTS) -> dict[str, float]:
    """The weighted parts of a belief's score; their sum is the score."""
    factor = rules.insight_factor if parts.is_insight else 1.0
    recency = math.exp(-rules.recency_rate * max(0.0, parts.days_since_access))
    signals = {
        "cosine": rules.weight_cosine * parts.cosine,
        "importance": rules.weight_importance * parts.importance / 10.0,
        "recency": rules.weight_recency * recency,
        "stability": rules.weight_stability * parts.stability / rules.stability_most,
        "subject": rules.weight_subject * float(parts.subject_match),
    }
    return {name: factor * value for name, value in signals.items()}


def subject_matches(query: str, subject: str, aliases: Sequence[str] = ()) -> bool:
    """Whether the query names whom the belief is about; the owner also answers to "I" and "my"."""
    canonical = canonical_name(query)
    if subject == OWNER and not _FIRST_PERSON.isdisjoint(canonical.split("-")):
        return True
    names = aliases if subject == OWNER else (subject, *aliases)
    wanted = [canonical_name(name) for name in names]
    return any(name and f"-{name}-" in f"-{canonical}-" for name in wanted)


def _best_first(similar: Sequence[Similar]) -> list[Similar]:
    return sorted(similar, key=lambda one: (-one.similarity, one.key))


def _contradiction(
    one: Similar, neighbours: tuple[str, ...], at: datetime, by: Authority, rules: BeliefRules
) -> Verdict:
    late = one.since > at or (one.told is not None and one.told > at)
    if not may_overrule(by, one.authority) or (late and not may_overrule(one.authority, by)):
        return Dispute(one.key, neighbours)
    if late:
        return Predate(one.key, neighbours)
    if one.episodes >= rules.weaken_from_episodes:
        return Weaken(one.key, neighbours)
    return Invalidate(one.key, neighbours)


def neighbours(
    ranked: Sequence[Similar], rules: BeliefRules, *, but: str | None = None
) -> tuple[str, ...]:
    """Those to stand beside the statement, of these in the order given."""
    fit = [
        one.key
        for one in ranked
        if one.key != but and rules.neighbours_from <= one.similarity <= rules.neighbours_to
    ]
    return tuple(fit[: rules.neighbours_most])


def _is_final(belief: Belief) -> bool:
    return belief.status is not BeliefStatus.ACTIVE


def _named(by: Belief | str) -> tuple[str, str]:
    return (by.key, by.statement) if isinstance(by, Belief) else (by, by)


def _doubted(belief: Belief, by: str, reason: str, now: datetime, rules: BeliefRules) -> Belief:
    lower = max(rules.confidence_least, belief.confidence - rules.weaken_by)
    confidence = _rounded(min(belief.confidence, lower))
    change = Change(
        kind=ChangeKind.WEAKENED, recorded_at=now, reason=reason, by=by, confidence=confidence
    )
    return replace(belief, confidence=confidence, changes=(*belief.changes, change))


def _ended(
    belief: Belief,
    status: BeliefStatus,
    kind: ChangeKind,
    now: datetime,
    reason: str,
    *,
    by: str | None = None,
) -> Belief:
    change = Change(kind=kind, recorded_at=now, reason=reason, by=by)
    return replace(belief, status=status, updated_at=now, changes=(*belief.changes, change))


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))


def _rounded(value: float) -> float:
    return round(value, 9)  # ten steps of 0.1 make one


STANDING = re.compile(
    r"^(?:please[,:]? )?(?:always|never|from now on|whenever|(?:do not|don['’]t) ever|call me"
    r"|you (?:are|should|must|always|never)|(?:answer|reply|respond|speak|write|talk)(?: to me)?(?: only)?"
    r" (?:in|with|as|like|briefly))\b",
    re.IGNORECASE,
)


def is_instruction(text: str) -> bool:
    """Whether words sound like a standing instruction: how to behave from now on."""
    return STANDING.match(text.strip()) is not None
