"""Our tokenizer gives what the package `tokenizers` gives for the same file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from remanent.weights.encoder import tokenizer
from remanent.weights.recent import FOLDER

DATA = Path(__file__).parents[3] / "training" / "data" / "notes"
LETTERS = st.characters(
    codec="utf-8", max_codepoint=0x24F, exclude_categories=["Cs", "Co", "Cn"]
) | st.sampled_from("東京한국“”…—–€½²ßﬁİΣ🎉\u200d\u0301\ufffd\t\n")


@pytest.fixture(scope="module")
def theirs() -> Tokenizer:
    made = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    made.no_padding()
    made.no_truncation()
    made.encode_special_tokens = True
    return made


def same(theirs: Tokenizer, text: str) -> bool:
    wanted, found = theirs.encode(text, add_special_tokens=False), tokenizer().encode(text)
    return (found.ids, found.offsets) == (wanted.ids, wanted.offsets)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t ",
        "I live in Oslo.",
        "don't—“quote”… €5 ½ x² [SEP] [CLS]",
        "Fête 🎉 with 👩\u200d👩\u200d👧 in 東京",
        "Ångström Çelik İstanbul ΣΑΣ straße ﬁne",
        "e\u0301te\u0301 한국어 नमस्ते",
        "a\x00b\x0bc\x7fd\ufffde",
        "x" * 101 + " " + "y" * 100,
        "snake_case@example.com/path?q=1&r=2",
    ],
)
def test_odd_texts(theirs: Tokenizer, text: str) -> None:
    assert same(theirs, text)


@settings(deadline=None, max_examples=100)
@given(text=st.text(LETTERS, max_size=60))
def test_any_text(theirs: Tokenizer, text: str) -> None:
    assert same(theirs, text)


def test_texts_of_people(theirs: Tokenizer) -> None:
    files = sorted(DATA.glob("*.jsonl"))[:4]
    lines = [line for file in files for line in file.read_bytes().splitlines()]
    texts = [json.loads(line)["text"] for line in lines]
    assert len(texts) > 20
    assert all(same(theirs, text) for text in texts)
