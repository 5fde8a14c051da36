"""The keyring: API keys, by the hash of their secret."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from remanent.core.records.api_key import ApiKey


class ApiKeys(Protocol):
    def put_key(self, key: ApiKey, digest: str) -> None:
        """Keep a new key with the hash of its secret; one of that id stays as it is."""
        ...

    def key(self, key_id: str) -> tuple[ApiKey, str] | None:
        """The key of that id, and the hash of its secret."""
        ...

    def keys(self) -> list[ApiKey]:
        """All keys ever made, revoked ones as well, oldest first."""
        ...

    def revoke(self, key_id: str, at: datetime) -> None:
        """Make a key worth nothing from then on; the first time stands."""
        ...

    def used(self, key_id: str, at: datetime) -> None:
        """Note when the key was last used."""
        ...
