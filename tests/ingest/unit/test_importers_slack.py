"""Slack: a thread is a source, a day of the rest is one, and ids stay what they are."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from importing import SLACK, detect, offers, skipped, unzipped, zipped

from remanent.core.model.source import ContentType
from remanent.ingest.rules.request import AddRequest

pytestmark = pytest.mark.quick


@pytest.fixture
def export() -> dict[str, Any]:
    return copy.deepcopy(SLACK)


def by_origin(path: Path) -> dict[str, AddRequest]:
    return {str(one.origin_id): one for one in offers(path)}


def test_threads_and_days(tmp_path: Path, export: dict[str, Any]) -> None:
    path = zipped(tmp_path / "slack.zip", export)
    found = by_origin(path)

    assert detect(path) == "slack"
    assert list(found) == [
        "slack:D1:2026-03-02",
        "slack:C1:1772445660.000200",
        "slack:C1:2026-03-02",
    ]
    thread = found["slack:C1:1772445660.000200"]
    assert thread.type == "slack-thread"
    assert thread.title == "#general: Lease question, Ada Lindqvist"
    assert thread.started_at == datetime(2026, 3, 2, 10, 1, 0, 200, tzinfo=UTC)
    assert thread.content == {
        "channel": "general",
        "users": {"U1": "Ada Lindqvist", "U2": "Tom Berg"},
        "messages": [
            {
                "ts": "1772445660.000200",
                "user": "U2",
                "text": "Lease question, <@U1>",
                "thread_ts": "1772445660.000200",
            },
            {
                "ts": "1772532000.000100",
                "user": "U1",
                "text": "Until 2029.",
                "thread_ts": "1772445660.000200",
            },
        ],
    }
    assert found["slack:C1:2026-03-02"].title == "#general, 2026-03-02"
    assert found["slack:D1:2026-03-02"].title == "Ada Lindqvist, Tom Berg, 2026-03-02"


def test_links_to_files_with_their_keys_are_not_kept(
    tmp_path: Path, export: dict[str, Any]
) -> None:
    text = json.dumps([one.content for one in offers(zipped(tmp_path / "slack.zip", export))])

    assert "plan.pdf" in text
    assert "xoxe" not in text
    assert "joined" not in text


def test_the_folder_is_as_good_as_the_zip(tmp_path: Path, export: dict[str, Any]) -> None:
    folder = unzipped(tmp_path / "one", export)
    wrapped = zipped(tmp_path / "two.zip", {f"export/{name}": one for name, one in export.items()})

    assert offers(folder) == offers(wrapped) == offers(zipped(tmp_path / "slack.zip", export))


def test_folders_of_days_alone_will_do(tmp_path: Path, export: dict[str, Any]) -> None:
    for name in ("users.json", "channels.json", "dms.json"):
        del export[name]
    path = zipped(tmp_path / "slack.zip", export)

    assert detect(path) == "slack"
    assert "slack:general:2026-03-02" in by_origin(path)


def test_a_message_of_second_zero_has_a_time(tmp_path: Path, export: dict[str, Any]) -> None:
    export["general/1970-01-01.json"] = [{"ts": 0, "user": "U1", "text": "Lunch?"}]

    found = by_origin(zipped(tmp_path / "slack.zip", export))

    assert "slack:C1:1970-01-01" in found


def test_what_is_wrong_is_told_and_the_rest_comes_in(
    tmp_path: Path, export: dict[str, Any]
) -> None:
    export["general/2026-03-02.json"] += [7, {"ts": "soon", "text": "x"}, {"ts": "1.0", "text": ""}]
    export["general/2026-03-04.json"] = '[{"ts": "1772618400.0", "text": "Still here"}, {"ts"'
    export["dms.json"] = "{"
    path = zipped(tmp_path / "slack.zip", export)

    assert skipped(path) == [
        ("dms.json", "is not JSON: Expecting property name enclosed in double quotes"),
        ("general/2026-03-02.json, message 5", "is not a message with a time"),
        ("general/2026-03-02.json, message 6", "is not a message with a time"),
        ("general/2026-03-02.json, message 7", "has no text"),
        ("general/2026-03-04.json, after message 1", "is not JSON: Expecting ':' delimiter"),
    ]
    assert "slack:C1:2026-03-04" in by_origin(path)


def test_guests_are_called_by_the_name_on_their_message(
    tmp_path: Path, export: dict[str, Any]
) -> None:
    guest = {
        "ts": "1772618400.0",
        "user": "U9",
        "text": "",
        "user_profile": {"real_name": "Nina Dahl"},
        "attachments": [{"fallback": "A forecast"}],
    }
    export["general/2026-03-04.json"] = [guest]
    content = by_origin(zipped(tmp_path / "slack.zip", export))["slack:C1:2026-03-04"].content

    assert content["users"] == {"U9": "Nina Dahl"}  # type: ignore[call-overload,index]
    assert content["messages"][0]["text"] == "A forecast"  # type: ignore[call-overload,index]


def test_the_reader_of_threads_understands_it(tmp_path: Path, export: dict[str, Any]) -> None:
    from remanent.ingest.rules.passages import PassageRules, cut

    thread = by_origin(zipped(tmp_path / "slack.zip", export))["slack:C1:1772445660.000200"]
    pieces = cut(
        json.dumps(thread.content),
        is_json=True,
        content_type=ContentType.SLACK_THREAD,
        rules=PassageRules(),
    )

    assert [(one.speaker, one.text) for one in pieces] == [
        ("Tom Berg", "Lease question, @Ada Lindqvist"),
        ("Ada Lindqvist", "Until 2029."),
    ]
