"""Operations on teams: who is in them, invitations, and what was done."""

from __future__ import annotations

from typing import Final

from remanent.surfaces.operations.shared import LIMIT, NAME, TEAM
from remanent.surfaces.operations.words import (
    Choice,
    Group,
    Json,
    Null,
    OneOf,
    Param,
    Whole,
    delete,
    get,
    manage,
    patch,
    post,
    put,
    read,
    write,
)

# fmt: off
ROLE: Final = Choice(("member", "admin", "owner"), "Role")
AUDIT_PARAMS: Final = (
    Param("after", Whole(0, 1 << 53), "Only deeds beyond this number.", 0, cli="--after NUMBER"),
    LIMIT.but(default=100),
)
_WHO: Final = Param("user_id", NAME, "A user id.", cli="WHO")
_INVITATION: Final = Param("invitation_id", NAME, "The id of an invitation, from `team list`.",
    cli="INVITATION")
_SETTINGS: Final = Param("settings", Json(100), "Whatever you keep with it.", None, cli=None)
_ONE_TEAM: Final = TEAM.but(type=OneOf((NAME, Null())),
    help="A team of yours: its name or id; null: no team in particular.", cli_default=None)

TEAMS: Final = Group(
    tag="teams",
    ops=(
        manage("create_team", "Make a team, and be its owner.",
            Param("name", NAME, "What to call the team.", cli="NAME"),
            Param("team_id", NAME, "Its id; default: made up.", None, cli="--id ID"),
            _SETTINGS.but(http_default={}), post("/v1/teams", status=201)),
        read("teams", "The teams this user is in, with their place in each.",
            get("/v1/teams", "items")),
        manage("set_primary_team", "Say which of one's teams comes first, or that none does.",
            _ONE_TEAM, put("/v1/teams/primary", model="ChooseTeam")),
        manage("set_active_team",
            "See only this one of one's teams from now on; none in particular: all of them.",
            _ONE_TEAM, put("/v1/teams/active", model="ChooseTeam")),
        manage("change_team", "Give a team another name, or other settings.", TEAM,
            Param("name", NAME, "What to call it from now on.", None, cli="NAME", cli_default=...),
            _SETTINGS, patch("/v1/teams/{team}")),
        manage("delete_team", "End a team that holds no sources any more.", TEAM,
            delete("/v1/teams/{team}", "removed")),
        read("members", "Who is in a team, in order of joining.", TEAM,
            get("/v1/teams/{team}/members", "items")),
        manage("change_role", "Make a member owner, admin or member.", TEAM, _WHO,
            Param("role", ROLE, "{values}.", cli="ROLE"),
            put("/v1/teams/{team}/members/{user_id}")),
        manage("remove_member", "Put somebody out of a team; they lose all that it shares.", TEAM,
            _WHO, delete("/v1/teams/{team}/members/{user_id}", "removed")),
        manage("leave_team",
            "Leave a team, and lose all that it shares. The last one to leave ends it.", TEAM,
            post("/v1/teams/{team}/leave", "removed")),
        write("adopt", "Promise that every source of a team is read for this user.", TEAM,
            post("/v1/teams/{team}/adopt", "Adopted")),
        manage("invite", "Invite somebody by their user id. They need not be registered yet.", TEAM,
            _WHO, Param("role", ROLE, "{values}.", "member", cli="--role ROLE"),
            post("/v1/teams/{team}/invitations", status=201)),
        read(
            "invitations",
            "Invitations that wait for this user's answer, or those into a team that this user tends.",
            TEAM.but(help="Those into this team.", default=None),
            get("/v1/invitations", "items"),
        ),
        manage("accept", "Accept an invitation: be in the team, and see what it shares.",
            _INVITATION, post("/v1/invitations/{invitation_id}/accept")),
        manage("decline", "Decline an invitation.", _INVITATION,
            post("/v1/invitations/{invitation_id}/decline")),
        manage("revoke_invitation", "Take back an invitation that was not answered yet.",
            _INVITATION, delete("/v1/invitations/{invitation_id}")),
        manage(
            "audit",
            "What this user did about teams, or what was done in a team that they tend; go on with "
            "`after`, the `seq` of the last.",
            TEAM.but(help="What was done in this team; for its owners and admins.", default=None,
                cli="--team ID"),
            *AUDIT_PARAMS,
            get("/v1/audit", "items"),
        ),
    ),
)
