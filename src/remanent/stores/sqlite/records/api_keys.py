"""API keys in SQLite."""

from __future__ import annotations

from datetime import datetime

from remanent.core.records.api_key import ApiKey, Power
from remanent.stores.sqlite.columns import (
    from_json,
    from_micros,
    micros_or_none,
    moment_or_none,
    to_json,
    to_micros,
)
from remanent.stores.sqlite.connection import Row
from remanent.stores.sqlite.database import Database

_PUT = """
INSERT INTO api_keys (key_id, digest, name, user_id, powers, team, created_by, created_at, expires_at,
                      revoked_at, last_used_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
_GET = """
SELECT key_id, digest, name, user_id, powers, team, created_by, created_at, expires_at,
       revoked_at, last_used_at
FROM api_keys WHERE key_id = ?
"""
_ALL = """
SELECT key_id, digest, name, user_id, powers, team, created_by, created_at, expires_at,
       revoked_at, last_used_at
FROM api_keys ORDER BY created_at, key_id
"""
_REVOKE = "UPDATE api_keys SET revoked_at = ? WHERE key_id = ? AND revoked_at IS NULL"
_USED = "UPDATE api_keys SET last_used_at = ? WHERE key_id = ?"


class SqliteKeyring:
    """Keys that open this memory from outside. Secrets are not here, only their hashes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_key(self, key: ApiKey, digest: str) -> None:
        """Keep a new key with the hash of its secret; one of that id stays as it is."""
        values = (
            key.key_id,
            digest,
            key.name,
            key.user_id,
            to_json(sorted(power.value for power in key.powers), "powers"),
            key.team,
            key.created_by,
            to_micros(key.created_at),
            micros_or_none(key.expires_at),
            micros_or_none(key.revoked_at),
            micros_or_none(key.last_used_at),
        )
        with self._database.transaction(durable=True):
            self._database.execute(_PUT, values)

    def key(self, key_id: str) -> tuple[ApiKey, str] | None:
        """The key of that id, and the hash of its secret."""
        row = self._database.one(_GET, (key_id,))
        return None if row is None else (_key(row), str(row[1]))

    def keys(self) -> list[ApiKey]:
        """All keys ever made, revoked ones as well, oldest first."""
        return [_key(row) for row in self._database.execute(_ALL)]

    def revoke(self, key_id: str, at: datetime) -> None:
        """Make a key worth nothing from then on; the first time stands."""
        with self._database.transaction(durable=True):
            self._database.execute(_REVOKE, (to_micros(at), key_id))

    def used(self, key_id: str, at: datetime) -> None:
        """Note when the key was last used."""
        with self._database.transaction():
            self._database.execute(_USED, (to_micros(at), key_id))


def _key(row: Row) -> ApiKey:
    return ApiKey(
        key_id=row[0],
        name=row[2],
        user_id=row[3],
        powers=frozenset(Power(one) for one in from_json(row[4])),
        team=row[5],
        created_by=row[6],
        created_at=from_micros(row[7]),
        expires_at=moment_or_none(row[8]),
        revoked_at=moment_or_none(row[9]),
        last_used_at=moment_or_none(row[10]),
    )
