"""The past comes in once, whole, and goes on where it stopped, whoever is killed meanwhile."""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from effort import times

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.event import SOURCE_ADDED
from remanent.core.model.source import Source
from remanent.core.read import every
from remanent.errors import InvalidInput
from remanent.ingest import add, formats
from remanent.ingest.rules.dedupe import ImportOutcome, ImportProgress, ImportReport
from remanent.testing import HashEmbedder, ScriptedMind

SOURCES = 120
KILLS = times(2, 20)


def written(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def talk(key: str, *texts: str) -> dict[str, Any]:
    messages = [
        {
            "uuid": f"{key}-{number}",
            "sender": "human" if number % 2 == 0 else "assistant",
            "text": text,
            "created_at": f"2026-03-02T10:{number:02}:00Z",
        }
        for number, text in enumerate(texts)
    ]
    return {"uuid": key, "name": f"About {key}", "chat_messages": messages}


def counted(carried: ImportReport) -> tuple[int, int, int, int, int]:
    return (
        carried.added,
        carried.grown,
        carried.changed,
        carried.known,
        len(carried.skipped),
    )


def raws(memory: Memory, user_id: str = "ada") -> dict[str, tuple[str, str]]:
    """Every source of a user: its origin and its raw content, by key."""
    env = memory.env
    scope = env.registry.scope_of(user_id)
    found = {}
    for one in every(env.graph, scope, Source):
        raw = env.ledger.raw(scope, one.key)
        assert isinstance(one, Source)
        assert raw is not None
        found[one.key] = (one.origin_id or "", raw.content)
    return found


def events(memory: Memory) -> list[str]:
    env = memory.env
    scope = env.registry.scope_of("ada")
    return [
        str(one.payload["source_key"])
        for one in env.ledger.replay(scope, limit=100_000)
        if one.event_type == SOURCE_ADDED
    ]


def test_once_is_enough(memory: Memory, ada: UserMemory, tmp_path: Path) -> None:
    path = written(tmp_path / "conversations.json", [talk("a", "Hi"), talk("b", "Ho"), 7])

    first, again = ada.import_file(path), ada.import_file(str(path))

    assert counted(first) == (2, 0, 0, 0, 1)
    assert counted(again) == (0, 0, 0, 2, 1)
    assert first.skipped == again.skipped
    assert first.skipped[0].why == "is not a conversation"
    assert len(events(memory)) == 2
    assert len(ada.jobs()) == 2


def test_a_grown_conversation_adds_only_what_is_new(
    memory: Memory, ada: UserMemory, tmp_path: Path
) -> None:
    path = tmp_path / "conversations.json"
    texts = ["One", "Two", "Three", "Four", "Five"]
    fates = [
        counted(ada.import_file(written(path, [talk("a", *texts[:count])])))
        for count in (2, 3, 3, 5, 2, 5)
    ]

    assert fates == [
        (1, 0, 0, 0, 0),
        (0, 1, 0, 0, 0),
        (0, 0, 0, 1, 0),
        (0, 1, 0, 0, 0),
        (0, 0, 0, 1, 0),
        (0, 0, 0, 1, 0),
    ]
    kept = sorted(raws(memory).values())
    assert [origin for origin, _ in kept] == ["claude:a", "claude:a+2", "claude:a+3"]
    assert [[turn["text"] for turn in json.loads(raw)] for _, raw in kept] == [
        ["One", "Two"],
        ["Three"],
        ["Four", "Five"],
    ]


def test_the_continuation_is_dated_and_named_and_can_be_read(
    ada: UserMemory, tmp_path: Path
) -> None:
    path = tmp_path / "conversations.json"
    ada.import_file(written(path, [talk("a", "One")]))
    ada.import_file(written(path, [talk("a", "One", "The kettle is on.")]))
    ada.work()
    hit = ada.search("kettle", kinds=["passage"])[0]
    source = ada.read(hit.key).node

    assert isinstance(source, Source)
    assert (hit.ref, hit.speaker) == ("a-1", "assistant")
    assert source.started_at == datetime(2026, 3, 2, 10, 1, tzinfo=UTC)
    assert source.title == "About a"


def test_a_rewritten_note_is_a_new_version(memory: Memory, ada: UserMemory, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    fates = []
    for text in ("Old words.", "New words.", "New words.", "Old words.", "Third words."):
        note = written(vault / "note.md", f"---\ndate: 2026-03-02\n---\n{text}")
        os.utime(note, (len(fates), len(fates)))  # touching a file does not change it
        fates.append(counted(ada.import_file(vault)))

    assert fates == [
        (1, 0, 0, 0, 0),
        (0, 0, 1, 0, 0),
        (0, 0, 0, 1, 0),
        (0, 0, 0, 1, 0),
        (0, 0, 1, 0, 0),
    ]
    assert all(origin.startswith("markdown:note.md") for origin, _ in raws(memory).values())
    assert len(raws(memory)) == 3


def test_mail_is_its_id_whatever_way_it_took(ada: UserMemory, tmp_path: Path) -> None:
    letter = "Message-ID: <m1@x>\nSubject: Hi\n\nThe lease.\n"
    ada.import_file(written(tmp_path / "a.eml", letter))

    assert counted(ada.import_file(written(tmp_path / "b.eml", f"Received: by y\n{letter}"))) == (
        (0, 0, 0, 1, 0)
    )


def test_what_cannot_be_taken_is_told_with_where_and_why(ada: UserMemory, tmp_path: Path) -> None:
    lines = [
        {"text": "Good."},
        {"text": "Later.", "started_at": "2099-01-01"},
        {"text": "Ours.", "team": "crew"},
        {"text": "Odd.", "type": "poem"},
        {"turns": [{"text": "a", "mood": "b"}]},
        {"text": "Also good."},
    ]
    path = written(tmp_path / "a.jsonl", "\n".join(map(json.dumps, lines)))
    carried = ada.import_file(path)

    assert carried.added == 2
    assert [one.where for one in carried.skipped] == [f"a.jsonl, line {n}" for n in (2, 3, 4, 5)]
    assert ["future" in one.why for one in carried.skipped] == [True, False, False, False]
    assert "not a member" in carried.skipped[1].why
    assert "poem" in carried.skipped[2].why
    assert "mood" in carried.skipped[3].why


def test_a_fault_in_a_parser_costs_one_source(
    ada: UserMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = formats.read

    def fragile(raw: str, **options: Any) -> Any:
        if "poison" in raw:
            raise ZeroDivisionError("by nought")
        return read(raw, **options)

    monkeypatch.setattr(formats, "read", fragile)
    talks = [talk("a", "Hi"), talk("b", "poison"), talk("c", "Ho")]
    carried = ada.import_file(written(tmp_path / "conversations.json", talks))

    assert carried.added == 2
    assert carried.skipped[0].where == "conversations.json, conversation 2 “About b”"
    assert "ZeroDivisionError: by nought" in carried.skipped[0].why


def test_wiki_links_are_mentions(ada: UserMemory, tmp_path: Path) -> None:
    note = written(tmp_path / "a.md", "Dinner with [[Maria Chen|Maria]] in [[Oslo]].")
    os.utime(note, (0, 0))
    ada.import_file(note)
    source = ada.read(ada.jobs()[0].payload["source_key"]).node

    assert isinstance(source, Source)
    assert source.provenance["mentions"] == ["Maria Chen", "Oslo"]


def test_a_dry_run_writes_nothing_and_counts_the_same(
    memory: Memory, ada: UserMemory, tmp_path: Path
) -> None:
    turns = [{"text": f"Turn {number}"} for number in range(6)]
    lines = [
        {"turns": turns[:2], "origin_id": "a"},
        {"turns": turns[:4], "origin_id": "a"},  # grows within one file
        {"turns": turns[:4], "origin_id": "a"},
        {"turns": turns, "origin_id": "a"},
        {"text": "Same."},
        {"text": "Same."},
        {"text": "Other.", "origin_id": "t"},
        {"text": "Another.", "origin_id": "t"},
        {"text": ""},
    ]
    path = written(tmp_path / "a.jsonl", "\n".join(map(json.dumps, lines)))
    before = events(memory)

    dry = ada.import_file(path, dry_run=True)

    assert events(memory) == before
    assert ada.jobs() == []
    assert raws(memory) == {}
    real = ada.import_file(path)
    assert dry == real
    assert counted(real) == (3, 2, 0, 3, 1)
    assert ada.import_file(path, dry_run=True) == ada.import_file(path)


def test_progress_tells_what_became_of_everything(ada: UserMemory, tmp_path: Path) -> None:
    path = written(tmp_path / "conversations.json", [talk("a", "Hi"), talk("a", "Hi"), 7])
    seen: list[ImportProgress] = []
    ada.import_file(path, progress=seen.append)

    assert [one.fate for one in seen] == [
        ImportOutcome.ADDED,
        ImportOutcome.KNOWN,
        ImportOutcome.SKIPPED,
    ]
    assert seen[-1].share == 1.0


def test_what_is_no_export_is_refused(ada: UserMemory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no format"):
        ada.import_file(written(tmp_path / "a.txt", "Just text."))
    with pytest.raises(InvalidInput, match="there is no file"):
        ada.import_file(tmp_path / "nowhere.zip")
    assert ada.import_file(tmp_path / "a.txt", "markdown").added == 1


def test_users_import_for_themselves(memory: Memory, ada: UserMemory, tmp_path: Path) -> None:
    path = written(tmp_path / "conversations.json", [talk("a", "Hi")])
    ada.import_file(path)

    assert memory.user("bob").import_file(path).added == 1


def test_times_without_an_offset_are_the_users(ada: UserMemory, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    written(vault / "2026-03-02.md", "Gym.")
    ada.import_file(vault)
    (job,) = ada.jobs()
    source = ada.read(job.payload["source_key"]).node

    assert isinstance(source, Source)
    assert source.started_at == datetime(2026, 3, 1, 23, tzinfo=UTC)  # midnight in Oslo


def test_imports_at_the_same_time_lose_and_double_nothing(
    memory: Memory, ada: UserMemory, tmp_path: Path
) -> None:
    """Some have the newer export, some the older one; whoever comes first, all is there once."""
    old = export(tmp_path / "conversations.json")
    new = grown(old, tmp_path / "later.json")

    with ThreadPoolExecutor(4) as pool:
        carried = list(pool.map(ada.import_file, [old, new, new, old]))

    assert sum(one.added for one in carried) == SOURCES + 1
    said = Counter(turn["id"] for _, raw in raws(memory).values() for turn in json.loads(raw))
    assert set(said.values()) == {1}
    assert {one for one in said if one.endswith("-more")} == {
        f"{number}-more" for number in range(0, SOURCES, 3)
    }


def test_an_older_export_that_comes_in_between_keeps_nothing_out(
    memory: Memory, ada: UserMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two looks of one import another one brings an older state of the same conversation."""
    old = written(tmp_path / "conversations.json", [talk("a", "Hi")])
    new = grown(old, tmp_path / "later.json")
    look = add.known_source

    def meanwhile(*given: Any) -> str | None:
        monkeypatch.setattr(add, "known_source", look)
        ada.import_file(old)
        return look(*given)

    monkeypatch.setattr(add, "known_source", meanwhile)
    assert ada.import_file(new).grown == 1
    said = [turn["id"] for _, raw in raws(memory).values() for turn in json.loads(raw)]
    assert "a-more" in said


# --- killed half-way ----------------------------------------------------------------------------


def export(path: Path) -> Path:
    """Conversations, some of which will grow over the files."""
    dice = random.Random(4)
    talks = [
        talk(str(n), *(f"{n} says {m}" for m in range(dice.randint(1, 6)))) for n in range(SOURCES)
    ]
    return written(path, talks)


def grown(path: Path, by: Path) -> Path:
    talks = json.loads(path.read_text("utf-8"))
    for one in talks[::3]:
        more = copy.deepcopy(one["chat_messages"][0])
        one["chat_messages"].append({**more, "uuid": f"{one['uuid']}-more", "text": "And more."})
    return written(by, [*talks, talk("new", "Quite new.")])


def import_until_killed(memory: str, path: str) -> None:
    with Memory.open(memory, mind=ScriptedMind(), embedder=HashEmbedder()) as opened:
        ada = opened.user("ada")
        ada.import_file(path, progress=lambda one: os.write(1, f"{one.fate}\n".encode()) and None)


def one_life(memory: Path, path: Path, after: int) -> str:
    """Start an import and kill it when it has told of `after` things; how it ended."""
    with subprocess.Popen(
        [sys.executable, __file__, str(memory), str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(after)]
        process.kill()
        process.stdout.read()
    return told[-1].strip()


@pytest.mark.torture
def test_killed_again_and_again_it_is_as_if_undisturbed(
    tmp_path: Path, clock: SteppedClock
) -> None:
    first = export(tmp_path / "conversations.json")
    second = grown(first, tmp_path / "later.json")
    dice = random.Random(7)
    disturbed, calm = tmp_path / "disturbed.db", tmp_path / "calm.db"

    reached = 0
    for path in (first, second):
        for kill in range(KILLS):
            reached = (kill + 1) * SOURCES // (KILLS + 1) + dice.randrange(8)
            assert one_life(disturbed, path, reached) in set(ImportOutcome)
        with Memory.open(disturbed, mind=ScriptedMind(), embedder=HashEmbedder()) as memory:
            memory.user("ada").import_file(path)
    clock.move_to(datetime(2027, 1, 1, tzinfo=UTC))
    with (
        Memory.open(disturbed, clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()) as memory,
        Memory.open(calm, clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()) as other,
    ):
        ada, calm_ada = memory.user("ada"), other.user("ada")
        for path in (first, second):
            calm_ada.import_file(path)
        assert raws(memory) == raws(other)
        assert len(raws(memory)) == SOURCES + SOURCES // 3 + 1
        assert sorted(events(memory)) == sorted(events(other))
        assert counted(ada.import_file(second)) == (0, 0, 0, SOURCES + 1, 0)
        assert {one.key for one in ada.jobs(limit=1000)} == {
            one.key for one in calm_ada.jobs(limit=1000)
        }


if __name__ == "__main__":
    import_until_killed(*sys.argv[1:])
