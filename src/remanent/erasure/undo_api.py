"""Undoing: what one source caused is taken back, or read once more."""

from __future__ import annotations

from remanent.erasure.model import Undone
from remanent.user_handle import Handle


class Undoing(Handle):
    """The verbs that take a source's traces away and bring them back."""

    def undo(self, source_key: str, *, dry_run: bool = False) -> Undone:
        """Take back all that one source caused here, and what depended on it. The source stays,
        readable, and is not read again unless asked; `source_key` may be the beginning of one."""
        key = self._house.read.resolve(self._scope, source_key)
        return self._house.undo(self._whole, key, dry_run=dry_run)

    def redo(self, source_key: str) -> None:
        """Read a source again, as if it had just come in: one that was undone, or any other."""
        key = self._house.read.resolve(self._scope, source_key)
        self._house.extract(self._whole, key, again=True)
        self._house.chronicle.refer(self._whole, key)
