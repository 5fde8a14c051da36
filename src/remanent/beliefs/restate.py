"""Restate: the user puts a belief in other words; it stays the same belief."""

from __future__ import annotations

from dataclasses import dataclass

from remanent.beliefs.model import Restating
from remanent.beliefs.query import Believed
from remanent.beliefs.rules import maintenance
from remanent.clock import Clock
from remanent.core import checks
from remanent.core.checks import IntakeRules
from remanent.core.dry_run import trial
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.event import BELIEF_RESTATED, Event
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.new_event import happening, told_at
from remanent.core.on_behalf import embedding, kept_from
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Entry, Index, Vector
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.transaction import Atomic
from remanent.errors import EmbedderError, InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Restate:
    believed: Believed
    graph: Graph
    index: Index
    ledger: Ledger
    embedder: Embedder
    atomic: Atomic
    clock: Clock
    intake: IntakeRules

    def __call__(
        self, scope: Scope, key: str, statement: str, *, dry_run: bool = False
    ) -> Restating:
        """Let the belief of that key, or the one key that begins so, say `statement` from now on."""
        words = checks.statement("statement", statement, self.intake.max_statement_characters)
        whole = self.believed.belief(scope, checks.plain("key", key)).key
        vector = self._vector(scope, whole, words)
        with trial(self.atomic, dry_run=dry_run):
            belief = self._active(scope, whole, key)
            before = belief.statement
            if before == words:
                return Restating(belief=belief, before=before, changed=False, dry_run=dry_run)
            told = {"key": belief.key, "statement": words, "before": before}
            event, _ = self.ledger.append(
                happening(scope.user_id, BELIEF_RESTATED, told, now=self.clock.now())
            )
            restated = self._restated(scope, event, belief, vector)
        return Restating(belief=restated, before=before, dry_run=dry_run)

    def apply(self, scope: Scope, event: Event) -> None:
        """Do what the event tells of once more, if its belief still stands."""
        key, words = str(event.payload["key"]), str(event.payload["statement"])
        vector = self._vector(scope, key, words)
        with self.atomic():
            belief = self.graph.get(scope, key)
            if not isinstance(belief, Belief) or belief.status is not BeliefStatus.ACTIVE:
                return
            if belief.statement != words:
                self._restated(scope, event, belief, vector)

    def _restated(
        self, scope: Scope, event: Event, before: Belief, vector: Vector | None
    ) -> Belief:
        belief = maintenance.restated(before, str(event.payload["statement"]), told_at(event))
        self.graph.put(scope, belief)
        entry = Entry(
            key=belief.key,
            kind=Kind.BELIEF,
            owner_key=belief.key,
            text=belief.statement,
            vector=vector,
            readers=belief.readers,
        )
        self.index.put([entry])
        return belief

    def _vector(self, scope: Scope, key: str, words: str) -> Vector | None:
        """None where the embedder has none to give, or must not be given these words."""
        if kept_from(self.embedder, scope, self.graph, [key]):
            return None
        try:
            vector: Vector = embedding(self.embedder, scope, "believe").embed([words])[0]
        except EmbedderError:
            return None
        return vector

    def _active(self, scope: Scope, whole: str, key: str) -> Belief:
        node = self.graph.get(scope, whole)
        if not isinstance(node, Belief) or node.user_id != scope.user_id:
            raise InvalidInput("key", f"{key!r} is not a belief")
        if node.status is not BeliefStatus.ACTIVE:
            raise InvalidInput(
                "key", f"the belief {key!r} is {node.status.value}, and that is final"
            )
        return node
