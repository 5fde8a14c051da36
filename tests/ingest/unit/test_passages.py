"""How raw sources fall into passages."""

import json
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.source import ContentType
from remanent.ingest.rules.passages import PassageRules, Piece, cut, passages

pytestmark = pytest.mark.quick

RULES = PassageRules(max_characters=60)


def pieces(raw: str, kind: str = "text-note") -> tuple[Piece, ...]:
    return cut(raw, is_json=False, content_type=ContentType(kind), rules=RULES)


def records(record: object) -> tuple[Piece, ...]:
    return cut(json.dumps(record), is_json=True, content_type=ContentType.CONVERSATION, rules=RULES)


def test_a_note_falls_into_paragraphs() -> None:
    assert [one.text for one in pieces("First.\n\n \n\nSecond\nline.\n")] == [
        "First.",
        "Second\nline.",
    ]


def test_a_spoken_text_falls_into_turns() -> None:
    said = pieces("Ada: hello there\nhow are you\n[10:02] Tom Berg: fine: really\n", "conversation")

    assert [(one.speaker, one.text) for one in said] == [
        ("Ada", "hello there\nhow are you"),
        ("Tom Berg", "fine: really"),
    ]


def test_words_before_a_colon_are_not_always_a_speaker() -> None:
    assert [one.speaker for one in pieces("Note: buy milk\nhttps://a.b", "meeting")] == [None]
    assert [one.speaker for one in pieces("Shopping list for today is this long: milk")] == [None]


def test_what_comes_before_the_first_speaker_is_kept() -> None:
    said = pieces("(recording starts)\nAda: hi", "meeting")

    assert [(one.speaker, one.text) for one in said] == [
        (None, "(recording starts)"),
        ("Ada", "hi"),
    ]


def test_turns_keep_speaker_time_and_id() -> None:
    said = records(
        [
            {"speaker": "Ada", "text": "hi", "at": "2026-01-02T03:04:05+01:00", "id": "t1"},
            {"text": "  "},
            {"text": "bye", "at": "2026-01-02T03:04:05"},
        ]
    )

    assert [(one.speaker, one.ref, one.text) for one in said] == [
        ("Ada", "t1", "hi"),
        (None, None, "bye"),
    ]
    assert said[0].at == datetime(2026, 1, 2, 2, 4, 5, tzinfo=UTC)
    assert said[1].at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_a_mail_and_a_thread_are_read() -> None:
    (mail,) = records({"from": "tom@x.no", "subject": "Lease", "body": "Signed.", "date": "soon"})
    thread = records(
        {"channel": "ops", "messages": [{"user": "U1", "text": "up", "ts": "1760000000.5"}]}
    )

    assert (mail.speaker, mail.text, mail.at) == ("tom@x.no", "Signed.", None)
    assert (thread[0].speaker, thread[0].ref) == ("U1", "1760000000.5")
    assert thread[0].at == datetime.fromtimestamp(1760000000.5, UTC)


def test_long_passages_break_at_a_sentence() -> None:
    said = pieces("This is the first sentence of all. And this is the second one here. Done.")

    assert [one.text for one in said] == [
        "This is the first sentence of all.",
        "And this is the second one here. Done.",
    ]


def test_long_lists_break_at_a_line() -> None:
    said = pieces("- bread and butter\n- milk for the week\n- two kilos of potatoes\n- tea")

    assert [one.text for one in said] == [
        "- bread and butter\n- milk for the week",
        "- two kilos of potatoes\n- tea",
    ]


def test_a_long_stretch_of_blanks_is_no_passage() -> None:
    assert [one.text for one in pieces("a" + " " * 500 + "b")] == ["a", "b"]


def test_passages_skip_what_was_cleaned_away_and_have_no_gaps() -> None:
    made = passages("s", pieces("a\n\nb\n\nc"), ["A", "  ", "C"])

    assert [(one.key, one.ordinal, one.text) for one in made] == [("s#0", 0, "A"), ("s#1", 1, "C")]


@given(st.text(max_size=400), st.sampled_from(["text-note", "conversation"]))
def test_offsets_lead_back_to_the_raw_text(raw: str, kind: str) -> None:
    made = pieces(raw, kind)

    for piece in made:
        assert raw[piece.start : piece.end] == piece.text or "[[" in raw
        assert 0 < len(piece.text) <= RULES.max_characters
    assert all(one.end <= other.start for one, other in pairwise(made))
