"""The first minute with a memory: who it belongs to, and what to type next."""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.console import Group
from rich.text import Text

from remanent.core import checks
from remanent.core.records.access import User
from remanent.errors import ReadOnlyMemory
from remanent.memory import Memory
from remanent.surfaces.cli.errors import which_user
from remanent.surfaces.cli.inputs import local_timezone, login_name
from remanent.surfaces.cli.views.basics import clean, facts, line


def make_folder(path: Path) -> None:
    """The folder a new memory is to lie in; the usual one is not there on the first day."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ReadOnlyMemory(str(path), f"its folder cannot be made: {problem.strerror}") from None


def check(user_id: str | None, name: str | None, timezone: str | None) -> None:
    """Refuse a bad profile before a file is made for it."""
    if user_id is not None:
        checks.identifier("user", user_id)
    if name is not None:
        checks.identifier("name", name)
    if timezone is not None:
        checks.timezone("timezone", timezone)


def register(memory: Memory, named: str | None, name: str | None, timezone: str | None) -> User:
    """The user named, or the only one there is, or in an empty memory whoever is typing."""
    known = [one.user_id for one in memory.users()]
    user_id = named or (which_user(known) if known else login_name())
    if user_id not in known:
        timezone = timezone or local_timezone()
    return memory.user(user_id, name, timezone).profile


def welcome(path: Path, user: User, *, new: bool, named: str | None) -> Group:
    """Where the memory is, whose it is, and three things to try."""
    command = f"remanent --memory {shlex.quote(named)}" if named else "remanent"
    tries = (
        'remember "I prefer tea in the morning."',
        "add notes.md",
        'search "what do I drink in the morning?"',
    )
    return Group(
        facts(
            [
                ("memory", line((str(path), "not dim"), ("new" if new else "was there", ""))),
                ("user", line((user.user_id, "not dim bold"), (user.name, "not dim"), (user.timezone, ""))),
            ]
        ),
        Text("\nNext", style="bold"),
        *(Text(f"  {clean(command)} {one}", style="cyan", overflow="fold") for one in tries),
    )  # fmt: skip
