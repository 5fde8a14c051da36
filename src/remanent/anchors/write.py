"""Writing an extraction: its anchors, mentions, notes and assertions enter one user's graph.

The outcome follows from the set of extractions, not from the order in which they came: names are
resolved against all names known (`rules.identity`), and when a new name changes whom an old one
means, the sources that used the old one are drawn again.

Works inside the caller's transaction. What a source of a team taught stays when its reader leaves
the team: it is drawn beside that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any, Final

from remanent.anchors import relationships, resolve
from remanent.anchors.owner import owner_key
from remanent.anchors.relationships import write_relationships
from remanent.anchors.resolve import (
    called_by_hand,
    final,
    full_names,
    known_people,
    names_with,
    newly_named,
    resolve_people,
)
from remanent.anchors.rules import identity, resolution
from remanent.core import by_hand
from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.env import Env
from remanent.core.index_entries import NOTES_SUFFIX
from remanent.core.model.anchor import Anchor, Bearer, Concept, Entity, Note, Person
from remanent.core.model.keys import canonical_name, key_for
from remanent.core.model.lifecycle import State
from remanent.core.model.mind_types import Candidate, Extraction
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import Assertion, Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source
from remanent.core.read import by_natural
from remanent.errors import UnknownKey

_TIMES: Final = 3  # that a source is drawn at most: by then every name in it has been settled


@dataclass(slots=True)
class Changed:
    """What was drawn anew, and so is to be made findable anew."""

    anchors: set[str] = field(default_factory=set)
    relationships: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    learned: dict[str, datetime] = field(default_factory=dict)  # when a source was first drawn

    def __or__(self, other: Changed) -> Changed:
        """Both."""
        return Changed(
            anchors=self.anchors | other.anchors,
            relationships=self.relationships | other.relationships,
            sources=self.sources | other.sources,
            learned=other.learned | self.learned,
        )


def write_extraction(env: Env, scope: Scope, source_keys: Iterable[str]) -> Changed:
    """Draw these sources, and those that their names unsettle."""
    scope = scope.contributing
    pending, drawn, touched = list(source_keys), Counter[str](), Changed()
    while pending:
        key = pending.pop(0)
        drawn[key] += 1
        touched.sources.add(key)
        # It may call somebody by a part of a name before it, or another, has given the whole.
        unsettled = _write_source(env, scope, key, touched)
        again = {one for one in unsettled if drawn[one] < _TIMES}
        pending += sorted(again - set(pending))
    clear(env, scope, touched)
    return touched


def unsettled_by(env: Env, scope: Scope, surface: str) -> set[str]:
    """Sources whose names mean somebody else since this surface came, or went."""
    return resolve.unsettled_by(env, scope.contributing, surface)


def forget_names(env: Env, scope: Scope, bearers: Iterable[Bearer]) -> Changed:
    """Draw anew what these names had settled, now that a source does not give them any more."""
    scope = scope.contributing
    surfaces, touched = names_with(env, scope, bearers), Changed()
    while (
        unsettled := {key for one in surfaces for key in unsettled_by(env, scope, one)}
        - touched.sources
    ):
        touched |= write_extraction(env, scope, sorted(unsettled))
    called = {
        one.key for name in surfaces for one in known_people(env, scope, name) if one.has_node
    }
    for key in sorted(called):
        recount(env, scope, key)
    touched.anchors |= called
    return touched


def _write_source(env: Env, scope: Scope, source_key: str, touched: Changed) -> set[str]:
    source = env.graph.get(scope, source_key)
    extraction = env.graph.extraction(scope, source_key)
    if not isinstance(source, Source) or extraction is None:
        raise UnknownKey(source_key)
    before, gone = _take_back(env, scope, source, touched)
    names = {canonical_name(_owner(env, scope).name): owner_key(scope.user_id)}
    unsettled, counted = set[str](), set(before)
    for candidate in extraction.candidates:
        surface = canonical_name(candidate.name)
        if surface:
            key, is_news = _mention(env, scope, source, candidate, counted)
            names[surface] = key
            if is_news and candidate.kind is Kind.PERSON:
                unsettled |= unsettled_by(env, scope, surface)
            if is_news and candidate.kind is not Kind.CONCEPT:
                unsettled |= _linked_as_concept(env, scope, surface)
    renamed = _renamed(env, scope, extraction, unsettled)
    _write(env, scope, source, extraction, names, touched)
    # Only now: what is asserted again keeps its relationship, with its life and description.
    touched.relationships |= relationships.rederive_relationships(env, scope, gone)
    touched.anchors |= before | renamed | set(names.values())
    again = renamed | (before | set(names.values()) if before else set())
    for key in sorted(again):
        recount(env, scope, key)
    known = env.graph.get_many(scope, sorted(set(names.values()) - again))
    for anchor in known.values():
        _establish(env, scope, anchor)
    return unsettled


def _linked_as_concept(env: Env, scope: Scope, surface: str) -> set[str]:
    """Sources that linked to this name when nobody knew that it is a person's or an entity's."""
    node = by_natural(env.graph, scope, Kind.CONCEPT, surface)
    if node is None:
        return set()
    links = env.graph.links(scope, node.key, kinds=(LinkKind.MENTIONS,), outward=False)
    return {link.src for link in links if link.detail == surface}


def _establish(env: Env, scope: Scope, anchor: Node) -> None:
    """Make an anchor active once enough is said of it over all sources (SPEC 12.12)."""
    if not isinstance(anchor, Anchor) or anchor.life.state is not State.CANDIDATE:
        return
    rules = env.config.resolution
    fresh = resolution.established(anchor, _candidates(env, scope, anchor.key), rules)
    if fresh != anchor:
        env.graph.put(scope, fresh)


def _candidates(env: Env, scope: Scope, key: str) -> list[Candidate]:
    return [one for some in candidates_of(env, scope, key).values() for one in some]


def candidates_of(env: Env, scope: Scope, key: str) -> dict[str, list[Candidate]]:
    """What each source that mentions an anchor says of it, by source."""
    links = env.graph.links(scope, key, kinds=(LinkKind.MENTIONS,), outward=False)
    candidates: dict[str, list[Candidate]] = {}
    for link in sorted(links, key=lambda one: (one.src, one.detail)):
        extraction = env.graph.extraction(scope, link.src)
        if extraction is not None:
            candidates.setdefault(link.src, []).extend(
                one for one in extraction.candidates if canonical_name(one.name) == link.detail
            )
    return candidates


def _renamed(env: Env, scope: Scope, extraction: Extraction, unsettled: set[str]) -> set[str]:
    """The people to whom the source gives a second name; sources that mean others by its names,
    though they have no node, are unsettled."""
    renamed: set[str] = set()
    for person in newly_named(env, scope, extraction):
        names = identity.full_names(person)
        for surface in names_with(env, scope, [person]):
            unsettled |= unsettled_by(env, scope, surface)
        key = resolve_people(env, scope, canonical_name(names[0]), extraction.source_key)
        if len(names) > 1 and key is not None:
            renamed.add(key)
    return renamed


def _owner(env: Env, scope: Scope) -> Anchor:
    owner = env.graph.get(scope, owner_key(scope.user_id))
    if not isinstance(owner, Anchor):
        raise UnknownKey(owner_key(scope.user_id))
    return owner


def _take_back(
    env: Env, scope: Scope, source: Source, touched: Changed
) -> tuple[set[str], list[Assertion]]:
    """Undo what was drawn from the source before; the anchors that it had mentioned, and what it
    had asserted, whose relationships are still to be drawn anew."""
    links = env.graph.links(scope, source.key, kinds=(LinkKind.MENTIONS,), outward=True)
    gone = env.graph.retract(scope, source.key)
    if gone:
        touched.learned[source.key] = min(one.recorded_at for one in gone)
    return {link.dst for link in links}, gone


def _mention(
    env: Env, scope: Scope, source: Source, candidate: Candidate, counted: set[str]
) -> tuple[str, bool]:
    """Link the source to whom the candidate means, and count it once, by whatever names it calls
    them; the key, and whether a name is new there."""
    known, is_new = _anchor(env, scope, source, candidate)
    also = resolution.named_also(known, candidate)
    named = by_hand.imposed(_with_full_names(env, scope, also, candidate.name))
    is_news = is_new or named.aliases != known.aliases
    if is_new or named != known:
        env.graph.put(scope, named)
    link = _mentions(scope, source, known.key, candidate, env.clock.now())
    if env.graph.link(scope, link) and known.key not in counted:
        counted.add(known.key)
        fresh = resolution.mentioned(named, at=source.started_at, day=_day(env, scope, source))
        env.graph.put(scope, replace(fresh, updated_at=env.clock.now()))
    return known.key, is_news


def _day(env: Env, scope: Scope, source: Source) -> date:
    return source.started_at.astimezone(env.zone_of(scope.user_id)).date()


def _with_full_names(
    env: Env, scope: Scope, anchor: Anchor, name: str, natural: str = ""
) -> Anchor:
    """The anchor with all full names that sources gave the person who has this one."""
    surface = canonical_name(name)
    if not isinstance(anchor, Person) or not identity.is_full(surface):
        return anchor
    names = full_names(env, scope, surface)
    return resolution.renamed(anchor, names, natural=natural) if names else anchor


def _anchor(env: Env, scope: Scope, source: Source, candidate: Candidate) -> tuple[Anchor, bool]:
    surface = canonical_name(candidate.name)
    # Of what an author only linked to, other sources may say who or what it is.
    linked = candidate.kind is Kind.CONCEPT and not candidate.subpoints
    meant = _meant_by_link(env, scope, source, surface) if linked else None
    if meant is not None:
        key: str | None = meant
    elif candidate.kind is Kind.PERSON:
        key = resolve_people(env, scope, surface, source.key)
        if identity.is_full(surface):
            names = full_names(env, scope, surface)
            candidate = replace(candidate, name=names[0]) if names else candidate
    else:
        natural = surface if candidate.kind is Kind.CONCEPT else f"{surface}|{candidate.type}"
        node = by_natural(env.graph, scope, candidate.kind, natural)
        named = None if node is None else final(env, scope, node.key)
        key = named or called_by_hand(env, scope, candidate.kind, surface)
    known = None if key is None else env.graph.get(scope, key)
    if isinstance(known, Anchor):
        return known, False
    return _new_anchor(scope, candidate, env.clock.now()), True


def _meant_by_link(env: Env, scope: Scope, source: Source, surface: str) -> str | None:
    person = resolve_people(env, scope, surface, source.key)
    if person is not None:
        return person
    named = env.graph.names(scope, Kind.ENTITY, surface.split("-"))
    keys = [one.key for one in named if canonical_name(one.name) == surface]
    return final(env, scope, keys[0]) if len(keys) == 1 else None


def _write(
    env: Env,
    scope: Scope,
    source: Source,
    extraction: Extraction,
    names: dict[str, str],
    touched: Changed,
) -> None:
    """Notes and assertions, each under the anchor that its name means here."""
    for draft in extraction.findings.notes:
        key = names.get(canonical_name(draft.anchor))
        if key is not None:
            note = Note(
                on=key,
                content=draft.content,
                added_by=scope.user_id,
                date_added=source.started_at,
                source_key=source.key,
                expires_at=resolution.expires(
                    source.started_at, draft.lifetime, env.config.resolution
                ),
            )
            env.graph.add_note(scope, note)
    for relation in extraction.findings.relations:
        src = names.get(canonical_name(relation.src))
        dst = names.get(canonical_name(relation.dst))
        if src is not None and dst is not None:
            touched.relationships |= write_relationships(
                env,
                scope,
                source,
                (src, dst),
                relation,
                recorded_at=touched.learned.get(source.key),
            )


def recount(env: Env, scope: Scope, key: str) -> None:
    """Names and counters of an anchor, made again from the sources that mention it."""
    scope = scope.contributing
    anchor = env.graph.get(scope, key)
    if not isinstance(anchor, Anchor):
        return
    candidates = candidates_of(env, scope, key)
    fresh = resolution.uncounted(anchor)
    natural = resolution.natural_name(anchor)
    for source_key in sorted(candidates):
        source = env.graph.get(scope, source_key)
        if isinstance(source, Source):
            for candidate in candidates[source_key]:
                fresh = resolution.named_also(fresh, candidate, natural=natural)
            fresh = resolution.mentioned(fresh, at=source.started_at, day=_day(env, scope, source))
    fresh = _with_full_names(env, scope, fresh, natural, natural)
    if not (isinstance(fresh, Person) and fresh.is_owner):
        said = [one for some in candidates.values() for one in some]
        fresh = resolution.established(fresh, said, env.config.resolution)
    name = fresh.name or anchor.inferred("name")
    fresh = by_hand.imposed(replace(fresh, name=name, updated_at=anchor.updated_at))
    if fresh != anchor:
        env.graph.put(scope, replace(fresh, updated_at=env.clock.now()))


def clear(env: Env, scope: Scope, touched: Changed) -> None:
    """Anchors that nothing mentions any more go, and relationships that nobody asserts."""
    anchors = env.graph.get_many(scope, sorted(touched.anchors))
    for key, node in anchors.items():
        if isinstance(node, Anchor) and _is_empty(env, scope, node):
            env.graph.remove(scope, key)
            env.index.remove([key])
            touched.anchors.discard(key)
    relationships = sorted(touched.relationships)
    there = env.graph.relationships_by_key(scope, relationships)
    gone = [key for key in relationships if key not in there]
    env.index.remove([entry for key in gone for entry in (key, f"{key}{NOTES_SUFFIX}")])
    touched.relationships.difference_update(gone)


def _is_empty(env: Env, scope: Scope, anchor: Anchor) -> bool:
    """Whether nothing and nobody speaks of it: no source, no merge, and not the user's own hand."""
    if anchor.source_count or (isinstance(anchor, Person) and anchor.is_owner):
        return False
    if has_hand(env, scope, anchor):
        return False
    return not env.graph.links(scope, anchor.key, kinds=(LinkKind.SAME_AS,))


