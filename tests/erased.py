"""Two lives side by side, one from which something was erased and one that never had it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from remanent import Memory, UserMemory
from remanent.backup.rules import CIRCUMSTANCES, LIVED, stripped
from remanent.core.model.codec import to_record
from remanent_conformance.builders import digest

WITHOUT = CIRCUMSTANCES | LIVED
NOISE = 1e-6


def records(memory: Memory, user: str) -> list[Mapping[str, Any]]:
    env = memory.env
    return list(env.graph.export(env.registry.scope_of(user)))


def told(memory: Memory, user: str, without: Collection[str] = WITHOUT) -> list[str]:
    return sorted(str(stripped(one, frozenset(without))) for one in records(memory, user))


def digest_of(memory: Memory, user: str) -> str:
    return digest(records(memory, user), without=WITHOUT)


def answers(user: UserMemory, queries: Sequence[str]) -> Iterator[tuple[str, str, Any]]:
    """What every way of asking gives: keys, texts and scores."""
    for query in queries:
        yield "search", query, _plain(user.search(query, limit=10))
        yield "recall", query, _plain(user.recall(query, limit=5))
        yield "explore", query, _plain(user.explore([query]))
        yield "context", query, _plain(user.context(query, budget=400))


def _plain(value: Any) -> Any:
    return stripped(to_record(value), CIRCUMSTANCES | {"life"})


def alike(one: Any, other: Any) -> bool:
    """Equal, but for the last digits of a float: an embedder gives those by what else is in its batch,
    and fading in one step or in several differs there."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) < NOISE
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


def same(one: Memory, other: Memory, user: str, queries: Sequence[str] = ()) -> None:
    """The same graph, by its digest, and the same answers."""
    assert told(one, user) == told(other, user)
    assert digest_of(one, user) == digest_of(other, user)
    asked = (one.user(user), other.user(user))
    for mine, theirs in zip(*(answers(each, queries) for each in asked), strict=True):
        assert mine[:2] == theirs[:2]
        assert alike(mine[2], theirs[2]), mine[:2]


def contains(memory: Memory, user: str, word: str) -> bool:
    return any(word in line for line in told(memory, user, ()))
