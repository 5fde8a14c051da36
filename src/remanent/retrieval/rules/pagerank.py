"""How strongly a walk is drawn along an edge, and how far it may go (SPEC 8)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from remanent.errors import InvalidInput

NEAREST = 5  # the highest proximity, spec 3
MOST_DEPTH = 10
MOST_DAMPING = 0.99  # beyond it a walk all but forgets where it began, and takes for ever
MOST_REACHED = 1000
MOST_SEEDS = 100


class _Factor(Protocol):
    """A number, or many of them at once."""

    def __mul__(self, other: Any, /) -> Any: ...


Factor = TypeVar("Factor", bound=_Factor)


@dataclass(frozen=True, slots=True, kw_only=True)
class PagerankRules:
    """The figures of SPEC 8; what a link weighs beside a relationship is ours."""

    max_depth: int = 3
    damping: float = 0.85
    top_k: int = 20
    link_strength: float = 0.1  # of a plain link: below a middling relationship's
    least_strength: float = 0.001  # whatever holds conducts a little, however faded


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """How to walk, checked."""

    max_depth: int
    damping: float
    top_k: int


def strength(salience: Factor, confidence: Factor, proximity: Factor) -> Factor:
    """How well a relationship conducts, from 0 to 1: present, certain and near."""
    product: Factor = salience * confidence * proximity * (1.0 / NEAREST)
    return product


def checked(
    max_depth: object = None,
    damping: object = None,
    top_k: object = None,
    rules: PagerankRules | None = None,
) -> Walk:
    """The walk as asked for, where nothing is said by the rules; `InvalidInput` names what is off."""
    rules = rules or PagerankRules()
    return Walk(
        max_depth=_whole(
            "max_depth", rules.max_depth if max_depth is None else max_depth, MOST_DEPTH
        ),
        damping=_damping(rules.damping if damping is None else damping),
        top_k=_whole("top_k", rules.top_k if top_k is None else top_k, MOST_REACHED),
    )


def _whole(field: str, value: object, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise InvalidInput(field, f"{value!r} is not a whole number from 1 to {most}")
    return value


def _damping(value: object) -> float:
    wrong = not isinstance(value, (int, float)) or isinstance(value, bool)
    if wrong or not math.isfinite(value) or not 0 <= value <= MOST_DAMPING:  # type: ignore[arg-type, operator]
        raise InvalidInput("damping", f"{value!r} is not a number from 0 to {MOST_DAMPING}")
    return float(value)  # type: ignore[arg-type]
