"""Whatever comes in, of whatever type: read or refused, in its place, in a time that grows with its length."""

import json
import re
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from effort import times
from hypothesis import example, given
from hypothesis import strategies as st

from remanent.core.model.source import ContentType
from remanent.errors import InvalidInput
from remanent.ingest import formats
from remanent.ingest.rules.passages import PassageRules, Piece, cut

pytestmark = pytest.mark.quick

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
RULES = PassageRules(max_characters=60)
TYPES = st.sampled_from(list(ContentType))
# Texts made of what formats are made of, beside texts of anything.
SCRAPS = st.lists(
    st.sampled_from(
        [
            "WEBVTT\n\n", "1\n", "00:01.000 --> 00:02.000\n", "<v Tom>", "</v>", "NOTE ", "-->",
            "Ada: ", "[00:01:02] ", "Tom  0:03\n", "hi ", "\n", "\n\n", "\r\n", "> ", "-- \n",
            "On 1 Mar 2026, Tom wrote:\n", "From: Tom <t@x.no>\n", "To: a@b.c, (((\n", "Sent: now\n",
            "Subject: =?utf-8?q?a=C3?=\n", "Content-Type: multipart/mixed; boundary=x\n", "--x\n",
            "Content-Transfer-Encoding: base64\n", "QUJD", "Content-Type: text/html\n\n", "<p>", "<!--",
            "<blockquote>", "&#99999999999;", "&amp;", "---\n", "title: x\n", "# ", "```\n", "[[a|b]]",
            "- ", "{", "}", '{"text": "a", "start": 3}\n', "[", "\ufeff", "Best,\n", "\x1c", "é", "=",
            "---------- Forwarded message ---------\n", "Begin forwarded message:\n", "12:30 ", "|",
        ]
    ),
    max_size=30,
).map("".join)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=300), SCRAPS)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(
                ["messages", "turns", "text", "body", "html", "content", "from", "to", "user", "ts",
                 "at", "date", "start", "users", "edited", "subtype", "message", "files", "headers",
                 "id", "name", "profile", "attachments", "subject", "message_id", "speaker"]
            ),
            inner,
            max_size=6,
        ),
    ),
    max_leaves=25,
)  # fmt: skip


def pieces(
    raw: str, kind: ContentType, *, is_json: bool = False, rules: PassageRules = RULES
) -> tuple[Piece, ...] | None:
    try:
        return cut(raw, is_json=is_json, content_type=kind, rules=rules, started_at=START)
    except InvalidInput:
        return None


@given(TEXTS, TYPES)
@example("WEBVTT\n\n00:00.000 --> 9999:00:00.000\nhi", ContentType.MEETING)
@example("From: a\nContent-Type: text/html\n\n<p>&#" + "9" * 5000 + ";", ContentType.EMAIL)
def test_any_text_of_any_type_is_read_or_refused(raw: str, kind: ContentType) -> None:
    found = pieces(raw, kind) or ()

    for piece in found:
        assert 0 < len(piece.text) <= RULES.max_characters
        assert piece.text == piece.text.strip()
        assert 0 <= piece.start <= piece.end <= len(raw)
        piece.text.encode("utf-8")
        assert "\x00" not in piece.text or "\x00" in raw
    if kind is not ContentType.EMAIL:
        assert all(one.start <= other.start for one, other in pairwise(found))


@given(TEXTS, TYPES)
def test_reading_twice_gives_the_same(raw: str, kind: ContentType) -> None:
    assert pieces(raw, kind) == pieces(raw, kind)


@given(VALUES, TYPES)
def test_any_record_of_any_type_is_read_or_refused(value: Any, kind: ContentType) -> None:
    raw = json.dumps(value)

    for piece in pieces(raw, kind, is_json=True) or ():
        assert 0 < len(piece.text) <= RULES.max_characters
        assert 0 <= piece.start <= piece.end <= len(raw)
        piece.text.encode("utf-8")


