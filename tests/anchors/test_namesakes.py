"""Whom a first name means when somebody of that name has no node; and two names that are one person's."""

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from plain_mind import PlainMind

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.mind_types import Candidate, Reading
from remanent.core.model.node import Kind
from remanent.testing import HashEmbedder, ScriptedMind

START = datetime(2026, 5, 4, 9, tzinfo=UTC)


class PassingMind(PlainMind):
    """Reads lines such as `Also Eva Lund aka Eva Berg` too: named, and nothing said of them."""

    def extract(self, reading: Reading) -> list[Candidate]:
        lines = [line for one in reading.passages for line in one.text.splitlines()]
        also = [line[5:].partition(" aka ") for line in lines if line.startswith("Also ")]
        return super().extract(reading) + [
            Candidate(
                kind=Kind.PERSON,
                name=name,
                confidence=8,
                subpoints=(),
                aliases=tuple(filter(None, [aka])),
            )
            for name, _, aka in also
        ]


@pytest.fixture
def mind() -> ScriptedMind:
    return PassingMind()


@pytest.fixture
def lives(tmp_path: Path) -> Iterator[Callable[[], UserMemory]]:
    opened: list[Memory] = []

    def live() -> UserMemory:
        memory = Memory.open(
            tmp_path / f"{len(opened)}.db",
            clock=SteppedClock(START),
            mind=PassingMind(),
            embedder=HashEmbedder(),
        )
        opened.append(memory)
        return memory.user("ada", name="Ada Lindqvist", timezone="UTC")

    yield live
    for memory in opened:
        memory.close()


def tell(user: UserMemory, *texts: str) -> list[str]:
    keys = []
    for number, text in enumerate(texts):
        keys.append(user.add(text, started_at=START - timedelta(days=30 - number)))
        user.work()
    return keys


def people(user: UserMemory) -> dict[str, tuple[tuple[str, ...], int]]:
    return {
        one.name: (one.aliases, one.source_count)
        for one in user.anchors("person")
        if one.source_count
    }


def in_every_order(
    lives: Callable[[], UserMemory], texts: tuple[str, ...]
) -> list[dict[str, tuple[tuple[str, ...], int]]]:
    pictures = []
    for order in itertools.permutations(enumerate(texts)):
        user = lives()
        for day, text in order:
            user.add(text, started_at=START - timedelta(days=30 - day))
            user.work()
        pictures.append(people(user))
    return pictures


def test_a_first_name_is_nobodys_while_somebody_without_a_node_may_bear_it(
    lives: Callable[[], UserMemory],
) -> None:
    texts = ("Anna Haddad: sings", "Anna: is late", "Also Anna Romano")

    pictures = in_every_order(lives, texts)

    assert pictures == [{"Anna": ((), 1), "Anna Haddad": ((), 1)}] * len(pictures)


def test_the_source_itself_may_settle_it(ada: UserMemory) -> None:
    tell(ada, "Also Anna Romano", "Anna Haddad: sings", "Anna: is late\nAlso Anna Haddad")

    assert people(ada) == {"Anna Haddad": (("Anna",), 2)}


def test_nobody_gets_a_node_by_a_first_name_alone(ada: UserMemory) -> None:
    tell(ada, "Also Anna Romano", "Anna: is late", "Anna: is here")

    assert people(ada) == {"Anna": ((), 2)}


def test_undone_nobody_was_named(ada: UserMemory) -> None:
    tell(ada, "Anna Haddad: sings", "Anna: is late")
    (romano,) = tell(ada, "Also Anna Romano")
    assert set(people(ada)) == {"Anna Haddad", "Anna"}

    ada.undo(romano)

    assert people(ada) == {"Anna Haddad": (("Anna",), 2)}


def test_two_names_said_to_be_one_persons_are_one_node_in_every_order(
    lives: Callable[[], UserMemory],
) -> None:
    texts = ("Eva Berg: sings", "Eva Lund: paints", "Also Eva Lund aka Eva Berg", "Eva: is late")

    pictures = in_every_order(lives, texts)

    assert pictures == [{"Eva Lund": (("Eva", "Eva Berg"), 3)}] * len(pictures)


def test_the_former_name_alone_leads_to_the_name_in_use(ada: UserMemory) -> None:
    tell(ada, "Eva Berg: sings", "Also Eva Lund aka Eva Berg")
    assert people(ada) == {"Eva Lund": (("Eva Berg",), 1)}

    (said,) = tell(ada, "Also Eva Strand aka Eva Lund")
    assert people(ada) == {"Eva Strand": (("Eva Berg", "Eva Lund"), 1)}

    ada.undo(said)
    assert people(ada) == {"Eva Lund": (("Eva Berg",), 1)}


def test_undone_two_names_are_two_people_again(ada: UserMemory) -> None:
    tell(ada, "Eva Berg: sings", "Eva Lund: paints")
    before = people(ada)
    (said,) = tell(ada, "Eva Lund aka Eva Berg: has two names")
    assert people(ada) == {"Eva Lund": (("Eva Berg",), 3)}

    ada.undo(said)

    assert people(ada) == before == {"Eva Berg": ((), 1), "Eva Lund": ((), 1)}


def test_no_text_gives_the_owner_a_name(ada: UserMemory) -> None:
    tell(ada, "Also Ada Berg aka Ada Lindqvist", "Ada Berg: sings", "Ada Lindqvist: sleeps")

    found = people(ada)

    assert found["Ada Berg"] == ((), 1)
    assert found["Ada Lindqvist"][1] == 1


def test_a_role_is_whoever_is_called_so_beside_a_name_in_every_order(
    lives: Callable[[], UserMemory],
) -> None:
    texts = ("My sister: paints", "Ana aka my sister: sings", "Ana Lund: swims")

    pictures = in_every_order(lives, texts)

    assert pictures == [{"Ana Lund": (("Ana", "My sister"), 3)}] * len(pictures)


def test_of_two_sisters_neither_is_meant_by_the_role(lives: Callable[[], UserMemory]) -> None:
    texts = ("My sister: paints", "Ana aka my sister: sings", "Bea aka my sister: swims")

    pictures = in_every_order(lives, texts)

    alone = {"Ana": (("my sister",), 1), "Bea": (("my sister",), 1), "My sister": ((), 1)}
    assert pictures == [alone] * len(pictures)


def test_undone_the_role_is_nobodys_name(ada: UserMemory) -> None:
    tell(ada, "My sister: paints")
    (said,) = tell(ada, "Ana aka my sister: sings")
    assert people(ada) == {"Ana": (("My sister",), 2)}

    ada.undo(said)

    assert people(ada) == {"My sister": ((), 1)}


def test_whose_role_it_is_is_not_meant_by_it(ada: UserMemory) -> None:
    tell(ada, "Sara's boss: paints", "Sara: sings", "My boss: swims")

    assert set(people(ada)) == {"Sara's boss", "Sara", "My boss"}


def test_a_role_is_renamed_and_merged_by_hand(ada: UserMemory) -> None:
    tell(ada, "My landlord: paints", "Olaf Berg: sings")
    keys = {one.name: one.key for one in ada.anchors("person")}

    ada.correct(keys["My landlord"], "name", "Olaf")
    tell(ada, "My landlord: swims")
    assert people(ada)["Olaf"][1] == 2

    ada.merge(keys["My landlord"], keys["Olaf Berg"])
    tell(ada, "My landlord: sleeps")
    assert [count for _, count in people(ada).values()] == [4]
