"""The same mix on the memory itself, in threads of one process; prints its figures as JSON."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import defaultdict

from bench.http.mix import SHARES, Asked, Mix
from remanent import Memory, UserMemory


def main(path: str, source: str, clients: int, seconds: float) -> None:
    taken: dict[str, list[float]] = defaultdict(list)
    errors: list[str] = []
    with Memory.open(path) as memory:
        me = memory.user("ada", create=False)
        for verb in SHARES:  # weights are loaded when first needed
            ask(me, Asked(verb, "warm up"), source)
        stop = threading.Event()
        worker = threading.Thread(target=_work, args=(memory, stop), daemon=True)
        worker.start()
        end = time.perf_counter() + seconds

        def client(number: int) -> None:
            mix = Mix(number)
            while time.perf_counter() < end:
                request, start = mix.next(), time.perf_counter()
                try:
                    ask(me, request, source)
                except Exception as error:  # noqa: BLE001 - counted, and told
                    errors.append(repr(error))
                taken[request.verb].append(1000 * (time.perf_counter() - start))

        threads = [threading.Thread(target=client, args=(one,)) for one in range(clients)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        stop.set()
        worker.join()
    sys.stdout.write(json.dumps({"taken": taken, "errors": errors, "seconds": seconds}))


def ask(me: UserMemory, request: Asked, source: str) -> None:
    match request.verb:
        case "search":
            me.search(request.text)
        case "recall":
            me.recall(request.text)
        case "context":
            me.context(request.text)
        case "read":
            me.read(source)
        case "remember":
            me.remember(request.text)
        case _:
            me.add(request.text)


def _work(memory: Memory, stop: threading.Event) -> None:
    while not stop.wait(1.0):
        memory.work(stop=stop.is_set)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
