"""The schema's history: numbered steps, forward only, each recorded when it was taken."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from remanent.errors import NewerMemory
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.migrations import (
    m0001_initial,
    m0002_edge_versions,
    m0003_words,
    m0004_rounds,
    m0005_fading,
    m0006_recorded,
    m0007_bygones,
    m0008_spending,
    m0009_reembedding,
    m0010_bearers,
    m0011_access,
    m0012_erasure,
    m0013_replays,
    m0014_items,
)
from remanent.stores.sqlite.plain_rows import to_micros


class Step(NamedTuple):
    """One change of the schema. What is released is never edited, only followed by another."""

    number: int
    name: str
    script: str


STEPS: Final = (
    Step(1, "initial", m0001_initial.SCRIPT),
    Step(2, "edge versions", m0002_edge_versions.SCRIPT),
    Step(3, "words", m0003_words.SCRIPT),
    Step(4, "rounds", m0004_rounds.SCRIPT),
    Step(5, "fading", m0005_fading.SCRIPT),
    Step(6, "recorded", m0006_recorded.SCRIPT),
    Step(7, "bygones", m0007_bygones.SCRIPT),
    Step(8, "spending", m0008_spending.SCRIPT),
    Step(9, "reembedding", m0009_reembedding.SCRIPT),
    Step(10, "bearers", m0010_bearers.SCRIPT),
    Step(11, "access", m0011_access.SCRIPT),
    Step(12, "erasure", m0012_erasure.SCRIPT),
    Step(13, "replays", m0013_replays.SCRIPT),
    Step(14, "items", m0014_items.SCRIPT),
)
NEWEST: Final = STEPS[-1].number

_RECORD = "INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)"


def migrate(database: Database, now: datetime) -> None:
    """Bring the schema up to this version's; what is up to date is not written to.

    Processes that open one file at the same time wait for one another, and the first does the work.
    """
    if _version(database) == NEWEST:
        return
    with database.transaction(durable=True):
        done = _version(database)
        for step in STEPS:
            if step.number > done:
                database.execute(step.script)
                database.execute(_RECORD, (step.number, step.name, to_micros(now)))
                database.execute(f"PRAGMA user_version = {step.number}")


def _version(database: Database) -> int:
    ((version,),) = database.execute("PRAGMA user_version")
    if version > NEWEST:
        raise NewerMemory(
            database.path,
            f"was written by a later version of Remanent (schema {version}, this one knows {NEWEST})",
        )
    return int(version)
