"""Commands that let other programs use a memory: serve, mcp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from remanent.surfaces.cli.commands import command
from remanent.surfaces.cli.session import Session, invalid, needing
from remanent.surfaces.operations.schema import NAME, TEXT, Flag, Many, Param, Whole

if TYPE_CHECKING:
    from remanent.surfaces.mcp.clients import Launch


_NO_WORKER = Param("no_worker", Flag(), "Leave reading and sleep to another process.", False)

# fmt: off
_SERVE = (
    Param("host", NAME, "Where to listen.", "127.0.0.1", cli="--host HOST"),
    Param("port", Whole(0, 65535), "0: any that is free.", 7070, cli="--port N"),
    Param("dev", Flag(), "Ask for no key. Only for programs on this very machine.", False),
    Param("share_port", Flag(), "Answer there beside others that are started so.", False),
    _NO_WORKER,
    Param("workers", Whole(1, 64), "So many processes that work.", 1, cli="--workers N"),
)
_MCP = (
    Param("print_config", Flag(), "Print what common clients need in their settings.", False),
    Param("client", Many(NAME), "Print it for this client.", None, cli="--client NAME"),
    Param("url", TEXT, "Print it for a server that runs there.", None, cli="--url URL"),
    Param("read_only", Flag(), "Refuse whatever would write.", False),
    Param("tools", TEXT, "More tools: graph, need, events, corrections (with commas) or all.", None,
        cli="--tools GROUPS"),
    _NO_WORKER,
)
# fmt: on


@command("", *_SERVE)
def serve(
    session: Session, *, host: str, dev: bool, no_worker: bool, workers: int, **port: Any
) -> None:
    """Serve this memory over HTTP, and do its work and sleep meanwhile.

    Programs come with a key: `remanent key create`. Ctrl-C ends it, after the requests and the job in
    hand.
    """
    import sys

    if dev and not _is_loopback(host):  # before anything is loaded
        raise invalid("dev", f"needs no keys, and {host} can be reached from elsewhere")
    with needing("remanent[server]", "server"):
        from remanent.surfaces.http import app, server
    memory = session.memory
    user = _default_user(session) if dev else None
    rules = session.config.server
    faces = server.faces(rules.mcp_groups)
    api = app.create_app(memory, dev=dev, user=user, rules=rules, faces=faces)
    opened = server.listen(host, **port)
    state: dict[str, Any] = {
        "url": server.address_of(opened),
        "dev": dev,
        "user": user,
        "keys": server.keys_of(memory),
        "workers": 0 if no_worker else workers,
    }

    def announce() -> None:
        session.show(state, "admin.listening", state, is_near=_is_loopback(host))
        sys.stdout.flush()  # whoever started us may wait for it

    place = session.config.memory if session.path is None else session.place
    server.Server(api, opened, place=place, workers=state["workers"]).run(announce)


def _is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach that host."""
    import ipaddress

    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _default_user(session: Session) -> str | None:
    """Who was named, or the only one there is."""
    registered = [user.user_id for user in session.memory.users()]
    return session.options.user or (registered[0] if len(registered) == 1 else None)


@command("", *_MCP)
def mcp(
    session: Session, *, tools: str | None, read_only: bool, no_worker: bool, **config: Any
) -> None:
    """Serve this memory to an agent's client (Model Context Protocol) on standard input and output.

    Clients start it themselves: `remanent mcp --print-config` prints what they need. Over HTTP the same
    tools are at /mcp of `remanent serve`.
    """
    if any(config.values()):
        more = [*(["--read-only"] if read_only else []), *(["--tools", tools] if tools else [])]
        _print_config(session, config["client"], config["url"], more)
        return
    with needing("remanent[server]", "mcp"):
        from remanent.surfaces.mcp import server as stdio
    writes, worker = not read_only, not no_worker
    stdio.serve(session.memory, session.me, worker=worker, writes=writes, groups=tools)


def _print_config(
    session: Session, client: list[str] | None, url: str | None, more: list[str]
) -> None:
    from rich.console import Group
    from rich.text import Text

    from remanent.surfaces.mcp.clients import CLIENTS, Launch, snippets

    unknown = [name for name in client or () if name not in CLIENTS]
    if unknown:
        raise invalid("client", f"{unknown[0]!r} is none of {', '.join(CLIENTS)}")
    how = Launch(url=url) if url else _command(session, more)
    pieces = snippets(how, client or CLIENTS)
    blocks = (
        Group(Text(f"{piece.client}: {piece.file}", style="bold"), Text(piece.text), Text())
        for piece in pieces
    )
    session.screen.answer({"snippets": pieces}, lambda: Group(*blocks))


def _command(session: Session, more: list[str]) -> Launch:
    """This very program, this memory and this user: a client has another folder and other settings."""
    import shutil
    import sys
    from pathlib import Path

    from remanent.surfaces.mcp.clients import Launch

    here = Path(sys.executable).with_name("remanent")
    command = str(here) if here.exists() else shutil.which("remanent") or "remanent"
    where = ["--memory", session.place, "--user", session.me.user_id]
    return Launch(command=command, args=["mcp", *where, *more])
