"""The schema's history: numbered steps, forward only, each recorded when it was taken."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from remanent.errors import NewerMemory
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.migrations import later_steps, m0001_initial
from remanent.stores.sqlite.plain_rows import to_micros


class Step(NamedTuple):
    """One change of the schema. What is released is never edited, only followed by another."""

    number: int
    name: str
    script: str


STEPS: Final = (
    Step(1, "initial", m0001_initial.SCRIPT),
    Step(2, "edge versions", later_steps.EDGE_VERSIONS),
    Step(3, "words", later_steps.WORDS),
    Step(4, "rounds", later_steps.ROUNDS),
    Step(5, "fading", later_steps.FADING),
    Step(6, "recorded", later_steps.RECORDED),
    Step(7, "bygones", later_steps.BYGONES),
    Step(8, "spending", later_steps.SPENDING),
    Step(9, "reembedding", later_steps.REEMBEDDING),
    Step(10, "bearers", later_steps.BEARERS),
    Step(11, "access", later_steps.ACCESS),
    Step(12, "erasure", later_steps.ERASURE),
    Step(13, "replays", later_steps.REPLAYS),
    Step(14, "items", later_steps.ITEMS),
    Step(15, "fair queue", later_steps.FAIR_QUEUE),
    Step(16, "event digests", later_steps.EVENT_DIGESTS),
    Step(17, "consents", later_steps.CONSENTS),
)
NEWEST: Final = STEPS[-1].number

_RECORD = "INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)"


def migrate(database: Database, now: datetime) -> None:
    """Bring the schema up to this version's; what is up to date is not written to.

    Processes that open one file at the same time wait for one another, and the first does the work.
    """
    if version(database) == NEWEST:
        return
    with database.transaction(durable=True):
        done = version(database)
        for step in STEPS:
            if step.number > done:
                database.execute(step.script)
                database.execute(_RECORD, (step.number, step.name, to_micros(now)))
                database.execute(f"PRAGMA user_version = {step.number}")


def version(database: Database) -> int:
    """The number of the schema that the file has; `NewerMemory` if this version does not know it."""
    ((version,),) = database.execute("PRAGMA user_version")
    if version > NEWEST:
        raise NewerMemory(
            database.path,
            f"was written by a later version of Remanent (schema {version}, this one knows {NEWEST})",
        )
    return int(version)
