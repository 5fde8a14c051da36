"""Minds by name: the offline one, or a language model with the offline one behind it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from remanent.config import Config
from remanent.core.ports.mind import Mind
from remanent.core.ports.records import Records
from remanent.core.settings import OUTPUTS, TASKS
from remanent.errors import ConfigError
from remanent.minds.llm.providers import builder, key_for, split_name

if TYPE_CHECKING:
    from remanent.minds.llm.request import Chat
    from remanent.minds.meter import Meter

OFFLINE = "offline"
EXTRA = "pip install 'remanent[llm]'"

MakeMind = Callable[[Records, "Meter"], Mind]


def mind_of(mind: Mind | str, config: Config, env: Mapping[str, str] | None = None) -> MakeMind:
    """How to make the mind of that name with a memory's records and meter; one that is given is as it is.

    All that is wrong with the settings is said here, before a store is opened; nobody is asked anything.
    """
    if not isinstance(mind, str):
        return lambda _records, _meter: mind
    from remanent.minds.offline import OfflineMind

    if mind == OFFLINE:
        return lambda _records, _meter: OfflineMind()
    chat = _chat(mind, config, os.environ if env is None else env)

    def made(records: Records, meter: Meter) -> Mind:
        from remanent.minds.llm.mind import LlmMind

        economical = _economical(chat, records, meter)
        return LlmMind(economical, OfflineMind(), config.minds)

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
        from remanent.minds.llm.chat import PydanticChat
    except ImportError:
        raise ConfigError("mind", f"{name!r} needs the extra llm: {EXTRA}") from None
    return PydanticChat(name, builder(config.mind_url, env), rules)


def _economical(chat: Chat, records: Records, meter: Meter) -> Chat:
    """The chat behind its meter, and that behind the answers that are remembered."""
    from remanent.minds.answer_cache import CachedChat
    from remanent.minds.meter import MeteredChat

    metered = MeteredChat(chat=chat, meter=meter)
    return CachedChat(chat=metered, records=records, clock=meter.clock)
