"""Name resolution: the person that a name means in a source, among all the names that one memory knows.

Decides from the set of names alone; reads, and writes nothing.

Naming: which of the user's anchors a text may speak of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from remanent.anchors.owner import owner_key
from remanent.anchors.rules import identity
from remanent.anchors.rules.identity import KnownPerson, Meaning
from remanent.anchors.rules.query import calls, foreign_names
from remanent.anchors.rules.roles import is_role
from remanent.core import by_hand
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor, Bearer, Name
from remanent.core.model.belief import Belief
from remanent.core.model.keys import canonical_name, key_for
from remanent.core.model.mind_types import Extraction
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.read import by_natural, resolve
from remanent.errors import InvalidInput

_NAMING = ("name", "alias", "type")  # fields by which a hand says who or what somebody is


def resolve_people(env: Env, scope: Scope, surface: str, source_key: str) -> str | None:
    """The key of the person this surface means there; None: somebody without a node."""
    return _settled(env, scope, _meaning(env, scope, surface), source_key)


def unsettled_by(env: Env, scope: Scope, surface: str) -> set[str]:
    """Sources whose names mean somebody else since this surface came, or went."""
    unsettled: set[str] = set()
    for filed, key in identity.changed_by(surface, known_people(env, scope, surface)):
        meaning, own = _meaning(env, scope, filed), _key_of(env, scope, filed)
        unsettled |= {
            link.src
            for link in env.graph.links(scope, key, kinds=(LinkKind.MENTIONS,), outward=False)
            if link.detail == filed and (_settled(env, scope, meaning, link.src) or own) != key
        }
    return unsettled


def newly_named(env: Env, scope: Scope, extraction: Extraction) -> list[Bearer]:
    """Those whom no other source has named like this extraction does, beside the nodes it drew."""
    return [
        one
        for one in identity.bearers_in(extraction)
        if one in env.graph.bearers(scope, [canonical_name(one.name).partition("-")[0]])
    ]


def names_with(env: Env, scope: Scope, bearers: Iterable[Bearer]) -> list[str]:
    """The surfaces of these people, with all others of the nodes that have one of them."""
    names = {canonical_name(name) for one in bearers for name in (one.name, *one.aliases)}
    known = [
        one for name in sorted(names) for one in known_people(env, scope, name) if one.has_node
    ]
    called = [{one.surface, *one.aliases} for one in known if not one.is_owner]
    return sorted(names.union(*(one for one in called if one & names)))


def full_names(env: Env, scope: Scope, surface: str) -> list[str]:
    """All full names of the person with this one, the one they go by first; empty where no source
    gave a second. No text gives the owner a name."""
    names, words = list[str](), set[str]()
    wanted = set(identity.untitled(surface).split("-"))
    while wanted - words:
        words |= wanted
        names = identity.one_person(surface, env.graph.bearers(scope, words))
        wanted = {word for name in names for word in canonical_name(name).split("-")}
    return [] if names and _is_owners(env, scope, names) else names


def natural_key(env: Env, scope: Scope, surface: str) -> str:
    """What the natural key of the person with just this name is made of."""
    names = full_names(env, scope, surface) if identity.is_full(surface) else []
    return identity.untitled(canonical_name(names[0]) if names else surface)


def known_people(env: Env, scope: Scope, surface: str) -> list[KnownPerson]:
    """Everybody who matters to what this surface means, with a node or without."""
    words = identity.look_up_words(surface)
    nodes = [_as_known(name) for name in env.graph.names(scope, Kind.PERSON, words)]
    bearers = env.graph.bearers(scope, words)
    others = [
        KnownPerson(
            surface=full,
            key=_key_of(env, scope, full),
            aliases=frozenset(canonical_name(alias) for alias in one.aliases),
            has_node=False,
        )
        for one in bearers
        for full in (identity.untitled(canonical_name(name)) for name in identity.full_names(one))
    ]
    owner = owner_key(scope.user_id)
    return nodes + [one for one in others if one.key != owner]


def anchor_key(env: Env, scope: Scope, called: str, field: str) -> str:
    """The key of an anchor, from its key, the beginning of it, or its name."""
    if env.graph.get(scope, called) is not None:
        return called
    return anchor_called(env, scope, called, field) or resolve(env, scope, called)


def anchor_called(env: Env, scope: Scope, called: str, field: str) -> str | None:
    """The key of the one anchor of that name; None: nobody and nothing is called so."""
    name = canonical_name(called)
    keys = {
        final(env, scope, one.key)
        for one in (env.graph.names(scope) if name else ())
        if name in {canonical_name(word) for word in (one.name, *one.aliases)}
    }
    if len(keys) > 1:
        raise InvalidInput(field, f"{called!r} could be any of {', '.join(sorted(keys))}")
    return keys.pop() if keys else None


def final(env: Env, scope: Scope, key: str) -> str:
    """Where merges by hand lead from this anchor."""
    links = env.graph.links(scope, key, kinds=(LinkKind.SAME_AS,), outward=True)
    return final(env, scope, links[0].dst) if links else key


def called_by_hand(env: Env, scope: Scope, kind: Kind, surface: str) -> str | None:
    """The key of the anchor to which the user's own hand gave this name, or whose type it set."""
    for one in env.graph.names(scope, kind, surface.split("-")):
        if surface in {canonical_name(word) for word in (one.name, *one.aliases)}:
            node = env.graph.get(scope, one.key)
            if node is not None and any(by_hand.has_word(node, name) for name in _NAMING):
                return final(env, scope, one.key)
    return None


