"""Five weeks of a made-up life, lived through in a minute: what is known, believed, and answered.

    python examples/demo/demo.py               in a memory that is thrown away afterwards
    python examples/demo/demo.py --keep ada.db in one that stays, to play with

Everything shown comes out of the memory; the life it was given is in `life/`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Console, Group
from rich.padding import Padding
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.anchor import Anchor, Entity, Person
from remanent.core.model.belief import Belief
from remanent.core.model.search import Hit

LIFE = Path(__file__).parent / "life"
SHOWN = {"person": 6, "entity": 6, "concept": 4}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One thing that happened: a source to take in, or a statement to remember."""

    at: datetime
    file: str | None = None
    type: str | None = None
    context: str | None = None
    title: str = ""
    participants: tuple[str, ...] = ()
    remember: str | None = None

    def content(self) -> Any:
        """What the file holds: turns or a record from JSON, else its text."""
        path = LIFE / str(self.file)
        text = path.read_text("utf-8")
        return json.loads(text) if path.suffix == ".json" else text


@dataclass(frozen=True, kw_only=True)
class Life:
    """Who it is about, what happened in which order, and what to ask afterwards."""

    owner: Mapping[str, str]
    then: datetime
    days: tuple[Entry, ...]
    questions: tuple[str, ...]
    zone: ZoneInfo = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "zone", ZoneInfo(self.owner["timezone"]))


def load() -> Life:
    """The life that ships with the demo."""
    told = json.loads((LIFE / "life.json").read_text("utf-8"))
    days = (
        Entry(
            **{
                **day,
                "at": datetime.fromisoformat(day["at"]),
                "participants": tuple(day.get("participants", ())),
            }
        )
        for day in told["days"]
    )
    return Life(
        owner=told["owner"],
        then=datetime.fromisoformat(told["then"]),
        days=tuple(days),
        questions=tuple(told["questions"]),
    )


def live(me: UserMemory, clock: SteppedClock, entry: Entry) -> None:
    """Let the time come, then take in what happened and understand it."""
    clock.move_to(entry.at)
    if entry.remember is not None:
        me.remember(entry.remember)
        return
    me.add(
        entry.content(),
        entry.type,
        entry.context,
        participants=entry.participants,
        origin_id=entry.file,
        started_at=entry.at if entry.type == "text-note" else None,
        title=entry.title,
    )
    me.work()


