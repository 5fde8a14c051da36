"""The product of a matrix of bytes: the graph that the package carries is the one that is written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from remanent.stores.engine import planes

pytestmark = pytest.mark.quick


def graph() -> bytes:
    """Of one node, which multiplies rows of bytes with a few columns, as protocol buffers write it."""
    inputs = _tensor("rows", 2, "n", "d") + _tensor("columns", 3, "d", "q")
    node = _field(1, "rows") + _field(1, "columns") + _field(2, "sums") + _field(4, "MatMulInteger")
    graph = _field(1, node) + _field(2, "product") + inputs + _tensor("sums", 6, "n", "q", place=12)
    return _field(1, 8) + _field(7, graph) + _field(8, _field(2, 17))


def _tensor(name: str, type_: int, *shape: str, place: int = 11) -> bytes:
    sizes = b"".join(_field(1, _field(2, size)) for size in shape)
    return _field(
        place, _field(1, name) + _field(2, _field(1, _field(1, type_) + _field(2, sizes)))
    )


def _field(number: int, value: int | str | bytes) -> bytes:
    """A field of a message as protocol buffers write it; ours are of less than 2^14 bytes."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    content = value.encode() if isinstance(value, str) else value
    size = len(content)
    told = [size] if size < 1 << 7 else [size & 127 | 128, size >> 7]
    return bytes([number << 3 | 2, *told]) + content


def test_the_graph_in_the_package_is_this_one() -> None:
    assert Path(planes.__file__).with_name("product.onnx").read_bytes() == graph()
