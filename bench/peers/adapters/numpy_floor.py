"""A floor: vectors in one array a user, texts in a file of lines, every write on the disk before it is answered."""

from __future__ import annotations

import base64
import json
import os
import threading
from collections.abc import Sequence

import numpy as np
from adapters import Peer, Record
from numpy.typing import NDArray


class Adapter(Peer):
    def open(self) -> None:
        self._lock = threading.Lock()
        self._ids: dict[str, list[str]] = {}
        self._arrays: dict[str, NDArray[np.float32]] = {}
        self._path = self.folder / "notes.jsonl"
        self._load()
        self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def _load(self) -> None:
        vectors: dict[str, list[NDArray[np.float32]]] = {}
        if self._path.exists():
            with self._path.open(encoding="utf-8") as lines:
                for line in lines:
                    one = json.loads(line)
                    self._ids.setdefault(one["user"], []).append(one["id"])
                    raw = np.frombuffer(base64.b64decode(one["vector"]), dtype=np.float32)
                    vectors.setdefault(one["user"], []).append(raw)
        self._arrays = {user: np.stack(several) for user, several in vectors.items()}

    def add_many(self, user: str, records: Sequence[Record]) -> None:
        lines = []
        for one in records:
            vector = base64.b64encode(self.vectors[one.text].tobytes()).decode()
            lines.append(
                json.dumps({"user": user, "id": one.id, "text": one.text, "vector": vector}) + "\n"
            )
        new = np.stack([np.frombuffer(self.vectors[one.text], dtype=np.float32) for one in records])
        with self._lock:
            os.write(self._file, "".join(lines).encode())  # one write: two processes may append
            os.fsync(self._file)
            ids = self._ids.setdefault(user, [])
            held = self._arrays.get(user, new[:0])
            if len(ids) + len(new) > len(held):
                room = max(1024, 2 * (len(ids) + len(new)))
                held = np.concatenate(
                    [held[: len(ids)], np.zeros((room, new.shape[1]), np.float32)]
                )
                self._arrays[user] = held
            held[len(ids) : len(ids) + len(new)] = new
            ids.extend(one.id for one in records)

    def search(self, user: str, question: str, limit: int) -> list[str]:
        ids = self._ids.get(user, [])
        if not ids:
            return []
        asked = np.frombuffer(self.vectors[question], dtype=np.float32)
        scores = self._arrays[user][: len(ids)] @ asked
        head = np.argpartition(-scores, min(limit, len(ids) - 1))[:limit]
        return [ids[place] for place in head[np.argsort(-scores[head])]]

    def count(self, user: str) -> int:
        return len(self._ids.get(user, []))

    def delete_all(self, user: str) -> None:
        with self._lock:
            self._ids.pop(user, None)
            self._arrays.pop(user, None)
            beside = self._path.with_suffix(".new")
            with (
                self._path.open(encoding="utf-8") as old,
                beside.open("w", encoding="utf-8") as new,
            ):
                new.writelines(line for line in old if json.loads(line)["user"] != user)
                new.flush()
                os.fsync(new.fileno())
            beside.replace(self._path)
            os.close(self._file)
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND)

    def close(self) -> None:
        os.close(self._file)
