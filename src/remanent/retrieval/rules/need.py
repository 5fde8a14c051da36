"""Need: does a message call for memory? Yes, no or unsure, from how likely that is by its wording (a
mind tells) and from what it calls by a name that this memory knows (SPEC 8)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from remanent.anchors.rules import query
from remanent.core.dataclasses import dataclass
from remanent.core.model.anchor import Name
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind
from remanent.core.model.search import Need
from remanent.core.model.source import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedRules:
    """Log odds. From `yes` on memory is needed, up to `no` it is not; between them it is unsure."""

    yes: float = 1.0
    no: float = -1.5
    person: float = 3.0  # what a name adds, by what it is a name of
    entity: float = 1.2
    concept: float = 0.2
    short_form: float = 1.6
    spoken_of: float = 1.2  # a name that passages or beliefs use
    surest: float = 2.5  # wording alone is never surer: a known name leaves any question open
    hit_nearness: float = 0.57  # from which a hit of a probe stands out by its meaning
    hit_words: float = 0.75  # and by its words: share of the message's that it has


_DEFAULTS = NeedRules()
REMARK = 0.05  # up to this chance by itself, a remark needs nothing whatever went before
_REMARK_WORDS = 4


def is_remark(message: str) -> bool:
    """Whether a message is so short, asks nothing and leans on nothing that it may only say thanks."""
    short = len(query.words(message)) <= _REMARK_WORDS
    return short and "?" not in message and not query.is_follow_up(message)


def need(
    message: str,
    *,
    chance: float = 0.5,
    before: Sequence[Turn] = (),
    names: Sequence[Name] = (),
    abbreviations: Collection[str] = (),
    mentioned: Collection[str] = (),
    rules: NeedRules = _DEFAULTS,
) -> Need:
    """Whether `message` needs memory. `chance` is how likely by its wording, `names` are those the memory
    knows that may be meant, `abbreviations` its own short forms, `mentioned` other names it has heard."""
    said = message
    if query.is_follow_up(message):
        said = " ".join((*(turn.text for turn in before[-2:]), message))
    weights = {Kind.PERSON: rules.person, Kind.ENTITY: rules.entity}
    known = {
        f"names {one.name}": weights.get(one.kind, rules.concept)
        for one in names
        if not one.is_owner and query.calls(said, one)
    }
    words = f"-{canonical_name(said)}-"
    for short in abbreviations:
        if any(f"-{canonical_name(short)}{plural}-" in words for plural in ("", "s")):
            known[f"names {short}"] = rules.short_form
    for one in set(mentioned).difference(abbreviations):
        if f"-{canonical_name(one)}-" in words:
            known[f"names {one}, who or which was spoken of"] = rules.spoken_of
    wording = max(-rules.surest, min(rules.surest, math.log((chance + 1e-9) / (1 - chance + 1e-9))))
    odds = wording + sum(known.values())
    if odds <= rules.no:
        return Need(needs_search=False, reasons=("anybody could ask it",))
    reasons = [*known, *(["speaks of the sender's own life"] if wording > 0 else [])]
    if odds >= rules.yes:
        return Need(needs_search=True, reasons=tuple(reasons))
    return Need(
        needs_search=odds > 0, reasons=(*reasons, "the wording leaves it open"), is_sure=False
    )


def stands_out(message: str, hit: str, nearness: float, rules: NeedRules = _DEFAULTS) -> bool:
    """Whether a hit for a message is so near, by meaning or words, that it may be what is meant."""
    asked = {one.casefold() for one in query.keywords(message)}
    shared = len(asked & {one.casefold() for one in query.words(hit)})
    by_words = shared >= 2 and shared >= rules.hit_words * len(asked)
    return by_words or nearness >= rules.hit_nearness