def has_hand(env: Env, scope: Scope, node: Node) -> bool:
    """Whether the user's hand says something of it, or of how somebody stands to it."""
    if node.by_hand:
        return True
    return any(one.by_hand for one in env.graph.relationships(scope, node.key, history=True))


def _mentions(scope: Scope, source: Source, dst: str, candidate: Candidate, now: datetime) -> Link:
    return Link(
        scope.user_id,
        LinkKind.MENTIONS,
        source.key,
        dst,
        now,
        detail=canonical_name(candidate.name),
    )


def local_anchors(scope: Scope, candidates: Sequence[Candidate], now: datetime) -> list[Anchor]:
    """The candidates as anchors of this one source: what a mind is shown, whatever else is known."""
    return [_new_anchor(scope, one, now) for one in candidates if canonical_name(one.name)]


def _new_anchor(scope: Scope, candidate: Candidate, now: datetime) -> Anchor:
    """A node for a candidate nobody has met yet; its key comes from its natural key."""
    common: dict[str, Any] = {
        "user_id": scope.user_id,
        "created_at": now,
        "updated_at": now,
        "name": candidate.name,
        "created_by": scope.user_id,
        "confidence": 0.0,
    }
    canonical = canonical_name(candidate.name)
    if candidate.kind is Kind.PERSON:
        plain = identity.untitled(canonical)
        key = key_for(scope.user_id, Kind.PERSON, plain)
        return Person(key=key, canonical_name=plain, **common)
    if candidate.kind is Kind.CONCEPT:
        return Concept(key=key_for(scope.user_id, Kind.CONCEPT, canonical), **common)
    key = key_for(scope.user_id, Kind.ENTITY, canonical, candidate.type)
    return Entity(key=key, type=candidate.type, **common)
