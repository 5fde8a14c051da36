"""The `remanent` command: its options, its commands, and what becomes of their errors."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from remanent import __version__
from remanent.core.dataclasses import replace
from remanent.surfaces.cli import (
    admin,
    backup,
    beliefs,
    events,
    retrieval,
    serve,
    sources,
    teams,
    watch,
    work,
)
from remanent.surfaces.cli.commands import Command, Runnable, parameter
from remanent.surfaces.cli.session import FAILED, INTERRUPTED, USAGE, Options, Session
from remanent.surfaces.operations.schema import NAME, TEXT, Flag, Param, listed

if TYPE_CHECKING:
    from remanent.surfaces.cli.errors import Problem

# What may be said before or after every command.
# fmt: off
EVERYWHERE = (
    Param("memory", TEXT, "The memory file. [env: REMANENT_MEMORY]", None, cli="--memory PATH"),
    Param("user", NAME, "Whose memory. [env: REMANENT_USER]", None, cli="--user ID"),
    Param("json", Flag(), "Answer with one JSON document.", False),
    Param("no_color", Flag(), "No colour. [env: NO_COLOR]", False),
)
_VERSION = Param("version", Flag(), "Say which version this is.", False)
COMMANDS = (
    sources.init, sources.add, work.import_, watch.watch, work.learned, beliefs.remember, beliefs.recall,
    retrieval.search, retrieval.why_not, retrieval.explore, retrieval.traverse, retrieval.cypher,
    retrieval.context, retrieval.profile, retrieval.need, events.record, events.events, events.end_session,
    events.REPLAY, events.ADVANCE, retrieval.summaries, retrieval.show, sources.sources, retrieval.anchors,
    retrieval.relationships, retrieval.graph, retrieval.stories, retrieval.merge, retrieval.split,
    sources.correct, sources.relate, sources.corrections, sources.undo_correction,
    sources.produce, sources.undo, sources.redo, sources.erase, sources.verify_erasure,
    *sources.LIFECYCLE, work.status, work.work, work.sleep, work.timetable,
    backup.rebuild, backup.salvage, backup.migrate, backup.export, backup.import_memory, admin.users,
    serve.mcp, serve.serve,
    admin.spending, admin.doctor, admin.metrics,
)
# fmt: on
# Groups: their name, what they say or do by themselves, and their commands.
GROUPS: tuple[tuple[str, Command | str, tuple[Command, ...]], ...] = (
    ("beliefs", beliefs.beliefs, beliefs.BELIEFS),
    ("instructions", beliefs.instructions, beliefs.INSTRUCTIONS),
    ("abbreviations", retrieval.abbreviations, retrieval.ABBREVIATIONS),
    ("embedder", admin.embedder, admin.EMBEDDER),
    ("team", "Who shares what: teams, members and invitations.", teams.TEAM),
    ("shared", "What others put before you: accept it, decline it, hide it.", teams.SHARED),
    ("key", "Keys that let programs in from outside.", admin.KEY),
    ("audit", "What was done, and by whom.", (admin.log, admin.leaks, admin.integrity)),
    ("jobs", "Work that waits, runs or failed.", work.JOBS),
)
# What other memories call it; what has its own name below a group is found there.
SYNONYMS = {
    "list": ("sources", "beliefs", "anchors"),
    "delete": ("erase", "beliefs forget"),
    "remove": ("erase", "beliefs forget"),
    "get": ("show",),
    "update": ("beliefs restate",),
}
_UNKNOWN = re.compile(r"No such command '([\w-]+)'")


class Commands(Runnable, click.Group):
    """A group that lists its commands in our order."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as Click calls it
        return list(self.commands)


def remanent(ctx: click.Context, *, version: bool, **given: Any) -> None:
    """Long-term memory for AI agents and people, in one file.

    Begin with `remanent init`. The options below hold for every command and may also follow it.
    """
    options = _taken(given)
    if version:
        click.echo(f'{{"version": "{__version__}"}}' if options.json else f"remanent {__version__}")
        raise Exit
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
        raise Exit(2)
    ctx.obj = replace(options, user=options.user or os.environ.get("REMANENT_USER"))


def _running(made: Command) -> Callable[..., None]:
    """What is called with all that was typed: a session is made of the options that hold everywhere."""

    def command(ctx: click.Context, **given: Any) -> None:
        options = _taken(given)
        if ctx.invoked_subcommand is not None:  # a group: what was said here holds for its command
            _refuse(given, ctx.invoked_subcommand)
            ctx.obj = options.over(ctx.obj)
            return
        with Session(options.over(ctx.obj)) as session:
            made(session, **given)

    return click.pass_context(command)


