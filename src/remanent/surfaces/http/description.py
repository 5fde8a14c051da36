"""The description of the API (OpenAPI 3.1), with an example of every request and every answer.

Examples follow from the schemas, and their words from the table of operations.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from remanent.surfaces.http.problems import Problem
from remanent.surfaces.operations import GROUPS
from remanent.surfaces.operations.schema import TURN

ABOUT: Final = """Long-term memory for agents and people, over HTTP.

Every request needs a key: `Authorization: Bearer rmn_...` (or `X-API-Key`). A key is one user's, or a
service's, which names the user by `Remanent-User`. Errors are `application/problem+json` (RFC 9457).
Times without an offset are in the user's time zone; a bare date is its beginning, or its end where a time
up to which is asked for.
"""
_SCHEMES: Final = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "A key: `rmn_...`."},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}
_SERVERS: Final = [{"url": "/", "description": "The server that this description came from."}]
_JSON: Final = "application/json"
_REF: Final = "#/components/schemas/"
_DEEPEST: Final = 4  # lists and what may be null are left out below
_FORMATS: Final = {"date-time": "2026-05-04T09:00:00Z", "date": "2026-05-04", "duration": "PT1H"}
_ALIKE: Final = (
    ("key", "key"),
    ("src", "key"),
    ("dst", "into"),
    ("by", "user_id"),
    ("actor", "user_id"),
)
_TOLD: Final = frozenset({"examples", "enum", "type", "const"})


def document(app: FastAPI) -> dict[str, Any]:
    """The description of the API, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            servers=_SERVERS,
            tags=[{"name": group.tag, "description": group.says} for group in GROUPS],
        )
        components = made.setdefault("components", {})
        components["securitySchemes"] = _SCHEMES
        problem = Problem.model_json_schema(ref_template=f"{_REF}{{model}}")
        components.setdefault("schemas", {}).update(problem.pop("$defs"))
        components["schemas"]["Problem"] = problem
        made = _plainly_named(made)
        _add_examples(made)
        app.openapi_schema = made
    return app.openapi_schema


def _plainly_named(made: dict[str, Any]) -> dict[str, Any]:
    """Schemas that share a name are told apart by what they are of (`StoryLevel`), not by our modules."""
    schemas, text = made["components"]["schemas"], json.dumps(made)
    for name in [one for one in schemas if "__" in one.partition("remanent")[2]]:
        *modules, kind = name.split("__")
        of = next(one for one in reversed(modules) if one not in ("model", "rules"))
        twins = [one for one in (f"{kind}-Input",) if schemas.get(one) == schemas[name]]
        for old in (name, *twins):
            text = text.replace(f'"{old}"', f'"{of.title()}{kind}"')
            text = text.replace(f'"{_REF}{old}"', f'"{_REF}{of.title()}{kind}"')
    plain: dict[str, Any] = json.loads(text)
    return plain


def _add_examples(made: dict[str, Any]) -> None:
    writer = _Writer(made["components"]["schemas"])
    for operation in (one for path in made["paths"].values() for one in path.values()):
        for parameter in operation.get("parameters", ()):
            if parameter.get("required"):
                parameter["example"] = writer.example(parameter["schema"], parameter["name"])
        good = (one for code, one in operation["responses"].items() if code.startswith("2"))
        for part in (operation.get("requestBody", {}), *good):
            contents = part.get("content", {})
            if len(contents) > 1 and contents.get(_JSON, {}).get("schema") == {}:
                del contents[_JSON]  # the framework's own idea of what is no JSON
            for media, content in contents.items():
                if "example" not in content:
                    content["example"] = writer.example(content["schema"], media)


class _Writer:
    """Writes an example of a schema; `words` are those that the table gives to fields of that name."""

    def __init__(self, schemas: Mapping[str, Any]) -> None:
        params = [one for group in GROUPS for op in group.ops for one in op.params]
        self._schemas = schemas
        self._words = {one.field: one.example for one in (*params, *TURN.fields) if one.example}

    def example(self, schema: Mapping[str, Any], name: str, depth: int = 0) -> Any:
        schema = self._bare(schema, depth)
        given = schema.get("examples") or schema.get("enum")
        match schema.get("type"):
            case _ if given:
                return given[0]
            case "object":
                return self._fields(schema, depth)
            case "array":
                is_left_out = depth > _DEEPEST and not schema.get("minItems")
                return [] if is_left_out else [self.example(schema["items"], name, depth + 1)]
            case _:
                return self._value(schema, name)

    def _bare(self, schema: Mapping[str, Any], depth: int) -> Mapping[str, Any]:
        """What a reference leads to, and the first of several."""
        while not _TOLD & schema.keys():
            options = schema.get("anyOf") or schema.get("oneOf") or [{"const": None}]
            is_left_out = depth > _DEEPEST and {"type": "null"} in options
            ref = schema.get("$ref", "").removeprefix(_REF)
            schema = self._schemas.get(ref, options[-1 if is_left_out else 0])
        return schema

    def _fields(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """What is needed, and what has words of its own; else the first there is."""
        fields = schema.get("properties", {})
        needed = schema.get("required", ())
        told = [one for one in fields if one in needed or "examples" in fields[one]]
        return {one: self.example(fields[one], one, depth + 1) for one in told or list(fields)[:1]}

    def _value(self, schema: Mapping[str, Any], name: str) -> Any:
        if schema.get("type") != "string":
            least = schema.get("default") or schema.get("minimum") or 1
            whole = int(least)
            plain = {"integer": whole, "number": least, "boolean": schema.get("default", True)}
            return plain.get(schema.get("type", ""), schema.get("const"))
        alike = next((of for end, of in _ALIKE if name.endswith(end)), name)
        word = self._words.get(name, self._words.get(alike))
        plain_word = word if isinstance(word, str) else name.replace("_", " ")
        return _FORMATS.get(schema.get("format", ""), plain_word)
