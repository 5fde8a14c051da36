"""Write the schema of a new file anew, from its history: `python -m tests.stores.write_schema`."""

from __future__ import annotations

from remanent.stores.sqlite.connection import MEMORY
from remanent.stores.sqlite.database import SqliteDatabase
from remanent.stores.sqlite.migrations import STEPS, WHOLE

_HEAD = "-- The schema of a new file, written by `python -m tests.stores.write_schema` from its history.\n"
# Triggers last: they name tables.
_PARTS = """
SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
ORDER BY type = 'trigger', rootpage, name
"""


def grown() -> SqliteDatabase:
    """A file that took every step."""
    file = SqliteDatabase(MEMORY)
    for step in STEPS:
        file.execute(step.script)
    return file


def from_history() -> str:
    """What all steps together make, part by part."""
    file = grown()
    ((mark,),) = file.execute("PRAGMA application_id")
    return f"{_HEAD}PRAGMA application_id = {mark};\n" + "".join(
        f"{sql};\n" for (sql,) in file.execute(_PARTS)
    )


if __name__ == "__main__":
    WHOLE.write_text(from_history(), "utf-8")
