"""Wiring of stories: storylines and macros, put together from what the house has. Names no adapter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remanent.clock import Clock
from remanent.config import Config
from remanent.core.index_entries import Findable
from remanent.core.ports.mind import Mind
from remanent.jobs.quota import Allowance
from remanent.stories.macros import PromoteMacros, RefreshMacros
from remanent.stories.promote import Promote
from remanent.stories.refresh import Refresh
from remanent.stories.sources import Attach
from remanent.stories.stories import Stories
from remanent.stories.text import Tell

if TYPE_CHECKING:
    from remanent.stores.sqlite import SqliteStores


def stories_of(
    config: Config, stores: SqliteStores, clock: Clock, *, mind: Mind, findable: Findable
) -> Stories:
    """All that is done with stories, by day and by night."""
    graph, index, ledger, atomic = stores.graph, stores.index, stores.ledger, stores.atomic
    rules, registry = config.story, stores.registry
    attach = Attach(graph=graph, index=index, registry=registry, clock=clock, rules=rules)
    tell = Tell(graph=graph, registry=registry, mind=mind, findable=findable)
    allowance = Allowance(ledger=ledger, registry=registry, rules=config.timetable)
    return Stories(
        graph=graph,
        attach=attach,
        promote=Promote(
            graph=graph,
            index=index,
            ledger=ledger,
            attach=attach,
            tell=tell,
            atomic=atomic,
            clock=clock,
            allowance=allowance,
            rules=rules,
        ),
        refresh=Refresh(
            graph=graph,
            index=index,
            ledger=ledger,
            attach=attach,
            tell=tell,
            atomic=atomic,
            clock=clock,
            allowance=allowance,
            rules=rules,
        ),
        promote_macros=PromoteMacros(
            graph=graph,
            index=index,
            ledger=ledger,
            attach=attach,
            tell=tell,
            atomic=atomic,
            clock=clock,
            allowance=allowance,
            rules=rules,
        ),
        refresh_macros=RefreshMacros(
            graph=graph,
            index=index,
            ledger=ledger,
            attach=attach,
            tell=tell,
            atomic=atomic,
            clock=clock,
            allowance=allowance,
            rules=rules,
        ),
    )
