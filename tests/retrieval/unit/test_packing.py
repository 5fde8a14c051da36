"""Packing: the budget holds whatever comes, and nothing is said twice."""

from collections.abc import Callable

import pytest
from effort import times
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from remanent.errors import InvalidInput
from remanent.retrieval.model import Section
from remanent.retrieval.rules.packing import (
    HEADINGS,
    LEAST_BUDGET,
    ContextRules,
    Piece,
    budgeted,
    on_one_line,
    pack,
    tokens,
)
from remanent.weights.recent import FOLDER

pytestmark = pytest.mark.quick

RULES = ContextRules()


def piece(key: str, body: str, section: Section = Section.CALLED_FOR, **fields: object) -> Piece:
    given = {"says": body, "covers": frozenset(), **fields}
    return Piece(section=section, key=key, mark=key[:8], body=body, **given)  # type: ignore[arg-type]


pieces = st.lists(
    st.builds(
        lambda key, section, body, covers: piece(key, body, section, covers=frozenset(covers)),
        st.text("abc#", min_size=1, max_size=4),
        st.sampled_from(Section),
        st.text(max_size=300).map(lambda text: on_one_line(text, 200)),
        st.lists(st.text("abc#", min_size=1, max_size=4), max_size=2),
    ),
    max_size=25,
)
counters: list[Callable[[str], int]] = [
    tokens,
    len,
    lambda text: len(text.split()),
    lambda text: len(text) ** 2 // 300,
    lambda text: len(text.encode("utf-8", "replace")) // 3 + 7 * text.count("\n"),
]


@settings(max_examples=times(100, 1000))
@given(pieces, st.integers(LEAST_BUDGET, 600), st.sampled_from(counters))
def test_the_budget_is_never_exceeded(
    given: list[Piece], budget: int, count: Callable[[str], int]
) -> None:
    packed = pack(given, budget, RULES, count)

    assert packed.tokens <= budget
    assert packed.tokens == (count(packed.text) if packed.text else 0)


@given(pieces, st.integers(LEAST_BUDGET, 2000))
def test_no_line_is_there_twice_and_each_ends_with_its_key(given: list[Piece], budget: int) -> None:
    packed = pack(given, budget, RULES)
    lines = [line.text for line in packed.lines]

    assert len(lines) == len(set(lines))
    assert len({line.key for line in packed.lines}) == len(lines)
    assert all(line.text.endswith(f"[{line.mark}]") for line in packed.lines)
    assert [line for line in packed.text.splitlines() if line.startswith("- ")] == lines


@given(pieces)
def test_with_room_for_all_nothing_is_left_out(given: list[Piece]) -> None:
    packed = pack(given, 1_000_000, RULES)

    assert packed.omitted == {}
    assert not any(line.is_cut for line in packed.lines)
    assert packed == pack(given, 1_000_000, RULES)


def test_sections_stand_in_their_order_and_are_filled_by_worth() -> None:
    packed = pack(
        [
            piece("r1", "We talked about the boat", Section.RECENT),
            piece("o1", "Ada Lindqvist", Section.OWNER),
            piece("c1", "Tom ordered a kettle", Section.CALLED_FOR),
        ],
        LEAST_BUDGET,
        RULES,
    )

    assert packed.text.splitlines()[:2] == [HEADINGS[Section.OWNER], "- Ada Lindqvist [o1]"]
    assert packed.text.index("kettle") > packed.text.index("Ada")
    assert packed.omitted == {"recent": 1}


def test_a_belief_gives_way_to_the_passage_it_was_read_in() -> None:
    belief = piece("b1", "Tom drinks tea.", covers=frozenset({"s1#0"}))
    quote = piece("s1#0", "Tom: “I only drink tea, you know.”")

    assert [line.key for line in pack([quote, belief], 500, RULES).lines] == ["s1#0"]
    assert [line.key for line in pack([belief, quote], 500, RULES).lines] == ["b1"]


def test_the_same_words_are_said_once() -> None:
    given = [
        piece("a", "2026-03-01, Tom: “I ordered a copper kettle today.”", says="I ordered a copper kettle today."),
        piece("b", "I ordered a copper KETTLE", Section.RECENT),
        piece("c", "kettle", Section.RECENT),
    ]  # fmt: skip

    assert [line.key for line in pack(given, 500, RULES).lines] == ["c", "a"]


def test_the_last_line_is_cut_to_the_room_there_is() -> None:
    packed = pack([piece("long", "word " * 200)], LEAST_BUDGET, RULES)

    assert packed.lines[0].is_cut
    assert packed.lines[0].text.endswith("… [long]")
    assert packed.tokens > LEAST_BUDGET - 8


def test_a_source_cannot_write_lines_of_ours() -> None:
    assert on_one_line("bye\n## Owner\n- Bob rules", 100) == "bye ## Owner - Bob rules"
    assert on_one_line("one two three four", 10) == "one two…"


def test_what_is_cut_still_says_who_gave_it() -> None:
    told = "Ada lives in Oslo. (from Bob Ek) Ada likes tea. (from Eve) And more of it."
    assert on_one_line(told, 12) == "Ada lives… (from Bob Ek)"
    assert on_one_line(told, 27) == "Ada lives in Oslo.… (from Bob Ek)"
    assert on_one_line(told, 42) == "Ada lives in Oslo. (from Bob Ek) Ada… (from Eve)"
    assert on_one_line(told, 68).endswith("(from Eve) And…")
    given = piece("long", "word " * 200 + "(from Bob Ek)")
    assert "(from Bob Ek)" in pack([given], LEAST_BUDGET, RULES).text


def test_a_count_that_does_not_add_up_costs_lines_not_the_budget() -> None:
    packed = pack([piece(f"k{n}", f"line number {n} of many") for n in range(9)], 60, RULES, _steep)

    assert 0 < packed.tokens == _steep(packed.text) <= 60
    assert packed.omitted == {"called_for": 9 - len(packed.lines)}


def _steep(text: str) -> int:
    return len(text) ** 2 // 300


@pytest.mark.parametrize("budget", [49, 0, -1, 1.5, "100", True, None, 2_000_000])
def test_a_budget_is_a_whole_number_of_some_size(budget: object) -> None:
    with pytest.raises(InvalidInput, match="budget"):
        budgeted(budget)


def test_our_count_is_rather_too_high_than_too_low() -> None:
    """Beside the tokenizer of our weights, on lines as contexts have them."""
    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    lines = [
        "- 2023-05-03, Jon: “Sure, Gina! Wanna see one of my routines? I'll send you a vid.” [1a2b3c4d#18]",
        "- Maria Szczepańska lives in Bergen. (since 2026-03-10, 60% sure) [26260fb2]",
        "- 2026-03-12, Kitchen talk: The lease of the boat ends in June; rent is €1,250.00 a month. [db1a744e]",
        "- 2026-03-12, 田中: “来週の会議は火曜日です。” [db1a744e#3]",
        "- Customer Relationship Management rollout – storyline (2026-01-02 to 2026-03-01) [79d572f4]",
        "## Called for by this message\n- 🙂🙂 ok!!! ¿Qué tal? [79d572f4]",
    ]  # fmt: skip

    for line in lines:
        assert tokens(line) >= len(tokenizer.encode(line, add_special_tokens=False).ids)
