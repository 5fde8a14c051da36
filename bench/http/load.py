"""The clients: every one has a connection and a mix of its own, and asks as fast as it is answered.

Prints what each request took, as JSON. They write and read bare sockets: what they cost themselves is taken
from the server, for they share its cores.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections import defaultdict
from typing import Final

from bench.http.mix import Asked, Mix

_PATHS: Final = {
    "search": ("/v1/search", "query"),
    "recall": ("/v1/recall", "query"),
    "context": ("/v1/context", "message"),
    "remember": ("/v1/remember", "text"),
    "add": ("/v1/sources", "content"),
}
_LENGTH: Final = b"\r\ncontent-length: "
_END: Final = b"\r\n\r\n"


class Client:
    """One connection that is kept, and a key."""

    def __init__(self, port: int, source: str, key: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._source = source
        self._head = f" HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\n"

    def ask(self, request: Asked) -> int:
        """The status that a request is answered with; all of the answer is read."""
        self._socket.sendall(self._written(request))
        return self._status()

    def _written(self, request: Asked) -> bytes:
        if request.verb == "read":
            return f"GET /v1/sources/{self._source}{self._head}\r\n".encode()
        path, field = _PATHS[request.verb]
        body = json.dumps({field: request.text}).encode()
        about = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return f"POST {path}{self._head}{about}\r\n".encode() + body

    def _status(self) -> int:
        got = b""
        while _END not in got:
            got += self._more()
        head, _, body = got.partition(_END)
        _, _, length = head.lower().partition(_LENGTH)
        left = int(length.split(b"\r\n", 1)[0]) - len(body)
        while left > 0:
            left -= len(self._more())
        return int(head.split(b" ", 2)[1])

    def _more(self) -> bytes:
        got = self._socket.recv(1 << 16)
        if not got:
            raise ConnectionError("the server hung up")
        return got


def main(port: int, source: str, key: str, clients: int, seconds: float) -> None:
    taken: dict[str, list[float]] = defaultdict(list)
    errors: list[str] = []
    before, end = time.process_time(), time.perf_counter() + seconds

    def client(number: int) -> None:
        mix, one = Mix(number), Client(port, source, key)
        while time.perf_counter() < end:
            request, start = mix.next(), time.perf_counter()
            try:
                status = one.ask(request)
            except OSError as error:
                errors.append(repr(error))
                return
            taken[request.verb].append(1000 * (time.perf_counter() - start))
            if status >= 400:
                errors.append(f"{request.verb}: {status}")

    threads = [threading.Thread(target=client, args=(one,)) for one in range(clients)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    told = {"taken": taken, "errors": errors, "seconds": seconds}
    sys.stdout.write(json.dumps({**told, "cpu": time.process_time() - before}))


if __name__ == "__main__":
    port, source, key, clients, seconds = sys.argv[1:]
    main(int(port), source, key, int(clients), float(seconds))
