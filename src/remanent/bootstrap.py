"""Bootstrap: settings become an `Env`. The only module that chooses stores, minds and embedders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

from remanent.anchors import owner
from remanent.backup.mend import apply_events
from remanent.backup.reembed import promise_reembedding, reembed_entries
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
from remanent.beliefs.nightly import maintain_beliefs
from remanent.clock import Clock, ReplayClock
from remanent.config import IN_MEMORY, SERVERS, Config, strange_address
from remanent.core.dataclasses import replace
from remanent.core.env import Apply, Env, Handler, NightJob, Stores
from remanent.core.model import event as types
from remanent.core.model.event import Event
from remanent.core.model.job import JobKind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import SleepJob
from remanent.core.ports.admin import Shadow
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.mind import Mind
from remanent.core.read import if_writable
from remanent.embedders.by_name import BUILT_IN, RETIRED, embedder_of
from remanent.erasure import hide, undo
from remanent.errors import ConfigError, EmbedderMismatch, InvalidInput, StoreError
from remanent.events import enrich, project, reconsolidate
from remanent.events.enrich import backfill_references, enrich_events
from remanent.events.project import project_events
from remanent.events.reconsolidate import trigger_reconsolidation
from remanent.ingest import add, artifacts, consolidate, correct, extract, merge_anchors, process
from remanent.ingest.extract import extract_source
from remanent.ingest.process import process_source
from remanent.ingest.rules.request import digest_problem
from remanent.items import write as stow
from remanent.lifecycle import archive, pin
from remanent.lifecycle.fade import fade_memories
from remanent.minds.by_name import mind_of
from remanent.minds.meter import Meter
from remanent.sleep import descriptions, notes
from remanent.sleep import episodes_to_notes as distil
from remanent.sleep import night as sleep
from remanent.sleep.descriptions import describe_things
from remanent.sleep.episodes_to_notes import episodes_to_notes
from remanent.sleep.notes import expire_notes
from remanent.stores.opened import OpenedStores
from remanent.stores.sqlite import open_stores
from remanent.stores.sqlite.admin.salvage import Copied, copy_readable, unfinished
from remanent.stories import stories
from remanent.stories.macros import promote_macros, refresh_macros
from remanent.stories.storylines import promote_storylines, refresh_storylines
from remanent.teams import consents

Payload = Mapping[str, str]


def build(
    config: Config, clock: Clock, *, mind: Mind | None = None, embedder: Embedder | None = None
) -> Env:
    """Open the stores and put the adapters that the settings name beside them; `mind` and `embedder`
    take their place. Weights are loaded when first needed."""
    make = mind_of(mind or config.mind, config)  # says what is wrong before a store is opened
    chosen, stores = _opened(config, clock, embedder)
    meter = _meter(config, clock, stores)
    hand = _metered(chosen, meter)
    env = _env(config, clock, stores, mind=make(hand, stores.records, meter), embedder=hand)
    if embedder is None and not config.embedder and chosen.name in RETIRED:
        _renew(env)
    return env


def _renew(env: Env) -> None:
    """A memory that has what was built in once goes over to what is now, in its own time, unless the
    settings name an embedder or it is on its way already."""
    state = env.stores.reembedding.state()
    if state is not None and state.towards is None:
        with if_writable():
            promise_reembedding(env, embedder_of(BUILT_IN, env.config))


def _env(
    config: Config, clock: Clock, stores: OpenedStores, *, mind: Mind, embedder: Embedder
) -> Env:
    env = Env(
        config=config,
        clock=clock,
        mind=mind,
        embedder=embedder,
        stores=stores,
        adapters=_Adapters(),
        handlers=HANDLERS,
        routes=ROUTES,
        nights=NIGHTS,
    )
    stores.follow(partial(apply_events, env))
    return env


def _meter(config: Config, clock: Clock, stores: Stores) -> Meter:
    return Meter(records=stores.records, clock=clock, rules=config.budget, prices=config.prices)


def _metered(embedder: Embedder, meter: Meter) -> Embedder:
    """The embedder behind a meter, if it says what it is paid for; else as it is."""
    if embedder.is_local:
        return embedder
    from remanent.embedders.metered import MeteredEmbedder, is_counting

    return MeteredEmbedder(embedder=embedder, meter=meter) if is_counting(embedder) else embedder


def _opened(
    config: Config, clock: Clock, embedder: Embedder | None
) -> tuple[Embedder, OpenedStores]:
    """The embedder, the one given, else that of the settings, else the memory's own; and the stores."""
    chosen = embedder or embedder_of(config.embedder or BUILT_IN, config)
    try:
        return chosen, _open(config, clock, chosen)
    except EmbedderMismatch as problem:
        if embedder is not None or config.embedder:
            raise
        chosen = _following(config, problem)
        return chosen, _open(config, clock, chosen)


