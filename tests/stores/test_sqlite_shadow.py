"""The contract suite of the shadow, on SQLite in a file and in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from remanent.stores.sqlite import SqliteStores, open_stores
from remanent_conformance import ShadowContract
from remanent_conformance.builders import MOMENT
from remanent_conformance.index import DIMENSIONS
from remanent_conformance.shadow import Sides

pytestmark = pytest.mark.quick


class TestShadow(ShadowContract):
    @pytest.fixture(params=["file", "memory"])
    def new_sides(
        self, request: pytest.FixtureRequest, tmp_path: Path
    ) -> Iterator[Callable[[], Sides]]:
        numbers = count()
        opened: list[SqliteStores] = []

        def new() -> Sides:
            path = ":memory:" if request.param == "memory" else tmp_path / f"{next(numbers)}.db"
            live = open_stores(path, now=MOMENT, embedder_name="hash", dimensions=DIMENSIONS)
            beside, shadow = live.open_shadow(
                mind_name="m", embedder_name="hash", dimensions=DIMENSIONS, now=MOMENT
            )
            opened.extend((live, beside))
            return Sides(live=live, beside=beside, shadow=shadow)

        yield new
        for stores in opened:
            stores.close()
