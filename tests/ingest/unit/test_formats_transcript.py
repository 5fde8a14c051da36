"""Transcripts: plain, as subtitles, as records."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from remanent.core.model.source import ContentType
from remanent.errors import InvalidInput
from remanent.ingest import formats
from remanent.ingest.formats import Parsed, Piece
from remanent.ingest.formats.shape import moment, since_start
from remanent.ingest.rules.passages import PassageRules, cut

pytestmark = pytest.mark.quick

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def read(raw: str, kind: str = "meeting") -> Parsed:
    return formats.read(raw, is_json=False, content_type=ContentType(kind), started_at=START)


def said(parsed: Parsed) -> list[tuple[str | None, str]]:
    return [(one.speaker, one.text.strip()) for one in parsed.pieces if one.text.strip()]


def minutes(pieces: tuple[Piece, ...]) -> list[float | None]:
    return [None if one.at is None else (one.at - START) / timedelta(minutes=1) for one in pieces]


PLAIN = """\
Recorded on a Monday.

[00:00:04] Maria Chen: Good morning, shall we begin?
We have until ten.
[00:01:30] Tom: Yes: the lease first.
(00:02:00) Dr. Ines Lopez-Ruiz: It ends in 2029.
"""


def test_plain_turns_have_speaker_and_time() -> None:
    parsed = read(PLAIN)

    assert said(parsed) == [
        (None, "Recorded on a Monday."),
        ("Maria Chen", "Good morning, shall we begin?\nWe have until ten."),
        ("Tom", "Yes: the lease first."),
        ("Dr. Ines Lopez-Ruiz", "It ends in 2029."),
    ]
    assert parsed.pieces[1].at == START + timedelta(seconds=4)
    assert parsed.pieces[3].at == START + timedelta(minutes=2)
    assert parsed.participants == ("Maria Chen", "Tom", "Dr. Ines Lopez-Ruiz")
    assert all(PLAIN[one.start : one.end] == one.text for one in parsed.pieces)


@pytest.mark.parametrize(
    ("line", "speaker", "text"),
    [
        ("Tom (00:10:02): hi", "Tom", "hi"),
        ("Tom [0:10]: hi", "Tom", "hi"),
        ("**Tom Berg:** hi", "Tom Berg", "hi"),
        ("**Tom Berg**: hi", "Tom Berg", "hi"),
        (">> TOM: hi", "TOM", "hi"),
        ("Speaker 2: hi", "Speaker 2", "hi"),
        ("Tom (Guest): hi", "Tom", "hi"),
        ("10:02 AM Tom: hi", "Tom", "hi"),
        ("Ludwig van Beek: hi", "Ludwig van Beek", "hi"),
        ("speaker 2: hi", "speaker 2", "hi"),
        ("assistant: hi", "assistant", "hi"),
    ],
)
def test_ways_to_name_a_speaker(line: str, speaker: str, text: str) -> None:
    assert said(read(line)) == [(speaker, text)]


@pytest.mark.parametrize(
    "line",
    ["Agenda: money", "https://example.org: down", "Action items: none"],
)
def test_ways_not_to(line: str) -> None:
    assert said(read(line)) == [(None, line)]


def test_names_may_stand_above_what_was_said() -> None:
    parsed = read("Maria Chen  0:03\nGood morning.\n\nTom Berg  1:10\nMorning.\nCoffee?\n")

    assert said(parsed) == [("Maria Chen", "Good morning."), ("Tom Berg", "Morning.\nCoffee?")]
    assert parsed.pieces[2].at == START + timedelta(seconds=70)


def test_a_programme_of_the_day_names_nobody() -> None:
    assert said(read("Talks 9:30\nLunch 12:30\nWalk 14:00\n")) == [
        (None, "Talks 9:30\nLunch 12:30\nWalk 14:00")
    ]


def test_times_of_a_day_count_from_the_first() -> None:
    parsed = read("[10:02] Ada: a\n[10:05] Tom: b\n")

    assert minutes(parsed.pieces[1:]) == [0, 3]


def test_stamps_are_read_by_where_they_begin() -> None:
    second = timedelta(seconds=1)

    assert since_start(["00:05", None, "59:59", "1:00:01"]) == [
        5 * second, None, 3599 * second, 3601 * second,
    ]  # fmt: skip
    assert since_start(["14:00:00", "14:00:30"]) == [0 * second, 30 * second]
    assert since_start(["11:59 PM", "12:01 AM"]) == [0 * second, 120 * second]
    assert since_start(["10:02", "48:10"]) == [602 * second, 2890 * second]
    assert since_start([None]) == [None]


def test_times_are_read_as_they_are_written() -> None:
    assert moment("2026-03-02T10:00:00+01:00") == START
    assert moment("Mon, 02 Mar 2026 10:00:00 +0100") == START
    assert moment(START.timestamp()) == moment(str(START.timestamp() * 1000)) == START
    assert moment("20260302") == moment("2026-03-02") == START.replace(hour=0)
    for nonsense in (None, True, "", "soon", float("nan"), 1e300, "9" * 50, [], "0000-13-01"):
        assert moment(nonsense) is None


VTT = """\
WEBVTT - Weekly