FAREWELLS = {
    "best",
    "love",
    "cheers",
    "thanks",
    "regards",
    "wishes",
    "hilsen",
    "yours",
    "vg",
    "mvh",
}
WORD = st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=8).filter(
    lambda word: word not in FAREWELLS
)
SENTENCES = st.lists(WORD, min_size=1, max_size=12).map(" ".join)


@given(st.lists(SENTENCES, min_size=1, max_size=12), TYPES)
def test_plain_words_are_all_kept(sentences: list[str], kind: ContentType) -> None:
    raw = "\n\n".join(sentences)

    assert _words(pieces(raw, kind)) == raw.split()


@given(st.lists(st.tuples(SENTENCES, st.booleans()), min_size=1, max_size=12))
def test_letters_keep_every_word_that_is_not_quoted(lines: list[tuple[str, bool]]) -> None:
    raw = "begin\n" + "\n".join(f"> {text}" if quoted else text for text, quoted in lines)
    written = ["begin", *(word for text, quoted in lines if not quoted for word in text.split())]
    kept = _words(pieces(raw, ContentType.EMAIL))

    assert kept == written


@given(st.lists(st.tuples(st.sampled_from(["Ada", "Tom Berg"]), SENTENCES), min_size=1, max_size=9))
def test_turns_keep_every_word(turns: list[tuple[str, str]]) -> None:
    raw = "\n".join(f"{who}: {text}" for who, text in turns)
    cues = "\n\n".join(
        f"00:{number:02}.000 --> 00:{number + 1:02}.000\n<v {who}>{text}"
        for number, (who, text) in enumerate(turns)
    )
    said = [word for _, text in turns for word in text.split()]

    assert _words(pieces(raw, ContentType.MEETING)) == said
    assert _words(pieces(f"WEBVTT\n\n{cues}", ContentType.MEETING)) == said
    for piece in pieces(raw, ContentType.MEETING) or ():
        assert raw[piece.start : piece.end] == piece.text


def _words(found: tuple[Piece, ...] | None) -> list[str]:
    return [word for piece in found or () for word in piece.text.split()]


# --- much of what hurts ------------------------------------------------------------------------

