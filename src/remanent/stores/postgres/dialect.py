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
