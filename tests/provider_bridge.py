"""A server that speaks as Anthropic's and as Google's do, on the wire.

What it is asked it puts, in OpenAI's form, to `answer`: a script of a test, or a real model behind another
server. What comes back goes out in the form in which it was asked. Whatever a real one would refuse
(no version, a tool result nobody asked for, a turn out of turn) it refuses.
"""

from __future__ import annotations

import json
import re
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

KEY = "sk-right-5f3c0a9e77aa41d2"

Request = dict[str, Any]
Answer = Callable[[Request], Request]


class Refused(Exception):
    """The request is none of the protocol."""


class Bridge(ThreadingHTTPServer):
    """`plan` holds the statuses of the next answers, 200 once it is empty; `asked` fills with requests as
    they came, and `spent` is added to what each answer says it used."""

    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Wire)
        self.answer = answer
        self.plan: list[int] = []
        self.asked: list[tuple[str, Request]] = []
        self.spent: Request = {}
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Wire(BaseHTTPRequestHandler):
    server: Bridge
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.asked.append((self.path, given))
            status = self.server.plan.pop(0) if self.server.plan else 200
        speaks = ANTHROPIC if self.path.startswith("/v1/messages") else GOOGLE
        if not speaks.knows(self.path):
            return self._say(404, speaks.error(404))
        if not speaks.is_allowed({name.lower(): value for name, value in self.headers.items()}):
            return self._say(*speaks.bad_key)
        if status != 200:
            return self._say(status, speaks.error(status))
        try:
            asked = speaks.read(self.path, given)
        except (Refused, KeyError, TypeError) as problem:
            return self._say(400, {"error": {"message": f"{type(problem).__name__}: {problem}"}})
        return self._say(200, speaks.write(self.server.answer(asked), self.server.spent))

    def _say(self, status: int, body: Request) -> None:
        told = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def bridging(answer: Answer) -> Iterator[Bridge]:
    with Bridge(answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def forwarded(url: str, model: str) -> Answer:
    """Puts every request to the model of that name behind a server that speaks as OpenAI's does."""

    def answer(request: Request) -> Request:
        told = json.dumps({**request, "model": model}).encode()
        asked = urllib.request.Request(
            f"{url}/chat/completions", told, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(asked, timeout=600) as said:
            found: Request = json.load(said)
        return found

    return answer


def _call(name: str, identity: str, arguments: Any) -> Request:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": identity, "type": "function", "function": function}


def _function(name: str, description: str, parameters: Request) -> Request:
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def _shape(schema: Request) -> Request:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}


def _said(answer: Request) -> tuple[Request, str, Request]:
    """Message, reason and usage of an answer in OpenAI's form."""
    choice = answer["choices"][0]
    return choice["message"], choice.get("finish_reason") or "stop", answer["usage"]


class _Anthropic:
    """The Messages API: `POST /v1/messages`."""

    bad_key = (
        401,
        {
            "type": "error",
            "error": {"type": "authentication_error", "message": "invalid x-api-key"},
        },
    )
    _kinds: ClassVar = {404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
    _reasons: ClassVar = {
        "tool_calls": "tool_use",
        "length": "max_tokens",
        "content_filter": "refusal",
    }

    def knows(self, path: str) -> bool:
        return path.partition("?")[0] == "/v1/messages"

    def is_allowed(self, headers: dict[str, str]) -> bool:
        if "anthropic-version" not in headers:
            return False
        return KEY in (headers.get("x-api-key"), headers.get("authorization", "")[7:])

    def error(self, status: int) -> Request:
        kind = self._kinds.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": "no"}, "request_id": "req_1"}

    def read(self, _: str, given: Request) -> Request:
        messages = [{"role": "system", "content": _joined(given.get("system", ""))}]
        called: set[str] = set()
        for one in given["messages"]:
            messages += self._turn(one, called)
        asked: Request = {"model": given["model"], "messages": messages}
        asked["max_tokens"] = given["max_tokens"]
        if given.get("tools"):
            asked["tools"] = [
                _function(one["name"], one.get("description", ""), one["input_schema"])
                for one in given["tools"]
            ]
            choice = given.get("tool_choice", {"type": "auto"})["type"]
            asked["tool_choice"] = {"any": "required", "auto": "auto"}[choice]
        shape = given.get("output_config", {}).get("format")
        if shape:
            asked["response_format"] = _shape(shape["schema"])
        return asked

    def _turn(self, one: Request, called: set[str]) -> Iterator[Request]:
        parts = one["content"]
        parts = [{"type": "text", "text": parts}] if isinstance(parts, str) else parts
        calls = [part for part in parts if part["type"] == "tool_use"]
        called.update(part["id"] for part in calls)
        for part in parts:
            if part["type"] == "tool_result":
                if part["tool_use_id"] not in called:
                    raise Refused("a tool_result without its tool_use")
                told = {"role": "tool", "content": _joined(part.get("content", ""))}
                yield {**told, "tool_call_id": part["tool_use_id"]}
        text = _joined([part for part in parts if part["type"] == "text"])
        if text or calls:
            made: Request = {"role": one["role"], "content": text or None}
            if calls:
                made["tool_calls"] = [_call(c["name"], c["id"], c["input"]) for c in calls]
            yield made

    def write(self, answer: Request, spent: Request) -> Request:
        message, reason, usage = _said(answer)
        content: list[Request] = []
        if message.get("content"):
            content.append({"type": "text", "text": message["content"]})
        for number, one in enumerate(message.get("tool_calls") or ()):
            wanted = one["function"]
            made = {
                "type": "tool_use",
                "id": f"toolu_{number}_{id(answer)}",
                "name": wanted["name"],
            }
            content.append({**made, "input": _object(wanted["arguments"])})
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "as-asked",
            "content": content,
            "stop_reason": self._reasons.get(reason, "end_turn"),
            "stop_sequence": None,
            "usage": {
                "input_tokens": usage["prompt_tokens"],
                "output_tokens": usage["completion_tokens"],
                **spent,
            },
        }


class _Google:
    """`POST /v1beta/models/MODEL:generateContent`."""

    bad_key = (
        400,
        {
            "error": {
                "code": 400,
                "message": "API key not valid. Please pass a valid API key.",
                "status": "INVALID_ARGUMENT",
                "details": [
                    {
                        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                        "reason": "API_KEY_INVALID",
                        "domain": "googleapis.com",
                    }
                ],
            }
        },
    )
    _kinds: ClassVar = {404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
    _path = re.compile(r"/v1(?:beta)?/models/([^:/]+):generateContent")
    _reasons: ClassVar = {"length": "MAX_TOKENS", "content_filter": "SAFETY"}

    def knows(self, path: str) -> bool:
        return self._path.fullmatch(path) is not None

    def is_allowed(self, headers: dict[str, str]) -> bool:
        return headers.get("x-goog-api-key") == KEY

    def error(self, status: int) -> Request:
        kind = self._kinds.get(status, "INTERNAL")
        return {"error": {"code": status, "message": "no", "status": kind}}

    def read(self, path: str, given: Request) -> Request:
        found = self._path.fullmatch(path)
        assert found is not None
        parts = given.get("systemInstruction", {"parts": []})["parts"]
        messages: list[Request] = [{"role": "system", "content": _joined(parts)}]
        for one in given["contents"]:
            messages += self._turn(one)
        wishes = given.get("generationConfig", {})
        asked: Request = {"model": found[1], "messages": messages}
        asked["max_tokens"] = wishes["maxOutputTokens"]
        offered = [one for tool in given.get("tools", ()) for one in tool["functionDeclarations"]]
        if offered:
            asked["tools"] = [
                _function(one["name"], one["description"], one["parameters_json_schema"])
                for one in offered
            ]
            mode = given["toolConfig"]["functionCallingConfig"]["mode"]
            asked["tool_choice"] = {"ANY": "required", "AUTO": "auto", "VALIDATED": "auto"}[mode]
        if "responseJsonSchema" in wishes:
            if wishes["responseMimeType"] != "application/json":
                raise Refused("a schema without its type")
            asked["response_format"] = _shape(wishes["responseJsonSchema"])
        return asked

    def _turn(self, one: Request) -> Iterator[Request]:
        calls = [part["functionCall"] for part in one["parts"] if "functionCall" in part]
        for part in one["parts"]:
            if "functionResponse" in part:
                told = part["functionResponse"]
                made = {"role": "tool", "content": json.dumps(told["response"])}
                yield {**made, "tool_call_id": told.get("id") or told["name"]}
        text = _joined([part for part in one["parts"] if "text" in part])
        if text or calls:
            role = {"user": "user", "model": "assistant"}[one["role"]]
            made = {"role": role, "content": text or None}
            if calls:
                made["tool_calls"] = [
                    _call(c["name"], c.get("id") or c["name"], c["args"]) for c in calls
                ]
            yield made

    def write(self, answer: Request, spent: Request) -> Request:
        message, reason, usage = _said(answer)
        parts: list[Request] = []
        if message.get("content"):
            parts.append({"text": message["content"]})
        for one in message.get("tool_calls") or ():
            wanted = one["function"]
            made = {"name": wanted["name"], "args": _object(wanted["arguments"])}
            parts.append({"functionCall": made})
        return {
            "candidates": [
                {
                    "content": {"role": "model", "parts": parts},
                    "finishReason": self._reasons.get(reason, "STOP"),
                    "index": 0,
                }
            ],
            "usageMetadata": {
                "promptTokenCount": usage["prompt_tokens"],
                "candidatesTokenCount": usage["completion_tokens"],
                "totalTokenCount": usage["prompt_tokens"] + usage["completion_tokens"],
                **spent,
            },
            "modelVersion": "as-asked",
            "responseId": "response-1",
        }


def _joined(parts: Any) -> str:
    if isinstance(parts, str):
        return parts
    return "\n\n".join(one["text"] for one in parts)


def _object(arguments: str) -> Any:
    try:
        found = json.loads(arguments)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


ANTHROPIC, GOOGLE = _Anthropic(), _Google()
