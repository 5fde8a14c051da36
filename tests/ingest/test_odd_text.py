"""Odd text is read like any other: as much work for a kB of it, and its own words in the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bench.odd import HEAD, flat, nested, odd_texts
from remanent import Memory, SteppedClock, UserMemory
from remanent.config import Config
from remanent.core.model.mind_types import Candidate, Reading
from remanent.core.model.source import ContentType, Source
from remanent.core.ports.embedder import TextKind
from remanent.ingest.formats import read
from remanent.ingest.rules.passages import PassageRules, cut
from remanent.testing import HashEmbedder, ScriptedMind

SIZE = 20_000
MOST = 3
TYPES = {
    "text-note": ContentType.TEXT_NOTE,
    "email": ContentType.EMAIL,
    "conversation": ContentType.CONVERSATION,
}


def test_odd_text_falls_into_no_more_passages_than_prose() -> None:
    per_kb = {}
    for name, (kind, text) in odd_texts(SIZE).items():
        pieces = cut(text, is_json=False, content_type=TYPES[kind], rules=PassageRules())
        assert all(len(one.text) <= PassageRules().max_characters for one in pieces)
        per_kb[name] = 1000 * len(pieces) / len(text)
    most = MOST * per_kb["prose"]
    assert {name: count for name, count in per_kb.items() if count > most} == {}


class Counting(ScriptedMind):
    """How many characters it was given to read, and in how many readings."""

    readings: int = 0
    characters: int = 0

    def extract(self, reading: Reading) -> list[Candidate]:
        self.readings += 1
        self.characters += sum(len(one.text) for one in reading.passages)
        return super().extract(reading)


class CountingEmbedder(HashEmbedder):
    texts: int = 0

    def embed(self, texts: Sequence[str], *, kind: TextKind = "passage") -> NDArray[np.float32]:
        self.texts += len(texts)
        return super().embed(texts, kind=kind)


@pytest.mark.parametrize("name", ["prose", "blank lines", "dots", "one word", "mentions"])
def test_the_mind_and_the_embedder_are_given_it_once(
    tmp_path: Path, clock: SteppedClock, name: str
) -> None:
    mind, embedder = Counting(), CountingEmbedder()
    kind, text = odd_texts(SIZE)[name]
    config = Config(memory=str(tmp_path / "m.db"), passages=PassageRules(slice_characters=5000))
    with Memory.open(config, clock=clock, mind=mind, embedder=embedder) as memory:
        ada = memory.user("ada", name="Ada")
        key = ada.add(text, type=kind)
        memory.work()
        passages = ada.read(key).passages
        assert mind.characters == sum(len(one.text) for one in passages)
        assert mind.readings <= len(text) // 5000 + 1
        assert embedder.texts <= 20 * len(text) / 1000


@pytest.mark.parametrize("letter", [nested(500), nested(40), flat(40)])
def test_the_summary_of_a_letter_of_many_parts_is_its_text(ada: UserMemory, letter: str) -> None:
    key = ada.add(letter, type="email")
    ada.work()
    page = ada.read(key)
    assert isinstance(page.node, Source)
    said = " ".join(one.text for one in page.passages)
    assert page.node.summary.startswith(("The kettle is red.", "word0"))
    assert "Content-Type" not in said
    assert "--b" not in said


def test_many_short_paragraphs_are_one_passage_and_keep_their_place() -> None:
    text = "\n\n".join(f"word{number}" for number in range(500))
    pieces = cut(text, is_json=False, content_type=ContentType.TEXT_NOTE, rules=PassageRules())
    assert len(pieces) < 20
    assert all(text[one.start : one.end] == one.text for one in pieces)
    assert "\n\n".join(one.text for one in pieces) == text
    few = "\n\n".join(f"word{number}" for number in range(50))
    assert (
        len(cut(few, is_json=False, content_type=ContentType.TEXT_NOTE, rules=PassageRules())) == 50
    )


def test_turns_of_a_word_each_are_few_passages_and_none_of_two_people() -> None:
    text = "".join(f"Ada: yes{n}\nBob: no{n}\n" for n in range(200))
    pieces = cut(text, is_json=False, content_type=ContentType.CONVERSATION, rules=PassageRules())
    assert len(pieces) < 20
    for speaker, word in (("Ada", "yes"), ("Bob", "no")):
        said = [one for piece in pieces if piece.speaker == speaker for one in piece.text.split()]
        assert said == [f"{word}{n}" for n in range(200)]
    for piece in pieces:
        first, *_, last = piece.text.split()
        stretch = text[piece.start : piece.end]
        assert stretch.startswith(first)
        assert stretch.endswith(last)


def test_short_turns_of_two_people_are_not_one() -> None:
    text = "Ada: yes please\nBob: no thanks\n" * 200
    pieces = cut(text, is_json=False, content_type=ContentType.CONVERSATION, rules=PassageRules())
    assert len(pieces) == 400


def test_a_word_of_a_turn_is_found_with_who_said_it(ada: UserMemory) -> None:
    turns = ["yes"] * 300 + ["parsnip"] + ["yes"] * 300
    ada.add("".join(f"Tom: {one}\nEve: no\n" for one in turns), type="conversation")
    ada.work()
    hit = ada.search("parsnip")[0]
    assert "parsnip" in hit.text
    assert hit.speaker == "Tom"


def test_tiny_paragraphs_are_read_together_where_they_stand() -> None:
    """However many: a megabyte of them once was half a million pieces."""
    text = "Ada's list\n\n" + "\n\n".join(f"w{n}" for n in range(9000)) + "\n \n\nand then the end."
    pieces = read(text, is_json=False, content_type=ContentType.TEXT_NOTE).pieces
    assert len(pieces) < 200
    assert all(one.text == text[one.start : one.end] for one in pieces)
    assert " ".join(one.text for one in pieces).split() == text.split()


@pytest.mark.parametrize(("among", "is_kept"), [("Sarah came", True), ("> Sarah came", False)])
def test_a_letter_of_thousands_of_lines_loses_what_a_short_one_does(
    among: str, *, is_kept: bool
) -> None:
    words = [f"line{n}" for n in range(6000)]
    lines = [*words[:3000], among, *words[3000:]]
    text = f"{HEAD}\n" + "\n".join([*lines, "", "Best,", "Ada"])
    pieces = cut(text, is_json=False, content_type=ContentType.EMAIL, rules=PassageRules())
    said = " ".join(one.text for one in pieces).split()
    assert [one for one in said if one.startswith("line")] == words
    assert ("Sarah" in said) is is_kept
    assert "Best," not in said
    assert all(one.text.split()[0] in text[one.start : one.end] for one in pieces)
