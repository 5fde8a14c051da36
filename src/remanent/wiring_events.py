"""Wiring of agents' events, put together from what the house has. Names no adapter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from remanent.anchors.mentions import Naming
from remanent.clock import Clock
from remanent.config import Config
from remanent.core.index_entries import Findable
from remanent.core.model.scope import Scope
from remanent.core.ports.mind import Mind
from remanent.events.backfill_references import Refer
from remanent.events.enrich import Enrich
from remanent.events.project import Project
from remanent.events.query import Events
from remanent.events.record import Record
from remanent.ingest.add import Ingest
from remanent.ingest.end_session import EndSession
from remanent.ingest.extract import Extract
from remanent.jobs.work import Handler
from remanent.wiring_chronicle import Chronicle

if TYPE_CHECKING:
    from remanent.stores.sqlite import SqliteStores


def extracting(extract: Extract, chronicle: Chronicle) -> Handler:
    """The job of extraction: whoever a source makes known is then looked for in events. A source that
    was lost or erased meanwhile is nobody's to read."""

    def handle(scope: Scope, job: Mapping[str, str]) -> None:
        if extract.graph.get(scope, job["source_key"]) is None:
            return
        extract(scope, job["source_key"])
        chronicle.refer(scope, job["source_key"])

    return handle


def chronicle_of(
    config: Config,
    stores: SqliteStores,
    clock: Clock,
    *,
    mind: Mind,
    findable: Findable,
    ingest: Ingest,
) -> Chronicle:
    """The verbs about agents' events."""
    ledger, graph, index, atomic = stores.ledger, stores.graph, stores.index, stores.atomic
    enrich = Enrich(
        ledger=ledger,
        graph=graph,
        index=index,
        registry=stores.registry,
        mind=mind,
        findable=findable,
        naming=Naming(graph=graph, index=index),
        atomic=atomic,
        clock=clock,
        rules=config.events,
        weights=config.importance,
    )
    return Chronicle(
        record=Record(
            ledger=ledger,
            queue=stores.queue,
            atomic=atomic,
            clock=clock,
            intake=config.intake,
            rules=config.events,
        ),
        project=Project(
            ledger=ledger,
            graph=graph,
            queue=stores.queue,
            atomic=atomic,
            clock=clock,
            rules=config.events,
        ),
        enrich=enrich,
        refer=Refer(ledger=ledger, graph=graph, index=index, atomic=atomic, enrich=enrich),
        events=Events(
            graph=graph,
            index=index,
            embedder=findable.embedder,
            atomic=atomic,
            clock=clock,
            rules=config.events,
            lifecycle=config.lifecycle,
            intake=config.intake,
        ),
        end_session=EndSession(ledger=ledger, ingest=ingest, atomic=atomic, clock=clock),
    )
