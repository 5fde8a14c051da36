"""Words and lines that all views share, and what search and recall found. Nothing here prints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.job import Job, JobKind
from remanent.core.model.node import Kind
from remanent.core.model.page import Outcome, Settled, Status, Worked
from remanent.core.model.search import Explanation, Hit, Hits, Recollection
from remanent.core.records.access import User

# What comes out of a memory was written by others: it must not steer the terminal.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_DOT = " · "
_EXCERPT = 500
_PLURALS = {"person": "people", "entity": "entities"} | {
    state: state for state in ("ready", "running", "done", "parked")
}

_OUTCOMES: Mapping[Outcome, tuple[str, str]] = {
    Outcome.CREATED: ("New belief", "green"),
    Outcome.REINFORCED: ("Already believed; now held more firmly", "green"),
    Outcome.WEAKENED: ("Contradicts a well-supported belief; both stand", "yellow"),
    Outcome.INVALIDATED: ("Replaces what was believed", "yellow"),
    Outcome.PREDATED: ("Older than what is believed now; kept as the past", "yellow"),
    Outcome.REPEATED: ("Settled before; nothing changed", "dim"),
}


def clean(text: str) -> str:
    """`text` without characters that a terminal obeys."""
    return _CONTROL.sub("\ufffd", text)


def short(key: str) -> str:
    """The beginning of a key, enough to find it again; a passage is read in its source."""
    return key.partition("#")[0][:8]


def job_name(job: Job) -> str:
    """The short name that `jobs retry` and `jobs drop` understand."""
    if job.kind is JobKind.SLEEP:
        return job.key
    return f"{job.kind.value}:{short(job.key.rpartition(':')[2])}"


def excerpt(text: str) -> str:
    """A passage as one paragraph, cut at a word when it is long: `show` has all of it."""
    told = " ".join(clean(text).split())
    return told if len(told) <= _EXCERPT else f"{told[:_EXCERPT].rpartition(' ')[0]} …"


def when(moment: datetime | None, zone: ZoneInfo, *, clock: bool = True) -> str:
    """A moment in the user's day."""
    if moment is None:
        return ""
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M" if clock else "%Y-%m-%d")


def line(*parts: tuple[str, str] | None) -> Text:
    """Small facts in one dim line: those that are there, with dots between."""
    text = Text(style="dim")
    for part in parts:
        if part is None or not part[0]:
            continue
        if text.plain:
            text.append(_DOT)
        text.append(clean(part[0]), style=part[1])
    return text


def numbered(bodies: Iterable[RenderableType]) -> Table:
    """Bodies under one another, each with its number in the margin."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", style="dim", no_wrap=True)
    grid.add_column(ratio=1)
    for number, body in enumerate(bodies, start=1):
        if number > 1:
            grid.add_row()
        grid.add_row(str(number), body)
    return grid


def facts(rows: Iterable[tuple[str, RenderableType]]) -> Table:
    """Names on the left, what they stand for on the right."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    for name, value in rows:
        grid.add_row(name, value)
    return grid


def hits(query: str, found: Hits, zone: ZoneInfo, *, explain: bool) -> RenderableType:
    if not found:
        reason = f" ({clean(found.reason)})" if found.reason else ""
        return Text(
            f"Nothing found{reason}. Other words may help; `remanent status` says what is known."
        )
    return numbered(_hit(one, query, zone, explain=explain) for one in found)


def _hit(hit: Hit, query: str, zone: ZoneInfo, *, explain: bool) -> Group:
    text = Text(excerpt(hit.text), style="strike" if hit.holds is False else "")
    words = {word for word in re.findall(r"\w+", query) if len(word) > 3}
    text.highlight_words([re.escape(word) for word in words], style="bold", case_sensitive=False)
    kind = None if hit.kind is Kind.PASSAGE else (hit.kind.value, "magenta")
    about = line(
        kind,
        (hit.speaker or "", "not dim green"),
        (when(hit.at, zone), ""),
        (hit.title if hit.title != hit.text else "", "italic"),
        (_outdated(hit, zone), "red"),
        (short(hit.key), "not dim cyan"),
        (f"{hit.score:.2f}", ""),
    )
    if not explain:
        return Group(text, about)
    told = [] if hit.explanation is None else [line((hit.explanation.reason, ""))]
    return Group(text, about, _signals(hit.signals), *told)


def _outdated(hit: Hit, zone: ZoneInfo) -> str:
    """That something newer stands against it, and since when."""
    if hit.superseded_at is None and hit.superseded_by is None:
        return ""
    since = when(hit.superseded_at, zone, clock=False)
    what = "disputed" if hit.holds is None else "no longer so"
    return f"{what} since {since}" if since else what


def _signals(signals: Mapping[str, float]) -> Text:
    return line(*((f"{name} {value:.2f}", "yellow") for name, value in signals.items() if value))


def explanation(told: Explanation) -> RenderableType:
    verdict = f"Returned at rank {told.rank}" if told.returned else "Not returned"
    style = "bold green" if told.returned else "bold yellow"
    rows: list[RenderableType] = [Text(verdict, style=style), Text(clean(told.reason))]
    if told.state:
        rows.append(line((told.state, "")))
    return Group(*rows)


