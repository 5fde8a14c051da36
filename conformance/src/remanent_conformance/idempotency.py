"""What every store of replays promises."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from remanent.core.ports.records import IdempotencyKeys
from remanent.core.records.idempotency import IdempotentRequest
from remanent_conformance.builders import MOMENT, a_scope

ANN, BOB = a_scope("ann"), a_scope("bob")
LONG_AGO = MOMENT - timedelta(days=1)
ASKED = IdempotentRequest(
    user_id="ann",
    asker="key-1",
    name="n" * 64,
    request="r" * 64,
    claim="first",
    begun_at=MOMENT,
    expires_at=MOMENT + timedelta(hours=24),
)
SECOND = replace(ASKED, claim="second", begun_at=MOMENT + timedelta(seconds=1))
ANSWERED = replace(ASKED, status=201, media="application/json", body=b'{"key": "\xc3\xa9"}')


class IdempotencyContract:
    """Override `new_replays`."""

    @pytest.fixture
    def new_replays(self) -> Callable[[], IdempotencyKeys]:
        raise NotImplementedError("a function that makes a store of no replays")

    @pytest.fixture
    def replays(self, new_replays: Callable[[], IdempotencyKeys]) -> IdempotencyKeys:
        return new_replays()

    def test_the_first_who_begins_has_it_in_hand(self, replays: IdempotencyKeys) -> None:
        assert replays.begin(ANN, ASKED, stale=LONG_AGO) == ASKED
        assert replays.begin(ANN, SECOND, stale=LONG_AGO) == ASKED

    def test_an_answer_comes_back_as_it_was_kept(self, replays: IdempotencyKeys) -> None:
        replays.begin(ANN, ASKED, stale=LONG_AGO)
        assert replays.finish(ANSWERED)
        assert replays.begin(ANN, SECOND, stale=LONG_AGO) == ANSWERED

    def test_a_claim_that_came_to_nothing_makes_room(self, replays: IdempotencyKeys) -> None:
        replays.begin(ANN, ASKED, stale=LONG_AGO)
        replays.drop(ASKED)
        assert replays.begin(ANN, SECOND, stale=LONG_AGO) == SECOND

    def test_whoever_was_killed_makes_room(self, replays: IdempotencyKeys) -> None:
        replays.begin(ANN, ASKED, stale=LONG_AGO)
        assert replays.begin(ANN, SECOND, stale=MOMENT + timedelta(microseconds=1)) == SECOND
        assert not replays.finish(ANSWERED)
        replays.drop(ASKED)
        assert replays.begin(ANN, ASKED, stale=LONG_AGO) == SECOND

    def test_what_was_answered_is_never_taken_for_abandoned(self, replays: IdempotencyKeys) -> None:
        replays.begin(ANN, ASKED, stale=LONG_AGO)
        replays.finish(ANSWERED)
        later = MOMENT + timedelta(hours=1)
        assert replays.begin(ANN, replace(SECOND, begun_at=later), stale=later) == ANSWERED

    def test_what_has_expired_makes_room(self, replays: IdempotencyKeys) -> None:
        replays.begin(ANN, ASKED, stale=LONG_AGO)
        replays.finish(ANSWERED)
        later = replace(SECOND, begun_at=ASKED.expires_at, expires_at=MOMENT + timedelta(days=9))
        assert replays.begin(ANN, later, stale=LONG_AGO) == later

    def test_every_user_asker_and_name_has_its_own(self, replays: IdempotencyKeys) -> None:
        replays.begin(ANN, ASKED, stale=LONG_AGO)
        replays.finish(ANSWERED)
        others = [
            (BOB, replace(SECOND, user_id="bob")),
            (ANN, replace(SECOND, asker="key-2")),
            (ANN, replace(SECOND, name="m" * 64)),
        ]
        for scope, one in others:
            assert replays.begin(scope, one, stale=LONG_AGO) == one

    def test_purging_takes_what_has_expired(self, replays: IdempotencyKeys) -> None:
        replays.begin(ANN, ASKED, stale=LONG_AGO)
        assert replays.purge(MOMENT) == 0
        assert replays.purge(ASKED.expires_at) == 1
        assert replays.purge(ASKED.expires_at) == 0

    def test_unlearning_takes_all_of_one_user(self, replays: IdempotencyKeys) -> None:
        replays.begin(ANN, ASKED, stale=LONG_AGO)
        replays.begin(BOB, replace(ASKED, user_id="bob"), stale=LONG_AGO)
        assert replays.unlearn(ANN) == 1
        assert replays.unlearn(ANN) == 0
        assert replays.unlearn(BOB) == 1

    def test_of_many_who_begin_at_once_one_has_it(self, replays: IdempotencyKeys) -> None:
        claims: list[str] = []

        def ask(number: int) -> None:
            mine = replace(ASKED, claim=str(number))
            claims.append(replays.begin(ANN, mine, stale=LONG_AGO).claim)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert len(claims) == 8
        assert len(set(claims)) == 1
