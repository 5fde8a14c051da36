"""The command that hunts for leaks between users, in a town of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from remanent.surfaces.cli.commands import command
from remanent.surfaces.cli.session import Session

if TYPE_CHECKING:
    from rich.console import RenderableType

    from remanent.testing.leaks.hunt import HuntReport, Way


@command()
def leaks(
    session: Session,
    calls: Annotated[
        int, typer.Option("--calls", metavar="N", min=1, help="So many random calls.")
    ] = 10_000,
    users: Annotated[
        int, typer.Option("--users", metavar="N", min=2, help="So many users with secrets.")
    ] = 50,
    teams: Annotated[
        int, typer.Option("--teams", metavar="N", min=1, help="So many teams, all of one name.")
    ] = 10,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Which dice.")] = 1,
    no_server: Annotated[
        bool, typer.Option("--no-server", help="Ask from Python alone, not over HTTP and MCP.")
    ] = False,
) -> None:
    """Look for leaks: can anybody learn what they may not know, by any way of asking?

    Makes a temporary memory with made-up users whose secrets are known, asks it in every way there is
    while people join, leave and are forgotten, and reads every answer. Your own memory is not touched.
    """
    import tempfile
    from datetime import UTC, datetime
    from pathlib import Path

    from remanent.clock import SteppedClock
    from remanent.memory import Memory
    from remanent.surfaces.cli.errors import FAILED
    from remanent.testing.leaks.hunt import Plan, hunt

    ways = () if no_server else _ways()
    clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    plan = Plan(users=users, teams=teams, calls=calls, seed=seed)
    with tempfile.TemporaryDirectory(prefix="remanent-leaks-") as folder:
        memory = Memory.open(Path(folder) / "town.db", clock=clock)
        with memory, session.screen.bar("Hunting") as bar:
            found = hunt(
                memory,
                clock,
                plan,
                ways=ways,
                tell=session.screen.warn,
                progress=lambda done, total: bar(done / total),
            )
    session.screen.answer(_record(found), lambda: _view(found))
    if not found.is_clean:
        raise typer.Exit(FAILED)


def _ways() -> tuple[Way, ...]:
    from remanent.errors import ConfigError

    try:
        from remanent.testing.leaks.web import Web
    except ModuleNotFoundError as missing:
        raise ConfigError(
            "server",
            f"needs {missing.name}: pip install 'remanent[server]', or ask with --no-server",
        ) from None
    return (Web(),)


def _record(found: HuntReport) -> dict[str, object]:
    return {
        "plan": found.plan,
        "secrets": found.secrets,
        "calls": found.calls,
        "told": found.told,
        "paths": dict(found.paths),
        "refusals": dict(found.refusals),
        "moves": dict(found.moves),
        "leaks": found.leaks,
        "crashes": found.crashes,
    }


def _view(found: HuntReport) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    from remanent.surfaces.cli.views.basics import clean

    plan = found.plan
    lines = [
        Text(
            f"{found.calls:,} calls over {len(found.paths)} paths, {plan.users} users in {plan.teams} "
            f"teams, {found.secrets:,} secrets"
        ),
        Text(f"{found.told:,} answers told a secret to somebody who may know it"),
        Text(f"{sum(found.refusals.values()):,} were refused"),
        Text("meanwhile: " + ", ".join(f"{n} {what}" for what, n in found.moves.items())),
    ]
    for leak in found.leaks[:20]:
        said = f"LEAK {leak.path}: {leak.caller} heard {leak.where} of {leak.owner}"
        lines.append(Text(f"{said}: {clean(leak.answer)}", style="bold red"))
    lines += [Text(f"CRASH {clean(one)}", style="bold red") for one in found.crashes[:20]]
    verdict = (
        Text("No leak.", style="bold green")
        if found.is_clean
        else Text(f"{len(found.leaks)} leaks, {len(found.crashes)} crashes", style="bold red")
    )
    return Group(*lines, verdict)
