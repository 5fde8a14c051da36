"""Golden cases of the shipped reader: plain sentences that it must go on to read as it does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from remanent.core.model.mind_types import Judgement
from remanent.minds.reader import heads
from remanent.minds.reader.judge import DOUBT, decided, judge
from remanent.minds.reader.labels import JUDGE, RELATIONS, TAGS, TYPES
from remanent.minds.reader.reading import THRESHOLDS, ReadSource, load, read
from remanent.minds.reader.tokens import MOST_TOKENS, Window, windows
from remanent.weights.encoder import tokenizer

SAME, REFINES, AGAINST, APART = (
    Judgement.SAME,
    Judgement.REFINES,
    Judgement.CONTRADICTS,
    Judgement.DIFFERENT,
)


def note(text: str) -> ReadSource:
    return read([(None, text)])


def types(text: str) -> dict[str, str]:
    return {one.surface: one.type for one in note(text).mentions}


@pytest.mark.parametrize(
    ("believed", "said"),
    [
        ("Priya works at Stripe.", "Priya left Stripe."),
        ("I live in Oslo.", "We moved to Bergen last month."),
        ("Tom and Julia are engaged.", "Tom and Julia called off the wedding and split up."),
        ("The launch is on 3 May.", "The launch has been pushed back to 17 May."),
        ("I drive a Volvo.", "I sold the Volvo and ride a bicycle now."),
        ("My sister is vegetarian.", "My sister eats meat again these days."),
        ("Our office is on Storgata.", "Our office moved to the harbour in June."),
        ("I smoke.", "I gave up smoking."),
    ],
)
def test_a_change_is_seen(believed: str, said: str) -> None:
    assert judge(said, [believed]) == [AGAINST]


@pytest.mark.parametrize(
    ("believed", "said"),
    [
        ("My daughter was born in 2019.", "Our girl was born in 2019."),
        ("I am allergic to peanuts.", "I can't eat peanuts, I have an allergy."),
        ("Maria works as a nurse.", "Maria is a nurse by profession."),
        ("Ben lives in Lisbon.", "Ben's home is in Lisbon."),
    ],
)
def test_a_repetition_is_seen(believed: str, said: str) -> None:
    assert judge(said, [believed])[0] in {SAME, REFINES}


@pytest.mark.parametrize(
    ("believed", "said"),
    [
        ("Priya works at Stripe.", "Priya's brother works at Stripe too."),
        ("I live in Oslo.", "My mother lives in Bergen."),
        ("I like tea.", "I like coffee."),
        ("Ann speaks French.", "Ann is learning Polish."),
        ("I have a cat.", "I have two sisters."),
        ("The launch is on 3 May.", "The party is on 17 May."),
        ("I work in Geneva.", "I might look for a job in Basel one day."),
        ("Tom plays the cello.", "It rained all week."),
    ],
)
def test_what_may_stand_side_by_side_is_left_alone(believed: str, said: str) -> None:
    assert judge(said, [believed]) == [APART]


@pytest.mark.parametrize(
    ("believed", "said"),
    [
        ("Maria plays the cello.", "Maria works at Haukeland hospital now."),
        ("Fatima has two kids.", "Fatima lives in Bergen now."),
        ("My brother plays the cello.", "My brother has moved to Bergen."),
        ("I have asthma.", "I am a teacher now."),
    ],
)
def test_news_of_another_matter_ends_nothing(believed: str, said: str) -> None:
    assert judge(said, [believed])[0] in {APART, Judgement.DOUBTFUL}


@pytest.mark.parametrize(
    ("believed", "said"),
    [
        ("Maria works at the bank.", "Maria works at Haukeland hospital now."),
        ("Maria lives in Oslo.", "Maria lives in Bergen now."),
        ("My brother plays the cello.", "My brother gave up the cello."),
    ],
)
def test_the_same_news_ends_what_it_is_about(believed: str, said: str) -> None:
    assert judge(said, [believed]) == [AGAINST]


@pytest.mark.parametrize(
    ("believed", "said"),
    [
        ("We move in March.", "We move on 30 June."),
        ("The choir rehearses in the church.", "The choir rehearses in the church on Tuesday."),
    ],
)
def test_what_names_another_day_is_not_lost(believed: str, said: str) -> None:
    assert judge(said, [believed])[0] is not SAME


@pytest.mark.parametrize(
    "said",
    [
        "I drink green tea with honey every morning, but none of that holds any more.",
        "I drink green tea every morning and nothing of it is true.",
        "Nothing holds any more, I drink green tea with honey every morning.",
    ],
)
def test_what_takes_up_a_belief_and_denies_it_in_one_breath_ends_nothing(said: str) -> None:
    believed = "I drink green tea with honey every morning."
    assert judge(said, [believed])[0] not in {Judgement.CONTRADICTS, Judgement.SAME}


@pytest.mark.parametrize(
    "said",
    [
        "I no longer live in Oslo, I live in Bergen.",
        "I live in Bergen, I don't live in Oslo any more.",
        "I used to live in Oslo, but now I live in Bergen.",
    ],
)
def test_a_change_may_name_what_was(said: str) -> None:
    assert judge(said, ["I live in Oslo."]) == [Judgement.CONTRADICTS]


@pytest.mark.parametrize(
    "said", ["Tom likes green tea.", "I have never been to Japan.", "I'm vegetarian.", "?!"]
)
def test_what_is_said_again_word_for_word_is_the_same(said: str) -> None:
    assert judge(said.upper(), [said, "The ferry leaves at nine."])[0] is Judgement.SAME


def test_what_has_other_numbers_is_not_the_same() -> None:
    said = "My appointment with Dr. Nilsen is on Thursday 19 March at 14:30."
    assert judge(said, ["Dr. Nilsen is away on Tuesday 17 March."]) != [Judgement.SAME]


def test_what_cannot_be_read_repeats_and_ends_nothing() -> None:
    foreign = ["김민준은 내 친구다.", "나는 부산으로 이사했다.", "Я живу в Москве.", "我妹妹是医生。",
               "Моя сестра работает врачом.", "أختي مريم تعيش في القاهرة"]  # fmt: skip
    for said in [*foreign, "I moved to 부산."]:
        others = [one for one in foreign if one != said]
        assert judge(said, others) == [APART] * len(others)
    assert judge(foreign[0].rstrip("."), foreign[:1]) == [SAME]
    assert judge("I moved to 부산.", ["I live in 서울."]) == [AGAINST]


def test_each_believed_statement_gets_its_own_answer_in_order() -> None:
    believed = ["I like tea.", "I live in Oslo.", "My sister plays chess."]
    assert judge("I moved from Oslo to Bergen.", believed) == [APART, AGAINST, APART]
    assert judge("I live in Bergen.", []) == []


def test_an_answer_does_not_depend_on_what_else_is_asked() -> None:
    alone = judge("I moved to Bergen.", ["I live in Oslo."])
    assert judge("I moved to Bergen.", ["x" * 500, "I live in Oslo."])[1:] == alone


def test_who_joins_another_firm_may_have_left_the_one_before() -> None:
    """Both stand then, and the older one is in dispute: some have two."""
    (verdict,) = judge("Priya joined Anthropic in September.", ["Priya works at Stripe."])
    assert verdict in {AGAINST, Judgement.DOUBTFUL}
    left = "Priya left Stripe and joined Anthropic in September."
    assert judge(left, ["Priya works at Stripe."]) == [AGAINST]


def test_in_doubt_it_says_so() -> None:
    chances = load().heads["judge_out.bias"] * 0
    chances[JUDGE.index("update")] = (DOUBT + THRESHOLDS.update) / 2
    assert decided(chances) is Judgement.DOUBTFUL
    chances[JUDGE.index("update")] = THRESHOLDS.update
    assert decided(chances) is AGAINST
    chances[:] = 0
    chances[JUDGE.index("refine")] = THRESHOLDS.same
    assert decided(chances) is REFINES


@pytest.mark.parametrize(
    ("text", "surface", "type_"),
    [
        ("Had lunch with Priya in Toronto.", "Priya", "person"),
        ("Had lunch with Priya in Toronto.", "Toronto", "location"),
        ("Kwame moved to Accra in March.", "Kwame", "person"),
        ("Kwame moved to Accra in March.", "Accra", "location"),
        ("Min-jun and Soo-jin are coming on Friday.", "Soo-jin", "person"),
        ("I started at Equinor.", "Equinor", "organization"),
        ("Kwame moved to Accra in March.", "March", "date"),
    ],
)
def test_mentions_have_a_type(text: str, surface: str, type_: str) -> None:
    assert types(text).get(surface) == type_


@pytest.mark.parametrize(("first", "last"), [("in", "bergen"), (".", "baker")])
def test_a_name_begins_with_no_small_word_and_no_mark(
    monkeypatch: pytest.MonkeyPatch, first: str, last: str
) -> None:
    def spans(_: object, window: Window) -> list[tuple[tuple[int, int], int, float]]:
        words = [window.word(i) for i in range(len(window.turns))]
        end = len(words) - words[::-1].index(last)
        start = max(i for i in range(end) if words[i] == first)
        return [((start, end), TYPES.index("person"), 0.9)]

    monkeypatch.setattr(heads, "typed_spans", spans)
    (one,) = note("Dromi v. Baker was heard in Bergen").mentions
    assert one.surface.casefold() == last


def test_a_pronoun_means_whoever_was_named() -> None:
    found = note("I met Maria. She moved to Bergen.")
    assert [(one.surface, one.key) for one in found.references] == [("She", "Maria")]


def test_nobody_speaks_of_himself_as_he() -> None:
    found = read([("Tom", "He lives in Oslo.")])
    assert all(one.key != "Tom" for one in found.references)


def test_what_lasts_is_kept_and_small_talk_is_not() -> None:
    talk = [
        ("Ada", "Hi! How are you?"),
        ("Ben", "Fine, thanks. I moved to Porto in May and work as a baker now."),
        ("Ada", "Wow, great!"),
    ]
    found = read(talk, ["Ada"])
    assert {one.place.turn for one in found.statements} == {1}
    assert {one.subject for one in found.statements} == {"Ben"}


def test_a_question_keeps_nothing() -> None:
    assert note("Does Maria still live in Oslo?").statements == []


def test_a_long_source_is_read_in_windows_that_remember_who_was_named() -> None:
    filler = [("Ada", "The weather was grey and the bus was late again, as always.")] * 60
    talk = [*filler, ("Ada", "I met Maria at the harbour."), ("Ada", "She is a nurse.")]
    parts = list(windows(tokenizer(), talk))
    assert len(parts) > 1
    assert all(len(one.numbers) <= load().longest for one in parts)
    read_once = [piece.number for one in parts for piece in one.pieces[one.own :]]
    assert read_once == list(range(len(talk)))
    assert ("She", "Maria") in [(one.surface, one.key) for one in read(talk, ["Ada"]).references]


def test_a_turn_that_is_too_long_is_read_in_pieces() -> None:
    text = "Maria lives in Oslo. " + "And so it went on and on. " * 400
    parts = list(windows(tokenizer(), [("me", text)]))
    assert all(len(one.numbers) <= MOST_TOKENS + 200 for one in parts)
    whole = "".join(piece.words for one in parts for piece in one.pieces[one.own :])
    assert whole.split() == text.split()
    assert read([(None, text)]).mentions[0].surface == "Maria"


@pytest.mark.parametrize("text", ["", " ", "...", "🙂", "\ud83d", "[SEP] [CLS]", "a" * 5000])
def test_any_text_can_be_read(text: str) -> None:
    note(text)
    judge(text, [text])


def test_reading_leaves_nothing_for_the_makers_of_the_runtime(tmp_path: Path) -> None:
    code = "from remanent.minds.reader.judge import judge; judge('I moved.', ['I live here.'])"
    env = {"PATH": "", "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    env["PYTHONPATH"] = os.pathsep.join(sys.path)
    subprocess.run([sys.executable, "-c", code], check=True, env=env)
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == []


def test_labels_are_as_many_as_the_heads_have() -> None:
    heads = load().heads
    assert len(heads["tags.bias"]) == sum(TAGS.values())
    assert len(heads["rel_out.bias"]) == len(RELATIONS)
    assert len(heads["judge_out.bias"]) == len(JUDGE)
    assert TAGS["mention"] == 1 + 2 * len(TYPES)


def test_a_name_ends_before_a_small_word() -> None:
    told = read([(None, "Maria applied for a job at Haukeland hospital in Bergen.")])
    names = {one.surface for one in told.mentions}
    assert not any(name.endswith((" in", " at", " of")) for name in names)
    assert {"Maria", "Bergen"} <= names
