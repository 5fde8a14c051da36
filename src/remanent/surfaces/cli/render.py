"""The only place that prints: answers to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from remanent.core.model.codec import to_record
from remanent.surfaces.cli.views.basics import clean

if TYPE_CHECKING:
    from rich.console import RenderableType

    from remanent.core.model.page import Step, Worked
    from remanent.core.model.sleep import NightProgress
    from remanent.ingest.rules.dedupe import ImportProgress
    from remanent.surfaces.cli.errors import Problem

_DOING = {
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

    def problem(self, problem: Problem) -> None:
        """Say what went wrong and what to do about it."""
        if self.json:
            about = {"type": problem.type, **problem.about}
            told = {
                "message": problem.message,
                "hint": problem.hint,
                "exit_code": problem.exit_code,
            }
            self._write_json(sys.stderr, {"error": {**about, **told}})
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
    def progress(self, doing: str) -> Iterator[Callable[[Step], None]]:
        """A bar on a terminal, gone when the work is done; elsewhere nothing."""
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            console=self._err,
            transient=True,
            disable=not self._err.is_terminal,
        )
        with bar:
            task = bar.add_task(doing, total=None)
            done = 0

            def step(one: Step) -> None:
                nonlocal done
                done += 1
                bar.update(
                    task,
                    completed=done,
                    total=done + one.remaining,
                    description=_DOING.get(one.kind, one.kind),
                )

            yield step

    @contextmanager
    def bar(self, doing: str) -> Iterator[Callable[[float], None]]:
        """A bar on a terminal for work that tells which share of it lies behind us, from 0 to 1."""
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            console=self._err,
            transient=True,
            disable=not self._err.is_terminal,
        )
        with bar:
            task = bar.add_task(doing, total=1.0)
            yield lambda share: bar.update(task, completed=share)

    @contextmanager
    def night(self) -> Iterator[Callable[[NightProgress], None]]:
        """A bar over the jobs of the night, on a terminal; beside it, which one is in hand."""
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            console=self._err,
            transient=True,
            disable=not self._err.is_terminal,
        )
        with bar:
            task = bar.add_task("Sleeping", total=1.0)

            def step(one: NightProgress) -> None:
                doing = "Doing what waits" if one.job is None else f"{one.at:%d %b} {one.job.value}"
                bar.update(task, completed=one.share, description=f"{doing:<21}")

            yield step

    @contextmanager
    def share(self, doing: str) -> Iterator[Callable[[ImportProgress], None]]:
        """A bar over one file, on a terminal; beside it, how many things came by."""
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TextColumn("{task.fields[count]:,}"),
            console=self._err,
            transient=True,
            disable=not self._err.is_terminal,
        )
        with bar:
            task = bar.add_task(doing, total=1.0, count=0)
            count = 0

            def step(one: ImportProgress) -> None:
                nonlocal count
                count += 1
                bar.update(task, completed=one.share, count=count)

            yield step

    def stopping(self) -> None:
        """Somebody asked to stop."""
        self.warn("Stopping after the job in hand. Ctrl-C again leaves at once.")

    def lost(self, count: int) -> None:
        """Workers ended as they should not."""
        if count:
            self.warn(f"{count} workers failed; what they had in hand is done by the next.")

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
