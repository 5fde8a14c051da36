"""What every registry promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from remanent.core.model.scope import Scope
from remanent.core.records.access import Invitation, InvitationState, Membership, Role, Team
from remanent.core.registry import Registry
from remanent.errors import Conflict, NotFound, UnknownUser
from remanent_conformance.builders import MOMENT, a_user

DAY = timedelta(days=1)


def a_team(team_id: str = "red", name: str = "Red") -> Team:
    return Team(team_id=team_id, name=name, created_at=MOMENT)


def an_invitation(number: int = 1, *, team: str = "red", user: str = "bob") -> Invitation:
    return Invitation(
        invitation_id=f"invitation-{number}",
        team_id=team,
        user_id=user,
        role=Role.MEMBER,
        invited_by="ann",
        at=MOMENT + number * DAY,
        expires_at=MOMENT + (14 + number) * DAY,
    )


def a_member(*teams: str, user: str = "ann") -> Scope:
    return Scope(user_id=user, teams=frozenset(teams))


class RegistryContract:
    """Override `new_registry`."""

    @pytest.fixture
    def new_registry(self) -> Callable[[], Registry]:
        raise NotImplementedError("a function that makes an empty registry")

    @pytest.fixture
    def registry(self, new_registry: Callable[[], Registry]) -> Registry:
        return new_registry()

    @pytest.fixture
    def teamed(self, registry: Registry) -> Registry:
        """With users ann and bob, and teams red and blue that nobody is in."""
        for user in ("ann", "bob"):
            registry.put_user(a_user(user))
        for team in ("red", "blue"):
            registry.put_team(a_team(team))
        return registry

    def test_a_user_comes_back_as_registered(self, registry: Registry) -> None:
        user = a_user("ann", name="Ann Ødegård", timezone="Europe/Oslo")
        registry.put_user(user)
        assert registry.user("ann") == user
        assert registry.user("bob") is None

    def test_a_new_profile_replaces_all_but_when_it_was_first_made(
        self, registry: Registry
    ) -> None:
        registry.put_user(a_user("ann"))
        later = a_user("ann", name="Anna", timezone="Asia/Tokyo", created_at=MOMENT + DAY)
        registry.put_user(later)
        assert registry.user("ann") == replace(later, created_at=MOMENT)

    def test_users_come_in_order_of_id(self, registry: Registry) -> None:
        for user in ("cyd", "ann", "bob"):
            registry.put_user(a_user(user))
        assert [user.user_id for user in registry.users()] == ["ann", "bob", "cyd"]

    def test_a_team_can_be_renamed(self, registry: Registry) -> None:
        assert registry.team("red") is None
        registry.put_team(a_team())
        registry.put_team(replace(a_team(name="Scarlet"), created_at=MOMENT + DAY))
        assert registry.team("red") == a_team(name="Scarlet")

    def test_a_team_keeps_its_maker_and_has_other_settings(self, registry: Registry) -> None:
        made = replace(a_team(), created_by="ann", settings={"colour": "red", "days": [1, 2]})
        registry.put_team(made)
        assert registry.team("red") == made
        registry.put_team(replace(made, created_by="bob", settings={"colour": "scarlet"}))
        assert registry.team("red") == replace(made, settings={"colour": "scarlet"})

    def test_a_profile_names_primary_and_active_team(self, teamed: Registry) -> None:
        chosen = a_user("ann", primary_team="red", active_team="blue")
        teamed.put_user(chosen)
        assert teamed.user("ann") == chosen
        teamed.put_user(a_user("ann"))
        assert teamed.user("ann") == a_user("ann")

    def test_who_joins_is_a_current_member(self, teamed: Registry) -> None:
        teamed.join("red", "ann", Role.OWNER, MOMENT)
        assert teamed.memberships("ann") == [
            Membership(team_id="red", user_id="ann", role=Role.OWNER, joined_at=MOMENT)
        ]
        assert teamed.memberships("bob") == []

    def test_joining_again_changes_the_role(self, teamed: Registry) -> None:
        teamed.join("red", "ann", Role.MEMBER, MOMENT)
        teamed.join("red", "ann", Role.ADMIN, MOMENT + DAY)
        (place,) = teamed.memberships("ann")
        assert (place.role, place.joined_at, place.left_at) == (Role.ADMIN, MOMENT, None)

    def test_who_leaves_was_a_member(self, teamed: Registry) -> None:
        teamed.join("red", "ann", Role.MEMBER, MOMENT)
        teamed.leave("red", "ann", MOMENT + DAY)
        teamed.leave("red", "ann", MOMENT + 2 * DAY)
        (place,) = teamed.memberships("ann")
        assert place.left_at == MOMENT + DAY

    def test_leaving_where_one_is_not_is_no_error(self, teamed: Registry) -> None:
        teamed.leave("red", "ann", MOMENT)
        teamed.leave("no such team", "nobody", MOMENT)
        assert teamed.memberships("ann") == []

    def test_who_left_can_come_back(self, teamed: Registry) -> None:
        teamed.join("red", "ann", Role.OWNER, MOMENT)
        teamed.leave("red", "ann", MOMENT + DAY)
        teamed.join("red", "ann", Role.MEMBER, MOMENT + 2 * DAY)
        (place,) = teamed.memberships("ann")
        assert (place.role, place.joined_at) == (Role.MEMBER, MOMENT + 2 * DAY)
        assert teamed.scope_of("ann") == Scope(user_id="ann", teams=frozenset({"red"}))

    def test_memberships_come_in_order_of_team(self, teamed: Registry) -> None:
        teamed.join("red", "ann", Role.MEMBER, MOMENT)
        teamed.join("blue", "ann", Role.MEMBER, MOMENT + DAY)
        assert [place.team_id for place in teamed.memberships("ann")] == ["blue", "red"]

    def test_a_scope_tells_teams_from_teams_left(self, teamed: Registry) -> None:
        teamed.join("red", "ann", Role.MEMBER, MOMENT)
        teamed.join("blue", "ann", Role.MEMBER, MOMENT)
        teamed.leave("blue", "ann", MOMENT + DAY)
        assert teamed.scope_of("ann") == Scope(
            user_id="ann", teams=frozenset({"red"}), left=frozenset({"blue"})
        )
        assert teamed.scope_of("bob") == Scope(user_id="bob")

    def test_strangers_have_no_scope(self, registry: Registry) -> None:
        with pytest.raises(UnknownUser, match="nobody"):
            registry.scope_of("nobody")

    def test_neither_strangers_nor_unknown_teams_are_joined(self, teamed: Registry) -> None:
        with pytest.raises(UnknownUser, match="nobody"):
            teamed.join("red", "nobody", Role.MEMBER, MOMENT)
        with pytest.raises(NotFound, match="green"):
            teamed.join("green", "ann", Role.MEMBER, MOMENT)
        assert teamed.memberships("ann") == teamed.memberships("nobody") == []

    # -- every stay ---------------------------------------------------------------------------

    def test_every_stay_is_remembered(self, teamed: Registry) -> None:
        for day, role in ((0, Role.OWNER), (2, Role.MEMBER), (4, Role.ADMIN)):
            teamed.join("red", "ann", role, MOMENT + day * DAY)
            teamed.leave("red", "ann", MOMENT + (day + 1) * DAY)
        teamed.join("blue", "ann", Role.MEMBER, MOMENT + DAY)
        assert [(one.team_id, one.role, one.joined_at, one.left_at) for one in teamed.membership_history("ann")] == [
            ("red", Role.OWNER, MOMENT, MOMENT + DAY),
            ("blue", Role.MEMBER, MOMENT + DAY, None),
            ("red", Role.MEMBER, MOMENT + 2 * DAY, MOMENT + 3 * DAY),
            ("red", Role.ADMIN, MOMENT + 4 * DAY, MOMENT + 5 * DAY),
        ]  # fmt: skip
        assert teamed.membership_history("bob") == []

    def test_another_role_is_no_other_stay(self, teamed: Registry) -> None:
        teamed.join("red", "ann", Role.MEMBER, MOMENT)
        teamed.join("red", "ann", Role.ADMIN, MOMENT + DAY)
        (stay,) = teamed.membership_history("ann")
        assert (stay.role, stay.joined_at, stay.left_at) == (Role.ADMIN, MOMENT, None)

    def test_leaving_gives_up_primary_and_active_team(self, teamed: Registry) -> None:
        for team in ("red", "blue"):
            teamed.join(team, "ann", Role.MEMBER, MOMENT)
        teamed.put_user(a_user("ann", primary_team="red", active_team="red"))
        teamed.leave("blue", "ann", MOMENT + DAY)
        assert teamed.user("ann") == a_user("ann", primary_team="red", active_team="red")
        teamed.leave("red", "ann", MOMENT + DAY)
        assert teamed.user("ann") == a_user("ann")

    def test_a_view_is_narrowed_to_the_active_team(self, teamed: Registry) -> None:
        for team in ("red", "blue"):
            teamed.join(team, "ann", Role.MEMBER, MOMENT)
        assert teamed.scope_of("ann", is_view=True) == teamed.scope_of("ann")
        teamed.put_user(a_user("ann", active_team="red"))
        assert teamed.scope_of("ann", is_view=True) == replace(
            teamed.scope_of("ann"), narrowed_to="red"
        )
        assert teamed.scope_of("ann").narrowed_to is None
        with pytest.raises(UnknownUser, match="nobody"):
            teamed.scope_of("nobody", is_view=True)

    # -- members ------------------------------------------------------------------------------

    def test_members_are_seen_by_members(self, teamed: Registry) -> None:
        teamed.join("red", "bob", Role.OWNER, MOMENT)
        teamed.join("red", "ann", Role.MEMBER, MOMENT + DAY)
        assert [one.user_id for one in teamed.members(a_member("red"), "red")] == ["bob", "ann"]
        assert teamed.members(a_member("blue"), "red") == []
        teamed.leave("red", "bob", MOMENT + 2 * DAY)
        assert [one.user_id for one in teamed.members(a_member("red"), "red")] == ["ann"]

    def test_a_dropped_team_is_gone_for_good(self, teamed: Registry) -> None:
        teamed.join("red", "ann", Role.OWNER, MOMENT)
        teamed.put_user(a_user("ann", primary_team="red"))
        teamed.records.put(None, an_invitation())
        teamed.drop_team("red", MOMENT + DAY)
        assert teamed.team("red") is None
        assert teamed.scope_of("ann") == Scope(user_id="ann", left=frozenset({"red"}))
        assert teamed.user("ann") == a_user("ann")
        assert teamed.invitations(Scope(user_id="bob")) == []
        invitation = teamed.invitation(Scope(user_id="bob"), "invitation-1")
        assert invitation is not None
        assert invitation.state is InvitationState.REVOKED
        with pytest.raises(Conflict, match="red"):
            teamed.put_team(a_team())
        with pytest.raises(NotFound, match="red"):
            teamed.join("red", "bob", Role.MEMBER, MOMENT + DAY)
        teamed.drop_team("no such team", MOMENT)

    # -- invitations --------------------------------------------------------------------------

    def test_an_invitation_is_for_whom_it_invites_and_for_the_team(self, teamed: Registry) -> None:
        sent = an_invitation()
        teamed.records.put(None, sent)
        assert teamed.invitation(Scope(user_id="bob"), sent.invitation_id) == sent
        assert teamed.invitation(a_member("red"), sent.invitation_id) == sent
        for stranger in (a_member("blue"), Scope(user_id="eve"), Scope(user_id="ann")):
            assert teamed.invitation(stranger, sent.invitation_id) is None
        assert teamed.invitation(a_member("red"), "no such invitation") is None

    def test_pending_invitations_come_oldest_first(self, teamed: Registry) -> None:
        sent = [an_invitation(3, team="blue"), an_invitation(1), an_invitation(2, user="eve")]
        for one in sent:
            teamed.records.put(None, one)
        bob = Scope(user_id="bob")
        assert teamed.invitations(bob) == [sent[1], sent[0]]
        assert teamed.invitations(a_member("red"), team_id="red") == [sent[1], sent[2]]
        assert teamed.invitations(a_member("blue"), team_id="red") == []
        assert teamed.invitations(bob, team_id="red") == [sent[1]]
        assert teamed.invitations(replace(bob, narrowed_to="red")) == [sent[1]]
        for state in (InvitationState.ACCEPTED, InvitationState.DECLINED, InvitationState.REVOKED):
            teamed.records.put(None, replace(sent[1], state=state))
            assert teamed.invitations(bob) == [sent[0]]
