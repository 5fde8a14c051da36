"""Rebuilding: a memory derived once more, to be looked at, and then switched to or thrown away."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from remanent.backup.rebuild import Replay
from remanent.clock import stopwatch
from remanent.core.env import Env
from remanent.core.records.admin import Comparison, Replayed
from remanent.errors import StoreError

Progress = Callable[[Replayed], None]

SAMPLES = 20  # examples of each way in which things of a sort differ
_FEW = 100  # events that may be left for when all others wait


class Rebuilt:
    """The graph as it comes out of the ledger now, beside the one in use, and what differs.

    Nothing changes for anyone until `switch`. Without it the work is kept beside the memory, and the
    next `rebuild` with the same mind and embedder goes on from there; `discard` throws it away.
    """

    def __init__(self, env: Env, second: Env, replay: Replay, adopt: Callable[[Env], None]) -> None:
        self.mind = second.mind.name
        self.embedder = second.embedder.name
        self.events = 0  # lived through by this call; what was done before is not done again
        self.seconds = 0.0
        self.comparison = Comparison()
        self.is_open = True
        self.is_switched = False
        self.env = env
        self._second = second
        self._replay = replay
        self._adopt = adopt

    @property
    def changes_anything(self) -> bool:
        """Whether a switch would: something differs, or the mind or embedder is another."""
        same = (self.mind, self.embedder) == (self.env.mind.name, self.env.embedder.name)
        return not (same and self.comparison.is_same)

    def refresh(self, progress: Progress | None = None) -> Comparison:
        """Live through what has happened since, and compare again."""
        self._insist_open()
        begun = stopwatch()
        self.events += self._replay(progress)
        self.comparison = self._replay.shadow.compare(SAMPLES)
        self.seconds += stopwatch() - begun
        return self.comparison

    def switch(self) -> None:
        """Put the new graph in the place of the old one, in one transaction, with all that was written
        up to now; lives and dates of what did not change are kept."""
        self._insist_open()
        while self._replay() > _FEW:
            pass
        self._replay.shadow.switch(self._catch_up)
        self.is_switched = True
        self._end()
        same = self._second.mind is self.env.mind
        if not same or self._second.embedder is not self.env.embedder:
            self._adopt(self.env.adapters.adopted(self.env, self._second))

    def discard(self) -> None:
        """Throw the new graph away; nothing of it is left."""
        self._insist_open()
        self._replay.shadow.discard()
        self._end()

    def close(self) -> None:
        """Let go of the new graph; the next `rebuild` finds it where it was left."""
        if self.is_open:
            self._replay.shadow.close()
            self._end()

    def _catch_up(self) -> None:
        self.events += self._replay.catch_up()

    def _end(self) -> None:
        self.is_open = False
        self._second.stores.close()

    def _insist_open(self) -> None:
        if not self.is_open:
            raise StoreError(self.env.config.memory, "this rebuild has ended; begin another")

    def __enter__(self) -> Rebuilt:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
