"""Commands about API keys, for whoever runs the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from remanent.surfaces.cli.agreeing import Yes, insist_agreed
from remanent.surfaces.cli.session import Session

if TYPE_CHECKING:
    from datetime import datetime
    from zoneinfo import ZoneInfo


def create(
    session: Session,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call the key.")],
    service: Annotated[
        bool, typer.Option("--service", help="For any user, not only for the one of --user.")
    ] = False,
    power: Annotated[
        list[str] | None,
        typer.Option(
            "--power", metavar="POWER", help="read, write or manage. [default: read and write]"
        ),
    ] = None,
    team: Annotated[
        str | None, typer.Option(metavar="ID", help="Let it see this team's things only.")
    ] = None,
    expires: Annotated[
        str | None, typer.Option(metavar="DATE", help="When it runs out. [default: never]")
    ] = None,
) -> None:
    """Make an API key. Its secret is shown this once."""
    from remanent.surfaces.cli import teamed

    made = session.memory.create_key(
        None if service else session.me.user_id,
        name=name,
        powers=power or ("read", "write"),
        team=team,
        expires_at=_moment(expires),
    )
    session.screen.answer(made, lambda: teamed.new_key(made, zone_of()))


def list_(session: Session) -> None:
    """All API keys, revoked ones as well. Secrets are not known."""
    from remanent.surfaces.cli import teamed

    found = session.memory.keys()
    session.screen.answer({"keys": found}, lambda: teamed.keys(found, zone_of()))


def revoke(
    session: Session,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The id of a key, from `key list`.")],
    yes: Yes = False,
) -> None:
    """Make an API key worth nothing, at once and for good."""
    from remanent.surfaces.cli import teamed

    insist_agreed(session, f"Revoke the key {key}? It cannot be brought back.", yes=yes)
    revoked = session.memory.revoke_key(key)
    session.screen.answer({"key": revoked}, lambda: teamed.revoked(revoked))


def zone_of() -> ZoneInfo:
    """Of whoever looks on; keys concern everybody, so nobody has to be named."""
    from zoneinfo import ZoneInfo

    from remanent.surfaces.cli.inputs import local_timezone

    return ZoneInfo(local_timezone())


def _moment(text: str | None) -> datetime | None:
    from remanent.surfaces.cli.inputs import moment

    return None if text is None else moment("--expires", text, zone_of())


KEY = (create, list_, revoke)
