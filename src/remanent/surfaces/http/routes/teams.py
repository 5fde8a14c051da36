"""Routes about teams: who is in them, invitations, and what was done."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from remanent.core.records.api_key import Power
from remanent.core.records.audit import Deed
from remanent.core.records.team import Invitation, Membership, Place, Team, User
from remanent.surfaces.http import asks
from remanent.surfaces.http.answers import said
from remanent.surfaces.http.caller import Acting
from remanent.surfaces.http.once import named
from remanent.surfaces.http.routing import Route, new_router, route
from remanent.surfaces.http.shapes import Adopted, Listed, Removed

router = new_router("teams")


def _read(verb: str) -> Route:
    return Route(verb=f"UserMemory.{verb}")


def _manage(verb: str, status: int = 200) -> Route:
    return Route(verb=f"UserMemory.{verb}", power=Power.MANAGE, once=True, status=status)


@route(router, "POST", "/v1/teams", _manage("create_team", 201), Team)
def create_team(request: Request, caller: Acting, ask: asks.CreateTeam) -> Response:
    """Make a team, and be its owner."""
    team_id = ask.team_id or named(request)
    return said(caller.user.create_team(ask.name, team_id, ask.settings), 201)


@route(router, "GET", "/v1/teams", _read("teams"), Listed[Place])
def teams(caller: Acting) -> Response:
    """The teams this user is in, with their place in each."""
    return said({"items": caller.user.teams()})


@route(router, "PUT", "/v1/teams/primary", _manage("set_primary_team"), User)
def set_primary_team(caller: Acting, ask: asks.ChooseTeam) -> Response:
    """Say which of one's teams comes first, or that none does."""
    return said(caller.user.set_primary_team(ask.team))


@route(router, "PUT", "/v1/teams/active", _manage("set_active_team"), User)
def set_active_team(caller: Acting, ask: asks.ChooseTeam) -> Response:
    """See only this one of one's teams from now on; none in particular: all of them."""
    return said(caller.user.set_active_team(ask.team))


@route(router, "PATCH", "/v1/teams/{team}", _manage("change_team"), Team)
def change_team(caller: Acting, team: str, ask: asks.ChangeTeam) -> Response:
    """Give a team another name, or other settings."""
    return said(caller.user.change_team(team, ask.name, ask.settings))


@route(router, "DELETE", "/v1/teams/{team}", _manage("delete_team"), Removed)
def delete_team(caller: Acting, team: str) -> Response:
    """End a team that holds no sources any more."""
    caller.user.delete_team(team)
    return said({"removed": True})


@route(router, "GET", "/v1/teams/{team}/members", _read("members"), Listed[Membership])
def members(caller: Acting, team: str) -> Response:
    """Who is in a team, in order of joining."""
    return said({"items": caller.user.members(team)})


@route(router, "PUT", "/v1/teams/{team}/members/{user_id}", _manage("change_role"), Membership)
def change_role(caller: Acting, team: str, user_id: str, ask: asks.ChangeRole) -> Response:
    """Make a member owner, admin or member."""
    return said(caller.user.change_role(team, user_id, ask.role))


@route(router, "DELETE", "/v1/teams/{team}/members/{user_id}", _manage("remove_member"), Removed)
def remove_member(caller: Acting, team: str, user_id: str) -> Response:
    """Put somebody out of a team."""
    caller.user.remove_member(team, user_id)
    return said({"removed": True})


@route(router, "POST", "/v1/teams/{team}/leave", _manage("leave_team"), Removed)
def leave_team(caller: Acting, team: str) -> Response:
    """Leave a team, and lose what it shares."""
    caller.user.leave_team(team)
    return said({"removed": True})


@route(
    router,
    "POST",
    "/v1/teams/{team}/adopt",
    Route(verb="UserMemory.adopt", power=Power.WRITE, once=True),
    Adopted,
)
def adopt(caller: Acting, team: str) -> Response:
    """Promise that every source of a team is read for this user."""
    return said({"promised": caller.user.adopt(team)})


@route(router, "POST", "/v1/teams/{team}/invitations", _manage("invite", 201), Invitation)
def invite(caller: Acting, team: str, ask: asks.Invite) -> Response:
    """Invite somebody by their user id."""
    return said(caller.user.invite(team, ask.user_id, ask.role), 201)


@route(router, "GET", "/v1/invitations", _read("invitations"), Listed[Invitation])
def invitations(caller: Acting, ask: Annotated[asks.OfTeam, Query()]) -> Response:
    """Invitations that wait for this user's answer, or those into a team that this user tends."""
    return said({"items": caller.user.invitations(ask.team)})


@route(router, "POST", "/v1/invitations/{invitation_id}/accept", _manage("accept"), Membership)
def accept(caller: Acting, invitation_id: str) -> Response:
    """Be in the team, and see what it shares."""
    return said(caller.user.accept(invitation_id))


@route(router, "POST", "/v1/invitations/{invitation_id}/decline", _manage("decline"), Invitation)
def decline(caller: Acting, invitation_id: str) -> Response:
    """Decline an invitation."""
    return said(caller.user.decline(invitation_id))


@route(
    router,
    "DELETE",
    "/v1/invitations/{invitation_id}",
    _manage("revoke_invitation"),
    Invitation,
)
def revoke_invitation(caller: Acting, invitation_id: str) -> Response:
    """Take back an invitation that was not answered yet."""
    return said(caller.user.revoke_invitation(invitation_id))


@route(
    router,
    "GET",
    "/v1/audit",
    Route(verb="UserMemory.audit", power=Power.MANAGE),
    Listed[Deed],
)
def audit(caller: Acting, ask: Annotated[asks.Audit, Query()]) -> Response:
    """What this user did about teams, or what was done in a team that they tend; go on with `after`,
    the `seq` of the last."""
    return said({"items": caller.user.audit(ask.team, ask.after, ask.limit)})
