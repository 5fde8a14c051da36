"""Embedders of other packages, which run on this machine once their weights are there.

They are loaded when first used. Their weights come from a hub: the first use needs a network, unless
the model is a folder or the package has it already.
"""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remanent.core.embedder_settings import EmbeddingRules, points
from remanent.embedders.folders import fastembed_in, folder_of, named
from remanent.embedders.shape import Length, readable, shaped
from remanent.errors import ConfigError, EmbedderError

Load = Callable[[str], Any]
Encode = Callable[[Any, Sequence[str]], object]


class ExtraEmbedder:
    """A model that another package loads, by `load`, and whose vectors `encode` asks for."""

    is_local = True

    def __init__(
        self, name: str, *, load: Load, encode: Encode, rules: EmbeddingRules | None = None
    ) -> None:
        self.name = name
        self.scale = points((rules or EmbeddingRules()).scale)
        self._load = load
        self._encode = encode
        self._length = Length(name)
        self._model: Any = None
        self._using = threading.Lock()  # no promise is known that these models bear several threads

    @property
    def dimensions(self) -> int:
        """The length of every vector; the first time, the model is loaded and asked."""
        if self._length.known is None:
            self.embed(["length"])
        return self._length.known or 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector per text, in order; `EmbedderError` when there is none to be had."""
        if not texts:
            return np.zeros((0, self._length.known or 0), np.float32)
        with self._using:
            try:
                if self._model is None:
                    self._model = self._load(self.name.partition(":")[2])
                rows = self._encode(self._model, [readable(text) for text in texts])
            except ConfigError:
                raise
            except EmbedderError as problem:
                raise EmbedderError(f"embedder {self.name}: {problem}") from None
            except Exception as problem:  # noqa: BLE001 - these packages raise whatever theirs raise
                told = f"embedder {self.name}: {type(problem).__name__}: {problem}"
                raise EmbedderError(told) from None
        return self._length.insist(shaped(rows, len(texts), self.name))


def sentence_transformers(
    model: str, *, rules: EmbeddingRules | None = None, load: Load | None = None
) -> ExtraEmbedder:
    """A model of the package sentence-transformers (extra `st`)."""
    return ExtraEmbedder(
        f"sentence-transformers:{named(model)}",
        load=load or _load_sentence_transformer,
        encode=lambda made, texts: made.encode(list(texts)),
        rules=rules,
    )


def fastembed(
    model: str, *, rules: EmbeddingRules | None = None, load: Load | None = None
) -> ExtraEmbedder:
    """A model of the package fastembed (extra `fastembed`)."""
    return ExtraEmbedder(
        f"fastembed:{named(model)}",
        load=load or _load_fastembed,
        encode=lambda made, texts: list(made.embed(list(texts))),
        rules=rules,
    )


def _load_sentence_transformer(model: str) -> Any:
    package = _imported("sentence_transformers", "st")
    folder = folder_of(model)
    if folder is None:
        return package.SentenceTransformer(model)
    with _no_bars():
        return package.SentenceTransformer(str(folder), local_files_only=True)


@contextlib.contextmanager
def _no_bars() -> Iterator[None]:
    """What lies on the disk is loaded in a moment: no bar has to tell how far that is."""
    told = importlib.import_module("transformers.utils.logging")
    were_on = told.is_progress_bar_enabled()
    told.disable_progress_bar()
    try:
        yield
    finally:
        if were_on:
            told.enable_progress_bar()


def _load_fastembed(model: str) -> Any:
    package = _imported("fastembed", "fastembed")
    folder = folder_of(model)
    if folder is None:
        return package.TextEmbedding(model_name=model)
    return fastembed_in(folder, package)


def _imported(package: str, extra: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError:
        told = f"needs a package that is not installed; run: pip install 'remanent[{extra}]'"
        raise ConfigError("embedder", told) from None
