"""Serving: what a server asks of a memory, beyond the verbs it passes on."""

from __future__ import annotations

from remanent.core.records.health import Diagnosis, Finding, Level
from remanent.errors import EmbedderError
from remanent.jobs.idempotency import Once
from remanent.wiring import House
from remanent.wiring_spending import chat_of


class Serving:
    """Part of `Memory`."""

    _house: House

    @property
    def once(self) -> Once:
        """For servers: does a request that its caller has named once, however often it comes."""
        return self._house.once

    def warm_up(self) -> None:
        """Load the weights that work on this machine now, so that nobody waits for them later."""
        house = self._house
        if house.embedder.is_local:
            house.embedder.embed(["one"])
        if chat_of(house.mind) is None:
            house.mind.believe("I like tea.", owner_names=())

    def ready(self) -> Diagnosis:
        """Whether a request could be answered now: the file, its schema and the embedder's weights.

        A quick look; `doctor` looks closely. An embedder elsewhere is not asked.
        """
        house = self._house
        schema, newest = house.stores.vitals.schema()
        told = f"schema {schema} of {newest}"
        file = Finding(part="file", level=Level.OK if schema == newest else Level.FAIL, told=told)
        return Diagnosis(findings=(file, self._weights()))

    def _weights(self) -> Finding:
        embedder = self._house.embedder
        try:
            if embedder.is_local:
                embedder.embed(["one"])
        except EmbedderError as problem:
            return Finding(part="embedder", level=Level.FAIL, told=str(problem))
        return Finding(part="embedder", level=Level.OK, told=embedder.name)
