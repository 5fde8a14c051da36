"""Other words for a question: as the statement that would answer it, as bare words, and wider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remanent.anchors.rules.query import keywords
from remanent.core.model.search import Rephrased
from remanent.minds.offline.parser import Parser

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_LONGEST = 600  # characters: a longer message is no question to turn round
_ASKING_TAGS = frozenset({"WDT", "WP", "WP$", "WRB"})
_EMPTY = frozenset({"kind", "type", "sort", "name", "time", "thing", "way", "reason", "number"})
_PAST = {
    "be": "was", "become": "became", "begin": "began", "break": "broke", "bring": "brought", "build": "built",
    "buy": "bought", "catch": "caught", "choose": "chose", "come": "came", "do": "did", "drink": "drank",
    "drive": "drove", "eat": "ate", "fall": "fell", "feel": "felt", "find": "found", "fly": "flew", "get": "got",
    "give": "gave", "go": "went", "grow": "grew", "have": "had", "hear": "heard", "keep": "kept", "know": "knew",
    "learn": "learned", "leave": "left", "lose": "lost", "make": "made", "mean": "meant", "meet": "met", "pay": "paid",
    "put": "put", "read": "read", "ride": "rode", "run": "ran", "say": "said", "see": "saw", "sell": "sold",
    "send": "sent", "sing": "sang", "sit": "sat", "sleep": "slept", "speak": "spoke", "spend": "spent", "swim": "swam",
    "take": "took", "teach": "taught", "tell": "told", "think": "thought", "wear": "wore", "win": "won", "write": "wrote",
}  # fmt: skip
"""Of verbs that do not simply take -ed."""


def rephrase(parser: Parser, question: str) -> Rephrased:
    """The statement that would answer it, its bare words, and a step back: whom and what it is about."""
    text = " ".join(question.split())
    if not text or len(text) > _LONGEST:
        return Rephrased()
    doc = parser.doc(text)
    bare = " ".join(keywords(text))
    found = [_stated(doc), bare]  # narrower ones (names and nouns alone) were measured to do harm
    fresh = {
        one.casefold(): one for one in found if " " in one and one.casefold() != text.casefold()
    }
    return Rephrased(phrasings=tuple(fresh.values()), step_back=_wider(doc))


def _stated(doc: Doc) -> str:
    """`When did Maria move?` as `Maria moved`; nothing for what is no question."""
    if not doc.text.endswith("?") and (not len(doc) or doc[0].tag_ not in _ASKING_TAGS):
        return ""
    asking = _asking_part(doc)
    helper = next((one for one in doc if one.lower_ in ("do", "does", "did") and one.dep_ == "aux"), None)  # fmt: skip
    dropped = {*asking, *([helper.i] if helper is not None else [])}
    said = []
    for token in _subject_first(doc):
        if token.i in dropped or token.is_punct or token.is_space:
            continue
        turned = helper is not None and token.i == helper.head.i
        said.append(_turned(token, helper.lower_) if turned and helper is not None else token.text)
    tail = [doc[place].text for place in asking if doc[place].pos_ in ("NOUN", "PROPN", "ADJ")]
    return " ".join([*said, *tail]).replace(" '", "'").replace(" n't", "n't")


def _subject_first(doc: Doc) -> list[Token]:
    """The tokens with the subject before its verb: `is the cat` becomes `the cat is`."""
    tokens = list(doc)
    verb = next((one for one in doc if one.pos_ == "AUX"), None)
    subject = next((one for one in doc if one.dep_ in ("nsubj", "nsubjpass")), None)
    if verb is None or subject is None or subject.i < verb.i:
        return tokens
    last = max(one.i for one in subject.subtree)
    return [*tokens[: verb.i], *tokens[verb.i + 1 : last + 1], verb, *tokens[last + 1 :]]


def _asking_part(doc: Doc) -> list[int]:
    """The places of the question word and of the phrase it opens: `what kind of dog`."""
    word = next((one for one in doc if one.tag_ in _ASKING_TAGS), None)
    if word is None:
        return []
    head = word.head
    whole = word.dep_ in ("det", "advmod", "poss", "amod") and head.pos_ in (
        "NOUN",
        "PROPN",
        "ADJ",
        "ADV",
    )
    places = [one.i for one in (head.subtree if whole and head.i > word.i else [word])]
    return [place for place in places if place <= max(word.i, head.i) + 3] if whole else places


def _turned(verb: Token, helper: str) -> str:
    """The verb as it stands without its helper."""
    base = verb.lemma_.casefold() or verb.text
    if helper == "do":
        return base
    if helper == "does":
        return "has" if base == "have" else f"{base}es" if base.endswith(("s", "sh", "ch", "o")) else f"{base}s"  # fmt: skip
    if base in _PAST:
        return _PAST[base]
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return f"{base[:-1]}ied"
    return f"{base}d" if base.endswith("e") else f"{base}ed"


def _wider(doc: Doc) -> str:
    """Whoever is named, and the first thing that is asked about."""
    names = [one.text for one in doc if one.pos_ == "PROPN"]
    nouns = (one.lemma_ for one in doc if one.pos_ == "NOUN" and len(one) > 2)
    noun = next((one for one in nouns if one not in _EMPTY), "")
    verb = next((one.lemma_ for one in doc if one.pos_ == "VERB"), "")
    topic = noun or verb
    return " ".join([*dict.fromkeys(names), topic]).strip() if names and topic else ""
