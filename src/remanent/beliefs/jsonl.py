"""Export and import of beliefs: all of them out to lines of JSON, and in again (SPEC 5, export and import).

Beliefs of every status with their trail, in order of key: equal beliefs, equal lines.

Everything is checked before anything is written, and all of it is written at once.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TextIO

from remanent.beliefs.model import BeliefsExported, BeliefsImported
from remanent.beliefs.rules import jsonl_codec
from remanent.beliefs.rules.jsonl_codec import BeliefLine
from remanent.beliefs.subjects import link_subject
from remanent.core import visibility
from remanent.core.env import Env, Share
from remanent.core.index_entries import belief_entry
from remanent.core.jsonl import writing
from remanent.core.model.belief import Belief, BeliefStatus, Support
from remanent.core.model.codec import from_record, to_record
from remanent.core.model.event import BELIEF_IMPORTED, Event, event_key
from remanent.core.model.keys import content_hash, key_for
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.on_behalf import embedder_for, withheld_from
from remanent.core.ports.index import Entry, Vector
from remanent.core.read import every
from remanent.errors import EmbedderError, InvalidInput

_BATCH = 64


def export_beliefs(env: Env, scope: Scope, path: str | Path | TextIO) -> BeliefsExported:
    """Write all beliefs of every status, with their trail, to a file or stream of JSON lines."""
    beliefs = _beliefs(env, scope)
    with writing(path) as write:
        for one in beliefs:
            write(jsonl_codec.written(one, _neighbours(env, scope, one)))
    active = sum(one.status is BeliefStatus.ACTIVE for one in beliefs)
    return BeliefsExported(beliefs=len(beliefs), active=active)


def _beliefs(env: Env, scope: Scope) -> list[Belief]:
    return [one for one in every(env.graph, scope, Belief) if one.user_id == scope.user_id]


def _neighbours(env: Env, scope: Scope, belief: Belief) -> list[str]:
    links = env.graph.links(scope, belief.key, kinds=(LinkKind.NEIGHBOUR,), outward=True)
    return [link.dst for link in links]


def import_beliefs(
    env: Env,
    scope: Scope,
    path: str | Path | TextIO,
    *,
    dry_run: bool = False,
    progress: Share | None = None,
) -> BeliefsImported:
    """Take in exported beliefs that are not here yet; one bad line, and nothing comes in."""
    now = env.clock.now()
    parsed = jsonl_codec.read(_lines(path), now=now, rules=env.config.intake)
    lines = jsonl_codec.adopted(parsed, scope.user_id, now)
    fresh = _fresh(env, scope, lines)
    vectors = {} if dry_run else _vectors(env, scope, [one.belief for one in fresh], progress)
    with env.transaction(dry_run=dry_run):
        fresh = _fresh(env, scope, fresh)  # others may be importing the same
        for line, ties in zip(fresh, _ties(env, scope, fresh, now), strict=True):
            _take_in(env, scope, _append(env, scope, line.belief, ties, now), line.belief)
        env.index.put([one for line in fresh for one in _entries(line.belief, vectors)])
    active = sum(one.belief.status is BeliefStatus.ACTIVE for one in fresh)
    return BeliefsImported(
        added=len(fresh), active=active, known=len(lines) - len(fresh), dry_run=dry_run
    )


def _fresh(env: Env, scope: Scope, lines: Sequence[BeliefLine]) -> list[BeliefLine]:
    nodes = env.graph.get_many(scope, [one.belief.key for one in lines])
    for line in lines:
        node = nodes.get(line.belief.key)
        if node is not None and not isinstance(node, Belief):
            problem = f"{line.belief.key} is a {node.kind.value} in this memory"
            raise InvalidInput(f"line {line.number}: key", problem)
    return [one for one in lines if one.belief.key not in nodes]


def _vectors(
    env: Env, scope: Scope, beliefs: Sequence[Belief], progress: Share | None
) -> Mapping[str, Vector]:
    """What the index is to find them by; nothing where there is no embedding to be had."""
    sources = {key for one in beliefs for key in visibility.rests_on(one)}
    kept = visibility.spread(beliefs, withheld_from(env.embedder, scope, env.graph, sources))
    shown = [
        one for one in beliefs if one.status is not BeliefStatus.FORGOTTEN and one.key not in kept
    ]
    vectors: dict[str, Vector] = {}
    for start in range(0, len(shown), _BATCH):
        batch = shown[start : start + _BATCH]
        try:
            hand = embedder_for(env.embedder, scope, "import")
            embedded = hand.embed([one.statement for one in batch], kind="statement")
        except EmbedderError:
            return {}
        vectors |= {one.key: vector for one, vector in zip(batch, embedded, strict=True)}
        if progress is not None:
            progress((start + len(batch)) / len(shown))
    return vectors


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Take in the belief that the event tells of once more, if it is not here."""
    belief = from_record(Belief, event.payload["belief"])
    line = BeliefLine(number=0, belief=belief)
    vectors = _vectors(env, scope, [line.belief], None)
    with env.atomic():
        if _fresh(env, scope, [line]):
            _take_in(env, scope, event, belief)
            env.index.put(_entries(belief, vectors))