def _meaning(env: Env, scope: Scope, surface: str) -> Meaning:
    """What the surface can mean, as merges by hand leave it."""
    if identity.is_full(surface):  # says all by itself: no need to look around
        natural = natural_key(env, scope, surface)
        node = by_natural(env.graph, scope, Kind.PERSON, natural)
        if node is None:
            return Meaning(exact=called_by_hand(env, scope, Kind.PERSON, natural))
        return Meaning(exact=final(env, scope, node.key))
    if is_role(surface):
        return _role_meaning(env, scope, surface)
    known = known_people(env, scope, surface)
    meaning, moved = identity.meaning(surface, known), _moved(env, scope, known)
    return Meaning(
        possible=frozenset(final(env, scope, moved.get(key, key)) for key in meaning.possible),
        exact=None if meaning.exact is None else final(env, scope, meaning.exact),
    )


def _role_meaning(env: Env, scope: Scope, role: str) -> Meaning:
    """Whom sources call so beside a name; else whoever is known by that alone."""
    named = [
        canonical_name(one.name)
        for one in env.graph.bearers(scope, role.split("-"))
        if identity.has_role(one, role)
    ]
    people = {resolve_people(env, scope, name, "") for name in named}
    node = by_natural(env.graph, scope, Kind.PERSON, role)
    exact = called_by_hand(env, scope, Kind.PERSON, role) if node is None else node.key
    return Meaning(
        possible=frozenset(one for one in people if one is not None),
        exact=None if exact is None else final(env, scope, exact),
    )


def _moved(env: Env, scope: Scope, known: Iterable[KnownPerson]) -> dict[str, str]:
    """Where those go who have a node under a name that is not the first of theirs any more."""
    full = {one.surface: one.key for one in known if one.has_node and identity.is_full(one.surface)}
    words = {word for surface in full for word in surface.split("-")}
    bearers = env.graph.bearers(scope, words) if words else []
    return {
        key: _key_of(env, scope, surface)
        for surface, key in full.items()
        if identity.one_person(surface, bearers)
    }


def _settled(env: Env, scope: Scope, meaning: Meaning, source_key: str) -> str | None:
    people = meaning.possible
    if len(people) > 1:  # whoever is named there in full may settle it
        people = people & _named_in(env, scope, source_key) or people
    meant = meaning.among(people)
    if meant is None or env.graph.get(scope, meant) is None:
        return meaning.exact  # nobody gets a node by a first name alone
    return meant


def _key_of(env: Env, scope: Scope, surface: str) -> str:
    """The key of the person with just that name, who may have no node."""
    natural = natural_key(env, scope, surface)
    node = by_natural(env.graph, scope, Kind.PERSON, natural)
    named = called_by_hand(env, scope, Kind.PERSON, natural) if node is None else node.key
    return named or key_for(scope.user_id, Kind.PERSON, natural)


