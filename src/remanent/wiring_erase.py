"""Wiring of erasing. Names no adapter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from remanent.clock import ReplayClock
from remanent.core.event_lookup import Recount
from remanent.erasure.erase import Erase
from remanent.erasure.events import EraseEvents
from remanent.erasure.items import EraseItems
from remanent.erasure.person import Mentions
from remanent.erasure.redo_descriptions import Redescribe
from remanent.erasure.redo_nights import Retell
from remanent.erasure.redo_stories import Restory
from remanent.erasure.source import EraseSource
from remanent.erasure.user import EraseUser
from remanent.erasure.verify import Look
from remanent.wiring import House
from remanent.wiring_minds import let_go_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """The verbs that take things away for good."""

    erase: Erase
    user: EraseUser


def erasure_of(house: House, clear_shadow: Callable[[], bool]) -> Erasure:
    """The verbs of erasing in a house."""
    stores = house.stores
    source = EraseSource(
        graph=stores.graph,
        index=stores.index,
        ledger=stores.ledger,
        registry=stores.registry,
        answers=stores.answers,
        replays=stores.replays,
        erasing=stores.erasing,
        items=EraseItems(items=stores.items, ledger=stores.ledger),
        undo=house.undo,
        retell=_retell_of(house),
    )
    look = Look(
        graph=stores.graph, index=stores.index, registry=stores.registry, erasing=stores.erasing
    )
    erase = Erase(
        graph=stores.graph,
        index=stores.index,
        ledger=stores.ledger,
        registry=stores.registry,
        audit=stores.audit,
        erasing=stores.erasing,
        read=house.read,
        recount=Recount(graph=stores.graph, ledger=stores.ledger),
        mentions=Mentions(graph=stores.graph, ledger=stores.ledger, source=source),
        source=source,
        events=EraseEvents(
            graph=stores.graph,
            index=stores.index,
            ledger=stores.ledger,
            erasing=stores.erasing,
            source=source,
            rederive=house.undo.rederive,
            summarize=house.reconsolidate.enact.summarize,
            clock=house.clock,
        ),
        look=look,
        atomic=stores.atomic,
        clock=house.clock,
        forget=(house.transform.forget, partial(let_go_of, house.mind)),
        clear_shadow=clear_shadow,
    )
    user = EraseUser(
        graph=stores.graph,
        index=stores.index,
        ledger=stores.ledger,
        registry=stores.registry,
        audit=stores.audit,
        erasing=stores.erasing,
        findable=house.extract.findable,
        source=source,
        erase=erase,
        atomic=stores.atomic,
        clock=house.clock,
    )
    return Erasure(erase=erase, user=user)


def _retell_of(house: House) -> Retell:
    stores = house.stores
    return Retell(
        graph=stores.graph,
        ledger=stores.ledger,
        erasing=stores.erasing,
        index=stores.index,
        distil=house.overnight.distil,
        redescribe=Redescribe(
            graph=stores.graph,
            ledger=stores.ledger,
            describe=house.overnight.describe,
            draw=house.extract.draw,
            rounds=house.sleep.rounds,
        ),
        restory=Restory(
            graph=stores.graph,
            index=stores.index,
            ledger=stores.ledger,
            stories=house.stories,
            rounds=house.sleep.rounds,
            clock=ReplayClock(house.clock.now()),
        ),
        extract=house.extract,
        own=house.live.shelve.own,
        rounds=house.sleep.rounds,
    )
