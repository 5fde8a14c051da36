"""Commands about teams: who is in them, who comes in and who goes, and which one counts."""

from __future__ import annotations

from typing import Any

from remanent.core.dataclasses import replace
from remanent.surfaces.cli.commands import YES, Command, command, confirm, forward
from remanent.surfaces.cli.session import Session, invalid
from remanent.surfaces.operations import operation
from remanent.surfaces.operations.schema import Flag, Param


@command("teams")
def list_(session: Session) -> None:
    """The teams you are in, and the invitations that wait for you."""
    me = session.me
    places, waiting, profile = me.teams(), me.invitations(), me.profile
    record = {
        "teams": places,
        "invitations": waiting,
        "primary": profile.primary_team,
        "active": profile.active_team,
    }
    session.show(record, "teams.places", places, waiting, profile)


@command("members")
def show(session: Session, team: str) -> None:
    """Who is in a team; for those who may invite, also who is invited."""
    from remanent.errors import Forbidden

    me = session.me
    members = me.members(team)
    shown = next(place.team for place in me.teams() if place.team.team_id == team)
    try:
        waiting = me.invitations(team)
    except Forbidden:
        waiting = []
    record = {"team": shown, "members": members, "invitations": waiting}
    session.show(record, "teams.team", shown, members, waiting)


def _confirmed(name: str, verb: str, question: str, record: str, done: str) -> Command:
    """A command that is run only when it was asked for twice."""

    def run(session: Session, *, yes: bool, **given: Any) -> None:
        confirm(session, question.format(**given), yes=yes)
        getattr(session.me, verb)(**given)
        named = {"team_id": given["team"]} | {k: v for k, v in given.items() if k == "user_id"}
        session.show({**named, record: True}, "teams.said", done.format(**given))

    op = operation(verb)
    return Command(name=name, run=run, says=op.says, op=op, own=(YES,))


def _choice(name: str, verb: str, none: str, says: str, help_of_none: str) -> Command:
    """A command that names one of one's teams, or none in particular."""

    def run(session: Session, *, team: str | None = None, none_: bool) -> None:
        if (team is None) != none_:
            raise invalid("team", f"name a team, or say --{none}, and not both")
        profile = getattr(session.me, verb)(team)
        session.show({"user": profile}, f"teams.{verb.removeprefix('set_')}", profile)

    own = (Param("none_", Flag(), help_of_none, False, cli=f"--{none}"),)
    return Command(name=name, run=run, says=says, op=operation(verb), own=own)


@command()
def shared_list(session: Session) -> None:
    """What waits for your answer, what you hide, and whom you block."""
    me = session.me
    waiting, hidden, blocked = me.waiting(), me.hidden(), me.blocked()
    record = {"waiting": waiting, "hidden": hidden, "blocked": blocked}
    session.show(record, "teams.shared", waiting, hidden, blocked)


# fmt: off
SHARED = (
    replace(shared_list, name="list"),
    forward("accept_source", "teams.accepted_source", name="accept", record="source"),
    forward("decline_source", "teams.declined_source", name="decline", record="source"),
    forward("hide", "teams.hidden_source", record="source"),
    forward("unhide", "teams.shown_source", record="source"),
    forward("block", "teams.blocked", record="changed"),
    forward("unblock", "teams.unblocked", record="changed"),
)
TEAM = (
    forward("create_team", "teams.new_team", name="create", record="team"),
    list_,
    show,
    forward("invite", "teams.invitation", record="invitation"),
    forward("accept", "teams.member", record="membership"),
    forward("decline", "teams.declined", record="invitation"),
    forward("revoke_invitation", "teams.revoked", name="revoke", record="invitation"),
    forward("change_role", "teams.member", name="role", record="membership"),
    _confirmed("remove", "remove_member",
        "Remove {user_id} from {team}? They lose all that it shares.",
        "removed", "{user_id} is no longer in {team}."),
    _confirmed("leave", "leave_team", "Leave {team}? You lose all that it shares.",
        "left", "You are no longer in {team}."),
    forward("change_team", "teams.renamed", name="rename", record="team",
        says="Call a team something else; its id stays."),
    _confirmed("delete", "delete_team", "Delete the team {team}? It cannot be brought back.",
        "deleted", "There is no team {team} any more."),
    _choice("primary", "set_primary_team", "none",
        "Say which of your teams comes first: `remanent add --shared` shares with it.",
        "Have no primary team."),
    _choice("use", "set_active_team", "all",
        "See one team only from now on, beside what is your own; or all of them again.",
        "See all your teams again."),
)
