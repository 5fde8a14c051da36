"""`remanent watch`: the files of a folder come in as they are written, changed and taken away.

What was seen of each file is kept in the memory, so that a file which changes or vanishes while nobody
watches is noticed by the next look. It is noted down after the file came in: whoever is killed in between
looks once more, and what is here already changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from remanent.core.dataclasses import dataclass
from remanent.surfaces.cli.commands import command
from remanent.surfaces.cli.session import Session, invalid
from remanent.surfaces.cli.work import WORK
from remanent.surfaces.operations.schema import NAME, TEXT, Flag, Param, Real

if TYPE_CHECKING:
    from remanent.core.model.source import Source
    from remanent.ingest.rules.dedupe import ImportProgress
    from remanent.memory import UserMemory

ROOM: Final = "watch"
_MOST_ORIGINS: Final = 1000  # of one file: that many sources are found again when it is gone
_PAGE: Final = 1000

# fmt: off
_WATCH = (
    Param("folder", TEXT, "A folder of notes, mail or transcripts.", cli="FOLDER"),
    Param("as_", NAME, "As `import` has it; default: told from the files.", None, cli="--as FORMAT"),
    Param("interval", Real(0.1, inf), "How long to rest between two looks.", 2.0,
        cli="--interval SECONDS"),
    Param("once", Flag(), "Look once, and end.", False),
    Param("forget_removed", Flag(), "Undo and archive the sources of a file that is gone.", False),
    WORK,
)
# fmt: on


@dataclass(frozen=True, slots=True)
class FileChange:
    """What became of one file: added, grown, changed, skipped, removed, forgotten or back, and why."""

    file: str
    change: str
    why: str = ""


@dataclass(slots=True, kw_only=True)
class Folder:
    """A folder that is watched for one user."""

    me: UserMemory
    path: Path
    as_: str | None = None
    forget_removed: bool = False
    stop: Callable[[], bool] = lambda: False

    def look(self) -> Iterator[FileChange]:
        """Take in what is new or changed since the last look, and tell of it and of what is gone."""
        files, known = self._files(), self._known()
        fresh = {name for name, mark in files.items() if known.get(name, {}).get("mark") != mark}
        heard, whys = self._import(fresh) if fresh else ({}, {})
        for name in sorted(fresh):
            before, came = known.get(name, {}), heard.get(name, [])
            fates = dict.fromkeys(one.fate.value for one in came)
            if before.get("mark", ()) is None and "known" in fates:
                for source in self._sources(before["origins"]):
                    self.me.restore(source.key)
                    self.me.redo(source.key)
                yield FileChange(name, "back")
            yield from (
                FileChange(name, fate) for fate in fates if fate not in ("known", "skipped")
            )
            if name in whys:
                yield FileChange(name, "skipped", whys[name])
            origins = (*before.get("origins", ()), *(one.origin for one in came if one.origin))
            kept = list(dict.fromkeys(origins))[-_MOST_ORIGINS:]
            self._keep(name, {"mark": files[name], "origins": kept})
        for name in sorted(known.keys() - files.keys()):
            if known[name]["mark"] is not None:
                yield self._handle_removed(name, known[name]["origins"])

    def _files(self) -> dict[str, list[float]]:
        """The files that an import would read, each with when it was written and how long it is."""
        from remanent.ingest.importers.box import opened

        if not self.path.is_dir():
            raise invalid("folder", f"there is no folder {self.path}")
        with opened(self.path) as box:
            times = {
                one.name: one.modified.timestamp() if one.modified else 0 for one in box.members
            }
            return {one.name: [times[one.name], one.size] for one in box.members}

    def _import(self, fresh: set[str]) -> tuple[dict[str, list[ImportProgress]], dict[str, str]]:
        """Read these files as `import` does; what came of each, and why one was skipped."""
        from remanent.errors import InvalidInput

        heard: dict[str, list[ImportProgress]] = {}

        def file_of(where: str) -> str:
            return max((name for name in fresh if where.startswith(name)), key=len, default="")

        def note_progress(one: ImportProgress) -> None:
            heard.setdefault(file_of(one.where), []).append(one)
            if self.stop():
                raise KeyboardInterrupt  # between two sources: nothing is half-written

        try:
            report = self.me.import_file(self.path, self.as_, progress=note_progress, only=fresh)
        except InvalidInput as problem:  # nothing in it is of a format we know
            return {}, dict.fromkeys(fresh, problem.problem)
        return heard, {file_of(one.where): one.why for one in reversed(report.skipped)}

    def _handle_removed(self, name: str, origins: list[str]) -> FileChange:
        if not self.forget_removed:
            self._keep(name, None)
            return FileChange(name, "removed", "what came of it stays")
        for source in self._sources(origins):
            self.me.undo(source.key)
            self.me.archive(source.key, f"{name} was removed")
        self._keep(name, {"mark": None, "origins": origins})
        return FileChange(name, "forgotten", "its sources are undone and archived")

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


@command("", *_WATCH)
def watch(
    session: Session, *, folder: str, interval: float, once: bool, work: bool, **how: Any
) -> None:
    """Take in a folder, and whatever is written, changed or taken away in it from then on.

    Files are read as `import` reads them. One line for each change; Ctrl-C or SIGTERM ends it within
    seconds. Looking again at what has not changed changes nothing.
    """
    from remanent.surfaces.cli.worker import Stop

    with Stop(session.screen.stopping, session.memory) as stop:
        place = Folder(me=session.me, path=Path(folder), stop=stop, **how)
        while True:
            news = False
            for one in place.look():
                news = True
                session.screen.line(one, f"{one.change:>9}  {one.file}", one.why)
            if news and work and not stop():
                session.screen.worked(session.me.work(stop=stop))
            if once or stop() or stop.wait(interval):
                break
