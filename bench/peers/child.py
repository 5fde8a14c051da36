"""`python child.py SYSTEM FOLDER VECTORS`: one system in a process of its own, asked by lines of JSON.

Only what the system does lies between the two readings of a clock; CPU is that of the whole process.
"""

from __future__ import annotations

import base64
import contextlib
import importlib
import json
import os
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from adapters import Peer, Record

Ask = dict[str, Any]
Known = dict[str, "array[float]"]


class Child:
    def __init__(self, peer: Peer, known: Known) -> None:
        self._peer, self._known = peer, known

    def add(self, ask: Ask) -> Ask:
        """One by one, each timed, until `seconds` are over."""
        records = _records(ask)
        return _each(ask, records, lambda one: self._peer.add(ask["user"], one))

    def fill(self, ask: Ask) -> Ask:
        """All at once."""
        with _clocks() as taken:
            self._peer.add_many(ask["user"], _records(ask))
        return taken

    def settle(self, _: Ask) -> Ask:
        with _clocks() as taken:
            self._peer.settle()
        return taken

    def search(self, ask: Ask) -> Ask:
        limit, found = ask.get("limit", 10), []
        asked = [tuple(one) for one in ask["questions"]]
        taken = _each(ask, asked, lambda one: found.append(self._peer.search(*one, limit)))
        return {**taken, "found": found}

    def threads(self, ask: Ask) -> Ask:
        """Several threads add at once; how many were answered, and with which errors."""
        records, many = _records(ask), int(ask["threads"])
        errors: list[str] = []

        def write(part: list[Record]) -> None:
            for one in part:
                try:
                    self._peer.add(ask["user"], one)
                except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
                    errors.append(_said(error))

        workers = [
            threading.Thread(target=write, args=(records[place::many],)) for place in range(many)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return {"answered": len(records) - len(errors), "errors": errors}

    def count(self, ask: Ask) -> Ask:
        return {"count": self._peer.count(ask["user"])}

    def delete(self, ask: Ask) -> Ask:
        with _clocks() as taken:
            self._peer.delete_all(ask["user"])
        return taken

    def close(self, _: Ask) -> Ask:
        self._peer.close()
        return {}

    def answer(self, ask: Ask) -> Ask:
        self._known.clear()
        raw = array("f", base64.b64decode(ask.get("vectors", "")))
        texts = ask.get("texts", [])
        width = len(raw) // len(texts) if texts else 0
        for place, text in enumerate(texts):
            self._known[text] = raw[place * width : (place + 1) * width]
        verb: Callable[[Ask], Ask] = getattr(self, ask["verb"])
        return verb(ask)


def _records(ask: Ask) -> list[Record]:
    return [Record(*one) for one in ask["records"]]


def _each(ask: Ask, several: list[Any], act: Callable[[Any], None]) -> Ask:
    wall, cpu, errors = [], [], []
    end = time.perf_counter() + ask.get("seconds", 1e9)
    for one in several:
        try:
            with _clocks() as taken:
                act(one)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            errors.append(_said(error))
            continue
        wall.append(taken["wall"])
        cpu.append(taken["cpu"])
        if time.perf_counter() > end:
            break
    return {"wall": wall, "cpu": cpu, "errors": errors}


@contextlib.contextmanager
def _clocks() -> Iterator[Ask]:
    taken: Ask = {}
    wall, cpu = time.perf_counter(), time.process_time()
    yield taken
    taken["cpu"] = 1000 * (time.process_time() - cpu)
    taken["wall"] = 1000 * (time.perf_counter() - wall)


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".strip()[:300]


def main() -> None:
    name, folder, vectors = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a system prints is no answer of ours
    known: Known = {}
    child = None
    for line in sys.stdin:
        try:
            if child is None:
                module = importlib.import_module(f"adapters.{name}")
                peer = module.Adapter(Path(folder), known, words=vectors == "words")
                peer.open()
                child = Child(peer, known)
            answer = child.answer(json.loads(line))
        except Exception as error:  # noqa: BLE001 - the parent says what went wrong
            answer = {"failed": _said(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
