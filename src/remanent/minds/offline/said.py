"""A source as sentences, each with whoever said it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from remanent.core.model.mind_types import Reading
from remanent.core.model.source import Passage
from remanent.minds.offline.lexicon import FIRST_PERSON, GREETINGS
from remanent.minds.offline.parser import Parser

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

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
        return Role.OWNER
    folded = speaker.casefold().strip()
    if folded in {name.casefold() for name in reading.owner_names}:
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
