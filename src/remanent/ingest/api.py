"""Ingestion as part of `UserMemory`: sources, files, artifacts, what a conversation leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remanent.core.checks import limited, plain
from remanent.core.dataclasses import replace
from remanent.core.later import later
from remanent.core.model.anchor import Anchor
from remanent.core.read import resolve
from remanent.core.user_handle import WHOLE, UserHandle, takes_fields_of, verb
from remanent.errors import InvalidInput
from remanent.ingest.model import Bond, Corrected, CorrectionRequest, StandingCorrection
from remanent.ingest.rules.dedupe import ImportProgress, ImportReport, Learned
from remanent.ingest.rules.request import AddRequest

if TYPE_CHECKING:
    from remanent.ingest import (
        add,
        artifacts,
        consolidate,
        correct,
        import_files,
        merge_anchors,
        shared,
    )
    from remanent.teams import audit, teams
else:
    add = later("remanent.ingest.add")
    artifacts = later("remanent.ingest.artifacts")
    consolidate = later("remanent.ingest.consolidate")
    correct = later("remanent.ingest.correct")
    import_files = later("remanent.ingest.import_files")
    merge_anchors = later("remanent.ingest.merge_anchors")
    shared = later("remanent.ingest.shared")
    audit = later("remanent.teams.audit")
    teams = later("remanent.teams.teams")


class IngestApi(UserHandle):
    """What comes in, and under whom it is filed."""

    @takes_fields_of(AddRequest)
    def add(self, request: AddRequest) -> str:
        """Take in one source; it is on the disk when its key comes back.

        `content` is text, turns `{speaker, text, at, id}`, or a raw record. `type` is conversation,
        voice-memo, meeting, email, slack-thread or text-note (default: text is a note, turns are a
        conversation). `shared`: with the primary team. The same `origin_id`, or the same content, is one source: its key comes back.
        """
        scope = self._write_scope
        if request.shared:
            team = teams.primary_team(self.env, scope, request.team)
            request = replace(request, team=team, shared=False)
        with audit.audited(self.env, scope, "source.add", team_id=request.team):
            return add.add_source(self.env, scope, request)

    def import_file(
        self,
        path: str | Path,
        as_: str | None = None,
        *,
        dry_run: bool = False,
        progress: Callable[[ImportProgress], None] | None = None,
        only: Collection[str] | None = None,
    ) -> ImportReport:
        """Take in all that an export, a mailbox or a folder holds; what is known already is left alone.

        `as_` names the format where it cannot be told from the file; `only` names the files of a folder of
        notes, mail, transcripts or lines that are to be read. A dry run writes nothing.
        """
        scope, clock = self._write_scope, self.env.clock
        items = import_files.found_in(
            Path(path), as_, zone=self.profile.timezone, clock=clock, only=only
        )
        return import_files.import_items(self.env, scope, items, dry_run=dry_run, progress=progress)

    def learned(self, sources: Sequence[str]) -> Learned:
        """What is known from these sources: how many people, concepts, entities, beliefs and
        relationships, and how many of the sources were read by now."""
        if isinstance(sources, str):
            raise InvalidInput("sources", "must be a list of keys")
        return import_files.learned_from(
            self.env, self.scope, [plain("sources", one) for one in sources]
        )

    def merge(self, key: str, into: str) -> Anchor:
        """File all that is known of one anchor under another of its kind; `split` takes it back."""
        one, other = (resolve(self.env, self.scope, name) for name in (key, into))
        return merge_anchors.merge_anchors(self.env, self._full_scope, one, other)

    def split(self, key: str) -> Anchor:
        """Make an anchor that was merged into another its own again."""
        anchor_key = resolve(self.env, self.scope, key)
        return merge_anchors.split_anchor(self.env, self._full_scope, anchor_key)

    def correct(
        self,
        key: str,
        field: str,
        value: object = None,
        *,
        was: str | None = None,
        lifetime: str | None = None,
        expires_at: datetime | None = None,
    ) -> Corrected:
        """Put one field of a memory or relationship right by hand: no inference overwrites it.

        `key` is a key, the beginning of one, or the name of an anchor. A `note` or an `alias` is added;
        with `was` it takes the place of the one that says, or begins, so, which without a `value` goes.
        A note stays unless a `lifetime` (week, month, year, forever) or `expires_at` is given. Of a
        relationship, `until` without a value opens it again.
        """
        request = CorrectionRequest(
            field=field, value=value, was=was, lifetime=lifetime, expires_at=expires_at
        )
        scope = self._write_scope
        with audit.audited(self.env, scope, "memory.correct"):
            return correct.correct(self.env, scope, key, request)

    @takes_fields_of(Bond)
    def relate(self, bond: Bond) -> Corrected:
        """Say by hand how two anchors, by key or name, stand to each other, from `since` (default: now) on.

        Where a relationship of that type between them is open already, it is put right.
        """
        scope = self._write_scope
        with audit.audited(self.env, scope, "memory.correct"):
            return correct.relate(self.env, scope, bond)

    def corrections(self, key: str | None = None, *, limit: int = 100) -> list[StandingCorrection]:
        """What was put right by hand and stands, everywhere or in one memory; newest first."""
        return correct.list_corrections(self.env, self._write_scope, key)[: limited(limit)]

    def undo_correction(self, correction_id: str) -> Corrected:
        """Take a correction back: what was put right before it, or is inferred, holds again."""
        scope = self._write_scope
        with audit.audited(self.env, scope, "memory.correct"):
            return correct.undo_correction(self.env, scope, correction_id)

    def produce(
        self,
        source_key: str,
        name: str,
        output: str | Mapping[str, Any] | Sequence[Any],
        *,
        content_type: str = "md_file",
        description: str = "",
        sensitivity: str = "normal",
    ) -> str:
        """Keep something that was made from a source, a text or a JSON value, linked to it; the artifact's key."""
        product = artifacts.Product(
            name=name,
            output=output,
            content_type=content_type,
            description=description,
            sensitivity=sensitivity,
        )
        key = resolve(self.env, self.scope, source_key)
        return artifacts.store_artifact(self.env, self._full_scope, key, product)

    def adopt(self, team: str) -> int:
        """Promise the extraction, for this user, of every source of a team; how many are new.

        Without it a team's source is extracted when this user first reads it or a search finds it.
        """
        scope = self._write_scope
        with audit.audited(self.env, scope, "team.adopt", team_id=team):
            return shared.adopt_team(self.env, scope, team)

    consolidate = verb(lambda: consolidate.consolidate_talk, WHOLE)
