"""How the SQLite file is doing, and how much is in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from remanent.core.records.admin import Examination, Health
from remanent.errors import DamagedMemory
from remanent.stores.sql.admin.health import SqlHealth
from remanent.stores.sqlite.admin.examine import examine
from remanent.stores.sqlite.connection import MEMORY
from remanent.stores.sqlite.database import SqliteDatabase
from remanent.stores.sqlite.migrations import NEWEST

_MOST_PROBLEMS: Final = 10


class SqliteHealth(SqlHealth):
    """Looks at the file and counts its rows; writes nothing."""

    _database: SqliteDatabase

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

    def _pragma(self, name: str) -> int:
        return self._count(f"PRAGMA {name}")


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
