"""Views of beliefs, and of reports on them: what was found, what was done, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from remanent.beliefs import model as reports
from remanent.beliefs.model import ConsolidationOutcome, Verdict
from remanent.core.model.belief import Belief
from remanent.core.model.page import Chapter, Evidence, History, Outcome, Page, Settled
from remanent.core.model.search import Recollection
from remanent.surfaces.cli.views.basics import belief_entry, line, numbered, parts_of
from remanent.surfaces.cli.views.cards import card, listing, message, text_of
from remanent.surfaces.cli.views.pages import change_line, evidence, page

_OUTCOMES: Mapping[Outcome, tuple[str, str]] = {
    Outcome.CREATED: ("New belief", "green"),
    Outcome.REINFORCED: ("Already believed; now held more firmly", "green"),
    Outcome.WEAKENED: ("Contradicts a well-supported belief; both stand", "yellow"),
    Outcome.INVALIDATED: ("Replaces what was believed", "yellow"),
    Outcome.PREDATED: ("Older than what is believed now; kept as the past", "yellow"),
    Outcome.DISPUTED: ("May contradict what is believed; both stand, in dispute", "yellow"),
    Outcome.REPEATED: ("Settled before; nothing changed", "dim"),
}


_DRY = "Nothing was written: this is what would be done."
_VERDICTS = {
    Verdict.INVALIDATED: "The newer one takes its place",
    Verdict.WEAKENED: "Well supported: both stand, the older one weaker",
    Verdict.DISPUTED: "Only an inference speaks against it: both stand",
}
_CONSOLIDATIONS = {
    ConsolidationOutcome.KEPT: "Kept as an episode",
    ConsolidationOutcome.KNOWN: "Consolidated before; nothing changed",
    ConsolidationOutcome.TOO_SHORT: "Too short to leave anything behind",
    ConsolidationOutcome.NOTHING: "Nothing in it is worth keeping",
}


def recollections(recalled: Sequence[Recollection], zone: ZoneInfo) -> RenderableType:
    nothing = "No belief comes to mind. `remanent search` looks through everything that was said."
    return listing((_recollection(one, zone) for one in recalled), nothing)


def _recollection(one: Recollection, zone: ZoneInfo) -> Group:
    dispute = line(("our own inference, against what was asserted", "yellow"))
    disputes = [] if one.disputes is None else [dispute]
    return Group(belief_entry(one.belief, zone, score=one.score), *disputes, *parts_of(one.parts))


def beliefs(held: Sequence[Belief], zone: ZoneInfo, asked: Mapping[str, Any]) -> RenderableType:
    """What is held, or was: then nothing of it is struck out."""
    now = not {"as_of", "known_at"} & asked.keys()
    begin = 'Nothing is believed. `remanent remember "..."` begins.'
    nothing = begin if now else "Nothing was believed then."
    return listing((belief_entry(one, zone, strike=now) for one in held), nothing)


def outlook(held: Sequence[reports.FadedBelief], zone: ZoneInfo) -> RenderableType:
    """What is left of each now, and after a year."""
    faded = (_faded(one, zone) for one in held)
    return listing(faded, "Nothing is believed, or changed since.")


def instructions(standing: Sequence[Belief], zone: ZoneInfo) -> RenderableType:
    nothing = 'None. `remanent instructions set "Always answer in French."` gives one.'
    return listing((belief_entry(one, zone) for one in standing), nothing)


def settlement(result: Settled, zone: ZoneInfo) -> Group:
    outcome, style = _OUTCOMES[result.outcome]
    rows: list[RenderableType] = [
        Text(outcome, style=f"bold {style}"),
        belief_entry(result.belief, zone),
    ]
    if result.other is not None:
        rows += [Text("before", style="dim"), belief_entry(result.other, zone)]
    return Group(*rows, *(settlement(one, zone) for one in result.also))


def belief_page(
    opened: Page, why: Sequence[Evidence], zone: ZoneInfo, left: float
) -> RenderableType:
    """The page of a belief, with what is left of it."""
    style = "not dim yellow" if left < 0.1 else "not dim"
    return Group(page(opened, why, zone), Text(), line((f"effective confidence {left:.2f}", style)))


def history(chain: History, zone: ZoneInfo) -> RenderableType:
    """The chain of beliefs, oldest first, each with what happened to it."""
    return numbered(
        _chapter(chapter, zone, bold=chapter.belief.key == chain.key) for chapter in chain.chapters
    )


def _chapter(chapter: Chapter, zone: ZoneInfo, *, bold: bool) -> Group:
    changes = [change_line(occurrence.change, zone) for occurrence in chapter.occurrences]
    words = [evidence(episode, zone) for episode in chapter.evidence]
    return Group(
        belief_entry(chapter.belief, zone, bold=bold),
        Padding(Group(*changes, *words), (0, 0, 0, 2)),
    )


def reflection(report: reports.Reflection, zone: ZoneInfo) -> RenderableType:
    """Three sections, or that all is well."""
    rows = [
        *_section("Believed twice", (_cluster(one, zone) for one in report.duplicates)),
        *_section("Contradictions", (_pair(one, zone) for one in report.contradictions)),
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


def merges(report: reports.MergeReport, zone: ZoneInfo) -> RenderableType:
    if not report.merged:
        return Group(Text("Nothing is believed twice."), _compared(report.compared))
    rows = numbered(_merge(one, zone) for one in report.merged)
    return _report("Merged", report.dry_run, [rows], report.changed, zone)


def synthesis(report: reports.Synthesis, zone: ZoneInfo) -> RenderableType:
    if not report.drawn:
        return Group(Text("No new principle."), _compared(report.compared))
    rows = numbered(_principle(one, zone) for one in report.drawn)
    return _report("Drawn", report.dry_run, [rows], (), zone)


def pruning(report: reports.Pruning, zone: ZoneInfo) -> RenderableType:
    if not report.pruned:
        return Text(f"Nothing has less than {report.threshold:g} left.")
    rows = numbered(_faded(one, zone) for one in report.pruned)
    why = line((f"less than {report.threshold:g} of their confidence was left", ""))
    return _report("Pruned", report.dry_run, [rows, why], report.changed, zone)


def forgetting(report: reports.Forgetting, zone: ZoneInfo) -> RenderableType:
    if not report.forgotten:
        return Group(Text("Forgotten before; nothing changed."), belief_entry(report.belief, zone))
    rows = [belief_entry(one, zone) for one in report.forgotten]
    reasons = [line((one.changes[-1].reason, "")) for one in report.forgotten]
    return _report("Forgotten", report.dry_run, [*rows, *reasons], report.changed, zone)


def restatement(report: reports.Restatement, zone: ZoneInfo) -> RenderableType:
    if not report.changed:
        return Group(Text("It says just that; nothing changed."), belief_entry(report.belief, zone))
    rows: list[RenderableType] = [
        belief_entry(report.belief, zone),
        line(f"it said: {report.before}"),
    ]
    return _report("Restated", report.dry_run, rows, (), zone)


def contradictions(report: reports.Contradictions, zone: ZoneInfo) -> RenderableType:
    sections = [
        *_section("Contradictions", (_pair(one, zone) for one in report.found)),
        *_section("Settled before, both stand", (_pair(one, zone) for one in report.standing)),
    ]
    if report.settled:
        rows = numbered(_settlement(one, zone) for one in report.settled)
        return Group(_report("Settled", report.dry_run, [rows], report.changed, zone), *sections)
    if not sections:
        return Group(Text("No contradictions."), _compared(report.compared, report.unseen))
    hint = "`remanent beliefs contradictions --resolve` settles them by date."
    return Group(*sections, *([Text(hint, style="dim")] if report.found else []))


def assignment(report: reports.Assignment, zone: ZoneInfo) -> RenderableType:
    if not report.assigned:
        return Text(f"{report.looked_at:,} beliefs looked at: each is where it belongs.")
    rows = numbered(
        Group(
            belief_entry(one.belief, zone),
            line((f"{one.before or 'nobody'} → {one.belief.subject}", "not dim green")),
        )
        for one in report.assigned
    )
    return _report("Filed anew", report.dry_run, [rows], (), zone)


def consolidation(report: reports.Consolidation) -> RenderableType:
    head = f"[bold green]{{?outcome=kept}}{{said}}[/] | {_CONSOLIDATIONS[report.outcome]}"
    is_dry = report.dry_run and report.outcome is ConsolidationOutcome.KEPT
    told = f"[yellow]{_DRY}[/]" if is_dry else head
    return card(f"{told}\n{{gist}}\n- {{key:short}}", report, said=_CONSOLIDATIONS[report.outcome])


def export_report(report: reports.BeliefsExported, path: str) -> RenderableType:
    head = "[green]{beliefs:,} beliefs written to {path}[/]"
    return card(f"{head}\n- {{active:,}} of them active", report, path=path)


import_report = message(
    reports.BeliefsImported,
    f"[yellow]{{?dry_run}}{_DRY}[/] | [bold green]Imported[/]\n"
    "- [not dim green]{added:,} added[/] · {active:,} of them active · {?known}{known:,} here already",
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
    with_it = _section("With it", (belief_entry(one, zone) for one in changed))
    return Group(head, *rows, *with_it)


def _section(name: str, rows: Iterable[RenderableType]) -> list[RenderableType]:
    inside = list(rows)
    return [Text(), Text(name, style="bold blue"), numbered(inside)] if inside else []


def _cluster(one: reports.Cluster, zone: ZoneInfo) -> Group:
    alike = line((f"{one.similarity:.2f} alike", ""))
    return Group(*(belief_entry(belief, zone) for belief in one.beliefs), alike)


def _pair(one: reports.ContradictingPair, zone: ZoneInfo) -> Group:
    return Group(
        belief_entry(one.newer, zone),
        Text("against the older", style="dim"),
        belief_entry(one.older, zone),
        line((f"{one.similarity:.2f} alike", "")),
    )


def _settlement(one: reports.Settlement, zone: ZoneInfo) -> Group:
    return Group(_pair(one.clash, zone), Text(_VERDICTS[one.verdict], style="yellow"))


def _faded(one: reports.FadedBelief, zone: ZoneInfo) -> Group:
    left = f"{one.effective_confidence:.3f} left of {one.belief.confidence:.2f}"
    later = f"{one.course[-1]:.3f} a year after it was last confirmed" if one.course else ""
    return Group(belief_entry(one.belief, zone), line((left, "yellow"), later))


def _merge(one: reports.MergedBeliefs, zone: ZoneInfo) -> Group:
    took = (Group(Text("took in", style="dim"), belief_entry(loser, zone)) for loser in one.losers)
    return Group(belief_entry(one.winner, zone), *took)


def _principle(one: reports.Principle, zone: ZoneInfo) -> Group:
    flag = "[yellow]{?outcome=disputed}It speaks against what was asserted, and is flagged.[/]"
    ground = "[dim]  from [/]{statement}[cyan]  {key:short}[/]"
    grounds = (text_of(ground, two) for two in one.derived_from)
    return Group(belief_entry(one.belief, zone), card(flag, one), *grounds)


def _compared(count: int, unseen: int = 0) -> Text:
    return line(
        f"{count:,} beliefs compared",
        (f"{unseen:,} have no embedding to go by" if unseen else "", "yellow"),
    )
