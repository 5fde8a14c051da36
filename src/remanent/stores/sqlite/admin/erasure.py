"""The files of an erasure in SQLite: written anew, and searched byte by byte."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from remanent.core.records.admin import FileTraces
from remanent.errors import BusyMemory
from remanent.stores.sql.admin.erasure import SqlErasure
from remanent.stores.sqlite.connection import MEMORY

_FILES: Final = ("", "-wal", "-shm")


class SqliteErasure(SqlErasure):
    """Rows go as everywhere; what their bytes were goes with the file that held them."""

    def _rewrite(self) -> bool:
        try:
            self._database.execute("VACUUM")
            rows = self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except BusyMemory:
            return False
        return not (rows and rows[0][0])

    def files(self, words: Sequence[str] = ()) -> FileTraces:
        count, paths = 0, self._files()
        for path in paths if words else ():
            if not path.stat().st_size:
                continue
            with (
                path.open("rb") as file,
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as all_,
            ):
                for word in words:
                    place = all_.find(word.encode())
                    while place >= 0:
                        count += 1
                        place = all_.find(word.encode(), place + 1)
        return FileTraces(sum(path.stat().st_size for path in paths), count)

    def _files(self) -> list[Path]:
        if self._database.path == MEMORY:
            return []
        named = [Path(f"{self._database.path}{end}") for end in _FILES]
        return [one for one in named if one.exists()]
