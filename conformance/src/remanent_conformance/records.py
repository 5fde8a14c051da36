"""What every store of records promises."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import date, timedelta
from typing import Any

import pytest

from remanent.core.model.sleep import SleepJob
from remanent.core.ports.records import Records, Select
from remanent.core.records.access import (
    ApiKey,
    AuditEntry,
    Invitation,
    InvitationState,
    Membership,
    Power,
    Role,
    Stay,
    Team,
    User,
)
from remanent.core.records.export import KeyRecord, Mark, NightPosition, TeamRecord
from remanent.core.records.idempotency import IdempotentRequest
from remanent.core.records.item import Item, ItemVector
from remanent.core.records.spending import Answer, Spent
from remanent.errors import Forbidden
from remanent_conformance.builders import MOMENT, a_scope, a_user, an_answer

ANN, BOB = a_scope("ann"), a_scope("bob")
HOUR = timedelta(hours=1)
TEAM = Team(
    team_id="red", name="Red", created_at=MOMENT, created_by="ann", settings={"days": [1, None]}
)
PLACE: dict[str, Any] = {
    "team_id": "red",
    "user_id": "ann",
    "role": Role.ADMIN,
    "joined_at": MOMENT,
}
INVITATION = Invitation(
    invitation_id="one",
    team_id="red",
    user_id="bob",
    role=Role.MEMBER,
    invited_by="ann",
    at=MOMENT,
    expires_at=MOMENT + HOUR,
)
KEY = KeyRecord(
    key_id="one",
    name="a bot",
    user_id=None,
    powers=frozenset({Power.READ, Power.WRITE}),
    team=None,
    created_by="",
    created_at=MOMENT,
    expires_at=MOMENT + HOUR,
    digest="hash",
)
SPENT = Spent(user_id="ann", day=date(2031, 1, 2), task="judge", model="m", calls=1, usd=0.5)
NAMED = IdempotentRequest(
    user_id="ann",
    asker="key",
    name="n",
    request="r",
    claim="first",
    begun_at=MOMENT,
    expires_at=MOMENT + HOUR,
    body=b"\x00\xff",
)
VECTOR = ItemVector(user_id="ann", event_id="1", lens="lens", path="text", vector=b"\x00\x01")


def an_item(key: str = "k", *namespace: str, **changed: Any) -> Item:
    usual = Item(
        user_id="ann",
        room="room",
        namespace=namespace or ("a",),
        key=key,
        value={"text": key},
        event_id=f"event-{namespace}-{key}",
        created_at=MOMENT,
        updated_at=MOMENT,
    )
    return replace(usual, **changed)


def a_deed(actor: str = "ann", **changed: Any) -> AuditEntry:
    return AuditEntry(**{"seq": 0, "at": MOMENT, "actor": actor, "act": "team.created", **changed})


ODD = an_item(
    "«ключ» ",
    "a",
    "b\n",
    value={"n": 1.5, "list": [None, True, {"x": "\x00é🌍"}], "": {}},
    paths=("text", "list[*].x"),
    ttl_minutes=2.5,
    expires_at=MOMENT,
)
HOUSEHOLD = [
    (a_user("ann", name="Ann Ødegård", primary_team="red"), ("ann",)),
    (TEAM, ("red",)),
    (Membership(**PLACE), ("ann", "red")),
    (Stay(**PLACE, left_at=MOMENT + HOUR), ("ann", "red", MOMENT, MOMENT + HOUR)),
    (INVITATION, ("one",)),
    (KEY, ("one",)),
    (Mark(name="x", value="y"), ("x",)),
]
OWN = [
    (an_answer("digest", user="ann", source_key="s"), ("digest",)),
    (SPENT, (SPENT.day, "", "judge", "m")),
    (NAMED, ("key", "n")),
    (ODD, ("room", ("a", "b\n"), "«ключ» ")),
    (VECTOR, ("1", "lens", "text")),
]


class RecordsContract:
    """Override `new_records`."""

    @pytest.fixture
    def new_records(self) -> Callable[[], Records]:
        raise NotImplementedError("a function that makes a store of no records")

    @pytest.fixture
    def records(self, new_records: Callable[[], Records]) -> Records:
        """With the user and the team that a membership hangs on."""
        made = new_records()
        made.put(None, a_user("ann"))
        made.put(None, TEAM)
        return made

    @pytest.mark.parametrize(
        ("record", "key"), HOUSEHOLD, ids=lambda one: type(one).__name__ if one else ""
    )
    def test_the_households_come_back_as_they_were_put(
        self, records: Records, record: Any, key: tuple[Any, ...]
    ) -> None:
        records.put(None, record)
        assert records.get(None, type(record), *key) == record
        assert record in records.find(None, Select(type(record)))
        with pytest.raises(Forbidden):
            records.find(ANN, Select(type(record)))

    @pytest.mark.parametrize(
        ("record", "key"), OWN, ids=lambda one: type(one).__name__ if one else ""
    )
    def test_a_users_own_is_read_and_written_by_nobody_else(
        self, records: Records, record: Any, key: tuple[Any, ...]
    ) -> None:
        every = Select(type(record))
        records.put(ANN, record)
        assert records.get(ANN, type(record), *key) == record
        assert records.find(ANN, every) == [record]
        assert records.get(BOB, type(record), *key) is None
        assert records.find(BOB, every) == records.values(BOB, every, "user_id") == []
        assert records.find(BOB, Select(type(record), {"user_id": "ann"})) == []
        assert records.delete(BOB, every) == records.change(BOB, every, user_id="bob") == 0
        for scope in (BOB, None):
            for write in (records.put, records.claim):
                with pytest.raises(Forbidden):
                    write(scope, record)
        with pytest.raises(Forbidden):
            records.find(None, every)
        assert records.find(ANN, every) == [record]
        assert records.delete(None, every) == 1
        assert records.find(ANN, every) == []

    def test_the_first_time_stands(self, records: Records) -> None:
        later = a_user("ann", name="Anna", created_at=MOMENT + HOUR)
        records.put(None, later)
        assert records.find(None, Select(User)) == [replace(later, created_at=MOMENT)]
        records.put(None, replace(TEAM, name="R", created_by="bob", created_at=MOMENT + HOUR))
        assert records.get(None, Team, "red") == replace(TEAM, name="R")
        records.put(None, INVITATION)
        declined = replace(INVITATION, state=InvitationState.DECLINED)
        records.put(None, replace(declined, user_id="eve", role=Role.OWNER))
        assert records.get(None, Invitation, "one") == declined

    def test_two_sorts_are_found_at_once(self, records: Records) -> None:
        records.put(
            None, Membership(team_id="red", user_id="ann", role=Role.OWNER, joined_at=MOMENT)
        )
        users, places = Select(User, {"user_id": "ann"}), Select(Membership, {"user_id": "ann"})
        found = records.find_each(None, users, places)
        assert found == (records.find(None, users), records.find(None, places))
        assert [len(some) for some in found] == [1, 1]
        nobody = Select(User, {"user_id": "nobody"})
        assert records.find_each(None, places, nobody) == (found[1], [])
        with pytest.raises(Forbidden):
            records.find_each(ANN, Select(NightPosition), users)

    def test_who_claims_first_has_it(self, records: Records) -> None:
        assert records.claim(ANN, NAMED) == NAMED
        assert records.claim(ANN, replace(NAMED, claim="second")) == NAMED
        assert records.delete(ANN, Select(IdempotentRequest, {"claim": "second"})) == 0
        answered = Select(IdempotentRequest, {"claim": "first"})
        assert records.change(ANN, answered, status=200, body=b"{}") == 1
        assert records.claim(ANN, NAMED) == replace(NAMED, status=200, body=b"{}")
        records.put(BOB, replace(NAMED, user_id="bob"))
        assert records.delete(None, Select(IdempotentRequest, {"expires_at <=": MOMENT})) == 0
        assert (
            records.delete(None, Select(IdempotentRequest, {"expires_at <=": MOMENT + HOUR})) == 2
        )

    def test_a_position_is_a_users_own_and_never_goes_back(self, records: Records) -> None:
        early = NightPosition(job=SleepJob.FADE, done_until=MOMENT)
        late = replace(early, done_until=MOMENT + HOUR)
        assert records.get(ANN, NightPosition, early.job) is None
        for one, there in ((early, early), (late, late), (early, late)):
            records.put(ANN, one)
            assert records.get(ANN, NightPosition, early.job) == there
        other = replace(early, job=SleepJob.PROMOTE)
        records.put(ANN, other)
        assert records.find(ANN, Select(NightPosition)) == [late, other]
        assert records.find(BOB, Select(NightPosition)) == []
        records.put(BOB, early)
        assert records.get(ANN, NightPosition, early.job) == late
        with pytest.raises(Forbidden):
            records.put(None, early)

    def test_of_many_who_claim_at_once_one_has_it(self, records: Records) -> None:
        claims: list[str] = []

        def claim(number: int) -> None:
            claims.append(records.claim(ANN, replace(NAMED, claim=str(number))).claim)

        _at_once(claim)
        assert len(claims) == 8
        assert len(set(claims)) == 1

    def test_what_is_added_at_once_is_all_counted(self, records: Records) -> None:
        _at_once(lambda _: records.add(ANN, SPENT))
        assert records.find(ANN, Select(Spent)) == [replace(SPENT, calls=8, usd=4.0)]

    def test_rows_are_told_apart_by_their_key(self, records: Records) -> None:
        others = [replace(SPENT, job="x"), replace(SPENT, task="x"), replace(SPENT, model="x")]
        later = replace(SPENT, day=date(2031, 1, 3))
        for one in (later, *others, SPENT):
            records.add(ANN, one)
        assert records.find(ANN, Select(Spent, {"day >=": later.day})) == [later]
        job, task, model = others
        assert records.find(ANN, Select(Spent, {"day": SPENT.day})) == [SPENT, model, task, job]

    def test_a_key_can_be_had_without_the_hash_of_its_secret(self, records: Records) -> None:
        records.claim(None, KEY)
        records.claim(None, replace(KEY, name="another", digest="other"))
        (shown,) = records.find(None, Select(ApiKey, order=("created_at", "key_id")))
        assert shown == ApiKey(**{one.name: getattr(KEY, one.name) for one in fields(ApiKey)})
        open_ = Select(ApiKey, {"key_id": "one", "revoked_at": None})
        assert records.change(None, open_, revoked_at=MOMENT) == 1
        assert records.change(None, open_, revoked_at=MOMENT + HOUR) == 0
        assert records.get(None, KeyRecord, "one") == replace(KEY, revoked_at=MOMENT)

    def test_a_team_that_was_deleted_can_be_told_from_others(self, records: Records) -> None:
        there = Select(Team, {"team_id": "red", "deleted_at": None})
        assert records.find(None, there) == [TEAM]
        assert records.change(None, there, deleted_at=MOMENT) == 1
        assert records.find(None, there) == []
        gone = records.get(None, TeamRecord, "red")
        assert gone is not None
        assert gone.deleted_at == MOMENT

    def test_deeds_are_numbered_in_order(self, records: Records) -> None:
        for one in (a_deed(team_id="red"), a_deed(team_id="blue", seq=99), a_deed("bob")):
            records.put(None, one)
        deeds = records.find(None, Select(AuditEntry))
        assert [one.actor for one in deeds] == ["ann", "ann", "bob"]
        assert [one.seq for one in deeds] == sorted({one.seq for one in deeds})
        page = Select(AuditEntry, {"seq >": deeds[0].seq}, limit=1)
        assert records.find(None, page) == deeds[1:2]
        assert records.find(None, replace(page, limit=0)) == []
        assert records.find(None, Select(AuditEntry, {"team_id": [None, "red"]})) == [
            deeds[0],
            deeds[2],
        ]

    def test_answers_are_taken_away_by_what_they_are_about(self, records: Records) -> None:
        answers = [
            an_answer("1", user="ann", source_key="s"),
            an_answer("2", user="ann", answered_at=MOMENT),
            an_answer("3", user="ann", answered_at=MOMENT + HOUR),
        ]
        for one in answers:
            records.put(ANN, one)
        late = {"source_key": None, "answered_at >=": MOMENT + HOUR}
        assert records.delete(ANN, Select(Answer, late)) == 1
        assert records.delete(ANN, Select(Answer, {"source_key": "s"})) == 1
        assert records.find(ANN, Select(Answer)) == answers[1:2]

    def test_a_path_begins_with_whole_labels(self, records: Records) -> None:
        paths = (("foo",), ("foo", "x"), ("foobar",), ("Foo",), ('foo"',), ("foo,",), ("fo",))
        for path in paths:
            records.put(ANN, an_item("k", *path))
        below = Select(Item, {"room": "room", "namespace below": ("foo",)})
        assert {one.namespace for one in records.find(ANN, below)} == {("foo",), ("foo", "x")}
        assert records.values(ANN, below, "namespace") == [("foo",), ("foo", "x")]
        assert len(records.find(ANN, Select(Item, {"namespace below": ()}))) == len(paths)
        assert records.find(ANN, Select(Item, {"namespace": ("foo", "y")})) == []

    def test_the_newest_comes_first_page_by_page(self, records: Records) -> None:
        for number in range(5):
            records.put(ANN, an_item(str(number), updated_at=MOMENT + HOUR * (number // 2)))
        newest = Select(Item, order=("-updated_at", "-row"), limit=2, offset=1)
        assert [one.key for one in records.find(ANN, newest)] == ["3", "2"]
        assert len(records.find(ANN, replace(newest, limit=None))) == 4

    def test_what_has_expired_can_be_left_out(self, records: Records) -> None:
        for key, end in (("old", MOMENT), ("new", MOMENT + HOUR), ("ever", None)):
            records.put(ANN, an_item(key, key, expires_at=end))
        alive = Select(Item, {"expires_at >?": MOMENT})
        assert records.values(ANN, alive, "namespace") == [("ever",), ("new",)]
        over = Select(Item, {"expires_at <=": MOMENT})
        assert records.change(ANN, over, expires_at=MOMENT + HOUR) == 1
        assert records.find(ANN, over) == []

    def test_vectors_go_with_their_item(self, records: Records) -> None:
        for key in ("one", "two"):
            records.put(ANN, an_item(key, event_id=key))
            records.put(ANN, replace(VECTOR, event_id=key))
        assert records.delete(ANN, Select(Item, {"key": "one"})) == 1
        seen = Select(ItemVector, {"event_id": ["one", "two", "three"], "lens": "lens"})
        assert records.find(ANN, seen) == [replace(VECTOR, event_id="two")]


def _at_once(do: Callable[[int], object]) -> None:
    threads = [threading.Thread(target=do, args=(number,)) for number in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
