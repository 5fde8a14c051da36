"""Wiring of embedders: a name in the settings becomes a hand. Names their adapters."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial

from remanent.backup.index_texts import Reword
from remanent.backup.reembed import Reembed
from remanent.clock import Clock
from remanent.config import Config
from remanent.core.embedder_settings import points
from remanent.core.index_entries import Findable
from remanent.core.ports.embedder import Embedder
from remanent.errors import ConfigError, EmbedderMismatch
from remanent.jobs.work import Handler
from remanent.minds.meter import Meter
from remanent.stores.sqlite import SqliteStores, open_stores

Make = Callable[[str, Config, Mapping[str, str]], Embedder]

BUILT_IN = "granite"
BUILT_IN_NAME = "granite-30m-int8"  # as a memory's file has it, down to the weights


def embedder_of(name: str, config: Config, environ: Mapping[str, str] | None = None) -> Embedder:
    """The embedder of that name, `ConfigError` if there is none; nothing is loaded or asked yet."""
    provider, _, model = name.partition(":")
    if name not in (BUILT_IN, BUILT_IN_NAME) and (provider not in EMBEDDERS or not model.strip()):
        known = ", ".join(f"{one}:MODEL" for one in EMBEDDERS)
        raise ConfigError("embedder", f"{name!r} is not one of: {BUILT_IN}, {known}")
    if not model:
        return _granite()
    try:
        points(config.embedding.scale)
    except ValueError as problem:
        raise ConfigError("embedding.scale", str(problem)) from None
    return EMBEDDERS[provider](model.strip(), config, os.environ if environ is None else environ)


def reembed_of(stores: SqliteStores, embedder: Embedder) -> Reembed:
    """How all entries of a memory get vectors of that embedder."""
    graph = stores.graph
    return Reembed(
        renewal=stores.renewal,
        findable=Findable(index=stores.index, embedder=embedder, graph=graph),
        reword=Reword(graph=graph),
        registry=stores.registry,
    )


def reembedding(config: Config, stores: SqliteStores, meter: Meter) -> Handler:
    """The job: all entries, for the embedder that it names."""
    return lambda _scope, job: reembed_of(
        stores, metered(embedder_of(job["embedder"], config), meter)
    )()


def metered(embedder: Embedder, meter: Meter) -> Embedder:
    """The embedder behind a meter, if it says what it is paid for; else as it is."""
    if embedder.is_local:
        return embedder
    from remanent.embedders.metered import MeteredEmbedder, is_counting

    return MeteredEmbedder(embedder=embedder, meter=meter) if is_counting(embedder) else embedder


def at_hand(
    config: Config, clock: Clock, embedder: Embedder | None, stores: SqliteStores | None
) -> tuple[Embedder, SqliteStores, Meter]:
    """The stores, opened unless they are given, the meter on them, and the embedder behind it: the one
    given, else that of the settings, else the memory's own."""
    hand = embedder or embedder_of(config.embedder or BUILT_IN, config)
    try:
        stores = stores or _opened(config, clock, hand)
    except EmbedderMismatch as problem:
        if embedder is not None or config.embedder:
            raise
        hand = _following(config, problem)
        stores = _opened(config, clock, hand)
    meter = Meter(spending=stores.spending, clock=clock, rules=config.budget, prices=config.prices)
    return metered(hand, meter), stores, meter


def _opened(config: Config, clock: Clock, embedder: Embedder) -> SqliteStores:
    return open_stores(
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
        found = embedder_of(problem.theirs, config)
    except ConfigError:
        raise problem from None
    if not found.is_local:
        raise problem
    return found


def _granite() -> Embedder:
    from remanent.embedders.builtin import GraniteEmbedder

    return GraniteEmbedder()


def _openai(model: str, config: Config, env: Mapping[str, str]) -> Embedder:
    """With a URL of one's own OpenAI's variable is not looked at: a key goes only to whom it is for."""
    from remanent.embedders.remote import OPENAI_URL, OpenAiEmbedder

    own = () if config.embedder_url else ("OPENAI_API_KEY",)
    names = ("REMANENT_EMBEDDER_KEY", *own)
    key = next((env[one].strip() for one in names if env.get(one, "").strip()), "")
    if not key and not config.embedder_url:
        raise ConfigError("embedder", f"openai needs a key: set {' or '.join(names)}")
    url = config.embedder_url or OPENAI_URL
    return OpenAiEmbedder(model, url=url, key=key, rules=config.embedding)


def _sentence_transformers(model: str, config: Config, _: Mapping[str, str]) -> Embedder:
    from remanent.embedders.extras import sentence_transformers

    return sentence_transformers(model, rules=config.embedding)


def _fastembed(model: str, config: Config, _: Mapping[str, str]) -> Embedder:
    from remanent.embedders.extras import fastembed

    return fastembed(model, rules=config.embedding)


EMBEDDERS: Mapping[str, Make] = {
    "openai": _openai,
    "sentence-transformers": _sentence_transformers,
    "fastembed": _fastembed,
}
