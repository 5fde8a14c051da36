"""Statements worth holding true: the one in a request to remember, and all that a source makes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remanent.core.model.belief import OWNER, BeliefType
from remanent.core.model.mind_types import BeliefDraft
from remanent.errors import MindError
from remanent.minds.offline import lexicon
from remanent.minds.offline.frames import name_key
from remanent.minds.offline.mentions import PERSON
from remanent.minds.offline.names import Named, Names
from remanent.minds.offline.parser import Parser
from remanent.minds.offline.qualities import ONE_OF
from remanent.minds.offline.slots import STATUS
from remanent.minds.offline.voice import (
    Role,
    Said,
    is_question,
    is_statement,
    joined,
    name_for,
    subject_of,
    told_by_name,
    trimmed,
    with_swaps,
)
from remanent.minds.offline.worth import importance_of, root_of, type_of, will_hold

if TYPE_CHECKING:
    from spacy.tokens import Span, Token


_MOST = 12
_TRACKED = frozenset({PERSON, "project", "product", "organization"})
"""Kinds of names that a source may tell lasting things of."""
_HELD_BY = frozenset({"of", "for", "behind"})
_LONGEST_WORDS = 32
_IN_PASSING = 7
_LEAD_IN = re.compile(
    r"^\s*(?:(?:please|pls|hey|ok|okay)[,\s]+)*"
    r"(?:(?:can|could) you (?:please )?remember|remember|note to self|note|keep in mind|don['’]t forget|fyi"
    r"|for (?:the|your) (?:record|information)|just so you know|by the way|btw|reminder|i want you to (?:know|remember)"
    r"|i (?:just )?wanted to (?:let you know|say)|be aware)\b\s*[:,\-–—]*\s*(?:that\b\s*)?",
    re.IGNORECASE,
)


def believe(parser: Parser, text: str, owner_names: Sequence[str]) -> BeliefDraft:
    """The belief in what the owner asked us to remember."""
    plain = " ".join(text.split())
    bare = _without_lead_in(plain)
    if not any(character.isalnum() for character in bare):
        raise MindError("the text says nothing that could be believed")
    span = _carrying(list(parser.doc(bare).sents))
    tokens = [token for token in span if not token.is_space]
    kind = type_of(tokens)
    return BeliefDraft(
        statement=_capital(joined(tokens)),
        type=kind,
        importance=importance_of(tokens, kind),
        subject=_subject(tokens, owner_names),
    )


def _without_lead_in(text: str) -> str:
    """ "Remember that I live in Bergen" -> "I live in Bergen"; an order to do something stays."""
    found = _LEAD_IN.match(text)
    rest = text[found.end() :] if found else text
    return text if not rest or rest.lower().startswith("to ") else rest


def _carrying(spans: Sequence[Span]) -> Span:
    def rank(span: Span) -> tuple[bool, int]:
        tokens = list(span)
        return is_statement(span), importance_of(tokens, type_of(tokens))

    readable = [span for span in spans if any(t.is_alpha or t.like_num for t in span)] or list(
        spans
    )
    return max(readable, key=rank)  # the first of the best


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _subject(tokens: Sequence[Token], owner_names: Sequence[str]) -> str:
    """Whom it is about: a named subject, a role ("sister"), else the owner and their world."""
    root = root_of(tokens)
    subject = subject_of(root) if root is not None else None
    if subject is None or subject.lower_ in lexicon.FIRST_PERSON | lexicon.PLURAL:
        return OWNER
    name = _named(subject)
    owners = {
        part for owner in owner_names for part in (owner.casefold(), owner.casefold().split(" ")[0])
    }
    return OWNER if name in owners else name


def _named(subject: Token) -> str:
    for child in subject.children:
        if child.dep_ == "appos" and child.pos_ == "PROPN":
            return name_key(child)
    if subject.pos_ == "PROPN":
        return name_key(subject)
    possessor = next((child for child in subject.children if child.dep_ == "poss"), None)
    if possessor is not None and possessor.pos_ == "PROPN":
        return name_key(possessor)
    mine = possessor is not None and possessor.lower_ == "my"
    one = subject.tag_ == "NN" and subject.lemma_.lower() in lexicon.ROLES
    return subject.lemma_.lower() if mine and one else OWNER


# --- all beliefs of a source -------------------------------------------------------------------


def find_beliefs(
    told: Sequence[Said], names: Names, owner_names: Sequence[str]
) -> list[BeliefDraft]:
    """The best dozen, in the order of the text."""
    found: list[BeliefDraft] = []
    for said in told:
        if said.role is Role.ASSISTANT or is_question(said.span):
            continue
        for tokens in units(said.span):
            draft = _draft(tokens, said, names, owner_names)
            if draft is not None and draft.statement not in {one.statement for one in found}:
                found.append(draft)
        found += _in_passing(said, names, {one.statement for one in found})
    ranked = sorted(range(len(found)), key=lambda i: (-found[i].importance, i))[:_MOST]
    return [found[i] for i in sorted(ranked)]


def _in_passing(said: Said, names: Names, known: Collection[str]) -> list[BeliefDraft]:
    """What is told beside the main clause; less of a matter than who one is."""
    drafts = {
        one.statement: BeliefDraft(
            statement=f"{one.statement}.",
            importance=_IN_PASSING,
            subject=one.about.casefold(),
            passage_key=said.passage.key,
        )
        for one in outright(said, names)
    }
    return [one for one in drafts.values() if one.statement not in known]


def units(span: Span) -> list[list[Token]]:
    """The sentence cut where a new main clause with a subject of its own begins."""
    heads = [span.root]
    for token in span:
        independent = token.dep_ in {"conj", "parataxis", "ccomp"} and token.head in heads
        apart = token.dep_ != "ccomp" or token.i < token.head.i or _is_behind_colon(token)
        if (
            independent
            and apart
            and token.pos_ in {"VERB", "AUX"}
            and subject_of(token) is not None
        ):
            heads.append(token)
    parts: dict[int, list[Token]] = {head.i: [] for head in heads}
    for token in span:
        holder = token
        while holder.i not in parts and holder.head != holder:
            holder = holder.head
        parts[holder.i if holder.i in parts else span.root.i].append(token)
    return [trimmed(tokens) for tokens in parts.values()]


def _is_behind_colon(clause: Token) -> bool:
    """ "I got that wrong: I live in Oslo"."""
    first = min(clause.subtree, key=lambda token: token.i)
    return first.i > 0 and first.nbor(-1).text in {":", ";", "—", "–"}


def _draft(
    tokens: Sequence[Token], said: Said, names: Names, owner_names: Sequence[str]
) -> BeliefDraft | None:
    root = root_of(tokens)
    if root is None or not 3 <= len(tokens) <= _LONGEST_WORDS or not will_hold(root, tokens):
        return None
    subject = subject_of(root)
    if subject is None or subject not in tokens:
        return None
    told = _told(tokens, subject, said, names)
    if told is None:
        return None
    statement, about = told
    kind = type_of(tokens)
    if kind is BeliefType.PROCEDURAL:
        kind = BeliefType.FACTUAL
    owners = names.owner_spellings | {name.casefold() for name in owner_names}
    return BeliefDraft(
        statement=f"{_capital(statement)}.",
        type=kind,
        importance=importance_of(tokens, kind),
        subject=OWNER if about in owners else about,
        passage_key=said.passage.key,
    )


def _told(
    tokens: Sequence[Token], subject: Token, said: Said, names: Names
) -> tuple[str, str] | None:
    """The statement in words that stand alone, and whom it is about; None if nobody knows."""
    about = _named_by(subject, said, names) or _holder_of(subject, said, names)
    by_name = about is not None and about.kind in _TRACKED
    if not _is_clear(tokens, subject, said, names) or not (by_name or _is_own(subject)):
        return None
    key = about.name.casefold() if by_name and about is not None else _named(subject)
    meant = about is not None and subject.lower_ in lexicon.FEMALE | lexicon.MALE
    swapped = name_for(subject, about.name) if about is not None and meant else {}
    if said.role is Role.OWNER:
        return with_swaps(tokens, swapped), OWNER if subject.lower_ in {"i", "we"} else key
    speaker = names.speaker_of(said)
    if speaker is None:
        return None
    text = told_by_name(tokens, speaker.name) if not swapped else with_swaps(tokens, swapped)
    if text is None or (swapped and any(t.lower_ in lexicon.FIRST_PERSON for t in tokens)):
        return None
    return text, speaker.name.casefold() if key == OWNER or not by_name else key


def _is_clear(tokens: Sequence[Token], subject: Token, said: Said, names: Names) -> bool:
    """False if a pronoun up to the subject could be anybody."""
    pronouns = lexicon.FEMALE | lexicon.MALE | {"they", "them", "their"}
    loose = (token for token in tokens if token.lower_ in pronouns and token.i <= subject.i)
    return all(names.of(said, token) is not None for token in loose)


def _named_by(subject: Token, said: Said, names: Names) -> Named | None:
    """Whoever the subject is, by its own name or the one beside it: "my wife Julia"."""
    beside = [child for child in subject.children if child.dep_ in {"appos", "compound"}]
    found = (names.of(said, token) for token in (subject, *beside))
    return next((one for one in found if one is not None), None)


def _holder_of(subject: Token, said: Said, names: Names) -> Named | None:
    """Whose it is: "Maria's car", "the deadline for Atlas", and "Rex" who "is Maria's dog"."""
    for noun in (subject, _said_to_be(subject)):
        holders = [] if noun is None else _possessors(noun)
        if noun is not None and noun.pos_ == "NOUN":
            preps = [c for c in noun.children if c.dep_ == "prep" and c.lower_ in _HELD_BY]
            holders += [c for prep in preps for c in prep.children if c.dep_ == "pobj"]
        found = (names.of(said, token) for token in holders)
        if (one := next((one for one in found if one is not None), None)) is not None:
            return one
    return None


def _said_to_be(subject: Token) -> Token | None:
    """What "is" makes of the subject."""
    if subject.head.lemma_ != "be":
        return None
    return next((child for child in subject.head.children if child.dep_ == "attr"), None)


def _is_own(subject: Token) -> bool:
    """True for I, we and whatever is mine: "my bank", and "Fjordbank" which "is my bank"."""
    if subject.lower_ in {"i", "we"}:
        return True
    nouns = [noun for noun in (subject, _said_to_be(subject)) if noun is not None]
    return any(one.lower_ in {"my", "our"} for noun in nouns for one in _possessors(noun))


def _possessors(noun: Token) -> list[Token]:
    """Whose it is, and whose that is in turn: "my dog's name"."""
    found: list[Token] = []
    pending = [noun]
    while pending:
        owners = [child for child in pending.pop().children if child.dep_ == "poss"]
        found += owners
        pending += owners
    return found


_NAME = r"(?:[A-Z][\w'’-]*[\w](?<!['’]s)(?: (?:[A-Z][\w'’-]*[\w]|\d+)(?<!['’]s))*)"
_WHOSE = rf"(?P<who>[Mm]y|{_NAME}['’]s?)"
_CONTACT = re.compile(
    rf"\b(?:[Rr]each|[Cc]all|[Tt]ext|[Pp]hone|[Rr]ing|[Cc]ontact) (?P<who>me|{_NAME}) (?:on|at|under)"
    r" (?P<value>\+?\d[\d ()/-]{4,}\d|[\w.+-]+@[\w-]+\.[\w.-]*\w)"
)
_COLON = re.compile(
    rf"^(?:[^:]{{0,30}}[:,] )?{_WHOSE} (?P<noun>[a-z-]+(?: [a-z-]+)?)(?:: ?|, )(?P<value>[\w+][^?!:]{{1,60}}?)[.]?$"
)
_BESIDE = re.compile(rf"{_WHOSE} (?:new |old |little |big )?(?P<noun>[a-z-]+),? (?P<value>{_NAME})")
_BEHIND = re.compile(
    rf"(?P<value>(?:Dr\. )?{_NAME}), {_WHOSE} (?:new |old )?(?P<noun>[a-z-]+)(?=[,.;!]|$)"
)
_COUPLE = re.compile(
    rf"\b(?P<one>I|{_NAME}) and (?P<other>I|{_NAME}) (?:are|have been) (?:now )?(?:a couple|together|an item)"
    r"(?=[.,;!]|$| now| again| since| for (?:a |\w+ (?:year|month|week))| these)"
)
_WHERE = re.compile(
    rf"(?:\b(?:At|In|From|To) )?(?P<value>{_NAME}),? where (?P<who>I|{_NAME}) (?P<verb>work|live|study|studie)s?\b"
)
_STANDING = re.compile(
    rf"^(?:On )?(?P<what>{_NAME})(?:, in [\w ]+)?: (?P<value>[^.?!:]{{3,50}})[.]?$"
)
_HELD = lexicon.PETS | lexicon.PARTNERS | lexicon.CARERS | lexicon.RELATIVES | lexicon.JOBS
_AT = {"work": "at", "live": "in", "study": "at", "studie": "at"}


class Outright(NamedTuple):
    """A statement that stands alone, and whom it is about."""

    statement: str
    about: str


def outright(said: Said, names: Names) -> Iterator[Outright]:
    """What a sentence tells in passing."""
    text = " ".join(said.span.text.split())
    yield from _attributes(said, names, text)
    for found in _COUPLE.finditer(text):
        one, other = sorted((found["one"], found["other"]), key=lambda name: name != "I")
        if (whose := _whose(one, said, names)) is not None:
            yield Outright(f"{_owner(whose)} partner is {_spelled(other, said, names)}", whose)
    for found in _WHERE.finditer(text):
        if (whose := _whose(found["who"], said, names)) is not None:
            verb, at = found["verb"].replace("studie", "study"), _AT[found["verb"]]
            yield Outright(f"{_does(whose, verb)} {at} {found['value']}", whose)
    standing = _STANDING.match(text)
    if standing is not None and _has_status(standing["value"]):
        what = _known(standing["what"], names)
        if what is not None:
            yield Outright(f"{what} is {standing['value']}", what)


def _attributes(said: Said, names: Names, text: str) -> Iterator[Outright]:
    found: list[tuple[str, str, str]] = [
        (one["who"], "email address" if "@" in one["value"] else "phone number", one["value"])
        for one in _CONTACT.finditer(text)
    ]
    for pattern in (_BESIDE, _BEHIND):
        found += [
            (one["who"], one["noun"], one["value"])
            for one in pattern.finditer(text)
            if one["noun"] in _HELD
        ]
    colon = _COLON.match(text)
    if colon is not None and colon["noun"].split()[-1] in ONE_OF and not _has_verb(said):
        found.append((colon["who"], colon["noun"], colon["value"]))
    for who, noun, value in found:
        if (whose := _whose(who, said, names)) is not None:
            named = "is called" if noun in lexicon.PETS else "is"
            yield Outright(f"{_owner(whose)} {noun} {named} {value}", whose)


def _has_status(value: str) -> bool:
    return not STATUS.isdisjoint(re.findall(r"\w+", value.lower()))


def _has_verb(said: Said) -> bool:
    return any(token.pos_ in {"VERB", "AUX"} and token.tag_ != "VB" for token in said.span)


def _whose(who: str, said: Said, names: Names) -> str | None:
    """The owner, or the name of somebody who is known; None for anybody else."""
    bare = re.sub(r"['’]s?$", "", who)
    if bare.lower() in {"i", "me", "my"}:
        if said.role is Role.OWNER:
            return OWNER
        speaker = names.speaker_of(said)
        return None if speaker is None else speaker.name
    return OWNER if bare.casefold() in names.owner_spellings else _known(bare, names)


def _known(name: str, names: Names) -> str | None:
    folded = name.casefold()
    return next((one.name for one in names.named if folded in one.spellings), None)


def _spelled(name: str, said: Said, names: Names) -> str:
    if name != "I" or said.role is Role.OWNER:
        return name
    speaker = names.speaker_of(said)
    return name if speaker is None else speaker.name


def _owner(whose: str) -> str:
    return "My" if whose == OWNER else f"{whose}'s"


def _does(whose: str, verb: str) -> str:
    third = f"{verb[:-1]}ies" if verb.endswith("y") else f"{verb}s"
    return f"I {verb}" if whose == OWNER else f"{whose} {third}"
