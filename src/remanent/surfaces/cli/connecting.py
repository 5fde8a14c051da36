"""The command that lets other programs use a memory as a tool: mcp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from remanent.surfaces.cli.session import Session

if TYPE_CHECKING:
    from remanent.surfaces.mcp.clients import Started


def mcp(
    session: Session,
    print_config: Annotated[
        bool,
        typer.Option("--print-config", help="Print what common clients need in their settings."),
    ] = False,
    client: Annotated[
        list[str] | None,
        typer.Option("--client", metavar="NAME", help="Print it for this client; repeatable."),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option("--url", metavar="URL", help="Print it for a server that runs there."),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Refuse whatever would write.")
    ] = False,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Leave reading and sleep to another process.")
    ] = False,
) -> None:
    """Serve this memory to an agent's client (Model Context Protocol) on standard input and output.

    Clients start it themselves: `remanent mcp --print-config` prints what they need. Over HTTP the same
    tools are at /mcp of `remanent serve`.
    """
    if print_config or client or url:
        _print_config(session, client, url, read_only=read_only)
        return
    from remanent.errors import ConfigError

    try:
        from remanent.surfaces.mcp import stdio
    except ModuleNotFoundError as missing:
        raise ConfigError("mcp", f"needs {missing.name}: pip install 'remanent[server]'") from None
    stdio.serve(session.memory, session.me, worker=not no_worker, writes=not read_only)


def _print_config(
    session: Session, client: list[str] | None, url: str | None, *, read_only: bool
) -> None:
    from rich.console import Group
    from rich.text import Text

    from remanent.errors import InvalidInput
    from remanent.surfaces.mcp.clients import CLIENTS, Started, snippets

    unknown = [one for one in client or () if one not in CLIENTS]
    if unknown:
        raise InvalidInput("client", f"{unknown[0]!r} is none of {', '.join(CLIENTS)}")
    how = Started(url=url) if url else _command(session, read_only=read_only)
    found = snippets(how, client or CLIENTS)
    session.screen.answer(
        {"snippets": found},
        lambda: Group(
            *(
                Group(Text(f"{one.client}: {one.file}", style="bold"), Text(one.text), Text())
                for one in found
            )
        ),
    )


def _command(session: Session, *, read_only: bool) -> Started:
    """This very program, this memory and this user: a client has another folder and other settings."""
    import shutil
    import sys
    from pathlib import Path

    from remanent.surfaces.mcp.clients import Started

    here = Path(sys.executable).with_name("remanent")
    command = str(here) if here.exists() else shutil.which("remanent") or "remanent"
    where = ["--memory", str(session.path.resolve()), "--user", session.me.user_id]
    return Started(command=command, args=["mcp", *where, *(["--read-only"] if read_only else [])])
