"""What must not leave this machine: the words of sources of high sensitivity, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterable

from remanent.core.model.belief import Belief, Support
from remanent.core.model.node import Node
from remanent.core.model.source import Artifact, Sensitivity, Source


def is_private(node: Node) -> bool:
    """Whether it is of high sensitivity itself."""
    return isinstance(node, Source | Artifact) and node.sensitivity is Sensitivity.HIGH


def spoken_for_by(supports: Iterable[Support]) -> tuple[str, ...]:
    """The sources in whose words these episodes speak; what was remembered on request has none."""
    return tuple(dict.fromkeys(one.source_key for one in supports if one.source_key is not None))


def rests_on(belief: Belief) -> tuple[str, ...]:
    """Keys of all whose words may stand in a belief: it is private if one of these is."""
    return (*spoken_for_by(belief.supports), *belief.derived_from)


def spread(beliefs: Iterable[Belief], private: Iterable[str]) -> frozenset[str]:
    """The private keys and, of these beliefs, all that rest on one of them, however indirectly."""
    found = set(private)
    open_ = list(beliefs)
    while fresh := [one for one in open_ if not found.isdisjoint(rests_on(one))]:
        found |= {one.key for one in fresh}
        open_ = [one for one in open_ if one.key not in found]
    return frozenset(found)
