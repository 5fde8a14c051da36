"""Views of teams, of what others put before a user, of API keys and of the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from remanent.core.records import access
from remanent.surfaces.cli.views.basics import clean, facts
from remanent.surfaces.cli.views.cards import card, message, one_card, text_of
from remanent.teams.consents import SharedSource

said = message(str, "{it}")
declined = message(access.Invitation, "Declined.")
declined_source = message(SharedSource, "Declined.")
revoked = message(access.Invitation, "Taken back.")
new_team = message(access.Team, "[green]New team [/][bold]{name}[/]\n- [cyan]id {team_id}[/]")
renamed = message(access.Team, "[green]Team [/][bold]{name}[/]\n- [cyan]id {team_id}[/]")
member = message(access.Membership, "[bold]{user_id}[/] is {role} of {team_id}.")
invitation = one_card(
    access.Invitation,
    "[bold]{user_id}[/] is invited to {team_id} as {role}.\n"
    "- until {expires_at} · [cyan]{invitation_id}[/]",
)
primary_team = message(
    access.User, "Your primary team is {primary_team}. | You have no primary team."
)
active_team = message(
    access.User, "You see what is yours and what is of {active_team}. | You see all your teams."
)
_PLACE = (
    "[bold]{team.name}[/]\n"
    "- [not dim]{membership.role}[/] · {?is_primary}primary · "
    "[yellow]{?is_active}the only one you see now[/] · "
    "since {membership.joined_at:day} · [cyan]{team.team_id}[/]"
)
_WAITING = (
    "- [not dim]Invitation {whom} as {role}, by {invited_by}[/] · until {expires_at:day} · "
    "[cyan]{invitation_id}[/]"
)


def users(registered: Sequence[access.User]) -> RenderableType:
    if not registered:
        return Text("Nobody yet. `remanent init --user ID` registers someone.")
    about = "- [not dim]{name}[/] · {timezone}"
    return facts((clean(one.user_id), text_of(about, one)) for one in registered)


def places(
    shown: Sequence[access.Place],
    waiting: Sequence[access.Invitation],
    profile: access.User,
    zone: ZoneInfo,
) -> RenderableType:
    """One line for each team, then the invitations."""
    rows: list[RenderableType] = [
        card(
            _PLACE,
            one,
            zone,
            is_primary=one.team.team_id == profile.primary_team,
            is_active=one.team.team_id == profile.active_team,
        )
        for one in shown
    ]
    nothing = Text("You are in no team. Make one with `remanent team create NAME`.")
    invitations = [text_of(_WAITING, one, zone, whom=f"to {one.team_id}") for one in waiting]
    answer = Text("`remanent team accept INVITATION`, or `team decline`.", style="dim")
    told = [Text(), *invitations, answer] if invitations else []
    return Group(*(rows or [nothing]), *told)


def team(
    shown: access.Team,
    members: Sequence[access.Membership],
    waiting: Sequence[access.Invitation],
    zone: ZoneInfo,
) -> RenderableType:
    """Who is in it, and who is invited."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for member in members:
        since = text_of("- since {joined_at:day}", member, zone)
        table.add_row(clean(member.user_id), member.role.value, since)
    invited = [text_of(_WAITING, one, zone, whom=f"of {one.user_id}") for one in waiting]
    told = [Text(), *invited] if invited else []
    return card("[bold]{name}[/]\n- [cyan]{team_id}[/]", shown, zone, table, *told)


# -- what others put before one -----------------------------------------------------------------

accepted_source = message(
    SharedSource, "You read it from now on: {title}. | You read it from now on: {key}."
)
hidden_source = message(SharedSource, "Hidden. `remanent shared unhide` brings it back.")
shown_source = message(SharedSource, "It is there again.")
blocked = message(bool, "{?it}Blocked. | They were blocked already.")
unblocked = message(bool, "{?it}They may ask you again. | They were not blocked.")
_SHARED = (
    "[bold]{title}[/] from {contributor} | [bold](no title)[/] from {contributor}\n"
    "- [yellow]{state}[/] · {content_type} · {added_at} · [cyan]{key}[/]"
)


def shared(
    waiting: Sequence[SharedSource],
    hidden: Sequence[SharedSource],
    blocked: Sequence[str],
    zone: ZoneInfo,
) -> RenderableType:
    """One line for each source, then whoever is blocked."""
    rows: list[RenderableType] = [
        card(_SHARED, one, zone, state=state)
        for some, state in ((waiting, "waits for you"), (hidden, "hidden"))
        for one in some
    ]
    if blocked:
        rows.append(Text(clean(f"Blocked: {', '.join(blocked)}.")))
    return Group(*rows) if rows else Text("Nothing waits for you, and you hide nothing.")


# -- keys and the audit log ---------------------------------------------------------------------

revoked_key = message(access.ApiKey, "The key {name} opens nothing any more.")
_KEY = (
    "- [not dim]for {user_id}[/] | [not dim]for any user[/] · [not dim]{powers}[/] · in {team} · "
    "until {expires_at} · used {last_used_at} | never used · [red]revoked {revoked_at}[/] · "
    "[cyan]{key_id}[/]"
)
_ENTRY = (
    "- {seq} · {at} · [not dim bold]{actor}[/] | [not dim bold]operator[/] · "
    "[not dim red]{?act=refused}{act}[/] | [not dim]{act}[/] · [not dim]{subject}[/] · "
    "in {team_id} · {detail}"
)


def new_key(made: access.NewKey, zone: ZoneInfo) -> RenderableType:
    """The secret, once."""
    return Group(
        Text(made.secret, style="bold", overflow="fold"),
        _key(made.key, zone),
        Text("Keep it now: it is shown this once, and only its hash is stored.", style="yellow"),
    )


def keys(shown: Sequence[access.ApiKey], zone: ZoneInfo) -> RenderableType:
    if not shown:
        return Text("There are no keys. Make one with `remanent key create NAME`.")
    return Group(*(row for one in shown for row in (Text(clean(one.name)), _key(one, zone))))


def _key(key: access.ApiKey, zone: ZoneInfo) -> Text:
    return text_of(_KEY, key, zone, powers=sorted(key.powers))


def audit(entries: Sequence[access.AuditEntry], zone: ZoneInfo) -> RenderableType:
    """One line for each, oldest first."""
    if not entries:
        return Text("Nothing was done.")
    return Group(*(text_of(_ENTRY, one, zone, detail=_detail(one)) for one in entries))


def _detail(one: access.AuditEntry) -> list[str]:
    return [
        f"{name} {' '.join(map(str, value)) if isinstance(value, list | tuple) else value}"
        for name, value in one.detail.items()
    ]
