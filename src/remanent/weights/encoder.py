"""Encoder: token numbers to states, by onnxruntime in int8 on one thread.

Files are read, verified and unpacked when they are first asked for, and once in a process. The table
of the vocabulary and the tokenizer are shared by all encoders.
"""

from __future__ import annotations

import functools
import io
import json
import math
import os
import platform
import struct
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from remanent.errors import DamagedWeights
from remanent.weights.recent import FOLDER
from remanent.weights.wordpiece import WordPiece

Made = TypeVar("Made")
Floats: TypeAlias = NDArray[np.float32]
Row: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""A text as token numbers, and the kind of each token."""

CLS, SEP = 101, 102
"""The tokens before and after a text."""
_EPSILON = np.float32(1e-12)
_LENGTHS_AT = 26  # in what a zip says before a file
_LONGEST_HEAD = 1024
_loading = threading.RLock()


def verified(name: str, folder: Path = FOLDER) -> bytes:
    """The content of a file of weights; `DamagedWeights` if it is gone or is not what it was."""
    try:
        sums = json.loads((folder / "sums.json").read_bytes())
        content = (folder / name).read_bytes()
        wanted = str(sums[name]["crc32"])
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise DamagedWeights(
            f"{folder / name}", f"cannot be read: {type(problem).__name__}: {problem}"
        ) from None
    found = f"{zlib.crc32(content):08x}"  # SHA-256 is for who compares files; here it took 60 ms
    if found != wanted:
        raise DamagedWeights(
            f"{folder / name}",
            f"is damaged or of another version: {len(content)} bytes of CRC-32 {found}, not {wanted}",
        )
    return content


def tokenizer(folder: Path = FOLDER) -> WordPiece:
    """The tokenizer that all encoders share."""
    with _loading:
        return _tokenizer(folder)


@functools.cache
def _tokenizer(folder: Path) -> WordPiece:
    return WordPiece(verified("tokenizer.json", folder))


@functools.cache
def _vocabulary(folder: Path) -> tuple[NDArray[np.int8], Floats]:
    """The table that all encoders start from, in int8, and the scale of each of its rows."""
    held = arrays(verified("vocabulary.npz", folder))
    return held["int8"], held["scale"]


def arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of an `npz` file, which is not compressed: each lies in `content` and cannot be written to.
    To copy a table of 12 MB out of it took a tenth of a first search."""
    with zipfile.ZipFile(io.BytesIO(content)) as held:
        return {one.filename.removesuffix(".npy"): _array(content, one) for one in held.infolist()}


def _array(content: bytes, one: zipfile.ZipInfo) -> NDArray[Any]:
    lengths = struct.unpack_from("<HH", content, one.header_offset + _LENGTHS_AT)
    start = (
        one.header_offset + _LENGTHS_AT + 4 + sum(lengths)
    )  # behind its name and what else is said
    head = io.BytesIO(content[start : start + _LONGEST_HEAD])
    if one.compress_type != zipfile.ZIP_STORED or np.lib.format.read_magic(head) != (1, 0):
        raise ValueError(f"{one.filename}: is compressed, or of another version of the format")
    shape, by_column, dtype = np.lib.format.read_array_header_1_0(head)
    flat = np.frombuffer(content, dtype, math.prod(shape), start + head.tell())
    found: NDArray[Any] = flat.reshape(shape, order="F" if by_column else "C")
    return np.require(found, requirements="A")


class Encoder:
    """Layers of one of our encoders, with its heads. Threads may share one.

    A text is run by itself, unpadded: activations are brought to int8 by the range that they have in
    the whole run, so that a text's states would depend on its neighbours else.
    """

    def __init__(self, name: str, folder: Path = FOLDER) -> None:
        layers = _beside(lambda: session(verified(f"{name}.onnx", folder)))
        tokenizer(folder)  # whoever wants an encoder wants it next
        self._table, self._scale = _vocabulary(folder)
        held = arrays(verified(f"{name}.npz", folder))
        front = {key: value.astype(np.float32) for key, value in held.items()}
        self.heads: dict[str, Floats] = {
            key.removeprefix("head."): value
            for key, value in front.items()
            if key.startswith("head.")
        }
        self._positions, self._kinds = front["position"], front["kind"]
        self._norm = front["norm.weight"], front["norm.bias"]
        self._session = layers()

    @property
    def longest(self) -> int:
        """How many tokens a text has at most, marks included."""
        return len(self._positions)

    def states(self, rows: Iterable[Row]) -> list[Floats]:
        """The states of each text: one row of numbers a token."""
        return [self._run(numbers, kinds) for numbers, kinds in rows]

    def meaning(self, numbers: Sequence[int]) -> Floats:
        """The unit vector of one text: the mean of its states."""
        (states,) = self.states([(numbers, [0] * len(numbers))])
        mean: Floats = states.mean(axis=0, dtype=np.float32)
        return mean / np.linalg.norm(mean)

    def _run(self, numbers: Sequence[int], kinds: Sequence[int]) -> Floats:
        mask = np.ones((1, len(numbers)), np.int32)
        found = self._session.run(None, {"x": self._start(numbers, kinds)[None], "mask": mask})
        states: Floats = found[0][0]
        return states

    def _start(self, numbers: Sequence[int], kinds: Sequence[int]) -> Floats:
        """What the layers start from: words, places and kinds, normed."""
        ids = np.asarray(numbers, np.intp)
        x: Floats = self._table[ids].astype(np.float32) * self._scale[ids]
        x += self._positions[: len(ids)] + self._kinds[np.asarray(kinds, np.intp)]
        x -= x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + _EPSILON)
        return x * self._norm[0] + self._norm[1]


def _beside(work: Callable[[], Made]) -> Callable[[], Made]:
    """Do this in a thread, and meanwhile something else: most of it is reading and summing up, which leave
    the interpreter to others. What is given waits for it, and raises what it raised."""
    made: list[Made | BaseException] = []

    def do() -> None:
        try:
            made.append(work())
        except BaseException as problem:  # noqa: BLE001 - it is raised where it is waited for
            made.append(problem)

    def wait() -> Made:
        thread.join()
        if isinstance(made[0], BaseException):
            raise made[0]
        return made[0]

    thread = threading.Thread(target=do, daemon=True)
    thread.start()
    return wait


_encoder = functools.cache(Encoder)  # a failure is not kept


def encoder(name: Literal["embedder", "reader"], folder: Path = FOLDER) -> Encoder:
    """The encoder of that name, loaded once in a process; `DamagedWeights` if its files are."""
    with _loading:  # whichever thread asks first
        return _encoder(name, folder)


def session(content: bytes) -> Any:
    """A session of one thread: on small matrices, and on busy cores, more threads are slower."""
    # From 1.31 on it keeps a number of the device and counts what it is used for, to be sent to its
    # makers, from the moment it is imported. Nothing of that is the business of a memory.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it keeps what the longest text took, for no less CPU
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    if _saturates():
        options.add_session_config_entry("session.x64quantprecision", "1")
    options.log_severity_level = 3  # errors; what it warns of is no news to a user
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _saturates(cpu: Path = Path("/proc/cpuinfo"), machine: str = "") -> bool:
    """Whether this processor's sums of int8 products can overflow: an x86 that is not known to have
    VNNI. It is told to take its time then, about twice as long."""
    if (machine or platform.machine()).lower() not in ("x86_64", "amd64"):
        return False
    try:
        return "vnni" not in cpu.read_text("ascii", "replace")
    except OSError:
        return True
