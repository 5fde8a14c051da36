"""Need: whether a message calls for memory at all (SPEC 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from remanent.anchors.mentions import Naming
from remanent.anchors.rules import query
from remanent.core import checks
from remanent.core.checks import IntakeRules
from remanent.core.model.query_types import Need
from remanent.core.model.scope import Scope
from remanent.core.model.source import Turn
from remanent.core.on_behalf import sent
from remanent.core.ports.mind import Mind
from remanent.errors import MindError
from remanent.retrieval.abbreviations import Abbreviate
from remanent.retrieval.rules import need as rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """Rules first; where they are unsure the mind is asked, and may have no opinion."""

    naming: Naming
    abbreviate: Abbreviate
    mind: Mind
    intake: IntakeRules

    def __call__(self, scope: Scope, message: str, before: Sequence[object] = ()) -> Need:
        """Yes or no with the reasons, in words. Nothing is counted as access."""
        text = checks.statement("message", message, self.intake.max_statement_characters)
        turns = query.conversation(before)
        ruled = self._ruled(scope, text, turns)
        if ruled.is_sure:
            return ruled
        try:
            return sent(self.mind, scope, "need").need(text, turns) or ruled
        except MindError:
            return ruled

    def _ruled(self, scope: Scope, text: str, turns: Sequence[Turn]) -> Need:
        said = [text, *(turn.text for turn in turns)]
        names = self.naming(scope, said)
        return rule.need(
            text,
            before=turns,
            names=names,
            abbreviations=list(self.abbreviate.known(scope, text)),
            mentioned=self.naming.mentioned(scope, said, names),
        )
