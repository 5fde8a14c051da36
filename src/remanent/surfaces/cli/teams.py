"""Commands about teams: who is in them, who comes in and who goes, and which one counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from remanent.surfaces.cli.commands import Command, Yes, command, insist_agreed, shown
from remanent.surfaces.cli.session import Session
from remanent.surfaces.operations import operation


@command("teams")
def list_(session: Session) -> None:
    """The teams you are in, and the invitations that wait for you."""
    from remanent.surfaces.cli.views import teams

    me = session.me
    places, waiting, profile = me.teams(), me.invitations(), me.profile
    record = {
        "teams": places,
        "invitations": waiting,
        "primary": profile.primary_team,
        "active": profile.active_team,
    }
    session.screen.answer(record, lambda: teams.places(places, waiting, profile, session.zone))


@command("members")
def show(session: Session, team: str) -> None:
    """Who is in a team; for those who may invite, also who is invited."""
    from remanent.errors import Forbidden
    from remanent.surfaces.cli.views import teams

    me = session.me
    members = me.members(team)
    found = next(one.team for one in me.teams() if one.team.team_id == team)
    try:
        waiting = me.invitations(team)
    except Forbidden:
        waiting = []
    record = {"team": found, "members": members, "invitations": waiting}
    session.screen.answer(record, lambda: teams.team(found, members, waiting, session.zone))


def _agreed(name: str, verb: str, question: str, record: str, told: str) -> Command:
    """Something that is done only when it was asked for twice."""

    def run(session: Session, yes: Yes = False, **given: Any) -> None:
        from remanent.surfaces.cli.views import teams

        insist_agreed(session, question.format(**given), yes=yes)
        getattr(session.me, verb)(**given)
        team = {"team_id": given["team"]}
        whom = {"user_id": given["user_id"]} if "user_id" in given else {}
        session.screen.answer(
            {**team, **whom, record: True}, lambda: teams.said(told.format(**given))
        )

    op = operation(verb)
    return Command(name=name, run=run, says=op.says, op=op)


def _chosen(name: str, verb: str, none: str, says: str, help_of_none: str) -> Command:
    """One of one's teams, or none in particular."""
    flag = typer.Option(f"--{none}", help=help_of_none)

    def run(
        session: Session, team: str | None = None, none_: Annotated[bool, flag] = False
    ) -> None:
        from remanent.errors import InvalidInput
        from remanent.surfaces.cli.views import teams

        if (team is None) != none_:
            raise InvalidInput("team", f"name a team, or say --{none}, and not both")
        profile = getattr(session.me, verb)(team)
        draw: Callable[..., Any] = teams.primary if name == "primary" else teams.active
        session.screen.answer({"user": profile}, lambda: draw(profile))

    run.__annotations__["none_"] = Annotated[bool, flag]
    return Command(name=name, run=run, says=says, op=operation(verb))


TEAM = (
    shown("create_team", "teams.created", name="create", record="team"),
    list_,
    show,
    shown("invite", "teams.invited", record="invitation"),
    shown("accept", "teams.member", record="membership"),
    shown("decline", "teams.declined", record="invitation"),
    shown("revoke_invitation", "teams.taken_back", name="revoke", record="invitation"),
    shown("change_role", "teams.member", name="role", record="membership"),
    _agreed(
        "remove",
        "remove_member",
        "Remove {user_id} from {team}? They lose all that it shares.",
        "removed",
        "{user_id} is no longer in {team}.",
    ),
    _agreed(
        "leave",
        "leave_team",
        "Leave {team}? You lose all that it shares.",
        "left",
        "You are no longer in {team}.",
    ),
    shown(
        "change_team",
        "teams.renamed",
        name="rename",
        record="team",
        says="Call a team something else; its id stays.",
    ),
    _agreed(
        "delete",
        "delete_team",
        "Delete the team {team}? It cannot be brought back.",
        "deleted",
        "There is no team {team} any more.",
    ),
    _chosen(
        "primary",
        "set_primary_team",
        "none",
        "Say which of your teams comes first: `remanent add --shared` shares with it.",
        "Have no primary team.",
    ),
    _chosen(
        "use",
        "set_active_team",
        "all",
        "See one team only from now on, beside what is your own; or all of them again.",
        "See all your teams again.",
    ),
)
