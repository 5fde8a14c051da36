"""Evaluation: the value of an expression in a row."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time
from typing import Any, Final

from remanent.core.dataclasses import dataclass
from remanent.cypher.language import moments, tree
from remanent.cypher.language.functions import (
    FUNCTIONS,
    as_text,
    list_of,
    matches,
    numbers,
    properties_of,
)
from remanent.cypher.language.moments import TIMED, Duration
from remanent.cypher.language.picture import Edge, Node, Picture, Thing
from remanent.cypher.language.values import (
    all_of,
    bounded_list,
    bounded_text,
    compare,
    equal,
    is_number,
    sort_of,
    whole,
)
from remanent.errors import BadQuery

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a query is asked of: the picture, the caller's parameters, the time, and whoever counts
    the steps and stops it when there were too many."""

    picture: Picture
    parameters: Mapping[str, Any]
    now: datetime
    tick: Callable[[], None]


class Evaluator:
    """Knows the value of every expression but those with patterns, which `Matcher` adds."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._ways: dict[type[tree.Expr], Callable[[Any, Row], Any]] = {
            tree.Literal: lambda expr, _: expr.value,
            tree.Variable: self._variable,
            tree.Parameter: self._parameter,
            tree.Property: lambda expr, row: self.property(self.value(expr.of, row), expr.name),
            tree.Index: lambda expr, row: self._at(
                self.value(expr.of, row), self.value(expr.at, row)
            ),
            tree.Slice: self._slice,
            tree.ListOf: lambda expr, row: [self.value(one, row) for one in expr.items],
            tree.MapOf: lambda expr, row: {
                one.name: self.value(one.value, row) for one in expr.entries
            },
            tree.MapProjection: self._projection,
            tree.Unary: self._unary,
            tree.Binary: self._binary,
            tree.Comparison: self._comparison,
            tree.IsNull: lambda expr, row: (self.value(expr.of, row) is None) != expr.negated,
            tree.HasLabels: lambda expr, row: self.labelled(self.value(expr.of, row), expr.labels),
            tree.Case: self._case,
            tree.Call: self._call,
            tree.ListComprehension: self._comprehension,
            tree.Quantified: self._quantified,
            tree.Reduce: self._reduce,
            tree.PatternTest: self.pattern_test,
            tree.PatternComprehension: self.pattern_list,
            tree.Subquery: self.subquery,
        }

    def value(self, expr: tree.Expr, row: Row) -> Any:
        """The value of the expression in this row."""
        return self._ways[type(expr)](expr, row)

    def holds(self, expr: tree.Expr | None, row: Row) -> bool:
        """Whether a condition is true; unknown is not."""
        if expr is None:
            return True
        verdict = self.value(expr, row)
        if verdict is not None and not isinstance(verdict, bool):
            raise BadQuery(f"a condition is {sort_of(verdict)}, not true or false")
        return verdict is True

    # -- what needs the matcher ---------------------------------------------------------------

    def pattern_test(self, expr: tree.PatternTest, row: Row) -> bool:
        raise NotImplementedError

    def pattern_list(self, expr: tree.PatternComprehension, row: Row) -> list[Any]:
        raise NotImplementedError

    def subquery(self, expr: tree.Subquery, row: Row) -> Any:
        raise NotImplementedError

    # -- names and parts ----------------------------------------------------------------------

    def _variable(self, expr: tree.Variable, row: Row) -> Any:
        if expr.name not in row:
            raise BadQuery(f"nothing is called {expr.name!r} here")
        return row[expr.name]

    def _parameter(self, expr: tree.Parameter, _: Row) -> Any:
        if expr.name not in self.world.parameters:
            raise BadQuery(f"the parameter ${expr.name} was not given")
        return self.world.parameters[expr.name]

    def property(self, of: Any, name: str) -> Any:
        """`of.name`; what has no such property gives unknown."""
        match of:
            case None:
                return None
            case Thing():
                return of.properties.get(name)
            case Mapping():
                return of.get(name)
            case Duration() | date() | time():
                return moments.part(of, name)
            case _:
                raise BadQuery(f"{sort_of(of)} has no property {name!r}")

    def _at(self, of: Any, at: Any) -> Any:
        if of is None or at is None:
            return None
        if isinstance(at, str):
            return self.property(of, at)
        items, place = list_of("[ ]", of), at
        if not isinstance(place, int) or isinstance(place, bool):
            raise BadQuery(f"a place in a list is a whole number, not {sort_of(place)}")
        return items[place] if -len(items) <= place < len(items) else None

    def _slice(self, expr: tree.Slice, row: Row) -> Any:
        of = self.value(expr.of, row)
        ends = [None if one is None else self.value(one, row) for one in (expr.first, expr.last)]
        is_given = [one is not None for one in (expr.first, expr.last)]
        if of is None or any(a and one is None for a, one in zip(is_given, ends, strict=True)):
            return None
        if any(one is not None and not isinstance(one, int) for one in ends):
            raise BadQuery("the ends of a slice are whole numbers")
        return (of if isinstance(of, str) else list_of("[ .. ]", of))[ends[0] : ends[1]]

    def _projection(self, expr: tree.MapProjection, row: Row) -> Any:
        of = self.value(expr.of, row)
        if of is None:
            return None
        properties = dict(properties_of(of)) if expr.whole else {}
        return properties | {one.name: self.value(one.value, row) for one in expr.entries}

    def labelled(self, of: Any, labels: tree.Labels) -> bool | None:
        """Whether a node has these labels, or a relationship this type."""
        if of is None:
            return None
        if isinstance(of, Node):
            return fits(labels, of.label)
        if isinstance(of, Edge):
            return fits(labels, of.type)
        raise BadQuery(f"{sort_of(of)} has no labels")

    # -- operators ----------------------------------------------------------------------------

    def _unary(self, expr: tree.Unary, row: Row) -> Any:
        of = self.value(expr.of, row)
        if of is None:
            return None
        if expr.sign == "NOT":
            return not _truth(of)
        if isinstance(of, Duration):
            return of.times(-1) if expr.sign == "-" else of
        if not is_number(of):
            raise BadQuery(f"{expr.sign} takes a number, not {sort_of(of)}")
        return -of if expr.sign == "-" else of

    def _binary(self, expr: tree.Binary, row: Row) -> Any:
        if expr.sign in _LOGIC:
            return self._logic(expr, row)
        self.world.tick()
        left, right = self.value(expr.left, row), self.value(expr.right, row)
        if left is None or right is None:
            return None
        return _OPERATORS[expr.sign](left, right)

    def _logic(self, expr: tree.Binary, row: Row) -> bool | None:
        left = _truth(self.value(expr.left, row))
        if expr.sign == "XOR":
            right = _truth(self.value(expr.right, row))
            return None if left is None or right is None else left != right
        settles = expr.sign == "OR"
        if left is settles:
            return settles
        right = _truth(self.value(expr.right, row))
        if right is settles:
            return settles
        return None if left is None or right is None else not settles

    def _comparison(self, expr: tree.Comparison, row: Row) -> bool | None:
        self.world.tick()
        left = self.value(expr.first, row)
        verdict: bool | None = True
        for sign, other in expr.rest:
            right = self.value(other, row)
            one = compare(sign, left, right)
            if one is False:
                return False
            verdict = None if one is None else verdict
            left = right
        return verdict

    def _case(self, expr: tree.Case, row: Row) -> Any:
        subject = None if expr.subject is None else self.value(expr.subject, row)
        for test, then in expr.branches:
            if expr.subject is None:
                met = self.holds(test, row)
            else:
                met = equal(subject, self.value(test, row)) is True
            if met:
                return self.value(then, row)
        return None if expr.otherwise is None else self.value(expr.otherwise, row)

    # -- functions ----------------------------------------------------------------------------

    def _call(self, expr: tree.Call, row: Row) -> Any:
        if expr.name == "coalesce":
            values = (self.value(one, row) for one in expr.arguments)
            return next((one for one in values if one is not None), None)
        if expr.name == "nullif":
            first, second = (self.value(one, row) for one in expr.arguments)
            return None if equal(first, second) is True else first
        values_given = [self.value(one, row) for one in expr.arguments]
        self.world.tick()
        if any(one is None for one in values_given):
            return None
        if expr.name in TIMED:
            return TIMED[expr.name][2](self.world.now, *values_given)
        if expr.name not in FUNCTIONS:
            raise BadQuery(f"{expr.name}() gathers rows: it can stand in WITH or RETURN only")
        return FUNCTIONS[expr.name][2](*values_given)

    # -- lists --------------------------------------------------------------------------------

    def _list_items(self, source: tree.Expr, row: Row) -> Iterator[Any]:
        items = self.value(source, row)
        for item in () if items is None else list_of("IN", items):
            self.world.tick()
            yield item

    def _comprehension(self, expr: tree.ListComprehension, row: Row) -> Any:
        if self.value(expr.source, row) is None:
            return None
        values = []
        for item in self._list_items(expr.source, row):
            inner = {**row, expr.name: item}
            if self.holds(expr.where, inner):
                values.append(item if expr.shape is None else self.value(expr.shape, inner))
        return values

    def _quantified(self, expr: tree.Quantified, row: Row) -> bool | None:
        if self.value(expr.source, row) is None:
            return None
        verdicts = [
            _truth(self.value(expr.where, {**row, expr.name: one}))
            for one in self._list_items(expr.source, row)
        ]
        return _QUANTIFIED[expr.way](verdicts)

    def _reduce(self, expr: tree.Reduce, row: Row) -> Any:
        total = self.value(expr.start, row)
        for one in self._list_items(expr.source, row):
            total = self.value(expr.step, {**row, expr.total: total, expr.name: one})
        return total


def fits(labels: tree.Labels, name: str) -> bool:
    """Whether a label or type is as asked; capitals make no difference."""
    match labels.way:
        case "name":
            return labels.name.lower() == name.lower()
        case "any":
            return any(fits(one, name) for one in labels.parts)
        case "not":
            return not fits(labels.parts[0], name)
        case _:
            return all(fits(one, name) for one in labels.parts)


def checked_call(expr: tree.Call) -> None:
    """`BadQuery` unless there is such a function and it takes that many arguments."""
    if expr.name in ("coalesce", "nullif"):
        fewest, most = (1, 1000) if expr.name == "coalesce" else (2, 2)
    elif expr.name in FUNCTIONS or expr.name in TIMED:
        fewest, most, _ = FUNCTIONS.get(expr.name) or TIMED[expr.name]
    else:
        raise BadQuery(f"there is no function {expr.name[:60]}()")
    if not fewest <= len(expr.arguments) <= most:
        wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
        raise BadQuery(f"{expr.name}() takes {wanted} arguments, not {len(expr.arguments)}")
    if expr.distinct:
        raise BadQuery(f"DISTINCT makes no sense in {expr.name}()")


def _truth(value: Any) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise BadQuery(f"{sort_of(value)} is neither true nor false")
    return value


def _any_of(verdicts: list[bool | None]) -> bool | None:
    if True in verdicts:
        return True
    return None if None in verdicts else False


def _none_of(verdicts: list[bool | None]) -> bool | None:
    verdict = _any_of(verdicts)
    return None if verdict is None else not verdict


def _one_of(verdicts: list[bool | None]) -> bool | None:
    if verdicts.count(True) > 1:
        return False
    return None if None in verdicts else verdicts.count(True) == 1


_QUANTIFIED: Final = {"all": all_of, "any": _any_of, "none": _none_of, "single": _one_of}
_LOGIC: Final = ("AND", "OR", "XOR")


def _plus(left: Any, right: Any) -> Any:
    if is_number(left) and is_number(right):
        return _number(left + right)
    if isinstance(left, list) or isinstance(right, list):
        first = left if isinstance(left, list) else [left]
        return bounded_list(first + (right if isinstance(right, list) else [right]))
    if isinstance(right, Duration) and isinstance(left, (date, time)):
        return moments.shifted(left, right)
    if isinstance(left, Duration):
        return left.plus(right) if isinstance(right, Duration) else _plus(right, left)
    if isinstance(left, str) or isinstance(right, str):
        return bounded_text(as_text(left) + as_text(right))
    raise BadQuery(f"{sort_of(left)} and {sort_of(right)} cannot be added")


def _minus(left: Any, right: Any) -> Any:
    if is_number(left) and is_number(right):
        return _number(left - right)
    if isinstance(right, Duration) and isinstance(left, (date, time)):
        return moments.shifted(left, right, -1)
    if isinstance(left, Duration) and isinstance(right, Duration):
        return left.plus(right, -1)
    raise BadQuery(f"{sort_of(right)} cannot be taken from {sort_of(left)}")


def _number(value: Any) -> Any:
    return whole(value) if isinstance(value, int) else value


def _times(left: Any, right: Any) -> Any:
    if isinstance(left, Duration) and is_number(right):
        return left.times(right)
    if isinstance(right, Duration) and is_number(left):
        return right.times(left)
    numbers("*", [left, right])
    return _number(left * right)


def _over(left: Any, right: Any) -> Any:
    if isinstance(left, Duration) and is_number(right) and right:
        return left.times(1 / right)
    numbers("/", [left, right])
    if isinstance(left, int) and isinstance(right, int):
        if right == 0:
            raise BadQuery("a whole number is divided by zero")
        return whole(abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1))
    if right == 0:
        return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left)
    return left / right


def _rest(left: Any, right: Any) -> Any:
    numbers("%", [left, right])
    if isinstance(left, int) and isinstance(right, int):
        return left - _over(left, right) * right
    return math.fmod(left, right) if right else math.nan


def _power(left: Any, right: Any) -> float:
    numbers("^", [left, right])
    try:
        return math.pow(left, right)
    except OverflowError:
        return -math.inf if left < 0 and right % 2 == 1 else math.inf
    except ValueError:
        return math.nan


def _textual(test: Callable[[str, str], bool]) -> Callable[[Any, Any], bool | None]:
    def call(left: Any, right: Any) -> bool | None:
        if not isinstance(left, (str, date)) or not isinstance(right, str):
            return None
        return test(as_text(left), right)

    return call


_OPERATORS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "+": _plus,
    "||": _plus,
    "-": _minus,
    "*": _times,
    "/": _over,
    "%": _rest,
    "^": _power,
    "=~": matches,
    "IN": lambda left, right: _any_of([equal(left, one) for one in list_of("IN", right)]),
    "STARTS WITH": _textual(str.startswith),
    "ENDS WITH": _textual(str.endswith),
    "CONTAINS": _textual(lambda text, part: part in text),
}
