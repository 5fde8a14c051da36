"""What to say when something goes wrong: one table from error to exit code and advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from remanent import errors
from remanent.core.dataclasses import dataclass, field
from remanent.errors import InvalidInput, NotFound, RemanentError
from remanent.surfaces.cli.session import FAILED, NOT_FOUND, USAGE


class NoMemory(NotFound):
    """There is no memory file where we were told to look."""

    def __init__(self, path: str) -> None:
        super().__init__(f"there is no memory at {path}")
        self.path = path


class NoUsers(NotFound):
    """The memory is there and belongs to nobody yet."""

    def __init__(self) -> None:
        super().__init__("user: nobody is registered in this memory")


class NoJob(NotFound):
    """No job of that name can be tried again or dropped now."""

    def __init__(self, key: str) -> None:
        super().__init__(f"key: no job that could be tried again or dropped is called {key!r}")
        self.key = key


class NotInstalled(errors.ConfigError):
    """A command needs another package than the plain `remanent`, and it is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An error as a person or a program reads it. `about` names the field, path, key or user."""

    type: str
    message: str
    hint: str
    exit_code: int
    about: Mapping[str, str] = field(default_factory=dict)


# fmt: off
ADVICE: Mapping[type[RemanentError], tuple[int, str]] = {
    InvalidInput: (USAGE, "`remanent {command} --help` says what is taken."),
    errors.ConfigError: (USAGE,
        "Correct it in remanent.toml or among the REMANENT_ names of the environment."),
    NotInstalled: (USAGE, "Install it, then try again."),
    NoMemory: (NOT_FOUND,
        "Make one with `remanent init`, or say where yours is: --memory PATH or REMANENT_MEMORY."),
    NoJob: (NOT_FOUND, "Copy a key from `remanent jobs list`; what is done stays."),
    NoUsers: (NOT_FOUND, "Register someone: `remanent init --user ID`."),
    errors.UnknownUser: (NOT_FOUND,
        "`remanent users` lists who is registered; `remanent init --user ID` registers someone."),
    errors.UnknownKey: (NOT_FOUND,
        "Copy a key from `remanent search`, `beliefs`, `anchors` or `corrections`; its beginning does. `remanent explore` takes names."),
    NotFound: (NOT_FOUND, "Check the name."),
    errors.Conflict: (FAILED, "Nothing was changed. Its message says what stands in the way."),
    errors.Unauthorized: (FAILED, "`remanent key create NAME` makes a new key."),
    errors.Forbidden: (FAILED, "Ask whoever owns it, or name another user with --user."),
    errors.NotAMemory: (FAILED, "The file was left as it is. Name another one with --memory PATH."),
    errors.NewerMemory: (FAILED, "Update first: pip install --upgrade remanent."),
    errors.ReadOnlyMemory: (FAILED, "Check who may write to the file and its folder, and the disk."),
    errors.MovedMemory: (FAILED, "Name the place where it is now: --memory PLACE or REMANENT_MEMORY."),
    errors.DamagedMemory: (FAILED,
        "Copy the file and its -wal first; then `remanent salvage OLD NEW`, or go back to a backup."),
    errors.DiskFull: (FAILED,
        "Make room on the disk, then try again. Nothing was lost; reading goes on meanwhile."),
    errors.BusyMemory: (FAILED, "Try again, or wait longer: REMANENT_LOCK_WAIT_SECONDS=300."),
    errors.UnreachableMemory: (FAILED,
        "See that the server runs, and check host, database, user and password in REMANENT_MEMORY."),
    errors.StoreError: (FAILED, "Check the file, its folder and the space on the disk."),
    errors.ForbiddenQuery: (FAILED, "Queries only read: MATCH, OPTIONAL MATCH, UNWIND, WITH, CALL, RETURN."),
    errors.QueryLimit: (FAILED, "Ask for less: name labels, bound paths (*1..3), add WHERE or LIMIT."),
    errors.CypherError: (USAGE, "`remanent cypher \"CALL db.labels()\"` lists the labels there are."),
    errors.DamagedWeights: (FAILED, "Install the package anew: pip install --force-reinstall remanent."),
    errors.EmbedderMismatch: (FAILED, "`remanent embedder` says which one it has, and `embedder use` changes it."),
    errors.EmbedderError: (FAILED,
        "Check its key, its server or its package: the message says which."),
    errors.BudgetSpent: (FAILED, "Raise [budget] in the settings, or wait: `remanent spending` says how it stands."),
    errors.MindError: (FAILED, "Nothing was lost. `remanent status` shows what waits; `remanent work` tries again."),
    RemanentError: (FAILED, "Set REMANENT_DEBUG=1 to see where it came from."),
}
# fmt: on


def explain(error: RemanentError, command: str = "COMMAND") -> Problem:
    """The problem that `error` is, by the nearest entry of the table."""
    code, hint = next(ADVICE[kind] for kind in type(error).__mro__ if kind in ADVICE)
    about = {
        name: str(getattr(error, name))
        for name in ("field", "path", "key", "user_id")
        if hasattr(error, name)
    }
    return Problem(
        type=type(error).__name__,
        message=str(error),
        hint=hint.format(command=command),
        exit_code=code,
        about=about,
    )


def which_user(registered: Sequence[str]) -> str:
    """The only user there is; nobody, or a choice, is an error that says so."""
    if not registered:
        raise NoUsers
    if len(registered) > 1:
        raise InvalidInput("user", f"say which one with --user: {', '.join(registered)}")
    return registered[0]
