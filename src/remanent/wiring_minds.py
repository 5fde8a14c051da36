"""Wiring of minds: the offline one, or a language model with the offline one behind it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from remanent.config import Config
from remanent.core.mind_settings import OUTPUTS, TASKS
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.mind import Mind
from remanent.errors import ConfigError
from remanent.minds.llm.providers import builder, key_for, split_name

if TYPE_CHECKING:
    from remanent.minds.llm.asking import Chat
    from remanent.minds.meter import Meter
    from remanent.stores.sqlite import SqliteStores

OFFLINE = "offline"
EXTRA = "pip install 'remanent[llm]'"

MakeMind = Callable[[Embedder, "SqliteStores", "Meter"], Mind]


def mind_of(mind: Mind | str, config: Config, env: Mapping[str, str] | None = None) -> MakeMind:
    """How to make the mind of that name, of an embedder, on a memory's stores and meter; one that is
    given is as it is.

    All that is wrong with the settings is said here, before a store is opened; nobody is asked anything.
    """
    if not isinstance(mind, str):
        return lambda _embedder, _stores, _meter: mind
    from remanent.minds.offline import OfflineMind  # noqa: PLC0415 - loaded when it is chosen

    if mind == OFFLINE:
        return lambda embedder, _stores, _meter: OfflineMind(embedder)
    chat = _chat(mind, config, os.environ if env is None else env)

    def made(embedder: Embedder, stores: SqliteStores, meter: Meter) -> Mind:
        from remanent.minds.llm.mind import LlmMind  # noqa: PLC0415

        economical = _economical(chat, stores, meter)
        return LlmMind(economical, OfflineMind(embedder), config.minds)

    return made


def _chat(name: str, config: Config, env: Mapping[str, str]) -> Chat:
    """The chat with the model's provider, its settings checked."""
    rules = config.minds
    if rules.output not in OUTPUTS:
        raise ConfigError("minds.output", f"{rules.output!r} is not one of: {', '.join(OUTPUTS)}")
    split_name(name)
    for task in TASKS:
        asked = rules.model(task, name)
        provider, _ = split_name(asked, "mind" if asked == name else f"minds.{task}")
        key_for(provider, config.mind_url, env)
        if provider in {"vllm", "llamacpp"} and not config.mind_url:
            raise ConfigError("mind_url", f"{provider} needs the server's: set REMANENT_MIND_URL")
    try:
        from remanent.minds.llm.chat import PydanticChat  # noqa: PLC0415
    except ImportError:
        raise ConfigError("mind", f"{name!r} needs the extra llm: {EXTRA}") from None
    return PydanticChat(name, builder(config.mind_url, env), rules)


def _economical(chat: Chat, stores: SqliteStores, meter: Meter) -> Chat:
    """The chat behind its meter, and that behind the answers that are remembered."""
    from remanent.minds.metered import MeteredChat  # noqa: PLC0415
    from remanent.minds.remembered import RememberedChat  # noqa: PLC0415

    metered = MeteredChat(chat=chat, meter=meter)
    return RememberedChat(chat=metered, answers=stores.answers, clock=meter.clock)


def hang_up(mind: Mind) -> None:
    """Close the connections that a mind keeps for its next question; most keep none."""
    chat = _innermost(mind)
    if chat is not None:
        chat.close()


def let_go_of(mind: Mind) -> None:
    """Have a mind forget what it keeps at hand of the last texts it read; most keep nothing."""
    forget = getattr(mind, "forget", None)
    if forget is not None:
        forget()


def asked_until(mind: Mind, stop: Callable[[], bool] | None) -> AbstractContextManager[None]:
    """Within this, a mind that asks others asks nothing more once `stop()` says so."""
    chat = None if stop is None else _innermost(mind)
    if chat is None:
        return nullcontext()
    until: AbstractContextManager[None] = chat.until(stop)
    return until


def _innermost(mind: Mind) -> Any:
    """The chat that has the connections, under those that remember and count."""
    chat = getattr(mind, "chat", None)
    while chat is not None and not hasattr(chat, "close"):
        chat = getattr(chat, "chat", None)
    return chat
