"""What several statements about one subject have in common, said in one true sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from remanent.core.model.belief import OWNER
from remanent.minds.offline.lexicon import DOMAINS, GENERIC, NEVER_NAMES, ROLES, words
from remanent.minds.offline.parser import Parser
from remanent.minds.offline.summarize import chunk_phrase
from remanent.minds.offline.voice import subject_of

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_FEWEST = 3  # of which a theme must be told, or all of them where there are fewer
_SHARE = 0.75
_LONGEST = 60  # characters of a theme
_EMPTY_VERBS = words(
    "be have do go get make take come want like love enjoy adore prefer hate dislike say tell know think"
    " feel use need try keep let see look find give put start stop begin become live work call mean"
    " seem hope plan will would can could should may might must own speak"
)
_ONE = frozenset({"a", "an", "another", "each", "every"})
_EMPTY_FIELDS = frozenset({"planning", "feelings", "friends", "belief", "community"})
"""Fields whose words come up in talk about anything."""


@dataclass(slots=True)
class _Theme:
    """Something that statements speak of, by the words they use for it."""

    rank: int
    length: int
    statements: set[int] = field(default_factory=set)
    spellings: Counter[tuple[str, bool]] = field(default_factory=Counter)


def principle(parser: Parser, statements: Sequence[str], subject: str) -> str:
    """The theme that most of the statements share, told of the subject; empty if there is none."""
    told = list(dict.fromkeys(" ".join(one.split()) for one in statements))
    if len(told) < 2:
        return ""
    docs = parser.docs(told)
    themes = _themes(docs, subject)
    least = max(min(_FEWEST, len(told)), _SHARE * len(told))
    shared = [key for key, one in themes.items() if len(one.statements) >= least]
    if not shared:
        return ""
    best = min(shared, key=lambda key: _order(key, themes[key]))
    theme = themes[best]
    # "I have a dog" shows that dogs can be counted; "my dog" alone does not.
    name, plural = min(theme.spellings, key=lambda one: (not one[1], -theme.spellings[one], one))
    verb, count = "are" if plural else "is", len(theme.statements)
    return f"{name[:1].upper()}{name[1:]} {verb} a recurring theme for {_whom(docs, subject)} ({count} statements)."


def _order(key: tuple[str, ...], theme: _Theme) -> tuple[int, int, int, tuple[str, ...]]:
    """What is named comes before what is done, that before a field of life; then the commonest."""
    return theme.rank, -len(theme.statements), -theme.length, key


def _themes(docs: Sequence[Doc], subject: str) -> dict[tuple[str, ...], _Theme]:
    own = set(re.findall(r"\w+", subject.casefold()))
    themes: dict[tuple[str, ...], _Theme] = {}

    def note(rank: int, key: tuple[str, ...], number: int, name: str, *, plural: bool) -> None:
        theme = themes.setdefault((str(rank), *key), _Theme(rank, len(key)))
        theme.statements.add(number)
        theme.spellings[(name, plural)] += 1

    for number, doc in enumerate(docs):
        for part in _named(doc, own):
            lemmas = tuple(token.lemma_.lower() for token in part)
            name, plural = _spelled(part)
            if len(name) <= _LONGEST:
                note(0, lemmas, number, name, plural=plural)
        for deed in _deeds(doc, own):
            note(1, (deed,), number, deed, plural=False)
        for tag in _fields(doc, own):
            note(2, (tag,), number, tag, plural=tag in {"arts", "games", "pets"})
    return themes


def _named(doc: Doc, own: set[str]) -> Iterator[Sequence[Token]]:
    """Every noun phrase and every ending of one: "green tea" and "tea"."""
    for chunk in doc.noun_chunks:
        phrase = chunk_phrase(chunk)
        if not phrase or _is_subject(chunk.root, own) or _is_empty(phrase[-1], own):
            continue
        for start in range(len(phrase)):
            yield phrase[start:]


def _spelled(part: Sequence[Token]) -> tuple[str, bool]:
    """The phrase as one speaks of the thing in general, and whether that is a plural."""
    *before, head = part
    name = " ".join(t.text if t.pos_ == "PROPN" else t.lower_ for t in part)
    if head.tag_ in {"NNS", "NNPS"}:
        return name, True
    if head.tag_ == "NN" and any(child.lower_ in _ONE for child in head.children):
        start = " ".join(t.text if t.pos_ == "PROPN" else t.lower_ for t in before)
        return f"{start} {_plural(head.lower_)}".strip(), True
    return name, False


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "z", "ch", "sh")) else f"{noun}s"


def _is_subject(head: Token, own: set[str]) -> bool:
    """True for whoever the statement is about: a theme of theirs is something else."""
    if head.dep_ not in {"nsubj", "nsubjpass"} or subject_of(head.head) != head:
        return False
    return head.pos_ == "PROPN" or head.lemma_.lower() in ROLES or head.lower_ in own


def _is_empty(head: Token, own: set[str]) -> bool:
    lemma = head.lemma_.lower()
    if lemma in GENERIC or lemma in own or head.lower_ in own or head.lower_ in NEVER_NAMES:
        return True
    return len(head.text) < 2 or head.ent_type_ in {"TIME", "DATE", "CARDINAL", "ORDINAL"}


def _deeds(doc: Doc, own: set[str]) -> Iterator[str]:
    """What is done, as the name of doing it: "hikes" and "hiking" are one."""
    for token in doc:
        lemma = token.lemma_.lower()
        if token.pos_ == "VERB" and lemma.isalpha() and lemma not in _EMPTY_VERBS:
            yield _gerund(lemma)
        elif token.pos_ == "NOUN" and token.lower_.endswith("ing") and token.lower_ not in own:
            yield token.lower_


def _fields(doc: Doc, own: set[str]) -> set[str]:
    """The fields of life that its words belong to."""
    lemmas = {
        token.lemma_.lower()
        for token in doc
        if token.pos_ in {"NOUN", "VERB", "ADJ"} and token.lower_ not in own
    }
    tags = {tag for lemma in lemmas for tag in DOMAINS.get(lemma, ())}
    return tags - _EMPTY_FIELDS


def _gerund(verb: str) -> str:
    """ "run" -> "running", "bake" -> "baking", "ski" -> "skiing"."""
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    doubled = re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]", verb)
    return f"{verb}{verb[-1]}ing" if doubled else f"{verb}ing"


def _whom(docs: Sequence[Doc], subject: str) -> str:
    """The subject as the statements write it: me, Tom, my sister."""
    if subject == OWNER or not subject:
        return "me"
    if subject in ROLES:
        return f"my {subject}"
    found = re.compile(rf"(?<!\w){re.escape(subject)}(?!\w)", re.IGNORECASE)
    spelled = (match.group() for doc in docs for match in found.finditer(doc.text))
    return next(spelled, subject.title())
