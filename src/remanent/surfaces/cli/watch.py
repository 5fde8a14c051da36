"""`remanent watch`: the files of a folder come in as they are written, changed and taken away.

What was seen of each file is kept in the memory, so that a file which changes or vanishes while nobody
watches is noticed by the next look. It is noted down after the file came in: whoever is killed in between
looks once more, and what is here already changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from remanent.surfaces.cli.commands import command, option
from remanent.surfaces.cli.session import INTERRUPTED, Session, invalid

if TYPE_CHECKING:
    from remanent.core.model.source import Source
    from remanent.ingest.rules.dedupe import ImportProgress, ImportReport
    from remanent.memory import UserMemory

ROOM: Final = "watch"
_MOST_ORIGINS: Final = 1000  # of one file: that many sources are found again when it is gone
_PAGE: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """What became of one file: added, grown, changed, skipped, removed, forgotten or back, and why."""

    file: str
    change: str
    why: str = ""


class Stopped(Exception):
    """Somebody asked to stop between two sources."""


@dataclass(slots=True, kw_only=True)
class Folder:
    """A folder that is watched for one user."""

    me: UserMemory
    path: Path
    as_: str | None = None
    forget_removed: bool = False
    stop: Callable[[], bool] = lambda: False
    _fates: dict[str, Counter[str]] = field(default_factory=dict)
    _origins: dict[str, list[str]] = field(default_factory=dict)

    def look(self) -> Iterator[FileChange]:
        """Take in what is new or changed since the last look, and tell of it and of what is gone."""
        files, known = self._files(), self._known()
        fresh = {name for name, mark in files.items() if known.get(name, {}).get("mark") != mark}
        self._fates, self._origins = {}, {}
        if fresh:
            whys = self._import(fresh)
            for name in sorted(fresh):
                yield from self._changes_of(name, known.get(name, {}), whys.get(name, ""))
                origins = [*known.get(name, {}).get("origins", ()), *self._origins.get(name, ())]
                kept = list(dict.fromkeys(origins))[-_MOST_ORIGINS:]
                self._keep(name, {"mark": files[name], "origins": kept})
        for name in sorted(known.keys() - files.keys()):
            if known[name]["mark"] is not None:
                yield self._handle_removed(name, known[name])

    def _files(self) -> dict[str, list[float]]:
        """The files that an import would read, each with when it was written and how long it is."""
        from remanent.ingest.importers.box import opened

        if not self.path.is_dir():
            raise invalid("folder", f"there is no folder {self.path}")
        with opened(self.path) as box:
            return {
                one.name: [one.modified.timestamp() if one.modified else 0.0, float(one.size)]
                for one in box.members
            }

    def _import(self, fresh: set[str]) -> Mapping[str, str]:
        """Read these files as `import` does; why one was skipped, by its name."""
        from remanent.errors import InvalidInput

        def note_progress(one: ImportProgress) -> None:
            name = max((file for file in fresh if one.where.startswith(file)), key=len, default="")
            self._fates.setdefault(name, Counter())[one.fate.value] += 1
            if one.origin:
                self._origins.setdefault(name, []).append(one.origin)
            if self.stop():
                raise Stopped

        try:
            report: ImportReport = self.me.import_file(
                self.path, self.as_, progress=note_progress, only=fresh
            )
        except InvalidInput as problem:  # nothing in it is of a format we know
            return dict.fromkeys(fresh, problem.problem)
        return {
            name: one.why
            for one in reversed(report.skipped)
            for name in fresh
            if one.where.startswith(name)
        }

    def _changes_of(self, name: str, before: Mapping[str, Any], why: str) -> Iterator[FileChange]:
        fates = self._fates.get(name, Counter())
        if before and before["mark"] is None and before["origins"] and fates["known"]:
            for source in self._sources(before["origins"]):
                self.me.restore(source.key)
                self.me.redo(source.key)
            yield FileChange(file=name, change="back")
        for fate in ("added", "grown", "changed"):
            if fates[fate]:
                yield FileChange(file=name, change=fate)
        if why:
            yield FileChange(file=name, change="skipped", why=why)

    def _handle_removed(self, name: str, before: Mapping[str, Any]) -> FileChange:
        if not self.forget_removed:
            self._keep(name, None)
            return FileChange(file=name, change="removed", why="what came of it stays")
        for source in self._sources(before["origins"]):
            self.me.undo(source.key)
            self.me.archive(source.key, f"{name} was removed")
        self._keep(name, {"mark": None, "origins": before["origins"]})
        return FileChange(file=name, change="forgotten", why="its sources are undone and archived")

    def _sources(self, origins: list[str]) -> Iterator[Source]:
        """The user's own sources of these origins, later versions and continuations included."""
        after: str | None = None
        while page := self.me.sources(_PAGE, after=after, include_archived=True):
            for one in page:
                origin = one.origin_id or one.key
                head = origin.rpartition("@")[0] or origin.rpartition("+")[0]
                if one.user_id == self.me.user_id and ({origin, head} & {*origins}):
                    yield one
            after = page[-1].key

    def _known(self) -> dict[str, Mapping[str, Any]]:
        from remanent.items.read import ItemQuery

        query = ItemQuery(prefix=self._place, limit=1_000_000)
        return {one.item.value["file"]: one.item.value for one in self.me.shelf(ROOM).search(query)}

    def _keep(self, name: str, value: Mapping[str, Any] | None) -> None:
        from remanent.core.model.keys import content_hash
        from remanent.core.records.item import Put

        kept = None if value is None else {"file": name, **value}
        key = content_hash(name)  # a path may be longer than a key
        self.me.shelf(ROOM).put([Put(namespace=self._place, key=key, value=kept, paths=())])

    @property
    def _place(self) -> tuple[str, ...]:
        return (str(self.path.resolve())[-500:],)


@command()
def watch(
    session: Session,
    folder: Annotated[str, option("FOLDER", "A folder of notes, mail or transcripts.")],
    as_: Annotated[
        str | None, option("--as FORMAT", "As `import` has it; default: told from the files.")
    ] = None,
    interval: Annotated[
        float, option("--interval SECONDS", "How long to rest between two looks.", min=0.1)
    ] = 2.0,
    once: Annotated[bool, option("--once", "Look once, and end.")] = False,
    forget_removed: Annotated[
        bool,
        option("--forget-removed", "Undo and archive the sources of a file that is gone."),
    ] = False,
    work: Annotated[
        bool, option("--work/--no-work", "Read and understand it now, or later.")
    ] = True,
) -> None:
    """Take in a folder, and whatever is written, changed or taken away in it from then on.

    Files are read as `import` reads them. One line for each change; Ctrl-C or SIGTERM ends it within
    seconds. Looking again at what has not changed changes nothing.
    """
    from remanent.surfaces.cli.worker import Stop

    with Stop(session.screen.stopping, session.memory) as stop:
        place = Folder(
            me=session.me, path=Path(folder), as_=as_, forget_removed=forget_removed, stop=stop
        )
        while True:
            changes = 0
            try:
                for one in place.look():
                    changes += 1
                    session.screen.line(one, f"{one.change:>9}  {one.file}", one.why)
            except Stopped:
                raise typer.Exit(INTERRUPTED) from None
            if changes and work and not stop():
                session.screen.worked(session.me.work(stop=stop))
            if once or stop() or stop.wait(interval):
                break