def _append(env: Env, scope: Scope, belief: Belief, ties: Sequence[Link], now: datetime) -> Event:
    payload = {"belief": to_record(belief), "links": [to_record(one) for one in ties]}
    event_id = key_for(scope.user_id, "imported", belief.key)
    return env.append(scope, BELIEF_IMPORTED, payload, now=now, event_id=event_id)


def _take_in(env: Env, scope: Scope, event: Event, belief: Belief) -> None:
    """The belief, its links as the event has them, and the one to whom it is about."""
    env.graph.put(scope, belief)
    links = [from_record(Link, one) for one in event.payload.get("links", ())]
    here = env.graph.get_many(scope, sorted({end for one in links for end in _ends(one)}))
    for link in links:
        if all(end in here for end in _ends(link)):
            env.graph.link(scope, link)
    link_subject(env.graph, scope, belief, event.recorded_at)


def _ties(env: Env, scope: Scope, lines: Sequence[BeliefLine], now: datetime) -> list[list[Link]]:
    """The links that come with each line: episodes, grounds, neighbours, whose other end is here
    by then. What links to a later line comes with that one."""
    places = {line.belief.key: place for place, line in enumerate(lines)}
    wanted = [
        (place, one) for place in range(len(lines)) for one in _links(scope, lines[place], now)
    ]
    ends = {end for _, link in wanted for end in _ends(link)}
    here = env.graph.get_many(scope, sorted(ends - places.keys()))
    ties: list[list[Link]] = [[] for _ in lines]
    for place, link in wanted:
        if all(end in places or end in here for end in _ends(link)):
            ties[max(place, *(places.get(end, 0) for end in _ends(link)))].append(link)
    return ties


def _ends(link: Link) -> tuple[str, str]:
    return link.src, link.dst


def _links(scope: Scope, line: BeliefLine, now: datetime) -> Iterator[Link]:
    key = line.belief.key

    def link(kind: LinkKind, src: str, dst: str, detail: str = "") -> Link:
        return Link(scope.user_id, kind, src, dst, now, detail=detail)

    for other in line.belief.derived_from:
        yield link(LinkKind.DERIVED_FROM, key, other)
    for other in line.neighbours:
        yield link(LinkKind.NEIGHBOUR, key, other)
    for support in line.belief.supports:
        detail = content_hash(support.statement)[:16]
        yield link(LinkKind.SUPPORTS, _episode(scope, support), key, detail)


def _episode(scope: Scope, support: Support) -> str:
    return support.source_key or event_key(scope.user_id, support.event_id)


def _entries(belief: Belief, vectors: Mapping[str, Vector]) -> list[Entry]:
    """Found among what is held true, or among what was; what was forgotten is not found."""
    if belief.status is BeliefStatus.FORGOTTEN:
        return []
    return [belief_entry(belief, vectors.get(belief.key))]


def _lines(from_: str | Path | TextIO) -> Iterable[str]:
    if not isinstance(from_, str | Path):
        return from_
    path = Path(from_)
    if path.is_dir():
        raise InvalidInput("path", f"{path} is a folder; name one file")
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
        return text.split("\n")
    except FileNotFoundError:
        raise InvalidInput("path", f"there is no file {path}") from None
    except UnicodeDecodeError as problem:
        raise InvalidInput(
            "path", f"{path} is not UTF-8 text: the byte at offset {problem.start:,} does not fit"
        ) from None
    except (OSError, EOFError, zlib.error) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise InvalidInput("path", f"{path} cannot be read: {reason}") from None
