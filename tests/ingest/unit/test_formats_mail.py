"""Letters: as RFC 5322 text, as records, and what is left out of them."""

import base64
import json
import quopri
from datetime import UTC, datetime
from typing import Any

import pytest

from remanent.core.model.source import ContentType
from remanent.errors import InvalidInput
from remanent.ingest import formats
from remanent.ingest.formats import Parsed, markdown
from remanent.ingest.rules.passages import PassageRules, cut

pytestmark = pytest.mark.quick


def read(raw: str) -> Parsed:
    return formats.read(raw, is_json=False, content_type=ContentType.EMAIL)


def record(value: Any, kind: ContentType = ContentType.EMAIL) -> Parsed:
    return formats.read(json.dumps(value), is_json=True, content_type=kind)


def said(parsed: Parsed) -> list[tuple[str | None, str]]:
    return [(one.speaker, one.text) for one in parsed.pieces]


def body(text: str) -> str:
    """What is left of the body of a letter from Maria."""
    (piece,) = read(f"From: Maria Chen <maria@example.org>\nSubject: x\n\n{text}").pieces
    assert piece.speaker == "Maria Chen"
    return piece.text


SIMPLE = """\
Return-Path: <maria@example.org>
Message-ID: <lease-1@example.org>
Date: Mon, 02 Mar 2026 10:15:00 +0100
From: "Chen, Maria" <maria@example.org>
To: Ada Lindqvist <ada@example.net>, tom@example.org
Cc: =?utf-8?q?J=C3=B8rgen_Dahl?= <jd@example.org>
Subject: =?utf-8?b?TGVhc2Ugw6UgbGE=?= carte

Hello Ada,

the lease is signed. It runs until 2029.
"""


def test_a_simple_letter() -> None:
    parsed = read(SIMPLE)
    (piece,) = parsed.pieces

    assert piece.text == "Hello Ada,\n\nthe lease is signed. It runs until 2029."
    assert (piece.speaker, piece.ref) == ("Maria Chen", "<lease-1@example.org>")
    assert piece.at == parsed.started_at == datetime(2026, 3, 2, 9, 15, tzinfo=UTC)
    assert parsed.title == "Lease å la carte"
    assert parsed.participants == (
        "Maria Chen <maria@example.org>",
        "Ada Lindqvist <ada@example.net>",
        "tom@example.org",
        "Jørgen Dahl <jd@example.org>",
    )
    assert SIMPLE[piece.start : piece.end] == piece.text


def test_lines_that_end_in_return_and_newline() -> None:
    raw = SIMPLE.replace("\n", "\r\n")
    (piece,) = read(raw).pieces

    assert piece.text == "Hello Ada,\n\nthe lease is signed. It runs until 2029."
    assert raw[piece.start : piece.end].startswith("Hello Ada,\r\n")


def test_a_quoted_reply_below_is_out() -> None:
    assert (
        body(
            "Friday is fine.\n\n"
            "On Mon, 2 Mar 2026 at 10:15, Ada Lindqvist <ada@example.net>\nwrote:\n\n"
            "> Does Friday suit you?\n> \n> On Sun, Maria wrote:\n>> Let us meet.\n"
        )
        == "Friday is fine."
    )


def test_answers_between_the_lines_stay() -> None:
    assert (
        body(
            "On 2 Mar 2026, Ada wrote:\n> Who brings the soup?\n\nI do.\n\n"
            "> And the bread?\n\nTom does.\n"
        )
        == "I do.\n\nTom does."
    )


def test_a_quotation_without_marks_is_out() -> None:
    assert (
        body("See you there.\n\nOn 2 March 2026 Ada wrote:\n\nShall we go to the lake?\nAda\n")
        == "See you there."
    )


@pytest.mark.parametrize(
    "attribution",
    [
        "Am 02.03.2026 um 10:15 schrieb Ada Lindqvist:",
        "Le lun. 2 mars 2026 à 10:15, Ada <ada@example.net> a écrit :",
        "Den man. 2. mars 2026 kl. 10:15 skrev Ada <ada@example.net>:",
        "El 2 mar 2026, Ada escribió:",
    ],
)
def test_other_tongues_quote_too(attribution: str) -> None:
    assert body(f"Ja, gern.\n\n{attribution}\n> Kommst du?\n") == "Ja, gern."


def test_a_sentence_about_writing_is_no_quotation() -> None:
    text = "On the train I read what Tom wrote: it is good.\nOn Monday he wrote:\nnothing."

    assert body(text) == text