def _taken(given: dict[str, Any]) -> Options:
    """What holds everywhere, out of what was typed."""
    named = {one.name: given.pop(one.name) for one in EVERYWHERE}
    return Options(color=not named.pop("no_color"), **named)


def _refuse(given: Mapping[str, Any], command: str) -> None:
    """A group's own options belong to the group; before a command they would be lost."""
    named = [f"--{name.replace('_', '-')}" for name, value in given.items() if value is not None]
    if named:
        raise click.BadParameter(f"{', '.join(named)} has no meaning before `{command}`")


def program(named: Sequence[str] | None = None) -> click.Group:
    """The command line, put together. Of the commands that are not `named` there is only what a list of
    them says: to read what each takes would take longer than to answer."""
    root = Commands(
        "remanent",
        help=inspect.getdoc(remanent),
        params=[*map(parameter, EVERYWHERE), parameter(_VERSION)],
        callback=click.pass_context(remanent),
        invoke_without_command=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    _put(root, COMMANDS, named)
    for name, itself, commands in GROUPS:
        if isinstance(itself, Command):
            group = Commands(name, invoke_without_command=True, **_made(itself, named))
        else:
            group = Commands(name, help=itself, no_args_is_help=False)
        root.add_command(group)
        _put(group, commands, named)
    return root


def _put(group: click.Group, commands: Sequence[Command], named: Sequence[str] | None) -> None:
    for made in commands:
        group.add_command(Runnable(made.name, **_made(made, named)))


def _made(made: Command, named: Sequence[str] | None) -> dict[str, Any]:
    """A command that was named, or only what it does, for a list: nobody can call it so."""
    if named is not None and made.name not in named:
        return {"help": made.says}
    params = list(map(parameter, [*made.params, *EVERYWHERE]))
    return {"help": made.says, "params": params, "callback": _running(made)}


def run(arguments: Sequence[str]) -> int:
    """Run one command line and hand back its exit code; whatever happens, no traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # a narrow code page costs a character, not the answer
            stream.reconfigure(errors="replace")
    try:
        root = program(arguments)
        code = root.main(list(arguments), prog_name="remanent", standalone_mode=False)
        sys.stdout.flush()  # here, where a reader who has gone is no complaint
    except (KeyboardInterrupt, click.Abort):
        return _report(_interrupted(), arguments)
    except click.ClickException as error:
        return _report(_bad_usage(error), arguments)
    except BrokenPipeError:
        return _silent()
    except Exception as error:  # noqa: BLE001 - the last door: a person gets a sentence, not a traceback
        return _report(_explained(error, arguments), arguments, error)
    return code if isinstance(code, int) else 0


def _report(problem: Problem, arguments: Sequence[str], error: Exception | None = None) -> int:
    from remanent.surfaces.cli.render import Screen

    if error is not None and os.environ.get("REMANENT_DEBUG"):
        import traceback

        traceback.print_exception(error)
    Screen(json="--json" in arguments, color="--no-color" not in arguments).problem(problem)
    return problem.exit_code


def _explained(error: Exception, arguments: Sequence[str]) -> Problem:
    from remanent.errors import RemanentError
    from remanent.surfaces.cli.errors import Problem, explain

    names = {one.name for one in COMMANDS} | {name for name, _, _ in GROUPS}
    command = next((one for one in arguments if one in names), "COMMAND")
    if isinstance(error, RemanentError):
        return explain(error, command)
    return Problem(
        type=type(error).__name__,
        message=f"a fault in Remanent itself: {type(error).__name__}: {error}",
        hint="Set REMANENT_DEBUG=1 to see where, and tell us.",
        exit_code=FAILED,
    )


def _bad_usage(error: Exception) -> Problem:
    from remanent.surfaces.cli.errors import Problem

    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "remanent"
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    hint = f"`{command} --help` lists what it takes."
    unknown = _UNKNOWN.match(message)
    if unknown is not None and (meant := _suggested(unknown[1])):
        message = f"{unknown[0]}. Did you mean {listed([f'`remanent {one}`' for one in meant])}?"
    return Problem(type="UsageError", message=message, hint=hint, exit_code=USAGE)


def _suggested(name: str) -> Sequence[str]:
    """The commands, as they are typed, that somebody may mean who types another name."""
    verb = name.replace("-", "_")
    return SYNONYMS.get(name) or [
        f"{group} {one.name}"
        for group, _, commands in GROUPS
        for one in commands
        if name == one.name or (one.op is not None and one.op.verb == verb)
    ]


def _interrupted() -> Problem:
    from remanent.surfaces.cli.errors import Problem

    return Problem(
        type="Interrupted",
        message="stopped; what was acknowledged is kept",
        hint="Run it again, or `remanent work`: it goes on where this stopped.",
        exit_code=INTERRUPTED,
    )


def _silent() -> int:
    """Whoever read our output has gone: leave without a word."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
