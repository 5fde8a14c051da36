"""Everything that can go wrong, as one tree.

    RemanentError
    ├── InvalidInput            a value the caller gave; `.field` names it
    ├── NotFound                nothing (visible) under that name
    │   ├── UnknownKey
    │   └── UnknownUser
    ├── Forbidden               the caller may not do this
    ├── Conflict                it cannot be done as things stand; `.problem` says why
    ├── ErasureFailed           something of what was to be erased could still be found
    ├── Unauthorized            no key, or none that is good (any more)
    ├── CypherError             a query that got no answer; `.problem` says why
    │   ├── BadQuery            it cannot be read, or makes no sense
    │   ├── ForbiddenQuery      it asks for more than reading what the caller may see
    │   └── QueryLimit          it would take too long or too much; `.limit` names the bound
    ├── ConfigError             a setting is wrong; `.field` names it
    ├── StoreError              the place where memory is kept; `.path` names it
    │   ├── NotAMemory          the file is something else
    │   ├── NewerMemory         written by a later version of Remanent
    │   ├── ReadOnlyMemory      the file or its disk refuses writes
    │   │   └── MovedMemory     it is elsewhere now, or on its way
    │   ├── DamagedMemory       the file is torn or its disk failed
    │   ├── DiskFull            there is no room to write; reading goes on
    │   ├── BusyMemory          another program held the file for too long
    │   ├── UnreachableMemory   the server that keeps it does not answer, or lets us not in
    │   └── RebuiltMemory       it has another embedder since it was opened; open it again
    ├── EmbedderError           weights missing or altered, nobody there, or a vector that does not fit
    │   ├── EmbedderMismatch    the memory's vectors are another embedder's; `.theirs` names it
    │   ├── EmbedderBudgetSpent the same as `BudgetSpent`, and one of those: met by a paid embedder
    │   └── DamagedWeights      a `MindError` as well: weights of this package are gone or altered
    └── MindError               the language model failed or said something unusable
        ├── BadMindKey          its provider does not take the key
        ├── UnknownModel        its provider has no model of that name
        ├── MindUnreachable     nobody answers where it should be
        ├── MindBusy            it has too much to do, no credit is left, or it fails on its side
        ├── MindTooSlow         it did not answer in time
        ├── MindTooLong         the text is longer than it can read at once
        ├── MindRefused         it will not answer this
        ├── MindUnreadable      its answer does not fit, and did not when asked again
        ├── MindStopped         we were asked to stop before it answered
        └── BudgetSpent         the day's budget is spent; `.again_at` says when there is more

Foreign errors stop at the adapter that met them: no driver's exception crosses a port.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime


_PASSWORD: Final = re.compile(r"(?<=://)([^/?#\s@:]*):\S*@|(?<=[?&]password=)[^&\s]+")


def without_password(text: str) -> str:
    """The same, with every URL of a server in it as it may be shown."""
    return _PASSWORD.sub(lambda found: "***" if found[1] is None else f"{found[1]}@", text)


class RemanentError(Exception):
    """Anything Remanent raises on purpose."""


class InvalidInput(RemanentError):
    """A value given by the caller cannot be taken; nothing was written."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class NotFound(RemanentError):
    """There is nothing of that name that the caller may see."""


class UnknownKey(NotFound):
    """No memory has this key, or the caller may not see it."""

    def __init__(self, key: str) -> None:
        super().__init__(f"key: nothing in this memory has the key {key!r}")
        self.key = key


class UnknownUser(NotFound):
    """No user of that id is registered."""

    def __init__(self, user_id: str) -> None:
        super().__init__(f"user: {user_id!r} is not registered in this memory")
        self.user_id = user_id


class Forbidden(RemanentError):
    """The caller may not do this."""


class Conflict(RemanentError):
    """It cannot be done as things stand; nothing was changed."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class ErasureFailed(RemanentError):
    """Something of what was to be erased could still be found."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"erasure: {problem}")
        self.problem = problem


class Unauthorized(RemanentError):
    """There is no key, or it is unknown, expired or revoked: which of these, nobody is told."""

    def __init__(self) -> None:
        super().__init__("key: there is none, or it is not good (any more)")


