"""Shelves in blocks of bytes: what was once read row by row is taken up at a stroke the next time.

A block is a checksum and arrays, as numpy writes them; the first is a text, JSON, with the names of what has
numbers in the others.
"""

from __future__ import annotations

import io
import json
import math
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from remanent.core.dataclasses import replace
from remanent.core.model.node import Kind
from remanent.stores.engine.planes import Chunk, Planes
from remanent.stores.engine.postings import ABOUT, Numbered, Runs
from remanent.stores.engine.vectors import LABELLED, VectorMatrix

Block = dict[str, Any]
LEAST: Final = 2048  # rows that are worth a block
_MOST: Final = 4096  # of a block: a change to one of them costs them all
_FORM: Final = f"2 {ABOUT} {LABELLED} {list(Kind)}"  # in which kinds have the numbers of these


def packed(shelf: VectorMatrix, start: int, whose: str) -> Iterator[tuple[list[int], bytes]]:
    """The rows from this one on, of which none may be dead: of each block the ids, and what it holds."""
    for first in range(start, shelf.count, _MOST):
        ids = shelf.labels["id"][first : first + _MOST]
        data = _bytes(shelf.select(ids))
        yield ids.tolist(), _checksum(whose, ids, data) + data


def _bytes(shelf: VectorMatrix) -> bytes:
    """A whole shelf, which is small."""
    runs = Runs.joined(shelf.postings.runs)
    rows, planes = Chunk.joined([Chunk(np.arange(shelf.count), shelf.planes), *shelf.pieces.chunks])
    labels, about = shelf.labels.copy(), shelf.postings.about.copy()
    told = {"keys": shelf.keys, "words": _names(shelf.postings.numbers, runs.words)}
    for name, known, column in _numbered(shelf, labels, about):
        numbers, column[:] = np.unique(column, return_inverse=True)
        told[name] = _names(known, numbers)
    arrays: Block = {"labels": labels, "about": about, "rows": rows, **planes._asdict()}
    arrays |= {"starts": runs.starts, "having": runs.rows.astype(np.uint16), "counts": runs.counts}
    text = json.dumps(told | {"arrays": list(arrays)}, ensure_ascii=False).encode()
    file = io.BytesIO()
    for array in (np.frombuffer(text, dtype=np.uint8), *arrays.values()):
        np.save(file, array)
    return file.getvalue()


def _checksum(whose: str, ids: NDArray[np.int64], data: bytes | memoryview) -> bytes:
    """Of a block with all that it must be to be taken up."""
    told = zlib.crc32(ids.tobytes(), zlib.crc32(f"{_FORM} {whose}".encode()))
    return zlib.crc32(data, told).to_bytes(4, "little")


def _numbered(
    shelf: VectorMatrix, labels: NDArray[Any], about: NDArray[Any]
) -> list[tuple[str, Numbered, NDArray[np.int32]]]:
    """What has numbers instead of names, in this shelf and in these columns."""
    return [
        ("owners", shelf.owners, labels["owner"]),
        ("teams", shelf.teams, labels["team"]),
        ("threads", shelf.postings.threads, about["thread"]),
        ("speakers", shelf.postings.speakers, about["speaker"]),
    ]


def _names(known: Numbered, numbers: NDArray[Any]) -> list[Any]:
    return [known.names[number] for number in numbers.tolist()]


def opened(data: bytes, whose: str, ids: NDArray[np.int64]) -> Block | None:
    """What a block holds; None if it is damaged, of another form, or not of that reader and these rows."""
    if data[:4] != _checksum(whose, ids, memoryview(data)[4:]):
        return None
    arrays = _arrays(data, 4)
    block: Block = json.loads(next(arrays).tobytes())
    return block | dict(zip(block["arrays"], arrays, strict=True))


def _arrays(data: bytes, at: int) -> Iterator[NDArray[Any]]:
    """Those from this byte on, where they lie: a copy of each would leave holes in memory."""
    file = io.BytesIO(data)
    while at < len(data):
        file.seek(at)
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        array = np.frombuffer(data, dtype, math.prod(shape), file.tell())
        at = file.tell() + array.nbytes
        yield array.reshape(shape)


def unpacked(blocks: Iterable[Block], shelf: VectorMatrix) -> VectorMatrix:
    """An empty shelf with these blocks on it, for which it has room."""
    postings, pieces, room = shelf.postings, shelf.pieces, len(shelf.planes.scale)
    labels, about = np.empty(room, dtype=LABELLED), np.empty(room, dtype=ABOUT)
    runs, begins = list[Runs](), list[int]()
    for block in blocks:
        start, count = len(shelf.keys), len(block["keys"])
        shelf.keys.extend(block["keys"])
        planes = Planes(*(block[name] for name in Planes._fields))
        shelf.planes.put(start, planes.select(slice(count)))
        parts = planes.select(np.arange(count, len(planes.scale)))
        pieces = pieces.joined(Chunk(block["rows"][count:] + start, parts))
        words, names = postings.numbers.of(block["words"]), ("starts", "having", "counts")
        runs.append(Runs(words, *(block[name].copy() for name in names)))
        begins.append(start)
        here = slice(start, start + count)
        labels[here], about[here] = block["labels"], block["about"]
        for name, known, column in _numbered(shelf, labels[here], about[here]):
            column[:] = known.of(block[name])[column]
        del block, planes  # that memory is for the next one
    count = len(shelf.keys)
    joined = (Runs.joined(runs, begins),) if runs else ()
    postings = replace(postings, about=about[:count], runs=joined)
    return replace(shelf, count=count, labels=labels[:count], postings=postings, pieces=pieces)
