"""Handle: what every part of a user's memory stands on, and how verbs become its methods."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Concatenate, Final, ParamSpec, Protocol, Self, TypeVar
from weakref import WeakSet

from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.later import made_later
from remanent.core.model.scope import Scope
from remanent.core.records.access import User

P = ParamSpec("P")
Given = TypeVar("Given")
Result = TypeVar("Result")
Handle = TypeVar("Handle", bound="UserHandle")


# What a handle's scopes are for: see the properties of these names.
TEAMS: Final = "_team_scope"
WRITES: Final = "_write_scope"
WHOLE: Final = "_full_scope"


class HasEnv(Protocol):
    """A memory, or one user's part of it."""

    env: Env


def verb(
    named: Callable[[], Callable[Concatenate[Env, Scope, P], Result]], sees: str = "scope"
) -> Callable[Concatenate[HasEnv, P], Result]:
    """A verb as a method, which gives it the handle's env and the scope of that name. It is named by a
    lambda, and its module loaded when somebody asks for the method.

    Parameters and promise stand at the verb alone; type checkers, editors and `inspect.signature` see
    them as those of the method.
    """

    def made() -> Callable[Concatenate[HasEnv, P], Result]:
        function = named()

        def call(self: HasEnv, /, *args: P.args, **kwargs: P.kwargs) -> Result:
            return function(self.env, getattr(self, sees), *args, **kwargs)

        describe(call, function, given=2)
        return call

    return made_later(made)


def env_verb(
    named: Callable[[], Callable[Concatenate[Env, P], Result]],
) -> Callable[Concatenate[HasEnv, P], Result]:
    """The same of a verb that is nobody's, and takes no scope."""

    def made() -> Callable[Concatenate[HasEnv, P], Result]:
        function = named()

        def call(self: HasEnv, /, *args: P.args, **kwargs: P.kwargs) -> Result:
            return function(self.env, *args, **kwargs)

        describe(call, function, given=1)
        return call

    return made_later(made)


def describe(call: Callable[..., Any], function: Callable[..., Any], *, given: int) -> None:
    """Give `call` the name, the docstring and the parameters of `function`, but for those that are given."""
    functools.update_wrapper(call, function)
    written = inspect.signature(function)
    handle = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [handle, *list(written.parameters.values())[given:]]
    vars(call)["__signature__"] = written.replace(parameters=parameters)


def takes_fields_of(
    request: Callable[P, Given],
) -> Callable[[Callable[[Handle, Given], Result]], Callable[Concatenate[Handle, P], Result]]:
    """A verb that is written with one request, and called with the fields of it.

    Names, types and defaults stand in the request's dataclass alone; type checkers, editors and
    `inspect.signature` see them as those of the method.
    """

    def decorate(
        verb: Callable[[Handle, Given], Result],
    ) -> Callable[Concatenate[Handle, P], Result]:
        def made() -> Callable[Concatenate[Handle, P], Result]:
            @functools.wraps(verb)
            def call(self: Handle, /, *args: P.args, **kwargs: P.kwargs) -> Result:
                return verb(self, request(*args, **kwargs))

            written = inspect.signature(verb)
            handle = next(iter(written.parameters.values()))
            fields = inspect.signature(request).parameters.values()
            vars(call)["__signature__"] = written.replace(parameters=[handle, *fields])
            kind: Any = request
            kind.__init__.__qualname__ = verb.__qualname__  # as which a wrong call is told of
            return call

        return made_later(made)

    return decorate


class UserHandle:
    """One user in one open memory, who sees all of it, or is narrowed to one team."""

    def __init__(
        self,
        env: Env,
        user_id: str,
        given: WeakSet[Any] | None = None,
        *,
        within: str | None = None,
        all_teams: bool = False,
    ) -> None:
        self.env = env
        self.user_id = user_id
        self._handles: WeakSet[Any] = WeakSet() if given is None else given
        self._within = within
        self._all_teams = all_teams

    def _narrowed(self, within: str | None) -> Self:
        """Another handle on the same memory, narrowed to a team or to none."""
        made = type(self)(
            self.env, self.user_id, self._handles, within=within, all_teams=within is None
        )
        self._handles.add(made)
        return made

    @property
    def profile(self) -> User:
        """Name and time zone."""
        return self.env.registry.known(self.user_id)

    @property
    def scope(self) -> Scope:
        """For all that is read: narrowed to the team of this handle, or else to the active one. Made
        anew for every call: memberships may have changed."""
        if self._within is None and not self._all_teams:
            return self.env.registry.scope_of(self.user_id, is_view=True)
        return self._team_scope

    @property
    def _team_scope(self) -> Scope:
        """For teams themselves: whichever is active, they are all there; a narrowed handle knows one."""
        whole = self._full_scope
        if self._within is None:
            return whole
        return replace(whole, teams=whole.teams & {self._within}, narrowed_to=self._within)

    @property
    def _write_scope(self) -> Scope:
        """For all that is contributed: what is there already is known, wherever one looks."""
        return replace(self._team_scope, narrowed_to=None)

    @property
    def _full_scope(self) -> Scope:
        """For all that is derived from what the user has: it must not depend on where they look."""
        return self.env.registry.scope_of(self.user_id)
