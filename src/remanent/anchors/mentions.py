"""Naming: which of the user's anchors a text may speak of."""

from __future__ import annotations

from collections.abc import Sequence

from remanent.anchors.rules.query import calls, foreign_names
from remanent.core.env import Env
from remanent.core.model.anchor_names import Name
from remanent.core.model.belief import Belief
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope

_KINDS = (Kind.PERSON, Kind.ENTITY, Kind.CONCEPT)
_TELLING = (Kind.PASSAGE, Kind.BELIEF)
_MOST_WORDS = 500
_MOST_LOOKED_UP = 5


def names_in(env: Env, scope: Scope, texts: Sequence[str]) -> list[Name]:
    """Those that one of the texts calls by name, each once, people first."""
    words = [word for text in texts for word in canonical_name(text).split("-") if word]
    some = list(dict.fromkeys(words))[:_MOST_WORDS]
    if not some:
        return []
    found = [name for kind in _KINDS for name in env.graph.named(scope, kind, some)]
    return [name for name in found if any(calls(text, name) for text in texts)]


def mentioned(env: Env, scope: Scope, texts: Sequence[str], names: Sequence[Name]) -> list[str]:
    """What else the texts call by a name that passages or beliefs of this memory call so too."""
    written = dict.fromkeys(one for text in texts for one in foreign_names(text))
    unknown = [one for one in written if not any(calls(one, name) for name in names)]
    return [one for one in unknown[:_MOST_LOOKED_UP] if _is_told_of(env, scope, one)]


def _is_told_of(env: Env, scope: Scope, name: str) -> bool:
    matches = env.index.match(scope, name, kinds=_TELLING, limit=_MOST_LOOKED_UP)
    passages = env.graph.passages_by_key(scope, [one.key for one in matches])
    nodes = env.graph.get_many(scope, [one.key for one in matches])
    told = [one.text for one in passages.values()]
    told += [one.statement for one in nodes.values() if isinstance(one, Belief)]
    wanted = f"-{canonical_name(name)}-"
    return any(wanted in f"-{canonical_name(text)}-" for text in told)
