"""The words on a parameter, as each reader is told them."""

from __future__ import annotations

from collections.abc import Sequence

from remanent.surfaces.operations.words import Choice, Many, Param, Type


def values_of(kind: Type) -> Sequence[str]:
    """The words that a choice has; none where it is no choice."""
    if isinstance(kind, Many):
        return values_of(kind.of)
    return [str(one) for one in kind.values] if isinstance(kind, Choice) else []


def listed(words: Sequence[str]) -> str:
    """`low, normal or high`."""
    return " or ".join(one for one in (", ".join(words[:-1]), words[-1]) if one)


def help_of(param: Param, text: str = "", quote: str = "") -> str:
    """What a parameter means, with the words it takes."""
    told = text or param.help
    if "{values}" not in told:
        return told
    words = [f"{quote}{one}{quote}" for one in values_of(param.type)]
    return told.replace("{values}", listed(words))
