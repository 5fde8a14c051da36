"""Passwords of servers are in no message."""

from __future__ import annotations

import pytest

from remanent import errors
from remanent.errors import without_password

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ada:hunter2@db:5432/memory", "postgresql://ada@db:5432/memory"),
        ("postgresql://ada:a@b:c/d@db/memory", "postgresql://ada@db/memory"),
        ("postgresql://:hunter2@db/memory", "postgresql://@db/memory"),
        (
            "postgresql://db/m?password=hunter2&sslmode=require",
            "postgresql://db/m?password=***&sslmode=require",
        ),
        ("postgresql://ada@db:5432/memory?schema=x", "postgresql://ada@db:5432/memory?schema=x"),
        ("/home/ada/memory.db", "/home/ada/memory.db"),
    ],
)
def test_a_place_is_shown_without_its_password(url: str, shown: str) -> None:
    assert without_password(url) == shown
    for kind in (errors.StoreError, errors.UnreachableMemory, errors.ReadOnlyMemory):
        told = kind(url, f"no answer from {url}")
        assert str(told) == f"{shown}: no answer from {shown}"
        assert told.path == shown
