"""Mail, transcripts, notes and lines: each file as it stands, dated by what it says of itself."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from email import message_from_string
from email.message import EmailMessage
from pathlib import Path

import pytest
from importing import LETTER, detect, items, offers, skipped, unzipped, written, zipped

from remanent.errors import InvalidInput
from remanent.ingest.importers import jsonl, mail
from remanent.ingest.rules.dedupe import ImportedSource

pytestmark = pytest.mark.quick

VTT = "WEBVTT\n\n00:00:01.000 --> 00:00:03.000\n<v Tom>The lease is signed.\n"
SRT = "1\n00:00:01,000 --> 00:00:03,000\nTom: The lease is signed.\n"
MTIME = datetime(2026, 2, 1, 8, tzinfo=UTC)


def dated(path: Path, when: datetime = MTIME) -> Path:
    os.utime(path, (when.timestamp(), when.timestamp()))
    return path


# --- mail ---------------------------------------------------------------------------------------


def test_a_letter_is_kept_as_it_is(tmp_path: Path) -> None:
    path = written(tmp_path / "letter.eml", LETTER)
    (request,) = offers(path)

    assert detect(path) == "mail"
    assert (request.content, request.type, request.title) == (LETTER, "email", "Grüße")
    assert request.origin_id == "email:m1@example.org"
    assert request.started_at == datetime(2026, 3, 2, 9, tzinfo=UTC)


def test_a_mailbox_is_read_letter_by_letter(tmp_path: Path) -> None:
    second = LETTER.replace("m1@", "m2@") + "\nFrom what I know,\n>From here on\n\n"
    text = (
        f"From tom@example.org Mon Mar  2 10:00:00 2026\n{LETTER}\n"
        f"From 17@xxx Mon Mar 02 10:00:00 +0000 2026\n{second}"
        f"From \r\n{LETTER.replace('m1@', 'm3@')}"
    )
    path = written(tmp_path / "all.mbox", text)
    found = offers(path)

    assert [one.origin_id for one in found] == [f"email:m{n}@example.org" for n in (1, 2, 3)]
    assert str(found[1].content).endswith("From what I know,\nFrom here on\n\n")
    assert next(one.where for one in items(path)) == "all.mbox, message 1 “Grüße”"
    assert offers(written(tmp_path / "Inbox", text)) == found


def test_folders_and_archives_of_mail(tmp_path: Path) -> None:
    members = {
        "Takeout/Mail/all.mbox": f"From a Mon Mar  2 10:00:00 2026\n{LETTER}",
        "b.eml": LETTER.replace("m1@", "m2@"),
    }

    assert len(offers(zipped(tmp_path / "takeout.zip", members))) == 2
    assert len(offers(unzipped(tmp_path / "takeout", members))) == 2


def test_a_letter_without_an_id_is_known_by_its_content(tmp_path: Path) -> None:
    text = LETTER.replace("Message-ID: <m1@example.org>\n", "")
    one, other = (offers(written(tmp_path / f"{n}.eml", text))[0] for n in "ab")

    assert one.origin_id == other.origin_id
    assert one.origin_id is not None
    assert one.origin_id.startswith("email:")


def test_older_character_sets_lose_no_letter(tmp_path: Path) -> None:
    path = tmp_path / "old.eml"
    head = 'Content-Type: text/plain; charset="iso-8859-1"\nContent-Transfer-Encoding: 8bit\n'
    path.write_bytes((head + LETTER.replace("signed", "für unterschrieben")).encode("latin-1"))
    (request,) = offers(path)
    text = str(request.content)

    text.encode("ascii")
    body = message_from_string(text).get_payload(decode=True)
    assert isinstance(body, bytes)
    assert "für unterschrieben" in body.decode("latin-1")


def test_a_letter_with_a_large_attachment_comes_in_without_it(tmp_path: Path) -> None:
    message = EmailMessage()
    message["Message-ID"], message["Subject"] = "<big@example.org>", "Pictures"
    message.set_content("See the harbour.")
    message.add_attachment(os.urandom(3_000_000), "image", "jpeg", filename="harbour.jpg")
    path = tmp_path / "big.eml"
    path.write_bytes(message.as_bytes())
    text = str(offers(path)[0].content)

    assert "See the harbour." in text
    assert "[attachment left out: harbour.jpg" in text
    assert len(text) < 5_000
    assert offers(path) == offers(path)


@pytest.mark.parametrize(
    ("changed", "started_at"),
    [("Date: nonsense", None), ("Date: Mon, 02 Mar 2099 10:00:00 +0100", None), ("X: y", None)],
)
def test_a_date_that_cannot_be_is_no_date(tmp_path: Path, changed: str, started_at: object) -> None:
    text = LETTER.replace("Date: Mon, 02 Mar 2026 10:00:00 +0100", changed)

    assert offers(written(tmp_path / "a.eml", text))[0].started_at is started_at


@pytest.mark.parametrize(
    "head", ["Subject: =?nonsense?b?????=\n", "Subject: =?utf-8?b?w\n", "Message-ID: <>\n"]
)
def test_odd_headers_are_no_crash(tmp_path: Path, head: str) -> None:
    assert len(offers(written(tmp_path / "a.eml", f"{head}X: y\n\nText\n"))) == 1


def test_what_is_no_letter_is_told(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.mbox", f"From a Mon Mar  2 10:00:00 2026\n\n\nFrom b 10:00\n{LETTER}"
    )

    assert skipped(path) == [("a.mbox, message 1", "is empty")]
    assert skipped(written(tmp_path / "b.eml", "\n\njust text")) != []
    assert len(offers(path)) == 1


def test_a_letter_beyond_all_measure_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "_MOST_BYTES", 1_000)
    long = LETTER.replace("m1@", "m2@") + "x" * 70 * 40 + "\n" * 50
    text = "".join(f"From a Mon Mar  2 10:00:00 2026\n{one}\n" for one in (LETTER, long, LETTER))
    path = written(tmp_path / "a.mbox", text)

    assert [type(one) is ImportedSource for one in items(path)] == [True, False, True]
    assert skipped(path) == [("a.mbox, message 2", "has more than 1,000 bytes")]
    assert skipped(written(tmp_path / "b.eml", long)) == [("b.eml", "has more than 1,000 bytes")]


# --- transcripts --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "started_at"),
    [
        ("2026-03-02 standup.vtt", datetime(2026, 3, 2, 5, tzinfo=UTC)),
        ("standup_2026-03-02_14-30.vtt", datetime(2026, 3, 2, 19, 30, tzinfo=UTC)),
        ("GMT20260302-140500_Recording.transcript.vtt", datetime(2026, 3, 2, 14, 5, tzinfo=UTC)),
        ("2099-01-01.vtt", MTIME),
        ("2026-02-31.vtt", MTIME),
        ("ticket 120260302.vtt", MTIME),
        ("standup.vtt", MTIME),
    ],
)
def test_a_meeting_is_dated_by_its_file(tmp_path: Path, name: str, started_at: datetime) -> None:
    (request,) = offers(dated(written(tmp_path / name, VTT)))

    assert request.started_at == started_at
    assert (request.content, request.type) == (VTT, "meeting")
    assert request.title == Path(name).stem


def test_transcripts_are_known_by_content(tmp_path: Path) -> None:
    one = offers(written(tmp_path / "a.vtt", VTT))[0]
    other = offers(dated(written(tmp_path / "2026-03-02.vtt", VTT)))[0]
    third = offers(written(tmp_path / "a.srt", SRT))[0]

    assert one.origin_id == other.origin_id != third.origin_id


def test_transcripts_without_a_suffix_are_seen(tmp_path: Path) -> None:
    assert detect(written(tmp_path / "a", VTT)) == "transcripts"
    assert detect(written(tmp_path / "b", SRT)) == "transcripts"


def test_a_transcript_in_utf16_is_read_and_in_latin1_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.vtt").write_bytes(VTT.encode("utf-16"))
    (tmp_path / "b.vtt").write_bytes(VTT.replace("Tom", "Jürgen").encode("latin-1"))

    assert [one.content for one in offers(tmp_path)] == [VTT]
    assert skipped(tmp_path)[0][0] == "b.vtt"


# --- notes --------------------------------------------------------------------------------------


def test_a_vault_is_taken_note_by_note(tmp_path: Path) -> None:
    vault = unzipped(
        tmp_path / "vault",
        {
            "Home.md": "# Welcome\n\nSee [[Maria Chen|Maria]].",
            "daily/2026-03-02.md": "Gym.",
            "people/Maria.md": "---\ntitle: 'Maria Chen'\ndate: 2026-03-05\ntags:\n  - x\n---\n# Other\n",
            ".obsidian/app.md": "{}",
            "picture.png": "x",
            "empty.md": " \n",
        },
    )
    dated(vault / "Home.md")
    home, daily, maria = offers(vault)

    assert detect(vault) == "markdown"
    assert (home.title, home.started_at, home.origin_id) == ("Welcome", MTIME, "markdown:Home.md")
    assert home.content == "# Welcome\n\nSee [[Maria Chen|Maria]]."
    assert (daily.title, daily.started_at) == ("2026-03-02", datetime(2026, 3, 2, 5, tzinfo=UTC))
    assert (maria.title, maria.type) == ("Maria Chen", "text-note")
    assert maria.started_at == datetime(2026, 3, 5, 5, tzinfo=UTC)
    assert maria.origin_id == "markdown:people/Maria.md"
    assert skipped(vault) == [("empty.md", "is empty")]
    assert all(one.versioned for one in items(vault) if isinstance(one, ImportedSource))


@pytest.mark.parametrize(
    ("front", "started_at"),
    [
        ("date: 2026-03-05 14:30", datetime(2026, 3, 5, 19, 30, tzinfo=UTC)),
        ("created: 2026-03-05T14:30:00+01:00", datetime(2026, 3, 5, 13, 30, tzinfo=UTC)),
        ("date: 2099-03-05", MTIME),
        ("date: someday\ncreated: 2026-03-05", datetime(2026, 3, 5, 5, tzinfo=UTC)),
        ("Date: \"2026-03-05\"", datetime(2026, 3, 5, 5, tzinfo=UTC)),
        ("date:", MTIME),
    ],
)  # fmt: skip
def test_front_matter_dates_a_note(tmp_path: Path, front: str, started_at: datetime) -> None:
    path = dated(written(tmp_path / "a.md", f"---\n{front}\n---\ntext"))

    assert offers(path)[0].started_at == started_at


def test_links_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    written(tmp_path / "secret.md", "The safe opens with 4711.")
    vault = unzipped(tmp_path / "vault", {"a.md": "A note."})
    (vault / "link.md").symlink_to(tmp_path / "secret.md")
    (vault / "up").symlink_to(tmp_path)

    assert [one.content for one in offers(vault)] == ["A note."]
    assert skipped(vault) == [("link.md", "is a link that leads out of the folder")]


# --- lines --------------------------------------------------------------------------------------


def test_each_line_is_a_source(tmp_path: Path) -> None:
    path = written(
        tmp_path / "past.jsonl",
        '{"text": "Gym.", "started_at": "2026-03-02T09:00", "origin_id": "g1", "title": "Sport"}\n'
        "\n"
        '{"turns": [{"speaker": "Ada", "text": "Hi", "at": "2026-03-02T09:00"}], "type": "meeting"}\n'
        '{"content": {"subject": "Dinner", "messages": []}, "type": "email", "participants": ["tom"]}',
    )
    text, turns, record = offers(path)

    assert (text.content, text.title, text.origin_id) == ("Gym.", "Sport", "g1")
    assert text.started_at == datetime(2026, 3, 2, 14, tzinfo=UTC)
    assert turns.content == [{"speaker": "Ada", "text": "Hi", "at": "2026-03-02T14:00:00+00:00"}]
    assert (record.type, record.participants) == ("email", ["tom"])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"text": a}', "is not JSON (column 10: Expecting value)"),
        ("7", "is not an object with content"),
        ("{}", "has no content"),
        ('{"text": ""}', "has no content"),
        ('{"text": "a", "turns": [{}]}', "has more than one of turns, text"),
        ('{"text": "a", "mood": "b"}', "has fields that `add` does not know: mood"),
        ('{"turns": {"a": 1}}', "turns: must be a list"),
        ('{"text": "a", "type": ["b"]}', "type: must be text"),
        ('{"text": "a", "participants": "b"}', "participants: must be a list"),
        ('{"text": "a", "started_at": "soon"}', "started_at: 'soon' is not an ISO date and time"),
        ("[" * 100_000, "is not JSON we can read: nested too deeply"),
    ],
)
def test_a_bad_line_costs_that_line(tmp_path: Path, line: str, why: str) -> None:
    path = written(tmp_path / "a.jsonl", f'{{"text": "before"}}\n{line}\n{{"text": "after"}}')

    assert [one.content for one in offers(path)] == ["before", "after"]
    assert skipped(path) == [("a.jsonl, line 2", why)]


def test_bytes_that_are_no_text_cost_their_line(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "a"}\n{"text": "\xff"}\n{"text": "b"}')

    assert len(offers(tmp_path / "a.jsonl")) == 2


def test_a_line_beyond_all_measure_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "_MOST_LINE_BYTES", 20)
    path = written(
        tmp_path / "a.jsonl", f'{{"text": "a"}}\n{{"text": "{"x" * 99}"}}\n{{"text": "b"}}'
    )

    assert [one.content for one in offers(path)] == ["a", "b"]
    assert skipped(path) == [("a.jsonl, line 2", "has more than 20 bytes")]


# --- what is what -------------------------------------------------------------------------------


def test_what_is_of_no_known_format_says_so(tmp_path: Path) -> None:
    for name, content in (("a.json", '[{"x": 1}]'), ("b.txt", "Just text."), ("c.bin", "\x01\x02")):
        with pytest.raises(InvalidInput, match=r"no format we know.*chatgpt.*jsonl"):
            detect(written(tmp_path / name, content))
    with pytest.raises(InvalidInput, match="there is no file"):
        detect(tmp_path / "nowhere")
    with pytest.raises(InvalidInput, match="is empty"):
        items(written(tmp_path / "empty", ""))
    (tmp_path / "folder").mkdir()
    with pytest.raises(InvalidInput, match="no format"):
        detect(tmp_path / "folder")


def test_a_format_can_be_forced(tmp_path: Path) -> None:
    path = written(tmp_path / "note.txt", "Just text.")

    assert offers(path, "markdown")[0].content == "Just text."
    assert offers(path, "Obsidian") == offers(path, "markdown")
    with pytest.raises(InvalidInput, match="'poem' is not one of: chatgpt"):
        items(path, "poem")
