"""Retrieval: is what holds the answer among the first hits of `search`? No LLM, no judge.

Every dataset goes in through `add` and `work`, questions through `search`: the path a user takes, with
the settings a user has who sets nothing. Turns are ranked by `kinds=["passage"]`, a message of several
passages by its best; sessions by `kinds=["source"]`. A question that has a date is asked on that date,
the others long after the last session. Beside it stand plain BM25, plain cosine with the same embedder
and reciprocal-rank fusion of the two, over the same turns and sessions.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.frame import Report, Row, Setting
from bench.kept_vectors import KeptVectors
from bench.retrieval_measures import Tally
from bench.retrieval_plain import Plain
from bench.retrieval_sets import Asked, Session, World, worlds
from remanent import Memory, UserMemory
from remanent.core.ports.embedder import Embedder
from remanent.embedders.builtin import BuiltinEmbedder

LONG_AFTER = datetime(2030, 1, 1, tzinfo=UTC)
PASSAGES = 60  # a message may fall into several
SESSIONS = 20
OURS = "search"
TURN_SETS, SESSION_SETS = ("locomo", "beam"), ("locomo", "longmemeval", "realmem")
SHOWN = ("any@10", "recall@10", "all@5", "all@10", "nDCG@10", "newest first")
Place = tuple[str, str, str, str]  # set, turns or sessions, method, category
AIMS: Mapping[tuple[str, str, str], Sequence[tuple[str, float]]] = {
    ("locomo", "turns", "all"): (("recall@10", 84), ("nDCG@10", 67)),
    ("locomo", "sessions", "all"): (("any@10", 98), ("recall@10", 96)),
    ("longmemeval", "sessions", "all"): (("recall@10", 88), ("all@5", 72)),
    ("longmemeval", "sessions", "answerable"): (("recall@10", 88), ("all@5", 72)),
    ("longmemeval", "sessions", "knowledge-update"): (("newest first", 85),),
    ("beam", "turns", "all"): (("recall@10", 66),),
}


class AskingClock:
    """Stands where the benchmark puts it: a question of 2023 is asked in 2023."""

    def __init__(self) -> None:
        self.moment = LONG_AFTER

    def now(self) -> datetime:
        return self.moment


def run(setting: Setting) -> Report:
    spent: dict[str, list[float]] = {}
    sets = worlds(setting.data, setting.only, quick=setting.quick)
    count, tallies = measure(sets, setting, spent)
    if not count:
        raise SystemExit(f"bench: no dataset of retrieval in {setting.data}; see --data and --only")
    _show(tallies, setting.console)
    return Report(
        name="retrieval",
        rows=[*_headlines(tallies), *_times(spent)],
        notes=[f"{count} memories"],
        details=[
            {
                "set": where[0],
                "unit": where[1],
                "method": where[2],
                "category": where[3],
                "questions": tally.count,
                **{name: round(value, 2) for name, value in tally.mean().items()},
            }
            for where, tally in sorted(tallies.items())
        ],
    )


def measure(
    worlds: Iterable[World],
    setting: Setting,
    spent: dict[str, list[float]],
    *,
    alone: bool = False,
) -> tuple[int, dict[Place, Tally]]:
    """How many memories were asked, and what was found; `alone` leaves out the plain methods."""
    tallies: dict[Place, Tally] = {}
    embedder: Embedder = BuiltinEmbedder()
    if setting.cache is not None:
        embedder = KeptVectors(embedder, setting.cache)
    count = 0
    for world in worlds:
        _measure(world, setting, embedder, tallies, spent, alone=alone)
        count += 1
    return count, tallies


def _measure(
    world: World,
    setting: Setting,
    embedder: Embedder,
    tallies: dict[Place, Tally],
    spent: dict[str, list[float]],
    *,
    alone: bool,
) -> None:
    clock = AskingClock()
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "m.db", clock=clock, embedder=embedder) as memory,
    ):
        user = memory.user("reader", name="Reader of the talks", timezone="UTC")
        teller = Teller(user, world.sessions, clock)
        plain = None if alone else Plain(world.sessions, embedder)
        label = f"{world.set} {world.name}"
        for one in track(world.asked, description=label, console=setting.console):
            teller.add_first(len(world.sessions) if one.told is None else one.told)
            clock.moment = one.at or LONG_AFTER
            for unit, wanted, ranked in _answers(user, one, teller.names, world.set, spent):
                known = frozenset(teller.names.values())
                beside = {} if plain is None else getattr(plain, unit)(one.text, known)
                for method, order in {OURS: ranked, **beside}.items():
                    _count(tallies, (world.set, unit, method), one, wanted, order)


def _count(
    tallies: dict[Place, Tally],
    where: tuple[str, str, str],
    one: Asked,
    wanted: frozenset[str],
    order: Sequence[str],
) -> None:
    answerable = ["answerable"] if one.answerable and where[0] == "longmemeval" else []
    for category in ["all", one.category, *answerable]:
        tally = tallies.setdefault((*where, category), Tally())
        tally.add(wanted, order)
        if one.newest is not None:
            tally.add_pair(one.newest, order)


class Teller:
    """Tells the memory session after session, as far as it is to know them."""

    def __init__(self, user: UserMemory, sessions: Sequence[Session], clock: AskingClock) -> None:
        self._user, self._sessions, self._clock = user, sessions, clock
        self._told = 0
        self.names: dict[str, str] = {}  # of sources, by key

    def add_first(self, count: int) -> None:
        """Make it know the first `count`."""
        if count <= self._told:
            return
        self._clock.moment = LONG_AFTER
        for session in self._sessions[self._told : count]:
            turns = [
                {
                    "speaker": who,
                    "text": text,
                    "id": ref,
                    "at": session.at + timedelta(seconds=place),
                }
                for place, (who, text, ref) in enumerate(session.turns)
            ]
            key = self._user.add(
                turns, type="conversation", started_at=session.at, origin_id=session.id
            )
            self.names[key] = session.id
        self._told = count
        self._user.work()


def _answers(
    user: UserMemory,
    one: Asked,
    names: Mapping[str, str],
    dataset: str,
    spent: dict[str, list[float]],
) -> Iterator[tuple[str, frozenset[str], list[str]]]:
    if one.turns and dataset in TURN_SETS:
        began = time.perf_counter()
        hits = user.search(one.text, limit=PASSAGES, kinds=["passage"], touch=False)
        spent.setdefault("turns", []).append(time.perf_counter() - began)
        yield "turns", one.turns, list(dict.fromkeys(hit.ref or "" for hit in hits))
    if one.sessions and dataset in SESSION_SETS:
        began = time.perf_counter()
        hits = user.search(one.text, limit=SESSIONS, kinds=["source"], touch=False)
        spent.setdefault("sessions", []).append(time.perf_counter() - began)
        yield "sessions", one.sessions, [names.get(hit.key, "") for hit in hits]


# --- reports -----------------------------------------------------------------------------------


def _headlines(tallies: Mapping[Place, Tally]) -> Iterator[Row]:
    for (dataset, unit, category), aims in AIMS.items():
        tally = tallies.get((dataset, unit, OURS, category))
        for measure, least in aims if tally is not None else ():
            value = tally.mean().get(measure) if tally is not None else None
            if value is not None:
                yield Row(
                    what=f"{dataset} {unit}, {category}: {measure}",
                    value=value,
                    unit="%",
                    aim=f">= {least}",
                    met=value >= least,
                )


def _times(spent: Mapping[str, list[float]]) -> Iterator[Row]:
    for unit, taken in spent.items():
        yield Row(
            what=f"one search for {unit}, median, with the question's vector",
            value=1000 * statistics.median(taken),
            unit="ms",
        )


def _show(tallies: Mapping[Place, Tally], console: Console) -> None:
    for dataset, unit in sorted({where[:2] for where in tallies}):
        table = Table(title=f"{dataset}, {unit}", title_justify="left")
        for name in ("category", "questions", "by", *SHOWN):
            table.add_column(name, justify="left" if name in ("category", "by") else "right")
        for where, tally in sorted(tallies.items(), key=lambda item: (item[0][3], item[0][2])):
            if where[:2] == (dataset, unit):
                means = tally.mean()
                figures = [f"{means[name]:.1f}" if name in means else "" for name in SHOWN]
                table.add_row(where[3], str(tally.count), where[2], *figures)
        console.print(table)
