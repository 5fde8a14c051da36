"""Why a memory is not in an answer."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from plain_mind import PlainMind

from remanent import Memory, UserMemory
from remanent.core.model.lifecycle import State
from remanent.core.model.mind_types import Judgement
from remanent.errors import InvalidInput, UnknownKey
from remanent.testing import ScriptedMind

START = datetime(2026, 5, 4, 9, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def mind() -> ScriptedMind:
    return PlainMind()


@pytest.fixture
def told(ada: UserMemory) -> UserMemory:
    for number in range(30):
        ada.add(
            [{"speaker": "Tom", "text": "tea " * (30 - number) + f"cup{number}"}],
            started_at=START - (30 - number) * DAY,
        )
    ada.work()
    return ada


def _key(user: UserMemory, words: str) -> str:
    hits = user.search(words, limit=1000, kinds=["passage"], touch=False)
    return next(hit.key for hit in hits if words in hit.text)


def test_it_is_returned(told: UserMemory) -> None:
    hits = told.search("tea", kinds=["passage"])

    why = told.why_not(hits[2].key, "tea", kinds=["passage"])

    assert (why.returned, why.rank, why.key) == (True, 3, hits[2].key)
    assert why.score == hits[2].score


def test_it_ranks_too_low(told: UserMemory) -> None:
    hits = told.search("tea", limit=30, kinds=["passage"])
    assert len(hits) == 30

    why = told.why_not(hits[24].key, "tea", kinds=["passage"])

    assert (why.returned, why.rank) == (False, 25)
    assert why.reason.startswith("it ranks 25th, and 10 were asked for")
    assert {part.name for part in why.parts} >= {"lexical", "dense"}
    assert {part.name for part in why.against} >= {"lexical", "dense"}
    assert told.why_not(hits[24].key, "tea", 25, kinds=["passage"]).returned


def test_no_word_in_common(told: UserMemory) -> None:
    told.add("zebra crossing")
    told.work()

    why = told.why_not(_key(told, "zebra"), "tea", kinds=["passage"])

    assert not why.returned
    assert "it shares no word with the question" in why.reason


@pytest.mark.parametrize(
    ("filters", "reason"),
    [
        ({"speaker": "Maria"}, "it is filtered out by speaker"),
        ({"types": ["email"]}, "it is filtered out by types"),
        ({"since": START}, "it is filtered out by since"),
        ({"as_of": START - 90 * DAY}, "it is later than as_of, or was not true then"),
        ({"known_at": START - DAY}, "it was not recorded yet at known_at"),
        ({"kinds": ["belief"]}, "it is a passage, and asked for were: belief"),
    ],
)
def test_a_filter_keeps_it_out(told: UserMemory, filters: dict[str, object], reason: str) -> None:
    why = told.why_not(_key(told, "cup3"), "tea", **filters)  # type: ignore[arg-type]

    assert (why.returned, why.reason) == (False, reason)


def test_it_is_archived(told: UserMemory, memory: Memory) -> None:
    key = _key(told, "cup3")
    env = memory.env
    scope = env.registry.scope_of("ada")
    node = env.graph.get(scope, key.partition("#")[0])
    assert node is not None
    env.graph.put(scope, replace(node, life=replace(node.life, state=State.ARCHIVED)))

    why = told.why_not(key, "tea")

    assert (
        why.reason
        == "it is archived, and something at hand answers well; include_archived finds it"
    )
    assert why.state.startswith("archived")
    assert told.why_not(key, "tea", 1000, include_archived=True).returned
    node = env.graph.get(scope, key.partition("#")[0])
    assert node is not None
    assert node.life.state is State.ARCHIVED


def test_it_was_superseded(ada: UserMemory, mind: ScriptedMind) -> None:
    mind.judgements = lambda *_: Judgement.CONTRADICTS
    old = ada.remember("Maria lives in Oslo now", START - 9 * DAY).belief
    new = ada.remember("Maria lives in Bergen now", START - DAY).belief

    why = ada.why_not(old.key, "where does Maria live")

    assert why.reason == f"it is no longer held true: replaced by {new.key}"
    assert ada.why_not(new.key[:13], "where does Maria live").returned
    assert ada.why_not(old.key, "Maria", as_of=START - 5 * DAY).returned


def test_it_is_not_read_yet(ada: UserMemory) -> None:
    key = ada.add("Some tea.")

    assert "rank 1" in ada.why_not(key, "tea").reason  # by its words, until it is read


def test_what_is_not_there_or_anothers_looks_the_same(told: UserMemory, memory: Memory) -> None:
    bob = memory.user("bob")
    secret = _key(told, "cup3")

    for key in ("no-such-key", secret, secret.partition("#")[0]):
        with pytest.raises(UnknownKey):
            bob.why_not(key, "tea")
    with pytest.raises(InvalidInput, match="query"):
        told.why_not(secret, "")
