"""Reports on beliefs for people's eyes: what was found, what was done, and why. Nothing here prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from remanent.beliefs.model import (
    Assignment,
    BeliefsExported,
    BeliefsImported,
    Cluster,
    Consolidation,
    ConsolidationOutcome,
    ContradictingPair,
    Contradictions,
    FadedBelief,
    Forgetting,
    MergedBeliefs,
    MergeReport,
    Principle,
    Pruning,
    Reflection,
    Restatement,
    Settlement,
    Synthesis,
    Verdict,
)
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.page import Chapter, Evidence, History, Outcome, Page
from remanent.surfaces.cli.views.basics import belief_line, clean, line, numbered, short, when
from remanent.surfaces.cli.views.pages import evidence, page

_DRY = "Nothing was written: this is what would be done."
_VERDICTS = {
    Verdict.INVALIDATED: "The newer one takes its place",
    Verdict.WEAKENED: "Well supported: both stand, the older one weaker",
    Verdict.DISPUTED: "Only an inference speaks against it: both stand",
}
_KEPT = {
    ConsolidationOutcome.KEPT: "Kept as an episode",
    ConsolidationOutcome.KNOWN: "Consolidated before; nothing changed",
    ConsolidationOutcome.TOO_SHORT: "Too short to leave anything behind",
    ConsolidationOutcome.NOTHING: "Nothing in it is worth keeping",
}


def shown(opened: Page, why: Sequence[Evidence], zone: ZoneInfo, left: float) -> RenderableType:
    """The page of a belief, with what is left of it."""
    told = line((f"effective confidence {left:.2f}", "not dim yellow" if left < 0.1 else "not dim"))
    return Group(page(opened, why, zone), Text(), told)


def history(told: History, zone: ZoneInfo) -> RenderableType:
    """The chain of beliefs, oldest first, each with what happened to it."""
    return numbered(_chapter(one, zone, asked=one.belief.key == told.key) for one in told.chapters)


def _chapter(one: Chapter, zone: ZoneInfo, *, asked: bool) -> Group:
    happened = [
        Text.assemble(
            (f"{when(step.change.recorded_at, zone)}  ", "dim"),
            (step.change.kind.value, "yellow"),
            f"  {clean(step.change.reason)}",
        )
        for step in one.occurrences
    ]
    said = [evidence(each, zone) for each in one.evidence]
    return Group(
        _belief(one.belief, zone, bold=asked),
        Padding(Group(*happened, *said), (0, 0, 0, 2)),
    )


def reflection(report: Reflection, zone: ZoneInfo) -> RenderableType:
    """Three sections, or that all is well."""
    rows = [
        *_section("Believed twice", (_cluster(one, zone) for one in report.duplicates)),
        *_section("Contradictions", (_clash(one, zone) for one in report.contradictions)),
        *_section("Faded", (_faded(one, zone) for one in report.stale)),
    ]
    if not rows:
        return Group(Text("All is in order."), _compared(report.compared, report.unseen))
    advice = [
        text
        for text, is_needed in (
            ("`remanent beliefs merge` makes one of what is believed twice.", report.duplicates),
            ("`remanent beliefs contradictions --resolve` settles.", report.contradictions),
            ("`remanent beliefs prune` lets go of the faintest.", report.stale),
        )
        if is_needed
    ]
    hints = (Text(text, style="dim") for text in advice)
    return Group(*rows, Text(), _compared(report.compared, report.unseen), *hints)


def unions(report: MergeReport, zone: ZoneInfo) -> RenderableType:
    if not report.merged:
        return Group(Text("Nothing is believed twice."), _compared(report.compared))
    rows = numbered(_union(one, zone) for one in report.merged)
    return _report("Merged", report.dry_run, [rows], report.changed, zone)


def synthesis(report: Synthesis, zone: ZoneInfo) -> RenderableType:
    if not report.drawn:
        return Group(Text("No new principle."), _compared(report.compared))
    rows = numbered(_drawn(one, zone) for one in report.drawn)
    return _report("Drawn", report.dry_run, [rows], (), zone)


def pruning(report: Pruning, zone: ZoneInfo) -> RenderableType:
    if not report.pruned:
        return Text(f"Nothing has less than {report.threshold:g} left.")
    rows = numbered(_faded(one, zone) for one in report.pruned)
    why = line((f"less than {report.threshold:g} of their confidence was left", ""))
    return _report("Pruned", report.dry_run, [rows, why], report.changed, zone)


def forgetting(report: Forgetting, zone: ZoneInfo) -> RenderableType:
    if not report.forgotten:
        return Group(Text("Forgotten before; nothing changed."), _belief(report.belief, zone))
    rows = [_belief(one, zone) for one in report.forgotten]
    reasons = [line((one.changes[-1].reason, "")) for one in report.forgotten]
    return _report("Forgotten", report.dry_run, [*rows, *reasons], report.changed, zone)


def restating(report: Restatement, zone: ZoneInfo) -> RenderableType:
    if not report.changed:
        return Group(Text("It says just that; nothing changed."), _belief(report.belief, zone))
    rows: list[RenderableType] = [
        _belief(report.belief, zone),
        line((f"it said: {report.before}", "")),
    ]
    return _report("Restated", report.dry_run, rows, (), zone)


def contradictions(report: Contradictions, zone: ZoneInfo) -> RenderableType:
    found = [
        *_section("Contradictions", (_clash(one, zone) for one in report.found)),
        *_section("Settled before, both stand", (_clash(one, zone) for one in report.standing)),
    ]
    if report.settled:
        rows = numbered(_settlement(one, zone) for one in report.settled)
        return Group(_report("Settled", report.dry_run, [rows], report.changed, zone), *found)
    if not found:
        return Group(Text("No contradictions."), _compared(report.compared, report.unseen))
    hint = "`remanent beliefs contradictions --resolve` settles them by date."
    return Group(*found, *([Text(hint, style="dim")] if report.found else []))


def assignment(report: Assignment, zone: ZoneInfo) -> RenderableType:
    if not report.assigned:
        return Text(f"{report.looked_at:,} beliefs looked at: each is where it belongs.")
    rows = numbered(
        Group(
            _belief(one.belief, zone),
            line((f"{one.before or 'nobody'} → {one.belief.subject}", "not dim green")),
        )
        for one in report.assigned
    )
    return _report("Filed anew", report.dry_run, [rows], (), zone)


def consolidation(report: Consolidation) -> RenderableType:
    style = "bold green" if report.outcome is ConsolidationOutcome.KEPT else ""
    rows: list[RenderableType] = [Text(_KEPT[report.outcome], style=style)]
    if report.dry_run and report.outcome is ConsolidationOutcome.KEPT:
        rows = [Text(_DRY, style="yellow")]
    if report.gist:
        rows += [Text(clean(report.gist)), line((short(report.key or ""), "not dim cyan"))]
    return Group(*rows)


def exported(report: BeliefsExported, path: str) -> RenderableType:
    told = f"{report.beliefs:,} beliefs written to {clean(path)}"
    return Group(Text(told, style="green"), line((f"{report.active:,} of them active", "")))


def imported(report: BeliefsImported) -> RenderableType:
    first = Text(_DRY, style="yellow") if report.dry_run else Text("Imported", style="bold green")
    return Group(
        first,
        line(
            (f"{report.added:,} added", "not dim green"),
            (f"{report.active:,} of them active", ""),
            (f"{report.known:,} here already" if report.known else "", ""),
        ),
    )


def _report(
    done: str,
    dry_run: bool,
    rows: Iterable[RenderableType],
    changed: Sequence[Belief],
    zone: ZoneInfo,
) -> Group:
    """What was done, and what fell or became less sure with it."""
    head = Text(_DRY, style="yellow") if dry_run else Text(done, style="bold green")
    with_it = _section("With it", (_belief(one, zone) for one in changed))
    return Group(head, *rows, *with_it)


def _section(name: str, rows: Iterable[RenderableType]) -> list[RenderableType]:
    inside = list(rows)
    return [Text(), Text(name, style="bold blue"), numbered(inside)] if inside else []


def _belief(belief: Belief, zone: ZoneInfo, *, bold: bool = False) -> Group:
    stands = belief.status is BeliefStatus.ACTIVE
    style = " ".join(word for word in ("bold" * bold, "strike" * (not stands)) if word)
    return Group(Text(clean(belief.statement), style=style), belief_line(belief, zone))


def _cluster(one: Cluster, zone: ZoneInfo) -> Group:
    alike = line((f"{one.similarity:.2f} alike", ""))
    return Group(*(_belief(belief, zone) for belief in one.beliefs), alike)


def _clash(one: ContradictingPair, zone: ZoneInfo) -> Group:
    return Group(
        _belief(one.newer, zone),
        Text("against the older", style="dim"),
        _belief(one.older, zone),
        line((f"{one.similarity:.2f} alike", "")),
    )


def _settlement(one: Settlement, zone: ZoneInfo) -> Group:
    return Group(_clash(one.clash, zone), Text(_VERDICTS[one.verdict], style="yellow"))


def _faded(one: FadedBelief, zone: ZoneInfo) -> Group:
    left = f"{one.effective_confidence:.3f} left of {one.belief.confidence:.2f}"
    return Group(_belief(one.belief, zone), line((left, "yellow")))


def _union(one: MergedBeliefs, zone: ZoneInfo) -> Group:
    took = (Group(Text("took in", style="dim"), _belief(loser, zone)) for loser in one.losers)
    return Group(_belief(one.winner, zone), *took)


def _drawn(one: Principle, zone: ZoneInfo) -> Group:
    disputed = (
        [Text("It speaks against what was asserted, and is flagged.", style="yellow")]
        if one.outcome is Outcome.DISPUTED
        else []
    )
    grounds = (
        Text.assemble(
            ("  from ", "dim"), clean(ground.statement), (f"  {short(ground.key)}", "cyan")
        )
        for ground in one.derived_from
    )
    return Group(_belief(one.belief, zone), *disputed, *grounds)


def _compared(count: int, unseen: int = 0) -> Text:
    return line(
        (f"{count:,} beliefs compared", ""),
        (f"{unseen:,} have no embedding to go by" if unseen else "", "yellow"),
    )