class CypherError(RemanentError):
    """A Cypher query got no answer; nothing was changed."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"query: {problem}")
        self.problem = problem


class BadQuery(CypherError):
    """The query cannot be read, or makes no sense."""


class ForbiddenQuery(CypherError):
    """The query asks for more than to read what its caller may see."""


class QueryLimit(CypherError):
    """The query would take longer, or more room, than it is given."""

    def __init__(self, limit: str, problem: str) -> None:
        super().__init__(problem)
        self.limit = limit


class ConfigError(RemanentError):
    """A setting is unknown or has a value that cannot be used."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"setting {field}: {problem}")
        self.field = field
        self.problem = problem


class StoreError(RemanentError):
    """The place where memory is kept failed."""

    def __init__(self, path: str, problem: str) -> None:
        self.path, self.problem = without_password(path), without_password(problem)
        super().__init__(f"{self.path}: {self.problem}")


class NotAMemory(StoreError):
    """The file exists and is not a Remanent memory."""


class NewerMemory(StoreError):
    """The file was written by a later version of Remanent."""


class ReadOnlyMemory(StoreError):
    """The file, its folder or its disk refuses writes."""


class MovedMemory(ReadOnlyMemory):
    """The memory has moved to another place, or is being moved: this one is only read."""


class DamagedMemory(StoreError):
    """The file is torn, or the disk under it failed."""


class DiskFull(StoreError):
    """There is no room left on the disk: nothing was written, what is there is whole and can be read."""


class BusyMemory(StoreError):
    """Another program kept the file locked for longer than we were told to wait."""


class UnreachableMemory(StoreError):
    """The server that keeps the memory does not answer, or does not let us in: nothing was acknowledged."""


class RebuiltMemory(StoreError):
    """The memory was rebuilt with another embedder since it was opened; open it again."""

    def __init__(self, path: str, embedder: str) -> None:
        super().__init__(path, f"was rebuilt with embedder {embedder} meanwhile; open it again")
        self.embedder = embedder


class EmbedderError(RemanentError):
    """The embedder's weights are missing or altered, or a vector does not fit this memory."""


class EmbedderMismatch(EmbedderError):
    """The memory was written with another embedder than the one it was opened with.

    `theirs` is the memory's, `ours` the one it was opened with.
    """

    def __init__(self, path: str, theirs: tuple[str, int], ours: tuple[str, int]) -> None:
        super().__init__(
            f"{path}: was written with embedder {theirs[0]} ({theirs[1]} dimensions), not {ours[0]} "
            f"({ours[1]} dimensions); open it with {theirs[0]} (setting embedder), or change it for "
            f"good with `remanent embedder use {ours[0]}`"
        )
        self.theirs = theirs[0]
        self.ours = ours[0]


class MindError(RemanentError):
    """The mind failed or gave an answer that cannot be used.

    What was spent before it failed: `tokens_in`, `tokens_out` and `calls`.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    calls: int = 0


class BadMindKey(MindError):
    """The provider of the mind does not take the key, or the key may not use the model."""


class UnknownModel(MindError):
    """The provider of the mind has no model of that name."""


class MindUnreachable(MindError):
    """Nobody answers where the mind should be."""


class MindBusy(MindError):
    """The mind has too much to do, its account is spent, or it fails on its side."""


class MindTooSlow(MindError):
    """The mind did not answer in time."""


class MindTooLong(MindError):
    """The text is longer than the mind can read at once."""


class MindRefused(MindError):
    """The mind will not answer this."""


class MindUnreadable(MindError):
    """The mind's answer does not have the shape that was asked for, repaired or not."""


class MindStopped(MindError):
    """We were asked to stop before the mind answered."""


class BudgetSpent(MindError):
    """Asking would cost more than is left of the day's budget; nobody was asked."""

    def __init__(self, problem: str, *, again_at: datetime) -> None:
        super().__init__(
            f"the budget of the day is spent: {problem}; more on {again_at:%Y-%m-%d %H:%M} UTC"
        )
        self.problem = problem
        self.again_at = again_at


class EmbedderBudgetSpent(BudgetSpent, EmbedderError):
    """Embedding would cost more than is left of the day's budget: for now there is no vector to be had."""


class DamagedWeights(EmbedderError, MindError):
    """Weights that came with this package are gone or are not what they were: neither the built-in
    embedder nor the built-in mind can work with them. `path` names the file."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}; run: pip install --force-reinstall remanent")
        self.path = path
        self.problem = problem
