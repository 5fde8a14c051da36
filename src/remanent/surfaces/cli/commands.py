"""Commands: a name, options built from the table of operations, and a function that answers on the screen."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from math import inf
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from remanent.core.dataclasses import dataclass
from remanent.surfaces.cli.session import FAILED, Session, invalid
from remanent.surfaces.operations import operation
from remanent.surfaces.operations import schema as types
from remanent.surfaces.operations.schema import REQUIRED, SAME, Op, Param, help_of

if TYPE_CHECKING:
    from datetime import date


def typed(params: Sequence[Param]) -> Iterator[Param]:
    """The parameters that are typed, in the order of the table."""
    for param in params:
        if param.cli is None:
            continue
        if isinstance(param.type, types.Form):
            yield from (_loose(field) for field in param.type.fields)
        else:
            yield param


def _loose(field: Param) -> Param:
    """A field of an object: what it may be is for whoever takes the object to say."""
    kind = types.Whole() if isinstance(field.type, types.Whole) else field.type
    return field.but(type=kind, cli_default=None)


class Argument(click.Argument):
    """One that the help tells of."""

    def __init__(self, name: str, says: str, metavar: str, **given: Any) -> None:
        optional = not given["required"] and not metavar.startswith("[")
        super().__init__([name], metavar=f"[{metavar}]" if optional else metavar, **given)
        default = f"  [default: {given['default']}]" if "default" in given else ""
        self.says = says + ("  [required]" if self.required else default)


class Runnable(click.Command):
    """A command whose help tells of its arguments too."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [
            (one.make_metavar(ctx), one.says) for one in self.params if isinstance(one, Argument)
        ]
        if rows:
            with formatter.section("Arguments"):
                formatter.write_dl(rows)
        super().format_options(ctx, formatter)


def parameter(param: Param) -> click.Parameter:
    """A parameter of the table as Click takes it."""
    names, metavar = spelling(param)
    many = _is_many(param, metavar, is_option=bool(names))
    default, text = _default(param), help_for_people(param, is_option=bool(names))
    given: dict[str, Any] = {"type": _kind(param, is_option=bool(names))}
    given["required"] = default is REQUIRED
    if default not in (REQUIRED, None):
        given["default"] = default
    if many:
        given["callback"] = lambda _, __, value: list(value) or None
    if not names:
        return Argument(param.name, text, metavar, nargs=-1 if many else 1, **given)
    if isinstance(param.type, types.Flag):
        given |= {"is_flag": True, "default": default}
    shown = {"help": text, "metavar": metavar or None, "show_default": default != ""}
    return click.Option([param.name, *names], multiple=many, **shown, **given)


def help_for_people(param: Param, *, is_option: bool = True, quote: str = "") -> str:
    """What it means, and how it is typed."""
    text = help_of(param, param.cli_help, quote)
    more = []
    if isinstance(param.type, types.Many | types.Json) and is_option:
        more.append("repeatable")
    if isinstance(param.type, types.Moment) and param.type.end:
        more.append("a bare date is its end")
    return "; ".join((text.rstrip("."), *more)) + "." if more else text


def read(session: Session, params: Sequence[Param], sent: dict[str, Any]) -> dict[str, Any]:
    """What was typed, as the verb takes it; what was not said is left to the verb."""
    given = {}
    for param in params:
        if isinstance(param.type, types.Form):
            fields = {part.name: sent.pop(part.name, None) for part in param.type.fields}
            value: Any = {name: part for name, part in fields.items() if part} or None
        else:
            value = _read(session, param, sent.pop(param.name, None))
        if value is not None:
            given[param.name] = value
    return given | sent


def _read(session: Session, param: Param, value: Any) -> Any:
    names, metavar = spelling(param)
    if value is None:
        return None
    if isinstance(param.type, types.Moment):
        return session.moment(names[0] if names else param.name, value, last=param.type.end)
    if isinstance(param.type, types.Day):
        return _day(value)
    if isinstance(param.type, types.Json) and metavar == "NAME=VALUE":
        return dict(_pair(names[0], one) for one in value)
    return session.team(value) if metavar == "TEAM" else value


def _day(text: str) -> date:
    from datetime import UTC
    from zoneinfo import ZoneInfo

    from remanent.surfaces.cli.inputs import moment

    return moment("since", text, ZoneInfo("UTC")).astimezone(UTC).date()


