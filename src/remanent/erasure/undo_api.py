"""Undoing: what one source caused is taken back, or read once more."""

from __future__ import annotations

from remanent.core.read import resolve
from remanent.core.user_handle import UserHandle
from remanent.erasure.model import Undone
from remanent.erasure.undo import undo_source
from remanent.events.backfill_references import backfill_references
from remanent.ingest.extract import extract_source


class UndoApi(UserHandle):
    """The verbs that take a source's traces away and bring them back."""

    def undo(self, source_key: str, *, dry_run: bool = False) -> Undone:
        """Take back all that one source caused here, and what depended on it. The source stays,
        readable, and is not read again unless asked; `source_key` may be the beginning of one."""
        key = resolve(self.env, self.scope, source_key)
        return undo_source(self.env, self._whole, key, dry_run=dry_run)

    def redo(self, source_key: str) -> None:
        """Read a source again, as if it had just come in: one that was undone, or any other."""
        key = resolve(self.env, self.scope, source_key)
        extract_source(self.env, self._whole, key, again=True)
        backfill_references(self.env, self._whole, key)
