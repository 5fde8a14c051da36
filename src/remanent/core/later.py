"""What is loaded when it is first used: a command loads only the rooms that it enters.

A module that uses another later names it twice, for whoever checks the code and for when it runs:

    if TYPE_CHECKING:
        from remanent.retrieval import explore
    else:
        explore = later("remanent.retrieval.explore")
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, Final, TypeVar, cast

Key = TypeVar("Key")
Value = TypeVar("Value", covariant=True)
Method = TypeVar("Method", bound=Callable[..., Any])
_NAMED: Final[list[str]] = []


def later(name: str) -> Any:
    """Stands for the module of that name, which is imported when something of it is first asked for."""
    _NAMED.append(name)
    return _Later(name)


def load_all() -> None:
    """Load what is still to come. A process that serves for long must not find the modules of another
    version in their place, after an upgrade; nor one that gives up rights files that it may not read."""
    for name in _NAMED:  # which grows by what they name
        import_module(name)


class _Later(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


def later_table(named: Callable[[], Mapping[Key, Value]]) -> Mapping[Key, Value]:
    """A table of a later module, which is loaded when something is looked up in it."""
    return _LaterTable(named)


class _LaterTable(Mapping[Key, Value]):
    def __init__(self, named: Callable[[], Mapping[Key, Value]]) -> None:
        self._named = named

    def __getitem__(self, key: Key) -> Value:
        return self._named()[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._named())

    def __len__(self) -> int:
        return len(self._named())


def made_later(make: Callable[[], Method]) -> Method:
    """A method, for the body of a class, that is made when somebody first asks for it."""
    return cast("Method", _LaterMethod(make))


class _LaterMethod:
    """Stands for the method, and makes way for it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._place = owner, name

    def __get__(self, instance: object, owner: type) -> Any:
        method = self._make()
        setattr(*self._place, method)
        return method.__get__(instance, owner)
