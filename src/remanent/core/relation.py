"""Which relationship two semantic nodes can have, and the words for how it feels (SPEC 3)."""

from __future__ import annotations

from collections.abc import Mapping

from remanent.core.dataclasses import dataclass
from remanent.core.model.node import Kind
from remanent.core.model.relationship import RelationshipKind
from remanent.errors import InvalidInput

_ORDER = (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)

_KINDS: Mapping[tuple[Kind, Kind], RelationshipKind] = {
    (Kind.PERSON, Kind.PERSON): RelationshipKind.HAS_RELATIONSHIP_WITH,
    (Kind.PERSON, Kind.CONCEPT): RelationshipKind.ENGAGES_WITH,
    (Kind.PERSON, Kind.ENTITY): RelationshipKind.ASSOCIATED_WITH,
    (Kind.CONCEPT, Kind.CONCEPT): RelationshipKind.RELATES_TO,
    (Kind.CONCEPT, Kind.ENTITY): RelationshipKind.INVOLVES,
    (Kind.ENTITY, Kind.ENTITY): RelationshipKind.CONNECTED_TO,
}

Five = tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The words for one kind of relationship, from 1 to 5."""

    attitude: Five
    proximity: Five


SCALES: Mapping[RelationshipKind, Scale] = {
    RelationshipKind.HAS_RELATIONSHIP_WITH: Scale(
        attitude=("hostile", "cool", "neutral", "warm", "loving"),
        proximity=("stranger", "acquaintance", "familiar", "close", "intimate"),
    ),
    RelationshipKind.ENGAGES_WITH: Scale(
        attitude=("rejecting", "doubtful", "indifferent", "interested", "passionate"),
        proximity=("unaware", "curious", "practising", "experienced", "devoted"),
    ),
    RelationshipKind.ASSOCIATED_WITH: Scale(
        attitude=("averse", "critical", "neutral", "favourable", "enthusiastic"),
        proximity=("remote", "occasional", "regular", "involved", "central"),
    ),
    RelationshipKind.RELATES_TO: Scale(
        attitude=("opposed", "in tension", "independent", "compatible", "reinforcing"),
        proximity=("unrelated", "loosely related", "related", "closely related", "inseparable"),
    ),
    RelationshipKind.INVOLVES: Scale(
        attitude=("obstructed", "hindered", "unaffected", "helped", "enabled"),
        proximity=("incidental", "peripheral", "relevant", "important", "essential"),
    ),
    RelationshipKind.CONNECTED_TO: Scale(
        attitude=("conflicting", "competing", "neutral", "cooperating", "allied"),
        proximity=("separate", "distant", "linked", "interdependent", "integrated"),
    ),
}


def kind_of(src: Kind, dst: Kind) -> tuple[RelationshipKind, bool]:
    """The kind the two ends fix, and whether to swap them: person first, then concept, then entity."""
    for end in (src, dst):
        if end not in _ORDER:
            raise InvalidInput("kind", f"a {end.value} cannot have relationships")
    swap = _ORDER.index(src) > _ORDER.index(dst)
    ends = (dst, src) if swap else (src, dst)
    return _KINDS[ends], swap


def words(kind: RelationshipKind, attitude: int, proximity: int) -> str:
    """The two words for how this relationship feels and how near it is: `warm, close`."""
    scale = SCALES[kind]
    feeling = scale.attitude[clamped(attitude) - 1]
    nearness = scale.proximity[clamped(proximity) - 1]
    return f"{feeling}, {nearness}"


def clamped(value: float) -> int:
    """The nearest whole grade from 1 to 5 (SPEC 3)."""
    return round(min(5.0, max(1.0, value)))
