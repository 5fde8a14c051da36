"""A statement as (subject, slot, value): what is said of whom, in a form that can be compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from remanent.minds.offline import lexicon
from remanent.minds.offline.voice import is_negated, subject_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spacy.tokens import Doc, Token

_WILLING = lexicon.words("want plan hope wish need try consider think intend")
_ENDING = frozenset({"stop", "quit", "cease", "finish"})
_STARTING = frozenset({"start", "begin", "continue", "keep"})
_UNREAL = frozenset(
    {"would", "could", "might", "may", "should", "will", "shall", "'ll", "’ll", "'d", "ll"}
)
CHANGES = lexicon.words(
    "move relocate settle join become get turn marry divorce leave quit start switch change hire"
    " bear retire reschedule break transfer emigrate"
)
"""Verbs that in the past tense tell how things are now."""
_PLANNED = lexicon.words("move relocate join marry divorce retire switch become emigrate")
"""Verbs that in the present tense tell of what is to come."""
_BEING = lexicon.words("be have stop give finish sell take lose close open break buy")
TIMES = lexicon.words(
    "now today currently anymore longer still nowadays presently recently lately just already again"
    " really very so too also actually much lot always last week month year ago since new this"
)
"""Words that do not change what a statement says."""
_NARROWING = lexicon.words("compound amod nummod quantmod poss npadvmod nmod punct")
_DIRECTIONS = lexicon.words("up down without under over behind against")
_NOT_ADDING = lexicon.words("never give allergic allergy married engaged year old place")


class State(Enum):
    """When it holds: now, once but no more, or only in somebody's plans."""

    NOW = "now"
    PAST = "past"
    UNREAL = "unreal"


@dataclass(frozen=True, slots=True)
class Frame:
    """`value` holds lemmas; `extra` what the statement says beside subject, slot and value.

    `several` when the slot may hold others beside this one ("a dog named Rex"), `also` for what only
    follows: whoever is married to Ann is married.
    """

    subject: str
    slot: str
    value: frozenset[str]
    positive: bool = True
    state: State = State.NOW
    proper: bool = False
    extra: frozenset[str] = frozenset()
    several: bool = False
    also: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Deed:
    """A verb and its company; the verb is the one that means something ("used to *live*")."""

    verb: Token
    subject: Token
    positive: bool
    state: State

    @property
    def lemma(self) -> str:
        return _verb_lemma(self.verb)

    def child(self, *deps: str) -> Token | None:
        return next((child for child in self.verb.children if child.dep_ in deps), None)

    def after(self, *words: str) -> Token | None:
        """The object of one of these prepositions at the verb, its complement or its object."""
        for head in self._heads():
            for prep in head.children:
                if prep.lower_ in words and prep.dep_ in {
                    "prep",
                    "agent",
                    "dative",
                    "prt",
                    "advmod",
                }:
                    found = next((c for c in prep.children if c.dep_ in {"pobj", "pcomp"}), None)
                    if found is not None:
                        return found
        return None

    def _heads(self) -> Iterable[Token]:
        yield self.verb
        for child in self.verb.children:
            if child.dep_ in {"acomp", "attr", "dobj", "oprd", "prt", "advmod"}:
                yield child
            if child.dep_ == "prep":  # "moved from Oslo to Bergen" may hang the one on the other
                yield child
                yield from (c for c in child.children if c.dep_ == "pobj")


def deeds(doc: Doc) -> list[Deed]:
    """The main verbs of a statement with their subjects, coordinated ones one by one."""
    found: list[Deed] = []
    for sentence in doc.sents:
        verbs = [sentence.root]
        verbs += [c for c in sentence.root.conjuncts if c.pos_ in {"VERB", "AUX"}]
        subject: Token | None = None
        for verb in verbs:
            subject = subject_of(verb) or _subject_of_helper(verb) or subject
            if subject is not None and verb.pos_ in {"VERB", "AUX", "NOUN", "ADJ"}:
                found.append(deed_of(verb, subject))
    return found


def _subject_of_helper(verb: Token) -> Token | None:
    """ "Peter" in "Peter got engaged", which the parser may hang on "got"."""
    helpers = (c for c in verb.children if c.dep_ in {"aux", "auxpass"})
    return next((found for c in helpers if (found := subject_of(c)) is not None), None)


