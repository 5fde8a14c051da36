"""Everything that can go wrong, as one tree.

    RemanentError
    ├── InvalidInput            a value the caller gave; `.field` names it
    ├── NotFound                nothing (visible) under that name
    │   ├── UnknownKey
    │   └── UnknownUser
    ├── Forbidden               the caller may not do this
    ├── CypherError             a query that got no answer; `.problem` says why
    │   ├── BadQuery            it cannot be read, or makes no sense
    │   ├── ForbiddenQuery      it asks for more than reading what the caller may see
    │   └── QueryLimit          it would take too long or too much; `.limit` names the bound
    ├── ConfigError             a setting is wrong; `.field` names it
    ├── StoreError              the place where memory is kept; `.path` names it
    │   ├── NotAMemory          the file is something else
    │   ├── NewerMemory         written by a later version of Remanent
    │   ├── ReadOnlyMemory      the file or its disk refuses writes
    │   ├── DamagedMemory       the file is torn or its disk failed
    │   └── BusyMemory          another program held the file for too long
    ├── EmbedderError           weights missing or altered, or a vector that does not fit
    └── MindError               the language model failed or said something unusable

Foreign errors stop at the adapter that met them: no driver's exception crosses a port.
"""

from __future__ import annotations


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
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


class NotAMemory(StoreError):
    """The file exists and is not a Remanent memory."""


class NewerMemory(StoreError):
    """The file was written by a later version of Remanent."""


class ReadOnlyMemory(StoreError):
    """The file, its folder or its disk refuses writes."""


class DamagedMemory(StoreError):
    """The file is torn, or the disk under it failed."""


class BusyMemory(StoreError):
    """Another program kept the file locked for longer than we were told to wait."""


class EmbedderError(RemanentError):
    """The embedder's weights are missing or altered, or a vector does not fit this memory."""


class MindError(RemanentError):
    """The mind failed or gave an answer that cannot be used."""
