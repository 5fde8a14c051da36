"""What does an event of the ledger again, by its type."""

from __future__ import annotations

from collections.abc import Mapping

from remanent.anchors import owner
from remanent.beliefs import (
    contradictions,
    forget,
    jsonl,
    prune,
    remember,
    restate,
    subjects,
    synthesize,
)
from remanent.beliefs import merge as unite
from remanent.core.env import Apply, Env
from remanent.core.model import event as types
from remanent.core.model.event import Event
from remanent.core.model.scope import Scope
from remanent.erasure import hide, undo
from remanent.events import enrich, reconsolidate
from remanent.events.enrich import backfill_references
from remanent.ingest import add, artifacts, consolidate, correct, extract, merge_anchors, process
from remanent.items import write as stow
from remanent.lifecycle import archive, pin
from remanent.sleep import descriptions, notes
from remanent.sleep import episodes_to_notes as distil
from remanent.stories import stories
from remanent.teams import consents


def _extracted(env: Env, scope: Scope, event: Event) -> None:
    """As the job of extraction does it: whoever becomes known is then looked for in events."""
    extract.apply(env, scope, event)
    backfill_references(env, scope, str(event.payload["source_key"]))


def _no_op(env: Env, scope: Scope, event: Event) -> None:
    """There is nothing in the graph to be done again."""


ROUTES: Mapping[str, Apply] = {
    types.USER_REGISTERED: owner.apply,
    types.SOURCE_ADDED: add.apply,
    types.SOURCE_PROCESSED: process.apply,
    types.SOURCE_EXTRACTED: _extracted,
    types.SOURCE_UNDONE: undo.apply,
    types.SOURCE_ERASED: _no_op,  # what it tells of is no more
    types.REMEMBERED: remember.apply,
    types.ANCHOR_MERGED: merge_anchors.apply,
    types.ANCHOR_SPLIT: merge_anchors.apply,
    types.ARTIFACT_PRODUCED: artifacts.apply,
    types.CONSOLIDATED: consolidate.apply,
    types.BELIEF_FORGOTTEN: forget.apply,
    types.BELIEFS_MERGED: unite.apply,
    types.BELIEFS_PRUNED: prune.apply,
    types.BELIEF_SYNTHESIZED: synthesize.apply,
    types.SUBJECT_ASSIGNED: subjects.apply,
    types.BELIEF_IMPORTED: jsonl.apply,
    types.CONTRADICTION_SETTLED: contradictions.apply,
    types.ABBREVIATION_DEFINED: _no_op,  # the ledger is all there is of it
    types.ABBREVIATION_REMOVED: _no_op,
    types.MEMORY_PINNED: pin.apply,
    types.MEMORY_CORRECTED: correct.apply,
    types.MEMORY_ARCHIVED: archive.apply,
    types.MEMORY_RESTORED: archive.apply,
    types.STORYLINE_OPENED: stories.apply,
    types.STORYLINE_CLOSED: stories.apply,
    types.STORYLINE_RETOLD: stories.apply,
    types.MACRO_OPENED: stories.apply,
    types.MACRO_RETOLD: stories.apply,
    types.DESCRIBED: descriptions.apply,
    types.NOTES_EXPIRED: notes.apply,
    types.SOURCES_DISTILLED: distil.apply,
    types.EVENTS_ENRICHED: enrich.apply,
    types.EVENTS_RECONSOLIDATED: reconsolidate.apply,
    types.BELIEF_RESTATED: restate.apply,
    types.ITEM_PUT: stow.apply,
    types.ITEM_DELETED: stow.apply,
    types.SESSION_ENDED: _no_op,  # its source came in by an event of its own
    types.SOURCE_ACCEPTED: consents.apply,
    types.SOURCE_DECLINED: _no_op,  # the ledger is all there is of these
    types.USER_BLOCKED: _no_op,
    types.USER_UNBLOCKED: _no_op,
    types.SOURCE_HIDDEN: hide.apply,
    types.SOURCE_SHOWN: hide.apply,
}
