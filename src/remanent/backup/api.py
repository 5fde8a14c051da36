"""Backup's part of `UserMemory` and `Memory`: export and import of a whole memory, and the way over to
another embedder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.later import later
from remanent.core.ports.embedder import Embedder
from remanent.core.records.admin import Embedding
from remanent.core.records.export import Migrated, MoveProgress
from remanent.core.user_handle import TEAMS, UserHandle, env_verb, verb
from remanent.errors import ConfigError, InvalidInput

if TYPE_CHECKING:
    from remanent.backup import export, migrate
    from remanent.backup import import_memory as importing
    from remanent.backup import reembed as reembedding
else:
    export = later("remanent.backup.export")
    importing = later("remanent.backup.import_memory")
    migrate = later("remanent.backup.migrate")
    reembedding = later("remanent.backup.reembed")

Progress = Callable[[MoveProgress], None]


class ExportApi(UserHandle):
    """Part of `UserMemory`."""

    export = verb(lambda: export.export_user, TEAMS)


class MoveApi:
    """Part of `Memory`."""

    env: Env

    export = env_verb(lambda: export.export_all)
    import_memory = env_verb(lambda: importing.import_memory)

    def migrate(self, to: str | Path, *, progress: Progress | None = None) -> Migrated:
        """Bring the whole memory to another place, as it is, and compare both by digest.

        From the first moment nobody can write to this one any more, and when all is there it stays so:
        open the other. Broken off, run it again: it goes on where it was.
        """
        return migrate.migrate(self.env, to, progress=progress)

    cancel_migration = env_verb(lambda: migrate.cancel_migration)


class ReembedApi:
    """Part of `Memory`."""

    env: Env

    def _adopt(self, env: Env) -> None:
        raise NotImplementedError

    def embedding(self) -> Embedding:
        """Which embedder this memory has, and how far it is on the way to another."""
        state = self.env.stores.reembedding.state()
        return state or Embedding(embedder=self.env.embedder.name)

    def reembed(
        self,
        embedder: Embedder | str,
        *,
        progress: reembedding.Progress | None = None,
        background: bool = False,
    ) -> Embedding:
        """Give every entry a vector of another embedder (or its name), then switch to it at once.

        Search goes on with the old vectors meanwhile; what is broken off is gone on with. In the
        `background` it is only promised, by name: `work` does it, and switches. The graph stays as it
        is; `rebuild` with another embedder derives it anew.
        """
        hand = embedder
        if isinstance(hand, str):
            hand = self.env.adapters.embedder(self.env, hand)
        elif background:
            raise InvalidInput("embedder", "in the background it has to be a name")
        if hand.name == self.env.embedder.name:
            self.env.stores.reembedding.begin(None)
            return self.embedding()
        if background:
            return self._promised(hand)
        metered = self.env.adapters.metered(self.env, hand)
        reembedding.reembed_and_switch(replace(self.env, embedder=metered), progress)
        self._adopt(self.env.adapters.with_embedder(self.env, hand))
        return self.embedding()

    def stop_reembedding(self) -> bool:
        """Stay with the embedder in use; False if no other was to come."""
        return self.env.stores.reembedding.begin(None)

    def _promised(self, hand: Embedder) -> Embedding:
        if not reembedding.promise_reembedding(self.env, hand):
            raise InvalidInput(
                "background", "there is nobody here yet whose memory could be embedded"
            )
        return self.embedding()

    def _keep_up(self) -> None:
        """Switch if all is there, and go on with the embedder that the memory has by now."""
        env, renewal = self.env, self.env.stores.reembedding
        state = renewal.state()
        if state is not None and state.towards is not None and renewal.switch():
            state = renewal.state()
        if state is None or state.embedder in ("", env.embedder.name):
            return
        try:
            hand = env.adapters.embedder(env, state.embedder)
        except ConfigError:  # whoever brought it has it; we are told at the next search
            return
        self._adopt(env.adapters.with_embedder(env, hand))
