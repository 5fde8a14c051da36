"""The second wall: each call of a store says whose rows it may see, and PostgreSQL shows it no others.

A call with a scope sees what that scope's user owns and what is shared with their teams; one that
writes down something that names its user, what is that user's. What works for everybody is declared
here, method by method; all else sees nothing. The policies are in the migration `walls`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from types import GeneratorType
from typing import Any, Final

from remanent.core.dataclasses import dataclass
from remanent.core.model.scope import Scope
from remanent.core.model.source import WAITING


@dataclass(frozen=True, slots=True)
class Eyes:
    """Who looks, as the setting `remanent.who` has it; and if it is a single user, who that is, and what
    is locked when they write: what is theirs and what is their teams'."""

    setting: str
    user: str | None = None
    locks: tuple[str, ...] = ()


SeenBy = Callable[[Eyes], AbstractContextManager[None]]
NOBODY: Final = Eyes("")
EVERYBODY: Final = Eyes("{*}")
ALL: Final = ("*",)
# By the field of `Stores`: what is no single user's business. A scope that is given still walls the call.
FOR_EVERYBODY: Final[Mapping[str, tuple[str, ...]]] = {
    "ledger": ("change_consents",),  # whoever said it
    "graph": ("readers",),
    "index": ("put", "remove"),  # entries have many readers, and each has to hear of the change
    "queue": ALL,  # a worker serves everyone
    "records": ALL,  # without a scope the household's: what scopes are made from, and come after
    "reembedding": ALL,
    "erasing": ALL,
    "health": ALL,
    "export": ALL,
    "shadow": ALL,
}
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.@:{},")


@functools.lru_cache(maxsize=1024)
def eyes_of(scope: Scope) -> Eyes:
    """Whose rows a call with that scope may see.

    They are coarser than the scope: whoever has left a team still works on what they gave to it, and
    whoever was named is told of it. That these see no more of it is for the statements to say.
    """
    user, teams = f"user:{scope.user_id}", [f"team:{team}" for team in scope.teams | scope.left]
    tokens = (user, f"{WAITING}:{scope.user_id}", *sorted(teams))
    escaped = (one.replace("\\", "\\\\").replace('"', '\\"') for one in tokens)
    setting = "{" + ",".join(f'"{one}"' for one in escaped) + "}"
    return Eyes(setting, scope.user_id, tuple(sorted((user, *teams))))


@functools.lru_cache(maxsize=1024)
def set_who(setting: str) -> str:
    """The statement that tells the server who looks, until the transaction ends."""
    quoted = "".join(one if one in _PLAIN else f"\\U{ord(one):08X}" for one in setting)
    return f"SET LOCAL remanent.who = E'{quoted}'"


def wall(seen: SeenBy, name: str, store: Any) -> Any:
    """The store, each of whose methods sees what it may; `name` is its field in `Stores`, and `seen` the
    block of its database in which statements see so much."""
    declared = FOR_EVERYBODY.get(name, ())
    for method, function in inspect.getmembers(store, inspect.ismethod):
        if not method.startswith("_"):
            whose = _whose_or_all if declared is ALL or method in declared else _whose
            setattr(store, method, _walled(seen, function, whose))
    return store


def _whose(first: object) -> Eyes:
    if isinstance(first, Scope):
        return eyes_of(first)
    user_id = getattr(first, "user_id", None)
    return NOBODY if user_id is None else eyes_of(Scope(user_id=user_id))


def _whose_or_all(first: object) -> Eyes:
    return eyes_of(first) if isinstance(first, Scope) else EVERYBODY


def _walled(
    seen: SeenBy, method: Callable[..., Any], whose: Callable[[object], Eyes]
) -> Callable[..., Any]:
    @functools.wraps(method)
    def called(*args: Any, **kwargs: Any) -> Any:
        who = whose(args[0] if args else kwargs.get("scope"))
        with seen(who):
            answer = method(*args, **kwargs)
        return _steps(seen, who, answer) if isinstance(answer, GeneratorType) else answer

    return called


def _steps(seen: SeenBy, who: Eyes, answer: GeneratorType[Any, None, None]) -> Iterator[Any]:
    """What comes one by one is looked for under the same eyes, and what its taker does between is not."""
    try:
        while True:
            with seen(who):
                one = next(answer, answer)
            if one is answer:
                return
            yield one
    finally:
        answer.close()
