"""Wiring: settings become a house. The only file that names an adapter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from remanent.clock import Clock
from remanent.config import IN_MEMORY, Config
from remanent.errors import ConfigError, StoreError
from remanent.model.job import JobKind
from remanent.ports.embedder import Embedder
from remanent.ports.graph import Graph
from remanent.ports.ledger import Ledger
from remanent.ports.mind import Mind
from remanent.ports.queue import Queue
from remanent.ports.registry import Registry
from remanent.rules.carrying import Item
from remanent.stores.sqlite import SqliteStores, open_stores
from remanent.verbs.abbreviate import Abbreviate
from remanent.verbs.adopt import Adopt
from remanent.verbs.alike import Alike
from remanent.verbs.assign import Assign
from remanent.verbs.believe import Believe
from remanent.verbs.carry import Carry
from remanent.verbs.carry_beliefs import ExportBeliefs, ImportBeliefs
from remanent.verbs.closing import Closing
from remanent.verbs.consolidate import Consolidate
from remanent.verbs.context import Prepare
from remanent.verbs.cypher import Query
from remanent.verbs.deepen import Deepen
from remanent.verbs.dispute import Dispute
from remanent.verbs.draw import Draw
from remanent.verbs.explore import Explore
from remanent.verbs.extract import Extract
from remanent.verbs.findable import Findable
from remanent.verbs.forget import Forget
from remanent.verbs.gather import Gather
from remanent.verbs.history import Retrace
from remanent.verbs.ingest import Ingest
from remanent.verbs.keep import Keep
from remanent.verbs.mark import Mark
from remanent.verbs.merge import Merge
from remanent.verbs.naming import Naming
from remanent.verbs.need import Needed
from remanent.verbs.outdate import Outdate
from remanent.verbs.portray import Portray
from remanent.verbs.process import Process
from remanent.verbs.produce import Produce
from remanent.verbs.prune import Prune
from remanent.verbs.rank import Rank
from remanent.verbs.read import Believed, Read
from remanent.verbs.recall import Recall
from remanent.verbs.reflect import Reflect
from remanent.verbs.register import Register
from remanent.verbs.relate import Relate, Related
from remanent.verbs.remember import Remember
from remanent.verbs.search import Search
from remanent.verbs.sift import Sift
from remanent.verbs.synthesize import Synthesize
from remanent.verbs.tend import Tend
from remanent.verbs.touch import Touch
from remanent.verbs.transform import Transform
from remanent.verbs.traverse import Traverse
from remanent.verbs.unite import Unite
from remanent.verbs.uphold import Uphold
from remanent.verbs.why_not import WhyNot
from remanent.verbs.work import Work


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
    abbreviate: Abbreviate
    needed: Needed
    transform: Transform
    deepen: Deepen
    prepare: Prepare
    work: Work
    tend: Tend
    close: Callable[[], None]


def build(
    config: Config, clock: Clock, *, mind: Mind | None = None, embedder: Embedder | None = None
) -> House:
    """Open the stores and put every verb together. Weights are loaded when first needed."""
    embedder = embedder or _embedder(config.embedder)
    mind = mind or _mind(config.mind, embedder)
    stores = open_stores(
        config.memory,
        now=clock.now(),
        embedder_name=embedder.name,
        dimensions=embedder.dimensions,
        busy_timeout_s=config.lock_wait_seconds,
    )
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
    findable = Findable(index=index, embedder=embedder)
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
    extract = Extract(
        graph=graph,
        index=index,
        registry=registry,
        mind=mind,
        draw=draw,
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
        carry=Carry(ingest=ingest, ledger=ledger, atomic=atomic),
        process=process,
        extract=extract,
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
        history=Retrace(graph=graph, believed=believed),
        uphold=uphold,
        keep=_keep(config, stores, believe, believed),
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
        work=Work(
            queue=queue,
            registry=registry,
            clock=clock,
            rules=config.jobs,
            handlers={
                JobKind.PROCESS: lambda scope, job: process(scope, job["source_key"]),
                JobKind.EXTRACT: lambda scope, job: extract(scope, job["source_key"]),
                JobKind.BELIEVE: lambda scope, job: remember.settle(scope, job["event_id"]),
            },
        ),
        tend=Tend(queue=queue, clock=clock),
        close=stores.close,
    )


def _keep(config: Config, stores: SqliteStores, believe: Believe, believed: Believed) -> Keep:
    """The upkeep of beliefs."""
    graph, index, ledger, atomic = stores.graph, stores.index, stores.ledger, stores.atomic
    mind, embedder, clock, uphold = (
        believe.mind,
        believe.embedder,
        believe.clock,
        believe.uphold,
    )
    alike = Alike(graph=graph, index=index, mind=mind, embedder=embedder, rules=config.upkeep)
    reflect = Reflect(alike=alike, clock=clock, rules=config.belief)
    return Keep(
        reflect=reflect,
        unite=Unite(
            reflect=reflect,
            graph=graph,
            ledger=ledger,
            uphold=uphold,
            atomic=atomic,
            clock=clock,
            rules=config.belief,
        ),
        synthesize=Synthesize(
            alike=alike,
            believe=believe,
            graph=graph,
            ledger=ledger,
            mind=mind,
            atomic=atomic,
            clock=clock,
            rules=config.belief,
            upkeep=config.upkeep,
        ),
        prune=Prune(
            alike=alike,
            graph=graph,
            ledger=ledger,
            uphold=uphold,
            atomic=atomic,
            clock=clock,
            rules=config.belief,
        ),
        forget=Forget(
            believed=believed,
            graph=graph,
            ledger=ledger,
            uphold=uphold,
            atomic=atomic,
            clock=clock,
        ),
        dispute=Dispute(
            alike=alike,
            graph=graph,
            ledger=ledger,
            uphold=uphold,
            atomic=atomic,
            clock=clock,
            rules=config.belief,
            upkeep=config.upkeep,
        ),
        consolidate=Consolidate(
            ledger=ledger,
            graph=graph,
            index=index,
            registry=stores.registry,
            mind=mind,
            embedder=embedder,
            atomic=atomic,
            clock=clock,
            intake=config.intake,
            passages=config.passages,
            rules=config.upkeep,
        ),
        assign=Assign(
            alike=alike,
            graph=graph,
            ledger=ledger,
            registry=stores.registry,
            mind=mind,
            atomic=atomic,
            clock=clock,
        ),
        take_out=ExportBeliefs(graph=graph),
        bring_in=ImportBeliefs(
            graph=graph,
            index=index,
            ledger=ledger,
            embedder=embedder,
            atomic=atomic,
            clock=clock,
            intake=config.intake,
        ),
    )


def found_in(path: Path, as_: str | None, *, zone: str, clock: Clock) -> Iterator[Item]:
    """What the importers find in a file, an archive or a folder; they are loaded when first asked."""
    from remanent.importers import read

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


def _granite() -> Embedder:
    from remanent.embedders.builtin import GraniteEmbedder

    return GraniteEmbedder()


def _offline(embedder: Embedder) -> Mind:
    from remanent.minds.offline import OfflineMind

    return OfflineMind(embedder)


EMBEDDERS: Mapping[str, Callable[[], Embedder]] = {"granite": _granite}
MINDS: Mapping[str, Callable[[Embedder], Mind]] = {"offline": _offline}


def _embedder(name: str) -> Embedder:
    if name not in EMBEDDERS:
        raise ConfigError("embedder", f"{name!r} is not one of: {', '.join(EMBEDDERS)}")
    return EMBEDDERS[name]()


def _mind(name: str, embedder: Embedder) -> Mind:
    if name not in MINDS:
        raise ConfigError("mind", f"{name!r} is not one of: {', '.join(MINDS)}")
    return MINDS[name](embedder)
