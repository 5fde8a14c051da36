"""The words of a source can be found as soon as `add` returns, before any worker has read it."""

from __future__ import annotations

from datetime import UTC, datetime

from remanent import Memory, UserMemory
from remanent.core.model.node import Kind
from remanent.core.records.admin import Level


def test_a_note_is_found_by_its_words_before_it_is_read(memory: Memory, ada: UserMemory) -> None:
    key = ada.add("The kettle is red.\n\nThe marmot sleeps in the attic all winter.")
    ada.add([{"speaker": "Tom", "text": "We sail at noon from the quay."}], type="conversation")

    hit = ada.search("Where does the marmot sleep?")[0]
    assert (hit.key, hit.kind, hit.source_key) == (key, Kind.SOURCE, key)
    assert hit.text == "The marmot sleeps in the attic all winter."
    assert ada.search("quay")[0].text == "We sail at noon from the quay."
    assert not memory.user("bob").search("marmot")

    memory.work()
    hits = ada.search("marmot")
    assert hits[0].kind is Kind.PASSAGE
    (deep,) = [one for one in memory.doctor(deep=True).findings if one.part == "deep"]
    assert deep.level is Level.OK


def test_of_years_that_are_imported_all_is_findable_before_any_is_understood(
    memory: Memory, ada: UserMemory
) -> None:
    for year in (2019, 2020, 2021):
        ada.add(f"In {year} I lived in Bergen.", started_at=datetime(year, 5, 1, tzinfo=UTC))
    today = ada.add("I live in Oslo now.")

    done: list[str] = []
    memory.work(progress=lambda step: done.append(step.key))
    kinds = [one.split(":")[0] + ("@" if "@" in one else "") for one in done]
    assert kinds == 4 * ["process"] + 4 * ["process@", "extract"]
    assert all(today in one for one in (done[0], *done[4:6]))


def test_what_is_erased_before_it_is_read_is_not_found(memory: Memory, ada: UserMemory) -> None:
    key = ada.add("The marmot sleeps in the attic.")
    ada.erase(key)
    assert not ada.search("marmot")


def test_odd_and_long_texts_are_found_by_a_word(ada: UserMemory) -> None:
    for number, odd in enumerate(("word " * 100_000, "x\n" * 50_000, "." * 100_000, "y" * 300_000)):
        key = ada.add(f"{odd} walrus{number}")
        assert ada.search(f"walrus{number}")[0].key == key