def _pair(option: str, pair: str) -> tuple[str, Any]:
    """A name and its value: a number, a list, true or null where it reads as such, else the text itself."""
    name, sign, value = pair.partition("=")
    if not sign or not name.strip():
        raise invalid(option, f"{pair!r} is not NAME=VALUE")
    try:
        return name.strip().removeprefix("$"), json.loads(value)
    except ValueError:
        return name.strip().removeprefix("$"), value


def spelling(param: Param) -> tuple[list[str], str]:
    """The names of an option and what stands for its value; of an argument only the latter."""
    words = (param.cli or f"--{param.name.replace('_', '-')}").split()
    names = [word for word in words if word.startswith("-")]
    return names, " ".join(word for word in words if not word.startswith("-"))


def _default(param: Param) -> Any:
    default = param.default if param.cli_default is SAME else param.cli_default
    if default is ...:
        return REQUIRED
    return None if default == () else default


def _is_many(param: Param, metavar: str, *, is_option: bool) -> bool:
    listed = is_option and isinstance(param.type, types.Many | types.Json)
    return listed or metavar.endswith("...")


class _Whole(click.IntRange):
    name = "integer"  # as errors call it


def _kind(param: Param, *, is_option: bool) -> Any:
    if isinstance(param.type, types.Whole):
        bounds = param.type.least, param.type.most
        return _Whole(*bounds) if is_option and bounds != (None, None) else int
    if isinstance(param.type, types.Real):
        return click.FloatRange(param.type.least) if param.type.most == inf else float
    numbers = isinstance(param.type, types.Choice) and isinstance(param.type.values[0], int)
    if isinstance(param.type, types.Flag):
        return bool
    return int if numbers else str


YES = Param("yes", types.Flag(), "Do it without asking once more.", False, cli="--yes -y")


def confirm(session: Session, question: str, *, yes: bool) -> None:
    """Ask, where there is somebody to ask; elsewhere `--yes` has to be said."""
    if yes:
        return
    if session.options.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise invalid("yes", f"{question} Say so with --yes")
    if not click.confirm(question, default=False):
        session.screen.warn("Nothing was changed.")
        raise Exit(FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What the table says of `op` is taken, and `own` beside it, which the function reads as it was typed."""

    name: str
    run: Callable[..., None]
    says: str
    op: Op | None = None
    own: Sequence[Param] = ()
    without: Sequence[str] = ()

    def __call__(self, session: Session, **sent: Any) -> None:
        self.run(session, **read(session, self._of_op, sent))

    @property
    def _of_op(self) -> list[Param]:
        """The operation's, but for what this command does without or has a parameter of its own for."""
        others = {*self.without, *(one.name for one in self.own)}
        return [one for one in (self.op.params if self.op else ()) if one.name not in others]

    @property
    def params(self) -> list[Param]:
        """All that can be typed, in the order of the table."""
        return [*typed(self._of_op), *self.own]


def command(
    verb: str = "",
    *own: Param,
    name: str = "",
    face: str = "UserMemory",
    without: Sequence[str] = (),
) -> Callable[[Callable[..., None]], Command]:
    """A command by hand; its options are those of the verb, and its own beside them."""

    def put(function: Callable[..., None]) -> Command:
        called = name or function.__name__.strip("_").replace("_", "-")
        op = operation(verb, face) if verb else None
        says = inspect.getdoc(function) or (op.says if op else "")
        return Command(name=called, run=function, says=says, op=op, own=own, without=without)

    return put


def forward(
    verb: str,
    view: str,
    *,
    name: str = "",
    record: str = "",
    echo: Sequence[str] = (),
    also: Sequence[str] = (),
    busy: str = "",
    bar: str = "",
    says: str = "",
    face: str = "UserMemory",
) -> Command:
    """A command that calls a verb and shows what came: `view` names a function of `cli.views`. Programs
    get it as it is, or as `record`, beside the `echo` of what was asked and what it has `also`."""
    op = operation(verb, face)

    def run(session: Session, **given: Any) -> None:
        with ExitStack() as stack:
            if busy:
                stack.enter_context(session.screen.busy(busy))
            if bar:
                given["progress"] = stack.enter_context(session.screen.bar(bar))
            who = session.me if face == "UserMemory" else session.memory
            result = getattr(who, verb)(**given)
        asked = {name: given.get(name) for name in echo}
        beside = {name: getattr(result, name) for name in also}
        answer = {**asked, record: result, **beside} if record else result
        more = {} if face == "UserMemory" else {"zone": session.local_zone}
        session.show(answer, view, result, **more, asked=given)

    return Command(name=name or verb.replace("_", "-"), run=run, says=says or op.says, op=op)