def _named_in(env: Env, scope: Scope, source_key: str) -> set[str]:
    extraction = env.graph.extraction(scope, source_key)
    people = [] if extraction is None else [*extraction.candidates, *extraction.passed_over]
    surfaces = {canonical_name(one.name) for one in people if one.kind is Kind.PERSON}
    full = sorted(one for one in surfaces if identity.is_full(one))
    return {final(env, scope, _key_of(env, scope, one)) for one in full}


def _is_owners(env: Env, scope: Scope, names: list[str]) -> bool:
    owner = env.graph.get(scope, owner_key(scope.user_id))
    own = (owner.name, *owner.aliases) if isinstance(owner, Anchor) else ()
    return not {canonical_name(name) for name in own}.isdisjoint(map(canonical_name, names))


def _as_known(name: Name) -> KnownPerson:
    return KnownPerson(
        surface=canonical_name(name.name),
        key=name.key,
        aliases=frozenset(canonical_name(alias) for alias in name.aliases),
        is_owner=name.is_owner,
    )


_KINDS = (Kind.PERSON, Kind.ENTITY, Kind.CONCEPT)  # in which order they are told
_TELLING = (Kind.PASSAGE, Kind.BELIEF)
_MOST_WORDS = 500
_MOST_LOOKED_UP = 5


def names_in(env: Env, scope: Scope, texts: Sequence[str], kind: Kind | None = None) -> list[Name]:
    """Those (of a kind) that one of the texts calls by name, each once, people first."""
    some = _words(texts)[:_MOST_WORDS]
    if not some:
        return []
    found = sorted(env.graph.names(scope, kind, some), key=lambda one: _KINDS.index(one.kind))
    return [name for name in found if any(calls(text, name) for text in texts)]


def first_names(env: Env, scope: Scope, text: str) -> dict[str, str]:
    """By the full name of each person whom the text calls by it, but the owner, the first name alone, where
    nobody else in this memory is called so."""
    words = _words([text])[:_MOST_WORDS]
    people = env.graph.names(scope, Kind.PERSON, words) if words else []
    found: dict[str, str] = {}
    for name in people:
        first = name.name.split()[0]
        if name.is_owner or first == name.name or name.name not in text or not calls(text, name):
            continue
        wanted = _words([first, canonical_name(first)])
        if set(wanted) <= set(words):  # whoever is called so is among those whom we know by now
            called = [one for one in people if _has_word(one, wanted)]
        else:
            called = env.graph.names(scope, Kind.PERSON, [canonical_name(first)])
        if len(called) == 1:
            found[name.name] = first
    return found


def _has_word(name: Name, words: Sequence[str]) -> bool:
    return not set(words).isdisjoint(_words([name.name, *name.aliases]))


def _words(texts: Iterable[str]) -> list[str]:
    """Each word of these, as names are looked up, once."""
    words = (word for text in texts for word in canonical_name(text).split("-") if word)
    return list(dict.fromkeys(words))


def mentioned(env: Env, scope: Scope, texts: Sequence[str], names: Sequence[Name]) -> list[str]:
    """What else the texts call by a name that passages or beliefs of this memory call so too."""
    written = dict.fromkeys(one for text in texts for one in foreign_names(text))
    unknown = [one for one in written if not any(calls(one, name) for name in names)]
    return [one for one in unknown[:_MOST_LOOKED_UP] if _is_told_of(env, scope, one)]


def _is_told_of(env: Env, scope: Scope, name: str) -> bool:
    matches = env.index.match(scope, name, kinds=_TELLING, limit=_MOST_LOOKED_UP)
    passages = env.graph.passages_by_key(scope, [one.key for one in matches])
    nodes = env.graph.get_many(scope, [one.key for one in matches])
    texts = [one.text for one in passages.values()]
    texts += [one.statement for one in nodes.values() if isinstance(one, Belief)]
    wanted = f"-{canonical_name(name)}-"
    return any(wanted in f"-{canonical_name(text)}-" for text in texts)