def test_the_headers_of_a_program_begin_a_quotation() -> None:
    assert (
        body(
            "Agreed.\n\n________________________________\n"
            "From: Ada Lindqvist <ada@example.net>\nSent: Monday, March 2, 2026 10:15 AM\n"
            "To: Maria Chen\nSubject: Re: Lease\n\nShall I sign?\n"
        )
        == "Agreed."
    )
    assert body("Yes.\n\n-----Original Message-----\nFrom: Ada\nSent: today\n\nNo?") == "Yes."


def test_words_that_look_like_a_header_are_none() -> None:
    text = "From: now on we meet on Tuesdays.\nAgreed?"

    assert body(text) == text


FORWARDED = """\
---------- Forwarded message ---------
From: Tom Berg <tom@example.org>
Date: Sun, 1 Mar 2026 08:00:00 +0000
Subject: The boiler
To: Maria Chen <maria@example.org>

The boiler will be mended on Thursday.

-- 
Tom Berg
"""  # noqa: W291 - the mark of a signature ends in a blank


def test_what_is_forwarded_is_told_by_who_wrote_it() -> None:
    parsed = read(f"From: Maria Chen <maria@example.org>\nSubject: Fwd\n\n{FORWARDED}")
    (piece,) = parsed.pieces

    assert said(parsed) == [("Tom Berg", "The boiler will be mended on Thursday.")]
    assert piece.at == datetime(2026, 3, 1, 8, tzinfo=UTC)


def test_a_word_above_what_is_forwarded_stays_the_senders() -> None:
    parsed = read(f"From: Maria Chen <m@example.org>\n\nCan you be there?\n\n{FORWARDED}")

    assert said(parsed) == [
        ("Maria Chen", "Can you be there?"),
        ("Tom Berg", "The boiler will be mended on Thursday."),
    ]


def test_a_quotation_stays_when_it_is_all_there_is() -> None:
    marked = read(
        "From: m@example.org\n\nOn 1 Mar 2026, Tom Berg wrote:\n> The boiler is broken.\n"
    )
    headed = read(
        "From: m@example.org\n\nFrom: Tom Berg\nSent: 2026-03-01\n\nThe boiler is broken."
    )

    assert said(marked) == said(headed) == [("Tom Berg", "The boiler is broken.")]


@pytest.mark.parametrize(
    "signature",
    [
        "-- \nMaria Chen\nHead of Houses",
        "--\nMaria",
        "Sent from my iPhone",
        "Get Outlook for Android",
        "Best regards,\nMaria",
        "Kind regards\n\nMaria Chen\nHead of Houses | Example Ltd\n+47 22 33 44 55",
        "Cheers!\nM",
        "Maria",
        "– Maria Chen",
        "Mit freundlichen Grüßen\nMaria Chen",
        "Maria Chen\nTel: +47 22 33 44 55\nmaria@example.org",
        "This e-mail and its attachments are confidential and intended only for its addressee.",
        "Thanks,\nMaria\n\nSent from my Samsung Galaxy\n\n-- \nExample Ltd",
    ],
)
def test_signatures_are_out(signature: str) -> None:
    assert body(f"The keys are with Tom.\n\n{signature}\n") == "The keys are with Tom."


@pytest.mark.parametrize(
    "text",
    [
        "Thanks!",
        "Best,\nMaria",
        "Thanks for the soup.\nIt was good.",
        "Call Tom:\n\n- tel. 22 33 44 55 before noon.\n- else maria@example.org, please.",
        "Best\nof all is that the lake was warm.",
    ],
)
def test_what_only_looks_like_a_signature_stays(text: str) -> None:
    assert body(text) == text


def test_a_postscript_stays() -> None:
    assert (
        body("The lake is warm.\n\nBest,\nMaria\n\nP.S. Bring a towel.\n")
        == "The lake is warm.\n\nP.S. Bring a towel."
    )


HTML = """\
<!DOCTYPE html><html><head><title>x</title><style>p { color: red }</style></head>
<body><!-- <p>unseen</p> -->
<div>Hello&nbsp;Ada,</div><br>
<p>the <b>lease</b> is
signed &amp; paid. 2 < 3.</p>
<ul><li>keys<li>papers</ul>
<table><tr><td>Rent</td><td>900</td></tr></table>
<div class="gmail_quote"><div>On Mon, 2 Mar 2026, Ada &lt;ada@example.net&gt; wrote:<br></div>
<blockquote><div>Is it signed?</div></blockquote></div></body></html>
"""


