"""Erasing: what goes for good, from every store, and the paper about it; and undoing: what one source caused
is taken back, or read once more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from remanent.core.checks import identifier
from remanent.core.env import Env
from remanent.core.later import later
from remanent.core.model.codec import from_record
from remanent.core.model.source import ProcessingStatus, Source
from remanent.core.read import resolve
from remanent.core.records.admin import Erased, Stage
from remanent.core.user_handle import TEAMS, UserHandle, verb
from remanent.erasure.model import Undone
from remanent.teams.consents import SharedSource

if TYPE_CHECKING:
    from remanent.backup.rebuild import Rebuilt
    from remanent.erasure import erase, hide, rules, undo, user
    from remanent.events import enrich
    from remanent.ingest import extract, process
else:
    erase = later("remanent.erasure.erase")
    hide = later("remanent.erasure.hide")
    rules = later("remanent.erasure.rules")
    undo = later("remanent.erasure.undo")
    user = later("remanent.erasure.user")
    enrich = later("remanent.events.enrich")
    extract = later("remanent.ingest.extract")
    process = later("remanent.ingest.process")

Progress = Callable[[Stage], None]


class ErasureApi(UserHandle):
    """The verb that takes something of this user's away for good."""

    erase = verb(lambda: erase.erase_key)


class UserErasureApi:
    """The same for a whole memory: users, and the papers."""

    env: Env
    _rebuilt: Rebuilt | None

    def erase_user(
        self, user_id: str, *, dry_run: bool = False, progress: Progress | None = None
    ) -> Erased:
        """Erase a user with all of theirs: graph, ledger, sources and what others have of them, answers,
        spending, profile, memberships, keys. No byte of it is left in the file."""
        identifier("user", user_id)
        if self._rebuilt is not None:
            self._rebuilt.close()
        return user.erase_user(self.env, user_id, dry_run=dry_run, progress=progress)

    def verify_erasure(self, certificate: Erased | Mapping[str, Any]) -> bool:
        """Whether this memory signed just that paper; as `erase` gave it, or as JSON."""
        if not isinstance(certificate, Erased):
            try:
                certificate = from_record(Erased, certificate)
            except (TypeError, ValueError, KeyError):
                return False
        return rules.is_genuine(certificate, self.env.secret())


class UndoApi(UserHandle):
    """The verbs that take a source's traces away and bring them back."""

    def undo(self, source_key: str, *, dry_run: bool = False) -> Undone:
        """Take back all that one source caused here, and what depended on it. The source stays,
        readable, and is not read again unless asked; `source_key` may be the beginning of one."""
        key = resolve(self.env, self.scope, source_key)
        return undo.undo_source(self.env, self._full_scope, key, dry_run=dry_run)

    def redo(self, source_key: str) -> None:
        """Read a source again, as if it had just come in: one that was undone, or any other. One whose
        processing was cancelled goes on where it was."""
        key = resolve(self.env, self.scope, source_key)
        hide.insist_drawable(self.env, self._full_scope, key)
        source = self.env.graph.get(self._full_scope, key)
        if isinstance(source, Source) and source.processing_status is ProcessingStatus.RAW:
            process.process_source(self.env, self._full_scope, key)
            return
        extract.extract_source(self.env, self._full_scope, key, again=True)
        enrich.backfill_references(self.env, self._full_scope, key)

    def hide(self, source_key: str) -> SharedSource:
        """Take somebody else's source out of this user's memory, with all that came of it, until
        `unhide`: it is not found, not read and not adopted. Nobody else notices."""
        return hide.hide_source(self.env, self._full_scope, source_key, seen=self._team_scope)

    unhide = verb(lambda: hide.show_source, TEAMS)
    hidden = verb(lambda: hide.hidden_sources)
