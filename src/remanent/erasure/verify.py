"""Verification: whether anything of what was erased can still be found, by any way there is.

Looks first while all can still be taken back, then at the bytes of the files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.records.admin import Probe
from remanent.erasure import rules as rule
from remanent.erasure.rules import Needles
from remanent.errors import ErasureFailed

_KEYS = 48  # that are looked for
_HITS = 50
_SAID = frozenset({"raws", "events", "items"})  # what people and agents gave, word for word


def needles(env: Env, keys: Collection[str], texts: Sequence[str]) -> Needles:
    """What is to be looked for: keys and phrases that nothing that stays has, in its own right."""
    share = max(1, rule.MOST_PHRASES // max(1, len(texts)))
    wanted = [one for text in texts for one in rule.phrases(text, share)][: rule.MOST_PHRASES]
    alone = [one for one in wanted if not _traces(env, [one], truth=True)]
    some = sorted(keys)[:: max(1, -(-len(keys) // _KEYS))]
    return Needles(keys=tuple(_unsaid(env, some)), phrases=tuple(alone))


def _unsaid(env: Env, keys: Sequence[str]) -> list[str]:
    """Those of these keys that nobody has written down: or whoever does could keep others from erasing."""
    if _SAID.isdisjoint(_traces(env, keys, truth=True)):
        return list(keys)
    return [one for one in keys if _SAID.isdisjoint(_traces(env, [one], truth=True))]


def _traces(env: Env, words: Sequence[str], *, truth: bool = False) -> Counter[str]:
    """In how many places of what table of any store one of these stands."""
    return sum((Counter(one.traces(words, truth=truth)) for one in env.stores.erasing), Counter())


def rows(env: Env, needles: Needles, users: Collection[str]) -> Probe:
    """Look in every table and through every way of reading; `ErasureFailed` when it finds any."""
    words = [*needles.keys, *needles.phrases]
    traces = _traces(env, words)
    for user_id in sorted(users):
        if env.registry.user(user_id) is not None:
            count = _read(env, env.registry.scope_of(user_id), needles)
            if count:
                traces["reads"] += count
    if traces:
        where = ", ".join(f"{place} ({count})" for place, count in sorted(traces.items()))
        raise ErasureFailed(f"something of it was still found in {where}")
    return Probe(keys=len(needles.keys), phrases=len(needles.phrases))


def _read(env: Env, scope: Scope, needles: Needles) -> int:
    gone, kinds = set(needles.keys), list(Kind)
    count = sum(env.graph.get(scope, key) is not None for key in needles.keys)
    for phrase in needles.phrases:
        hits = env.index.match(scope, phrase, kinds=kinds, limit=_HITS)
        count += sum(one.key in gone or one.owner_key in gone for one in hits)
    return count


def files(env: Env, needles: Needles, probe: Probe) -> Probe:
    """Look at every byte of the files; `ErasureFailed` when one of these stands there."""
    words = [*needles.keys, *needles.phrases]
    looked = [one.files(words) for one in env.stores.erasing]
    if places := sum(one.places for one in looked):
        raise ErasureFailed(f"something of it still stands in {places} places of the files")
    return replace(probe, bytes=sum(one.size for one in looked))
