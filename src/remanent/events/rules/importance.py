"""How much an event matters, from 1 to 10 (SPEC 2, stage 2)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from remanent.core import event_text as telling
from remanent.core.dataclasses import dataclass
from remanent.core.regex import regex
from remanent.core.word_lists import word_lists


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceRules:
    """What each sort of event starts from, and what is added to it."""

    decision: float = 8.0
    trouble: float = 7.0
    correction: float = 7.0
    said_by_user: float = 5.0
    other: float = 4.0
    said_by_agent: float = 3.5
    tool: float = 3.0
    small_talk: float = 2.0
    housekeeping: float = 1.0
    pressing: float = 1.5  # added where the words press: must, deadline, never, remember ...
    per_child: float = 0.5  # for each doubling of the events it caused
    per_reference: float = 0.25  # for each doubling of the people and things it names
    centrality_most: float = 2.0
    hint_share: float = 0.5


_DEFAULTS = ImportanceRules()
_LEAST, _MOST = 1.0, 10.0
_LISTS: Final = word_lists(__package__)
_PRESSING: Final = regex(
    r"\b(?:must|urgent(?:ly)?|asap|deadline|due (?:on|by)|important|critical|never|always|remember|don'?t forget"
    r"|promise[ds]?|decided?|agreed|from now on|prefers?|allerg(?:y|ic)|cancel(?:led)?|overdue|password|birthday)\b",
    re.IGNORECASE,
)
_SMALL_TALK: Final = regex(
    r"(?:hi|hey|hello|hiya|yo|good (?:morning|evening|night|afternoon)|thanks?(?: you)?(?: so much| a lot)?|thx|ok(?:ay)?"
    r"|sure|great|cool|nice|perfect|bye|see you|you'?re welcome|no problem|lol|haha|yes|no|yep|nope|got it|will do"
    r"|how are you(?: doing| today)?|what'?s up|there|all|everyone|again)",
    re.IGNORECASE,
)
_FAILED: Final = frozenset({"failed", "failure", "error", "timeout", "crashed", "aborted"})


def importance(
    event_type: str,
    payload: Mapping[str, Any],
    *,
    children: int = 0,
    references: int = 0,
    hint: int | None = None,
    rules: ImportanceRules = _DEFAULTS,
) -> float:
    """The importance of an event that caused `children` others and names `references` anchors.

    What whoever recorded it thinks (`hint`) is one input among them. More children, more references
    or a higher hint never make it less.
    """
    by_words = _of_words(event_type, payload, rules)
    central = rules.per_child * math.log2(1 + max(children, 0))
    central += rules.per_reference * math.log2(1 + max(references, 0))
    score = _bounded(by_words + min(central, rules.centrality_most))
    if hint is not None:
        score = (1.0 - rules.hint_share) * score + rules.hint_share * hint
    return round(_bounded(score), 2)


def is_small_talk(text: str) -> bool:
    """Whether nothing is said but hello, thanks and the like."""
    rest = _SMALL_TALK.sub(" ", text)
    return bool(text.strip()) and len(text) <= 80 and not re.search(r"\w", rest)


def _of_words(event_type: str, payload: Mapping[str, Any], rules: ImportanceRules) -> float:
    text = telling.said_in(payload)
    start = _start(event_type, payload, text, rules)
    if text and is_small_talk(text):
        return min(start, rules.small_talk)
    if start > rules.housekeeping and _PRESSING.search(text):
        return start + rules.pressing
    return start


def _start(event_type: str, payload: Mapping[str, Any], text: str, rules: ImportanceRules) -> float:
    words = set(telling.words_of(event_type))
    sorts = (
        (_LISTS["decisions"], rules.decision),
        (_LISTS["trouble"], rules.trouble),
        (_LISTS["corrections"], rules.correction),
    )
    for named, value in sorts:
        if words & named:
            return value
    if _went_wrong(payload):
        return rules.trouble
    if text and telling.is_message(event_type, payload):
        by_user = telling.speaker_of(event_type, payload) in ("user", None)
        return rules.said_by_user if by_user else rules.said_by_agent
    if words & _LISTS["housekeeping"]:
        return rules.housekeeping
    return rules.tool if words & _LISTS["tools"] else rules.other


def _went_wrong(payload: Mapping[str, Any]) -> bool:
    if any(payload.get(name) for name in ("error", "exception", "traceback")):
        return True
    status = payload.get("status")
    if isinstance(status, str) and status.casefold() in _FAILED:
        return True
    return payload.get("ok") is False or payload.get("success") is False


def _bounded(score: float) -> float:
    return min(max(score, _LEAST), _MOST)
