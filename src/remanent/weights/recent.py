"""Where the weights lie, and what was lately made with them: for whoever does not load them yet."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from remanent.core.recent import Recent

FOLDER = Path(__file__).parent
_Made = TypeVar("_Made")


class RecentTexts(Recent[bytes, _Made]):
    """What was made of recent texts, by the digest of each: no word of theirs is kept."""

    def __init__(self, most: int = 4096) -> None:
        super().__init__(most)

    def of(self, text: str, make: Callable[[], _Made]) -> _Made:
        """What `make` made of this text, or makes now."""
        key = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
        return self.made(key, make)
