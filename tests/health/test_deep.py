"""`doctor --deep`: damage to what is true and to what is derived is seen, and named by table and key."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from remanent import Memory, SteppedClock
from remanent.core.records.admin import Finding, Level
from remanent.errors import DamagedMemory
from remanent.testing import HashEmbedder, ScriptedMind

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def opened(path: Path) -> Memory:
    return Memory.open(
        path, clock=SteppedClock(START), mind=ScriptedMind(), embedder=HashEmbedder()
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "memory.db"
    with opened(place) as memory:
        ada = memory.user("ada")
        ada.add("I am allergic to peanuts.")
        ada.add("The ship sails at noon.", started_at=datetime(2026, 2, 1, 9, tzinfo=UTC))
        ada.add("Tom Berg plays chess.", origin_id="mail:1")
        ada.add([{"speaker": "Ada", "text": "I live in Oslo."}], type="conversation")
        ada.record("note", {"text": "Rain."}, session_id="s")
        ada.remember("I like tea.")
        ada.work()
    return place


def tamper(path: Path, sql: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    with connection:
        assert connection.execute(sql, values).rowcount > 0
    connection.close()


def ask(path: Path, sql: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    connection.text_factory = bytes
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def deep(path: Path) -> list[Finding]:
    with opened(path) as memory:
        assert not [one for one in memory.doctor().findings if one.part == "deep"]
        return [one for one in memory.doctor(deep=True).findings if one.part == "deep"]


def test_a_whole_memory_is_sound_and_says_what_was_looked_at(path: Path) -> None:
    (line,) = deep(path)
    assert line.level is Level.OK
    assert "4 raw texts fit their digests" in line.told


def test_a_memory_that_was_erased_from_is_sound(path: Path) -> None:
    with opened(path) as memory:
        ada = memory.user("ada")
        ada.erase(next(one.key for one in ada.sources() if one.origin_id == "mail:1"))
        memory.work()
    (line,) = deep(path)
    assert line.level is Level.OK


def test_an_edited_raw_text_is_named(path: Path) -> None:
    tamper(
        path,
        "UPDATE raws SET content = 'I am allergic to walnuts.' WHERE content LIKE '%peanuts%'",
    )
    ((key,),) = ask(path, "SELECT key FROM raws WHERE content LIKE '%walnuts%'")
    (line,) = deep(path)
    assert line.level is Level.FAIL
    assert line.told.startswith(f"table raws: {key.decode()}")
    assert "digest" in line.told
    assert "backup" in line.remedy


def test_flipped_bytes_of_a_raw_text_are_named(path: Path) -> None:
    tamper(
        path,
        "UPDATE raws SET content = CAST(X'FF80FF' AS TEXT) WHERE content LIKE '%noon%'",
    )
    assert all(one.level is Level.FAIL and "table raws" in one.told for one in deep(path))


def test_a_missing_raw_text_is_named(path: Path) -> None:
    tamper(path, "DELETE FROM raws WHERE content LIKE '%chess%'")
    (line,) = deep(path)
    assert "missing" in line.told


def test_an_event_that_cannot_be_read_is_named(path: Path) -> None:
    tamper(path, "UPDATE events SET payload = '{' WHERE seq = (SELECT max(seq) FROM events)")
    (line,) = deep(path)
    assert line.told.startswith("table events: ")


def test_an_event_whose_bytes_were_flipped_is_named(path: Path) -> None:
    tamper(path, "UPDATE events SET payload = replace(payload, 'Rain', 'Ruin')")
    (line,) = deep(path)
    assert line.told.startswith("table events: ")
    assert "does not fit its digest" in line.told


def test_events_of_older_memories_and_those_taken_in_elsewhere_have_digests(
    path: Path, tmp_path: Path
) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE entry_text (text)")
        indices = ("sources_by_filter", "passages_with_time", "beliefs_by_importance")
        for one in (*indices, "events_of_consent", "sources_by_beginning"):
            connection.execute(f"DROP INDEX {one}")
        for one in ("source_changes_shelves", "block_is_stale", "block_is_gone"):
            connection.execute(f"DROP TRIGGER {one}")
        connection.execute("DROP TABLE shelf_blocks")
        for one in ("node", "relationship"):
            connection.execute(f"DROP TRIGGER {one}_was_accessed")
            connection.execute(f"ALTER TABLE {one}s DROP COLUMN accesses")
        connection.execute("ALTER TABLE events DROP COLUMN digest")
        connection.execute("DELETE FROM migrations WHERE number > 15")
        connection.execute("PRAGMA user_version = 15")
    connection.close()
    with opened(path) as memory:
        memory.export(tmp_path / "all.jsonl")
    with opened(tmp_path / "there.db") as memory:
        memory.import_memory(tmp_path / "all.jsonl")
    for place in (path, tmp_path / "there.db"):
        assert ask(place, "SELECT count(*) FROM events WHERE digest IS NULL") == [(0,)]
        tamper(place, "UPDATE events SET recorded_at = recorded_at + 1 WHERE seq = 2")
        assert "events: 2: it does not fit" in deep(place)[0].told


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("entries", "words = CAST(X'FFFE' AS TEXT)"),
        ("entries", "vector = X'0102'"),
        ("entries", "kind = 'nothing'"),
        ("passages", "body = '[]'"),
        ("passages", "body = '{'"),
        ("nodes", "state = 'nowhere'"),
    ],
)
def test_a_row_that_cannot_be_decoded_is_named_and_is_no_bare_error(
    path: Path, table: str, change: str
) -> None:
    tamper(path, f"UPDATE {table} SET {change}")
    _seen_and_named(path, table)


def test_flipped_bytes_of_a_vector_are_named(path: Path) -> None:
    (vector,) = ask(path, "SELECT vector FROM entries WHERE vector IS NOT NULL LIMIT 1")[0]
    flipped = vector[:-32] + bytes(one ^ 0x3F for one in vector[-32:])
    change = f"SET vector = X'{flipped.hex()}' WHERE vector = X'{vector.hex()}'"
    tamper(path, f"UPDATE entries {change}")
    (line,) = deep(path)
    assert "table entries: " in line.told
    assert "another length" in line.told


@pytest.mark.parametrize("flipped", [b'"content_hash": \xff', b'"content_hash"; "'])
def test_flipped_bytes_in_the_file_are_named_and_are_no_bare_error(
    path: Path, flipped: bytes
) -> None:
    content = path.read_bytes()
    assert b'"content_hash": "' in content
    path.write_bytes(content.replace(b'"content_hash": "', flipped))
    _seen_and_named(path, "nodes")


def _seen_and_named(path: Path, table: str) -> None:
    lines = deep(path)
    assert any(one.told.startswith(f"table {table}: ") for one in lines)
    assert not any("doctor --deep" in one.told for one in lines)  # which this is
    assert all(one.level is Level.FAIL for one in lines)
    with opened(path) as memory, pytest.raises(DamagedMemory, match=table):
        memory.user("ada").search("peanuts")


def test_words_that_are_none_are_no_bare_error_in_remember(path: Path) -> None:
    tamper(path, "UPDATE entries SET words = CAST(X'FFFE' AS TEXT)")
    with opened(path) as memory, pytest.raises(DamagedMemory, match="entries"):
        memory.user("ada").remember("I like coffee.")
