"""A team's life in random steps: whatever anybody tries, it has an owner, nobody gains more than they
were given, and the log tells how everyone came to be where they are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from effort import times
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from remanent.clock import SteppedClock
from remanent.core.records.access import Role
from remanent.errors import Conflict, Forbidden, NotFound
from remanent.memory import Memory, UserMemory
from remanent.testing import HashEmbedder, ScriptedMind

USERS = ("ada", "bob", "cyd", "dan")
RANK = {None: -1, Role.MEMBER: 0, Role.ADMIN: 1, Role.OWNER: 2}
REFUSED = (Conflict, Forbidden, NotFound)

users = st.sampled_from(USERS)
roles = st.sampled_from(Role)


class TeamLife(RuleBasedStateMachine):
    """Everybody tries everything; who ended up where is followed along beside."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = SteppedClock(datetime(2026, 3, 2, tzinfo=UTC))
        self.memory = Memory.open(
            ":memory:", clock=self.clock, mind=ScriptedMind(), embedder=HashEmbedder()
        )
        self.users = {one: self.memory.user(one) for one in USERS}
        self.users["ada"].create_team("The Crew", "crew")

    def teardown(self) -> None:
        self.memory.close()

    @property
    def standing(self) -> dict[str, Role]:
        registry = self.memory.env.registry
        places = [place for one in USERS for place in registry.memberships(one)]
        return {one.user_id: one.role for one in places if one.left_at is None}

    def _try(self, actor: str, deed: str, *given: str) -> bool:
        """Whether it was done; what was refused changed nothing."""
        before, user = self.standing, self.users[actor]
        try:
            getattr(user, deed)(*given)
        except REFUSED:
            assert self.standing == before
            return False
        return True

    @rule(actor=users, whom=users, role=roles)
    def invite(self, actor: str, whom: str, role: Role) -> None:
        before = self.standing
        if self._try(actor, "invite", "crew", whom, role.value):
            assert RANK[before.get(actor)] >= max(RANK[role], RANK[Role.ADMIN])
            assert whom not in before

    @rule(actor=users, whom=users, data=st.data())
    def answer(self, actor: str, whom: str, data: st.DataObject) -> None:
        letters = self.users[whom].invitations()
        if not letters:
            return
        letter = data.draw(st.sampled_from(letters))
        deed = data.draw(st.sampled_from(("accept", "decline", "revoke_invitation")))
        before = self.standing
        if self._try(actor, deed, letter.invitation_id) and deed == "accept":
            assert actor == whom
            assert self.standing == {**before, whom: letter.role}

    @rule(actor=users, whom=users, role=roles)
    def appoint(self, actor: str, whom: str, role: Role) -> None:
        before = self.standing
        if self._try(actor, "change_role", "crew", whom, role.value):
            assert RANK[role] <= RANK[before.get(actor)]
            assert self.standing == {**before, whom: role}

    @rule(actor=users, whom=users)
    def remove(self, actor: str, whom: str) -> None:
        before = self.standing
        if self._try(actor, "remove_member", "crew", whom):
            assert self.standing == {one: role for one, role in before.items() if one != whom}
            if actor != whom:
                assert RANK[before[actor]] >= RANK[Role.ADMIN]
                assert before[actor] is Role.OWNER or before[whom] is Role.MEMBER

    @rule(actor=users)
    def leave(self, actor: str) -> None:
        self._try(actor, "leave_team", "crew")

    @rule(actor=users)
    def delete(self, actor: str) -> None:
        before = self.standing
        if self._try(actor, "delete_team", "crew"):
            assert before[actor] is Role.OWNER
            assert self.standing == {}

    @rule(actor=users)
    def choose(self, actor: str) -> None:
        before = self.standing
        assert self._try(actor, "set_active_team", "crew") is (actor in before)
        assert self._try(actor, "set_primary_team", "crew") is (actor in before)

    @rule(days=st.integers(1, 20))
    def wait(self, days: int) -> None:
        self.clock.advance(timedelta(days=days))

    @invariant()
    def somebody_owns_it(self) -> None:
        standing = self.standing
        assert not standing or Role.OWNER in standing.values()
        is_there = self.memory.env.registry.team("crew") is not None
        assert is_there is bool(standing)

    @invariant()
    def scopes_follow(self) -> None:
        for name, user in self.users.items():
            is_in = name in self.standing
            assert ("crew" in user.scope.teams) is is_in
            profile = user.profile
            assert is_in or (profile.primary_team, profile.active_team) == (None, None)
            assert bool(user.teams()) is is_in

    @invariant()
    def the_log_tells_who_is_where(self) -> None:
        assert self._from_log() == self.standing

    def _from_log(self) -> dict[str, Role]:
        found: dict[str, Role] = {}
        for deed in self.memory.audit(limit=1000):
            match deed.act:
                case "team.created":
                    found[deed.actor] = Role.OWNER
                case "invitation.accepted":
                    found[deed.subject] = Role(deed.detail["role"])
                case "role.changed":
                    found[deed.subject] = Role(deed.detail["to"])
                case "member.removed" | "member.left":
                    del found[deed.subject]
                case "team.deleted":
                    found.clear()
        return found


TeamLife.TestCase.settings = settings(
    max_examples=times(15, 200), stateful_step_count=30, deadline=None
)
test_a_teams_life = TeamLife.TestCase


def test_who_may_what_is_the_same_for_a_user_seen_from_elsewhere() -> None:
    """Two handles of one user are one user: a role given to one is the other's."""
    clock = SteppedClock(datetime(2026, 3, 2, tzinfo=UTC))
    with Memory.open(
        ":memory:", clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()
    ) as memory:
        ada, bob = memory.user("ada"), memory.user("bob")
        ada.create_team("The Crew", "crew")
        bob.accept(ada.invite("crew", "bob").invitation_id)
        again: UserMemory = memory.user("bob").within("crew")
        ada.change_role("crew", "bob", "admin")
        assert again.invite("crew", "eve").invited_by == "bob"
