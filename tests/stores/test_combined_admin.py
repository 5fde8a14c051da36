"""Exports and shadows on every set-up of servers: the contract suites."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import effort
import pytest
import set_ups

from remanent_conformance import ExportContract, ShadowContract
from remanent_conformance.builders import MOMENT
from remanent_conformance.export import DIMENSIONS as CARRIED_DIMENSIONS
from remanent_conformance.index import DIMENSIONS
from remanent_conformance.shadow import Sides

pytestmark = [pytest.mark.server, pytest.mark.slow]

LONG = ("a_long_export",)


@pytest.fixture(autouse=True)
def _in_short(request: pytest.FixtureRequest) -> None:
    if not effort.IS_TORTURE and any(one in request.node.name for one in LONG):
        pytest.skip("part of `make torture`")


@pytest.fixture(scope="module")
def places() -> Iterator[set_ups.Places]:
    made = set_ups.Places()
    yield made
    made.drop()


@pytest.fixture(params=set_ups.BESIDE)
def opened(
    request: pytest.FixtureRequest, places: set_ups.Places
) -> Iterator[Callable[[int], Any]]:
    from remanent.stores.combined import open_stores

    with ExitStack() as ending:

        def new(dimensions: int) -> Any:
            place = ending.enter_context(places.given(request.param))
            stores = open_stores(place, now=MOMENT, embedder_name="hash", dimensions=dimensions)
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
                ending.callback(beside.close)
                ending.callback(shadow.close)
                return Sides(live=live, beside=beside, shadow=shadow)

            yield new
