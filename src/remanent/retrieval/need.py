"""Need: whether a message calls for memory at all (SPEC 8).

Rules first; where they are unsure the mind is asked, and may have no opinion.
"""

from __future__ import annotations

from collections.abc import Sequence

from remanent.anchors import resolve
from remanent.anchors.resolve import names_in
from remanent.anchors.rules import query
from remanent.core import checks
from remanent.core.env import Env
from remanent.core.model.scope import Scope
from remanent.core.model.search import Need
from remanent.core.model.source import Turn
from remanent.core.on_behalf import mind_for
from remanent.errors import MindError
from remanent.retrieval import abbreviations
from remanent.retrieval.rules import need as rule


def needs_memory(env: Env, scope: Scope, message: str, before: Sequence[object] = ()) -> Need:
    """Yes or no with the reasons, in words. Nothing is counted as access."""
    text = checks.statement("message", message, env.config.intake.max_statement_characters)
    turns = query.conversation(before)
    ruled = _need_by_rules(env, scope, text, turns)
    if ruled.is_sure:
        return ruled
    try:
        return mind_for(env.mind, scope, "need").need(text, turns) or ruled
    except MindError:
        return ruled


def _need_by_rules(env: Env, scope: Scope, text: str, turns: Sequence[Turn]) -> Need:
    said = [text, *(turn.text for turn in turns)]
    names = names_in(env, scope, said)
    return rule.need(
        text,
        before=turns,
        names=names,
        abbreviations=list(abbreviations.abbreviations_in(env, scope, text)),
        mentioned=resolve.mentioned(env, scope, said, names),
    )
