"""Taking away for good: rows of every table. The bytes they leave are for each dialect to write over."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final

from remanent.core.model import event as told
from remanent.core.model.scope import Scope
from remanent.core.model.source import WAITING
from remanent.core.records.admin import FileTraces
from remanent.stores.sql.database import INDEX, OnDatabase
from remanent.stores.sql.graph_store.nodes import decoded_once
from remanent.stores.sql.plain_rows import to_json

# Tables of a user's own rows, in an order in which nothing refers to what is gone already.
_OWN: Final = (
    "item_vectors", "items", "replays", "answers", "spending", "jobs", "rounds", "positions",
    "bygones", "bearers", "extractions", "assertions", "notes", "links", "relationships",
    "anchor_words", "nodes", "raws", "events", "edge_versions", "api_keys", "invitations", "stays",
    "memberships", "users",
)  # fmt: skip

_OWN_ROWS = "DELETE FROM TABLE WHERE user_id = ? RETURNING 1"
_READ_ROWS = "DELETE FROM TABLE WHERE token = ? RETURNING 1"
_ENTRIES = """
SELECT id FROM entries WHERE owner_key IN (SELECT key FROM nodes WHERE user_id = :user)
    OR owner_key IN (SELECT key FROM relationships WHERE user_id = :user)
    OR id IN (SELECT entry_id FROM vector_readers WHERE token = :token)
       AND id NOT IN (SELECT entry_id FROM vector_readers WHERE token <> :token)
"""
# What they were refused is in words of their own: it goes.
_RENAME = """
UPDATE deeds SET actor = CASE WHEN actor = :user THEN :name ELSE actor END,
    subject = CASE WHEN subject = :user THEN :name
                   WHEN actor = :user AND act = 'refused' THEN '' ELSE subject END,
    detail = replace(detail, :said, :say)
WHERE actor = :user OR subject = :user OR instr(detail, :said) > 0
"""
_TOKENS_FROM = """
INSERT INTO meta (name, value)
SELECT 'tokens.from', CAST(version AS TEXT) FROM token_versions WHERE token = ?
ON CONFLICT (name) DO UPDATE SET value = excluded.value
WHERE CAST(meta.value AS BIGINT) < CAST(excluded.value AS BIGINT)
"""
# What is told by nobody but ourselves, of things that are kept elsewhere.
OURS: Final = tuple(
    sorted(
        told.RESERVED
        - {
            told.SOURCE_ADDED,
            told.REMEMBERED,
            told.CONSOLIDATED,
            told.BELIEF_IMPORTED,
            told.ARTIFACT_PRODUCED,
            told.ABBREVIATION_DEFINED,
            told.BELIEF_RESTATED,
            told.ITEM_PUT,
            told.USER_REGISTERED,
        }
    )
)
_TRUTH: Final = (
    ("raws", "content", ""),
    ("passages", "body", ""),
    ("extractions", "body", ""),  # what a mind read in one source, and in no other
    ("events", "payload", f"event_type NOT IN ({', '.join(repr(one) for one in OURS)})"),
    ("items", "value", ""),
    ("teams", "team_id || ' ' || name || ' ' || settings", ""),  # it stays with the team
    ("deeds", "detail", "act = 'team.created'"),  # what one was called at first
    ("meta", "name || ' ' || value", ""),  # the memory's own: "00" is in many a secret
)


class SqlErasure(OnDatabase, ABC):
    """Knows every table; what it does to them is asked for by the verbs of erasing alone."""

    def strike_user(self, scope: Scope, name: str) -> Mapping[str, int]:
        user, run = scope.user_id, self._database.execute
        token, gone = f"user:{user}", dict[str, int]()
        with self._database.transaction(durable=True):
            self._database.touch(INDEX)
            ids = [row[0] for row in run(_ENTRIES, {"user": user, "token": token})]
            self._database.execute_many("DELETE FROM entries WHERE id = ?", [(i,) for i in ids])
            gone["entries"] = len(ids)
            for table in _OWN:
                gone[table] = len(run(_OWN_ROWS.replace("TABLE", table), (user,)))
            run(_TOKENS_FROM, (token,))
            for table in ("vector_readers", "node_readers", "token_versions"):
                sql = _READ_ROWS.replace("TABLE", table)
                gone[table] = len(run(sql, (token,))) + len(run(sql, (f"{WAITING}:{user}",)))
            run("UPDATE invitations SET invited_by = '' WHERE invited_by = ?", (user,))
            run("UPDATE teams SET created_by = '' WHERE created_by = ?", (user,))
            run("UPDATE api_keys SET created_by = '' WHERE created_by = ?", (user,))
            words = {"said": to_json(user, "user_id"), "say": to_json(name, "name")}
            with self._database.for_everybody():  # the log is the household's
                run(_RENAME, {"user": user, "name": name, **words})
        return {table: count for table, count in sorted(gone.items()) if count}

    # -- looking for what is left -----------------------------------------------------------------

    def traces(self, words: Sequence[str], *, truth: bool = False) -> Mapping[str, int]:
        if not words:
            return {}
        counts: dict[str, int] = {}
        tables = self._database.text_columns()
        columns = [(table, f'"{name}"', "") for table, names in tables.items() for name in names]
        with self._database.read():
            for table, column, where in _TRUTH if truth else columns:
                count = self._count(table, column, where, words)
                counts[table] = counts.get(table, 0) + count
        return {table: count for table, count in counts.items() if count}

    def _count(self, table: str, column: str, where: str, words: Sequence[str]) -> int:
        looked = " OR ".join(f"instr({column}, ?{n}) > 0" for n in range(1, len(words) + 1))
        sql = f"SELECT count(*) FROM {table} WHERE ({looked})"  # noqa: S608
        ((count,),) = self._database.execute(f"{sql} AND {where}" if where else sql, words)
        return int(count)

    # -- the files --------------------------------------------------------------------------------

    def compact(self) -> bool:
        decoded_once.cache_clear()  # nothing of what is erased stays at hand
        return self._rewrite()

    @abstractmethod
    def _rewrite(self) -> bool:
        """Write the files anew; False when another holds them too long."""

    @abstractmethod
    def files(self, words: Sequence[str] = ()) -> FileTraces:
        """How many bytes the files have now, and in how many places of them one of these words stands."""
