"""Doctor: looks at mind, embedder, stores, clock, disk and work, and says what to do about each.

Every part is looked at, whatever the others are like. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from remanent.backup.migrate import noted_move
from remanent.core.env import Env
from remanent.core.model.job import JobState
from remanent.core.model.scope import Scope
from remanent.core.on_behalf import chat_of
from remanent.core.ports.embedder import Paid
from remanent.core.records.admin import Damage, Diagnosis, Finding, Health, Level
from remanent.core.settings import TASKS
from remanent.errors import ConfigError, EmbedderError, MindError, RemanentError
from remanent.ingest.rules.request import digest_problem
from remanent.jobs import schedule
from remanent.spending.rules import price_of

_MEGABYTE: Final = 1024 * 1024
_BIG_WAL: Final = 256 * _MEGABYTE
_LITTLE_ROOM: Final = 200 * _MEGABYTE
_MUCH_AIR: Final = 0.25  # of the file's pages
_FEW_PAGES: Final = 1000
_BEHIND: Final = timedelta(seconds=5)  # between two machines, or two cores
_LATE: Final = timedelta(hours=24)
_WEIGHTS: Final = "Install its weights again, or name another with `remanent embedder use`."
_ELSEWHERE: Final = "Correct REMANENT_EMBEDDER, REMANENT_EMBEDDER_URL or REMANENT_EMBEDDER_KEY."
_TRUTH: Final = (
    "Copy the file and its -wal first; then go back to a backup, or make a new memory of what can "
    "still be read: `remanent salvage OLD NEW`."
)
_DERIVED: Final = (
    "Copy the file and its -wal first; then `remanent rebuild --switch` derives it from the ledger, "
    "or `remanent salvage OLD NEW` does so in a new file."
)
_FEW_TOLD: Final = 5
_REACHED: Final = "Correct REMANENT_MIND, REMANENT_MIND_URL or REMANENT_MIND_KEY."


def run_doctor(env: Env, *, offline: bool = False, deep: bool = False) -> Diagnosis:
    """What is well, what to keep an eye on, and what fails. `offline` sends nothing anywhere; `deep`
    also decodes every row and holds raw texts against their digests."""
    health = env.stores.health.health()
    parts = (
        _mind(env, offline=offline),
        _prices(env),
        _embedder(env, health, offline=offline),
        _file(health),
        _wall(health),
        _moved(env),
        _deep(env) if deep else iter(()),
        _log(health),
        _clock(env),
        _disk(health),
        _timetable(env),
        _jobs(env),
        _ledger(env),
    )
    return Diagnosis(findings=tuple(finding for part in parts for finding in part))


# -- minds and embedders ------------------------------------------------------------------


def _mind(env: Env, *, offline: bool) -> Iterator[Finding]:
    if chat_of(env.mind) is None:
        yield _ok("mind", f"{env.mind.name}: works on this machine and asks nobody")
        return
    if offline:
        yield _ok("mind", f"{env.mind.name}: has a key where it needs one; it was not asked")
        return
    try:
        env.adapters.probe(env.mind)
    except (ConfigError, MindError) as problem:
        yield _fail("mind", str(problem), _REACHED)
    else:
        yield _ok("mind", f"{env.mind.name}: answers")


def _prices(env: Env) -> Iterator[Finding]:
    chat = chat_of(env.mind)
    models = dict.fromkeys(() if chat is None else (chat.model(task) for task in TASKS))
    if isinstance(env.embedder, Paid):
        models[env.embedder.name] = None
    if not models:
        return
    unknown = [one for one in models if price_of(one, env.config.prices) is None]
    if not unknown:
        yield _ok("prices", f"known for {', '.join(models)}")
        return
    so, advice = "tokens are counted, money is not", "Set its price in [prices]."
    if env.config.budget.usd_per_day:
        so = "budget.usd_per_day cannot hold it back"
        advice = "Set its price in [prices], or budget.tokens_per_day."
    yield _warn("prices", f"no price for {', '.join(unknown)}: {so}", advice)


def _embedder(env: Env, health: Health, *, offline: bool) -> Iterator[Finding]:
    name, here = env.embedder.name, env.embedder.is_local
    if offline and not here:
        yield _ok("embedder", f"{name}: was not asked")
        return
    try:
        vector = env.embedder.embed(["one"])[0]
    except (ConfigError, EmbedderError) as problem:
        yield _fail("embedder", str(problem), _WEIGHTS if here else _ELSEWHERE)
        return
    length = len(vector)
    if health.dimensions and (health.embedder, health.dimensions) != (name, length):
        message = f"{name} gives {length} numbers, this memory has {health.dimensions}"
        yield _fail(
            "embedder",
            f"{message} of {health.embedder}",
            "Set REMANENT_EMBEDDER back, or its weights.",
        )
        return
    message = "its weights are whole" if here else "answers"
    yield _ok("embedder", f"{name}: {length} numbers, {message}")


# -- time and work ------------------------------------------------------------------------


def _clock(env: Env) -> Iterator[Finding]:
    now, newest = env.clock.now(), _newest(env)
    message = f"{now:%Y-%m-%d %H:%M:%S} UTC"
    if newest is not None and now < newest - _BEHIND:
        yield _fail(
            "clock",
            f"it is {message}, but the ledger has an entry of {newest:%Y-%m-%d %H:%M:%S}",
            "Set the system's clock; what is recorded now would seem older than it is.",
        )
        return
    yield _ok("clock", message)


def _newest(env: Env) -> datetime | None:
    try:
        return env.stores.health.census().newest_event
    except RemanentError:  # the file says so itself, a line above
        return None


def _timetable(env: Env) -> Iterator[Finding]:
    now, late = env.clock.now(), []
    for user in env.registry.users():
        scope = env.registry.scope_of(user.user_id)
        due = [one for one in schedule.due(env, scope, now) if now - one.tick > _LATE]
        if due:
            late.append(f"{user.user_id} ({', '.join(one.job.value for one in due)})")
    if late:
        message = f"more than a day late: {'; '.join(late)}"
        yield _warn("timetable", message, "`remanent sleep --all-users`, or a worker that follows.")
    else:
        yield _ok("timetable", "nothing is late")


def _jobs(env: Env) -> Iterator[Finding]:
    counts = env.queue.counts()
    waiting = counts.get(JobState.READY, 0) + counts.get(JobState.RUNNING, 0)
    if not counts.get(JobState.PARKED, 0):
        yield _ok("jobs", f"{waiting:,} to do, none parked")
        return
    (oldest,) = env.queue.jobs(states=(JobState.PARKED,), limit=1)
    message = f"{counts[JobState.PARKED]:,} parked, {waiting:,} to do; the oldest: {oldest.error}"
    yield _warn("jobs", message, "`remanent jobs list --state parked`, then `remanent jobs retry`.")


def _ledger(env: Env) -> Iterator[Finding]:
    """Where the ledger has a ceiling, who is above it."""
    tiers = env.config.tiers
    if tiers.ceiling is None:
        return
    sizes = {
        one.user_id: env.ledger.size(Scope(user_id=one.user_id)) for one in env.registry.users()
    }
    above = [f"{user} ({_size(size)})" for user, size in sizes.items() if size > tiers.ceiling]
    if not above:
        yield _ok("ledger", f"nobody's is above {tiers.ledger_megabytes:g} MB")
        return
    yield _warn(
        "ledger",
        f"above {tiers.ledger_megabytes:g} MB: {', '.join(above)}",
        "Re-consolidation trims what agents recorded once it is old and out of the graph, and nothing "
        "else: if it stays above, raise tiers.ledger_megabytes or lower tiers.trim_after_days.",
    )


def _file(health: Health) -> Iterator[Finding]:
    if health.problems:
        message = f"damaged: {'; '.join(health.problems)}"
        yield _fail("stores", message, _TRUTH)
        return
    size = "in memory" if health.file_bytes is None else _size(health.file_bytes)
    pages = (health.file_bytes or 0) // max(1, health.page_bytes)
    message = f"sound, schema {health.schema} of {health.newest_schema}, {size}"
    if health.free_pages > max(_FEW_PAGES, pages * _MUCH_AIR):
        air = _size(health.free_pages * health.page_bytes)
        yield _warn("stores", f"{message}, {air} of it unused", "It is used again as memory grows.")
        return
    yield _ok("stores", f"{message}, {health.free_pages:,} free pages")


def _wall(health: Health) -> Iterator[Finding]:
    if health.unwalled:
        yield _warn("wall", health.unwalled, "Connect as an ordinary user who owns the tables.")
    elif health.unwalled is not None:
        yield _ok("wall", "the database shows each call its own user's rows alone")


def _moved(env: Env) -> Iterator[Finding]:
    """Where the memory went, if it did: what is found here is no longer what is written there."""
    move = noted_move(env.stores)
    if move is not None and move.refusal:
        yield _warn(
            "place", f"this memory {move.refusal}", "Name the new place in REMANENT_MEMORY."
        )


def _deep(env: Env) -> Iterator[Finding]:
    """A line for each table in which something is damaged, or one for all that is sound."""
    look = env.stores.health.examine(digest_problem)
    tables: dict[str, list[Damage]] = {}
    for one in look.damages:
        tables.setdefault(one.table, []).append(one)
    for table, damages in tables.items():
        lines = [": ".join(filter(None, (one.key, one.problem))) for one in damages[:_FEW_TOLD]]
        if len(damages) > _FEW_TOLD:
            lines.append(f"and {len(damages) - _FEW_TOLD} more")
        remedy = _TRUTH if table in ("events", "raws", "the file") else _DERIVED
        yield _fail("deep", f"table {table}: {'; '.join(lines)}", remedy)
    if not tables:
        message = f"{look.rows:,} rows can be read, {look.digests:,} raw texts fit their digests"
        yield _ok("deep", message)


def _log(health: Health) -> Iterator[Finding]:
    if health.wal_bytes is not None and health.wal_bytes > _BIG_WAL:
        yield _warn(
            "log",
            f"the write-ahead log has {_size(health.wal_bytes)}",
            "Some program reads for very long: find it and end it, and the log shrinks.",
        )
    elif health.wal_bytes is not None:
        yield _ok("log", f"{_size(health.wal_bytes)} of write-ahead log")


def _disk(health: Health) -> Iterator[Finding]:
    if health.disk_free_bytes is None:
        return
    message = f"{_size(health.disk_free_bytes)} left"
    if health.disk_free_bytes < _LITTLE_ROOM:
        yield _fail("disk", message, "Make room: soon nothing more can be remembered.")
    elif health.disk_free_bytes < (health.file_bytes or 0):
        yield _warn("disk", message, "A rebuild needs as much again as the memory has.")
    else:
        yield _ok("disk", message)


def _size(count: int) -> str:
    return f"{count / _MEGABYTE:,.1f} MB"


def _ok(part: str, message: str) -> Finding:
    return Finding(part=part, level=Level.OK, told=message)


def _warn(part: str, message: str, remedy: str) -> Finding:
    return Finding(part=part, level=Level.WARN, told=message, remedy=remedy)


def _fail(part: str, message: str, remedy: str) -> Finding:
    return Finding(part=part, level=Level.FAIL, told=message, remedy=remedy)
