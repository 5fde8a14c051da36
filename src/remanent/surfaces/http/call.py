"""One call of an operation over HTTP: who asks, for what, and with which values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import Request

from remanent.core.records.access import ApiKey
from remanent.memory import Memory, UserMemory
from remanent.surfaces.http.bounds import Ask
from remanent.surfaces.http.caller import Caller, Keeper
from remanent.surfaces.operations.words import Op, Route


@dataclass(slots=True, kw_only=True)
class Call:
    """`given` are the values by the names that the verb has for them."""

    request: Request
    op: Op
    route: Route
    given: dict[str, Any]
    ask: Ask | None
    body: bytes

    def __call__(self, **more: Any) -> Any:
        """Call the verb with what was given, and more."""
        who = self.user if self.op.face == "UserMemory" else self.memory
        return getattr(who, self.op.verb)(**{**self.given, **more})

    @property
    def user(self) -> UserMemory:
        caller: Caller = self.request.state.caller  # its route let it in, with the power it needs
        return caller.user

    @property
    def _keeper(self) -> Keeper:
        keeper: Keeper = self.request.state.keeper
        return keeper

    @property
    def memory(self) -> Memory:
        return self._keeper.memory

    @property
    def key(self) -> ApiKey | None:
        """The key that whoever tends the memory came with."""
        return self._keeper.key
