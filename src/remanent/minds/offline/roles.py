"""Who does what, where, when and how: a statement as roles, for verbs that no slot knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from remanent.minds.offline import lexicon
from remanent.minds.offline.frames import (
    Deed,
    State,
    deeds,
    is_proper,
    is_thing,
    lemma_of,
    subject_key,
    words_of,
)
from remanent.minds.offline.moments import (
    is_month,
    is_time,
    is_weekday,
    opposite_words,
    plain,
    plain_word,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Words = frozenset[str]

_OBJECTS = frozenset({"dobj", "attr", "acomp", "oprd", "xcomp", "ccomp"})
_BESIDE = frozenset({"advmod", "npadvmod", "prep", "dative", "agent", "prt", "advcl", "acomp"})
_NAMING = lexicon.words("compound amod nummod nmod quantmod conj advmod")
_ADDING_NOTHING = lexicon.words("now currently just still already also too really usually always")
TIMES = lexicon.words("clock day date month year days when")
"""What the roles of time begin with."""
_EDGES = lexicon.words("until till from since before after by")


@dataclass(frozen=True, slots=True)
class Told:
    """One verb with its roles.

    `thing` when its subject is nobody, `named` when it has a name, `definite` when the object is a
    certain one ("the", "my"), `proper` for the roles that are filled by names, `by_agent` when it was
    said of the object by whom it is done.
    """

    verb: str
    roles: dict[str, Words]
    positive: bool
    state: State
    thing: bool
    definite: bool
    named: bool
    proper: frozenset[str]
    by_agent: bool


def told(doc: Doc, aside: Words = frozenset()) -> list[Told]:
    """The roles of every main verb; `aside` is what else was said."""
    return [_told(deed, doc, aside) for deed in deeds(doc)]


def _told(deed: Deed, doc: Doc, aside: Words) -> Told:
    verb, roles, objects = _core(deed)
    for part in _beside(deed.verb, objects):
        if part.dep_ == "prt":
            verb = f"{verb} {part.lower_}"
            for deeper in (c for c in part.children if c.dep_ == "prep"):
                _fill_beside(roles, deeper)
        else:
            _fill_beside(roles, part)
    filled = {role: plain(words) for role, words in roles.items() if words}
    rest = (_spare(deed, doc, filled) - set(verb.split())) | aside
    return Told(
        verb=plain_word(verb),
        roles=filled | ({"rest": rest} if rest else {}),
        positive=deed.positive,
        state=_state(deed, filled),
        thing=is_thing(deed.subject),
        definite=verb == "lead" or all(_is_definite(thing) for thing in objects),
        named=is_proper(_agent(deed.verb) or deed.subject),
        proper=frozenset(_proper(deed.verb, objects)),
        by_agent=_agent(deed.verb) is not None,
    )


def _core(deed: Deed) -> tuple[str, dict[str, set[str]], list[Token]]:
    """The verb, its subject and its objects; a passive that names who did it is turned round."""
    roles: dict[str, set[str]] = {"subject": {subject_key(deed.subject)}}
    verb, passive = deed.lemma, deed.subject.dep_ == "nsubjpass"
    objects = [c for c in deed.verb.children if c.dep_ in _OBJECTS]
    agent = _agent(deed.verb) if passive else None
    if agent is not None:  # "the face is painted by her": she paints the face
        roles["subject"] = {subject_key(agent)}
        objects.append(deed.subject)
    elif passive and deed.verb.lower_ in opposite_words():  # "is closed" is a quality
        verb, roles["object"] = "be", {deed.verb.lower_}
    elif passive:
        verb = f"be {verb}"
    for thing in objects:
        _fill_object(roles, thing)
    return verb, roles, objects


def _spare(deed: Deed, doc: Doc, filled: dict[str, Words]) -> Words:
    """What the statement says beside all roles."""
    covered = {w for words in filled.values() for part in words for w in part.split()}
    subject = plain(w for key in filled["subject"] for w in key.replace("'s", "").split())
    said = plain(words_of(doc))
    return said - covered - subject - {plain_word(deed.lemma)} - _ADDING_NOTHING - filled.keys()


def _state(deed: Deed, filled: dict[str, Words]) -> State:
    """What "will" happen at a set time is as good as what happens then."""
    will = any(c.lower_ in {"will", "shall"} for c in deed.verb.children)
    timed = any(role.split()[0] in TIMES for role in filled)
    return State.NOW if will and timed and deed.state is State.UNREAL else deed.state


def _proper(verb: Token, objects: Iterable[Token]) -> Iterator[str]:
    """The roles that are filled by a name."""
    for part in _beside(verb, objects):
        for thing in (c for c in part.children if c.dep_ == "pobj"):
            if is_proper(thing):
                yield _role_after(part.lower_, thing)


def _agent(verb: Token) -> Token | None:
    by = next((c for c in verb.children if c.dep_ == "agent"), None)
    return next((c for c in by.children if c.dep_ == "pobj"), None) if by is not None else None


def _fill_object(roles: dict[str, set[str]], thing: Token) -> None:
    for token in _phrase(thing):
        role = "number" if token.like_num or token.pos_ == "NUM" else "object"
        roles.setdefault(role, set()).add(lemma_of(token))


def _phrase(head: Token) -> Iterator[Token]:
    """The words that make out what a noun phrase names, without what hangs on it by a preposition."""
    yield head
    for child in head.children:
        named = child.dep_ in {"dobj", "xcomp", "poss"} and child.pos_ != "PRON"
        if child.dep_ in _NAMING or named:
            yield from _phrase(child)


def _beside(verb: Token, objects: Iterable[Token]) -> Iterator[Token]:
    for child in verb.children:
        if child.dep_ in _BESIDE - {"agent"} and child.dep_ not in _OBJECTS:
            yield child
    for thing in objects:
        yield from (
            c for c in thing.children if c.dep_ in {"prep", "npadvmod", "advmod"} and c.i > thing.i
        )


def _fill_beside(roles: dict[str, set[str]], part: Token) -> None:
    if part.dep_ not in {"prep", "dative", "agent"}:
        if part.lower_ not in _ADDING_NOTHING:
            _fill_modifier(roles, part)
        return
    for thing in (c for c in part.children if c.dep_ in {"pobj", "pcomp"}):
        words = list(_phrase(thing))
        role = _role_after(part.lower_, thing)
        roles.setdefault(role, set()).update(lemma_of(w) for w in words)
        for deeper in (c for w in words for c in w.children if c.dep_ == "prep"):
            _fill_beside(roles, deeper)
    for deeper in (c for c in part.children if c.dep_ == "prep"):
        _fill_beside(roles, deeper)


def _fill_modifier(roles: dict[str, set[str]], part: Token) -> None:
    words = {lemma_of(token) for token in _phrase(part)}
    role = _time_role(part) or "how"
    if any(c.lower_ in {"a", "an", "per", "every", "each"} for c in part.children):
        role = "rate"
    if any(token.like_num for token in _phrase(part)) and role == "how":
        role = "number"
    roles.setdefault(role, set()).update(words)
    for deeper in (c for c in part.children if c.dep_ == "prep"):
        _fill_beside(roles, deeper)


def _role_after(preposition: str, thing: Token) -> str:
    when = _time_role(thing)
    if when is not None:
        return f"{when} {preposition}" if preposition in _EDGES else when
    return preposition


def _time_role(thing: Token) -> str | None:
    word = thing.lower_
    if is_time(word) or thing.ent_type_ == "TIME":
        return "clock"
    if is_weekday(word):
        return "days" if word.endswith("s") else "day"
    if is_month(word) and thing.pos_ == "PROPN":
        return "date" if any(c.like_num for c in thing.children) else "month"
    if word.isdigit() and len(word) == 4 and word[:2] in {"19", "20"}:
        return "year"
    return "when" if thing.ent_type_ == "DATE" else None


def _is_definite(noun: Token) -> bool:
    if noun.pos_ in {"PROPN", "ADJ"} or (noun.tag_ == "NN" and noun.n_lefts == 0):
        return True
    return any(c.dep_ == "poss" or c.lower_ in {"the", "this", "that"} for c in noun.children)
