"""Chat threads as Slack exports them."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from remanent.core.model.source import ContentType
from remanent.errors import InvalidInput
from remanent.ingest import formats
from remanent.ingest.formats import Parsed

pytestmark = pytest.mark.quick


def read(value: Any, kind: str = "slack-thread") -> Parsed:
    return formats.read(json.dumps(value), is_json=True, content_type=ContentType(kind))


def said(parsed: Parsed) -> list[tuple[str | None, str]]:
    return [(one.speaker, one.text) for one in parsed.pieces]


def shown(text: str) -> str:
    return read({"users": USERS, "messages": [{"user": "U1", "text": text}]}).pieces[0].text


USERS = {
    "U1": {"name": "maria", "real_name": "Maria Chen"},
    "U2": {"name": "tom", "profile": {"real_name": "", "display_name": "Tom Berg"}},
    "U3": "Ines",
}
EXPORT: dict[str, Any] = {
    "channel": "ops",
    "users": USERS,
    "messages": [
        {"type": "message", "user": "U2", "text": "On it, <@U1>.", "ts": "1772445700.000200"},
        {"user": "U1", "text": "The pump is down &amp; loud", "ts": "1772445600.000100"},
        {"user": "U3", "subtype": "channel_join", "text": "<@U3> has joined", "ts": "1772445610.0"},
        {
            "user": "U2",
            "text": "Mended at noon.",
            "ts": "1772452800.000300",
            "edited": {"user": "U2", "ts": "1772452900.0"},
            "reactions": [{"name": "tada", "users": ["U1"], "count": 1}],
            "files": [{"name": "pump.jpg", "title": "The pump"}],
        },
        {"user": "U2", "text": "Mended at noom.", "ts": "1772452800.000300"},
        {"subtype": "bot_message", "username": "pager", "text": "ALERT", "ts": "1772445601.0"},
        {
            "subtype": "message_changed",
            "ts": "1772446000.0",
            "message": {"user": "U1", "text": "The pump is down and loud.", "ts": "1772445600.000100",
                        "edited": {"ts": "1772446000.0"}},
        },
        {"user": "U3", "text": "wrong channel", "ts": "1772445800.0"},
        {"subtype": "message_deleted", "deleted_ts": "1772445800.0", "ts": "1772445801.0"},
    ],
}  # fmt: skip


def test_messages_are_in_order_attributed_and_in_their_last_version() -> None:
    parsed = read(EXPORT)

    assert said(parsed) == [
        ("Maria Chen", "The pump is down and loud."),
        ("Tom Berg", "On it, @Maria Chen."),
        ("Tom Berg", "Mended at noon.\n[file: The pump]"),
    ]
    assert parsed.participants == ("Maria Chen", "Tom Berg")
    assert parsed.mentions == ("Maria Chen",)
    assert parsed.started_at == parsed.pieces[0].at == datetime(2026, 3, 2, 10, 0, 0, 100, UTC)
    assert parsed.pieces[1].ref == "1772445700.000200"


def test_places_are_in_the_texts_as_they_were_given() -> None:
    laid = "".join(
        one.get("message", one).get("text", "") if isinstance(one, dict) else ""
        for one in EXPORT["messages"]
    )
    first, second, third = read(EXPORT).pieces

    assert laid[first.start : first.end] == "The pump is down and loud."
    assert laid[second.start : second.end] == "On it, <@U1>."
    assert laid[third.start : third.end] == "Mended at noon."


@pytest.mark.parametrize(
    ("mark", "text"),
    [
        ("<@U2>", "@Tom Berg"),
        ("<@U3|ines>", "@Ines"),
        ("<@U9|lena>", "@lena"),
        ("<@U9>", "@U9"),
        ("<#C1|ops>", "#ops"),
        ("<#C1>", "#C1"),
        ("<!here>", "@here"),
        ("<!subteam^S1|@plumbers>", "@plumbers"),
        ("<!date^1772445600^{date}|2 March>", "2 March"),
        ("<https://example.org/a?b=1&amp;c=2>", "https://example.org/a?b=1&c=2"),
        ("<https://example.org/plan|the plan>", "the plan (https://example.org/plan)"),
        ("<https://example.org|example.org>", "example.org"),
        ("<mailto:maria@example.org|maria@example.org>", "maria@example.org"),
        ("2 &lt; 3 &amp;&amp; 4 &gt; 3", "2 < 3 && 4 > 3"),
        ("a <b> c", "a <b> c"),
        ("line one\n\nline <@U2>", "line one\n\nline @Tom Berg"),
    ],
)
def test_marks_are_read_as_people_see_them(mark: str, text: str) -> None:
    assert shown(mark) == text


def test_names_come_from_a_list_or_from_the_messages() -> None:
    listed = {"users": [{"id": "U1", "profile": {"real_name": "Maria Chen"}}, "torn"]}
    told = {"user": "U2", "user_profile": {"real_name": "Tom Berg"}, "text": "hi <@U1>", "ts": "1"}

    assert said(read({**listed, "messages": [told]})) == [("Tom Berg", "hi @Maria Chen")]
    assert said(read({"messages": [told, {"user": "U2", "text": "x", "ts": "2"}]}))[1] == (
        "Tom Berg",
        "x",
    )


def test_an_app_with_something_to_say_is_kept() -> None:
    app = {
        "bot_id": "B1",
        "bot_profile": {"name": "helper"},
        "text": "Here is the plan.",
        "ts": "1",
    }
    card = {"bot_id": "B1", "username": "card", "attachments": [{"fallback": "Rain."}], "ts": "2"}

    assert said(read({"messages": [app, card]})) == [
        ("helper", "Here is the plan."),
        ("card", "Rain."),
    ]


def test_messages_without_a_time_keep_their_place() -> None:
    messages = [{"text": "a"}, {"text": "c", "ts": "1772445700.1"}, {"text": "d"},
                {"text": "b", "ts": "1772445600.1"}]  # fmt: skip

    assert [one.text for one in read({"messages": messages}).pieces] == ["a", "b", "c", "d"]


def test_a_chat_nobody_called_so_is_seen_by_its_look() -> None:
    assert said(read(EXPORT, "conversation")) == said(read(EXPORT))


def test_an_export_may_come_as_text() -> None:
    raw = json.dumps(EXPORT)
    parsed = formats.read(raw, is_json=False, content_type=ContentType.SLACK_THREAD)

    assert said(parsed) == said(read(EXPORT))
    assert {(one.start, one.end) for one in parsed.pieces} == {(0, len(raw))}


def test_a_chat_copied_from_a_window() -> None:
    raw = "Maria Chen  10:02 AM\nThe pump is down.\n\nTom Berg  10:05 AM\nOn it.\n"
    parsed = formats.read(raw, is_json=False, content_type=ContentType.SLACK_THREAD)

    assert [(one.speaker, one.text.strip()) for one in parsed.pieces[1:]] == [
        ("Maria Chen", "The pump is down."),
        ("Tom Berg", "On it."),
    ]


def test_messages_without_a_text_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no message"):
        read({"channel": "ops", "messages": [{"user": "U1", "ts": "1"}]})


def test_a_thread_of_mere_comings_and_goings_says_nothing() -> None:
    joined = {"user": "U3", "subtype": "channel_join", "text": "joined", "ts": "1"}

    assert read({"messages": [joined]}).pieces == ()
