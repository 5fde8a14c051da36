"""Reembedding: a memory goes over to another embedder, while it is searched with the one it has."""

from __future__ import annotations

from remanent.backup.reembed import Progress, reembed_job
from remanent.core.ports.embedder import Embedder
from remanent.core.records.embedding import Embedding
from remanent.errors import ConfigError, InvalidInput
from remanent.wiring import House, with_hand
from remanent.wiring_embedders import embedder_of, metered, reembed_of


class Reembedding:
    """Part of `Memory`."""

    _house: House

    def _adopt(self, house: House) -> None:
        raise NotImplementedError

    def embedding(self) -> Embedding:
        """Which embedder this memory has, and how far it is on the way to another."""
        state = self._house.stores.renewal.state()
        return state or Embedding(embedder=self._house.embedder.name)

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
            hand = embedder_of(hand, self._house.config)
        elif background:
            raise InvalidInput("embedder", "in the background it has to be a name")
        if hand.name == self._house.embedder.name:
            self._house.stores.renewal.give_up()
            return self.embedding()
        if background:
            return self._promised(hand)
        reembed = reembed_of(self._house.stores, metered(hand, self._house.meter))
        reembed(progress)
        while not reembed.renewal.switch():
            reembed(progress)  # somebody wrote meanwhile
        self._adopt(with_hand(self._house, hand))
        return self.embedding()

    def stop_reembedding(self) -> bool:
        """Stay with the embedder in use; False if no other was to come."""
        return self._house.stores.renewal.give_up()

    def _promised(self, hand: Embedder) -> Embedding:
        house = self._house
        users = house.registry.users()
        if not users:
            raise InvalidInput(
                "background", "there is nobody here yet whose memory could be embedded"
            )
        with house.stores.atomic(durable=True):
            house.stores.renewal.aim(hand.name, hand.dimensions)
            house.queue.enqueue(reembed_job(users[0].user_id, hand.name, house.clock.now()))
        return self.embedding()

    def _keep_up(self) -> None:
        """Switch if all is there, and go on with the embedder that the memory has by now."""
        house, renewal = self._house, self._house.stores.renewal
        state = renewal.state()
        if state is not None and state.towards is not None and renewal.switch():
            state = renewal.state()
        if state is None or state.embedder in ("", house.embedder.name):
            return
        try:
            hand = embedder_of(state.embedder, house.config)
        except ConfigError:  # whoever brought it has it; we are told at the next search
            return
        self._adopt(with_hand(house, hand))