Kind: captions

NOTE made by a machine
00:00:00 is no time here

STYLE
::cue { color: red }

intro-1
00:00:01.000 --> 00:00:03.500 align:start
<v Maria Chen>Good morning &amp; welcome.</v>

00:04.000 --> 00:06.000
<v Maria Chen>We talk about the <i>lease</i>.

3
00:00:06.500 --> 00:00:09.000
<v.loud Tom Berg>At last!</v> <v Maria Chen>Quite.

00:bad --> 00:00:20.000
<v Tom Berg>It ends in 2029.

00:05:00.000 --> 00:05:01.000
<v Tom Berg>And now?

00:05:02.000 --> 00:05:03.000
(silence)
"""


def test_subtitles_become_turns() -> None:
    parsed = read(VTT)

    assert said(parsed) == [
        ("Maria Chen", "Good morning & welcome. We talk about the lease."),
        ("Tom Berg", "At last!"),
        ("Maria Chen", "Quite."),
        ("Tom Berg", "It ends in 2029. And now?"),
        (None, "(silence)"),
    ]
    assert parsed.pieces[0].at == START + timedelta(seconds=1)
    assert parsed.pieces[3].at is None
    assert parsed.lasted == timedelta(seconds=303)


def test_subtitles_keep_their_place() -> None:
    first, second, third, *_ = read(VTT).pieces

    assert VTT[first.start : first.end].startswith("Good morning &amp;")
    assert VTT[first.start : first.end].endswith("<i>lease</i>.")
    assert VTT[second.start : second.end] == "At last!"
    assert VTT[third.start : third.end].strip() == "Quite."


def test_a_long_turn_knows_the_time_of_each_part() -> None:
    cues = [f"00:{n:02}.000 --> 00:{n + 1:02}.000\nThis is sentence {n}.\n" for n in range(50)]
    raw = "WEBVTT\n\n" + "\n".join(cues)

    parts = cut(
        raw,
        is_json=False,
        content_type=ContentType.MEETING,
        rules=PassageRules(max_characters=100),
        started_at=START,
    )

    assert parts[0].at == START
    for part in parts:
        assert part.text.split(".")[0] in raw[part.start : part.end]
        number = int(part.text.split()[3].rstrip("."))
        assert part.at == START + timedelta(seconds=number)


SRT = """\
1
00:00:01,000 --> 00:00:02,000
Maria Chen: Hello.

2
00:00:02,100 --> 00:00:03,000
<i>Still me.</i>
3
00:00:03,500 --> 00:00:04,000
- Tom: Hi!

4
00:00:59,000 --> 00:01:00,000
And after a pause,

