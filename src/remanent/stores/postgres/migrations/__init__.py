"""The schema's history in PostgreSQL: numbered steps, forward only, each recorded when it was taken."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Final

from remanent.errors import NewerMemory, NotAMemory
from remanent.stores.postgres.database import PostgresDatabase
from remanent.stores.postgres.wall import EVERYBODY
from remanent.stores.sql.plain_rows import to_micros

STEPS: Final = {
    int(file.stem.partition("_")[0]): file for file in sorted(Path(__file__).parent.glob("*.sql"))
}
NEWEST: Final = max(STEPS)
_TABLES: Final = """
SELECT count(*), coalesce(sum(CASE WHEN table_name = 'migrations' THEN 1 ELSE 0 END), 0)
FROM information_schema.tables WHERE table_schema = ?
"""
_RECORD: Final = "INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)"


def migrate(database: PostgresDatabase, now: datetime) -> None:
    """Bring the schema up to this version's, made if there is none; what is up to date is not written
    to. Processes that open one memory at the same time wait for one another."""
    if version(database) == NEWEST:
        return
    with database.seen_by(EVERYBODY), database.transaction(durable=True, moving=True):
        database.execute(f'CREATE SCHEMA IF NOT EXISTS "{database.schema}"')
        done = version(database)
        for number, file in STEPS.items():
            if number > done:
                database.run_script(file.read_text("utf-8"))
                name = file.stem.partition("_")[2].replace("_", " ")
                database.execute(_RECORD, (number, name, to_micros(now)))


def version(database: PostgresDatabase) -> int:
    """The number of the schema that the memory has; `NewerMemory` if this version does not know it."""
    ((tables, ours),) = database.execute(_TABLES, (database.schema,))
    if not tables:
        return 0
    if not ours:
        raise NotAMemory(database.path, "is a schema of another application")
    ((number,),) = database.execute("SELECT coalesce(max(number), 0) FROM migrations")
    if number > NEWEST:
        raise NewerMemory(
            database.path,
            f"was written by a later version of Remanent (schema {number}, this one knows {NEWEST})",
        )
    return int(number)
