"""Wiring of sleep: the jobs of the night, put together from what the house has. Names no adapter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from remanent.beliefs.believe import Believe
from remanent.beliefs.compare import Alike
from remanent.beliefs.contradictions import Dispute
from remanent.beliefs.forget import Forget
from remanent.beliefs.jsonl import ExportBeliefs, ImportBeliefs
from remanent.beliefs.merge import Unite
from remanent.beliefs.nightly import Tidy
from remanent.beliefs.prune import Prune
from remanent.beliefs.query import Believed
from remanent.beliefs.report import Reflect
from remanent.beliefs.restate import Restate
from remanent.beliefs.subjects import Assign
from remanent.beliefs.synthesize import Synthesize
from remanent.clock import Clock
from remanent.config import Config
from remanent.core.index_entries import Findable
from remanent.core.lookup import Own
from remanent.core.model.job import JobKind
from remanent.core.model.sleep import SleepJob
from remanent.events.reconsolidate import Reconsolidate
from remanent.ingest.consolidate import Consolidate
from remanent.jobs.lease import Lease
from remanent.jobs.night_job import NightJob
from remanent.jobs.quota import Allowance
from remanent.jobs.schedule import Rounds
from remanent.jobs.work import Handler, Work
from remanent.lifecycle.archive import Shelve
from remanent.lifecycle.fade import Fade
from remanent.lifecycle.forecast import Foresee
from remanent.lifecycle.pin import Pin
from remanent.lifecycle.value import Appraise
from remanent.sleep.descriptions import Describe
from remanent.sleep.episodes_to_notes import Distil
from remanent.sleep.night import Sleep
from remanent.sleep.notes import Expire
from remanent.stories.stories import Stories
from remanent.wiring_keep import Keep
from remanent.wiring_live import Live
from remanent.wiring_overnight import Overnight

if TYPE_CHECKING:
    from remanent.stores.sqlite import SqliteStores


def night_jobs(
    *, live: Live, reconsolidate: Reconsolidate, stories: Stories, overnight: Overnight
) -> Mapping[SleepJob, NightJob]:
    """Every job of the night by its name, in the order of one night."""
    jobs: dict[SleepJob, NightJob] = {
        SleepJob.FADE: live.fade,
        SleepJob.RECONSOLIDATE: reconsolidate,
        **stories.jobs,
        **overnight.jobs,
    }
    return {job: jobs[job] for job in SleepJob if job in jobs}


def overnight_of(
    config: Config, stores: SqliteStores, keep: Keep, believe: Believe, findable: Findable
) -> Overnight:
    """What a night makes of notes, of old sources and of beliefs."""
    graph, index, ledger, atomic = stores.graph, stores.index, stores.ledger, stores.atomic
    mind, embedder, clock = believe.mind, believe.embedder, believe.clock
    allowance = Allowance(ledger=ledger, registry=stores.registry, rules=config.timetable)
    return Overnight(
        describe=Describe(
            graph=graph,
            index=index,
            ledger=ledger,
            mind=mind,
            findable=findable,
            atomic=atomic,
            clock=clock,
            allowance=allowance,
            rules=config.nightly,
        ),
        expire=Expire(
            graph=graph, index=index, ledger=ledger, findable=findable, atomic=atomic, clock=clock
        ),
        distil=Distil(
            graph=graph,
            index=index,
            ledger=ledger,
            registry=stores.registry,
            mind=mind,
            embedder=embedder,
            atomic=atomic,
            clock=clock,
            allowance=allowance,
            rules=config.distil,
            resolution=config.resolution,
        ),
        tidy=Tidy(
            graph=graph,
            ledger=ledger,
            registry=stores.registry,
            assign=keep.assign,
            unite=keep.unite,
            dispute=keep.dispute,
            synthesize=keep.synthesize,
            prune=keep.prune,
            atomic=atomic,
            allowance=allowance,
            rules=config.upkeep,
        ),
    )


def live_of(config: Config, stores: SqliteStores, clock: Clock) -> Live:
    """The lives of memories: fading, and what is done about it by hand."""
    graph, ledger, atomic = stores.graph, stores.ledger, stores.atomic
    own = Own(graph=graph, rules=config.lifecycle)
    shelve = Shelve(own=own, ledger=ledger, atomic=atomic, clock=clock)
    appraise = Appraise(graph=graph, clock=clock, rules=config.lifecycle, worth=config.worth)
    return Live(
        own=own,
        pin=Pin(own=own, ledger=ledger, atomic=atomic, clock=clock),
        shelve=shelve,
        foresee=Foresee(own=own, clock=clock),
        appraise=appraise,
        fade=Fade(
            own=own,
            appraise=appraise,
            shelve=shelve,
            allowance=Allowance(ledger=ledger, registry=stores.registry, rules=config.timetable),
        ),
    )


def shifts(
    config: Config,
    stores: SqliteStores,
    clock: Clock,
    *,
    jobs: Mapping[SleepJob, NightJob],
    promised: Mapping[JobKind, Handler],
) -> tuple[Work, Sleep]:
    """Work, by day and by night; and sleep, which first has the promises of the day kept."""
    queue, registry = stores.queue, stores.registry
    by_day = Work(queue=queue, registry=registry, clock=clock, rules=config.jobs, handlers=promised)
    sleep = Sleep(
        jobs=jobs,
        work=by_day,
        queue=queue,
        registry=registry,
        lease=Lease(queue=queue, clock=clock, rules=config.jobs),
        rounds=Rounds(jobs=tuple(jobs), queue=queue, registry=registry, rules=config.timetable),
        atomic=stores.atomic,
        clock=clock,
    )
    return replace(by_day, handlers={**promised, JobKind.SLEEP: sleep.handle}), sleep


def keep_of(config: Config, stores: SqliteStores, believe: Believe, believed: Believed) -> Keep:
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
        restate=Restate(
            believed=believed,
            graph=graph,
            index=index,
            ledger=ledger,
            embedder=embedder,
            atomic=atomic,
            clock=clock,
            intake=config.intake,
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
