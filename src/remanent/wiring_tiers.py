"""Wiring of re-consolidation: events gone over again, told in short, let go. Names no adapter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remanent.beliefs.redact_summaries import Withhold
from remanent.clock import Clock
from remanent.config import Config
from remanent.core.event_lookup import Recount
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.mind import Mind
from remanent.events.apply import Enact
from remanent.events.centrality import Elevate
from remanent.events.links import Tie
from remanent.events.reconsolidate import Reconsolidate
from remanent.events.summaries import Summarize
from remanent.events.summary_text import Word
from remanent.events.tiers import LetGo
from remanent.events.trigger import Reflecting
from remanent.jobs.quota import Allowance

if TYPE_CHECKING:
    from remanent.stores.sqlite import SqliteStores


def reconsolidate_of(
    config: Config, stores: SqliteStores, clock: Clock, *, mind: Mind, embedder: Embedder
) -> Reconsolidate:
    """The third stage of the ledger."""
    graph, index, ledger, rules = stores.graph, stores.index, stores.ledger, config.episodes
    enact = Enact(
        graph=graph,
        summarize=Summarize(
            graph=graph,
            index=index,
            embedder=embedder,
            recount=Recount(graph=graph, ledger=ledger),
            word=Word(registry=stores.registry, mind=mind, rules=rules, weights=config.importance),
            rules=rules,
        ),
        elevate=Elevate(graph=graph, rules=rules),
        let_go=LetGo(graph=graph, index=index, rules=config.tiers),
    )
    return Reconsolidate(
        graph=graph,
        ledger=ledger,
        tie=Tie(graph=graph, index=index, embedder=embedder, rules=rules),
        withhold=Withhold(graph=graph, index=index),
        enact=enact,
        atomic=stores.atomic,
        clock=clock,
        allowance=Allowance(ledger=ledger, registry=stores.registry, rules=config.timetable),
        rules=rules,
    )


def reflecting_of(config: Config, stores: SqliteStores, clock: Clock) -> Reflecting:
    """When it is run before its time."""
    return Reflecting(
        graph=stores.graph,
        ledger=stores.ledger,
        queue=stores.queue,
        atomic=stores.atomic,
        clock=clock,
        rules=config.episodes,
    )
