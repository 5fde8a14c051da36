"""One run of the command line: the options that hold everywhere, and the memory they lead to.

Nothing heavy is imported until a command asks for the memory, so that `--help` answers at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remanent.core.dataclasses import dataclass

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from remanent.config import Config
    from remanent.errors import InvalidInput
    from remanent.memory import Memory, UserMemory
    from remanent.surfaces.cli.inputs import Input
    from remanent.surfaces.cli.render import Screen


OK, FAILED, USAGE, NOT_FOUND, INTERRUPTED = 0, 1, 2, 3, 130


def invalid(field: str, problem: str) -> InvalidInput:
    """The error of a bad value, to be raised; its class is loaded when it is needed."""
    from remanent.errors import InvalidInput

    return InvalidInput(field, problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What may be said before or after every command."""

    memory: str | None = None
    user: str | None = None
    json: bool = False
    color: bool = True

    def over(self, earlier: Options | None) -> Options:
        """These, and what was said before the command where these are silent."""
        if earlier is None:
            return self
        return Options(
            memory=self.memory or earlier.memory,
            user=self.user or earlier.user,
            json=self.json or earlier.json,
            color=self.color and earlier.color,
        )


class Session:
    """Opens what a command needs when it first needs it, and lets go of it at the end."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._opened: Memory | None = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        if self._opened is not None:
            self._opened.close()

    @cached_property
    def screen(self) -> Screen:
        from remanent.surfaces.cli.render import Screen

        return Screen(json=self.options.json, color=self.options.color)

    @cached_property
    def config(self) -> Config:
        from remanent.config import IN_MEMORY, load_config

        config = load_config(memory=self.options.memory)
        if config.memory == IN_MEMORY:
            raise invalid("memory", f"{IN_MEMORY} ends with the command; give a file instead")
        return config

    @property
    def path(self) -> Path | None:
        """Where the file is; None where a server keeps the memory."""
        return None if self.config.is_on_server else Path(self.config.memory)

    @property
    def place(self) -> str:
        """What the memory is called where others may read it, and from any folder."""
        from remanent.errors import without_password

        path = self.path
        return without_password(self.config.memory) if path is None else str(path.resolve())

    def create(self) -> Memory:
        """The memory, made now if it is new."""
        import logging
        import os

        from remanent.memory import Memory

        if not os.environ.get("REMANENT_DEBUG"):  # the log is for whoever embeds the library
            logging.getLogger("remanent").addHandler(logging.NullHandler())
        if self._opened is None:
            self._opened = Memory.open(self.config)
        return self._opened

    @cached_property
    def memory(self) -> Memory:
        """The memory, which must be there: no mistyped path and no empty file becomes a new one."""
        from remanent.surfaces.cli.errors import NoMemory

        path = self.path
        if path and (not path.exists() or (path.is_file() and not path.stat().st_size)):
            raise NoMemory(str(path))
        return self.create()

    @cached_property
    def me(self) -> UserMemory:
        """The memory of the user who was named, or of the only one there is."""
        from remanent.surfaces.cli.errors import which_user

        named = self.options.user or which_user([one.user_id for one in self.memory.users()])
        return self.memory.user(named, create=False)

    @cached_property
    def zone(self) -> ZoneInfo:
        from zoneinfo import ZoneInfo

        return ZoneInfo(self.me.profile.timezone)

    @property
    def local_zone(self) -> ZoneInfo:
        """The time zone of whoever looks on; keys concern everybody, so nobody has to be named."""
        from zoneinfo import ZoneInfo

        from remanent.surfaces.cli.inputs import local_timezone

        return ZoneInfo(local_timezone())

    def show(self, record: Any, view: str, *results: Any, **more: Any) -> None:
        """Answer programs with the record, people with a view, which is named `module.function` of
        `cli.views`. One that tells times does so in the user's time zone, unless another is given;
        one that wants to know what was `asked` is told."""
        self.screen.answer(record, lambda: self.view(view, *results, **more))

    def view(self, name: str, *results: Any, **more: Any) -> Any:
        import importlib
        import inspect

        module, _, function = name.partition(".")
        draw = getattr(importlib.import_module(f"remanent.surfaces.cli.views.{module}"), function)
        wanted = inspect.signature(draw).parameters
        if "zone" in wanted and "zone" not in more:
            more["zone"] = self.zone
        for name in {"zone", "asked"} - wanted.keys():
            more.pop(name, None)
        return draw(*results, **more)

    def team(self, text: str) -> str:
        """The id of a team of theirs, from its id, the beginning of it, or its name where only one of
        theirs is called so. What fits none is left to whoever is asked for it."""
        ids = {place.team.team_id: place.team.name for place in self.me.teams()}
        fits = [
            team_id
            for team_id, name in ids.items()
            if name.casefold() == text.casefold() or (text and team_id.startswith(text))
        ]
        return fits[0] if len(fits) == 1 and text not in ids else text

    def input(self, path: str | None, text: str | None = None) -> Input:
        """What `--text`, a file or standard input (`-`) holds, as far as the settings let a source be."""
        from remanent.surfaces.cli.inputs import read_content

        limit = self.config.intake.max_characters
        return read_content(path, text, max_characters=limit, zone=self.zone)

    def moment(self, option: str, text: str | None, *, last: bool = False) -> datetime | None:
        """A date as it was typed, read in the user's time zone."""
        from remanent.surfaces.cli.inputs import moment

        return None if text is None else moment(option, text, self.zone, last=last)


@contextmanager
def needing(package: str, setting: str, instead: str = "") -> Iterator[None]:
    """Imports that need another package than the plain `remanent`, which is named when it is not there."""
    try:
        yield
    except ModuleNotFoundError as missing:
        from remanent.surfaces.cli.errors import NotInstalled

        problem = f"needs {missing.name}: pip install '{package}'{instead}"
        raise NotInstalled(setting, problem) from None
