"""A floor: a table of SQLite's FTS5, in a file, every write on the disk before it is answered."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Sequence

from adapters import Peer, Record


class Adapter(Peer):
    def open(self) -> None:
        self._lock = threading.Lock()
        self._file = sqlite3.connect(
            self.folder / "notes.db", timeout=60, check_same_thread=False, isolation_level=None
        )
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = FULL")
        self._file.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS notes USING fts5"
            "(id UNINDEXED, who, text, tokenize = 'porter unicode61')"
        )

    def add_many(self, user: str, records: Sequence[Record]) -> None:
        rows = [(one.id, user, one.text) for one in records]
        with self._lock:
            self._file.execute("BEGIN IMMEDIATE")
            self._file.executemany("INSERT INTO notes VALUES (?, ?, ?)", rows)
            self._file.execute("COMMIT")

    def search(self, user: str, question: str, limit: int) -> list[str]:
        terms = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        match = f'who : "{user}" AND text : ({terms})'
        asked = "SELECT id FROM notes WHERE notes MATCH ? ORDER BY bm25(notes) LIMIT ?"
        with self._lock:
            return [row[0] for row in self._file.execute(asked, (match, limit))]

    def count(self, user: str) -> int:
        asked = "SELECT count(*) FROM notes WHERE notes MATCH ?"
        number: int = self._file.execute(asked, (f'who : "{user}"',)).fetchone()[0]
        return number

    def delete_all(self, user: str) -> None:
        with self._lock:
            self._file.execute("DELETE FROM notes WHERE notes MATCH ?", (f'who : "{user}"',))

    def close(self) -> None:
        self._file.close()
