"""Wiring of a rebuild: which verb does again what each event of the ledger tells. Names no adapter."""

from __future__ import annotations

from collections.abc import Mapping

from remanent.backup.rebuild import Apply, Replay
from remanent.clock import ReplayClock
from remanent.core.model import event as told
from remanent.core.model.event import Event
from remanent.core.model.scope import Scope
from remanent.core.ports.registry import Registry
from remanent.core.ports.shadow import Shadow
from remanent.wiring import House


def replay_of(house: House, shadow: Shadow, registry: Registry, clock: ReplayClock) -> Replay:
    """The replay into a house whose time is `clock`; `registry` is that of the memory in use."""
    return Replay(
        shadow=shadow,
        routes=routes_of(house),
        recorded=house.chronicle.project.apply,
        enrich=house.chronicle.enrich.between,
        begin=house.extract.begin,
        registry=registry,
        atomic=house.stores.atomic,
        clock=clock,
    )


def routes_of(house: House) -> Mapping[str, Apply]:
    """A way for every type of event that we append ourselves."""
    keep, night, stories = house.keep, house.overnight, house.stories.apply
    shelve = house.live.shelve.apply
    return {
        told.USER_REGISTERED: house.register.apply,
        told.SOURCE_ADDED: house.ingest.apply,
        told.SOURCE_PROCESSED: house.process.apply,
        told.SOURCE_EXTRACTED: _extracted(house),
        told.SOURCE_UNDONE: house.undo.apply,
        told.SOURCE_ERASED: _nothing,  # what it tells of is no more
        told.REMEMBERED: house.remember.apply,
        told.ANCHOR_MERGED: house.merge.apply,
        told.ANCHOR_SPLIT: house.merge.apply,
        told.ARTIFACT_PRODUCED: house.produce.apply,
        told.CONSOLIDATED: keep.consolidate.apply,
        told.BELIEF_FORGOTTEN: keep.forget.apply,
        told.BELIEFS_MERGED: keep.unite.apply,
        told.BELIEFS_PRUNED: keep.prune.apply,
        told.BELIEF_SYNTHESIZED: keep.synthesize.apply,
        told.SUBJECT_ASSIGNED: keep.assign.apply,
        told.BELIEF_IMPORTED: keep.bring_in.apply,
        told.CONTRADICTION_SETTLED: keep.dispute.apply,
        told.ABBREVIATION_DEFINED: _nothing,  # the ledger is all there is of it
        told.ABBREVIATION_REMOVED: _nothing,
        told.MEMORY_PINNED: house.live.pin.apply,
        told.MEMORY_ARCHIVED: shelve,
        told.MEMORY_RESTORED: shelve,
        told.STORYLINE_OPENED: stories,
        told.STORYLINE_CLOSED: stories,
        told.STORYLINE_RETOLD: stories,
        told.MACRO_OPENED: stories,
        told.MACRO_RETOLD: stories,
        told.DESCRIBED: night.describe.apply,
        told.NOTES_EXPIRED: night.expire.apply,
        told.SOURCES_DISTILLED: night.distil.apply,
        told.EVENTS_ENRICHED: house.chronicle.enrich.apply,
        told.EVENTS_RECONSOLIDATED: house.reconsolidate.apply,
        told.BELIEF_RESTATED: keep.restate.apply,
        told.ITEM_PUT: house.shelf.stow.apply,
        told.ITEM_DELETED: house.shelf.stow.apply,
        told.SESSION_ENDED: _nothing,  # its source came in by an event of its own
    }


def _extracted(house: House) -> Apply:
    """As the job of extraction does it: whoever becomes known is then looked for in events."""

    def apply(scope: Scope, event: Event) -> None:
        house.extract.apply(scope, event)
        house.chronicle.refer(scope, str(event.payload["source_key"]))

    return apply


def _nothing(scope: Scope, event: Event) -> None:
    """There is nothing in the graph to be done again."""
