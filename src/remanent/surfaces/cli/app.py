"""The `remanent` command: its options, its commands, and what becomes of their errors."""

from __future__ import annotations

import inspect
import os
import sys
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remanent import __version__
from remanent.surfaces.cli import (
    asking,
    auditing,
    believing,
    connecting,
    embedding,
    erasing,
    exploring,
    exporting,
    finding,
    keys,
    knowing,
    leaking,
    living,
    minding,
    rebuilding,
    recording,
    serving,
    sleeping,
    stories,
    summaries,
    taking,
    teams,
    undoing,
    watching,
    working,
)
from remanent.surfaces.cli.session import Options, Session

if TYPE_CHECKING:
    from remanent.surfaces.cli.errors import Problem

MemoryOption = Annotated[
    str | None,
    typer.Option("--memory", metavar="PATH", help="The memory file. [env: REMANENT_MEMORY]"),
]
UserOption = Annotated[
    str | None,
    typer.Option("--user", metavar="ID", help="Whose memory. [env: REMANENT_USER]"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer with one JSON document.")]
PlainOption = Annotated[bool, typer.Option("--no-color", help="No colour. [env: NO_COLOR]")]

COMMANDS = (
    taking.init,
    taking.add,
    working.import_,
    taking.remember,
    finding.recall,
    finding.search,
    finding.why_not,
    exploring.explore,
    exploring.traverse,
    asking.cypher,
    minding.context,
    minding.need,
    recording.record,
    recording.events,
    recording.end_session,
    summaries.summaries,
    finding.show,
    knowing.sources,
    knowing.anchors,
    knowing.relationships,
    stories.stories,
    knowing.merge,
    knowing.split,
    knowing.produce,
    undoing.undo,
    undoing.redo,
    erasing.erase,
    erasing.verify_erasure,
    living.touch,
    living.pin,
    living.unpin,
    living.archive,
    living.restore,
    living.forgettable,
    finding.status,
    working.work,
    sleeping.sleep,
    sleeping.timetable,
    rebuilding.rebuild,
    *exporting.EXPORTING,
    finding.users,
    connecting.mcp,
    serving.serve,
    *watching.WATCHING,
)
_GROUPS = {"jobs", "beliefs", "abbreviations", "embedder", "team", "key", "audit"}
# What Typer raises for a bad command line; its home moves from release to release.
_BadUsage: type[Exception] = typer.BadParameter.__mro__[2]
_INTERRUPTED = 130  # what newer releases of Typer make of Ctrl-C; older ones raise Abort

app = typer.Typer(
    name="remanent",
    add_completion=False,
    rich_markup_mode=None,  # plain help: Rich would double the time to the first line
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def remanent(
    ctx: typer.Context,
    memory: MemoryOption = None,
    user: UserOption = None,
    json: JsonOption = False,
    no_color: PlainOption = False,
    version: Annotated[bool, typer.Option("--version", help="Say which version this is.")] = False,
) -> None:
    """Long-term memory for AI agents and people, in one file.

    Begin with `remanent init`. The options below hold for every command and may also follow it.
    """
    if version:
        typer.echo(f'{{"version": "{__version__}"}}' if json else f"remanent {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
        raise typer.Exit(2)
    ctx.obj = Options(
        memory=memory,
        user=user or os.environ.get("REMANENT_USER"),
        json=json,
        color=not no_color,
    )


def _name(function: Callable[..., None]) -> str:
    """What is typed: `import` is no name for a function, nor is `why-not`."""
    return function.__name__.rstrip("_").replace("_", "-")


def _command(function: Callable[..., None]) -> Callable[..., None]:
    """`function` as Typer takes it: with the options that hold everywhere, and a session made of them."""

    def command(
        ctx: typer.Context,
        memory: MemoryOption = None,
        user: UserOption = None,
        json: JsonOption = False,
        no_color: PlainOption = False,
        **given: Any,
    ) -> None:
        said = Options(memory=memory, user=user, json=json, color=not no_color)
        if ctx.invoked_subcommand is not None:  # a group: what was said here holds for its command
            _refuse(given, ctx.invoked_subcommand)
            ctx.obj = said.over(ctx.obj)
            return
        with Session(said.over(ctx.obj)) as session:
            function(session, **given)

    hints = typing.get_type_hints(function, include_extras=True)
    everywhere = typing.get_type_hints(command, include_extras=True)
    own = list(inspect.signature(function).parameters.values())[1:]
    shared = list(inspect.signature(command).parameters.values())[:-1]
    together = [
        one.replace(annotation={**everywhere, **hints}[one.name], kind=one.KEYWORD_ONLY)
        for one in (*own, *shared)
    ]
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__annotations__ = {one.name: one.annotation for one in together}
    command.__signature__ = inspect.Signature(together)  # type: ignore[attr-defined]
    return command


def _refuse(given: Mapping[str, Any], command: str) -> None:
    """A group's own options belong to the group; before a command they would be lost."""
    named = [f"--{name.replace('_', '-')}" for name, value in given.items() if value is not None]
    if named:
        raise typer.BadParameter(f"{', '.join(named)} has no meaning before `{command}`")


for _function in COMMANDS:
    app.command(_name(_function))(_command(_function))

beliefs = typer.Typer(name="beliefs", rich_markup_mode=None)
beliefs.callback(invoke_without_command=True)(_command(believing.beliefs))
app.add_typer(beliefs)
for _belief_function in believing.BELIEFS:
    beliefs.command(_name(_belief_function))(_command(_belief_function))

abbreviations = typer.Typer(name="abbreviations", rich_markup_mode=None)
abbreviations.callback(invoke_without_command=True)(_command(minding.abbreviations))
app.add_typer(abbreviations)
for _short_function in minding.ABBREVIATIONS:
    abbreviations.command(_name(_short_function))(_command(_short_function))

embedder = typer.Typer(name="embedder", rich_markup_mode=None)
embedder.callback(invoke_without_command=True)(_command(embedding.embedder))
app.add_typer(embedder)
for _embedder_function in embedding.EMBEDDER:
    embedder.command(_name(_embedder_function))(_command(_embedder_function))

for _group_name, _group_help, _group in (
    ("team", "Who shares what: teams, members and invitations.", teams.TEAM),
    ("key", "Keys that let programs in from outside.", keys.KEY),
    ("audit", "What was done, and by whom.", (*auditing.AUDIT, leaking.leaks)),
):
    _typer = typer.Typer(name=_group_name, rich_markup_mode=None, help=_group_help)
    app.add_typer(_typer)
    for _group_function in _group:
        _typer.command(_name(_group_function))(_command(_group_function))

jobs = typer.Typer(name="jobs", rich_markup_mode=None, help="Work that waits, runs or failed.")
app.add_typer(jobs)
for _function in working.JOBS:
    jobs.command(_name(_function))(_command(_function))


def run(arguments: Sequence[str]) -> int:
    """Run one command line and hand back its exit code; whatever happens, no traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(
                errors="replace"
            )  # a narrow code page costs a character, not the answer
    try:
        code = typer.main.get_command(app).main(
            list(arguments), prog_name="remanent", standalone_mode=False
        )
    except (KeyboardInterrupt, typer.Abort):
        return _report(_interrupted(), arguments)
    except _BadUsage as error:
        return _report(_bad_usage(error), arguments)
    except BrokenPipeError:
        return _silent()
    except Exception as error:  # noqa: BLE001 - the last door: a person gets a sentence, not a traceback
        return _report(_explained(error, arguments), arguments, error)
    if code == _INTERRUPTED:
        return _report(_interrupted(), arguments)
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
    from remanent.surfaces.cli.errors import FAILED, Problem, explain

    names = {_name(one) for one in COMMANDS} | _GROUPS
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
    from remanent.surfaces.cli.errors import USAGE, Problem

    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "remanent"
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    return Problem(
        type="UsageError", message=message, hint=f"`{command} --help` lists what it takes.", exit_code=USAGE
    )  # fmt: skip


def _interrupted() -> Problem:
    from remanent.surfaces.cli.errors import INTERRUPTED, Problem

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
