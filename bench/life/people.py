"""People: are the mentions of one person filed under one node, and of two people under two?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations

from bench.frame import Row
from bench.life.reading import Reader

MENTIONS = (
    "MATCH (s:Source)-[:MENTIONS]->(p:Person) WHERE s.key > $after"
    " RETURN s.key, p.key, p.name, p.aliases, p.is_owner ORDER BY s.key LIMIT 900"
)


def measure_people(reader: Reader) -> Iterator[Row]:
    """B-cubed over mentions (a source and a person in it), and the pairs that share a node."""
    filed = _filed_mentions(reader)
    mentioned = sum(len({person for person, _ in one.mentions}) for one in reader.year.pieces)
    precision, recall = _b_cubed([(node, person) for node, person, _ in filed])
    together = 2 * precision * recall / max(1e-9, precision + recall)
    wrong, vague = _merged(reader, filed)
    yield Row(
        what=f"people, B-cubed precision over {len(filed)} mentions",
        value=100 * precision,
        unit="%",
    )
    yield Row(what="people, B-cubed recall", value=100 * recall, unit="%")
    yield Row(what="people, B-cubed F1", value=100 * together, unit="%")
    yield Row(
        what=f"of {mentioned} mentions of people, filed under a node",
        value=100 * len(filed) / max(1, mentioned),
        unit="%",
    )
    yield Row(what="pairs of people wrongly merged", value=len(wrong), aim="none", met=not wrong)
    yield Row(
        what="pairs that share a node only by a first name that both have", value=len(vague - wrong)
    )


def _filed_mentions(reader: Reader) -> list[tuple[str, str, str]]:
    """Node, person and the name of the node, of each mention that has one."""
    pieces = {
        reader.year.keys[one.id]: one for one in reader.year.pieces if one.id in reader.year.keys
    }
    mentions: list[tuple[str, str, str]] = []
    after = ""
    while True:
        rows = reader.user.cypher(MENTIONS, {"after": after}, include_archived=True).rows
        if not rows:
            return mentions
        for source, node, name, aliases, is_owner in rows:
            if is_owner or source not in pieces:
                continue
            names = {one.casefold() for one in (name, *(aliases or ()))}
            words = {word for one in names for word in one.split()[:1]}
            fitting = {
                person
                for person, surface in pieces[source].mentions
                if surface.casefold() in names or surface.split()[0].casefold() in words
            }
            if len(fitting) == 1:
                mentions.append((node, next(iter(fitting)), name))
        after = rows[-1][0]


def _b_cubed(filed: list[tuple[str, str]]) -> tuple[float, float]:
    both, nodes, people = Counter(filed), Counter(n for n, _ in filed), Counter(p for _, p in filed)
    total = max(1, len(filed))
    precision = sum(count * count / nodes[node] for (node, _), count in both.items()) / total
    recall = sum(count * count / people[person] for (_, person), count in both.items()) / total
    return precision, recall


def _merged(
    reader: Reader, filed: list[tuple[str, str, str]]
) -> tuple[set[frozenset[str]], set[frozenset[str]]]:
    """Pairs of people under one node; those apart whose node has just the first name of both."""
    firsts = Counter(one.first.casefold() for one in reader.year.world.people.values())
    clear: dict[str, set[str]] = defaultdict(set)
    shared: dict[str, set[str]] = defaultdict(set)
    for node, person, name in filed:
        (shared if firsts[name.casefold()] > 1 else clear)[node].add(person)
    return _pairs(clear), _pairs(shared)


def _pairs(nodes: dict[str, set[str]]) -> set[frozenset[str]]:
    return {
        frozenset(pair) for people in nodes.values() for pair in combinations(sorted(people), 2)
    }
