"""Bootstrap: settings become an `Env`. The only module that chooses stores, minds and embedders.

What is not needed to open a memory is loaded when it is called for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from remanent.clock import Clock, ReplayClock
from remanent.config import IN_MEMORY, SERVERS, Config, strange_address
from remanent.core.dataclasses import replace
from remanent.core.env import Env, Stores
from remanent.core.later import later, later_table
from remanent.core.ports.admin import Shadow
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.mind import Mind
from remanent.core.read import if_writable
from remanent.embedders.by_name import BUILT_IN, RETIRED, embedder_of
from remanent.errors import ConfigError, EmbedderMismatch, InvalidInput, StoreError
from remanent.minds.by_name import mind_of
from remanent.minds.meter import Meter
from remanent.stores.opened import OpenedStores
from remanent.stores.sqlite import open_stores

if TYPE_CHECKING:
    from remanent.backup import mend, reembed
    from remanent.events import project
    from remanent.ingest.rules import request
    from remanent.stores.sqlite.admin import salvage
    from remanent.stores.sqlite.admin.salvage import Copied
    from remanent.tables import handlers, nights, routes
else:
    mend = later("remanent.backup.mend")
    reembed = later("remanent.backup.reembed")
    project = later("remanent.events.project")
    request = later("remanent.ingest.rules.request")
    salvage = later("remanent.stores.sqlite.admin.salvage")
    handlers = later("remanent.tables.handlers")
    nights = later("remanent.tables.nights")
    routes = later("remanent.tables.routes")


def build(
    config: Config, clock: Clock, *, mind: Mind | None = None, embedder: Embedder | None = None
) -> Env:
    """Open the stores and put the adapters that the settings name beside them; `mind` and `embedder`
    take their place. Weights are loaded when first needed."""
    make = mind_of(mind or config.mind, config)  # says what is wrong before a store is opened
    chosen, stores = _opened(config, clock, embedder)
    meter = _meter(config, clock, stores)
    hand = _metered(chosen, meter)
    env = _env(config, clock, stores, mind=make(stores.records, meter), embedder=hand)
    if embedder is None and not config.embedder and chosen.name in RETIRED:
        _renew(env)
    return env


def _renew(env: Env) -> None:
    """A memory that has what was built in once goes over to what is now, in its own time, unless the
    settings name an embedder or it is on its way already."""
    state = env.stores.reembedding.state()
    if state is not None and state.towards is None:
        with if_writable():
            reembed.promise_reembedding(env, embedder_of(BUILT_IN, env.config))


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
        handlers=later_table(lambda: handlers.HANDLERS),
        routes=later_table(lambda: routes.ROUTES),
        nights=later_table(lambda: nights.NIGHTS),
    )
    stores.follow(lambda *told: mend.apply_events(env, *told))
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
        return _env(env.config, env.clock, stores, mind=env.mind, embedder=hand)

    def shadow(
        self, env: Env, *, mind: Mind | str | None, embedder: Embedder | str | None
    ) -> tuple[Env, Shadow, ReplayClock]:
        chosen = embedder_of(embedder, env.config) if isinstance(embedder, str) else embedder
        hand = self.metered(env, chosen or env.embedder)
        meter = _meter(env.config, env.clock, env.stores)
        head = mind_of(mind or env.mind, env.config)(env.stores.records, meter)
        stores, shadow = _opened_stores(env).open_shadow(
            mind_name=head.name,
            embedder_name=hand.name,
            dimensions=hand.dimensions,
            now=env.clock.now(),
        )
        clock = ReplayClock(env.clock.now())
        second = _env(env.config, clock, stores, mind=head, embedder=hand)
        stores.follow(partial(mend.apply_events, second, recorded=project.apply))
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
    with salvage.unfinished(old, new) as place:
        yield place, salvage.copy_readable(old, place, now=clock.now(), fits=request.digest_problem)
