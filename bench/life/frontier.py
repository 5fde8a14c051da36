"""The forgetting frontier: of what still holds, how much is found when only a share of sources is kept?

Every way of keeping is asked the same: a fact is reachable when a search for its question has, among
the first ten hits, a passage or source that states the current value. Archived sources are not
searched. In "with beliefs" a belief or relationship that gives the current value counts as well; in
"with the archive" archived sources are found where search looks for them by itself.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.frame import Row
from bench.life.living import Year, opened, owner_of
from bench.life.reading import Reader
from bench.life.talk import question
from bench.life.world import Slot
from remanent import Memory, UserMemory, load_config

Fact = tuple[Slot, str]
SHARES = (0.5, 0.3, 0.2, 0.1)
AIM_AT, AIM = 0.2, 80.0
AIM_IN_ALL = 90.0
AWAKE = ("candidate", "active", "core")
Shown = Callable[[str], None]


def measure_frontier(path: Path, year: Year, shown: Shown, embedder: object) -> Iterator[Row]:
    """Ours, random, newest and the oracle, from half of the sources down to a tenth."""
    world = year.world
    facts = [(slot, value) for slot in world.slots for value in sorted(world.current(slot))]
    with _copy(path, year, "asis", embedder) as memory:
        shown("frontier: the memory as it is")
        yield from _measure(memory, year, facts, "as the year left it", None)
        yield from _measure_archive(memory, year, facts)
    for share in SHARES:
        shown(f"frontier: ours at {share:.0%}")
        with _copy(path, year, f"ours{share}", embedder, share) as memory:
            yield from _measure(memory, year, facts, "ours", share)
    for name, order in _orders(year, facts).items():
        with _copy(path, year, name, embedder) as memory:
            yield from _narrowed(memory, year, facts, name, order, shown)


def _narrowed(
    memory: Memory,
    year: Year,
    facts: Sequence[Fact],
    name: str,
    order: Sequence[str],
    shown: Shown,
) -> Iterator[Row]:
    """Archive from the end of `order` on, until each share in turn is left."""
    user = owner_of(memory)
    kept = list(order)
    for key in kept:
        user.restore(key)
    for share in SHARES:
        shown(f"frontier: {name} at {share:.0%}")
        while len(kept) > share * len(order):
            user.archive(kept.pop())
        yield from _measure(memory, year, facts, name, share)


def _copy(
    path: Path, year: Year, name: str, embedder: object, share: float | None = None
) -> Memory:
    """A copy of the finished memory; with a share, all sources restored and then put to sleep under
    that limit: what is measured is the rule of worth, from the same start as all other ways."""
    place = path.with_name(f"{path.stem}-{name}.db")
    for old in place.parent.glob(f"{place.name}*"):
        old.unlink()
    shutil.copyfile(path, place)
    config = load_config(place)
    if share is not None:
        config = replace(config, lifecycle=replace(config.lifecycle, keep_share=share))
    memory = opened(place, year.end, config, embedder=embedder)
    if share is not None:
        user = owner_of(memory)
        for key in year.keys.values():
            user.restore(key)
        user.sleep(only=["fade"])
    return memory


def _orders(year: Year, facts: Sequence[Fact]) -> dict[str, list[str]]:
    """Keys of all sources, those to be kept longest first."""
    pieces = [one for one in year.pieces if one.id in year.keys]
    newest = [one.id for one in sorted(pieces, key=lambda one: one.at, reverse=True)]
    drawn = sorted(one.id for one in pieces)
    random.Random(f"keep {year.world.seed}").shuffle(drawn)
    orders = {"random": drawn, "newest": newest, "oracle": _oracle(year, facts, newest)}
    return {name: [year.keys[one] for one in ids] for name, ids in orders.items()}


def _oracle(year: Year, facts: Sequence[Fact], newest: Sequence[str]) -> list[str]:
    """Greedy cover of what still holds: each time the source that states most facts not yet kept."""
    states: dict[str, set[tuple[str, str]]] = {}
    for slot, value in facts:
        for source in stating(year, (slot, value)):
            states.setdefault(source, set()).add((slot.id, value))
    chosen: list[str] = []
    for _ in range(3):  # when all are covered, cover them again
        left = {(slot.id, value) for slot, value in facts}
        while left:
            best = max(
                (one for one in states if one not in chosen),
                key=lambda one: (len(states[one] & left), one),
                default=None,
            )
            if best is None or not states[best] & left:
                break
            chosen.append(best)
            left -= states[best]
    taken = set(chosen)
    return [*chosen, *(one for one in newest if one not in taken)]


def stating(year: Year, fact: Fact) -> set[str]:
    """Ids of the sources that state the value."""
    slot, value = fact
    return {one.source for one in year.world.of(slot) if one.value == value}


def _measure(
    memory: Memory, year: Year, facts: Sequence[Fact], name: str, share: float | None
) -> Iterator[Row]:
    user = owner_of(memory)
    reader = Reader(user, year)
    given = reader.answers()
    total = len(year.keys)
    kept = int(user.cypher("MATCH (s:Source) RETURN count(s)").rows[0][0])
    hits = [_is_found(user, year, one, states=AWAKE) for one in facts]
    either = [
        hit or value in given.get(slot.id, ())
        for hit, (slot, value) in zip(hits, facts, strict=True)
    ]
    reach = 100 * sum(hits) / len(facts)
    aimed = name == "ours" and share == AIM_AT
    label = f"{name}" if share is None else f"{share:.0%} by {name}"
    yield Row(
        what=f"{label} ({kept} of {total} kept): reachable of {len(facts)} that hold",
        value=reach,
        unit="%",
        aim=f">= {AIM:.0f} %" if aimed else "",
        met=reach >= AIM if aimed else None,
    )
    yield Row(
        what=f"{label}: with beliefs and relationships",
        value=100 * sum(either) / len(facts),
        unit="%",
    )


def _measure_archive(memory: Memory, year: Year, facts: Sequence[Fact]) -> Iterator[Row]:
    """What is found with the archive, and what one would find had nothing been archived."""
    user = owner_of(memory)
    with_archive = 100 * sum(_is_found(user, year, one) for one in facts) / len(facts)
    yield Row(
        what="as the year left it: with the archive",
        value=with_archive,
        unit="%",
        aim=f">= {AIM_IN_ALL:.0f} %",
        met=with_archive >= AIM_IN_ALL,
    )
    for key in year.keys.values():
        user.restore(key)
    everything = 100 * sum(_is_found(user, year, one) for one in facts) / len(facts)
    yield Row(what="all sources restored", value=everything, unit="%")


def _is_found(user: UserMemory, year: Year, fact: Fact, **asked: Any) -> bool:
    wanted = {year.keys[one] for one in stating(year, fact) if one in year.keys}
    asked |= {"kinds": ("passage", "source"), "touch": False}
    hits = user.search(question(year.world, fact[0]), **asked)
    return any(one.source_key in wanted for one in hits)
