"""Scopes as SQL: the one place where the rule of who may read what becomes a condition."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, Final, NamedTuple

from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.errors import Forbidden

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
    """The values of a scoped statement: who asks, and `others` by name."""
    return {
        "user": scope.user_id,
        "tokens": json.dumps(scope.tokens),
        "left": json.dumps(left_teams(scope)),
        "narrowed": scope.narrowed_to,
        "hidden": json.dumps(sorted(scope.hidden)),
        **others,
    }


class Shut(NamedTuple):
    """The teams whose memories a caller does not see, and the sources, whatever their readers say."""

    left: frozenset[str] = frozenset()
    narrowed_to: str | None = None
    hidden: frozenset[str] = frozenset()

    @property
    def any(self) -> bool:
        """Whether there may be such teams or sources at all."""
        return bool(self.left or self.hidden) or self.narrowed_to is not None

    def hides(self, team: str | None, owner_key: str) -> bool:
        """Whether what is this team's, or leads to that node, is not seen; what is of no team is."""
        if owner_key in self.hidden:
            return True
        if team is None:
            return False
        return team in self.left or self.narrowed_to not in (None, team)


def shut_to(scope: Scope) -> Shut:
    """What stays shut to the caller."""
    return Shut(frozenset(left_teams(scope)), scope.narrowed_to, scope.hidden)


def left_teams(scope: Scope) -> list[str]:
    """The teams whose memories the caller has lost: left, and not joined again."""
    return sorted(scope.left - scope.teams)


def insist_own(scope: Scope, user_id: str, what: str) -> None:
    """Nobody writes another user's memory."""
    if user_id != scope.user_id:
        raise Forbidden(f"{what}: it is {user_id!r}'s, and {scope.user_id!r} may not write it")


def text_scope(readers: Iterable[str], team: str | None, kind: Kind) -> str:
    """What the full-text index keeps beside an entry's text, to be matched by `text_filter`."""
    words = [*(_word("r", token) for token in readers), _word("k", kind.value)]
    if team is not None:
        words.append(_word("g", team))
    return " ".join(words)


def text_filter(scope: Scope, kinds: Sequence[Kind], terms: Sequence[str]) -> str:
    """A full-text query for visible entries of these kinds (none: of all) with any of `terms`; what a
    narrowed scope does not see, or one that hides, is for the statement around it to leave out."""
    parts = [_any_of("scope", [_word("r", token) for token in scope.tokens])]
    if kinds:
        parts.append(_any_of("scope", [_word("k", kind.value) for kind in kinds]))
    parts.append(_any_of("text", terms))
    wanted = " AND ".join(parts)
    lost = [_word("g", team) for team in left_teams(scope)]
    return f"({wanted}) NOT {_any_of('scope', lost)}" if lost else wanted


def _any_of(column: str, words: Sequence[str]) -> str:
    quoted = " OR ".join(f'"{word}"' for word in words)
    return f"{column} : ({quoted})"


def _word(sort: str, name: str) -> str:
    # Letters and digits only, and a digit last, so that neither tokenizer nor stemmer alters it.
    return f"{sort}{hashlib.blake2b(name.encode(), digest_size=12).hexdigest()}0"
