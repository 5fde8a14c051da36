"""The description of the API, for whoever makes a client of it: names, examples, tags, servers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from api_world import World
from jsonschema import Draft202012Validator
from test_http_verbs import operations


@pytest.fixture(scope="module")
def document(still: World) -> dict[str, Any]:
    return still.app.openapi()


def test_operations_are_called_as_a_person_would_call_them(document: dict[str, Any]) -> None:
    names = {f"{method} {path}": one["operationId"] for method, path, one in operations(document)}

    assert len(set(names.values())) == len(names)
    assert names["POST /v1/sources/{key}/undo"] == "undo_source"
    assert names["POST /v1/sources"] == "add_source"
    assert names["POST /v1/search"] == "search"
    assert names["GET /v1/beliefs"] == "list_beliefs"
    for name in names.values():
        assert re.fullmatch(r"[a-z]+(_[a-z]+){0,3}", name)
        assert not re.match(r"(post|put|patch|delete)_(?!team)", name), name
        assert not re.search(r"_(key|id)_", name), name


def test_tags_and_servers_say_what_they_are(document: dict[str, Any]) -> None:
    used = {tag for _, _, one in operations(document) for tag in one["tags"]}
    told = {one["name"]: one["description"] for one in document["tags"]}

    assert used == told.keys()
    assert all(text.endswith(".") for text in told.values())
    assert document["servers"]


def test_no_schema_is_named_by_its_use_or_by_a_module(document: dict[str, Any]) -> None:
    for name in document["components"]["schemas"]:
        assert not re.search(r"-(Input|Output)$|^remanent__", name), name


def _contents(one: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Whatever an operation takes and gives when all is well."""
    for parameter in one.get("parameters", ()):
        if parameter.get("required"):
            yield parameter["name"], parameter
    yield from one.get("requestBody", {}).get("content", {}).items()
    (good,) = (told for code, told in one["responses"].items() if code[0] == "2")
    yield from good["content"].items()


def test_every_operation_has_examples_that_fit_their_schemas(document: dict[str, Any]) -> None:
    wrong: list[str] = []
    for _, _, one in operations(document):
        for where, content in _contents(one):
            assert "example" in content, (one["operationId"], where)
            schema = {**content.get("schema", {}), "components": document["components"]}
            errors = Draft202012Validator(schema).iter_errors(content["example"])
            wrong += [f"{one['operationId']} {where} {error.json_path}" for error in errors]
    assert not wrong
