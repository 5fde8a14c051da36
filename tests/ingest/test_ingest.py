"""One door: what is acknowledged is in the ledger, raw and whole, once."""

from datetime import timedelta
from typing import Any

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.event import SOURCE_ADDED
from remanent.core.model.job import JobKind
from remanent.core.model.source import ProcessingStatus, Source
from remanent.errors import Forbidden, InvalidInput, RemanentError, UnknownUser

TURNS = [{"speaker": "Ada", "text": "Hello.", "id": "t1"}, {"speaker": "Tom", "text": "Hi."}]


def events(memory: Memory, user_id: str = "ada") -> list[str]:
    stores = memory.env
    scope = stores.registry.scope_of(user_id)
    return [event.event_type for event in stores.ledger.replay(scope)]


def test_what_was_added_is_there_at_once_and_unchanged(ada: UserMemory) -> None:
    key = ada.add("  Bought   bread.\r\n", title="Shopping")

    page = ada.read(key)

    assert isinstance(page.node, Source)
    assert page.raw == "  Bought   bread.\r\n"
    assert page.node.title == "Shopping"
    assert page.node.processing_status is ProcessingStatus.RAW


def test_the_ledger_knows_and_the_job_is_promised(memory: Memory, ada: UserMemory) -> None:
    key = ada.add(TURNS)

    assert events(memory)[-1] == SOURCE_ADDED
    assert [(job.kind, job.payload) for job in ada.jobs()] == [
        (JobKind.PROCESS, {"source_key": key})
    ]


def test_the_same_content_twice_is_one_source(memory: Memory, ada: UserMemory) -> None:
    key = ada.add(TURNS)

    assert ada.add(TURNS) == key
    assert events(memory).count(SOURCE_ADDED) == 1
    assert len(ada.jobs()) == 1


def test_the_same_origin_twice_is_one_source(ada: UserMemory) -> None:
    assert ada.add("First words.", origin_id="m1") == ada.add("Other words.", origin_id="m1")


def test_the_same_content_under_another_origin_is_one_source(ada: UserMemory) -> None:
    assert ada.add("The words.", origin_id="m1") == ada.add("The words.", origin_id="m2")


def test_the_same_words_on_two_days_are_two_sources(ada: UserMemory, clock: SteppedClock) -> None:
    yesterday = clock.now() - timedelta(days=1)

    assert ada.add("Gym.", started_at=yesterday) != ada.add("Gym.", started_at=clock.now())


def test_two_users_have_two_sources(memory: Memory, ada: UserMemory) -> None:
    bob = memory.user("bob")

    assert ada.add("The words.") != bob.add("The words.")


@pytest.mark.parametrize(
    ("field", "content", "options"),
    [
        ("content", "", {}),
        ("content", "x" * 50_000_000, {}),
        ("content", "a\ud800", {}),
        ("content", b"\xff\xfe", {}),
        ("content", "a\x00b", {}),
        ("type", "A note.", {"type": "podcast"}),
        ("origin_id", "A note.", {"origin_id": ""}),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(
    memory: Memory, ada: UserMemory, field: str, content: Any, options: dict[str, Any]
) -> None:
    before = events(memory)

    with pytest.raises(InvalidInput) as caught:
        ada.add(content, **options)

    assert caught.value.field == field
    assert events(memory) == before
    assert ada.jobs() == []


def test_a_future_date_is_refused(ada: UserMemory, clock: SteppedClock) -> None:
    with pytest.raises(InvalidInput, match=r"started_at.*future"):
        ada.add("A note.", started_at=clock.now() + timedelta(days=2))


def test_writing_to_a_team_needs_membership(ada: UserMemory) -> None:
    with pytest.raises(Forbidden, match="not a member"):
        ada.add("For the team.", team="crew")


def test_an_unknown_user_is_refused_where_none_may_be_made(memory: Memory) -> None:
    with pytest.raises(UnknownUser, match="nobody"):
        memory.user("nobody", create=False)


@pytest.mark.parametrize(
    "profile",
    [
        {"user_id": ""},
        {"user_id": "a\nb"},
        {"user_id": "a", "timezone": "Mars"},
        {"user_id": "a", "name": ""},
    ],
)
def test_a_bad_profile_is_refused(memory: Memory, profile: dict[str, str]) -> None:
    with pytest.raises(RemanentError):
        memory.user(**profile)
    assert [user.user_id for user in memory.users()] == []


def test_the_owner_is_made_from_the_profile(memory: Memory, ada: UserMemory) -> None:
    (owner,) = ada.anchors("person")

    assert (owner.name, owner.confidence, owner.life.state) == ("Ada Lindqvist", 1.0, "core")
    memory.user("ada", name="Ada Berg")
    (renamed,) = ada.anchors("person")
    assert (renamed.key, renamed.name, renamed.aliases) == (
        owner.key,
        "Ada Berg",
        ("Ada Lindqvist",),
    )


def test_registering_again_changes_nothing(memory: Memory, ada: UserMemory) -> None:
    before = events(memory)

    memory.user("ada")
    memory.user("ada", name="Ada Lindqvist", timezone="Europe/Oslo")

    assert events(memory) == before
