"""Archive of float weights (half precision, split into byte planes), small enough to carry about.

The high bytes of half-precision weights hold sign and exponent and compress well; the low bytes
are noise. Split apart and zipped they take about seven eighths of the space. An archive may be
written in parts of a limited size; reading takes any number of parts.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
PART_BYTES = 15 * 2**20
"""Size of a part, somewhat under what one returned file may have."""


def packed(arrays: Mapping[str, Array]) -> bytes:
    """Give the arrays as one block of bytes: floats as half-precision planes, the rest as is."""
    out: dict[str, Array] = {}
    for name, array in arrays.items():
        if array.dtype.kind != "f":
            squeezed = zlib.compress(np.ascontiguousarray(array).tobytes(), 6)
            out[f"raw|{array.dtype.name}|{name}"] = np.frombuffer(squeezed, np.uint8)
            out[f"shape|{name}"] = np.array(array.shape, np.int64)
            continue
        half = np.ascontiguousarray(array, dtype=np.float16).reshape(-1).view(np.uint8)
        high = zlib.compress(half[1::2].tobytes(), 6)
        out[f"high|{name}"] = np.frombuffer(high, np.uint8)
        out[f"low|{name}"] = half[0::2].copy()
        out[f"shape|{name}"] = np.array(array.shape, np.int64)
    buffer = io.BytesIO()
    np.savez(buffer, **out)  # type: ignore[arg-type]
    return buffer.getvalue()


def unpacked(block: bytes) -> dict[str, Array]:
    """Give the arrays of a block back, floats in single precision."""
    held = np.load(io.BytesIO(block))
    arrays: dict[str, Array] = {}
    for key in held.files:
        kind, rest = key.split("|", 1)
        if kind == "raw":
            dtype, name = rest.split("|", 1)
            data = zlib.decompress(held[key].tobytes())
            arrays[name] = np.frombuffer(data, np.dtype(dtype)).reshape(held[f"shape|{name}"])
        elif kind == "high":
            low = held[f"low|{rest}"]
            both = np.empty(2 * low.size, np.uint8)
            both[1::2] = np.frombuffer(zlib.decompress(held[key].tobytes()), np.uint8)
            both[0::2] = low
            halves = both.view(np.float16).reshape(held[f"shape|{rest}"])
            arrays[rest] = halves.astype(np.float32)
    for name in [
        key for key in arrays if f"{key}.scale" in arrays
    ]:  # int8, as `export --back` has it
        arrays[name] = arrays[name].astype(np.float32) * arrays.pop(f"{name}.scale")
    return arrays


def write(path: Path, arrays: Mapping[str, Array], *, in_parts: bool = False) -> list[Path]:
    """Write an archive, whole or in parts named ``<name>.000``, ``<name>.001`` and so on."""
    block = packed(arrays)
    if not in_parts:
        path.write_bytes(block)
        return [path]
    written = []
    for number, start in enumerate(range(0, len(block), PART_BYTES)):
        part = path.with_name(f"{path.name}.{number:03d}")
        part.write_bytes(block[start : start + PART_BYTES])
        written.append(part)
    return written


def read(path: Path) -> dict[str, Array]:
    """Read an archive, from the file itself or from its parts."""
    if path.exists():
        return unpacked(path.read_bytes())
    parts: Iterable[Path] = sorted(path.parent.glob(f"{path.name}.[0-9][0-9][0-9]"))
    block = b"".join(part.read_bytes() for part in parts)
    if not block:
        raise FileNotFoundError(path)
    return unpacked(block)
