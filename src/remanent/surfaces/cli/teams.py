"""Commands about teams: who is in them, who comes in and who goes, and which one counts."""

from __future__ import annotations

from typing import Annotated

import typer

from remanent.surfaces.cli.agreeing import Yes, insist_agreed
from remanent.surfaces.cli.session import Session

TeamId = Annotated[str, typer.Argument(metavar="TEAM", help="A team of yours: its name or id.")]
MaybeTeam = Annotated[
    str | None, typer.Argument(metavar="TEAM", help="A team of yours: its name or id.")
]
Somebody = Annotated[str, typer.Argument(metavar="WHO", help="A user id.")]
InvitationId = Annotated[
    str, typer.Argument(metavar="INVITATION", help="The id of an invitation, from `team list`.")
]


def create(
    session: Session,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call the team.")],
    team_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Its id. [default: made up]")
    ] = None,
) -> None:
    """Make a team, and be its owner."""
    from remanent.surfaces.cli import teamed

    made = session.me.create_team(name, team_id)
    session.screen.answer({"team": made}, lambda: teamed.created(made))


def list_(session: Session) -> None:
    """The teams you are in, and the invitations that wait for you."""
    from remanent.surfaces.cli import teamed

    me = session.me
    places, waiting, profile = me.teams(), me.invitations(), me.profile
    record = {
        "teams": places,
        "invitations": waiting,
        "primary": profile.primary_team,
        "active": profile.active_team,
    }
    session.screen.answer(record, lambda: teamed.places(places, waiting, profile, session.zone))


def show(session: Session, team: TeamId) -> None:
    """Who is in a team; for those who may invite, also who is invited."""
    from remanent.errors import Forbidden
    from remanent.surfaces.cli import teamed

    me, team = session.me, session.team(team)
    members = me.members(team)
    found = next(one.team for one in me.teams() if one.team.team_id == team)
    try:
        waiting = me.invitations(team)
    except Forbidden:
        waiting = []
    record = {"team": found, "members": members, "invitations": waiting}
    session.screen.answer(record, lambda: teamed.team(found, members, waiting, session.zone))


def invite(
    session: Session,
    team: TeamId,
    who: Somebody,
    role: Annotated[str, typer.Option(metavar="ROLE", help="member, admin or owner.")] = "member",
) -> None:
    """Invite somebody into a team. They need not be registered yet."""
    from remanent.surfaces.cli import teamed

    team = session.team(team)
    made = session.me.invite(team, who, role)
    session.screen.answer({"invitation": made}, lambda: teamed.invited(made, session.zone))


def accept(session: Session, invitation: InvitationId) -> None:
    """Accept an invitation."""
    from remanent.surfaces.cli import teamed

    place = session.me.accept(invitation)
    session.screen.answer({"membership": place}, lambda: teamed.member(place))


def decline(session: Session, invitation: InvitationId) -> None:
    """Decline an invitation."""
    from remanent.surfaces.cli import teamed

    over = session.me.decline(invitation)
    session.screen.answer({"invitation": over}, lambda: teamed.said("Declined."))


def revoke(session: Session, invitation: InvitationId) -> None:
    """Take back an invitation that was not answered yet."""
    from remanent.surfaces.cli import teamed

    over = session.me.revoke_invitation(invitation)
    session.screen.answer({"invitation": over}, lambda: teamed.said("Taken back."))


def role(
    session: Session,
    team: TeamId,
    who: Somebody,
    role: Annotated[str, typer.Argument(metavar="ROLE", help="member, admin or owner.")],
) -> None:
    """Give a member another role."""
    from remanent.surfaces.cli import teamed

    team = session.team(team)
    place = session.me.change_role(team, who, role)
    session.screen.answer({"membership": place}, lambda: teamed.member(place))


def remove(session: Session, team: TeamId, who: Somebody, yes: Yes = False) -> None:
    """Put somebody out of a team; they lose all that it shares."""
    from remanent.surfaces.cli import teamed

    team = session.team(team)
    insist_agreed(session, f"Remove {who} from {team}? They lose all that it shares.", yes=yes)
    session.me.remove_member(team, who)
    record = {"team_id": team, "user_id": who, "removed": True}
    session.screen.answer(record, lambda: teamed.said(f"{who} is no longer in {team}."))


def leave(session: Session, team: TeamId, yes: Yes = False) -> None:
    """Leave a team, and lose all that it shares. The last one to leave ends it."""
    from remanent.surfaces.cli import teamed

    team = session.team(team)
    insist_agreed(session, f"Leave {team}? You lose all that it shares.", yes=yes)
    session.me.leave_team(team)
    record = {"team_id": team, "left": True}
    session.screen.answer(record, lambda: teamed.said(f"You are no longer in {team}."))


def rename(
    session: Session,
    team: TeamId,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it from now on.")],
) -> None:
    """Call a team something else; its id stays."""
    from remanent.surfaces.cli import teamed

    team = session.team(team)
    changed = session.me.change_team(team, name)
    session.screen.answer({"team": changed}, lambda: teamed.created(changed, new=False))


def delete(session: Session, team: TeamId, yes: Yes = False) -> None:
    """End a team that holds no sources any more."""
    from remanent.surfaces.cli import teamed

    team = session.team(team)
    insist_agreed(session, f"Delete the team {team}? It cannot be brought back.", yes=yes)
    session.me.delete_team(team)
    record = {"team_id": team, "deleted": True}
    session.screen.answer(record, lambda: teamed.said(f"There is no team {team} any more."))


def primary(
    session: Session,
    team: MaybeTeam = None,
    none: Annotated[bool, typer.Option("--none", help="Have no primary team.")] = False,
) -> None:
    """Say which of your teams comes first: `remanent add --shared` shares with it."""
    from remanent.surfaces.cli import teamed

    profile = session.me.set_primary_team(_one_of(session, team, "none", none))
    session.screen.answer({"user": profile}, lambda: teamed.primary(profile))


def use(
    session: Session,
    team: MaybeTeam = None,
    all_: Annotated[bool, typer.Option("--all", help="See all your teams again.")] = False,
) -> None:
    """See one team only from now on, beside what is your own; or all of them again."""
    from remanent.surfaces.cli import teamed

    profile = session.me.set_active_team(_one_of(session, team, "all", all_))
    session.screen.answer({"user": profile}, lambda: teamed.active(profile))


def _one_of(session: Session, team: str | None, option: str, given: bool) -> str | None:
    from remanent.errors import InvalidInput

    if (team is None) != given:
        raise InvalidInput("team", f"name a team, or say --{option}, and not both")
    return None if team is None else session.team(team)


TEAM = (
    create,
    list_,
    show,
    invite,
    accept,
    decline,
    revoke,
    role,
    remove,
    leave,
    rename,
    delete,
    primary,
    use,
)
