"""What kind of statement something is, how much it matters and whether it will still hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from remanent.core.model.belief import BeliefType
from remanent.minds.offline import lexicon
from remanent.minds.offline.slots import is_standing
from remanent.minds.offline.voice import is_negated, subject_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_TECHNICAL = lexicon.words(
    "database db api backend frontend server service microservice framework library python java"
    " javascript typescript rust go golang postgres postgresql mysql sqlite redis kafka docker"
    " kubernetes aws azure gcp react vue django flask fastapi terraform git github repo repository"
    " code codebase schema queue cache cluster endpoint module package deploy deployment pipeline ci"
    " branch migration authentication oauth jwt graphql rest grpc monorepo mongodb neo4j nginx linux"
    " config architecture stack orm storage bucket s3 lambda cloud app software system log ledger"
)
_CHOICE_VERBS = lexicon.words(
    "use decide build deploy choose switch migrate host store write pick adopt run"
)
_STEP_WORDS = re.compile(
    r"\b(how to|step \d|steps?:|first,|make sure|remember to|in order to|whenever|when you)\b",
    re.IGNORECASE,
)
_LASTING_VERBS = lexicon.words(
    "live reside work own speak study play move join marry graduate retire adopt become teach volunteer"
    " collect drive run love like hate dislike prefer enjoy adore want plan use"
    " have practice train belong bear divorce engage name call come start quit leave stop manage lead"
    " paint write sing dance cook bake garden hike swim surf read watch eat drink smoke suffer wear"
    " support coach mentor specialize major aim dream intend learn sell open found buy relocate settle"
    " avoid take wake sleep share keep raise breed ride climb cycle ski travel cost owe sign sleep"
    " do spend go bank lift store base react"
)
_CHANGES = lexicon.words(
    "move join marry graduate retire adopt become bear divorce engage name start quit leave stop open"
    " found buy relocate settle sign sell hire promote switch migrate"
)
_GOING_ON = lexicon.words(
    "learn study work train live plan write build take volunteer teach run save date prepare practice"
    " do drive lead"
)
_TURNS = lexicon.words(
    "move join marry graduate retire adopt become divorce quit relocate settle switch hire promote"
)
"""Changes that hold from the day on which they are told."""
_ACQUIRED = lexicon.words("get pick find land take receive bring")
_POSTS = lexicon.words("job position role post")
_CHORES = lexicon.words(
    "call visit reply answer email mail letter message favour favor drink beer coffee lunch dinner"
    " apology text postcard"
)
_VAGUE = lexicon.words(
    "it that this them those these one something everything so much lot stuff things"
)


def type_of(tokens: Sequence[Token]) -> BeliefType:
    """The type of belief that a statement makes."""
    text = " ".join(token.text for token in tokens)
    lemmas = {token.lemma_.lower() for token in tokens}
    root = root_of(tokens)
    if _is_preference(tokens, lemmas):
        return BeliefType.PREFERENCE
    if _STEP_WORDS.search(text) or _commands(root):
        return BeliefType.PROCEDURAL
    if lemmas & _TECHNICAL and root is not None and _chooses(root):
        return BeliefType.ARCHITECTURAL
    return BeliefType.FACTUAL


def _is_preference(tokens: Sequence[Token], lemmas: set[str]) -> bool:
    if lemmas & {"favourite", "favorite"}:
        return True
    return any(
        token.pos_ == "VERB"
        and token.lemma_.lower() in lexicon.LIKE_VERBS | lexicon.HATE_VERBS
        and not any(c.lower_ in {"would", "'d", "’d"} for c in token.children)
        for token in tokens
    ) or ("stand" in lemmas and any(t.lower_ in {"ca", "can't", "cannot"} for t in tokens))


def _commands(root: Token | None) -> bool:
    """ "Always run the tests", "never push on Fridays": a rule for doing things."""
    if root is None or root.tag_ not in {"VB", "VBP"}:
        return False
    return subject_of(root) is None


def _chooses(root: Token) -> bool:
    verbs = [root, *(child for child in root.children if child.dep_ == "xcomp")]
    subject = subject_of(root)
    ours = subject is None or subject.lower_ in {"we", "they"} or subject.pos_ in {"NOUN", "PROPN"}
    return ours and any(verb.lemma_.lower() in _CHOICE_VERBS for verb in verbs)


def importance_of(tokens: Sequence[Token], kind: BeliefType) -> int:
    """From 1 to 10: health and safety 9, who one is 7 to 8, likings 6, plans 5, the rest 4, chores 2."""
    lemmas = {token.lemma_.lower() for token in tokens} | {token.lower_ for token in tokens}
    if _is_chore(tokens, lemmas):
        return 2
    if lemmas & lexicon.HEALTH:
        return 9
    if kind is BeliefType.PREFERENCE:
        return 6
    identity = lemmas & (lexicon.IDENTITY | lexicon.JOBS)
    root = root_of(tokens)
    if root is not None and root.lemma_.lower() in lexicon.WANT_VERBS:
        return 5
    if identity:
        return 8 if len(identity) > 1 or identity & _ROOTS_OF_LIFE else 7
    return _lesser_importance(tokens, kind, lemmas)


def _is_chore(tokens: Sequence[Token], lemmas: set[str]) -> bool:
    """Something small that is to be done, or over within days: "I owe Ann a call", "Tom has a cold"."""
    root = root_of(tokens)
    if root is None:
        return False
    things = {c.lemma_.lower() for c in root.children if c.dep_ in {"dobj", "dative", "attr"}}
    owed = root.lemma_ == "owe" and bool(things & _CHORES)
    passing = root.lemma_ == "have" and bool(things & {"cold", "flu", "headache", "meeting"})
    soon = root.lemma_.lower() in lexicon.WANT_VERBS and "next" in lemmas
    return owed or (passing and not lemmas & {"every", "often", "always"}) or soon


_ROOTS_OF_LIFE = frozenset({"live", "bear", "born", "marry", "married", "home"})


def _lesser_importance(tokens: Sequence[Token], kind: BeliefType, lemmas: set[str]) -> int:
    if kind in {BeliefType.PROCEDURAL, BeliefType.ARCHITECTURAL}:
        return 6
    if lemmas & lexicon.PLANS:
        return 5
    return 4 if any(token.ent_type_ for token in tokens) else 3


def root_of(tokens: Sequence[Token]) -> Token | None:
    """The verb that the others hang on."""
    inside = {token.i for token in tokens}
    for token in tokens:
        top = token.head.i not in inside or token.head == token
        if top and token.pos_ in {"VERB", "AUX"}:
            return token
    return next((token for token in tokens if token.pos_ in {"VERB", "AUX"}), None)


def will_hold(root: Token, tokens: Sequence[Token]) -> bool:
    """True for what is likely still true next week."""
    words = {token.lower_ for token in tokens}
    if words & lexicon.HYPOTHETICAL or words & {"you", "your", "yourself", "y'all", "u"}:
        return False
    passing = words & lexicon.TRANSIENT_TIME
    if root.tag_ in {"VBZ", "VBP"} and "this" not in words:
        passing -= _PARTS_OF_DAY  # "I drink tea in the morning" is said of all mornings
    passing -= _from_then_on(root, tokens)
    if passing and not words & {"every", "now"}:
        return False
    if points_away(root, tokens):
        return False
    if is_standing(root, tokens):
        return True
    deeds = (root, *(one for one in root.conjuncts if subject_of(one) is None))
    return any(_is_quality(one) if one.lemma_ == "be" else _is_lasting_deed(one) for one in deeds)


_PARTS_OF_DAY = frozenset({"morning", "afternoon", "evening"})


def _from_then_on(root: Token, tokens: Sequence[Token]) -> frozenset[str]:
    """Words of today that begin something: "from today", and "we moved to Oslo today"."""
    texts = [token.lower_ for token in tokens]
    begun = any(
        before in {"from", "of"} and after in {"today", "tomorrow"}
        for before, after in pairwise(texts)
    )
    if begun or (root.lemma_.lower() in _TURNS and root.tag_ in {"VBD", "VBN"}):
        return frozenset({"today", "tomorrow"} if begun else {"today"})
    return frozenset()


def points_away(root: Token, within: Sequence[Token] | None = None) -> bool:
    """True if the sentence cannot be read without another: "I love it", "I like that painting"; told
    of some of its words only, if these are all that is taken of it."""
    for child in root.children if within is None else [c for c in root.children if c in within]:
        if child.dep_ not in {
            "dobj",
            "attr",
            "nsubj",
            "nsubjpass",
            "acomp",
            "xcomp",
            "ccomp",
            "prep",
        }:
            continue
        for part in child.subtree:
            if (
                part.lower_ in _VAGUE
                and part.dep_ not in {"mark", "advmod", "nummod"}
                and part.tag_ != "WDT"
                and part.head.lower_ != "days"  # "these days"
            ):
                return True
    return False


def _is_quality(root: Token) -> bool:
    if any(c.dep_ == "aux" and c.lower_ in lexicon.MODALS for c in root.children):
        return False
    subject = subject_of(root)
    attribute = next(
        (c for c in root.children if c.dep_ in {"attr", "acomp", "prep", "oprd"}), None
    )
    if attribute is None or subject is None or root.tag_ == "VBD":
        return False
    if attribute.dep_ == "acomp":
        favourite = any(c.lower_ in {"favourite", "favorite"} for c in subject.children)
        return favourite or attribute.lower_ in _LASTING_QUALITIES
    if attribute.dep_ == "prep":
        return _is_lasting_place(attribute, subject)
    return (
        attribute.pos_ in {"NOUN", "PROPN", "NUM"}
        and attribute.lemma_.lower() not in lexicon.GENERIC
    )


def _is_lasting_place(prep: Token, subject: Token) -> bool:
    """Where somebody or something is for long, what somebody is into, and whom something is for."""
    kinds = {t.ent_type_ for t in prep.subtree}
    named = any(t.pos_ == "PROPN" for t in prep.children)
    match prep.lower_:
        case "into":  # "I am into chess"
            return any(c.dep_ == "pobj" for c in prep.children)
        case "from" | "in" if kinds & {"GPE", "ORG"}:
            return True
        case "at" if any(c.lower_ == "still" for c in prep.head.children):
            return "ORG" in kinds
        case "for" if subject.pos_ == "PROPN":
            return named
        case "on" | "at" | "with":  # "my account is at Fjordbank"
            return any(c.dep_ == "poss" for c in subject.children) and bool(kinds & _SAID_BY_NAME)
        case _:
            return False


_SAID_BY_NAME = frozenset({"GPE", "ORG", "DATE", "FAC", "PERSON", "PRODUCT"})
_LASTING_QUALITIES = lexicon.words(
    "allergic married single divorced engaged vegetarian vegan pregnant diabetic asthmatic intolerant"
    " lactose-intolerant left-handed bilingual retired unemployed deaf blind old young transgender gay"
    " lesbian bisexual religious catholic muslim jewish christian buddhist tall short passionate keen due"
    " scared afraid interested fluent dyslexic addicted fond based born red blue green black white"
)


def _is_lasting_deed(root: Token) -> bool:
    lemma = root.lemma_.lower()
    auxiliaries = [c for c in root.children if c.dep_ in {"aux", "auxpass"}]
    if any(c.lower_ in lexicon.MODALS for c in auxiliaries):
        return lemma in {"stand", "eat", "drink"} and is_negated(root)
    if lemma == "use" and any(c.dep_ == "xcomp" for c in root.children):
        return True
    if any(c.dep_ == "prt" and (lemma, c.lower_) in _PHRASES for c in root.children):
        return _has_company(root)
    past = root.tag_ == "VBD" or any(c.tag_ == "VBD" for c in auxiliaries)
    if root.tag_ == "VBG":
        return (lemma in _GOING_ON or _is_hobby(root)) and not past
    # "Is called Rex" holds, "has called" is over.
    is_done_to = any(c.dep_ == "auxpass" and c.tag_ in {"VBZ", "VBP"} for c in auxiliaries)
    if past or (root.tag_ == "VBN" and not is_done_to):
        turned = lemma in _CHANGES and _has_company(root)
        return turned or _is_acquired(root) or _is_decided(root) or _is_exchanged(root)
    return lemma in _LASTING_VERBS and _has_company(root)


def _is_hobby(root: Token) -> bool:
    """ "My hobby is fencing" and "Ann does fencing", which the parser takes for something going on."""
    subject = subject_of(root)
    if any(c.dep_ == "aux" and c.lower_ in {"do", "does"} for c in root.children):
        return not is_negated(root)
    return subject is not None and subject.lemma_.lower() in _HOBBIES


_HOBBIES = lexicon.words("hobby passion pastime sport job")


def _is_acquired(root: Token) -> bool:
    """ "Got a new number", "took a job", "picked up my new bike": what one has from then on."""
    if root.lemma_.lower() not in _ACQUIRED:
        return False
    things = [c for c in root.children if c.dep_ == "dobj" and c.pos_ in {"NOUN", "PROPN"}]
    return any(
        thing.lemma_.lower() in _POSTS | lexicon.PETS
        or any(c.lower_ == "new" for c in thing.children)
        for thing in things
    )


def _is_decided(root: Token) -> bool:
    """ "We decided on Postgres": a choice among things known by name."""
    on = (c for c in root.children if c.dep_ == "prep" and c.lower_ in {"on", "for", "against"})
    return root.lemma_ == "decide" and any(t.pos_ == "PROPN" for prep in on for t in prep.children)


def _is_exchanged(root: Token) -> bool:
    """ "Traded the Panda in for a Leaf", "changed gyms": one takes the place of another from then on."""
    if root.lemma_.lower() in {"trade", "swap", "exchange"}:
        got = [
            t for c in root.children if c.dep_ == "prep" and c.lower_ == "for" for t in c.subtree
        ]
        return any(t.pos_ == "PROPN" for t in got)
    things = {c.lower_ for c in root.children if c.dep_ == "dobj"}
    return root.lemma_.lower() == "change" and bool(things & _CHANGED)


_CHANGED = lexicon.words("gyms banks dentists doctors jobs schools careers employers universities")
_PHRASES = frozenset({("take", "up"), ("take", "over"), ("give", "up")})
_NEEDS_OBJECT = frozenset(
    {"quit", "leave", "stop", "join", "buy", "start", "found", "open", "get", "have"}
)


def _has_company(root: Token) -> bool:
    if root.lemma_.lower() == "start" and any(
        (c.lower_ == "at" and any(t.pos_ == "PROPN" for t in c.subtree))
        or (c.lower_ == "with" and any(t.pos_ in {"NOUN", "PROPN"} for t in c.children))
        for c in root.children
    ):
        return True
    if root.lemma_.lower() in _NEEDS_OBJECT:
        things = [c for c in root.children if c.dep_ in {"dobj", "xcomp"}]
        return any(c.pos_ in {"NOUN", "PROPN", "VERB", "NUM"} for c in things)
    deps = {
        "dobj",
        "prep",
        "xcomp",
        "attr",
        "oprd",
        "acomp",
        "agent",
        "npadvmod",
        "advmod",
        "prt",
        "auxpass",
    }
    return any(child.dep_ in deps for child in root.children)
