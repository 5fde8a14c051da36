"""Wiring: settings become a house. The only file that names an adapter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from remanent.anchors.mentions import Naming
from remanent.anchors.owner import Register
from remanent.anchors.relationships import Relate, Related
from remanent.anchors.write import Draw
from remanent.beliefs.believe import Believe
from remanent.beliefs.end_beliefs import Outdate
from remanent.beliefs.end_edges import Closing
from remanent.beliefs.history import Retrace
from remanent.beliefs.query import Believed
from remanent.beliefs.recall import Recall
from remanent.beliefs.remember import Remember
from remanent.beliefs.truth_maintenance import Uphold
from remanent.clock import Clock, ReplayClock
from remanent.config import IN_MEMORY, Config
from remanent.core.event_lookup import Recount
from remanent.core.index_entries import Findable
from remanent.core.model.job import JobKind
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.graph import Graph
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.mind import Mind
from remanent.core.ports.queue import Queue
from remanent.core.ports.registry import Registry
from remanent.core.ports.shadow import Shadow
from remanent.core.read import Read
from remanent.cypher.query import Query
from remanent.erasure.undo import Undo
from remanent.errors import ConfigError, StoreError
from remanent.events.reconsolidate import Reconsolidate
from remanent.events.trigger import Reflecting
from remanent.ingest.add import Ingest
from remanent.ingest.artifacts import Produce
from remanent.ingest.extract import Extract
from remanent.ingest.extract_shared import Adopt
from remanent.ingest.import_files import Carry
from remanent.ingest.merge_anchors import Merge
from remanent.ingest.process import Process
from remanent.ingest.rules.dedupe import Item
from remanent.jobs.idempotency import Once
from remanent.jobs.manage import Tend
from remanent.jobs.work import Work
from remanent.lifecycle.touch import Touch
from remanent.minds.meter import Meter
from remanent.retrieval.abbreviations import Abbreviate
from remanent.retrieval.candidates import Gather
from remanent.retrieval.context import Prepare
from remanent.retrieval.explore import Explore
from remanent.retrieval.filter import Sift
from remanent.retrieval.multi_query import Deepen
from remanent.retrieval.need import Needed
from remanent.retrieval.present import Portray
from remanent.retrieval.rank import Rank
from remanent.retrieval.search import Search
from remanent.retrieval.transform import Transform
from remanent.retrieval.traverse import Traverse
from remanent.retrieval.validity import Mark
from remanent.retrieval.why_not import WhyNot
from remanent.sleep.night import Sleep
from remanent.stores.sqlite import (
    SqliteStores,
    discard_shadow,
    open_shadow,
    with_embedder,
)
from remanent.stories.stories import Stories
from remanent.wiring_access import Access, access_of
from remanent.wiring_chronicle import Chronicle
from remanent.wiring_embedders import at_hand, embedder_of, metered, reembedding
from remanent.wiring_events import chronicle_of, extracting
from remanent.wiring_items import Shelved, shelved_of
from remanent.wiring_keep import Keep
from remanent.wiring_live import Live
from remanent.wiring_minds import mind_of
from remanent.wiring_overnight import Overnight
from remanent.wiring_serving import once_of
from remanent.wiring_sleep import keep_of, live_of, night_jobs, overnight_of, shifts
from remanent.wiring_spending import Watch, watch_of
from remanent.wiring_stories import stories_of
from remanent.wiring_tiers import reconsolidate_of, reflecting_of
from remanent.wiring_undo import undo_of


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """All the verbs of one open memory, and the stores that are asked directly."""

    config: Config
    clock: Clock
    mind: Mind
    embedder: Embedder
    ledger: Ledger
    graph: Graph
    registry: Registry
    queue: Queue
    register: Register
    ingest: Ingest
    carry: Carry
    process: Process
    extract: Extract
    undo: Undo
    remember: Remember
    recall: Recall
    search: Search
    why_not: WhyNot
    cypher: Query
    explore: Explore
    traverse: Traverse
    read: Read
    related: Related
    merge: Merge
    produce: Produce
    adopt: Adopt
    believed: Believed
    history: Retrace
    uphold: Uphold
    keep: Keep
    overnight: Overnight
    chronicle: Chronicle
    abbreviate: Abbreviate
    needed: Needed
    transform: Transform
    deepen: Deepen
    prepare: Prepare
    work: Work
    sleep: Sleep
    stories: Stories
    live: Live
    reconsolidate: Reconsolidate
    reflecting: Reflecting
    tend: Tend
    shelf: Shelved
    watch: Watch
    access: Access
    once: Once
    meter: Meter
    stores: SqliteStores
    close: Callable[[], None]


def build(
    config: Config,
    clock: Clock,
    *,
    mind: Mind | None = None,
    embedder: Embedder | None = None,
    stores: SqliteStores | None = None,
) -> House:
    """Open the stores, unless they are given, and put every verb together. Weights are loaded when
    first needed."""
    make = mind_of(mind or config.mind, config)
    embedder, stores, meter = at_hand(config, clock, embedder, stores)
    mind = make(embedder, stores, meter)
    ledger, graph, index = stores.ledger, stores.graph, stores.index
    registry, queue, atomic = stores.registry, stores.queue, stores.atomic
    ingest = Ingest(
        ledger=ledger,
        graph=graph,
        queue=queue,
        atomic=atomic,
        clock=clock,
        rules=config.intake,
    )
    carry = Carry(ingest=ingest, ledger=ledger, erasing=stores.erasing, atomic=atomic)
    findable = Findable(index=index, embedder=embedder, graph=graph)
    chronicle = chronicle_of(config, stores, clock, mind=mind, findable=findable, ingest=ingest)
    relate = Relate(graph=graph, clock=clock)
    uphold = Uphold(
        graph=graph,
        index=index,
        closing=Closing(graph=graph, relate=relate),
        clock=clock,
        rules=config.belief,
    )
    believe = Believe(
        graph=graph,
        index=index,
        mind=mind,
        embedder=embedder,
        uphold=uphold,
        atomic=atomic,
        clock=clock,
        rules=config.belief,
    )
    process = Process(
        ledger=ledger,
        graph=graph,
        index=index,
        queue=queue,
        registry=registry,
        mind=mind,
        findable=findable,
        atomic=atomic,
        clock=clock,
        rules=config.passages,
    )
    draw = Draw(
        graph=graph,
        index=index,
        registry=registry,
        relate=relate,
        clock=clock,
        rules=config.resolution,
    )
    stories = stories_of(config, stores, clock, mind=mind, findable=findable)
    extract = Extract(
        graph=graph,
        index=index,
        ledger=ledger,
        registry=registry,
        mind=mind,
        draw=draw,
        attach=stories.attach,
        findable=findable,
        believe=believe,
        outdate=Outdate(
            graph=graph, index=index, uphold=uphold, atomic=atomic, clock=clock, rules=config.belief
        ),
        atomic=atomic,
        clock=clock,
        rules=config.resolution,
    )
    remember = Remember(
        ledger=ledger,
        graph=graph,
        index=index,
        queue=queue,
        registry=registry,
        mind=mind,
        embedder=embedder,
        believe=believe,
        atomic=atomic,
        clock=clock,
        intake=config.intake,
        jobs=config.jobs,
    )
    adopt = Adopt(graph=graph, queue=queue, clock=clock)
    read = Read(graph=graph, ledger=ledger, atomic=atomic, clock=clock, rules=config.lifecycle)
    believed = Believed(graph=graph, read=read, rules=config.belief)
    related = Related(graph=graph, relate=relate)
    touch = Touch(graph=graph, clock=clock, rules=config.lifecycle)
    sift = Sift(
        graph=graph,
        rank=Rank(index=index, embedder=embedder, rules=config.ranking, clock=clock),
        read=read,
        related=related,
        intake=config.intake,
    )
    search = Search(
        graph=graph,
        sift=sift,
        mark=Mark(graph=graph, related=related),
        clock=clock,
        lifecycle=config.lifecycle,
    )
    recall = Recall(
        graph=graph,
        index=index,
        embedder=embedder,
        atomic=atomic,
        clock=clock,
        rules=config.belief,
        lifecycle=config.lifecycle,
        intake=config.intake,
    )
    naming = Naming(graph=graph, index=index)
    abbreviate = Abbreviate(ledger=ledger, graph=graph, index=index, atomic=atomic, clock=clock)
    needed = Needed(naming=naming, abbreviate=abbreviate, mind=mind, intake=config.intake)
    transform = Transform(naming=naming, abbreviate=abbreviate, mind=mind, intake=config.intake)
    live = live_of(config, stores, clock)
    keep = keep_of(config, stores, believe, believed)
    overnight = overnight_of(config, stores, keep, believe, findable)
    reconsolidate = reconsolidate_of(config, stores, clock, mind=mind, embedder=embedder)
    reflecting = reflecting_of(config, stores, clock)
    work, sleep = shifts(
        config,
        stores,
        clock,
        jobs=night_jobs(
            live=live, reconsolidate=reconsolidate, stories=stories, overnight=overnight
        ),
        promised={
            JobKind.PROCESS: lambda scope, job: process(scope, job["source_key"]),
            JobKind.EXTRACT: extracting(extract, chronicle),
            JobKind.BELIEVE: lambda scope, job: remember.settle(scope, job["event_id"]),
            JobKind.PROJECT: lambda scope, _: chronicle.project(scope),
            JobKind.REEMBED: reembedding(config, stores, meter),
            JobKind.ENRICH: lambda scope, _: (chronicle.enrich(scope), reflecting(scope)),
            JobKind.RECONSOLIDATE: lambda scope, job: reconsolidate.reflect(
                scope, datetime.fromisoformat(job["at"])
            ),
        },
    )
    return House(
        config=config,
        clock=clock,
        mind=mind,
        embedder=embedder,
        ledger=ledger,
        graph=graph,
        registry=registry,
        queue=queue,
        register=Register(
            registry=registry, graph=graph, ledger=ledger, atomic=atomic, clock=clock
        ),
        ingest=ingest,
        carry=carry,
        process=process,
        extract=extract,
        undo=undo_of(stores, extract, remember, read, keep),
        remember=remember,
        recall=recall,
        search=search,
        why_not=WhyNot(graph=graph, sift=sift, search=search, read=read),
        cypher=Query(cypher=stores.cypher, clock=clock, rules=config.cypher),
        explore=Explore(
            graph=graph,
            gather=Gather(
                graph=graph,
                index=index,
                embedder=embedder,
                related=related,
                rules=config.exploring,
            ),
            portray=Portray(graph=graph, rules=config.exploring),
            related=related,
            touch=touch,
            clock=clock,
            rules=config.exploring,
            ranking=config.ranking,
            intake=config.intake,
            phrase=transform,
        ),
        traverse=Traverse(graph=graph, read=read, touch=touch, rules=config.pagerank),
        read=read,
        related=related,
        merge=Merge(
            graph=graph,
            index=index,
            ledger=ledger,
            draw=draw,
            extract=extract,
            atomic=atomic,
            clock=clock,
        ),
        produce=Produce(
            ledger=ledger,
            graph=graph,
            index=index,
            findable=findable,
            atomic=atomic,
            clock=clock,
            rules=config.intake,
        ),
        adopt=adopt,
        believed=believed,
        history=Retrace(
            graph=graph, believed=believed, recount=Recount(graph=graph, ledger=ledger)
        ),
        uphold=uphold,
        keep=keep,
        overnight=overnight,
        chronicle=chronicle,
        abbreviate=abbreviate,
        needed=needed,
        transform=transform,
        deepen=Deepen(),
        prepare=Prepare(
            graph=graph,
            index=index,
            embedder=embedder,
            registry=registry,
            clock=clock,
            needed=needed,
            transform=transform,
            search=search,
            recall=recall,
            believed=believed,
            adopt=adopt,
            rules=config.context,
            beliefs=config.belief,
        ),
        work=work,
        sleep=sleep,
        stories=stories,
        live=live,
        reconsolidate=reconsolidate,
        reflecting=reflecting,
        tend=Tend(queue=queue, clock=clock),
        access=access_of(config, stores, clock),
        shelf=shelved_of(stores, clock),
        watch=watch_of(
            config,
            stores,
            clock,
            mind=mind,
            embedder=embedder,
            carry=carry,
            chronicle=chronicle,
            rounds=sleep.rounds,
        ),
        meter=meter,
        once=once_of(config, stores, clock),
        stores=stores,
        close=stores.close,
    )


def beside(
    house: House, *, mind: Mind | str | None = None, embedder: Embedder | str | None = None
) -> tuple[House, Shadow, ReplayClock]:
    """A second house on a shadow of the memory, with these hands and a clock of its own."""
    if isinstance(embedder, str):
        embedder = embedder_of(embedder, house.config)
    hand = metered(embedder or house.embedder, house.meter)
    if mind is None:
        mind = house.mind if hand is house.embedder else _minding(house, hand)
    head = mind_of(mind, house.config)(hand, house.stores, house.meter)
    stores, shadow = open_shadow(
        house.stores,
        mind_name=head.name,
        embedder_name=hand.name,
        dimensions=hand.dimensions,
        now=house.clock.now(),
    )
    clock = ReplayClock(house.clock.now())
    second = build(house.config, clock, mind=head, embedder=hand, stores=stores)
    return second, shadow, clock


def renewed(house: House, second: House) -> House:
    """The house after a switch: on its own stores, with the hands of the second."""
    hand = second.embedder
    stores = with_embedder(house.stores, hand.name, hand.dimensions)
    return build(house.config, house.clock, mind=second.mind, embedder=hand, stores=stores)


def with_hand(house: House, embedder: Embedder) -> House:
    """The same house with another embedder, whose vectors its memory has by now."""
    dimensions = partial(getattr, embedder, "dimensions")
    stores = with_embedder(house.stores, embedder.name, dimensions)
    mind = _minding(house, embedder)
    return build(house.config, house.clock, mind=mind, embedder=embedder, stores=stores)


def forget_shadow(house: House) -> bool:
    """Take away what a rebuild left beside the memory; False if there is nothing."""
    return discard_shadow(house.stores.database)


def _minding(house: House, embedder: Embedder) -> Mind:
    """The same mind; one that the settings name, with the other embedder."""
    try:
        named = mind_of(house.config.mind, house.config)(embedder, house.stores, house.meter)
    except ConfigError:  # the mind was given, and the settings need not know it
        return house.mind
    return named if type(named) is type(house.mind) else house.mind


def found_in(path: Path, as_: str | None, *, zone: str, clock: Clock) -> Iterator[Item]:
    """What the importers find in a file, an archive or a folder; they are loaded when first asked."""
    from remanent.ingest.importers import read

    return read(path, as_, zone=ZoneInfo(zone), now=clock.now())


def make_place(memory: str) -> None:
    """Make the folder of a memory that stands where the settings say, not where a caller typed."""
    if memory == IN_MEMORY:
        return
    folder = Path(memory).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise StoreError(str(folder), f"cannot be made: {problem.strerror}") from None
