"""The contract suites of the shadow and of the export, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import on_postgres
import pytest

from remanent_conformance import ExportContract, ShadowContract
from remanent_conformance.builders import MOMENT
from remanent_conformance.export import DIMENSIONS as CARRIED_DIMENSIONS
from remanent_conformance.index import DIMENSIONS
from remanent_conformance.shadow import Sides

pytestmark = [pytest.mark.server, pytest.mark.slow]


@pytest.fixture(scope="module")
def schemas() -> Iterator[on_postgres.Schemas]:
    made = on_postgres.Schemas()
    yield made
    made.drop()


@pytest.fixture
def opened(schemas: on_postgres.Schemas) -> Iterator[Callable[[int], Any]]:
    on_postgres.server_url()
    from remanent.stores.postgres import open_stores

    with ExitStack() as ending:

        def new(dimensions: int) -> Any:
            url = ending.enter_context(schemas.given())
            stores = open_stores(url, now=MOMENT, embedder_name="hash", dimensions=dimensions)
            ending.callback(stores.close)
            return stores

        yield new


class TestCarrying(ExportContract):
    @pytest.fixture
    def new_stores(self, opened: Callable[[int], Any]) -> Callable[[], Any]:
        return lambda: opened(CARRIED_DIMENSIONS)


class TestShadow(ShadowContract):
    @pytest.fixture
    def new_sides(self, opened: Callable[[int], Any]) -> Iterator[Callable[[], Sides]]:
        with ExitStack() as ending:

            def new() -> Sides:
                live = opened(DIMENSIONS)
                live.discard_shadow()
                beside, shadow = live.open_shadow(
                    mind_name="m", embedder_name="hash", dimensions=DIMENSIONS, now=MOMENT
                )
                ending.callback(shadow.close)
                return Sides(live=live, beside=beside, shadow=shadow)

            yield new

    def test_who_has_ended_a_rebuild_can_begin_the_next_at_once(
        self, sides: Sides, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The server lets go of a closed connection's lock when it notices; here it never does."""
        from remanent.stores.postgres.connection import PooledConnection

        left: list[PooledConnection] = []
        with monkeypatch.context() as unnoticed:
            unnoticed.setattr(PooledConnection, "close", lambda one: left.append(one))
            sides.shadow.close()

        assert sides.live.discard_shadow()
        for connection in left:
            connection.close()
