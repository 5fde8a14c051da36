"""What every registry promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from remanent.errors import NotFound, UnknownUser
from remanent.model.scope import Scope
from remanent.model.team import Membership, Role, Team
from remanent.ports.registry import Registry
from remanent.testing.builders import MOMENT, a_user

DAY = timedelta(days=1)


def a_team(team_id: str = "red", name: str = "Red") -> Team:
    return Team(team_id=team_id, name=name, created_at=MOMENT)


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
