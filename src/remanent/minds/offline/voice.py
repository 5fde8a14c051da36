"""Somebody else's first person, told of them by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from remanent.minds.offline.said import joined, subject_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_THIRD = {
    "am": "is", "'m": " is", "’m": " is", "have": "has", "'ve": " has", "’ve": " has", "do": "does", "be": "is",
    "don't": "doesn't", "ain't": "isn't", "was": "was", "were": "was", "'re": " is", "’re": " is",
}  # fmt: skip
_SIBILANT = ("s", "x", "z", "ch", "sh", "o")


def told_by_name(tokens: Sequence[Token], name: str) -> str | None:
    """The words with I and my put as `name`; None where that cannot be done well."""
    if any(token.lower_ in {"myself", "mine", "we", "us", "our", "ours"} for token in tokens):
        return None
    swapped: dict[int, str] = {}
    named = False
    for token in tokens:
        if token.lower_ == "i" and token.pos_ == "PRON":
            swapped[token.i] = name
            named = True
        elif token.lower_ == "me":
            swapped[token.i] = "them" if named else name
        elif token.lower_ == "my":
            swapped[token.i] = "their" if named else f"{name}'s"
            named = True
        elif _agrees_with_i(token):
            swapped[token.i] = third_person(token)
    return with_swaps(tokens, swapped)


def name_for(pronoun: Token, name: str) -> dict[int, str]:
    """The swaps that put a name in a subject's place: "she's a nurse" -> "Maria is a nurse"."""
    swaps = {pronoun.i: name}
    after = pronoun.doc[pronoun.i + 1] if pronoun.i + 1 < len(pronoun.doc) else None
    if after is not None and after.pos_ == "AUX" and after.lower_ in {"'s", "’s"}:
        swaps[after.i] = " has" if after.lemma_ == "have" else " is"
    return swaps


def with_swaps(tokens: Sequence[Token], swapped: Mapping[int, str]) -> str:
    """The tokens as text, some of them in other words, spaced as before."""
    if not swapped:
        return joined(tokens)
    parts = [swapped.get(token.i, token.text) + token.whitespace_ for token in tokens]
    return " ".join("".join(parts).split()).strip(" ,;:-–—")


def third_person(verb: Token) -> str:
    """ "live" -> "lives" for a finite present form, anything else unchanged."""
    lower = verb.lower_
    if lower in _THIRD:
        return _THIRD[lower]
    if not _is_mistaken(verb) and (
        verb.tag_ not in {"VBP", "VB"}
        or verb.pos_ not in {"VERB", "AUX"}
        or verb.lower_ in {"can", "will"}
    ):
        return verb.text
    if lower.endswith("y") and lower[-2:-1] not in "aeiou":
        return f"{verb.text[:-1]}ies"
    return f"{verb.text}es" if lower.endswith(_SIBILANT) else f"{verb.text}s"


def _is_mistaken(token: Token) -> bool:
    """True for the verb in "I live here and work there", which the tagger takes for a noun."""
    return (
        token.tag_ == "NN"
        and token.dep_ == "conj"
        and token.head.tag_ == "VBP"
        and token.lower_ in {"work", "study", "play", "travel", "love", "run", "dance", "paint"}
    )


def _agrees_with_i(token: Token) -> bool:
    """True for a finite present verb or auxiliary whose subject is I, alone."""
    if _is_mistaken(token):
        subject = subject_of(token.head)
        return subject is not None and subject.lower_ == "i"
    if token.tag_ not in {"VBP", "VB"} or token.pos_ not in {"VERB", "AUX"}:
        return False
    verb = token.head if token.dep_ in {"aux", "auxpass"} else token
    if token == verb and any(child.dep_ in {"aux", "auxpass"} for child in verb.children):
        return False
    subject = subject_of(verb)
    steps = 0
    while subject is None and verb.dep_ == "conj" and steps < 4:
        verb, steps = verb.head, steps + 1
        if any(c.dep_ == "aux" for c in verb.children):
            return False
        subject = subject_of(verb)
    finite = token.tag_ == "VBP" or token.dep_ == "conj"
    return finite and subject is not None and subject.lower_ == "i"
