"""Addresses of Neo4j, and what its errors are called among our own."""

from __future__ import annotations

import pytest

from remanent.errors import (
    BusyMemory,
    ConfigError,
    DiskFull,
    InvalidInput,
    ReadOnlyMemory,
    StoreError,
    UnreachableMemory,
)

pytest.importorskip("neo4j")

from remanent.stores.neo4j.connection import Address, fault, translated_errors
from remanent.stores.neo4j.database import Neo4jDatabase


def test_no_password_is_shown() -> None:
    address = Address("neo4j://ada:s%20ecret@graph.example.com:7687/memories")

    assert address.shown == "neo4j://graph.example.com:7687/memories"
    assert address.database == "memories"


@pytest.mark.parametrize("url", ["http://graph.example.com", "neo4j://", "graph.example.com"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="memory"):
        Address(url)


@pytest.mark.parametrize(
    ("code", "words", "ours"),
    [
        ("Neo.TransientError.Transaction.DeadlockDetected", "", BusyMemory),
        ("Neo.TransientError.General.DatabaseUnavailable", "", UnreachableMemory),
        ("Neo.ClientError.Security.Unauthorized", "", UnreachableMemory),
        ("Neo.ClientError.Database.DatabaseNotFound", "", UnreachableMemory),
        ("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", "", ReadOnlyMemory),
        ("Neo.DatabaseError.General.UnknownError", "No space left on device", DiskFull),
        ("Neo.DatabaseError.Transaction.TransactionLogError", "Could not append", DiskFull),
        ("Neo.DatabaseError.Transaction.TransactionStartFailed", "restart", UnreachableMemory),
        ("Neo.DatabaseError.General.UnknownError", "something", StoreError),
    ],
)
def test_each_error_is_one_of_ours(code: str, words: str, ours: type[StoreError]) -> None:
    assert type(fault("there", code, words)) is ours


def test_a_character_that_is_none_is_named() -> None:
    with pytest.raises(InvalidInput, match="text"), translated_errors("there"):
        "\ud800".encode()


def test_a_server_that_is_not_there_is_said_so() -> None:
    database = Neo4jDatabase("bolt://127.0.0.1:1", "nobody")

    with pytest.raises(UnreachableMemory, match="cannot be reached"):
        database.meta("embedder")
    database.close()