some more.
"""


def test_subrip_is_read_even_with_lines_missing() -> None:
    parsed = read(SRT)

    assert said(parsed) == [
        ("Maria Chen", "Hello. Still me."),
        ("Tom", "Hi!"),
        ("Tom", "And after a pause, some more."),
    ]
    assert minutes(parsed.pieces)[2] == 59 / 60


def test_rolling_captions_say_things_once() -> None:
    raw = (
        "WEBVTT\n\n00:00.000 --> 00:02.000\nwe went to the lake\n\n"
        "00:02.000 --> 00:02.010\nwe went to the lake\n\n"
        "00:02.010 --> 00:04.000\nwe went to the lake\nand it was cold\n\n"
        "00:04.000 --> 00:06.000\nYes.\n\n00:06.000 --> 00:08.000\nYes.\n"
    )

    assert said(read(raw)) == [(None, "we went to the lake and it was cold Yes. Yes.")]


def test_subtitles_without_a_cue_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no cue"):
        read("WEBVTT\n\nNOTE nothing here\n")


def test_a_note_that_is_a_file_of_subtitles_is_read_as_one() -> None:
    assert said(read(VTT, "text-note")) == said(read(VTT))


def test_records_line_by_line() -> None:
    raw = (
        '{"speaker": "Ada", "text": "Where is the key?", "at": "2026-03-02T09:00:05Z", "id": "m1"}\n'
        '{"speaker": "Tom", "text": "Under the\\npot.", "start": 12.5}\n'
        '{"speaker": "Tom", "text": "The blue one.", "start": "00:00:20"}\n'
        '{"speaker": "Ada", "text": "tor'
    )
    parsed = read(raw, "conversation")

    assert said(parsed) == [("Ada", "Where is the key?"), ("Tom", "Under the\npot. The blue one.")]
    assert [one.at for one in parsed.pieces] == [
        START + timedelta(seconds=5),
        START + timedelta(seconds=12.5),
    ]
    assert parsed.pieces[0].ref == "m1"
    assert "Where is the key?" in raw[parsed.pieces[0].start : parsed.pieces[0].end]
    assert parsed.started_at == START + timedelta(seconds=5)
    assert parsed.lasted == timedelta(seconds=20)


def test_a_record_around_a_transcript() -> None:
    """As seed 000 has conversations: `{type, content: <JSONL>}`."""
    lines = '{"speaker": "Ada", "text": "Hello."}\n{"speaker": "Tom", "text": "Hi."}'
    raw = json.dumps({"type": "conversation", "title": "Greeting", "content": lines})

    parsed = formats.read(raw, is_json=True, content_type=ContentType.CONVERSATION)

    assert said(parsed) == [("Ada", "Hello."), ("Tom", "Hi.")]
    assert parsed.title == "Greeting"
    assert lines[parsed.pieces[1].start : parsed.pieces[1].end].endswith('"Hi."}')


def test_a_whole_record_given_as_text() -> None:
    raw = json.dumps({"segments": [{"start": 0, "text": "One."}, {"start": 2.5, "text": "Two."}]})
    parsed = read(raw)

    assert said(parsed) == [(None, "One. Two.")]
    assert (parsed.pieces[0].start, parsed.pieces[0].end) == (0, len(raw))


def test_what_an_escape_hid_is_taken_out() -> None:
    assert said(read('{"speaker": "A\\ud800da", "text": "Hi\\u0000 there"}')) == [
        ("Ada", "Hi there")
    ]


def test_records_without_a_text_are_refused() -> None:
    for record in ({"a": 1}, [{"speaker": "Ada"}], 7, {"messages": [{"user": "U1"}]}):
        with pytest.raises(InvalidInput) as caught:
            formats.read(json.dumps(record), is_json=True, content_type=ContentType.MEETING)
        assert caught.value.field == "content"


def test_text_in_parts_is_put_together() -> None:
    parts = [{"type": "text", "text": "Look:"}, {"type": "image"}, "a lake"]
    raw = json.dumps([{"role": "user", "content": parts}])

    parsed = formats.read(raw, is_json=True, content_type=ContentType.CONVERSATION)

    assert said(parsed) == [("user", "Look:\na lake")]


@pytest.mark.parametrize("raw", ["{", "nonsense", '{"a":' * 100_000])
def test_json_that_is_none_is_refused(raw: str) -> None:
    with pytest.raises(InvalidInput):
        formats.read(raw, is_json=True, content_type=ContentType.MEETING)
