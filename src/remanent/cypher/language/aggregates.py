"""Functions over many rows at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from remanent.cypher.language.moments import Duration
from remanent.cypher.language.values import bounded_list, identity, is_number, order, sort_of, whole
from remanent.errors import BadQuery

# What is left of the values of a group once the unknown ones are gone, and further arguments.
Aggregate = Callable[[list[Any], list[Any]], Any]


def _numbers(name: str, values: list[Any]) -> list[Any]:
    odd = next((one for one in values if not is_number(one)), None)
    if odd is not None:
        raise BadQuery(f"{name} takes numbers, not {sort_of(odd)}")
    return values


def _sum(values: list[Any], _: list[Any]) -> Any:
    if values and all(isinstance(one, Duration) for one in values):
        total = Duration()
        for one in values:
            total = total.plus(one)
        return total
    total_number = sum(_numbers("sum", values))
    return whole(total_number) if isinstance(total_number, int) else total_number


def _avg(values: list[Any], more: list[Any]) -> Any:
    if not values:
        return None
    total = _sum(values, more)
    return total.times(1 / len(values)) if isinstance(total, Duration) else total / len(values)


def _min(values: list[Any], _: list[Any]) -> Any:
    return min(values, key=order, default=None)


def _max(values: list[Any], _: list[Any]) -> Any:
    return max(values, key=order, default=None)


def _spread(values: list[Any], less: int) -> float:
    numbers = _numbers("stDev", values)
    if len(numbers) <= less:
        return 0.0
    mean = sum(numbers) / len(numbers)
    return math.sqrt(sum((one - mean) ** 2 for one in numbers) / (len(numbers) - less))


def _percentile(values: list[Any], more: list[Any]) -> tuple[list[Any], float]:
    share = more[0] if more else None
    if not is_number(share) or share is None or not 0 <= share <= 1:
        raise BadQuery("a percentile is a number from 0 to 1")
    return sorted(_numbers("percentile", values)), share


def _percentile_cont(values: list[Any], more: list[Any]) -> Any:
    if not values:
        return None
    numbers, share = _percentile(values, more)
    place = share * (len(numbers) - 1)
    low = math.floor(place)
    high = min(low + 1, len(numbers) - 1)
    return numbers[low] + (numbers[high] - numbers[low]) * (place - low)


def _percentile_disc(values: list[Any], more: list[Any]) -> Any:
    if not values:
        return None
    numbers, share = _percentile(values, more)
    return numbers[max(0, math.ceil(share * len(numbers)) - 1)]


AGGREGATES: Final[Mapping[str, Aggregate]] = {
    "count": lambda values, _: len(values),
    "collect": lambda values, _: bounded_list(list(values)),
    "sum": _sum,
    "avg": _avg,
    "min": _min,
    "max": _max,
    "stdev": lambda values, _: _spread(values, 1),
    "stdevp": lambda values, _: _spread(values, 0),
    "percentilecont": _percentile_cont,
    "percentiledisc": _percentile_disc,
}


class Gathering:
    """One aggregate over the rows of one group."""

    __slots__ = ("_distinct", "_how", "_more", "_seen", "_values")

    def __init__(self, name: str, *, distinct: bool) -> None:
        self._how = AGGREGATES[name]
        self._distinct = distinct
        self._seen: set[Any] = set()
        self._values: list[Any] = []
        self._more: list[Any] = []

    def take(self, value: Any, more: list[Any]) -> None:
        """One more row; what is unknown is passed over."""
        if value is None:
            return
        self._more = more
        if self._distinct:
            known = identity(value)
            if known in self._seen:
                return
            self._seen.add(known)
        self._values.append(value)

    @property
    def result(self) -> Any:
        return self._how(self._values, self._more)
