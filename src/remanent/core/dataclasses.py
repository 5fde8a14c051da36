"""`dataclass` as the standard library has it, but that `__init__` is compiled when a first instance is made.

Compiling six methods for each of some 400 classes was most of a start. What is frozen is also made faster.
"""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import KW_ONLY, MISSING, Field, FrozenInstanceError, asdict, field, fields
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Final

__all__ = ["KW_ONLY", "asdict", "dataclass", "field", "fields", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:

    def replace(one: Any, /, **changes: Any) -> Any:
        for name in _field_names(type(one)):
            if name not in changes:
                changes[name] = getattr(one, name)
        return type(one)(**changes)

    def dataclass(cls: type | None = None, /, *, eq=True, frozen=False, **options: bool) -> Any:
        """As a decorator, with or without options. What is frozen has slots; nothing is ordered."""
        if cls is None:
            return lambda cls: dataclass(cls, eq=eq, frozen=frozen, **options)
        own = {name for name, value in vars(cls).items() if value is not None}
        told = cls.__doc__
        cls.__doc__ = told or cls.__name__  # else one is made of the signature, which takes long
        made = dataclasses.dataclass(init=False, repr=False, eq=False, **options)(cls)
        made.__doc__ = told
        methods = {"__init__": _Later(made, frozen=frozen), "__repr__": _repr}
        methods |= (_compared(made, frozen=frozen) if eq else {}) | (_FROZEN if frozen else {})
        for name in methods.keys() - own:
            setattr(made, name, methods[name])
        return made


_field_names = cache(lambda home: [one.name for one in fields(home) if one.init])


class _Later:
    """Stands for the `__init__` of a class until somebody asks for it, and makes way for it then."""

    def __init__(self, home: type, *, frozen: bool) -> None:
        self._home, self._frozen = home, frozen

    def __get__(self, instance: object, owner: type) -> Any:
        method = _init(self._home, frozen=self._frozen)
        type.__setattr__(self._home, "__init__", method)
        return method if instance is None else method.__get__(instance, owner)


_MADE: Final = type("_Factory", (), {"__repr__": lambda _: "<factory>"})()  # as signatures show it


def _init(home: Any, *, frozen: bool) -> Any:
    known, made = {"_made": _MADE}, dict[str, Any]()
    text = f"def make({{}}):\n {_text(home, known, frozen=frozen)}\n return __init__"
    exec(text.format(", ".join(known)), vars(sys.modules[home.__module__]), made)  # noqa: S102
    init = made["make"](**known)
    init.__qualname__ = f"{home.__qualname__}.__init__"
    init.__annotations__ = {one.name: one.type for one in fields(home) if one.init}
    init.__annotations__["return"] = None
    return init


def _text(home: Any, known: dict[str, Any], *, frozen: bool) -> str:
    """The method as it would be written, and into `known` whatever it names."""
    heads, body = {False: ["self"], True: ["*"]}, ["pass"]
    for one in fields(home):
        default, value = _default(one, known)
        if one.init:
            heads[one.kw_only is True].append(one.name + default)
        if value and frozen:
            known[f"_set_{one.name}"] = getattr(home, one.name).__set__
            body.append(f"_set_{one.name}(self, {value})")
        elif value:
            body.append(f"self.{one.name} = {value}")
    if hasattr(home, "__post_init__"):
        body.append("self.__post_init__()")
    keywords = heads[True] if len(heads[True]) > 1 else []
    return f"def __init__({', '.join(heads[False] + keywords)}):\n  " + "\n  ".join(body)


def _default(one: Field[Any], known: dict[str, Any]) -> tuple[str, str]:
    """What follows a field's name among the parameters, and what the field becomes, if anybody says."""
    name, default = one.name, f"_default_{one.name}"
    if one.default is not MISSING:
        known[default] = one.default
        return f"={default}", name if one.init else default
    if one.default_factory is not MISSING:
        known[default] = one.default_factory
        made = f"{default}()"
        return "=_made", f"{made} if {name} is _made else {name}" if one.init else made
    return "", name if one.init else ""


def _compared(home: Any, *, frozen: bool) -> dict[str, Any]:
    names = [one.name for one in fields(home) if one.compare]
    values = attrgetter(*(names if len(names) > 1 else names * 2 or ["__class__"]))

    def __eq__(self: object, other: object) -> Any:  # noqa: N807 - it is one
        return (
            values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented
        )

    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


@recursive_repr()
def _repr(self: Any) -> str:
    shown = [f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr]
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse(self: Any, name: str, *_: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to or delete field {name!r} of {type(self).__name__}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for one, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)


# What is frozen can still be copied.
_FROZEN: Final = dict.fromkeys(("__setattr__", "__delattr__"), _refuse) | {
    "__getstate__": _state,
    "__setstate__": _restore,
}
