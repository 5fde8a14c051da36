"""What a command is: a name, what it takes, and a function that answers on the screen."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from remanent.surfaces.cli.options import read
from remanent.surfaces.cli.session import Session
from remanent.surfaces.operations import operation

if TYPE_CHECKING:
    from remanent.surfaces.operations.words import Op


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What the table says of `op` is taken, and what the function itself names."""

    name: str
    run: Callable[..., None]
    says: str
    op: Op | None = None
    without: Sequence[str] = ()

    def __call__(self, session: Session, **sent: Any) -> None:
        given = sent if self.op is None else read(session, self.op, sent, without=self.without)
        self.run(session, **given)


def command(
    verb: str = "", *, name: str = "", face: str = "UserMemory", without: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Command]:
    """A command by hand; its options are those of the verb, and what its function names beside them."""

    def put(function: Callable[..., None]) -> Command:
        typed = name or function.__name__.strip("_").replace("_", "-")
        op = operation(verb, face) if verb else None
        says = inspect.getdoc(function) or (op.says if op else "")
        return Command(name=typed, run=function, says=says, op=op, without=without)

    return put


def shown(
    verb: str,
    view: str,
    *,
    name: str = "",
    record: str = "",
    echo: str = "",
    busy: str = "",
    bar: str = "",
    says: str = "",
    face: str = "UserMemory",
    without: Sequence[str] = (),
) -> Command:
    """A command that calls a verb and shows what came: `view` names a function of `cli.views`. For programs
    it comes as it is, or as `record`, beside the `echo` of what was asked."""
    op = operation(verb, face)

    def run(session: Session, **given: Any) -> None:
        with ExitStack() as stack:
            if busy:
                stack.enter_context(session.screen.busy(busy))
            if bar:
                given["progress"] = stack.enter_context(session.screen.bar(bar))
            who = session.me if face == "UserMemory" else session.memory
            found = getattr(who, verb)(**given)
        told = {record: found} if record else found
        if echo:
            told = {echo: given.get(echo), **told}
        session.screen.answer(told, lambda: look(session, view, found))

    typed = name or verb.replace("_", "-")
    return Command(name=typed, run=run, says=says or op.says, op=op, without=without)


def look(session: Session, view: str, found: Any) -> Any:
    """What the view makes of it, in the user's time zone where it tells times."""
    module, _, function = view.partition(".")
    draw = getattr(importlib.import_module(f"remanent.surfaces.cli.views.{module}"), function)
    zoned = "zone" in inspect.signature(draw).parameters
    return draw(found, session.zone) if zoned else draw(found)
