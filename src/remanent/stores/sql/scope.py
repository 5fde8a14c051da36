"""Scopes as SQL: the one place where the rule of who may read what becomes a condition."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from functools import lru_cache
from typing import Any, Final

from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.scope import Scope
from remanent.errors import Forbidden
from remanent.stores.sql.plain_rows import bound

_VISIBLE: Final = """(
    CASE @.shared WHEN 0 THEN @.user_id = :user ELSE EXISTS (
        SELECT 1 FROM node_readers AS reader
        WHERE reader.node_id = @.id AND reader.token IN (SELECT value FROM json_each(:tokens))
    ) END
    AND (@.team_id IS NULL OR (
        @.team_id NOT IN (SELECT value FROM json_each(:left))
        AND (:narrowed IS NULL OR @.team_id = :narrowed)
    ))
    AND @.key NOT IN (SELECT value FROM json_each(:hidden))
)"""


LIFE: Final = tuple(one.name for one in fields(Lifecycle))
THING: Final = (*LIFE, "confidence", "created_at", "updated_at", "body")
_WRITTEN_OUT: Final = {
    "VISIBLE": _VISIBLE,
    "LIFE": ", ".join(f"@.{name}" for name in LIFE),
    "THING": ", ".join(f"@.{name}" for name in THING),
    "LINK": "@.user_id, @.kind, s.key, d.key, @.created_at, @.detail, @.weight",
    "ASSERTION": """@.user_id, o.key, @.kind, s.key, d.key, @.relationship_type, @.description, @.at,
       @.recorded_at, @.attitude, @.proximity, @.confidence, @.ended, @.single""",
}


def scoped(statement: str) -> str:
    """`statement` with what is short for more written out for the alias behind it.

    VISIBLE(alias): may the caller read that row of `nodes`? Run it with the values of `scope_values`.
    LIFE(alias) and THING(alias): the columns of a life, and of a node or relationship. LINK(alias) and
    ASSERTION(alias): those of a link or assertion between `s` and `d`, by the source `o`.
    """
    return re.sub(
        r"\b(VISIBLE|LIFE|THING|LINK|ASSERTION)\((\w+)\)",
        lambda found: _WRITTEN_OUT[found[1]].replace("@", found[2]),
        statement,
    )


def scope_values(scope: Scope, **others: Any) -> dict[str, Any]:
    """The values of a scoped statement: who asks, and `others` as `bound` has them."""
    return {**_who(scope), **bound(**others)}


@lru_cache(maxsize=256)  # one caller asks many things in a row
def _who(scope: Scope) -> dict[str, Any]:
    return {
        "user": scope.user_id,
        "tokens": json.dumps(scope.tokens),
        "left": json.dumps(sorted(scope.lost)),
        "narrowed": scope.narrowed_to,
        "hidden": json.dumps(sorted(scope.hidden)),
    }


def beyond(prefix: str) -> str:
    """What comes after every text that begins so."""
    return f"{prefix}\U0010ffff"


def insist_own(scope: Scope, user_id: str, what: str) -> None:
    """Nobody writes another user's memory."""
    if user_id != scope.user_id:
        raise Forbidden(f"{what}: it is {user_id!r}'s, and {scope.user_id!r} may not write it")
