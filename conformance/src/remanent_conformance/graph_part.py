"""What all parts of the graph's suite start from."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from remanent.core.ports.graph import Graph


class GraphPart:
    """Part of `GraphContract`."""

    @pytest.fixture
    def new_graph(self) -> Callable[[], Graph]:
        raise NotImplementedError("a function that makes an empty graph")

    @pytest.fixture
    def graph(self, new_graph: Callable[[], Graph]) -> Graph:
        return new_graph()
