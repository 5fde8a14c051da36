"""A real HTTP server that speaks OpenAI's embeddings API, with vectors of hashed words.

It misbehaves on request: `plan` holds what to do with the next requests, one name each.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from remanent.testing import HashEmbedder

MODEL, KEY = "hash-words", "sk-right-and-secret-0123456789"
_HASH = HashEmbedder()


def _vectors(texts: list[str]) -> list[dict[str, Any]]:
    rows = _HASH.embed(texts)
    # Backwards, and three times too long: order and length are the client's business.
    return [
        {"object": "embedding", "index": place, "embedding": [3 * float(x) for x in rows[place]]}
        for place in reversed(range(len(texts)))
    ]


def _answered(texts: list[str]) -> dict[str, Any]:
    """As OpenAI answers; a token is a word here."""
    words = sum(len(one.split()) for one in texts)
    usage = {"prompt_tokens": words, "total_tokens": words}
    return {"object": "list", "data": _vectors(texts), "model": MODEL, "usage": usage}


def _spoilt(change: Callable[[list[dict[str, Any]]], Any]) -> Callable[[list[str]], bytes]:
    return lambda texts: json.dumps({"data": change(_vectors(texts))}).encode()


GARBAGE: dict[str, Callable[[list[str]], bytes]] = {
    "uncounted": _spoilt(lambda data: data),
    "not-json": lambda _: b"<html>502</html>",
    "no-data": lambda _: b'{"object": "list"}',
    "not-an-object": lambda _: b"[1, 2]",
    "too-few": _spoilt(lambda data: data[1:]),
    "misnumbered": _spoilt(lambda data: [{**one, "index": 7} for one in data]),
    "words": _spoilt(lambda data: [{**one, "embedding": ["a", "b"]} for one in data]),
    "null": _spoilt(lambda data: [{**one, "embedding": None} for one in data]),
    "zeros": _spoilt(lambda data: [{**one, "embedding": [0.0] * 64} for one in data]),
    "nan": _spoilt(lambda data: [{**one, "embedding": [float("nan")] * 64} for one in data]),
    "ragged": _spoilt(lambda data: [{**one, "embedding": one["embedding"][: 9 - n]} for n, one in enumerate(data)]),
    "short": _spoilt(lambda data: [{**one, "embedding": one["embedding"][:32]} for one in data]),
}  # fmt: skip


class Served(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.plan: list[str] = []
        self.asked: list[list[str]] = []
        self.go_on = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no trouble of ours."""


class _Handler(BaseHTTPRequestHandler):
    server: Served

    def do_POST(self) -> None:  # noqa: PLR0911 - one for each way to answer
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = asked["input"]
        self.server.asked.append(texts)
        deed = self.server.plan.pop(0) if self.server.plan else ""
        if self.headers.get("Authorization") != f"Bearer {KEY}":
            return self._answer(401, b'{"error": {"message": "bad key sk-right"}}')
        if asked["model"] != MODEL or self.path != "/v1/embeddings":
            return self._answer(404, b"{}")
        if deed == "hang":
            self.server.go_on.wait(600)
        if deed == "hang-up":
            self.close_connection = True
            return self.connection.close()
        if deed == "away":
            return self._answer(307, b"", {"Location": "http://127.0.0.1:9/elsewhere"})
        if deed.isdigit():
            headers = {"Retry-After": "7"} if deed == "429" else {}
            return self._answer(int(deed), b'{"error": "no"}', headers)
        if deed in GARBAGE:
            return self._answer(200, GARBAGE[deed](texts))
        return self._answer(200, json.dumps(_answered(texts)).encode())

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Silence."""


@contextmanager
def serving() -> Iterator[Served]:
    """The server, on a port of its own, until the end of the block."""
    server = Served()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.go_on.set()
        server.shutdown()
        thread.join()
        server.server_close()
