"""Notes: Markdown, front matter, wiki links, plain paragraphs."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.source import ContentType
from remanent.ingest import formats
from remanent.ingest.formats import Parsed

pytestmark = pytest.mark.quick


def read(raw: str) -> Parsed:
    return formats.read(raw, is_json=False, content_type=ContentType.TEXT_NOTE)


def texts(raw: str) -> list[str]:
    return [one.text for one in read(raw).pieces if one.text.strip()]


NOTE = """\
---
title: "The house by the lake"
date: 2026-03-02
tags: [house, '#plans']
aliases:
  - lake house
---

# The house

Bought in 2019 with [[Maria Chen|Maria]].

## To do

- mend the boiler

- paint the door
  with [[Tom Berg]]

```sh
boil --now

# not a heading
echo [[not a link]]
```

Last paragraph
on two lines.
"""


def test_blocks_stay_whole_and_headings_go_with_what_follows() -> None:
    assert texts(NOTE) == [
        "The house\n\nBought in 2019 with Maria.",
        "To do\n\n- mend the boiler\n\n- paint the door\n  with Tom Berg",
        "```sh\nboil --now\n\n# not a heading\necho [[not a link]]\n```",
        "Last paragraph\non two lines.",
    ]


def test_front_matter_is_data() -> None:
    parsed = read(NOTE)

    assert parsed.title == "The house by the lake"
    assert parsed.started_at == datetime(2026, 3, 2, tzinfo=UTC)
    assert parsed.tags == ("house", "plans")
    assert parsed.mentions == ("Maria Chen", "Tom Berg")
    assert parsed.aliases == ("lake house",)
    assert read("---\ntype: Person\naliases: Pri, Priya\n---\nWords.").about == "person"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("## Monday ##\nLunch with Tom", "Monday\n\nLunch with Tom"),
        ("- [ ] call Tom\n- [x] use Avro ^dec1", "- call Tom\n- use Avro"),
        ("We **chose Avro** for **all**.", "We chose Avro for all."),
        ("2 ** 3 ** 4 is large", "2 ** 3 ** 4 is large"),
        ("I *really* mean _this_, not 3*4*5.", "I really mean this, not 3*4*5."),
        ("* snake_case_name, __init__ and 2 * 3", "* snake_case_name, __init__ and 2 * 3"),
        ("Run `make quick` or ``a`b``.", "Run make quick or ``a`b``."),
        ("See [it](https://x.org/_a_/b)", "See [it](https://x.org/_a_/b)"),
        ("- ~~milk~~ oats", "- ~~milk~~ oats"),
        ("#tag and #1 stay, and so does x ^ y", "#tag and #1 stay, and so does x ^ y"),
        ("The end. ^a1b2", "The end."),
        ("```\n# a comment\n- [ ] **x** ^y\n```", "```\n# a comment\n- [ ] **x** ^y\n```"),
    ],
)
def test_marks_are_no_words(raw: str, text: str) -> None:
    assert texts(raw) == [text]
    (piece,) = read(raw).pieces
    assert (piece.start, piece.end) == (0, len(raw))


def test_marks_cost_no_more_than_words() -> None:
    many = ("**a ", " ^a", "- [ ] ", "`a ", " *a", " _a")
    for odd in ("# " + "#" * 50_000 + "x", *(one * 20_000 for one in many)):
        assert read(odd).pieces


def test_pieces_know_their_place() -> None:
    first, second, code, last = read(NOTE).pieces

    assert NOTE[first.start : first.end].endswith("with [[Maria Chen|Maria]].")
    assert NOTE[second.start : second.end].startswith("## To do")
    assert NOTE[code.start : code.end] == code.text
    assert NOTE[last.start : last.end] == last.text


@pytest.mark.parametrize(
    ("matter", "tags"),
    [
        ("tags: a, b", ("a", "b")),
        ("tags: a b", ("a", "b")),
        ("tags:\n  - a\n  - '#b'", ("a", "b")),
        ("tags: []", ()),
        ("created: 2026-03-02T10:00", ()),
    ],
)
def test_ways_to_write_front_matter(matter: str, tags: tuple[str, ...]) -> None:
    parsed = read(f"---\n{matter}\n---\nWords.")

    assert parsed.tags == tags
    assert [one.text for one in parsed.pieces] == ["Words."]


@pytest.mark.parametrize(
    "raw",
    ["---\n\nA line above, no fields.\n\n---\n\nMore.", "---\ntitle: open to the end\n\nMore."],
)
def test_lines_that_only_look_like_front_matter_are_kept(raw: str) -> None:
    kept = " ".join(texts(raw)).split()

    assert [word for word in raw.split() if word != "---"] == [one for one in kept if one != "---"]


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        ("# One #\n\ntext", "One"),
        ("## Two\ntext", "Two"),
        ("text\n\n# Three", "Three"),
        ("text\n\n## Four", ""),
        ("#tag text", ""),
        ("```\n# code\n```", ""),
        ("# [[Maria Chen|Maria]]\n\ntext", "Maria"),
        ("Just text.", ""),
    ],
)
def test_titles(raw: str, title: str) -> None:
    assert read(raw).title == title


@pytest.mark.parametrize(
    ("link", "text", "mentions"),
    [
        ("[[Maria Chen]]", "Maria Chen", ("Maria Chen",)),
        ("[[People/Maria Chen#Work|her work]]", "her work", ("Maria Chen",)),
        ("[[Lease^block1]]", "Lease", ("Lease",)),
        ("see ![[boat.png]]", "see", ()),
        ("![[Plan]]", "Plan", ("Plan",)),
        ("[[]] and [[a", "[[]] and [[a", ()),
        ("[a](https://example.org)", "[a](https://example.org)", ()),
    ],
)
def test_links(link: str, text: str, mentions: tuple[str, ...]) -> None:
    parsed = read(link)

    assert [one.text.strip() for one in parsed.pieces] == [text]
    assert parsed.mentions == mentions


def test_lists_end_where_other_text_begins() -> None:
    assert texts("1. one\n\n2. two\n\nother\n\n- three") == ["1. one\n\n2. two", "other", "- three"]


def test_a_line_drawn_between_two_parts_says_nothing() -> None:
    assert texts("a\n\n---\n\nb\n\n* * *\n\nc") == ["a", "b", "c"]


def test_headings_on_headings_wait_for_words() -> None:
    assert texts("# A\n\n## B\n\nwords\n\n## C\n") == ["A\n\nB\n\nwords", "C"]
    assert texts("words\n# A\nmore") == ["words", "A\n\nmore"]


def test_a_fence_that_is_never_closed_goes_to_the_end() -> None:
    assert texts("a\n\n````\nb\n\n```\n\nc") == ["a", "````\nb\n\n```\n\nc"]


@given(st.text("ab é1-_~ \t\n", max_size=40))
def test_plain_paragraphs_are_the_same_beside_a_marked_one(raw: str) -> None:
    """Text without any mark is read by a shorter way, line for line as by the long one."""
    alone, beside = read(raw).pieces, read(f"{raw}\n\n**a**").pieces
    if "~~~" not in raw and alone and alone[-1].text.strip()[:1].isalpha():
        assert alone == beside[: len(alone)]
