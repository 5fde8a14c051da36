"""What may come in, and what is said to whoever sends something else."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core import checks
from remanent.core.checks import IntakeRules
from remanent.core.model.source import ContentType, ContextType, Sensitivity, SourceType
from remanent.errors import InvalidInput
from remanent.ingest.rules import request as intake
from remanent.ingest.rules.request import AddRequest, CheckedSource

pytestmark = pytest.mark.quick

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
RULES = IntakeRules(max_characters=1000)


def draft(content: Any, **options: Any) -> CheckedSource:
    return intake.checked(
        AddRequest(content=content, **options), user_id="ada", now=NOW, rules=RULES
    )


def refused(field: str, content: Any = "A note.", **options: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        draft(content, **options)
    assert caught.value.field == field
    return str(caught.value)


def test_text_is_a_note_and_turns_are_a_conversation() -> None:
    assert draft("Bought bread.").content_type is ContentType.TEXT_NOTE
    assert draft([{"text": "hi"}]).content_type is ContentType.CONVERSATION


@pytest.mark.parametrize(
    ("name", "source_type", "content_type", "context_type"),
    [
        ("conversation", SourceType.TEXT_IMPORT, ContentType.CONVERSATION, "work-session"),
        ("voice-memo", SourceType.VOICE_MEMO, ContentType.CONVERSATION, "personal-reflection"),
        ("meeting", SourceType.MEETING, ContentType.MEETING, "team-meeting"),
        ("email", SourceType.EMAIL, ContentType.EMAIL, "email-thread"),
        ("slack-thread", SourceType.SLACK_THREAD, ContentType.SLACK_THREAD, "slack-discussion"),
        ("text-note", SourceType.TEXT_IMPORT, ContentType.TEXT_NOTE, "personal-reflection"),
    ],
)
def test_each_type_is_known(
    name: str, source_type: SourceType, content_type: ContentType, context_type: str
) -> None:
    made = draft("Something was said.", type=name)

    assert (made.source_type, made.content_type) == (source_type, content_type)
    assert made.context_type is ContextType(context_type)


def test_options_are_kept() -> None:
    made = draft(
        "A plan.",
        context="planning",
        started_at=NOW - timedelta(hours=2),
        ended_at=NOW - timedelta(hours=1),
        participants=("bob", "ada", "bob"),
        team="t1",
        origin_id="mail-7",
        sensitivity="high",
        title="  Plan ",
    )

    assert made.context_type is ContextType.PLANNING
    assert made.participants == ("ada", "bob")
    assert (made.team_id, made.origin_id, made.title) == ("t1", "mail-7", "Plan")
    assert made.sensitivity is Sensitivity.HIGH


def test_times_become_utc() -> None:
    oslo = timezone(timedelta(hours=2))

    assert draft("x", started_at=datetime(2026, 4, 1, 9, tzinfo=oslo)).started_at == datetime(
        2026, 4, 1, 7, tzinfo=UTC
    )


def test_a_conversation_starts_with_its_first_turn() -> None:
    turns = [
        {"text": "b", "at": "2026-04-02T10:00:00"},
        {"text": "a", "at": "2026-04-01T10:00:00Z"},
    ]

    assert draft(turns).started_at == datetime(2026, 4, 1, 10, tzinfo=UTC)
    assert draft("no date").started_at == NOW


LETTER = (
    "From: Maria Chen <maria@example.org>\nTo: ada@example.net\nSubject: The lease\n"
    "Date: Mon, 06 Apr 2026 10:15:00 +0200\n\nSigned.\n"
)


def test_a_letter_brings_its_subject_date_and_people() -> None:
    made = draft(LETTER, type="email")

    assert made.title == "The lease"
    assert made.started_at == datetime(2026, 4, 6, 8, 15, tzinfo=UTC)
    assert made.provenance == {"people": ["Maria Chen <maria@example.org>", "ada@example.net"]}
    assert made.participants == ("ada",)  # whoever is named in a letter may not read for that


def test_what_the_caller_says_goes_before_what_the_letter_says() -> None:
    made = draft(LETTER, type="email", title="Mine", started_at=NOW)

    assert (made.title, made.started_at) == ("Mine", NOW)


def test_a_date_inside_makes_no_other_source() -> None:
    """Only a date that the caller gave is part of what makes two sources one (decision 8)."""
    assert draft(LETTER, type="email").digest == draft(LETTER, type="email", title="x").digest


def test_a_thread_starts_with_its_first_message() -> None:
    made = draft(
        {
            "users": {"U1": {"real_name": "Maria Chen"}},
            "messages": [
                {"user": "U2", "text": "On it, <@U1>.", "ts": "1772445700.0"},
                {"user": "U1", "text": "The pump is down.", "ts": "1772445600.0"},
            ],
        },
        type="slack-thread",
    )

    assert made.started_at == datetime(2026, 3, 2, 10, tzinfo=UTC)
    assert made.provenance == {"people": ["Maria Chen", "U2"], "mentions": ["Maria Chen"]}


def test_a_recording_is_over_when_it_comes_in() -> None:
    vtt = "WEBVTT\n\n00:00:10.000 --> 00:30:00.000\n<v Tom>Hello."

    assert draft(vtt, type="meeting").started_at == NOW - timedelta(minutes=30)
    assert draft(vtt, type="meeting", started_at=NOW).started_at == NOW


def test_a_note_brings_its_front_matter() -> None:
    made = draft("---\ntitle: Lake\ndate: 2026-04-01\ntags: [a]\n---\nWith [[Maria]].")

    assert (made.title, made.started_at) == ("Lake", datetime(2026, 4, 1, tzinfo=UTC))
    assert made.provenance == {"mentions": ["Maria"], "tags": ["a"]}


def test_a_letter_from_the_future_is_refused_and_a_plan_is_not() -> None:
    assert "future" in refused("content", LETTER.replace("2026", "2027"), type="email")
    assert draft("---\ndate: 2027-01-01\n---\nThe trip.").started_at == NOW


def test_what_cannot_be_read_is_refused() -> None:
    refused("content", {"from": "tom@x.no"}, type="email")
    refused("content", {"channel": "ops", "messages": [{"user": "U1"}]}, type="slack-thread")
    refused("content", "WEBVTT\n\nNOTE nothing", type="meeting")


@pytest.mark.parametrize(
    ("type_", "title", "hint", "context"),
    [
        ("meeting", "Monday standup", "", "team-meeting"),
        ("meeting", "1:1 with Tom", "", "team-meeting"),
        ("conversation", "Weekly meeting", "", "team-meeting"),
        ("meeting", "Brainstorm: names", "", "brainstorming"),
        ("meeting", "Sprint planning", "", "planning"),
        ("meeting", "Roadmap 2027", "", "planning"),
        ("conversation", "Call with Maria", "", "phone-call"),
        ("voice-memo", "Phone call, the bank", "", "phone-call"),
        ("conversation", "Pair programming", "", "work-session"),
        ("conversation", "", "journal", "personal-reflection"),
        ("text-note", "Recalled", "", "personal-reflection"),
        ("text-note", "Bread", "", "personal-reflection"),
        ("email", "Planning the call", "", "email-thread"),
        ("slack-thread", "standup", "", "slack-discussion"),
    ],
)
def test_titles_tell_what_it_was_for(type_: str, title: str, hint: str, context: str) -> None:
    assert intake.context_for(type_, title, hint) is ContextType(context)


def test_the_context_follows_the_title_unless_it_is_given() -> None:
    assert draft("x", title="Brainstorm").context_type is ContextType.BRAINSTORMING
    assert draft("# Planning\n\nx").context_type is ContextType.PLANNING
    assert draft("x", title="Brainstorm", context="planning").context_type is ContextType.PLANNING


def test_turns_are_kept_as_they_were_given() -> None:
    raw = draft([{"speaker": "Tom", "text": "Hei", "id": 3, "at": NOW}]).raw

    assert json.loads(raw) == [{"text": "Hei", "speaker": "Tom", "id": "3", "at": NOW.isoformat()}]


def test_a_record_is_kept_as_json() -> None:
    made = draft({"subject": "Lease", "body": "Signed.", "date": NOW}, type="email")

    assert made.is_json
    assert json.loads(made.raw)["date"] == NOW.isoformat()


def test_the_same_content_has_the_same_digest() -> None:
    day = NOW - timedelta(days=1)

    assert draft("Gym.").digest == draft("Gym.").digest
    assert draft("Gym.").digest != draft("Swim.").digest
    assert draft("Gym.", started_at=day).digest != draft("Gym.", started_at=NOW).digest
    assert draft("Gym.", type="email").digest != draft("Gym.").digest


@pytest.mark.parametrize("content", ["", "   \n\t", [], [{"text": " "}], {}])
def test_empty_content_is_refused(content: Any) -> None:
    assert "empty" in refused("content", content)


def test_too_much_is_refused() -> None:
    assert "1,001 characters" in refused("content", "x" * 1001)
    assert "at most 1,000" in refused("content", [{"text": "x" * 1000}])


def test_nul_is_refused() -> None:
    assert "NUL" in refused("content", "a\x00b")
    refused("content[1].text", [{"text": "a"}, {"text": "b\x00"}])
    refused("content", {"body": ["deep", {"er": "\x00"}]})
    assert draft({"body": "a literal \\u0000 is fine"}).is_json


def test_half_characters_are_refused() -> None:
    assert "position 1" in refused("content", "a\ud800")


@pytest.mark.parametrize("content", [b"bytes", 7, None, {1, 2}])
def test_other_types_of_content_are_refused(content: Any) -> None:
    refused("content", content)


def test_what_json_cannot_hold_is_refused() -> None:
    assert "JSON" in refused("content", {"body": object()})
    refused("content", {"body": float("nan")})


def test_dates_are_checked() -> None:
    assert "future" in refused("started_at", started_at=NOW + timedelta(days=1))
    assert "no time zone" in refused("started_at", started_at=datetime(2026, 1, 1))  # noqa: DTZ001
    refused("started_at", started_at="yesterday")
    refused("ended_at", ended_at=NOW + timedelta(days=1))
    assert "before" in refused("ended_at", started_at=NOW, ended_at=NOW - timedelta(days=1))
    far = datetime.max.replace(tzinfo=timezone(timedelta(hours=-10)))
    with pytest.raises(InvalidInput):
        checks.moment("at", far, datetime.max.replace(tzinfo=UTC) - timedelta(days=1), RULES)
    early = datetime.min.replace(tzinfo=timezone(timedelta(hours=10)))
    with pytest.raises(InvalidInput, match="out of range"):
        checks.moment("at", early, NOW, RULES)


def test_a_clock_that_runs_a_little_ahead_is_forgiven() -> None:
    assert draft("x", started_at=NOW + timedelta(minutes=5)).started_at > NOW


def test_turns_are_checked() -> None:
    assert "unknown fields: role" in refused("content[0]", [{"role": "user", "text": "hi"}])
    refused("content[0]", ["not a turn"])
    refused("content[0].text", [{"text": 7}])
    refused("content[0].at", [{"text": "a", "at": "noon"}])
    refused("content[0].at", [{"text": "a", "at": 12}])
    assert "future" in refused("content", [{"text": "a", "at": "2027-01-01T00:00:00Z"}])


def test_choices_are_checked() -> None:
    assert "conversation" in refused("type", type="podcast")
    refused("context", context="fun")
    refused("sensitivity", sensitivity="secret")


@pytest.mark.parametrize("value", ["", " a", "a\nb", "x" * 501, 7])
def test_identifiers_are_checked(value: Any) -> None:
    refused("origin_id", origin_id=value)
    refused("team", team=value)
    refused("participants", participants=(value,))


def test_participants_are_a_list() -> None:
    assert "not one text" in refused("participants", participants="bob")


def test_time_zones_are_checked() -> None:
    assert checks.timezone("timezone", "Europe/Oslo") == "Europe/Oslo"
    for name in ("Mars/Olympus", "../etc/passwd", ""):
        with pytest.raises(InvalidInput, match="timezone"):
            checks.timezone("timezone", name)


@given(st.text())
def test_any_text_is_kept_whole_or_refused(text: str) -> None:
    said = text.strip()
    if said and len(text) <= RULES.max_characters and "\x00" not in text:
        assert draft(text).raw == text
    else:
        refused("content", text)
