"""The schema's history: numbered steps, forward only, each recorded when it was taken."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from remanent.errors import NewerMemory
from remanent.stores.sql.plain_rows import to_micros
from remanent.stores.sqlite.database import SqliteDatabase


class Step(NamedTuple):
    """One change of the schema. What is released is never edited, only followed by another."""

    number: int
    name: str
    file: Path

    @property
    def script(self) -> str:
        return self.file.read_text("utf-8")


def _step(file: Path) -> Step:
    """`0002_edge_versions.sql` is step 2, "edge versions"."""
    number, _, name = file.stem.partition("_")
    return Step(int(number), name.replace("_", " "), file)


STEPS: Final = tuple(map(_step, sorted(Path(__file__).parent.glob("*.sql"))))
NEWEST: Final = STEPS[-1].number
# All that the steps lead to, for a new file: `python -m tests.stores.write_schema` writes it.
WHOLE: Final = Path(__file__).parent.with_name("schema.sql")

_RECORD = "INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)"


def migrate(database: SqliteDatabase, now: datetime) -> None:
    """Bring the schema up to this version's; what is up to date is not written to.

    Processes that open one file at the same time wait for one another, and the first does the work.
    """
    if version(database) == NEWEST:
        return
    with database.transaction(durable=True, moving=True):
        done = version(database)
        todo = [step for step in STEPS if step.number > done]
        for script in [step.script for step in todo] if done else [WHOLE.read_text("utf-8")]:
            database.execute(script)
        for step in todo:
            database.execute(_RECORD, (step.number, step.name, to_micros(now)))
        database.execute(f"PRAGMA user_version = {NEWEST}")


def version(database: SqliteDatabase) -> int:
    """The number of the schema that the file has; `NewerMemory` if this version does not know it."""
    ((version,),) = database.execute("PRAGMA user_version")
    if version > NEWEST:
        raise NewerMemory(
            database.path,
            f"was written by a later version of Remanent (schema {version}, this one knows {NEWEST})",
        )
    return int(version)
