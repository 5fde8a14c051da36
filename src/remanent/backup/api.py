"""Exporting: a memory written down whole, and taken in elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from remanent.backup.export import Progress, export_all, export_user
from remanent.backup.import_memory import import_memory
from remanent.core.env import Env
from remanent.core.records.export import Exported, Imported
from remanent.core.user_handle import UserHandle


class ExportApi(UserHandle):
    """Part of `UserMemory`."""

    def export(
        self,
        path: str | Path | TextIO,
        *,
        progress: Progress | None = None,
        with_answers: bool = True,
    ) -> Exported:
        """Write all that this user owns to a file or stream of JSON lines, as it is at one moment.

        `Memory.import_memory` takes it in elsewhere. A name that ends in .gz is compressed. Without
        answers, what a paid mind answered and cost is left out. Sources of others are not in it.
        """
        return export_user(self.env, self._standing, path, progress=progress, answers=with_answers)


class MoveApi:
    """Part of `Memory`."""

    env: Env

    def export(
        self,
        path: str | Path | TextIO,
        *,
        progress: Progress | None = None,
        with_answers: bool = True,
    ) -> Exported:
        """As `UserMemory.export`, for all users together, with teams and memberships."""
        return export_all(self.env, path, progress=progress, answers=with_answers)

    def import_memory(
        self,
        path: str | Path | TextIO,
        *,
        progress: Progress | None = None,
        dry_run: bool = False,
    ) -> Imported:
        """Take in what `export` wrote: all of it in one transaction, or nothing.

        None of its users or teams may be here; a file that is here already, unchanged, is left alone.
        One line that is not as it should be, and nothing comes in.
        """
        return import_memory(self.env, path, progress=progress, dry_run=dry_run)
