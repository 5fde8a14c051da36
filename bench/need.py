"""Need: does the gate tell which messages call for memory? Precision and recall, no memory probed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

from bench.frame import ROOT, Report, Row, Setting
from bench.need_messages import ABBREVIATIONS, HELD_OUT, KNOWN, TUNED_ON, Labelled, Message
from remanent.core.model.anchor import Name
from remanent.core.model.source import Turn
from remanent.minds.reader.need import need_chance
from remanent.retrieval.rules.need import need
from training import tasks


def run(setting: Setting) -> Report:  # noqa: ARG001 - the messages are in the code
    """What neither the head was trained on nor the rules were made for is held out or of the test batch."""
    test, dev = batch("test"), batch("dev")
    sizes = f"{len(HELD_OUT)} messages held out, {len(TUNED_ON)} trained on; test batch {len(test)}"
    return Report(
        name="need",
        rows=[
            *_rows("held out", HELD_OUT),
            *_rows("held out, of a memory that knows nobody", HELD_OUT, names=()),
            *_rows("test batch, of a memory that knows nobody", test, names=()),
            *_rows("dev batch, of a memory that knows nobody", dev, names=()),
            *_rows("trained on", TUNED_ON),
            *_kinds("held out", HELD_OUT),
        ],
        notes=[f"{sizes}, dev batch {len(dev)}; half of each call for memory"],
    )


def batch(split: str) -> Labelled:
    """The messages of the batches of a split."""
    rows = tasks.messages(ROOT / "training" / "data", split)
    return [
        (Message(split, row["text"], tuple(row.get("before", ()))), row["needs"]) for row in rows
    ]


@cache
def chance(message: Message) -> float:
    return need_chance(message.text, message.before)


def needed(message: Message, names: Sequence[Name] = KNOWN) -> bool:
    before = [Turn(text=one) for one in message.before]
    known = ABBREVIATIONS if names else ()
    found = need(
        message.text, chance=chance(message), before=before, names=names, abbreviations=known
    )
    return found.needs_search


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