def test_html_becomes_text() -> None:
    raw = f"From: Maria <m@example.org>\nContent-Type: text/html; charset=utf-8\n\n{HTML}"
    (piece,) = read(raw).pieces

    assert piece.text == (
        "Hello Ada,\n\nthe lease is signed & paid. 2 < 3.\n\n- keys\n- papers\n\nRent 900"
    )
    assert raw[piece.start : piece.end].startswith("Hello&nbsp;Ada")
    assert raw[piece.start : piece.end].endswith("900")


def test_lines_of_html_know_their_place() -> None:
    for line in markdown.lines_in(HTML):
        for word in line.text.split():
            if word.isalpha():
                assert word in HTML[line.start : line.end]


def test_of_alternatives_the_plain_one_is_read() -> None:
    raw = (
        "From: m@example.org\nMIME-Version: 1.0\n"
        'Content-Type: multipart/alternative; boundary="cut"\n\nno reader sees this\n'
        "--cut\nContent-Type: text/plain\n\nPlain words.\n"
        "--cut\nContent-Type: text/html\n\n<p>Rich words.</p>\n--cut--\n"
    )
    (piece,) = read(raw).pieces

    assert piece.text == raw[piece.start : piece.end] == "Plain words."
    empty = raw.replace("Plain words.", " ")
    assert said(read(empty)) == [("m@example.org", "Rich words.")]


def test_attachments_are_not_read_and_attached_letters_are() -> None:
    raw = (
        "From: Maria <m@example.org>\nSubject: Two things\n"
        "Content-Type: multipart/mixed; boundary=cut\n\n"
        "--cut\nContent-Type: text/plain\n\nSee below.\n"
        "--cut\nContent-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nsecret\n"
        "--cut\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\n\nJVBERi0=\n"
        "--cut\nContent-Type: message/rfc822\n\nFrom: Tom <t@example.org>\nSubject: Boiler\n\nMended.\n"
        "--cut--\n"
    )
    parsed = read(raw)

    assert said(parsed) == [("Maria", "See below."), ("Tom", "Mended.")]
    assert [raw[one.start : one.end] for one in parsed.pieces] == ["See below.", "Mended."]
    assert parsed.title == "Two things"


def test_a_letter_of_mere_attachments_says_nothing() -> None:
    parsed = read(
        "From: Maria <m@example.org>\nSubject: The plan\nContent-Type: application/pdf\n"
        "Content-Transfer-Encoding: base64\n\nJVBERi0xLjcKJSVFT0Y=\n"
    )

    assert (parsed.pieces, parsed.title) == ((), "The plan")


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "windows-1252"])
def test_encodings_are_undone(charset: str) -> None:
    words = "Blåbærsyltetøy til frokost, sa Jørgen. " * 4
    quoted = quopri.encodestring(words.encode(charset)).decode("ascii")
    coded = base64.encodebytes(words.encode(charset)).decode("ascii")

    for name, text in (("quoted-printable", quoted), ("base64", coded)):
        raw = (
            f"From: m@example.org\nContent-Type: text/plain; charset={charset}\n"
            f"Content-Transfer-Encoding: {name}\n\n{text}"
        )
        (piece,) = read(raw).pieces
        assert piece.text == words.strip()
        assert raw[piece.start : piece.end].strip() == text.strip()


def test_the_parts_of_an_encoded_letter_stay_inside_it() -> None:
    raw = (
        "From: m@example.org\nContent-Transfer-Encoding: base64\n\n"
        + base64.encodebytes(b"One sentence here. Another one there.\n" * 20).decode()
    )
    parts = cut(
        raw, is_json=False, content_type=ContentType.EMAIL, rules=PassageRules(max_characters=90)
    )

    assert len(parts) > 5
    assert {(one.start, one.end) for one in parts} == {(raw.index("\n\n") + 2, len(raw))}


