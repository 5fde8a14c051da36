"""A memory from before entries had their words beside them is found by its words all the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from remanent.core.ports.index import Question
from remanent.stores.sql.plain_rows import to_micros
from remanent.stores.sql.words import stems
from remanent.stores.sqlite import open_stores
from remanent.stores.sqlite.database import SqliteDatabase
from remanent.stores.sqlite.migrations import STEPS
from remanent_conformance.builders import MOMENT, a_scope

pytestmark = pytest.mark.quick

ANN = a_scope("ann")
OLD = STEPS[:2]
SAID = ("Ann: We painted two boats.", "Bo: Tea, and more tea?", "Ann: Rain again.")


def old_memory(place: Path) -> None:
    """As version 2 of the schema wrote it: no words, marks, days or parts."""
    database = SqliteDatabase(place)
    with database.transaction(moving=True):
        for step in OLD:
            database.execute(step.script)
            row = (step.number, step.name, to_micros(MOMENT))
            database.execute("INSERT INTO migrations VALUES (?, ?, ?)", row)
            database.execute(f"PRAGMA user_version = {step.number}")
        database.execute("INSERT INTO token_versions VALUES ('user:ann', 1, 0)")
        for place_, text in enumerate(SAID):
            vector = np.eye(8, dtype="<f4")[place_].tobytes()
            database.execute(
                "INSERT INTO entries (key, kind, owner_key, vector) VALUES (?, 'passage', 's', ?)",
                (f"s#{place_}", vector),
            )
            entry_id = place_ + 1
            database.execute("INSERT INTO vector_readers VALUES ('user:ann', ?, 1)", (entry_id,))
            database.execute(
                "INSERT INTO entry_text (rowid, scope, text) VALUES (?, 'ann', ?)", (entry_id, text)
            )
    database.close()


def test_an_older_memory_gets_its_words_from_the_full_text_index(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    old_memory(place)

    stores = open_stores(place, now=MOMENT, embedder_name="hash", dimensions=8)

    question = Question(
        text="painting a boat", vector=None, weights={"lexical": 1.0, "around": 0.1}
    )
    found = stores.index.weigh(ANN, question, kinds=(), limit=9)
    assert found[0].key == "s#0"
    assert [one.key for one in stores.index.match(ANN, "boats", kinds=(), limit=9)] == ["s#0"]
    assert found[0].signals["lexical"] == 1.0
    assert found[0].day is None
    stores.close()
    database = SqliteDatabase(place)
    kept = database.execute("SELECT words FROM entries ORDER BY id")
    assert [sorted(words.split()) for (words,) in kept] == [sorted(stems(text)) for text in SAID]
    database.close()