def deed_of(verb: Token, subject: Token) -> Deed:
    """What a verb and its helpers say: who, whether so or not, and when."""
    positive = not is_negated(verb) and not _negative_noun(subject)
    lemma = verb.lemma_.lower()
    carried = _carried(verb)
    if carried is not None:
        inner, kept, state = carried
        unreal = _state(verb) is State.UNREAL  # "might stop", "will start"
        return Deed(inner, subject, positive is kept, State.UNREAL if unreal else state)
    if any(c.tag_ == "DT" and c.lower_ == "no" for o in verb.children for c in o.children):
        positive = not positive
    willed = lemma in _WILLING - {"need", "try", "think"}
    return Deed(verb, subject, positive, State.UNREAL if willed else _state(verb))


def _carried(verb: Token) -> tuple[Token, bool, State] | None:
    """The verb that this one only helps ("used to live"), whether it stays true, and when."""
    inner = next(
        (c for c in verb.children if c.dep_ == "xcomp" and c.pos_ in {"VERB", "AUX"}), None
    )
    lemma = verb.lemma_.lower()
    ending = lemma in _ENDING or (lemma == "give" and any(c.lower_ == "up" for c in verb.children))
    if ending and (given_up := inner or _gerund(verb)) is not None:
        return given_up, False, State.NOW
    if inner is None:
        return None
    if lemma == "use" and verb.tag_ in {"VBD", "VBN"}:
        return inner, True, State.PAST
    if lemma in _STARTING:
        return inner, True, State.NOW
    if lemma in _WILLING or (lemma == "go" and inner.tag_ == "VB"):
        return inner, True, State.UNREAL
    return None


def _gerund(verb: Token) -> Token | None:
    """`smoking` in "quit smoking", which the tagger takes for a noun."""
    return next(
        (
            c
            for c in verb.children
            if c.dep_ == "dobj" and c.lower_.endswith("ing") and c.n_lefts == 0
        ),
        None,
    )


def _verb_lemma(verb: Token) -> str:
    lemma = verb.lemma_.lower()
    if verb.pos_ != "NOUN" or not lemma.endswith("ing"):
        return lemma
    stem = lemma[:-3]
    if len(stem) > 2 and stem[-1] == stem[-2]:
        return stem[:-1]
    short = (
        len(stem) > 2 and stem[-2] in "aeiou" and stem[-3] not in "aeiou" and stem[-1] not in "wxy"
    )
    return f"{stem}e" if short else stem


def _negative_noun(subject: Token) -> bool:
    return any(child.lower_ in {"no", "neither"} for child in subject.children)


def _state(verb: Token) -> State:
    auxiliaries = [c for c in verb.children if c.dep_ in {"aux", "auxpass"}]
    words = {c.lower_ for c in auxiliaries}
    if words & _UNREAL or any(c.dep_ == "mark" and c.lower_ == "if" for c in verb.children):
        return State.UNREAL
    lemma = verb.lemma_.lower()
    if lemma in _PLANNED and verb.tag_ in {"VBZ", "VBP", "VBG", "VB"} and "have" not in words:
        return State.UNREAL  # "moves on Saturday", "is joining them": it has not happened yet
    if "have" in {c.lemma_ for c in auxiliaries}:
        return _perfect(verb, words)
    past = verb.tag_ == "VBD" or any(c.tag_ == "VBD" for c in auxiliaries)
    return State.PAST if past and verb.lemma_.lower() not in CHANGES else State.NOW


def _perfect(verb: Token, helpers: set[str]) -> State:
    """ "Have lived in Rome" is past, "have lived there since May" and "have moved" are not."""
    lasting = any(c.dep_ == "prep" and c.lower_ in {"since", "for"} for c in verb.children)
    done = verb.lemma_.lower() in CHANGES | _BEING or "been" in helpers or is_negated(verb)
    return State.NOW if lasting or done else State.PAST


def fill(deed: Deed, slot: str, value: Token, *, positive: bool | None = None) -> Frame:
    """The frame that gives the deed's subject this value."""
    frame = fill_for(deed, deed.subject, slot, value)
    return frame if positive is None else replace(frame, positive=positive)


def fill_for(deed: Deed, owner: Token, slot: str, value: Token) -> Frame:
    """The frame that gives somebody else this value: the possessor in "my home is in Oslo"."""
    return Frame(
        subject=subject_key(owner),
        slot=slot,
        value=value_of(value),
        positive=deed.positive,
        state=deed.state,
        proper=is_proper(value),
    )


