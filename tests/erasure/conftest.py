"""Where a memory is from which something is erased; what never had it is always in this process."""

from __future__ import annotations

from collections.abc import Iterator

import on_postgres
import pytest

ON_SERVER = pytest.param("postgresql", marks=[pytest.mark.server, pytest.mark.slow])


@pytest.fixture(scope="session")
def schemas() -> Iterator[on_postgres.Schemas]:
    made = on_postgres.Schemas()
    yield made
    made.drop()


@pytest.fixture(params=[":memory:", ON_SERVER])
def place(request: pytest.FixtureRequest, schemas: on_postgres.Schemas) -> Iterator[str]:
    if request.param == ":memory:":
        yield request.param
        return
    with schemas.given() as url:
        yield url
