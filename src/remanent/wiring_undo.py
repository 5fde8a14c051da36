"""Wiring of undoing. Names no adapter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remanent.beliefs.remember import Remember
from remanent.core.model import event as told
from remanent.core.read import Read
from remanent.erasure.redo_beliefs import Rederive
from remanent.erasure.undo import Undo
from remanent.ingest.extract import Extract
from remanent.wiring_keep import Keep

if TYPE_CHECKING:
    from remanent.stores.sqlite import SqliteStores


def undo_of(
    stores: SqliteStores, extract: Extract, remember: Remember, read: Read, keep: Keep
) -> Undo:
    """Undoing, and believing again what everything else said."""
    rederive = Rederive(
        graph=stores.graph,
        index=stores.index,
        ledger=stores.ledger,
        believe=extract.believe,
        outdate=extract.outdate,
        drafted=remember.draft,
        upkeep={
            told.BELIEF_FORGOTTEN: keep.forget.apply,
            told.BELIEFS_MERGED: keep.unite.apply,
            told.BELIEFS_PRUNED: keep.prune.apply,
            told.SUBJECT_ASSIGNED: keep.assign.apply,
            told.BELIEF_RESTATED: keep.restate.apply,
            told.BELIEF_IMPORTED: keep.bring_in.apply,
            told.CONTRADICTION_SETTLED: keep.dispute.apply,
        },
    )
    return Undo(
        graph=stores.graph,
        index=stores.index,
        ledger=stores.ledger,
        read=read,
        extract=extract,
        rederive=rederive,
        atomic=stores.atomic,
        clock=extract.clock,
    )