def recollections(found: Sequence[Recollection], zone: ZoneInfo) -> RenderableType:
    if not found:
        return Text(
            "No belief comes to mind. `remanent search` looks through everything that was said."
        )
    return numbered(_recollection(one, zone) for one in found)


def _recollection(one: Recollection, zone: ZoneInfo) -> Group:
    shown: list[RenderableType] = [_belief(one.belief, zone, score=one.score)]
    if one.disputes is not None:
        shown.append(line(("our own inference, against what was asserted", "yellow")))
    told = [
        line((f"{part.points:.3f}", "yellow"), (part.name, ""), (clean(part.said), "dim"))
        for part in one.parts
    ]
    return Group(*shown, *told)


def beliefs(held: Sequence[Belief], zone: ZoneInfo, *, now: bool) -> RenderableType:
    if not held and now:
        return Text('Nothing is believed. `remanent remember "..."` begins.')
    if not held:
        return Text("Nothing was believed then.")
    return numbered(_belief(one, zone, now=now) for one in held)


def _belief(
    belief: Belief, zone: ZoneInfo, *, score: float | None = None, now: bool = True
) -> Group:
    """Struck out when it no longer stands, unless the question is what was believed then."""
    style = "strike" if now and not _stands(belief) else ""
    return Group(Text(clean(belief.statement), style=style), belief_line(belief, zone, score=score))


def belief_line(
    belief: Belief, zone: ZoneInfo, *, score: float | None = None, keyed: bool = True
) -> Text:
    until = f" to {when(belief.until, zone, clock=False)}" if belief.until else ""
    said = len(belief.supports)
    return line(
        (belief.type.value, "magenta"),
        (f"about {belief.subject}", ""),
        (f"since {when(belief.since, zone, clock=False)}{until}", ""),
        (f"confidence {belief.confidence:.2f}", "green" if belief.confidence >= 0.5 else "yellow"),
        (f"said {said} times" if said > 1 else "", ""),
        ("" if _stands(belief) else belief.status.value, "red"),
        (short(belief.key) if keyed else "", "not dim cyan"),
        (f"{score:.2f}" if score is not None else "", ""),
    )


def _stands(belief: Belief) -> bool:
    return belief.status is BeliefStatus.ACTIVE


def settled(result: Settled, zone: ZoneInfo) -> Group:
    said, style = _OUTCOMES[result.outcome]
    rows: list[RenderableType] = [Text(said, style=f"bold {style}"), _belief(result.belief, zone)]
    if result.other is not None:
        rows += [Text("before", style="dim"), _belief(result.other, zone)]
    return Group(*rows)


def added(key: str, done: Worked | None) -> Group:
    then = (
        "`remanent work` reads it." if done is None else f"`remanent show {short(key)}` opens it."
    )
    return Group(Text.assemble(("Added ", "bold green"), (key, "cyan")), Text(then, style="dim"))


def work(done: Worked) -> Text:
    if not (done.done or done.retried or done.parked):
        return Text("Nothing was waiting.")
    return line(
        (f"{done.done} done", "not dim green"),
        (f"{done.retried} to be tried again" if done.retried else "", "not dim yellow"),
        (f"{done.parked} parked" if done.parked else "", "not dim red"),
    )


def users(registered: Sequence[User]) -> RenderableType:
    if not registered:
        return Text("Nobody yet. `remanent init --user ID` registers someone.")
    return facts(
        (clean(one.user_id), line((one.name, "not dim"), (one.timezone, ""))) for one in registered
    )


def status(state: Status, parked: Sequence[Job], zone: ZoneInfo, *, lag: RenderableType) -> Group:
    known = {name: count for name, count in state.counts.items() if count}
    jobs = {name: count for name, count in state.jobs.items() if count}
    rows: list[tuple[str, RenderableType]] = [
        ("memory", Text(clean(state.place))),
        (
            "user",
            line((state.user_id, "not dim bold"), (state.name, "not dim"), (state.timezone, "")),
        ),
        ("now", Text(when(state.now, zone))),
        ("mind", Text(state.mind)),
        ("embedder", Text(state.embedder)),
        ("ledger", Text(f"{state.events:,} events")),
        ("recorded", lag),
        ("known", _counts(known) if known else Text("nothing yet", style="dim")),
        ("work", _counts(jobs) if jobs else Text("nothing waits", style="dim")),
    ]
    failures = (
        Text(f"parked: {job_name(one)}: {clean(one.error or '')}", style="red") for one in parked
    )
    ready = state.jobs.get("ready", 0)
    advice = [Text("`remanent work` does what waits.", style="dim")] if ready else []
    return Group(facts(rows), *failures, *advice)


def _counts(counts: Mapping[str, int]) -> Text:
    return line(*((_counted(count, name), "not dim") for name, count in counts.items()))


def _counted(count: int, name: str) -> str:
    one = name.removesuffix("s")
    return f"{count:,} {one if count == 1 else _PLURALS.get(one, f'{one}s')}"
