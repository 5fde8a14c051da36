"""Transform: a question in full, and in other words (SPEC 8)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from remanent.anchors.mentions import Naming
from remanent.anchors.rules import query
from remanent.core import checks
from remanent.core.checks import IntakeRules
from remanent.core.model.query_types import Phrasing, Phrasings, Rephrased, Way
from remanent.core.model.scope import Scope
from remanent.core.model.source import Turn
from remanent.core.on_behalf import sent
from remanent.core.ports.mind import Mind
from remanent.errors import MindError
from remanent.retrieval.abbreviations import Abbreviate
from remanent.retrieval.rules import abbreviations

_MOST_KEPT = 512
_MOST_REWORDED = 5
_Asked = tuple[str, str, tuple[Turn, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform:
    """Fast rules first: follow-ups are filled in, abbreviations written out. Then, in `deep` mode,
    the mind's other words; what it said of a question is kept at hand, per user."""

    naming: Naming
    abbreviate: Abbreviate
    mind: Mind
    intake: IntakeRules
    _kept: OrderedDict[_Asked, Rephrased] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(
        self,
        scope: Scope,
        question: str,
        before: Sequence[object] = (),
        *,
        deep: bool = True,
    ) -> Phrasings:
        """Every phrasing once; the first is the question in full, the one to search by."""
        text = checks.statement("query", question, self.intake.max_statement_characters)
        turns = query.conversation(before)
        names = self.naming(scope, [turn.text for turn in turns]) if turns else []
        followed = query.followed(text, turns, names)
        full = abbreviations.expanded(followed, self.abbreviate.known(scope, followed))
        ways = [
            (full, _way(text, followed, full)),
            (followed, Way.FOLLOWED if followed != text else Way.ASKED),
            (text, Way.ASKED),
        ]
        if deep:
            said = self._rephrased(scope, full, turns)
            ways += [(one, Way.REWORDED) for one in said.phrasings[:_MOST_REWORDED]]
            ways.append((said.step_back, Way.STEP_BACK))
        return Phrasings(query=text, phrasings=_once(ways))

    def forget(self) -> None:
        """Keep nothing at hand any more of what was asked and said."""
        with self._lock:
            self._kept.clear()

    def _rephrased(self, scope: Scope, text: str, turns: tuple[Turn, ...]) -> Rephrased:
        """What the mind says, or said before; nothing when it fails."""
        asked = (scope.user_id, text, turns)
        with self._lock:
            if asked in self._kept:
                self._kept.move_to_end(asked)
                return self._kept[asked]
        try:
            said = sent(self.mind, scope, "rephrase").rephrase(text, turns)
        except MindError:
            return Rephrased()
        with self._lock:
            self._kept[asked] = said
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return said


def _way(text: str, followed: str, full: str) -> Way:
    if full != followed:
        return Way.EXPANDED
    return Way.FOLLOWED if followed != text else Way.ASKED


def _once(ways: Sequence[tuple[str, Way]]) -> tuple[Phrasing, ...]:
    found: dict[str, Phrasing] = {}
    for text, way in ways:
        if text.strip():
            found.setdefault(text.casefold(), Phrasing(text=text, way=way))
    return tuple(found.values())