def is_thing(subject: Token) -> bool:
    """True for a noun that is not somebody."""
    people = lexicon.ROLES | {"parent", "grandparent", "family", "couple", "twin", "folk"}
    return subject.pos_ == "NOUN" and subject.lemma_.lower() not in people


def subject_key(token: Token) -> str:
    """Who or what a noun phrase names: "my sister Maria" -> maria, "my sister" -> owner's sister."""
    if token.lower_ in lexicon.FIRST_PERSON:
        return "owner"
    for child in token.children:
        if child.dep_ == "appos" and child.pos_ == "PROPN":
            return name_key(child)
    if token.pos_ == "PROPN":
        return name_key(token)
    possessor = next((c for c in token.children if c.dep_ == "poss"), None)
    words = [c.lemma_.lower() for c in token.children if c.dep_ in {"compound", "amod", "nummod"}]
    own = " ".join([*words, token.lemma_.lower()])
    of = complement(token, "of")
    if of is not None:
        return f"{subject_key(of)}'s {own}"
    about = complement(token, "with", "for", "in", "at", "on", "about", "to", "between")
    own = f"{own} about {subject_key(about)}" if about is not None else own
    return f"{subject_key(possessor)}'s {own}" if possessor is not None else own


def name_key(token: Token) -> str:
    """The name that ends with this token, without titles and role words."""
    parts = [c for c in token.children if c.dep_ in {"compound", "flat"} and c.i < token.i]
    words = [c.lower_ for c in parts if c.pos_ == "PROPN" and c.lower_ not in lexicon.TITLES]
    return " ".join([*words, token.lower_])


def complement(token: Token, *words: str) -> Token | None:
    """The noun behind one of these prepositions at a noun."""
    for child in token.children:
        if child.dep_ == "prep" and child.lower_ in words:
            return next((c for c in child.children if c.dep_ == "pobj"), None)
    return None


def value_of(token: Token) -> frozenset[str]:
    """The lemmas that make out what a phrase means, whatever determines or extends it."""
    words = {lemma_of(token)}
    if token.pos_ == "NUM":  # a telephone number is more than its first group
        words |= {lemma_of(t) for t in token.subtree if t.is_alpha or t.like_num}
    for child in token.children:
        if child.dep_ in _NARROWING and child.lower_ not in lexicon.FIRST_PERSON:
            words |= value_of(child) if child.is_alpha or child.like_num else set()
        elif child.dep_ == "prep" and child.lower_ in {"of", "for", "with"}:
            words |= {w for c in child.children if c.dep_ == "pobj" for w in value_of(c)}
        elif child.dep_ in {"dobj", "xcomp", "prt", "conj"}:
            words |= value_of(child)
    return frozenset(w for w in words if w not in TIMES)


def lemma_of(token: Token) -> str:
    """The lemma, a figure for a number word."""
    return _NUMBERS.get(token.lower_, token.lemma_.lower())


_COUNTING = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_NUMBERS = {word: str(number) for number, word in enumerate(_COUNTING)}


def is_proper(token: Token) -> bool:
    named = {"GPE", "ORG", "PERSON", "PRODUCT", "LOC", "FAC"}
    return token.pos_ == "PROPN" or token.ent_type_ in named


def words_of(doc: Doc) -> frozenset[str]:
    """The content lemmas of a whole statement."""
    return frozenset(
        lemma_of(t)
        for t in doc
        if (t.is_alpha or t.like_num or t.ent_type_) and not t.is_punct and _carries(t)
    )


def _carries(token: Token) -> bool:
    if token.lower_ in _DIRECTIONS:
        return True
    return (
        token.pos_ in {"NOUN", "PROPN", "VERB", "ADJ", "NUM", "ADV"} and token.lower_ not in TIMES
    )


def with_extra(frame: Frame, doc: Doc, used: Iterable[str]) -> Frame:
    """The frame, knowing what else its statement says."""
    spent = (
        frame.value
        | set(used)
        | set(frame.subject.replace("'s", "").split())
        | _ENDING
        | _STARTING
        | _NOT_ADDING
    )
    return replace(frame, extra=frozenset(w for w in words_of(doc) if w not in spent))