def _open(config: Config, clock: Clock, embedder: Embedder) -> OpenedStores:
    opened: Callable[..., OpenedStores] = open_stores
    if config.is_on_server:
        try:
            from remanent.stores.combined import open_stores as opened
        except ImportError:
            raise ConfigError("memory", "needs `pip install 'remanent[postgres]'`") from None
    return opened(
        config.memory,
        now=clock.now(),
        embedder_name=embedder.name,
        dimensions=partial(getattr, embedder, "dimensions"),
        busy_timeout_s=config.lock_wait_seconds,
    )


def _following(config: Config, problem: EmbedderMismatch) -> Embedder:
    """The embedder that the memory has, for settings that name none; `problem` if it cannot be that.

    One elsewhere is not followed: where words go is for whoever opens the memory to say, not for a file.
    """
    try:
        embedder_ = embedder_of(problem.theirs, config)
    except ConfigError:
        raise problem from None
    if not embedder_.is_local:
        raise problem
    return embedder_


class _Adapters:
    """Makes adapters by name, and the same memory with others."""

    def embedder(self, env: Env, name: str) -> Embedder:
        return embedder_of(name, env.config)

    def metered(self, env: Env, embedder: Embedder) -> Embedder:
        return _metered(embedder, _meter(env.config, env.clock, env.stores))

    def probe(self, mind: Mind) -> None:
        """Ask the model itself: one that is remembered tells nothing of whether it is there."""
        from remanent.minds.answer_cache import CachedChat
        from remanent.minds.llm.chat import probe

        chat = getattr(mind, "chat", None)
        if chat is not None:
            probe(chat.chat if isinstance(chat, CachedChat) else chat)

    def with_embedder(self, env: Env, embedder: Embedder) -> Env:
        dimensions = partial(getattr, embedder, "dimensions")
        stores = _opened_stores(env).with_embedder(embedder.name, dimensions)
        hand = self.metered(env, embedder)
        return _env(
            env.config, env.clock, stores, mind=self._mind_with(env, embedder), embedder=hand
        )

    def shadow(
        self, env: Env, *, mind: Mind | str | None, embedder: Embedder | str | None
    ) -> tuple[Env, Shadow, ReplayClock]:
        chosen = embedder_of(embedder, env.config) if isinstance(embedder, str) else embedder
        hand = self.metered(env, chosen or env.embedder)
        if mind is None:
            mind = env.mind if hand is env.embedder else self._mind_with(env, hand)
        meter = _meter(env.config, env.clock, env.stores)
        head = mind_of(mind, env.config)(hand, env.stores.records, meter)
        stores, shadow = _opened_stores(env).open_shadow(
            mind_name=head.name,
            embedder_name=hand.name,
            dimensions=hand.dimensions,
            now=env.clock.now(),
        )
        clock = ReplayClock(env.clock.now())
        second = _env(env.config, clock, stores, mind=head, embedder=hand)
        stores.follow(partial(apply_events, second, recorded=project.apply))
        return second, shadow, clock

    def adopted(self, env: Env, shadow: Env) -> Env:
        hand = shadow.embedder
        stores = _opened_stores(env).with_embedder(hand.name, hand.dimensions)
        return _env(env.config, env.clock, stores, mind=shadow.mind, embedder=hand)

    def discard_shadow(self, env: Env) -> bool:
        return _opened_stores(env).discard_shadow()

    def stores_at(self, env: Env, memory: str) -> Stores:
        if memory == IN_MEMORY:
            raise InvalidInput("to", f"{memory} lasts no longer than this program: name a file")
        if Path(memory).absolute() == Path(env.config.memory).absolute():
            raise InvalidInput("to", f"{memory} is this memory itself: name another place")
        if problem := strange_address(memory):
            raise InvalidInput("to", problem)
        return _open(replace(env.config, memory=memory), env.clock, env.embedder)

    @staticmethod
    def _mind_with(env: Env, embedder: Embedder) -> Mind:
        """The same mind; one that the settings name, with the other embedder."""
        meter = _meter(env.config, env.clock, env.stores)
        try:
            named = mind_of(env.config.mind, env.config)(embedder, env.stores.records, meter)
        except ConfigError:  # the mind was given, and the settings need not know it
            return env.mind
        return named if type(named) is type(env.mind) else env.mind


