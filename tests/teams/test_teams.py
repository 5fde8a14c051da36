"""Teams: made, joined, tended and left, by those who may; and all of it written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from remanent.clock import SteppedClock
from remanent.core.model.source import Source
from remanent.core.records.access import InvitationState, Role, Team
from remanent.errors import Conflict, Forbidden, InvalidInput, NotFound, UnknownKey
from remanent.memory import Memory, UserMemory
from remanent.testing import HashEmbedder, ScriptedMind

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(START)


@pytest.fixture
def memory(clock: SteppedClock) -> Iterator[Memory]:
    with Memory.open(":memory:", clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()) as one:
        yield one


Join = Callable[..., UserMemory]


@pytest.fixture
def ada(memory: Memory) -> UserMemory:
    """The owner of the team `crew`."""
    ada = memory.user("ada")
    ada.create_team("The Crew", "crew")
    return ada


@pytest.fixture
def join(memory: Memory, ada: UserMemory) -> Join:
    def joined(user_id: str, role: str = "member") -> UserMemory:
        user = memory.user(user_id)
        user.accept(ada.invite("crew", user_id, role).invitation_id)
        return user

    return joined


def roles(user: UserMemory, team: str = "crew") -> dict[str, str]:
    return {one.user_id: one.role.value for one in user.members(team)}


def acts(user: UserMemory | Memory, *given: Any) -> list[tuple[str, str, str]]:
    return [(one.actor, one.act, one.subject) for one in user.audit(*given)]


# -- making and looking ----------------------------------------------------------------------


def test_whoever_makes_a_team_owns_it(ada: UserMemory) -> None:
    (place,) = ada.teams()
    assert (place.team.name, place.team.created_by) == ("The Crew", "ada")
    assert place.membership.role is Role.OWNER
    assert roles(ada) == {"ada": "owner"}
    assert ada.profile.primary_team == "crew"  # the first one is the primary one
    assert ada.profile.active_team is None


def test_a_team_gets_an_id_of_its_own(ada: UserMemory) -> None:
    first, second = ada.create_team("Twins"), ada.create_team("Twins")
    assert first.team_id != second.team_id
    assert [one.team.name for one in ada.teams()].count("Twins") == 2


def test_an_id_is_given_once(memory: Memory, ada: UserMemory) -> None:
    with pytest.raises(Conflict, match="taken"):
        memory.user("eve").create_team("Mine", "crew")
    ada.delete_team("crew")
    for user in (ada, memory.user("eve")):
        with pytest.raises(Conflict, match="taken"):
            user.create_team("Again", "crew")
    assert roles(memory.user("eve"), memory.user("eve").create_team("Eve's").team_id)


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("name", {"name": ""}),
        ("name", {"name": " x"}),
        ("team_id", {"name": "x", "team_id": "a\nb"}),
        ("settings", {"name": "x", "settings": ["no"]}),
    ],
)
def test_bad_input_names_its_field(ada: UserMemory, field: str, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        ada.create_team(**given)
    assert caught.value.field == field
    assert len(ada.teams()) == 1


def test_what_one_may_not_see_is_not_there(memory: Memory, ada: UserMemory) -> None:
    eve = memory.user("eve")
    attempts: list[Callable[[str], object]] = [
        eve.members,
        eve.leave_team,
        eve.delete_team,
        eve.set_primary_team,
        eve.set_active_team,
        eve.within,
        eve.invitations,
        eve.audit,
        lambda team: eve.invite(team, "tom"),
        lambda team: eve.change_role(team, "ada", "member"),
        lambda team: eve.remove_member(team, "ada"),
        lambda team: eve.change_team(team, "Mine"),
    ]
    for attempt in attempts:
        told = []
        for team in ("crew", "none"):
            with pytest.raises(NotFound) as caught:
                attempt(team)
            told.append(str(caught.value).replace(team, "TEAM"))
        assert told[0] == told[1]  # a team that is not there reads the same
    assert eve.teams() == []
    # Her own log tells her no more than that she asked.
    mine = [(one.act, one.subject, one.detail) for one in eve.audit() if one.team_id == "crew"]
    none = [(one.act, one.subject, one.detail) for one in eve.audit() if one.team_id == "none"]
    assert mine == none
    assert len(mine) == len(attempts)
    # The team's log tells its owner.
    assert len([one for one in ada.audit("crew") if one.actor == "eve"]) == len(attempts)


# -- inviting --------------------------------------------------------------------------------


def test_an_invitation_brings_somebody_in(memory: Memory, ada: UserMemory) -> None:
    sent = ada.invite("crew", "bob")
    assert (sent.state, sent.expires_at) == (InvitationState.PENDING, START + 14 * DAY)
    bob = memory.user("bob")  # registered only now
    assert bob.invitations() == ada.invitations("crew") == [sent]
    place = bob.accept(sent.invitation_id)
    assert (place.team_id, place.role, place.joined_at) == ("crew", Role.MEMBER, START)
    assert roles(bob) == {"ada": "owner", "bob": "member"}
    assert bob.invitations() == ada.invitations("crew") == []
    assert bob.accept(sent.invitation_id) == place  # again changes nothing
    assert acts(memory) == [
        ("ada", "team.created", "crew"),
        ("ada", "member.invited", "bob"),
        ("bob", "invitation.accepted", "bob"),
    ]


def test_inviting_twice_is_one_invitation(ada: UserMemory) -> None:
    sent = ada.invite("crew", "bob")
    assert ada.invite("crew", "bob") == sent
    with pytest.raises(Conflict, match="invited as member"):
        ada.invite("crew", "bob", "admin")
    ada.revoke_invitation(sent.invitation_id)
    again = ada.invite("crew", "bob", "admin")
    assert again.invitation_id != sent.invitation_id


def test_whoever_is_in_is_not_invited(join: Join, ada: UserMemory) -> None:
    join("bob")
    with pytest.raises(Conflict, match="already"):
        ada.invite("crew", "bob")


def test_only_the_invited_answers(memory: Memory, ada: UserMemory, join: Join) -> None:
    bob, eve = join("bob", "admin"), memory.user("eve")
    sent = ada.invite("crew", "tom")
    for answer in (eve.accept, eve.decline, eve.revoke_invitation):
        with pytest.raises(NotFound, match="knows none"):
            answer(sent.invitation_id)
    for answer in (bob.accept, bob.decline):
        with pytest.raises(Forbidden, match="for 'tom'"):
            answer(sent.invitation_id)
    with pytest.raises(Forbidden, match="decline"):
        memory.user("tom").revoke_invitation(sent.invitation_id)
    assert "eve" not in roles(ada)
    assert memory.user("tom").accept(sent.invitation_id).role is Role.MEMBER


def test_an_invitation_runs_out(memory: Memory, ada: UserMemory, clock: SteppedClock) -> None:
    sent, bob = ada.invite("crew", "bob"), memory.user("bob")
    clock.advance(14 * DAY)
    assert bob.invitations() == ada.invitations("crew") == []
    for answer in (bob.accept, bob.decline):
        with pytest.raises(Conflict, match="ran out on 2026-03-16"):
            answer(sent.invitation_id)
    assert roles(ada) == {"ada": "owner"}
    assert ada.invite("crew", "bob").invitation_id != sent.invitation_id


def test_what_was_declined_or_revoked_is_over(memory: Memory, ada: UserMemory) -> None:
    bob = memory.user("bob")
    for end, state in ((bob.decline, "declined"), (ada.revoke_invitation, "revoked")):
        sent = ada.invite("crew", "bob")
        over = end(sent.invitation_id)
        assert over.state.value == state
        assert end(sent.invitation_id) == over  # again changes nothing
        with pytest.raises(Conflict, match=state):
            bob.accept(sent.invitation_id)
    sent = ada.invite("crew", "bob")
    bob.accept(sent.invitation_id)
    with pytest.raises(Conflict, match="accepted"):
        ada.revoke_invitation(sent.invitation_id)
    assert roles(ada) == {"ada": "owner", "bob": "member"}


def test_an_old_invitation_takes_nobodys_role(memory: Memory, ada: UserMemory) -> None:
    """Whoever came in by another door meanwhile is not made less by accepting."""
    bob = memory.user("bob")
    sent = ada.invite("crew", "bob")
    memory.env.registry.join("crew", "bob", Role.OWNER, START)
    assert bob.accept(sent.invitation_id).role is Role.OWNER
    assert roles(ada) == {"ada": "owner", "bob": "owner"}


def test_nobody_invites_beyond_their_own_role(join: Join) -> None:
    bob, tom = join("bob", "admin"), join("tom")
    assert bob.invite("crew", "x1", "admin").role is Role.ADMIN
    with pytest.raises(Forbidden, match="may not invite an owner"):
        bob.invite("crew", "x2", "owner")
    with pytest.raises(Forbidden, match="may not invite"):
        tom.invite("crew", "x3")
    with pytest.raises(InvalidInput, match="role"):
        bob.invite("crew", "x4", "queen")
    with pytest.raises(Forbidden):
        tom.invitations("crew")


def test_an_invitation_is_worth_no_more_than_whoever_made_it(
    memory: Memory, ada: UserMemory, join: Join
) -> None:
    """One who was put out, or is no longer an admin, leaves no door open behind them."""
    bob = join("bob", "admin")
    first = bob.invite("crew", "eve")
    ada.change_role("crew", "bob", "member")
    with pytest.raises(Conflict, match="revoked"):
        memory.user("eve").accept(first.invitation_id)
    ada.change_role("crew", "bob", "admin")
    second = bob.invite("crew", "eve")
    ada.remove_member("crew", "bob")
    with pytest.raises(Conflict, match="revoked"):
        memory.user("eve").accept(second.invitation_id)
    assert roles(ada) == {"ada": "owner"}


# -- roles -----------------------------------------------------------------------------------


def test_owners_and_admins_give_roles(ada: UserMemory, join: Join) -> None:
    bob, tom, eve = join("bob", "admin"), join("tom"), join("eve")
    assert bob.change_role("crew", "tom", "admin").role is Role.ADMIN
    for who, role in (("tom", "member"), ("ada", "member"), ("eve", "owner")):
        with pytest.raises(Forbidden):
            bob.change_role("crew", who, role)
    with pytest.raises(Forbidden):
        eve.change_role("crew", "tom", "member")
    assert tom.change_role("crew", "tom", "member").role is Role.MEMBER  # stepping down
    with pytest.raises(Forbidden):
        eve.change_role("crew", "eve", "admin")
    ada.change_role("crew", "bob", "owner")
    bob.change_role("crew", "ada", "member")
    assert roles(bob) == {"ada": "member", "bob": "owner", "tom": "member", "eve": "member"}
    with pytest.raises(NotFound, match="not in team"):
        bob.change_role("crew", "nobody", "member")


def test_the_same_role_again_is_no_deed(memory: Memory, ada: UserMemory, join: Join) -> None:
    join("bob")
    before = acts(memory)
    assert ada.change_role("crew", "bob", "member").role is Role.MEMBER
    assert ada.change_team("crew", "The Crew", {}).name == "The Crew"
    assert acts(memory) == before


def test_a_team_has_an_owner_as_long_as_it_lasts(ada: UserMemory, join: Join) -> None:
    bob = join("bob", "admin")
    with pytest.raises(Conflict, match="last owner"):
        ada.leave_team("crew")
    with pytest.raises(Conflict, match="last owner"):
        ada.remove_member("crew", "ada")
    with pytest.raises(Conflict, match="last owner"):
        ada.change_role("crew", "ada", "admin")
    with pytest.raises(Forbidden):
        bob.remove_member("crew", "ada")
    ada.change_role("crew", "bob", "owner")
    ada.leave_team("crew")
    assert roles(bob) == {"bob": "owner"}
    with pytest.raises(Conflict, match="last owner"):
        bob.change_role("crew", "bob", "member")  # even alone


# -- going -----------------------------------------------------------------------------------


def test_who_removes_whom(ada: UserMemory, join: Join) -> None:
    bob, tom, eve = join("bob", "admin"), join("tom", "admin"), join("eve")
    with pytest.raises(Forbidden):
        bob.remove_member("crew", "tom")
    with pytest.raises(Forbidden):
        eve.remove_member("crew", "bob")
    bob.remove_member("crew", "eve")
    ada.remove_member("crew", "tom")
    assert roles(ada) == {"ada": "owner", "bob": "admin"}
    with pytest.raises(NotFound):
        eve.members("crew")
    with pytest.raises(NotFound, match="not in team"):
        ada.remove_member("crew", "tom")
    assert ("bob", "member.removed", "eve") in acts(ada, "crew")
    assert tom.teams() == []


def test_whoever_goes_gives_up_primary_and_active_team(ada: UserMemory, join: Join) -> None:
    bob = join("bob")
    own = bob.create_team("Bob's", "bobs")
    bob.set_active_team("crew")
    assert (bob.profile.primary_team, bob.profile.active_team) == ("crew", "crew")
    bob.set_primary_team("bobs")
    ada.remove_member("crew", "bob")
    assert (bob.profile.primary_team, bob.profile.active_team) == ("bobs", None)
    bob.leave_team(own.team_id)
    assert bob.profile.primary_team is None


def test_the_last_one_to_leave_ends_the_team(ada: UserMemory, memory: Memory) -> None:
    sent = ada.invite("crew", "bob")
    ada.leave_team("crew")
    assert ada.teams() == []
    assert acts(memory)[-1] == ("ada", "team.deleted", "crew")
    with pytest.raises(Conflict, match="revoked"):
        memory.user("bob").accept(sent.invitation_id)


def test_a_team_that_holds_sources_does_not_end(ada: UserMemory, join: Join) -> None:
    bob = join("bob", "owner")
    tom = join("tom", "admin")
    key = bob.add("The kettle is on.", team="crew", sensitivity="high")
    with pytest.raises(UnknownKey):
        ada.read(key)  # not for her eyes, and yet the team's
    with pytest.raises(Conflict, match="still holds a source"):
        ada.delete_team("crew")
    bob.add("The kettle is off.", team="crew")
    with pytest.raises(Conflict, match="still holds 2 sources"):
        ada.delete_team("crew")
    with pytest.raises(Forbidden, match="may not delete"):
        tom.delete_team("crew")
    tom.leave_team("crew")
    ada.leave_team("crew")
    with pytest.raises(Conflict, match="still holds"):
        bob.leave_team("crew")  # all would be lost to everybody
    assert roles(bob) == {"bob": "owner"}


def test_a_deleted_team_is_nobodys(ada: UserMemory, join: Join) -> None:
    bob = join("bob")
    ada.delete_team("crew")
    assert ada.teams() == bob.teams() == []
    with pytest.raises(Forbidden):
        bob.add("Still there?", team="crew")


def test_coming_back_works(ada: UserMemory, join: Join, clock: SteppedClock) -> None:
    bob = join("bob", "admin")
    key = ada.add("The kettle is on.", team="crew")
    bob.leave_team("crew")
    with pytest.raises(UnknownKey):
        bob.read(key)
    clock.advance(DAY)
    join("bob")
    assert bob.read(key).node.key == key
    assert roles(ada) == {"ada": "owner", "bob": "member"}
    assert [one.joined_at for one in ada.env.registry.membership_history("bob")] == [
        START,
        START + DAY,
    ]


def test_a_team_is_changed_by_those_who_tend_it(ada: UserMemory, join: Join) -> None:
    bob, tom = join("bob", "admin"), join("tom")
    assert bob.change_team("crew", "Sailors").name == "Sailors"
    assert ada.change_team("crew", settings={"colour": "blue"}).settings == {"colour": "blue"}
    (place,) = tom.teams()
    assert (place.team.name, place.team.settings) == ("Sailors", {"colour": "blue"})
    with pytest.raises(Forbidden, match="may not change"):
        tom.change_team("crew", "Pirates")
    with pytest.raises(InvalidInput, match="settings"):
        bob.change_team("crew", "Pirates", {"bad": float("nan")})
    assert tom.teams() == [place]


def test_a_team_without_an_owner_can_be_left(memory: Memory) -> None:
    """Only somebody who works on the registry itself can make such a team."""
    registry = memory.env.registry
    registry.put_team(Team(team_id="gang", name="Gang", created_at=START))
    for user in ("bob", "tom"):
        memory.user(user)
        registry.join("gang", user, Role.MEMBER, START)
    memory.user("bob").leave_team("gang")
    assert roles(memory.user("tom"), "gang") == {"tom": "member"}


# -- the log ---------------------------------------------------------------------------------


def test_who_reads_the_log(memory: Memory, ada: UserMemory, join: Join) -> None:
    bob, tom = join("bob", "admin"), join("tom")
    everything = memory.audit()
    assert ada.audit("crew") == bob.audit("crew") == everything
    assert [one.actor for one in tom.audit()] == ["tom"]
    with pytest.raises(Forbidden, match="may not audit"):
        tom.audit("crew")
    assert memory.audit(everything[-1].seq)[0].detail == {"wanted": "audit.read"}
    assert memory.audit(limit=2) == everything[:2]
    assert ada.audit("crew", after=everything[1].seq, limit=1) == [everything[2]]


@pytest.mark.parametrize(
    ("field", "page"),
    [("limit", {"limit": 0}), ("limit", {"limit": 1001}), ("after", {"after": -1})],
)
def test_a_page_that_cannot_be(
    memory: Memory, ada: UserMemory, field: str, page: dict[str, int]
) -> None:
    for read in (memory.audit, ada.audit, lambda **page: ada.audit("crew", **page)):
        with pytest.raises(InvalidInput) as caught:
            read(**page)
        assert caught.value.field == field


def test_the_log_holds_nothing_of_what_is_remembered(memory: Memory, ada: UserMemory) -> None:
    ada.add("zanzibar", team="crew", title="zanzibar")
    ada.remember("I like zanzibar.")
    ada.change_team("crew", settings={"secret": "zanzibar"})
    assert "zanzibar" not in str(memory.audit())


def test_what_a_stranger_tried_to_add_is_written_down(memory: Memory, ada: UserMemory) -> None:
    eve = memory.user("eve")
    for attempt in (
        lambda: eve.add("Let me in.", team="crew"),
        lambda: eve.record("tool.called", {}, team="crew"),
        lambda: eve.adopt("crew"),
    ):
        with pytest.raises(Forbidden):
            attempt()
    refused = [one for one in ada.audit("crew") if one.act == "refused"]
    assert [one.detail["wanted"] for one in refused] == ["source.add", "event.record", "team.adopt"]
    assert {one.actor for one in refused} == {"eve"}


def test_what_fails_leaves_nothing_behind(memory: Memory, ada: UserMemory, join: Join) -> None:
    join("bob")
    before = (acts(memory), roles(ada), ada.invitations("crew"))
    with pytest.raises(Conflict):
        ada.leave_team("crew")
    with pytest.raises(InvalidInput):
        ada.invite("crew", "")
    assert (acts(memory), roles(ada), ada.invitations("crew")) == before


def test_what_is_shared_goes_to_the_primary_team(memory: Memory) -> None:
    ada = memory.user("ada")
    with pytest.raises(InvalidInput, match="no primary team"):
        ada.add("We sail on Friday.", shared=True)
    for team in ("crew", "gang"):
        ada.create_team(team.title(), team)
    ada.set_primary_team("gang")

    key = ada.add("We sail on Friday.", shared=True)
    event = ada.record("sail.set", {"text": "up"}, shared=True)
    (second,) = ada.record_many([{"event_type": "sail.set", "shared": True}])

    assert ada.read(key).node.team == "gang"
    assert (event.event.team_id, second.event.team_id) == ("gang", "gang")
    ada.add("My diary.")
    assert {one.team_id for one in ada.sources()} == {None, "gang"}
    with pytest.raises(InvalidInput, match="not both"):
        ada.add("We sail on Friday.", shared=True, team="crew")


def test_a_teams_settings_are_obeyed(memory: Memory, clock: SteppedClock) -> None:
    ada = memory.user("ada")
    ada.create_team("The Crew", "crew", {"retention_days": 30, "context": "planning", "hue": 3})
    for wrong in ({"retention_days": 0}, {"retention_days": "x"}, {"context": "sailing"}):
        with pytest.raises(InvalidInput, match="settings"):
            ada.change_team("crew", settings=wrong)
    kept = ada.add("The crew meets on Monday.", team="crew", context="team-meeting")
    old = ada.add("The crew sails on Friday.", team="crew")
    own = ada.add("I sail on Friday.")
    ada.work()
    ada.pin(kept)

    def state(key: str) -> tuple[Any, Any]:
        node = ada.env.graph.get(ada.scope, key)
        assert isinstance(node, Source)
        return node.context_type.value, node.life.state.value

    assert state(kept)[0] == "team-meeting"
    assert state(old)[0] == "planning"
    clock.advance(timedelta(days=29))
    ada.sleep(only=["fade"])
    before = state(old)[1]
    clock.advance(timedelta(days=2))
    report = ada.sleep(only=["fade"])

    assert before != "archived"
    assert [state(one)[1] for one in (old, kept, own)] == ["archived", before, before]
    assert "keeps sources for 30 days" in str(report)
    assert ada.read(old).node.key == old
