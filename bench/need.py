"""Need: does the offline classifier tell which messages call for memory? Precision and recall."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bench.frame import Report, Row, Setting
from bench.need_messages import ABBREVIATIONS, HELD_OUT, KNOWN, TUNED_ON, Labelled, Message
from remanent.core.model.anchor import Name
from remanent.core.model.source import Turn
from remanent.retrieval.rules.need import need


def run(setting: Setting) -> Report:  # noqa: ARG001 - the messages are in the code
    """Both halves; only the held-out one says how the rules do on messages they were not made for."""
    halves = f"{len(HELD_OUT)} messages held out, {len(TUNED_ON)} tuned on"
    return Report(
        name="need",
        rows=[
            *_rows("held out", HELD_OUT),
            *_rows("held out, of a memory that knows nobody", HELD_OUT, names=()),
            *_rows("tuned on", TUNED_ON),
            *_kinds("held out", HELD_OUT),
        ],
        notes=[f"{halves}; half of each call for memory"],
    )


def needed(message: Message, names: Sequence[Name] = KNOWN) -> bool:
    before = [Turn(text=one) for one in message.before]
    known = ABBREVIATIONS if names else ()
    return need(message.text, before=before, names=names, abbreviations=known).needs_search


def _rows(what: str, labelled: Labelled, names: Sequence[Name] = KNOWN) -> list[Row]:
    outcomes = Counter((needed(message, names), wanted) for message, wanted in labelled)
    hits, false, missed = outcomes[True, True], outcomes[True, False], outcomes[False, True]
    return [
        Row(what=f"precision, {what}", value=100 * hits / max(1, hits + false), unit="%"),
        Row(what=f"recall, {what}", value=100 * hits / max(1, hits + missed), unit="%"),
    ]


def _kinds(what: str, labelled: Labelled) -> list[Row]:
    rows = []
    for kind, wanted in dict.fromkeys((message.kind, wanted) for message, wanted in labelled):
        part = [one for one, label in labelled if (one.kind, label) == (kind, wanted)]
        right = sum(needed(one) == wanted for one in part)
        calls = "needs memory" if wanted else "needs none"
        name = f"right, {what}: {kind}, {calls} ({len(part)})"
        rows.append(Row(what=name, value=100 * right / len(part), unit="%"))
    return rows
