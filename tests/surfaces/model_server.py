"""A server that speaks as OpenAI's does: whatever shape is asked for, it fills it with few words."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKENS_IN, TOKENS_OUT = 1000, 100


class ModelServer(ThreadingHTTPServer):
    """`asked` fills with the requests; `status` other than 200 is what it fails with."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.asked: list[dict[str, Any]] = []
        self.status = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Answering(BaseHTTPRequestHandler):
    server: ModelServer

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(request)
        said = json.dumps(answer_to(request) if self.server.status == 200 else _ERROR).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named so by the library
        """Tests are silent."""


_ERROR = {"error": {"message": "no", "type": "invalid_request_error"}}


_FOUND = {
    "things": [
        {
            "kind": "person",
            "name": "Maria Berg",
            "confidence": 9,
            "points": ["lives in Oslo", "works at Northwind", "plays the cello"],
        }
    ],
    "beliefs": [{"statement": "Maria Berg lives in Oslo.", "line": 1}],
}
_NOTE = {"name": "Maria Berg", "content": "Plays the cello in the evening.", "lifetime": "forever"}


def answer_to(request: dict[str, Any]) -> dict[str, Any]:
    tools = {one["function"]["name"]: one["function"] for one in request.get("tools", ())}
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if "finish" in tools:  # an agent: it writes what it may, and is done
        calls = [("add_note_to_person", _NOTE)] if "add_note_to_person" in tools else []
        message["tool_calls"] = [_call(*one) for one in [*calls, ("finish", {})]]
    elif tools:
        ((name, shape),) = tools.items()
        message["tool_calls"] = [_call(name, filled(shape["parameters"], shape["parameters"]))]
    else:
        schema = request.get("response_format", {}).get("json_schema", {}).get("schema", {})
        message["content"] = json.dumps(filled(schema, schema)) if schema else "pong"
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if tools else "stop"}
    usage = {
        "prompt_tokens": TOKENS_IN,
        "completion_tokens": TOKENS_OUT,
        "total_tokens": TOKENS_IN + TOKENS_OUT,
    }
    return {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [choice],
        "usage": usage,
    }


_SMALLEST: dict[str, Any] = {"array": [], "integer": 1, "number": 1, "boolean": False}


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"call-{name}", "type": "function", "function": function}


def filled(schema: dict[str, Any], whole: dict[str, Any]) -> Any:
    """A small value of that shape."""
    if "$ref" in schema:
        return filled(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    if "anyOf" in schema:
        return filled(schema["anyOf"][0], whole)
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        fields = schema.get("properties", {})
        if "things" in fields:
            return _FOUND
        return {name: filled(fields[name], whole) for name in schema.get("required", ())}
    return _SMALLEST.get(schema.get("type", ""), "A garden in Oslo.")


@contextmanager
def serving() -> Iterator[ModelServer]:
    with ModelServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
