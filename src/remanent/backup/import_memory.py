"""Import of a memory: what an export wrote, taken in whole, or not at all."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from remanent.backup.export import Progress, content_of
from remanent.backup.reembed import Reembed, reembed_job
from remanent.backup.rules import export as exporting
from remanent.clock import Clock
from remanent.core.dry_run import trial
from remanent.core.jsonl import Lines, Place, reading
from remanent.core.ports.export import Carrying, Numbered
from remanent.core.ports.queue import Queue
from remanent.core.ports.reembedding import Renewal
from remanent.core.ports.registry import Registry
from remanent.core.ports.transaction import Atomic
from remanent.core.records.audit import OPERATOR, Act
from remanent.core.records.export import Ending, Header, Imported, Kept, Moved, Restored
from remanent.errors import InvalidInput
from remanent.teams.audit import Witness

_TOLD_EVERY: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportMemory:
    """The file is read twice: once to see that it is whole and unaltered, before anything is written;
    then record by record, inside one transaction. `embedder` is the name of this memory's own, and
    `dimensions` says how long its vectors are. `reembed` makes them at once; where it is None, a job
    does so later."""

    carrying: Carrying
    registry: Registry
    renewal: Renewal
    queue: Queue
    atomic: Atomic
    embedder: str
    dimensions: Callable[[], int]
    reembed: Reembed | None
    witness: Witness
    clock: Clock

    def __call__(
        self, from_: Place, *, progress: Progress | None = None, dry_run: bool = False
    ) -> Imported:
        """Take in the users of a file, none of whom may be here; just what is here already is left."""
        with reading(from_) as lines:
            header, ending, last = _checked(lines)
            there = [one for one in header.users if self.registry.user(one) is not None]
            if there:
                return self._known(header, ending, there, dry_run=dry_run)
            with trial(self.atomic, dry_run=dry_run):
                records = _told(_records(lines, header, ending, last), lines, progress)
                restored = self._restored(header, records)
                _insist_users(self.registry, header)
                anew = self._reembedding(header, restored)
                for one in header.users:
                    self.witness(OPERATOR, Act.MEMORY_IMPORTED, subject=one)
        if anew and self.reembed is not None and not dry_run:
            _embed_now(self.reembed)
        return Imported(
            users=header.users,
            counts=restored.counts,
            left_out=restored.left_out,
            renumbered=restored.shifted > 0,
            reembedding=anew and (dry_run or self.reembed is None),
            dry_run=dry_run,
        )

    def _restored(self, header: Header, records: Iterator[Numbered]) -> Restored:
        if header.embedder != self.embedder:
            return self.carrying.restore(records, embedder=None)
        if header.dimensions != self.dimensions():
            raise InvalidInput(
                "line 1: dimensions",
                f"{header.dimensions!r} is not how long vectors of {self.embedder!r} are here",
            )
        return self.carrying.restore(records, embedder=self.embedder, dimensions=self.dimensions())

    def _known(
        self, header: Header, ending: Ending, there: list[str], *, dry_run: bool
    ) -> Imported:
        """Nothing to do where all of the file is here as it says; else nothing can be done."""
        everyone = len(there) == len(header.users)
        if everyone and content_of(self._here(header)) == ending.content:
            return Imported(
                users=header.users, counts={}, left_out={}, already=True, dry_run=dry_run
            )
        raise InvalidInput(
            "users", f"{there[0]!r} is in this memory already; take the file into another one"
        )

    def _here(self, header: Header) -> Iterator[Kept]:
        if header.whole:
            return self.carrying.dump_all(answers=header.answers)
        scope = self.registry.scope_of(header.users[0])
        return self.carrying.dump(scope, answers=header.answers)

    def _reembedding(self, header: Header, restored: Restored) -> bool:
        """Promise vectors of this memory's own embedder, where the file's are another's."""
        if header.embedder == self.embedder or not restored.counts.get("entry"):
            return False
        self.renewal.aim(self.embedder, self.dimensions())
        if self.reembed is None:
            self.queue.enqueue(reembed_job(header.users[0], self.embedder, self.clock.now()))
        return True


def _embed_now(reembed: Reembed) -> None:
    reembed()
    while not reembed.renewal.switch():
        reembed()  # somebody wrote meanwhile


def _checked(lines: Lines) -> tuple[Header, Ending, int]:
    """First and last line, and the number of the last, if the lines before it are those it speaks of."""
    whole = hashlib.sha256()
    header: Header | None = None
    last, number = b"", 0
    for line in lines:
        number += 1
        if header is None:
            with _named(1):
                header = exporting.read_header(_decoded(line))
        else:
            whole.update(last + b"\n")
        last = line
    if header is None or number == 1:
        raise InvalidInput("path", "is no exported memory: there is nothing after the first line")
    with _named(number):
        ending = exporting.read_ending(_decoded(last))
    if ending.sha256 != whole.hexdigest():
        raise InvalidInput(
            "sha256", "the file is not as it was written: a line was altered or lost"
        )
    return header, ending, number


def _records(lines: Lines, header: Header, ending: Ending, last: int) -> Iterator[Numbered]:
    """All records, each read with suspicion; at the end, that they were those of the first reading."""
    users, place = frozenset(header.users), 0
    whole: Any = hashlib.sha256()
    counts: Counter[str] = Counter()
    for number, line in enumerate(lines, start=1):
        if number == last:
            break
        whole.update(line + b"\n")
        if number == 1:
            continue
        with _named(number):
            one = exporting.read_record(_decoded(line), users)
            if exporting.ORDER[one.sort] < place:
                raise InvalidInput("record", f"{one.sort.value!r} comes too late")
            if one.elsewhere and header.whole:
                raise InvalidInput("elsewhere", "in a whole memory nothing is")
        place = exporting.ORDER[one.sort]
        counts[one.sort.value] += 1
        yield number, one
    if whole.hexdigest() != ending.sha256:
        raise InvalidInput("path", "was changed while it was read")
    if dict(counts) != {name: count for name, count in ending.counts.items() if count}:
        raise InvalidInput(f"line {last}: counts", "are not those of the records")


def _told(
    records: Iterator[Numbered], lines: Lines, progress: Progress | None
) -> Iterator[Numbered]:
    for count, one in enumerate(records):
        if progress is not None and count % _TOLD_EVERY == 0:
            progress(Moved(done=lines.place, total=lines.size))
        yield one
    if progress is not None:
        progress(Moved(done=lines.size, total=lines.size))


def _insist_users(registry: Registry, header: Header) -> None:
    for one in header.users:
        if registry.user(one) is None:
            raise InvalidInput("line 1: users", f"there is no record of the user {one!r}")


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise InvalidInput("line", f"is not UTF-8 text at byte {problem.start:,}") from None


@contextmanager
def _named(number: int) -> Iterator[None]:
    """What is wrong in this block is wrong on that line."""
    try:
        yield
    except InvalidInput as problem:
        field = problem.field.removeprefix("line 1: ")
        raise InvalidInput(f"line {number}: {field}", problem.problem) from None
