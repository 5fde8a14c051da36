"""Agents' events from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Done, remanent

from remanent.core.model.event import Behind, Lag
from remanent.core.model.job import JobKind
from remanent.surfaces.cli.views import events

LINES = "\n".join(
    json.dumps(one)
    for one in (
        {
            "event_type": "message",
            "payload": {"role": "user", "text": "Move the Atlas launch to Friday."},
            "occurred_at": "2026-05-04T10:00",
            "event_id": "m1",
        },
        {"event_type": "tool.failed", "payload": {"error": "Friday is a holiday"}, "agent_id": "sub"},
    )
)  # fmt: skip


@pytest.fixture(autouse=True)
def _memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_MEMORY", str(tmp_path / "memory.db"))
    done = remanent("init", "--user", "ada", "--name", "Ada Lindqvist", "--timezone", "Europe/Oslo")
    assert done.code == 0, done.err


def ok(done: Done) -> Done:
    assert done.code == 0, done.err
    return done


def test_one_event_is_recorded_with_all_that_was_said_of_it() -> None:
    done = ok(
        remanent(
            "record", "tool.called", '{"tool": "map"}', "--agent", "bot", "--session", "s1",
            "--parent", "p", "--at", "2026-05-04T10:00", "--id", "e1", "--importance", "7", "--json",
        )
    )  # fmt: skip

    (one,) = done.json["recorded"]
    assert (done.json["new"], done.json["known"]) == (1, 0)
    event = one["event"]
    assert event["payload"] == {"tool": "map"}
    assert event["occurred_at"] == "2026-05-04T08:00:00+00:00"
    named = ("event_id", "agent_id", "session_id", "parent_event_id", "importance_hint")
    assert [event[name] for name in named] == ["e1", "bot", "s1", "p", 7]


def test_the_same_id_again_says_so() -> None:
    assert "Recorded e1" in ok(remanent("record", "note", "Hello", "--id", "e1")).out
    assert "Known already: e1" in ok(remanent("record", "note", "Hello", "--id", "e1")).out


@pytest.mark.parametrize(
    ("arguments", "stdin", "payload"),
    [
        (["We ship on Friday"], b"", {"text": "We ship on Friday"}),
        (["-"], b'{"n": 1}', {"n": 1}),
        (["-"], b"from a pipe\n", {"text": "from a pipe"}),
        ([], b"", {}),
    ],
)
def test_payloads_come_as_json_or_as_text(
    arguments: list[str], stdin: bytes, payload: object
) -> None:
    done = ok(remanent("record", "note", *arguments, "--json", stdin=stdin))

    assert done.json["recorded"][0]["event"]["payload"] == payload


def test_many_events_come_from_a_file_or_a_pipe(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text(LINES, "utf-8")

    done = ok(
        remanent("record", "--file", str(file), "--agent", "bot", "--session", "s1", "--json")
    )
    again = ok(remanent("record", "--file", "-", "--session", "s1", stdin=LINES.encode()))

    first, second = (one["event"] for one in done.json["recorded"])
    assert (first["agent_id"], second["agent_id"]) == ("bot", "sub")
    assert first["occurred_at"] == "2026-05-04T08:00:00+00:00"
    assert "1 recorded · 1 known already" in again.out
    assert "No events" in ok(remanent("record", "--file", "-")).out


@pytest.mark.parametrize(
    ("arguments", "stdin", "field"),
    [
        ([], b"", "type"),
        (["belief.remembered"], b"", "event_type"),
        (["note", "{"], b"", "payload"),
        (["note", "{" + '"a":[' * 3000], b"", "payload"),
        (["--file", "-"], b'{"event_type": "a"}\n[]', "line 2"),
        (["--file", "-"], b'{"event_type": "a"}\n{"event_type": "session.ended"}', "events[1].event_type"),
        (["note", "--file", "-"], b"", "file"),
        (["--file", "-", "--id", "x"], b"", "id"),
        (["--file", "nowhere.jsonl"], b"", "path"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_and_nothing_is_kept(
    arguments: list[str], stdin: bytes, field: str
) -> None:
    done = remanent("record", *arguments, "--json", stdin=stdin)

    assert done.code != 0
    assert done.error["field"] == field
    assert remanent("status", "--json").json["status"]["lag"]["projection"]["events"] == 0


def test_a_session_from_its_events_to_its_source() -> None:
    ok(remanent("record", "--file", "-", "--session", "s1", "--agent", "sub", stdin=LINES.encode()))
    assert "2 more wait" in ok(remanent("events")).out
    assert "2 to be placed" in ok(remanent("status")).out
    ok(remanent("work"))
    assert "up to date" in ok(remanent("status")).out

    found = ok(remanent("events", "when is the launch?", "--explain", "--no-touch"))
    assert "Move the Atlas launch to Friday." in found.out
    assert "S is 168 hours" in found.out
    narrow = ok(remanent("events", "--type", "tool.failed", "--current-session", "s1", "--json"))
    (hit,) = narrow.json["events"]
    assert hit["event"]["text"] == "tool failed: error: Friday is a holiday"
    assert "No event fits" in ok(remanent("events", "--session", "s9")).out
    assert ok(remanent("events", "--until", "2026-05-04", "--json")).json["events"]

    ended = ok(remanent("end-session", "s1", "--no-work", "--json")).json["ended"]
    assert (ended["outcome"], ended["messages"]) == ("kept", 1)
    assert "Ended before" in ok(remanent("end-session", "s1", "--agent", "sub")).out
    assert "Atlas" in ok(remanent("show", ended["source_key"])).out
    ok(remanent("record", "message", "One more", "--session", "s1", "--agent", "sub"))
    assert "1 message came later" in ok(remanent("end-session", "s1", "--no-work")).out
    ok(remanent("record", "tick", "--session", "s2"))
    assert "nobody said anything" in ok(remanent("end-session", "s2")).out
    assert remanent("end-session", "s3", "--json").error["field"] == "session_id"


@pytest.mark.parametrize(
    ("seconds", "told"), [(5, "5 s"), (61, "1 minute"), (7300, "2 hours"), (90_000, "1 day")]
)
def test_lag_is_told_in_words(seconds: float, told: str) -> None:
    late = Lag(projection=Behind(events=1200, seconds=seconds))

    assert events.lag(late).plain == f"1,200 to be placed, the oldest for {told}"


def test_every_job_says_what_it_does() -> None:
    from remanent.surfaces.cli.render import JOB_PHRASES

    assert {JobKind.PROJECT.value, JobKind.ENRICH.value} <= JOB_PHRASES.keys()
