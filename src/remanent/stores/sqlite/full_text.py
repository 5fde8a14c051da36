"""Full text in SQLite: an FTS5 table beside the entries, asked by scope and words at once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Final

from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.ports.index import Match, Within
from remanent.stores.engine.vectors import left_teams
from remanent.stores.sql.index import SqlIndex, search_terms

TEXT: Final = "INSERT INTO entry_text (rowid, scope, text) VALUES (?, ?, ?)"
UNTEXT: Final = "DELETE FROM entry_text WHERE rowid = ?"
_MATCH = """
WITH best (id, score) AS (
    SELECT rowid, -rank FROM entry_text WHERE entry_text MATCH ? ORDER BY rank LIMIT ?
)
SELECT e.key, e.kind, e.owner_key, best.score
FROM best CROSS JOIN entries AS e ON e.id = best.id
ORDER BY best.score DESC, e.key
"""
_MATCH_WITHIN = """
WITH best (id, score) AS (
    SELECT t.rowid, -t.rank FROM entry_text AS t CROSS JOIN entries AS e ON e.id = t.rowid
    WHERE entry_text MATCH ? AND (
        e.kind NOT IN (SELECT key FROM json_each(?2))
        OR (e.kind, e.owner_key) IN (
            SELECT named.key, owner.value FROM json_each(?2) AS named
            CROSS JOIN json_each(named.value) AS owner
        )
    ) AND (?4 IS NULL OR e.team IS NULL OR e.team = ?4)
      AND e.owner_key NOT IN (SELECT value FROM json_each(?5))
    ORDER BY t.rank LIMIT ?3
)
SELECT e.key, e.kind, e.owner_key, best.score
FROM best CROSS JOIN entries AS e ON e.id = best.id
ORDER BY best.score DESC, e.key
"""


class SqliteIndex(SqlIndex):
    """The index whose words are looked up in FTS5."""

    def match(
        self,
        scope: Scope,
        text: str,
        *,
        kinds: Sequence[Kind],
        limit: int,
        within: Within | None = None,
    ) -> list[Match]:
        terms = search_terms(text)
        if not terms or limit <= 0:
            return []
        wanted = text_filter(scope, kinds, terms)
        if within or scope.narrowed_to is not None or scope.hidden:
            owners = json.dumps({kind.value: list(keys) for kind, keys in (within or {}).items()})
            hidden = json.dumps(sorted(scope.hidden))
            values = (wanted, owners, limit, scope.narrowed_to, hidden)
            rows = self._database.execute(_MATCH_WITHIN, values)
        else:
            rows = self._database.execute(_MATCH, (wanted, limit))
        return [Match(key, Kind(kind), owner, score) for key, kind, owner, score in rows]


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