def _opened_stores(env: Env) -> OpenedStores:
    """The stores as this bootstrap opened them."""
    if not isinstance(env.stores, OpenedStores):
        raise StoreError(env.config.memory, "a memory of another kind of store cannot do this")
    return env.stores


def make_place(memory: str) -> None:
    """Make the folder of a memory that stands where the settings say, not where a caller typed."""
    if memory == IN_MEMORY or memory.startswith(SERVERS):
        return
    folder = Path(memory).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise StoreError(str(folder), f"cannot be made: {problem.strerror}") from None


@contextmanager
def salvaging(old: Path, new: Path, clock: Clock) -> Iterator[tuple[Path, Copied]]:
    """A block in which all that can be read at `old` stands in a file beside `new`, whose graph is still
    to be derived; ended well, that file is called `new`."""
    with unfinished(old, new) as place:
        yield place, copy_readable(old, place, now=clock.now(), fits=digest_problem)


# --- tables: what does a job, a night, an event ----------------------------------------------------


def _part(job: Payload) -> tuple[int, int]:
    """Of a long source: from where, and how much; where the job says nothing, its beginning."""
    return int(job.get("from", 0)), int(job.get("size", 0))


def _extract(env: Env, scope: Scope, job: Payload) -> None:
    """Whoever a source makes known is then looked for in events. A source that was lost, hidden or erased
    meanwhile is nobody's to read; nor is one that was promised before only a team's were."""
    if extract.is_for(scope, env.graph.get(scope, job["source_key"])):
        extract_source(env, scope, job["source_key"], part=_part(job))
        backfill_references(env, scope, job["source_key"])
    hide.settle_hidden(env, scope, job["source_key"])


def _reembed(env: Env, _scope: Scope, job: Payload) -> None:
    hand = env.adapters.metered(env, embedder_of(job["embedder"], env.config))
    reembed_entries(replace(env, embedder=hand))


def _enrich(env: Env, scope: Scope, _job: Payload) -> None:
    enrich_events(env, scope)
    trigger_reconsolidation(env, scope)


HANDLERS: Mapping[JobKind, Handler] = {
    JobKind.PROCESS: lambda env, scope, job: process_source(
        env, scope, job["source_key"], part=_part(job)
    ),
    JobKind.EXTRACT: _extract,
    JobKind.BELIEVE: lambda env, scope, job: remember.settle(env, scope, job["event_id"]),
    JobKind.PROJECT: lambda env, scope, _: project_events(env, scope),
    JobKind.REEMBED: _reembed,
    JobKind.ENRICH: _enrich,
    JobKind.RECONSOLIDATE: lambda env, scope, job: reconsolidate.reflect(
        env, scope, datetime.fromisoformat(job["at"])
    ),
    JobKind.SLEEP: sleep.handle,
}

NIGHTS: Mapping[SleepJob, NightJob] = {
    SleepJob.RECONSOLIDATE: reconsolidate.reconsolidate,
    SleepJob.FADE: fade_memories,
    SleepJob.PROMOTE_MACROS: promote_macros,
    SleepJob.REFRESH_MACROS: refresh_macros,
    SleepJob.DESCRIBE: describe_things,
    SleepJob.PROMOTE: promote_storylines,
    SleepJob.REFRESH: refresh_storylines,
    SleepJob.EXPIRE: expire_notes,
    SleepJob.DISTIL: episodes_to_notes,
    SleepJob.UPKEEP: maintain_beliefs,
}


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
