"""An embedder that keeps its vectors in a file, so that the next run need not compute them again."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from remanent.core.ports.embedder import Embedder, Scale, TextKind, question_scale

_BATCH = 128


class KeptVectors:
    """Gives what the embedder within gives; a text it has seen comes from the file."""

    def __init__(self, inner: Embedder, path: Path) -> None:
        self._inner = inner
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = sqlite3.connect(path, timeout=60, check_same_thread=False)
        self._file.execute("PRAGMA journal_mode = WAL")
        self._table = '"' + inner.name.replace('"', "") + '"'  # one for each embedder
        self._file.execute(
            f"CREATE TABLE IF NOT EXISTS {self._table} (h BLOB PRIMARY KEY, v BLOB) WITHOUT ROWID"
        )

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    @property
    def scale(self) -> tuple[tuple[float, float], ...]:
        return self._inner.scale

    @property
    def question_scale(self) -> Scale:
        return question_scale(self._inner)

    @property
    def is_local(self) -> bool:
        return self._inner.is_local

    def embed(self, texts: Sequence[str], *, kind: TextKind = "passage") -> NDArray[np.float32]:
        """One vector per text, in order."""
        digests = [_digest(f"{kind}: {text}") for text in texts]
        get = f"SELECT v FROM {self._table} WHERE h = ?"
        put = f"INSERT OR IGNORE INTO {self._table} VALUES (?, ?)"
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        missing: dict[bytes, list[int]] = {}
        with self._lock:
            for place, digest in enumerate(digests):
                row = self._file.execute(get, (digest,)).fetchone()
                if row is None:
                    missing.setdefault(digest, []).append(place)
                else:
                    vectors[place] = np.frombuffer(row[0], dtype=np.float32)
            todo = list(missing.items())
            for start in range(0, len(todo), _BATCH):
                batch = todo[start : start + _BATCH]
                made = self._inner.embed([texts[places[0]] for _, places in batch], kind=kind)
                rows = [(d, one.tobytes()) for (d, _), one in zip(batch, made, strict=True)]
                self._file.executemany(put, rows)
                self._file.commit()
                for (_, places), one in zip(batch, made, strict=True):
                    vectors[places] = one
        return vectors


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
