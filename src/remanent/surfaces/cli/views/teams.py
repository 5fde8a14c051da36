"""Views of teams, API keys and the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from remanent.core.records import access
from remanent.surfaces.cli.views.basics import clean, line, when

if TYPE_CHECKING:
    from remanent.teams.consents import SharedSource


def message(text: str) -> RenderableType:
    return Text(clean(text))


def declined(_: access.Invitation) -> RenderableType:
    return Text("Declined.")


def revoked(_: access.Invitation) -> RenderableType:
    return Text("Taken back.")


def renamed(team: access.Team) -> RenderableType:
    return new_team(team, head="Team ")


def new_team(team: access.Team, head: str = "New team ") -> RenderableType:
    name = Text.assemble((head, "green"), (clean(team.name), "bold"))
    return Group(name, line((f"id {team.team_id}", "cyan")))


def places(
    shown: Sequence[access.Place],
    waiting: Sequence[access.Invitation],
    profile: access.User,
    zone: ZoneInfo,
) -> RenderableType:
    """One line for each team, then the invitations."""
    rows: list[RenderableType] = []
    for place in shown:
        id_ = place.team.team_id
        rows.append(Text(clean(place.team.name), style="bold"))
        rows.append(
            line(
                (place.membership.role.value, "not dim"),
                "primary" if id_ == profile.primary_team else "",
                ("the only one you see now" if id_ == profile.active_team else "", "yellow"),
                f"since {when(place.membership.joined_at, zone, clock=False)}",
                (id_, "cyan"),
            )
        )
    if not rows:
        rows.append(Text("You are in no team. Make one with `remanent team create NAME`."))
    return Group(*rows, *_waiting(waiting, zone, mine=True))


def team(
    shown: access.Team,
    members: Sequence[access.Membership],
    waiting: Sequence[access.Invitation],
    zone: ZoneInfo,
) -> RenderableType:
    """Who is in it, and who is invited."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for member in members:
        since = when(member.joined_at, zone, clock=False)
        table.add_row(clean(member.user_id), member.role.value, Text(f"since {since}", style="dim"))
    head = Text(clean(shown.name), style="bold")
    return Group(head, line((shown.team_id, "cyan")), table, *_waiting(waiting, zone, mine=False))


def _waiting(
    waiting: Sequence[access.Invitation], zone: ZoneInfo, *, mine: bool
) -> list[RenderableType]:
    rows: list[RenderableType] = []
    for invitation in waiting:
        whom = f"to {invitation.team_id}" if mine else f"of {invitation.user_id}"
        until = when(invitation.expires_at, zone, clock=False)
        rows.append(
            line(
                (
                    f"Invitation {whom} as {invitation.role.value}, by {invitation.invited_by}",
                    "not dim",
                ),
                f"until {until}",
                (invitation.invitation_id, "cyan"),
            )
        )
    if rows and mine:
        rows.append(Text("`remanent team accept INVITATION`, or `team decline`.", style="dim"))
    return [Text(), *rows] if rows else []


def invitation(made: access.Invitation, zone: ZoneInfo) -> RenderableType:
    head = Text.assemble(
        (clean(made.user_id), "bold"), f" is invited to {clean(made.team_id)} as {made.role.value}."
    )
    until = when(made.expires_at, zone)
    return Group(head, line((f"until {until}", ""), (made.invitation_id, "cyan")))


def member(place: access.Membership) -> RenderableType:
    return Text.assemble(
        (clean(place.user_id), "bold"), f" is {place.role.value} of {clean(place.team_id)}."
    )


def primary_team(profile: access.User) -> RenderableType:
    if profile.primary_team is None:
        return Text("You have no primary team.")
    return Text(f"Your primary team is {clean(profile.primary_team)}.")


def active_team(profile: access.User) -> RenderableType:
    if profile.active_team is None:
        return Text("You see all your teams.")
    return Text(f"You see what is yours and what is of {clean(profile.active_team)}.")


# -- what others put before one -----------------------------------------------------------------


def shared(
    waiting: Sequence[SharedSource],
    hidden: Sequence[SharedSource],
    blocked: Sequence[str],
    zone: ZoneInfo,
) -> RenderableType:
    """One line for each source, then whoever is blocked."""
    rows: list[RenderableType] = [_shared(one, "waits for you", zone) for one in waiting]
    rows += [_shared(one, "hidden", zone) for one in hidden]
    if blocked:
        rows.append(Text(clean(f"Blocked: {', '.join(blocked)}.")))
    return Group(*rows) if rows else Text("Nothing waits for you, and you hide nothing.")


def _shared(one: SharedSource, state: str, zone: ZoneInfo) -> RenderableType:
    head = Text.assemble(
        (clean(one.title or "(no title)"), "bold"), f" from {clean(one.contributor)}"
    )
    since = when(one.added_at, zone)
    return Group(head, line((state, "yellow"), one.content_type.value, since, (one.key, "cyan")))


def accepted_source(one: SharedSource) -> RenderableType:
    return Text(clean(f"You read it from now on: {one.title or one.key}."))


def declined_source(_: SharedSource) -> RenderableType:
    return Text("Declined.")


def hidden_source(_: SharedSource) -> RenderableType:
    return Text("Hidden. `remanent shared unhide` brings it back.")


def shown_source(_: SharedSource) -> RenderableType:
    return Text("It is there again.")


def blocked(changed: bool) -> RenderableType:
    return Text("Blocked." if changed else "They were blocked already.")


def unblocked(changed: bool) -> RenderableType:
    return Text("They may ask you again." if changed else "They were not blocked.")


# -- keys -------------------------------------------------------------------------------------


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


def revoked_key(key: access.ApiKey) -> RenderableType:
    return Text(f"The key {clean(key.name)} opens nothing any more.")


def _key(key: access.ApiKey, zone: ZoneInfo) -> RenderableType:
    expires = f"until {when(key.expires_at, zone)}" if key.expires_at else ""
    return line(
        (f"for {key.user_id}" if key.user_id is not None else "for any user", "not dim"),
        (", ".join(sorted(key.powers)), "not dim"),
        f"in {key.team}" if key.team else "",
        expires,
        f"used {when(key.last_used_at, zone)}" if key.last_used_at else "never used",
        (f"revoked {when(key.revoked_at, zone)}" if key.revoked_at else "", "red"),
        (key.key_id, "cyan"),
    )


# -- the audit log ------------------------------------------------------------------------------------


def audit(entries: Sequence[access.AuditEntry], zone: ZoneInfo) -> RenderableType:
    """One line for each, oldest first."""
    if not entries:
        return Text("Nothing was done.")
    return Group(*(_audit_entry(one, zone) for one in entries))


def _audit_entry(one: access.AuditEntry, zone: ZoneInfo) -> RenderableType:
    detail = (
        f"{name} {' '.join(map(str, value)) if isinstance(value, list | tuple) else value}"
        for name, value in one.detail.items()
    )
    return line(
        f"{one.seq}",
        when(one.at, zone),
        (one.actor or "operator", "not dim bold"),
        (one.act, "not dim red" if one.act == "refused" else "not dim"),
        (one.subject, "not dim"),
        f"in {one.team_id}" if one.team_id else "",
        ", ".join(detail),
    )
