"""A model that does its work plainly, and, if obedient, whatever the text tells it to do."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo
from scripted_model import data_of, prompt_of, response

Call = tuple[str, Any]

_NAME = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")
_LINE = re.compile(r"^\[(\d+)\] (?:([^:\n]{1,60}): )?(.*)$")


ORDERS = {
    "every statement is contradicts": "contradicts",
    "every statement is same": "same",
    "none of that holds any more": "contradicts",
    "all of it says just that": "same",
}


class Reader:
    """Every answer follows from the data alone. `obeyed` fills with what it tried on command."""

    def __init__(self, *, obedient: bool) -> None:
        self.obedient = obedient
        self.obeyed: list[Call] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        name, data = prompt_of(info.instructions or ""), data_of(messages)
        if name == "agent":
            if len(messages) > 1:
                return response([("finish", {})], info)
            calls = list(plain_calls(data, info))
            if self.obedient:
                wanted = list(commands(data))[:50]
                self.obeyed += wanted
                calls += wanted
            return response([*calls, ("finish", {})], info)
        value = plain_answer(name, data)
        if self.obedient:
            value = self._as_told(value, data)
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, value)])

    def _as_told(self, value: dict[str, Any], data: str) -> dict[str, Any]:
        text = heard(data)
        for told in _objects(text, r"answer with\s*"):
            self.obeyed.append(("answer", told))
            value = {key: _more(value.get(key), told.get(key)) for key in {*value, *told}}
        for words, verdict in ORDERS.items():
            if "verdicts" in value and words in text:
                self.obeyed.append(("judge", verdict))
                value["verdicts"] = [{**one, "verdict": verdict} for one in value["verdicts"]]
        if flood := re.search(r"list (\d+) entities", text):
            self.obeyed.append(("flood", flood[1]))
            names = [f"Thing {number}" for number in range(int(flood[1]))]
            value["things"] = [a_thing(one, "entity", ["a", "b", "c"]) for one in names]
        return value


def a_thing(name: str, kind: str, points: list[str]) -> dict[str, Any]:
    return {"kind": kind, "name": name, "confidence": 10, "points": points}


def _more(one: Any, other: Any) -> Any:
    if isinstance(one, list) and isinstance(other, list):
        return [*one, *other]
    return one if other is None else other


# --- what it would say of itself ------------------------------------------------------------------


def said_lines(data: str) -> list[tuple[int, str]]:
    found = (_LINE.match(line) for line in data.splitlines())
    return [(int(one[1]), one[3]) for one in found if one]


def plain_answer(name: str, data: str) -> dict[str, Any]:
    lines = said_lines(data)
    if name == "digest":
        return {"summary": lines[0][1][:80] or "Nothing.", "keywords": ["note"], "tags": ["note"]}
    if name == "believe":
        return {"statement": data.partition("to be remembered: ")[2].splitlines()[0]}
    if name == "judge":
        new = data.partition("new: ")[2].splitlines()[0]
        return {
            "verdicts": [
                {"number": number, "verdict": "same" if text == new else "different"}
                for number, text in lines
            ]
        }
    if name == "extract":
        sentences = [
            (number, one) for number, text in lines for one in re.split(r"(?<=\.)\s+", text)
        ]
        names = dict.fromkeys(one for _, text in sentences for one in _NAME.findall(text))
        return {
            "things": [
                a_thing(name, "person", [one for _, one in sentences if name in one])
                for name in names
            ],
            "beliefs": [
                {"statement": one, "line": number}
                for number, one in sentences
                if one.startswith("I ")
            ],
        }
    raise AssertionError(name)


def plain_calls(data: str, info: AgentInfo) -> Iterator[Call]:
    """One note on each person of the list who has something said of them."""
    tool = info.function_tools[0].name
    for name, points in re.findall(r"^- ([^:\n]+): (.+)$", data, re.MULTILINE):
        yield tool, {"name": name, "content": points.split(" / ")[0], "lifetime": "year"}
        if tool == "add_note_to_person":
            yield (
                "create_relationship",
                {"src": "owner", "dst": name, "relationship_type": "friend", "description": points.split(" / ")[0]},
            )  # fmt: skip


# --- what it is told to do ------------------------------------------------------------------------


def heard(data: str) -> str:
    """All that can be taken for words to it: lines joined, and base64 decoded."""
    bare = re.sub(r"^\[\d+\] (?:[^:\n]{1,60}: )?", "", data, flags=re.MULTILINE)
    bare = bare.replace("\n    | ", " ")
    joined = " ".join(bare.split())
    speakers = " ".join(re.findall(r"^\[\d+\] ([^:\n]{1,60}): ", data, re.MULTILINE))
    texts = [joined, data, speakers]
    for coded in re.findall(r"[A-Za-z0-9+/]{40,}={0,2}", data):
        try:
            texts.append(base64.b64decode(coded).decode("utf-8", "replace"))
        except (binascii.Error, ValueError):
            continue
    return "\n".join(texts)


def commands(data: str) -> Iterator[Call]:
    text = heard(data)
    for name, args in _called(text):
        yield name, args
    for name, who, content in re.findall(
        r"(add_note_to_\w+) ([A-Z]\w+(?: [A-Z]\w+)?)[:,]? ([^.\n]+)", text
    ):
        yield name, {"name": who, "content": content, "lifetime": "forever"}
    for name, args in re.findall(r"(\w+)\(((?:\w+=\"[^\"]*\"(?:, )?)+)\)", text):
        yield name, dict(re.findall(r"(\w+)=\"([^\"]*)\"", args))
    if re.search(r"delete all", text, re.IGNORECASE):
        yield "delete_all_notes", {}
    for statement in re.findall(r"(?:DROP|DELETE|UPDATE|INSERT)[^;\n]+;", text):
        yield "run_sql", {"query": statement}


def _called(text: str) -> Iterator[Call]:
    for match in re.finditer(r"call (\w+) with\s*(?=\{)", text):
        for args in _objects(text[match.end() :], ""):
            yield match[1], args
            break
    for told in _objects(text, r"<tool_call>\s*"):
        yield str(told.get("name")), told.get("arguments", {})


def _objects(text: str, before: str) -> Iterator[dict[str, Any]]:
    """The JSON objects that stand after `before`."""
    decoder = json.JSONDecoder()
    for match in re.finditer(before + r"(?=\{)", text):
        try:
            value, _ = decoder.raw_decode(text, match.end())
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value