@pytest.mark.parametrize(
    "raw",
    [
        "From: a@b\nContent-Type: multipart/mixed; boundary=x\n\nno boundary at all",
        "From: a@b\nContent-Type: multipart/mixed\n\nno boundary at all",
        "From: a@b\nContent-Type: text/plain; charset=klingon\n\nno boundary at all",
        "From: a@b\nContent-Type: text/plain; charset=punycode\n\nno boundary at all",
        "From: a@b\nContent-Type: nonsense;;;=\nDate: when it rained\n\nno boundary at all",
        "From: =?utf-8?b?!?= <a@b>\nSubject: =?x?q?=ZZ?=\n\nno boundary at all",
        "From: (((((((((a@b\nTo: <<<<>>>>@\n\nno boundary at all",
        "no boundary at all",
    ],
)
def test_a_damaged_letter_is_read_as_far_as_it_goes(raw: str) -> None:
    assert [one.text for one in read(raw).pieces] == ["no boundary at all"]


def test_half_of_a_coded_letter_is_half_a_letter() -> None:
    coded = base64.b64encode(b"The boiler will be mended on Thursday.").decode()[:-5]
    raw = f"From: a@b\nContent-Transfer-Encoding: base64\n\n{coded}"

    assert read(raw).pieces[0].text.startswith("The boiler will be mended on Thur")


def test_parts_in_parts_without_end_are_text() -> None:
    raw = "From: a@b\n" + "Content-Type: multipart/mixed; boundary=x\n\n--x\n" * 5000 + "words"

    assert read(raw).pieces[-1].text.endswith("words")


# --- records -----------------------------------------------------------------------------------


THREAD = {
    "subject": "Dinner on Friday",
    "messages": [
        {
            "from": {"name": "Ada Lindqvist", "address": "ada@example.net"},
            "to": ["Maria Chen <maria@example.org>"],
            "date": "Wed, 04 Mar 2026 10:40:00 +0100",
            "message_id": "<2@x>",
            "body": "I will bring soup.\n\nOn 4 Mar 2026, Maria wrote:\n> Seven at our place?\n",
        },
        {
            "from": "Maria Chen <maria@example.org>",
            "to": "ada@example.net",
            "cc": "tom@example.org",
            "date": "2026-03-04T10:15:00+01:00",
            "message_id": "<1@x>",
            "html": "<p>Seven at our place?</p><p>Best,<br>Maria</p>",
        },
        {"from": "Ada Lindqvist", "message_id": "<2@x>", "body": "I will bring soup."},
    ],
}


def test_a_thread_goes_from_old_to_new_and_says_things_once() -> None:
    parsed = record(THREAD)

    assert said(parsed) == [
        ("Maria Chen", "Seven at our place?"),
        ("Ada Lindqvist", "I will bring soup."),
    ]
    assert parsed.title == "Dinner on Friday"
    assert parsed.started_at == datetime(2026, 3, 4, 9, 15, tzinfo=UTC)
    assert [one.ref for one in parsed.pieces] == ["<1@x>", "<2@x>"]
    assert "Maria Chen <maria@example.org>" in parsed.participants
    assert "Ada Lindqvist <ada@example.net>" in parsed.participants


def test_places_are_in_the_texts_as_they_were_given() -> None:
    messages: Any = THREAD["messages"]
    laid = "".join(one.get("body") or one["html"] for one in messages)

    for piece in record(THREAD).pieces:
        assert laid[piece.start : piece.end] == piece.text


def test_a_letter_as_a_record_of_headers_and_body() -> None:
    """As seed 000 has e-mail: `{type, from, subject, body, headers}`."""
    letter = {
        "type": "email",
        "subject": "Lease",
        "body": "<div>Signed.</div>",
        "headers": {"From": "Tom <tom@x.no>", "Date": "Mon, 2 Mar 2026 10:00:00 +0000"},
    }
    parsed = record(letter)

    assert said(parsed) == [("Tom", "Signed.")]
    assert parsed.pieces[0].at == datetime(2026, 3, 2, 10, tzinfo=UTC)


def test_a_letter_without_a_body_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no body"):
        record({"from": "tom@x.no", "subject": "Lease"})


def test_letters_without_a_date_keep_their_place() -> None:
    letters = [
        {"from": "a@x", "body": "first"},
        {"from": "b@x", "body": "third", "date": "2026-03-04"},
        {"from": "c@x", "body": "fourth"},
        {"from": "d@x", "body": "second", "date": "2026-03-02"},
    ]

    assert [one.text for one in record({"messages": letters}).pieces] == [
        "first",
        "second",
        "third",
        "fourth",
    ]


def test_turns_called_a_letter_are_letters() -> None:
    turns = [{"speaker": "Tom", "text": "Signed.\n\n> Is it?", "at": "2026-03-02T10:00:00+00:00"}]

    assert said(record(turns)) == [("Tom", "Signed.")]
