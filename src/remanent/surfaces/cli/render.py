"""The only place that prints: answers to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from remanent.core.model.codec import to_record
from remanent.core.model.page import Step
from remanent.core.model.sleep import NightProgress
from remanent.surfaces.cli.views.basics import clean

if TYPE_CHECKING:
    from rich.console import RenderableType

    from remanent.core.model.page import Worked
    from remanent.surfaces.cli.errors import Problem

JOB_PHRASES = {
    "process": "Reading",
    "extract": "Finding people and things",
    "believe": "Settling beliefs",
    "project": "Placing events",
    "enrich": "Understanding events",
    "sleep": "Sleeping",
}


class Screen:
    """Where a command's answer goes: a view for people, or one JSON document for programs."""

    def __init__(self, *, json: bool, color: bool) -> None:
        self.json = json
        self._color = color

    @cached_property
    def _out(self) -> Console:
        return Console(file=sys.stdout, no_color=not self._color or None, highlight=False)

    @cached_property
    def _err(self) -> Console:
        return Console(file=sys.stderr, no_color=not self._color or None, highlight=False)

    def answer(self, record: Any, view: Callable[[], RenderableType]) -> None:
        """Print the record as JSON, or the view made from the same things."""
        if self.json:
            self._write_json(sys.stdout, to_record(record))
        else:
            self._print(view())

    def raw(self, record: Any, text: str) -> None:
        """Print text exactly as it was kept, for pipes; only a terminal is spared control characters."""
        if self.json:
            self._write_json(sys.stdout, to_record(record))
            return
        shown = clean(text) if self._out.is_terminal else text
        sys.stdout.write(shown if shown.endswith("\n") else f"{shown}\n")

    def line(self, record: Any, text: str, why: str = "") -> None:
        """Print one line at once, for whoever follows: of JSON, or as people read it."""
        shown = json.dumps(to_record(record)) if self.json else f"{text} ({why})" if why else text
        sys.stdout.write(f"{clean(shown)}\n")
        sys.stdout.flush()

    def problem(self, problem: Problem) -> None:
        """Say what went wrong and what to do about it."""
        if self.json:
            words = {"message": problem.message, "hint": problem.hint}
            error = {"type": problem.type, **problem.about, **words, "exit_code": problem.exit_code}
            self._write_json(sys.stderr, {"error": error})
            return
        self._err.print(Text.assemble(("Error ", "bold red"), problem.message), soft_wrap=True)
        if problem.hint:
            self._err.print(Text.assemble(("Try   ", "bold cyan"), problem.hint), soft_wrap=True)

    def warn(self, text: str) -> None:
        """Say something that does not stop us."""
        if not self.json:
            self._err.print(Text.assemble(("Note  ", "bold yellow"), text), soft_wrap=True)

    @contextmanager
    def busy(self, doing: str) -> Iterator[None]:
        """Show on a terminal that something goes on."""
        if not self._err.is_terminal:
            yield
            return
        with self._err.status(Text(f"{doing} …", style="dim"), spinner="dots"):
            yield

    @contextmanager
    def bar(
        self, doing: str, total: float | None = 1.0, *, counts: bool = False
    ) -> Iterator[Callable[[Any], None]]:
        """A bar on a terminal, gone when the work is done; elsewhere nothing. It takes what verbs tell of
        their progress; without a `total` it counts jobs, of which more may come."""
        from rich import progress as parts

        columns: list[parts.ProgressColumn] = [
            parts.TextColumn("{task.description}"),
            parts.BarColumn(bar_width=24),
            parts.MofNCompleteColumn() if total is None else parts.TaskProgressColumn(),
        ]
        if counts:
            columns.append(parts.TextColumn("{task.fields[count]:,}"))
        quiet = not self._err.is_terminal
        shown = parts.Progress(*columns, console=self._err, transient=True, disable=quiet)
        numbers = count(1)
        with shown:
            task = shown.add_task(doing, total=total, count=0)
            yield lambda step: shown.update(task, **_moved(step, next(numbers)))

    def stopping(self) -> None:
        """Somebody asked to stop."""
        self.warn("Stopping after the job in hand. Ctrl-C again leaves at once.")

    def lost(self, workers: int) -> None:
        """Workers ended as they should not."""
        if workers:
            self.warn(f"{workers} workers failed; what they had in hand is done by the next.")

    def worked(self, worked: Worked) -> None:
        """Warn of work that did not go well."""
        if worked.parked:
            self.warn(
                f"{worked.parked} jobs are parked; `remanent jobs list` says why, and until when."
            )
        elif worked.retried:
            self.warn(f"{worked.retried} jobs failed and will be tried again by `remanent work`.")

    def _print(self, view: RenderableType) -> None:
        """To a terminal as it is; into a pipe without the blanks that fill up each line."""
        if self._out.is_terminal:
            self._out.print(view)
            return
        with self._out.capture() as capture:
            self._out.print(view)
        sys.stdout.writelines(f"{line.rstrip()}\n" for line in capture.get().splitlines())

    @staticmethod
    def _write_json(stream: Any, record: Any) -> None:
        unicode_safe = (stream.encoding or "").lower().replace("-", "") == "utf8"
        json.dump(record, stream, ensure_ascii=not unicode_safe, indent=2)
        stream.write("\n")


def _moved(step: Any, number: int) -> dict[str, Any]:
    """What a bar shows after the so-manieth step: the share that lies behind us, and what is being done."""
    match step:
        case float() | int():
            return {"completed": step}
        case Step():
            doing = JOB_PHRASES.get(step.kind, step.kind)
            return {"completed": number, "total": number + step.remaining, "description": doing}
        case NightProgress(job=None):
            return {"completed": step.share, "description": f"{'Doing what waits':<21}"}
        case NightProgress(job=job):
            return {"completed": step.share, "description": f"{f'{step.at:%d %b} {job}':<21}"}
        case _:
            return {"completed": step.share, "count": number}
