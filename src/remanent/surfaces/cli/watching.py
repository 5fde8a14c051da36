"""Commands for whoever keeps an eye on a memory: what it costs, how it is, and numbers for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from remanent.surfaces.cli.session import Session

if TYPE_CHECKING:
    from datetime import date

    from remanent.core.records.health import Diagnosis, Finding
    from remanent.core.records.spending import Cost
    from remanent.errors import RemanentError


def spending(
    session: Session,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE", help="From that day on. [default: all]"),
    ] = None,
    all_users: Annotated[
        bool, typer.Option("--all-users", help="For everyone in this memory.")
    ] = False,
) -> None:
    """What a language model was asked and what it cost, by day, job, task and model.

    Days are those of UTC, and so is the day of a budget. The offline mind costs nothing.
    """
    from remanent.surfaces.cli import watched

    day = _day(since)
    found = session.memory.spending(day) if all_users else [session.me.spending(day)]
    session.screen.answer({"spending": found}, lambda: watched.accounts(found, named=all_users))


def doctor(
    session: Session,
    offline: Annotated[
        bool, typer.Option("--offline", help="Send nothing: do not ask the language model.")
    ] = False,
) -> None:
    """Look at mind, embedder, stores, clock, disk and work, and say what to do.

    A language model is asked for one word. Ends with exit code 1 if anything fails.
    """
    from remanent.surfaces.cli import watched
    from remanent.surfaces.cli.errors import FAILED

    with session.screen.busy("Looking"):
        found = _examined(session, offline=offline)
    record = {"sound": found.is_sound, "findings": found.findings}
    session.screen.answer(record, lambda: watched.diagnosis(found))
    if not found.is_sound:
        raise typer.Exit(FAILED)


def metrics(session: Session) -> None:
    """Numbers of all users together, in the text format of Prometheus."""
    text = session.memory.metrics()
    session.screen.raw({"metrics": text}, text)


WATCHING = (spending, doctor, metrics)


def cost_so_far(session: Session, *, everyone: bool) -> Cost:
    """All that was ever spent for this user, or for everyone: a receipt tells what it has grown by."""
    from remanent.core.records.spending import Cost

    accounts = session.memory.spending() if everyone else [session.me.spending()]
    cost = Cost()
    for one in accounts:
        cost = cost.plus(one.total)
    return cost


def _day(text: str | None) -> date | None:
    from datetime import UTC
    from zoneinfo import ZoneInfo

    from remanent.surfaces.cli.inputs import moment

    return None if text is None else moment("since", text, ZoneInfo("UTC")).astimezone(UTC).date()


def _examined(session: Session, *, offline: bool) -> Diagnosis:
    """What a doctor finds; a memory that cannot be opened as the settings say is a finding, too."""
    from remanent.core.records.health import Diagnosis
    from remanent.errors import ConfigError, RemanentError
    from remanent.surfaces.cli.errors import NoMemory

    try:
        return session.memory.doctor(offline=offline)
    except NoMemory:
        raise
    except RemanentError as problem:
        finding = _finding(problem)
        rest: tuple[Finding, ...] = ()
        if isinstance(problem, ConfigError) and problem.field.startswith("mind"):
            rest = _without_mind(session)
        return Diagnosis(findings=(finding, *rest))


def _without_mind(session: Session) -> tuple[Finding, ...]:
    """The rest of a memory whose mind cannot be had."""
    import dataclasses

    from remanent.memory import Memory

    with Memory.open(dataclasses.replace(session.config, mind="offline")) as memory:
        return tuple(one for one in memory.doctor(offline=True).findings if one.part != "mind")


def _finding(problem: RemanentError) -> Finding:
    from remanent.core.records.health import Finding, Level
    from remanent.errors import ConfigError, EmbedderError, StoreError
    from remanent.surfaces.cli.errors import explain

    part = "memory"
    if isinstance(problem, ConfigError):
        part = "mind" if problem.field.startswith("mind") else "settings"
    elif isinstance(problem, EmbedderError):
        part = "embedder"
    elif isinstance(problem, StoreError):
        part = "stores"
    told = explain(problem, "doctor")
    return Finding(part=part, level=Level.FAIL, told=told.message, remedy=told.hint)
