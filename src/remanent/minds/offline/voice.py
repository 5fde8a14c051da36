"""Somebody else's first person, told of them by name.

A source as sentences, each with whoever said it.

What stands around the fact in a sentence: "reminder to self,", "new phone, so", "I gave up tea and".

The judge compares facts, so it looks at a statement without its preface, and at an older one also
without what that one said was over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from remanent.core.model.mind_types import Reading
from remanent.core.model.source import Passage
from remanent.minds.offline.lexicon import FIRST_PERSON, GREETINGS
from remanent.minds.offline.parser import Parser

if TYPE_CHECKING:
    from spacy.tokens import Span, Token


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


_OPENERS = frozenset({"what", "who", "when", "where", "why", "how", "which", "whose"})


class Role(Enum):
    """Whose words a sentence is in."""

    OWNER = "owner"
    OTHER = "other"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """One sentence; `index` is its place in the source."""

    index: int
    span: Span
    passage: Passage
    role: Role

    @property
    def speaker(self) -> str | None:
        return self.passage.speaker

    @property
    def text(self) -> str:
        return " ".join(self.span.text.split())


def sentences(parser: Parser, reading: Reading) -> list[Said]:
    """All sentences of the source, in order."""
    docs = parser.docs([passage.text for passage in reading.passages])
    found: list[Said] = []
    for passage, doc in zip(reading.passages, docs, strict=True):
        role = role_of(passage.speaker, reading)
        for span in doc.sents:
            if any(token.is_alpha or token.like_num for token in span):
                found.append(Said(len(found), span, passage, role))
    return found


def role_of(speaker: str | None, reading: Reading) -> Role:
    """Who this speaker is to the owner of the reading; no speaker is the owner."""
    if speaker is None:
        return Role.OWNER if reading.owner_speaks else Role.OTHER
    folded = speaker.casefold().strip()
    if reading.owner_speaks and folded in {name.casefold() for name in reading.owner_names}:
        return Role.OWNER
    if folded in {name.casefold() for name in reading.assistants}:
        return Role.ASSISTANT
    return Role.OTHER


def is_question(span: Span) -> bool:
    """True for what asks, whether or not it ends with its mark."""
    if span.text.rstrip(" \"')”’").endswith("?"):
        return True
    words = [token for token in span if token.dep_ not in {"intj", "punct", "cc"}]
    if not words:
        return False
    first, root = words[0], span.root
    if first.lower_ in _OPENERS and first.tag_ in {"WP", "WRB", "WDT", "WP$"}:
        # "What I love is tea" states; "What a day" and "When is it" do not.
        return first.dep_ != "advmod" or first.head == root
    return first.pos_ == "AUX" and first.lower_ != "let" and _has_subject_after(first, root)


def is_statement(span: Span) -> bool:
    """True if somebody says that something is so: a subject, a finite verb, no question."""
    root = span.root
    if root.pos_ not in {"VERB", "AUX"} or is_question(span):
        return False
    return subject_of(root) is not None


def is_greeting(span: Span) -> bool:
    """True for "Hey Mel!", "Thanks so much" and their like."""
    words = [token for token in span if token.is_alpha]
    if not words:
        return True
    if len(words) <= 3 and words[0].lower_ in GREETINGS:
        return True
    return span.root.lower_ in GREETINGS and subject_of(span.root) is None


def _has_subject_after(first: Token, root: Token) -> bool:
    subject = subject_of(root)
    return subject is not None and subject.i > first.i and (first == root or first.head == root)


def subject_of(verb: Token) -> Token | None:
    """The grammatical subject of a verb, its own only."""
    for child in verb.children:
        if child.dep_ in {"nsubj", "nsubjpass", "csubj", "expl"}:
            return child
    return None


def is_negated(verb: Token) -> bool:
    """True for "don't", "never", "no longer" at this verb."""
    for child in verb.children:
        if child.dep_ == "neg" or child.lower_ in {"never", "n't", "not", "hardly", "rarely"}:
            return True
        if child.lower_ in {"longer", "anymore"} and child.dep_ == "advmod":
            return True
    return False


def is_first_person(token: Token) -> bool:
    return token.lower_ in FIRST_PERSON and token.pos_ in {"PRON", "DET"}


def joined(tokens: Iterable[Token]) -> str:
    """Tokens of one document as text, spaced as they were, without loose ends."""
    ordered = sorted(tokens, key=lambda token: token.i)
    text = "".join(token.text + (token.whitespace_ or _gap(token, ordered)) for token in ordered)
    return " ".join(text.split()).strip(" ,;:-–—")


def _gap(token: Token, ordered: Sequence[Token]) -> str:
    # A word is left out after this one: whatever follows must not be glued to it.
    following = token.i + 1
    return "" if any(other.i == following for other in ordered) else " "


def trimmed(tokens: Sequence[Token]) -> list[Token]:
    """Without greeting, address and joining words at either end."""
    kept = [token for token in tokens if not token.is_space]
    if [token.lower_ for token in kept[:3]] == ["by", "the", "way"]:
        kept = kept[3:]
    while kept and (kept[0].dep_ in {"intj", "punct", "cc"} or kept[0].lower_ in GREETINGS | _WELL):
        kept = kept[1:]
    while (
        len(kept) > 2
        and kept[1].text == ","
        and kept[0].dep_ in {"npadvmod", "dep", "advmod", "nsubj"}
    ):
        if subject_of(kept[0].head) == kept[0]:
            break
        kept = kept[2:]
    called = len(kept) > 3 and kept[-1].is_punct and kept[-2].pos_ == "PROPN"
    if called and kept[-3].text == "," and kept[-2].dep_ != "appos":
        kept = kept[:-3]
    while kept and kept[-1].dep_ in {"cc", "punct"}:
        kept = kept[:-1]
    return kept


_WELL = frozenset(
    {
        "well",
        "so",
        "and",
        "but",
        "also",
        "plus",
        "honestly",
        "actually",
        "anyway",
        "btw",
        "yea",
        "then",
    }
)


_WHOSE = r"(?:my|our|his|her|their|[A-Z][\w.-]*(?: [A-Z][\w.-]*)*['’]s?) "
_LEAD = re.compile(
    r"^(?:(?:quick |another )?(?:reminder|note)(?: to (?:self|myself|all))?|by the way|btw|fyi|for the record"
    r"|for (?:your|my|the) (?:information|records?|files?|form|list)|(?:big|good|bad|great|sad|more) news"
    r"|news|update|heads[- ]up|just so you know|in case (?:you|anybody|anyone|somebody) (?:asks?|wonders?)"
    r"|if (?:anybody|anyone|somebody|you) asks?|it(?:'s| is) official|as (?:I|we) said|as mentioned"
    r"|so|well|okay|ok|anyway)\s*[,:;–—]\s+"
    r"|^(?:as of (?:this|last) (?:week|month)|since (?:this|last) (?:week|month)),? (?=[A-Z]|my |our |the )",
    re.IGNORECASE,
)
_NO_MORE = re.compile(
    r"^no more [^,:;.]{2,40} for (?:me|us|him|her|them|[A-Z]\w+)\s*[:;,–—]\s+", re.IGNORECASE
)
_DROP = re.compile(
    r"^(?:please )?(?:delete|forget|ignore|scratch|remove) [^,:;]{2,40}[:;,] (?:and )?(?=\S+ \S+ \S)",
    re.IGNORECASE,
)
# A reason, where what follows says whose something is: "he retired, so Dr. Vik is my doctor".
_REASON = re.compile(
    rf"^[^,:;]{{2,60}}, so (?=(?i:{_WHOSE})\w+|[^,:;]+ (?:is|are) (?:my|our|his|her|their) )"
)
_USED_TO = re.compile(
    r"^[^,:;]{1,40} used to (?:love|like|adore|enjoy|prefer) [^,:;]{2,40}, but (?!.*\b(?:it|them|that)\b)"
    r"(?=\S+ \S+ \S)",
    re.IGNORECASE,
)
_SPEAKERS = frozenset({"I", "We", "we"})
_ALL = (_LEAD, _NO_MORE, _DROP, _REASON, _USED_TO)
_OVER = (
    r"(?:has |have )?(?:sold|scrapped|got rid of|gave away|given away|gave up|given up|dropped|quit|left"
    r"|cancelled|canceled|closed|broke up with|broken up with|split up with|changed|switched)"
)
_NAME = r"(?P<who>I|[Ww]e|[A-Z][\w.'-]*(?: [A-Z][\w.'-]*)*)"
_REST = re.compile(rf"^{_NAME} {_OVER} [^,:;]{{2,60}}?,? and (?:now )?(?P<rest>[a-z]+ [^;]+)$")
_TRADED = re.compile(
    rf"^{_NAME} (?:has |have )?(?:traded|swapped|exchanged) [^,:;]{{2,40}}? for (?P<rest>(?:an?|the) .+?)(?: (?:in|on|last|this) .+)?$"
)
_BESIDES = re.compile(
    r"^(?P<rest>[^;]+); (?:and |so |but )?(?:the|my|our|his|her|their) [^,:;]{2,40}"
    r" (?:is|had|died|gave|broke|went|was)\b[^;]*$"
)
_RATHER = re.compile(
    rf"^{_NAME} (?:am|is|are) no longer [^,:;]{{2,40}}[,;] (?:but |and )?(?:I|we|he|she|it|they) (?P<rest>.+)$"
)


def without_preface(text: str) -> str:
    """The statement without what only leads to it."""
    plain = " ".join(text.split())
    for pattern in _ALL:
        found = pattern.match(plain)
        if found is not None and len(plain[found.end() :].split()) > 2:
            plain = plain[found.end() :]
            plain = plain[:1].upper() + plain[1:]
    return plain


def what_remains(text: str) -> str:
    """ "I drive a Leaf" of "I sold the Panda and drive a Leaf"; nothing where nothing was over."""
    plain = text.rstrip(".!")
    if (traded := _TRADED.match(plain)) is not None:
        return f"{traded['who']} {'have' if traded['who'] in _SPEAKERS else 'has'} {traded['rest']}"
    if (besides := _BESIDES.match(plain)) is not None:
        return besides["rest"]
    found = _REST.match(text) or _RATHER.match(text)
    return "" if found is None else f"{found['who']} {found['rest']}"
