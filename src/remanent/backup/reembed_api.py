"""Reembedding: a memory goes over to another embedder, while it is searched with the one it has."""

from __future__ import annotations

from dataclasses import replace

from remanent.backup.reembed import Progress, reembed_and_switch, reembed_job
from remanent.core.env import Env
from remanent.core.ports.embedder import Embedder
from remanent.core.records.admin import Embedding
from remanent.errors import ConfigError, InvalidInput


class ReembedApi:
    """Part of `Memory`."""

    env: Env

    def _adopt(self, env: Env) -> None:
        raise NotImplementedError

    def embedding(self) -> Embedding:
        """Which embedder this memory has, and how far it is on the way to another."""
        state = self.env.stores.renewal.state()
        return state or Embedding(embedder=self.env.embedder.name)

    def reembed(
        self,
        embedder: Embedder | str,
        *,
        progress: Progress | None = None,
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
            self.env.stores.renewal.give_up()
            return self.embedding()
        if background:
            return self._promised(hand)
        metered = self.env.adapters.metered(self.env, hand)
        reembed_and_switch(replace(self.env, embedder=metered), progress)
        self._adopt(self.env.adapters.with_embedder(self.env, hand))
        return self.embedding()

    def stop_reembedding(self) -> bool:
        """Stay with the embedder in use; False if no other was to come."""
        return self.env.stores.renewal.give_up()

    def _promised(self, hand: Embedder) -> Embedding:
        env = self.env
        users = env.registry.users()
        if not users:
            raise InvalidInput(
                "background", "there is nobody here yet whose memory could be embedded"
            )
        with env.stores.atomic(durable=True):
            env.stores.renewal.aim(hand.name, hand.dimensions)
            env.queue.enqueue(reembed_job(users[0].user_id, hand.name, env.clock.now()))
        return self.embedding()

    def _keep_up(self) -> None:
        """Switch if all is there, and go on with the embedder that the memory has by now."""
        env, renewal = self.env, self.env.stores.renewal
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
