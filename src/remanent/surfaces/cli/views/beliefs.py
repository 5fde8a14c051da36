"""Views of beliefs, and of reports on them: what was found, what was done, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from remanent.surfaces.cli.views.basics import numbered
from remanent.surfaces.cli.views.cards import CARDS, card, listing, message, one_card, text_of
from remanent.surfaces.cli.views.pages import belief_entry, change_line, evidence, page

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
    dispute = "- [yellow]{?disputes}our own inference, against what was asserted[/]\n> parts"
    return Group(belief_entry(one.belief, zone, score=one.score), card(dispute, one, zone))


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
    told = "effective confidence {left:.2f}"
    told = f"- [not dim yellow]{{?is_low}}{told}[/] | [not dim]{told}[/]"
    return Group(page(opened, why, zone), Text(), text_of(told, left=left, is_low=left < 0.1))


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


_COMPARED = (
    "{compared:,} beliefs compared · [yellow]{?unseen}{unseen:,} have no embedding to go by[/]"
)
_SEEN = "{compared:,} beliefs compared"


def _done(rows: str, head: str, nothing: str) -> str:
    """What was done to some, and what fell or became less sure with it; or that there was nothing to do."""
    return (
        f"{{!{rows}}}{nothing} | [yellow]{{?dry_run}}{_DRY}[/] | [bold green]{head}[/]\n1. {rows}"
    )


reflection = one_card(
    reports.Reflection,
    "# Believed twice: duplicates\n"
    "# Contradictions: contradictions\n"
    "# Faded: stale\n"
    "{?duplicates}  | {?contradictions}  | {?stale}  | All is in order.\n"
    f"- {_COMPARED}\n"
    "[dim]{?duplicates}`remanent beliefs merge` makes one of what is believed twice.[/]\n"
    "[dim]{?contradictions}`remanent beliefs contradictions --resolve` settles.[/]\n"
    "[dim]{?stale}`remanent beliefs prune` lets go of the faintest.[/]",
)
merges = one_card(
    reports.MergeReport,
    f"{_done('merged', 'Merged', 'Nothing is believed twice.')}\n"
    f"- {{!merged}}{_SEEN}\n"
    "# With it: changed",
)
synthesis = one_card(
    reports.Synthesis, f"{_done('drawn', 'Drawn', 'No new principle.')}\n- {{!drawn}}{_SEEN}"
)
pruning = one_card(
    reports.Pruning,
    f"{_done('pruned', 'Pruned', 'Nothing has less than {threshold:g} left.')}\n"
    "- {?pruned}less than {threshold:g} of their confidence was left\n"
    "# With it: changed",
)
restatement = one_card(
    reports.Restatement,
    f"{{!changed}}It says just that; nothing changed. | [yellow]{{?dry_run}}{_DRY}[/] | "
    "[bold green]Restated[/]\n"
    "> belief\n"
    "- {?changed}it said: {before}",
)
assignment = one_card(
    reports.Assignment,
    _done("assigned", "Filed anew", "{looked_at:,} beliefs looked at: each is where it belongs."),
)


def forgetting(report: reports.Forgetting, zone: ZoneInfo) -> RenderableType:
    if not report.forgotten:
        return card("Forgotten before; nothing changed.\n> belief", report, zone)
    reasons = [text_of("- {reason}", one.changes[-1]) for one in report.forgotten]
    head = f"[yellow]{{?dry_run}}{_DRY}[/] | [bold green]Forgotten[/]\n> forgotten"
    return card(head, report, zone, *reasons, card("# With it: changed", report, zone))


def contradictions(report: reports.Contradictions, zone: ZoneInfo) -> RenderableType:
    sections = "# Contradictions: found\n# Settled before, both stand: standing"
    if report.settled:
        settled = f"{_done('settled', 'Settled', '')}\n# With it: changed\n{sections}"
        return card(settled, report, zone)
    if not report.found and not report.standing:
        return card(f"No contradictions.\n- {_COMPARED}", report)
    hint = "[dim]{?found}`remanent beliefs contradictions --resolve` settles them by date.[/]"
    return card(f"{sections}\n{hint}", report, zone)


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


def _faded(one: reports.FadedBelief, zone: ZoneInfo) -> Group:
    left = "- [yellow]{effective_confidence:.3f} left of {belief.confidence:.2f}[/] · "
    later = "{later:.3f} a year after it was last confirmed"
    return card(f"> belief\n{left}{later}", one, zone, later=one.course[-1] if one.course else None)


def _merge(one: reports.MergedBeliefs, zone: ZoneInfo) -> Group:
    took = (Group(Text("took in", style="dim"), belief_entry(loser, zone)) for loser in one.losers)
    return Group(belief_entry(one.winner, zone), *took)


def _principle(one: reports.Principle, zone: ZoneInfo) -> Group:
    flag = "[yellow]{?outcome=disputed}It speaks against what was asserted, and is flagged.[/]"
    ground = "[dim]  from [/]{statement}[cyan]  {key:short}[/]"
    grounds = (text_of(ground, two) for two in one.derived_from)
    return Group(belief_entry(one.belief, zone), card(flag, one), *grounds)


_ALIKE = "- {similarity:.2f} alike"
_VERDICT = " | ".join(f"[yellow]{{?verdict={one}}}{told}[/]" for one, told in _VERDICTS.items())
CARDS.update(
    {
        reports.Cluster: f"> beliefs\n{_ALIKE}",
        reports.ContradictingPair: f"> newer\n[dim]against the older[/]\n> older\n{_ALIKE}",
        reports.Settlement: f"> clash\n{_VERDICT}",
        reports.FadedBelief: _faded,
        reports.MergedBeliefs: _merge,
        reports.Principle: _principle,
        reports.AssignedSubject: "> belief\n- [not dim green]{before} → {belief.subject}[/] | "
        "[not dim green]nobody → {belief.subject}[/]",
    }
)
