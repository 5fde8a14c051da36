"""How the SQLite file is doing, and how much is in it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from remanent.core.records.admin import Census, Examination, Health
from remanent.errors import DamagedMemory
from remanent.stores.sqlite.admin.examine import examine
from remanent.stores.sqlite.connection import MEMORY
from remanent.stores.sqlite.database import OnDatabase
from remanent.stores.sqlite.migrations import NEWEST
from remanent.stores.sqlite.plain_rows import moment_or_none, to_micros

_MOST_PROBLEMS: Final = 10
_NODES = "SELECT kind, count(*) FROM nodes GROUP BY kind ORDER BY kind"
# Times in a body are ISO texts in UTC, which sort as the times do.
_BORN_BY = """
SELECT count(*) FROM nodes
WHERE kind = 'event' AND created_at <= ? AND body ->> 'occurred_at' <= ?
"""
_PRUNED = "SELECT count(*) FROM bygones"
# The type stands here word for word as in the partial index, or the index is not used.
_REFLECTIONS = """
SELECT count(*) FROM events
WHERE event_type = 'events.reconsolidated' AND payload ->> 'what' = 'reflection'
"""
# A clock that was set back has written on since: what is newest need not stand last.
_NEWEST_EVENT = """
SELECT max(recorded_at) FROM (SELECT recorded_at FROM events ORDER BY seq DESC LIMIT 10000)
"""


class SqliteHealth(OnDatabase):
    """Looks at the file and counts its rows; writes nothing."""

    def health(self) -> Health:
        try:
            return self._health()
        except DamagedMemory as problem:
            message = f"cannot be read: {problem.problem}"
            return Health(problems=(message,), newest_schema=NEWEST)

    def _health(self) -> Health:
        problems = self._database.execute(f"PRAGMA quick_check({_MOST_PROBLEMS})")
        name, dimensions = self._embedder()
        file, wal, free = _sizes(self._database.path)
        return Health(
            problems=tuple(str(told) for (told,) in problems if told != "ok"),
            schema=self._pragma("user_version"),
            newest_schema=NEWEST,
            embedder=name,
            dimensions=dimensions,
            file_bytes=file,
            wal_bytes=wal,
            free_pages=self._pragma("freelist_count"),
            page_bytes=self._pragma("page_size"),
            disk_free_bytes=free,
        )

    def examine(self, fits: Callable[[Mapping[str, Any], str], str]) -> Examination:
        return examine(self._database, fits)

    def schema(self) -> tuple[int, int]:
        return self._pragma("user_version"), NEWEST

    def census(self, moments: Sequence[datetime] = ()) -> Census:
        with self._database.read():
            return Census(
                nodes={str(kind): int(count) for kind, count in self._database.execute(_NODES)},
                born_by=tuple(self._count(_BORN_BY, _by(one)) for one in moments),
                pruned=self._count(_PRUNED),
                reflections=self._count(_REFLECTIONS),
                newest_event=self._newest_event(),
            )

    def _embedder(self) -> tuple[str, int]:
        noted = self._database.meta("embedder")
        if noted is None:
            return "", 0
        record = json.loads(noted)
        return str(record["name"]), int(record["dimensions"])

    def _newest_event(self) -> datetime | None:
        row = self._database.fetch_one(_NEWEST_EVENT)
        return None if row is None else moment_or_none(row[0])

    def _pragma(self, name: str) -> int:
        return self._count(f"PRAGMA {name}")

    def _count(self, sql: str, values: tuple[object, ...] = ()) -> int:
        ((count,),) = self._database.execute(sql, values)
        return int(count)


def _by(moment: datetime) -> tuple[int, str]:
    return to_micros(moment), moment.astimezone(UTC).isoformat()


def _sizes(path: str) -> tuple[int | None, int | None, int | None]:
    """Bytes of the file, of its log, and left on its disk."""
    if path == MEMORY:
        return None, None, None
    place = Path(path).absolute()
    log = place.with_name(f"{place.name}-wal")
    try:
        return (
            place.stat().st_size,
            log.stat().st_size if log.exists() else 0,
            shutil.disk_usage(place.parent).free,
        )
    except OSError:
        return None, None, None
