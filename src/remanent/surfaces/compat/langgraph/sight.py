"""Sight: which texts of an item are turned into vectors, and by whom."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

import numpy as np

from langgraph.store.base import Embeddings, IndexConfig, ensure_embeddings, get_text_at_path
from remanent.core.ports.index import Vector
from remanent.items.api import ItemStore
from remanent.items.read import MEASURES
from remanent.items.rules import words

Paths = tuple[str, ...] | None
WHOLE = "$"


class Sight(Protocol):
    """How a store sees what its items mean."""

    measure: str

    @property
    def lens(self) -> str:
        """The name under which its vectors are kept."""
        ...

    def texts(self, value: Mapping[str, Any], paths: Paths) -> dict[str, str]:
        """The texts to be turned into vectors, by where they stand; `paths` may say where."""
        ...

    def embed(self, texts: Sequence[str], questions: Sequence[str]) -> list[Vector]:
        """A vector for each text, and then one for each question."""
        ...

    async def aembed(self, texts: Sequence[str], questions: Sequence[str]) -> list[Vector]:
        """The same without holding up the event loop."""
        ...


class OwnSight:
    """The memory's own embedder, for a store that was given none: all words of a value are one text."""

    measure = "cosine"

    def __init__(self, shelf: ItemStore) -> None:
        self._shelf = shelf

    @property
    def lens(self) -> str:
        """Another embedder in the memory is another lens."""
        return self._shelf.own_lens

    def texts(self, value: Mapping[str, Any], paths: Paths) -> dict[str, str]:
        """All words, or those at the paths."""
        if paths is None or paths == (WHOLE,):
            text = words(value)
            return {WHOLE: text} if text else {}
        return _at_paths(value, paths)

    def embed(self, texts: Sequence[str], questions: Sequence[str]) -> list[Vector]:
        """A vector for each text, and then one for each question."""
        return self._shelf.embed([*texts, *questions])

    async def aembed(self, texts: Sequence[str], questions: Sequence[str]) -> list[Vector]:
        """The same in a thread."""
        return await asyncio.to_thread(self.embed, texts, questions)


class GivenSight:
    """An embedder that came with an index configuration, as LangGraph's own stores take one."""

    def __init__(self, config: IndexConfig) -> None:
        given = cast("dict[str, Any]", config)
        if "dims" not in given or given.get("embed") is None:
            raise ValueError("index: an index configuration needs `dims` and `embed`")
        self.embeddings: Embeddings = ensure_embeddings(given["embed"])
        self.measure = str(given.get("distance_type") or "cosine")
        if self.measure not in MEASURES:
            raise ValueError(f"index: distance_type is one of {', '.join(MEASURES)}")
        self._dims = int(given["dims"])
        self._fields = tuple(given.get("fields") or given.get("text_fields") or (WHOLE,))
        self.lens = f"given:{_name(given['embed'])}:{self._dims}:{'|'.join(self._fields)}"

    def texts(self, value: Mapping[str, Any], paths: Paths) -> dict[str, str]:
        """Those at the paths of the put, or of the configuration."""
        return _at_paths(value, self._fields if paths is None else paths)

    def embed(self, texts: Sequence[str], questions: Sequence[str]) -> list[Vector]:
        """A vector for each text, and then one for each question."""
        found = self.embeddings.embed_documents(list(texts)) if texts else []
        return self._vectors([*found, *map(self.embeddings.embed_query, questions)])

    async def aembed(self, texts: Sequence[str], questions: Sequence[str]) -> list[Vector]:
        """The same by the embedder's own coroutines."""
        found = await self.embeddings.aembed_documents(list(texts)) if texts else []
        asked = await asyncio.gather(*map(self.embeddings.aembed_query, questions))
        return self._vectors([*found, *asked])

    def _vectors(self, made: Sequence[Sequence[float]]) -> list[Vector]:
        for one in made:
            if len(one) != self._dims:
                raise ValueError(
                    f"index: the embedder gives {len(one)} numbers, and `dims` is {self._dims}"
                )
        return [np.asarray(one, dtype=np.float32) for one in made]


def _at_paths(value: Mapping[str, Any], paths: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in paths:
        texts = [text for text in get_text_at_path(value, path) if text]
        for number, text in enumerate(texts):
            found[path if len(texts) == 1 else f"{path}.{number}"] = text
    return found


def _name(embed: object) -> str:
    """What tells embedders apart: a name or a model where they have one, else what they are."""
    if isinstance(embed, str):
        return embed
    for name in ("model", "model_name", "__qualname__"):
        if isinstance(found := getattr(embed, name, None), str):
            return found
    return type(embed).__qualname__
