"""Vectors as every embedder gives them: one row a text, of one length, each of length 1.

Models in a folder of one's own, instead of a hub's: where they are, and what they say of themselves.

Embedders of other packages, which run on this machine once their weights are there.

They are loaded when first used. Their weights come from a hub: the first use needs a network, unless
the model is a folder or the package has it already.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remanent.core.ports.embedder import TextKind
from remanent.core.settings import EmbeddingRules, points
from remanent.errors import ConfigError, EmbedderError

_LONGEST = 20_000  # no embedder known gives more than some 4,000 numbers


def readable(text: str) -> str:
    """A text that every embedder takes: a blank one is refused by most servers, and half a surrogate
    has no UTF-8."""
    return text.encode("utf-8", "replace").decode() if text.strip() else "."


def shaped(rows: object, count: int, name: str) -> NDArray[np.float32]:
    """These rows as unit vectors, or `EmbedderError` that says what they are instead."""
    try:
        array = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise EmbedderError(f"embedder {name}: its vectors are not numbers of one length") from None
    if array.ndim != 2 or len(array) != count:
        raise EmbedderError(f"embedder {name}: gave {_shape_text(rows)} for {count} texts")
    if not 0 < array.shape[1] <= _LONGEST:
        raise EmbedderError(f"embedder {name}: its vectors have {array.shape[1]} numbers")
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise EmbedderError(f"embedder {name}: one of its vectors points nowhere")
    unit: NDArray[np.float32] = (array / lengths).astype(np.float32)
    return unit


def _shape_text(rows: object) -> str:
    if isinstance(rows, Sequence | np.ndarray) and not isinstance(rows, str):
        return f"{len(rows)} vectors"
    return "no vectors"


class Length:
    """The length of an embedder's vectors: learned once, and insisted on from then on."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._known: int | None = None

    @property
    def known(self) -> int | None:
        """None until it is learned."""
        return self._known

    def check(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """The vectors; `EmbedderError` if they are of another length than those before them."""
        width = int(vectors.shape[1])
        if self._known is None:
            self._known = width
        if width != self._known:
            raise EmbedderError(
                f"embedder {self._name}: its vectors have {width} numbers now, and had {self._known}"
            )
        return vectors


_WEIGHTS = "model.onnx", "onnx/model.onnx"  # as exporters name them
_POOLING = "1_Pooling/config.json"  # as sentence-transformers writes it
_adding = threading.Lock()


def named(model: str) -> str:
    """A model's name; that of a folder from the root, so that it is the same wherever it is named."""
    folder = Path(model).expanduser()
    return str(folder.absolute()) if _is_path(model) or folder.is_dir() else model


def folder_of(model: str) -> Path | None:
    """The folder that a name means, None for a hub's; `EmbedderError` if it is not there."""
    folder = Path(model)
    if folder.is_dir():
        return folder
    if _is_path(model):
        raise EmbedderError(f"there is no folder {model}")
    return None


def _is_path(model: str) -> bool:
    """A hub's names look like `maker/model`."""
    return model.startswith(("/", "~", "./", "../")) or Path(model).is_absolute()


def fastembed_in(folder: Path, package: Any) -> Any:
    """The model in the folder, as the package fastembed loads it: its ONNX weights and its tokenizer."""
    made = _loaded(folder, package, _pooling(folder))
    output = made.model.model.get_outputs()[0]
    if len(output.shape) == 2:  # the weights pool by themselves
        made = _loaded(folder, package, "DISABLED")
    return made


def _loaded(folder: Path, package: Any, pooling: str) -> Any:
    """Register the folder under a name of ours, once, and load it; the package compares names without
    case, and no name may come twice."""
    from fastembed.common.model_description import (  # noqa: PLC0415 - the extra may not be there
        ModelSource,
        PoolingType,
    )

    weights = _weights(folder)
    mark = hashlib.sha256(f"{folder}\n{weights}\n{pooling}".encode()).hexdigest()
    name = f"remanent/{mark[:24]}"
    embedding = package.TextEmbedding
    with _adding:
        if name not in {one["model"] for one in embedding.list_supported_models()}:
            embedding.add_custom_model(
                model=name,
                pooling=PoolingType[pooling],
                normalization=False,  # vectors are brought to length 1 here
                sources=ModelSource(hf=name),  # it has to name one; nobody is asked
                dim=0,  # the first vector tells
                model_file=weights,
            )
    return embedding(model_name=name, specific_model_path=str(folder), local_files_only=True)


def _weights(folder: Path) -> str:
    for name in _WEIGHTS:
        if (folder / name).is_file():
            return name
    raise EmbedderError(f"{folder} holds no {' or '.join(_WEIGHTS)}")


def _pooling(folder: Path) -> str:
    """How tokens become one vector: as the folder says, else by their mean."""
    try:
        settings = json.loads((folder / _POOLING).read_text("utf-8"))
    except FileNotFoundError:
        return "MEAN"
    except (OSError, ValueError):
        raise EmbedderError(f"{folder / _POOLING} cannot be read") from None
    if not isinstance(settings, dict):
        raise EmbedderError(f"{folder / _POOLING} is not an object of JSON")
    known = {
        "pooling_mode_mean_tokens": "MEAN",
        "pooling_mode_cls_token": "CLS",
        "pooling_mode_lasttoken": "LAST_TOKEN",
        "mean": "MEAN",
        "cls": "CLS",
        "lasttoken": "LAST_TOKEN",
    }
    wanted = {name for name, value in settings.items() if value is True} | {
        settings.get("pooling_mode")
    }
    modes = [known[name] for name in known if name in wanted]
    if len(modes) != 1:
        raise EmbedderError(f"{folder / _POOLING} asks for a pooling that fastembed has not")
    return modes[0]


Load = Callable[[str], Any]
Encode = Callable[[Any, Sequence[str], TextKind], object]


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

    def embed(self, texts: Sequence[str], *, kind: TextKind = "passage") -> NDArray[np.float32]:
        """One unit vector per text, in order; `EmbedderError` when there is none to be had."""
        if not texts:
            return np.zeros((0, self._length.known or 0), np.float32)
        with self._using:
            try:
                if self._model is None:
                    self._model = self._load(self.name.partition(":")[2])
                rows = self._encode(self._model, [readable(text) for text in texts], kind)
            except ConfigError:
                raise
            except EmbedderError as problem:
                raise EmbedderError(f"embedder {self.name}: {problem}") from None
            except Exception as problem:  # noqa: BLE001 - these packages raise whatever theirs raise
                message = f"embedder {self.name}: {type(problem).__name__}: {problem}"
                raise EmbedderError(message) from None
        return self._length.check(shaped(rows, len(texts), self.name))


def sentence_transformers(
    model: str, *, rules: EmbeddingRules | None = None, load: Load | None = None
) -> ExtraEmbedder:
    """A model of the package sentence-transformers (extra `st`)."""
    return ExtraEmbedder(
        f"sentence-transformers:{named(model)}",
        load=load or _load_sentence_transformer,
        encode=lambda made, texts, kind: _by_kind(made, kind, _TRANSFORMED)(list(texts)),
        rules=rules,
    )


def fastembed(
    model: str, *, rules: EmbeddingRules | None = None, load: Load | None = None
) -> ExtraEmbedder:
    """A model of the package fastembed (extra `fastembed`)."""
    return ExtraEmbedder(
        f"fastembed:{named(model)}",
        load=load or _load_fastembed,
        encode=lambda made, texts, kind: list(_by_kind(made, kind, _FASTEMBEDDED)(list(texts))),
        rules=rules,
    )


_TRANSFORMED = {"question": "encode_query", "": "encode_document", "any": "encode"}
_FASTEMBEDDED = {"question": "query_embed", "": "passage_embed", "any": "embed"}


def _by_kind(model: Any, kind: TextKind, methods: Mapping[str, str]) -> Callable[[list[str]], Any]:
    """The method of the model for this kind of text; of one that has none, that for any text. A
    statement is a passage there."""
    found = methods.get(kind, methods[""])
    name = found if hasattr(model, found) else methods["any"]
    asked: Callable[[list[str]], Any] = getattr(model, name)
    return asked


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
    logging = importlib.import_module("transformers.utils.logging")
    were_on = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if were_on:
            logging.enable_progress_bar()


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
        problem = f"needs a package that is not installed; run: pip install 'remanent[{extra}]'"
        raise ConfigError("embedder", problem) from None
