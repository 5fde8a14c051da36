"""Embedders by name, as the settings write it; their libraries are loaded when they are chosen."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from remanent.config import Config
from remanent.core.later import later
from remanent.core.ports.embedder import Embedder, Scale, TextKind
from remanent.core.ports.index import Vector
from remanent.core.settings import points
from remanent.errors import ConfigError, EmbedderError

if TYPE_CHECKING:
    import numpy as np
else:
    np = later("numpy")

Make = Callable[[str, Config, Mapping[str, str]], Embedder]

BUILT_IN = "builtin"
BUILT_IN_NAME = "remanent-embed-1"  # as a memory's file has it, down to the weights
RETIRED = {"granite-30m-int8": 384}
"""Embedders that were built in once, and their dimensions: a memory that has one goes over to the one that is now."""


def embedder_of(name: str, config: Config, environ: Mapping[str, str] | None = None) -> Embedder:
    """The embedder of that name, `ConfigError` if there is none; nothing is loaded or asked yet."""
    provider, _, model = name.partition(":")
    if name in (BUILT_IN, BUILT_IN_NAME):
        from remanent.embedders.builtin import BuiltinEmbedder

        return BuiltinEmbedder()
    if name in RETIRED:
        return Retired(name, RETIRED[name])
    if provider not in EMBEDDERS or not model.strip():
        known = ", ".join(f"{one}:MODEL" for one in EMBEDDERS)
        raise ConfigError("embedder", f"{name!r} is not one of: {BUILT_IN}, {known}")
    try:
        points(config.embedding.scale)
    except ValueError as problem:
        raise ConfigError("embedding.scale", str(problem)) from None
    return EMBEDDERS[provider](model.strip(), config, os.environ if environ is None else environ)


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


def _extra(name: str, model: str, config: Config, _: Mapping[str, str]) -> Embedder:
    from remanent.embedders import extras

    made: Embedder = getattr(extras, name)(model, rules=config.embedding)
    return made


EMBEDDERS: Mapping[str, Make] = {
    "openai": _openai,
    "sentence-transformers": partial(_extra, "sentence_transformers"),
    "fastembed": partial(_extra, "fastembed"),
}


class Retired:
    """An embedder in name alone: search goes by words until the memory has gone over to another."""

    scale: Scale = ((0.0, 0.0), (1.0, 1.0))
    is_local: bool = True

    def __init__(self, name: str, dimensions: int) -> None:
        self.name = name
        self.dimensions = dimensions

    def embed(
        self,
        texts: Sequence[str],
        *,
        kind: TextKind = "passage",  # noqa: ARG002 - it has none of either
    ) -> Vector:
        """Nothing for nothing; else `EmbedderError`."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        raise EmbedderError(f"embedder {self.name}: is no more; without one named ours takes over")