def live_through(me: UserMemory, clock: SteppedClock, life: Life, console: Console) -> None:
    """All of it, day by day, under a bar that says what day it is."""
    bar = Progress(
        TextColumn("{task.description:<42.42}"),
        BarColumn(bar_width=None),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task("", total=len(life.days))
        for entry in life.days:
            what = entry.title or f"“{entry.remember}”"
            bar.update(task, description=f"{_day(entry.at)}  {what}")
            live(me, clock, entry)
            bar.advance(task)
    console.print(_taken_in(me, life))


def _taken_in(me: UserMemory, life: Life) -> Text:
    status = me.status()
    first, last = life.days[0].at, life.days[-1].at
    told = ", ".join(_counted(count, name) for name, count in status.counts.items() if count)
    open_jobs = sum(count for state, count in status.jobs.items() if state != "done")
    failed = f" {open_jobs} jobs failed and wait." if open_jobs else ""
    return Text.assemble(
        (f"{_day(first)} to {_day(last)}: ", "bold"),
        f"{status.events} events in the ledger; now in the graph: {told}.",
        (failed, "bold red"),
    )


def known(me: UserMemory) -> Iterator[Text]:
    """The busiest people, things and topics, each with one thing that is known of it."""
    for kind, most in SHOWN.items():
        found = [one for one in me.anchors(kind) if one.source_count]
        plural = {"person": "people", "entity": "places, projects and such", "concept": "topics"}
        yield Text(f"\n{len(found)} {plural[kind]}", style="bold magenta")
        for anchor in found[:most]:
            kept = f"  {anchor.type}" if isinstance(anchor, Entity) else ""
            yield Text.assemble(
                "  ",
                (anchor.name, "bold"),
                (kept, "dim"),
                (f"  in {_counted(anchor.source_count, 'source')}", "dim"),
            )
            yield from _of(me, anchor)


def _of(me: UserMemory, anchor: Anchor) -> Iterator[Text]:
    """A relationship that holds now, and the newest note."""
    page = me.read(anchor.key)
    for one in [one for one in page.relationships if one.valid_to is None][:1]:
        ends = [page.titles.get(key, anchor.name) for key in (one.src, one.dst)]
        word = one.relationship_type.replace("_", " ")
        yield _indented(Text.assemble(ends[0], (f" ─ {word} → ", "green"), ends[1]))
    if isinstance(anchor, Person) and anchor.is_owner:
        return
    for note in page.notes[-1:]:
        yield _indented(Text(f"“{_cut(note.content, 150)}”", style="italic"))


def changes(me: UserMemory, then: datetime) -> list[tuple[Belief, Belief]]:
    """Beliefs that held then, each with the one that speaks for it now: itself, or its successor."""
    held = {one.key: one for one in me.beliefs()}
    pairs = ((one, _now(me, one, held)) for one in me.beliefs(then))
    return [(old, new) for old, new in pairs if new is not None]


def _now(me: UserMemory, belief: Belief, held: Mapping[str, Belief]) -> Belief | None:
    """Follow the supersessions until one that is held now."""
    one: Belief | None = belief
    while one is not None and one.key not in held:
        node = me.read(one.superseded_by).node if one.superseded_by else None
        one = node if isinstance(node, Belief) else None
    return one


def believed(me: UserMemory, life: Life) -> Iterator[Any]:
    """Then and now side by side, and the words behind each change."""
    pairs = changes(me, life.then)
    now = me.beliefs()
    changed = [(old, new) for old, new in pairs if old.key != new.key]
    table = Table(box=None, padding=(0, 1), expand=True, show_edge=False)
    table.add_column(f"Believed on {_day(life.then)} ({len(pairs)})", ratio=1, header_style="bold")
    table.add_column(f"Believed now ({len(now)})", ratio=1, header_style="bold")
    for old, new in changed:
        table.add_row(
            Text(old.statement, style="red strike"), Text(new.statement, style="bold green")
        )
    stayed = [old for old, new in pairs if old.key == new.key]
    for old in stayed[:5]:
        table.add_row(Text(old.statement), Text(old.statement, style="dim"))
    if len(stayed) > 5:
        table.add_row("", Text(f"… and {len(stayed) - 5} more that still hold", style="dim"))
    yield table
    yield Text("\nWhy it changed its mind", style="bold")
    for old, new in changed:
        yield Text(f"\n{old.statement} → {new.statement}", style="green")
        yield from _reasons(me, old, new, life.zone)


def _reasons(me: UserMemory, old: Belief, new: Belief, zone: ZoneInfo) -> Iterator[Any]:
    """The first episode behind the old belief and the one that settled the new one."""
    for word, evidence in (("was", me.why(old.key)[:1]), ("is", me.why(new.key)[:1])):
        for one in evidence:
            told = one.title or "told directly"
            where = _where(one.speaker, one.support.at, told, one.support.source_key, zone)
            quote = Text.assemble((f"{word:<4}", "dim"), f"“{_cut(one.quote, 200)}”")
            yield _indented(Group(quote, _indented(where, 4)))


def answers(me: UserMemory, question: str, zone: ZoneInfo) -> Iterator[Any]:
    """The belief that comes to mind first, and the passages where it was said."""
    yield Text(f"\n{question}", style="bold yellow")
    for one in me.recall(question, limit=1):
        since = one.belief.since.astimezone(zone)
        yield _indented(
            Text.assemble((one.statement, "bold green"), (f"  since {_day(since)}", "dim"))
        )
    for hit in me.search(question, limit=3, kinds=["passage"]):
        yield _indented(_passage(hit, zone))


def _passage(hit: Hit, zone: ZoneInfo) -> Group:
    where = _where(hit.speaker, hit.at, hit.title, hit.source_key, zone)
    return Group(Text(f"“{_cut(hit.text, 260)}”"), where)


def _where(
    speaker: str | None, at: datetime | None, title: str, key: str | None, zone: ZoneInfo
) -> Text:
    when = at.astimezone(zone).strftime("%Y-%m-%d %H:%M") if at else ""
    parts = [part for part in (speaker, when, title, (key or "")[:8]) if part]
    return Text(" · ".join(parts), style="dim cyan")


def _indented(inner: Any, by: int = 4) -> Any:
    return Padding(inner, (0, 0, 0, by), expand=False)


def _cut(text: str, most: int) -> str:
    """One line, cut at a word when it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most].rpartition(' ')[0]} …"


def _counted(count: int, name: str) -> str:
    """`1 source`, `2 sources`, `3 people`."""
    one = name.removesuffix("s")
    many = {"person": "people", "entity": "entities"}.get(one, f"{one}s")
    return f"{count} {one if count == 1 else many}"


def _day(at: datetime) -> str:
    return f"{at:%a} {at.day} {at:%b}"


def show(me: UserMemory, life: Life, console: Console) -> None:
    """The three things that the demo is for."""
    console.print(Rule("What it knows"))
    console.print(*known(me), sep="\n")
    console.print(Rule("What it believed then, and believes now"))
    console.print(*believed(me, life), sep="\n")
    console.print(Rule("Three questions"))
    for question in life.questions:
        console.print(*answers(me, question, life.zone), sep="\n")


def run(memory: Path, console: Console) -> None:
    """Live through the life in a new memory at that path, then show what came of it."""
    life = load()
    name = life.owner["name"]
    console.print(Rule(f"Five weeks in the life of {name}, who does not exist"))
    clock = SteppedClock(life.days[0].at - timedelta(hours=1))
    with Memory.open(memory, clock=clock) as opened:
        me = opened.user(life.owner["id"], name=name, timezone=life.owner["timezone"])
        live_through(me, clock, life, console)
        show(me, life, console)


def farewell(kept: Path | None) -> Group:
    """What to type next."""
    if kept is None:
        how = "Keep the memory and play with it: python examples/demo/demo.py --keep ada.db"
        return Group(Text(), Text(how, style="cyan"))
    tries = ('search "night guard"', "beliefs --as-of 2026-03-10", 'recall "what do I drink?"')
    return Group(
        Text("\nGo on yourself:", style="bold"),
        *(Text(f"  remanent --memory {kept} {one}", style="cyan") for one in tries),
    )


def main(arguments: Sequence[str]) -> int:
    """Run the demo; 0 when it went well, 2 when the file to keep is there already."""
    parser = argparse.ArgumentParser(description="Five weeks of a made-up life in Remanent.")
    parser.add_argument(
        "--keep", type=Path, metavar="PATH", help="keep the memory in this new file"
    )
    parser.add_argument("--no-color", action="store_true", help="no colour")
    said = parser.parse_args(arguments)
    console = Console(highlight=False, no_color=said.no_color or None)
    if said.keep is not None and said.keep.exists():
        problem = f"{said.keep} is there already; name a new file, or remove it first."
        console.print(problem, soft_wrap=True, markup=False)
        return 2
    with tempfile.TemporaryDirectory(prefix="remanent-demo-") as folder:
        run(said.keep or Path(folder) / "ada.db", console)
    console.print(farewell(said.keep), soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
