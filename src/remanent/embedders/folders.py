"""Models in a folder of one's own, instead of a hub's: where they are, and what they say of themselves."""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path
from typing import Any

from remanent.errors import EmbedderError

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
        told = json.loads((folder / _POOLING).read_text("utf-8"))
    except FileNotFoundError:
        return "MEAN"
    except (OSError, ValueError):
        raise EmbedderError(f"{folder / _POOLING} cannot be read") from None
    if not isinstance(told, dict):
        raise EmbedderError(f"{folder / _POOLING} is not an object of JSON")
    known = {
        "pooling_mode_mean_tokens": "MEAN",
        "pooling_mode_cls_token": "CLS",
        "pooling_mode_lasttoken": "LAST_TOKEN",
        "mean": "MEAN",
        "cls": "CLS",
        "lasttoken": "LAST_TOKEN",
    }
    asked = {name for name, value in told.items() if value is True} | {told.get("pooling_mode")}
    found = [known[name] for name in known if name in asked]
    if len(found) != 1:
        raise EmbedderError(f"{folder / _POOLING} asks for a pooling that fastembed has not")
    return found[0]