MEGABYTE = times(100_000, 1_000_000)  # under torture; a tenth of it guards
LONG = PassageRules()
LETTER = "From: a@b.c\n"
HURTFUL: dict[str, Callable[[], str]] = {
    "a letter": lambda: "a" * MEGABYTE,
    "quotes": lambda: ">" * MEGABYTE,
    "attributions": lambda: "On " * (MEGABYTE // 3),
    "attributions on lines": lambda: ("On " + "a1 " * 96 + "\n") * (MEGABYTE // 292),
    "tags": lambda: "<" * MEGABYTE,
    "open tags": lambda: '<a "' * (MEGABYTE // 4),
    "comments": lambda: LETTER + "Content-Type: text/html\n\n" + "<!--" * (MEGABYTE // 4),
    "styles": lambda: LETTER + "Content-Type: text/html\n\n" + "<style>" * (MEGABYTE // 7),
    "quoted html": lambda: "<p>" + "<blockquote>a" * (MEGABYTE // 13),
    "numbers of characters": lambda: "WEBVTT\n\n00:01.000 --> 00:02.000\n&#" + "1" * MEGABYTE,
    "voices": lambda: "WEBVTT\n\n00:01.000 --> 00:02.000\n" + "<v " * (MEGABYTE // 3),
    "arrows": lambda: "WEBVTT\n\n" + "1 --> " * (MEGABYTE // 6),
    "addresses": lambda: LETTER + "To: " + "a@b, " * (MEGABYTE // 5) + "\n\nhi",
    "open addresses": lambda: "From: " + "(" * MEGABYTE + "@\n\nhi",
    "encoded words": lambda: LETTER + "Subject: " + "=?utf-8?q?a?=" * (MEGABYTE // 13) + "\n\nhi",
    "parts in parts": lambda: (
        LETTER + "Content-Type: multipart/a; boundary=x\n\n--x\n" * (MEGABYTE // 50)
    ),
    "letters in letters": lambda: "Content-Type: message/rfc822\n\n" * (MEGABYTE // 30),
    "base64": lambda: LETTER + "Content-Transfer-Encoding: base64\n\n" + "QUJD" * (MEGABYTE // 4),
    "quoted-printable": lambda: (
        LETTER + "Content-Transfer-Encoding: quoted-printable\n\n" + "=" * MEGABYTE
    ),
    "brackets": lambda: "[[" * (MEGABYTE // 2),
    "braces": lambda: '{"a":' * (MEGABYTE // 5),
    "a number": lambda: '{"text": "a", "at": ' + "1" * MEGABYTE + "}",
    "blanks": lambda: "a" + " " * MEGABYTE + "b",
    "newlines": lambda: "\n" * (MEGABYTE // 4),
    "names": lambda: "Ada Bea Cec Dor " * (MEGABYTE // 16),
    "colons": lambda: "A: " * (MEGABYTE // 3),
    "rules": lambda: "_" * MEGABYTE,
    "stars": lambda: "- * " * (MEGABYTE // 4),
    "front matter": lambda: "---\n" + "a: b\n" * (MEGABYTE // 20),
    "marks": lambda: "<@U1|" * (MEGABYTE // 5),
}


@pytest.mark.slow
@pytest.mark.torture
@pytest.mark.parametrize("name", HURTFUL)
def test_a_megabyte_of_it_is_read_or_refused(name: str) -> None:
    raw = HURTFUL[name]()
    chat = json.dumps({"messages": [{"user": "U1", "text": raw, "ts": "1"}]})

    for kind in ContentType:
        for piece in pieces(raw, kind, rules=LONG) or ():
            assert 0 <= piece.start <= piece.end <= len(raw)
    assert pieces(chat, ContentType.SLACK_THREAD, is_json=True, rules=LONG) is not None
    assert pieces(chat, ContentType.EMAIL, is_json=True, rules=LONG) is not None


def test_a_megabyte_of_speech_keeps_its_words() -> None:
    lines = [f"[{n // 60:02}:{n % 60:02}:00] Speaker {n % 3}: This is what we said, line {n}."
             for n in range(15_000)]  # fmt: skip
    raw = "\n".join(lines)
    parsed = formats.read(raw, is_json=False, content_type=ContentType.MEETING, started_at=START)

    assert len(re.findall(r"line \d+", " ".join(one.text for one in parsed.pieces))) == 15_000
    assert len(parsed.pieces) == 15_001


SPOKEN = "Tom: we went to the lake and it was cold, said Maria to the others.\n"
SHOWN = "00:01.000 --> 00:02.000\n<v Tom>we went to the lake\n\n"
RICH = "<div><p>we went to the <b>lake</b> and it was cold, said Maria.</p></div>\n"


@pytest.mark.slow
@pytest.mark.torture
@pytest.mark.parametrize(
    ("kind", "head", "line"),
    [
        ("meeting", "", SPOKEN),
        ("meeting", "WEBVTT\n\n", SHOWN),
        ("email", LETTER + "\n", SPOKEN),
        ("email", LETTER + "Content-Type: text/html\n\n", RICH),
        ("text-note", "", "# Lake\n\nIt was cold, said [[Maria]].\n\n"),
        ("text-note", "", "- x\n"),
        ("text-note", "", "> x\n"),
        ("conversation", "", '{"speaker": "Tom", "text": "we went to the lake", "start": 7}\n'),
    ],
)
def test_a_megabyte_takes_a_bounded_memory(kind: str, head: str, line: str) -> None:
    raw = head + line * (MEGABYTE // len(line))

    tracemalloc.start()
    found = pieces(raw, ContentType(kind), rules=LONG)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert found
    assert peak < 60 * MEGABYTE
