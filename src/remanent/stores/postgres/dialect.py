"""The dialect of PostgreSQL: what the shared statements say, as PostgreSQL takes it.

Most of SQLite's words are functions and operators of our own schema (see its first migration). What is
left is the way values are named, and a handful of words of syntax.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from remanent.stores.sql.database import Values

# Texts and comments stand as they are; what is for PostgreSQL alone is hidden in a comment.
_TOKEN: Final = re.compile(
    r"""'(?:[^']|'')*' | "[^"]*" | --[^\n]* | /\*pg (?P<ours>.*?)\*/ | :: |
    \?(?P<place>\d*) | :(?P<name>[a-z_]\w*) | % |
    \b(?P<schema>main|beside|temp)\.(?=\w)""",
    re.VERBOSE | re.DOTALL,
)
_REWRITTEN: Final = (
    # SQLite pins the order of a join so; our planner has better figures.
    (re.compile(r"\bCROSS JOIN ([\w.]+(?:\([^()]*\))? AS \w+\s+ON\b)"), r"JOIN \1"),
    (re.compile(r"\bINDEXED BY \w+"), ""),
    (re.compile(r"\bexp\("), "exp_or_nothing("),
    (re.compile(r"\bjson_array\("), "json_list("),
    (re.compile(r"\bINDEX temp\.(\w+) ON (\w+)"), r"INDEX \1 ON temp.\2"),
    (
        re.compile(r"\b(sort|key|name|body|how|fields|user_id|source_key) TEXT\b"),
        r'\1 TEXT COLLATE "C"',
    ),
)


@lru_cache(maxsize=2000)
def translated(sql: str, schema: str, beside: str = "") -> str:
    """The statement with values as the driver names them, and schemas by their own names."""
    for pattern, instead in _REWRITTEN:
        sql = pattern.sub(instead, sql)
    schemas = {"main": f'"{schema}".', "beside": f'"{beside}".', "temp": "pg_temp."}
    count = 0

    def written(found: re.Match[str]) -> str:
        nonlocal count
        if found["name"]:
            return f"%({found['name']})s"
        if found["place"] is not None:
            count += 1
            return f"%(p{found['place'] or count})s"
        if found["ours"]:
            return found["ours"]
        if found["schema"]:
            return schemas[found["schema"]]
        return found[0].replace("%", "%%")

    return _TOKEN.sub(written, sql)


def named(values: Values) -> Mapping[str, Any]:
    """The values of a statement, each by the name it has in the translation."""
    if isinstance(values, Mapping):
        return values
    return {f"p{number}": value for number, value in enumerate(values, 1)}


_PLANNED: Final = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")
_VALUE: Final = re.compile(r"%\((\w+)\)s")
_TYPES: Final = ((str, "text"), (int, "bigint"), (float, "float8"), (bytes, "bytea"))
_MOST_KEPT: Final = 400  # statements of a connection: each takes room on the server
_PLANNED_ANEW: Final = 2000  # calls after which tables may have grown out of their plans


class Prepared:
    """Statements that the server keeps planned for one connection. To plan one, with the policies of all
    its tables, takes it longer than most take to run."""

    def __init__(self) -> None:
        self._calls: dict[tuple[str, ...], str] = {}  # "" for what was asked but once
        self._count = 0  # of calls
        self._is_unsure = False

    def forget(self) -> None:
        """Begin anew: nobody knows which of them the server has."""
        self._calls.clear()
        self._is_unsure = True

    def call(self, text: str, values: Mapping[str, Any]) -> str:
        """What to send instead of the statement, with the same values. It is prepared when it comes for
        the second time; what is NULL is part of it, since alone it has no type."""
        types = _types(text, values)
        if types is None:
            return text
        key = (text, *types.values())
        call = self._calls.get(key)
        if call is None:
            if len(self._calls) >= _MOST_KEPT:
                self.forget()
            self._calls[key] = ""
            return text
        self._count += 1
        before = "DISCARD PLANS; " if self._count % _PLANNED_ANEW == 0 else ""
        if not call:
            name = f"s{self._count}"
            before += self._prepare(text, types, name)
            given = ", ".join(f"%({one})s" for one, type_ in types.items() if type_)
            call = self._calls[key] = f"EXECUTE {name}" + (f"({given})" if given else "")
        return before + call

    def _prepare(self, text: str, types: Mapping[str, str], name: str) -> str:
        before, self._is_unsure = "DEALLOCATE ALL; " if self._is_unsure else "", False
        typed = [one for one, type_ in types.items() if type_]
        places = {one: f"${number}" for number, one in enumerate(typed, 1)}
        body = _VALUE.sub(lambda found: places.get(found[1], "NULL"), text)
        given = ", ".join(types[one] for one in typed)
        return f"{before}PREPARE {name}" + (f"({given})" if given else "") + f" AS {body}; "


def _types(text: str, values: Mapping[str, Any]) -> dict[str, str] | None:
    """The types of the values of a statement, "" for NULL; None where it cannot be prepared."""
    names = _names(text)
    types = {name: _type(values[name]) for name in names or ()}
    known = {name: type_ for name, type_ in types.items() if type_ is not None}
    return known if names is not None and len(known) == len(types) else None


def _type(value: object) -> str | None:
    if value is None:
        return ""
    return next((name for type_, name in _TYPES if isinstance(value, type_)), None)


@lru_cache(maxsize=2000)
def _names(text: str) -> tuple[str, ...] | None:
    """The names of its values, if it is a single statement of the kind that is planned."""
    if not text.lstrip().startswith(_PLANNED) or ";" in text or "pg_temp." in text:
        return None
    return tuple(dict.fromkeys(_VALUE.findall(text)))
