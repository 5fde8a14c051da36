"""What kind of statement something is, how much it matters and whether it will still hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from remanent.minds.offline import lexicon
from remanent.minds.offline.said import is_negated, subject_of
from remanent.model.belief import BeliefType

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
)
_CHANGES = lexicon.words(
    "move join marry graduate retire adopt become bear divorce engage name start quit leave stop open"
    " found buy relocate settle sign sell hire promote"
)
_GOING_ON = lexicon.words(
    "learn study work train live plan write build take volunteer teach run save date prepare practice"
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
    """From 1 to 10: health and safety 9, who one is 7 to 8, likings 6, plans 5, the rest 4."""
    lemmas = {token.lemma_.lower() for token in tokens} | {token.lower_ for token in tokens}
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
    if words & lexicon.TRANSIENT_TIME and not words & {"every", "now"}:
        return False
    if points_away(root):
        return False
    return _is_quality(root) if root.lemma_ == "be" else _is_lasting_deed(root)


def points_away(root: Token) -> bool:
    """True if the sentence cannot be read without another: "I love it", "I like that painting"."""
    for child in root.children:
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
        return attribute.lower_ in {"from", "in"} and any(
            t.ent_type_ in {"GPE", "ORG"} for t in attribute.subtree
        )
    return (
        attribute.pos_ in {"NOUN", "PROPN", "NUM"}
        and attribute.lemma_.lower() not in lexicon.GENERIC
    )


_LASTING_QUALITIES = lexicon.words(
    "allergic married single divorced engaged vegetarian vegan pregnant diabetic asthmatic intolerant"
    " lactose-intolerant left-handed bilingual retired unemployed deaf blind old young transgender gay"
    " lesbian bisexual religious catholic muslim jewish christian buddhist tall short passionate keen"
    " scared afraid interested fluent dyslexic addicted fond based born red blue green black white"
)


def _is_lasting_deed(root: Token) -> bool:
    lemma = root.lemma_.lower()
    auxiliaries = [c for c in root.children if c.dep_ in {"aux", "auxpass"}]
    if any(c.lower_ in lexicon.MODALS for c in auxiliaries):
        return lemma == "stand" and is_negated(root)
    if lemma == "use" and any(c.dep_ == "xcomp" for c in root.children):
        return True
    past = root.tag_ == "VBD" or any(c.tag_ == "VBD" for c in auxiliaries)
    if root.tag_ == "VBG":
        return lemma in _GOING_ON and not past
    if past or root.tag_ == "VBN":
        return lemma in _CHANGES and _has_company(root)
    return lemma in _LASTING_VERBS and _has_company(root)


_NEEDS_OBJECT = frozenset(
    {"quit", "leave", "stop", "join", "buy", "start", "found", "open", "get", "have"}
)


def _has_company(root: Token) -> bool:
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
