"""What each role may do in a team, and who was where when."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.records.access import Invitation, InvitationState, Membership, Role
from remanent.errors import InvalidInput
from remanent.teams import rules as teams
from remanent.teams.rules import RIGHTS, Right

pytestmark = pytest.mark.quick

NOW = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)
RANK = {Role.MEMBER: 0, Role.ADMIN: 1, Role.OWNER: 2}

roles = st.sampled_from(Role)
maybe = st.none() | roles


def test_the_table_of_rights() -> None:
    assert {role.value: sorted(RIGHTS[role]) for role in Role} == {
        "member": ["contribute", "leave", "read"],
        "admin": [
            "appoint", "audit", "change", "contribute", "invite", "leave", "read", "remove",
        ],
        "owner": [
            "appoint", "audit", "change", "contribute", "delete", "invite", "leave", "read", "remove",
        ],
    }  # fmt: skip


@given(right=st.sampled_from(Right), low=roles, high=roles)
def test_whoever_ranks_higher_may_do_no_less(right: Right, low: Role, high: Role) -> None:
    if RANK[low] <= RANK[high] and teams.may(low, right):
        assert teams.may(high, right)
    assert not teams.may(None, right)


@pytest.mark.parametrize(
    ("actor", "invites", "removes"),
    [
        (Role.OWNER, set(Role), set(Role)),
        (Role.ADMIN, {Role.ADMIN, Role.MEMBER}, {Role.MEMBER}),
        (Role.MEMBER, set(), set()),
        (None, set(), set()),
    ],
)
def test_whom_one_brings_in_and_puts_out(
    actor: Role | None, invites: set[Role], removes: set[Role]
) -> None:
    assert {one for one in Role if teams.may_invite(actor, one)} == invites
    assert {one for one in Role if teams.may_remove(actor, one)} == removes


@pytest.mark.parametrize(
    ("actor", "other", "new"),
    [
        (Role.ADMIN, Role.MEMBER, {Role.MEMBER, Role.ADMIN}),
        (Role.ADMIN, Role.ADMIN, set()),
        (Role.ADMIN, Role.OWNER, set()),
        (Role.OWNER, Role.OWNER, set(Role)),
        (Role.OWNER, Role.MEMBER, set(Role)),
        (Role.MEMBER, Role.MEMBER, set()),
        (None, Role.MEMBER, set()),
    ],
)
def test_who_gives_whom_which_role(actor: Role | None, other: Role, new: set[Role]) -> None:
    assert {one for one in Role if teams.may_appoint(actor, other, one)} == new


@given(actor=maybe, other=roles, new=roles, oneself=st.booleans())
def test_nobody_rises_above_whoever_raises_them(
    actor: Role | None, other: Role, new: Role, oneself: bool
) -> None:
    other = actor if oneself and actor is not None else other
    if teams.may_appoint(actor, other, new, oneself=oneself):
        assert actor is not None
        assert RANK[new] <= RANK[actor]
        assert oneself or RANK[other] < RANK[actor] or actor is Role.OWNER
    if teams.may_invite(actor, new):
        assert actor is not None
        assert RANK[new] <= RANK[actor]
    if actor is not None and RANK[new] <= RANK[actor]:
        assert teams.may_appoint(actor, actor, new, oneself=True)  # everybody may step down


def member(user_id: str, role: Role, **fields: object) -> Membership:
    return Membership(team_id="crew", user_id=user_id, role=role, joined_at=NOW, **fields)  # type: ignore[arg-type]


def test_an_owner_is_the_last_when_there_is_no_other() -> None:
    ada, bob = member("ada", Role.OWNER), member("bob", Role.ADMIN)
    assert teams.is_ownerless_without([ada, bob], "ada")
    assert not teams.is_ownerless_without([ada, bob], "bob")
    assert not teams.is_ownerless_without([ada, replace(bob, role=Role.OWNER)], "ada")


def test_an_invitation_is_open_until_it_is_answered_or_runs_out() -> None:
    sent = Invitation(
        invitation_id="i",
        team_id="crew",
        user_id="bob",
        role=Role.MEMBER,
        invited_by="ada",
        at=NOW,
        expires_at=teams.good_until(NOW, teams.TeamRules(invitation_days=3)),
    )
    assert sent.expires_at == NOW + 3 * DAY
    assert teams.is_open(sent, NOW + 2.99 * DAY)
    assert not teams.is_open(sent, NOW + 3 * DAY)
    for state in set(InvitationState) - {InvitationState.PENDING}:
        assert not teams.is_open(replace(sent, state=state), NOW)


@pytest.mark.parametrize(
    "bad", [[], "text", {1: "a"}, {"a": float("nan")}, {"a": object()}, {"a": "x" * 20_000}, None]
)
def test_settings_are_a_modest_json_object(bad: object) -> None:
    with pytest.raises(InvalidInput, match="settings"):
        teams.checked_settings(bad)


def test_settings_are_no_deeper_than_everybody_can_read() -> None:
    deep: dict[str, object] = {}
    for _ in range(60):
        deep = {"a": deep}
    assert teams.checked_settings(deep) == deep
    with pytest.raises(InvalidInput, match="60 levels"):
        teams.checked_settings({"a": [{"b": deep}]})
    with pytest.raises(InvalidInput, match="settings"):
        teams.checked_settings({"a": {"a": deep}})


def test_settings_come_back_as_json_has_them() -> None:
    assert teams.checked_settings({"a": (1, 2), "b": {"c": None}}) == {
        "a": [1, 2],
        "b": {"c": None},
    }


# -- who was where when ----------------------------------------------------------------------

stays = st.lists(
    st.tuples(
        st.sampled_from(("crew", "gang")), st.integers(0, 20), st.none() | st.integers(0, 20)
    ),
    max_size=6,
).map(
    lambda rows: [
        Membership(
            team_id=team,
            user_id="ada",
            role=Role.MEMBER,
            joined_at=NOW + start * DAY,
            left_at=None if end is None else NOW + max(start, end) * DAY,
        )
        for team, start, end in rows
    ]
)


def test_whoever_came_back_was_gone_in_between() -> None:
    first = member("ada", Role.OWNER, left_at=NOW + DAY)
    second = replace(first, joined_at=NOW + 3 * DAY, left_at=None)

    def at(day: float) -> tuple[set[str], set[str]]:
        scope = teams.scope_then("ada", [first, second], NOW + day * DAY)
        return set(scope.teams), set(scope.left)

    assert at(-1) == (set(), set())
    assert at(0) == at(0.5) == ({"crew"}, set())
    assert at(1) == at(2.9) == (set(), {"crew"})
    assert at(3) == at(99) == ({"crew"}, set())


@given(stays=stays, day=st.integers(-1, 22))
def test_one_is_in_a_team_or_has_left_it_or_was_never_there(
    stays: list[Membership], day: int
) -> None:
    at = NOW + day * DAY
    scope = teams.scope_then("ada", stays, at)
    assert not scope.teams & scope.left
    for team in ("crew", "gang"):
        begun = [one for one in stays if one.team_id == team and one.joined_at <= at]
        inside = [one for one in begun if one.left_at is None or at < one.left_at]
        assert (team in scope.teams) is bool(inside)
        assert (team in scope.left) is (bool(begun) and not inside)
