"""A sentence taken apart into the separate things it says.

Goals, preferences, worries and recurring topics.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from remanent.core.model.mind_types import Candidate
from remanent.core.model.node import Kind
from remanent.minds.offline.lexicon import (
    DOMAINS,
    GENERIC,
    HATE_VERBS,
    LANGUAGES,
    LIKE_VERBS,
    NEVER_NAMES,
    WANT_VERBS,
)
from remanent.minds.offline.summarize import chunk_phrase
from remanent.minds.offline.voice import Role, Said, is_question, joined, subject_of

if TYPE_CHECKING:
    from spacy.tokens import Span, Token


_CLAUSAL = frozenset({"conj", "advcl", "ccomp", "relcl", "parataxis"})
_LOOSE = frozenset({"cc", "mark", "punct", "intj"})
_LISTED = frozenset({"dobj", "attr", "acomp", "pobj", "oprd"})


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """One verb with its own words; `subject` may have been said in another clause."""

    root: Token
    tokens: tuple[Token, ...]
    subject: Token | None

    @property
    def text(self) -> str:
        """The clause in its own words, after its subject where that was left out."""
        own = joined(_without_loose_ends(self.tokens))
        if self.subject is None or self.subject in self.tokens or not _is_finite(self.root):
            return own
        return (
            f"{joined(self.subject.subtree if _is_short(self.subject) else [self.subject])} {own}"
        )

    def points(self) -> list[str]:
        """What it says, a list of things told one by one: "likes tea and jazz" is two points."""
        listed = [(token, head) for token in self.tokens if (head := _list_head(token)) is not None]
        if not listed:
            return [self.text]
        apart = {part for item, _ in listed for part in item.subtree}
        apart |= {t for t in self.tokens if t.dep_ == "cc" and t.head.dep_ in _LISTED}
        points = [
            Clause(self.root, tuple(t for t in self.tokens if t not in apart), self.subject).text
        ]
        for item, head in listed:
            after = set(head.subtree)
            frame = tuple(t for t in self.tokens if t not in after and t not in apart)
            own = [
                part for part in item.subtree if part == item or not _is_listed_under(part, item)
            ]
            points.append(f"{Clause(self.root, frame, self.subject).text} {joined(own)}")
        return points


def clauses(span: Span) -> list[Clause]:
    """The clauses of a sentence, in order of their verbs."""
    roots = [token for token in span if _is_clause_root(token, span)]
    members: dict[int, list[Token]] = {root.i: [] for root in roots}
    for token in span:
        members[_owner(token, members, span).i].append(token)
    return [Clause(root, tuple(members[root.i]), _subject(root)) for root in roots]


def _is_clause_root(token: Token, span: Span) -> bool:
    if token == span.root:
        return True
    if token.dep_ not in _CLAUSAL or token.pos_ not in {"VERB", "AUX"}:
        return False
    # "wants me to finish it" and "make them smile" are one thing said, not two
    return token.dep_ != "ccomp" or token.tag_ not in {"VB", "VBG"} or _has_finite_helper(token)


def _is_finite(verb: Token) -> bool:
    if verb.tag_ in {"VBD", "VBP", "VBZ"} or verb.dep_ == "conj":
        return True
    return any(c.dep_ in {"aux", "auxpass"} and c.lower_ != "to" for c in verb.children)


def _has_finite_helper(verb: Token) -> bool:
    return any(c.dep_ == "aux" and c.lower_ != "to" for c in verb.children)


def _owner(token: Token, members: dict[int, list[Token]], span: Span) -> Token:
    while token.i not in members and token.head != token:
        token = token.head
    return token if token.i in members else span.root


def _subject(root: Token) -> Token | None:
    seen = 0
    while seen < 5:
        found = subject_of(root)
        if root.dep_ == "relcl":
            return root.head if found is None or found.tag_ in {"WP", "WDT"} else found
        if found is not None or root.dep_ not in {"conj", "advcl", "xcomp"}:
            return found
        root = root.head
        seen += 1
    return None


def _is_short(token: Token) -> bool:
    return sum(1 for _ in token.subtree) <= 4


def _without_loose_ends(tokens: tuple[Token, ...] | list[Token]) -> list[Token]:
    kept = sorted(tokens, key=lambda token: token.i)
    while kept and kept[0].dep_ in _LOOSE:
        kept = kept[1:]
    while kept and kept[-1].dep_ in {"cc", "punct"}:
        kept = kept[:-1]
    return kept


def _list_head(token: Token) -> Token | None:
    """The first thing of the list that this token continues, if it does."""
    head = token
    while head.dep_ == "conj" and head.pos_ != "VERB":
        head = head.head
    return head if head != token and head.dep_ in _LISTED else None


def _is_listed_under(part: Token, item: Token) -> bool:
    while part != item:
        if part.dep_ in {"conj", "cc"} or (part.dep_ == "punct" and part.head == item):
            return True
        part = part.head
    return False


_WORRIED = frozenset({"worried", "anxious", "nervous", "afraid", "scared", "concerned", "stressed"})
_GOAL_NOUNS = frozenset({"goal", "dream", "plan", "aim"})
_MOST = 12


@dataclass(slots=True)
class _Concept:
    name: str
    kind: str
    head: str
    places: set[int] = field(default_factory=set)


def find_concepts(told: Sequence[Said], taken: set[str]) -> list[Candidate]:
    """Concepts with something said of them, the most discussed first."""
    spoken = [
        said for said in told if said.role is not Role.ASSISTANT and not is_question(said.span)
    ]
    concepts: dict[str, _Concept] = {}
    for said in spoken:
        for kind, words in (*_attitudes(said), *_nouns(said)):
            name = _name(words) if words else ""
            if not name or name in taken:
                continue
            concept = concepts.setdefault(name, _Concept(name, kind, words[-1].lemma_.lower()))
            concept.kind = kind if concept.kind == "topic" else concept.kind
            concept.places.add(said.index)
    points = _points(spoken)
    found = [_candidate(concept, points) for concept in concepts.values()]
    kept = [one for one in found if one is not None]
    kept.sort(key=lambda one: (-one.confidence, -len(one.subpoints), one.name))
    return _without_parts(kept)[:_MOST]


def _name(words: Sequence[Token]) -> str:
    head = words[-1]
    if head.lemma_.lower() in GENERIC or head.lower_ in NEVER_NAMES:
        return ""
    if head.pos_ == "PROPN":
        return head.text if head.lower_ in LANGUAGES else ""
    before = [w.lower_ for w in words[:-1]]
    last = head.lower_ if head.tag_ == "VBG" else head.lemma_.lower()
    return " ".join([*before, last]) if len(last) > 2 else ""


def _nouns(said: Said) -> Iterable[tuple[str, list[Token]]]:
    for chunk in said.span.noun_chunks:
        words = [word for word in chunk_phrase(chunk) if word.pos_ != "ADJ"]
        if words:
            yield "topic", words


def _attitudes(said: Said) -> Iterable[tuple[str, list[Token]]]:
    for token in said.span:
        lemma = token.lemma_.lower()
        if token.pos_ == "VERB" and lemma in LIKE_VERBS | HATE_VERBS:
            yield from (("preference", words) for words in _objects(token))
        elif token.lower_ in _WORRIED:
            yield from (("worry", words) for words in _objects(token))
        elif (token.pos_ == "VERB" and lemma in WANT_VERBS) or lemma in _GOAL_NOUNS:
            yield from (("goal", words) for words in _wanted(token))


def _objects(head: Token) -> Iterable[list[Token]]:
    for child in head.children:
        if child.dep_ in {"dobj", "xcomp"} and child.pos_ in {"NOUN", "VERB", "PROPN"}:
            yield _phrase(child)
        elif child.dep_ == "prep":
            yield from (_phrase(t) for t in child.children if t.dep_ in {"pobj", "pcomp"})


def _phrase(token: Token) -> list[Token]:
    if token.pos_ == "VERB":
        thing = next((c for c in token.children if c.dep_ == "dobj"), None)
        if thing is not None:  # "playing chess": the game, not the playing
            return _phrase(thing) if thing.pos_ != "VERB" else []
        return [token] if token.tag_ == "VBG" else []
    if token.pos_ != "NOUN":
        return [token] if token.lower_ in LANGUAGES else []
    return [*(c for c in token.children if c.dep_ == "compound"), token]


def _wanted(token: Token) -> Iterable[list[Token]]:
    """The object of the wanted deed: "want to learn Spanish" -> Spanish, "to open a café" -> café."""
    deeds = [c for c in token.children if c.dep_ in {"xcomp", "acl"} and c.pos_ == "VERB"]
    for deed in deeds:
        for child in deed.children:
            if child.dep_ == "dobj" and child.pos_ in {"NOUN", "PROPN"}:
                yield _phrase(child)


def _points(spoken: Sequence[Said]) -> dict[str, list[tuple[int, str]]]:
    """By lemma: the clauses it stands in, with their places."""
    points: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for said in spoken:
        for clause in clauses(said.span):
            text = _text(clause, said)
            for lemma in {t.lemma_.lower() for t in clause.tokens} | {
                t.lower_ for t in clause.tokens
            }:
                if text and (said.index, text) not in points[lemma]:
                    points[lemma].append((said.index, text))
    return points


def _text(clause: Clause, said: Said) -> str:
    text = clause.text
    if len(text.split()) < 3:
        return ""
    return f"{said.speaker}: {text}" if said.speaker else text


def _candidate(concept: _Concept, points: dict[str, list[tuple[int, str]]]) -> Candidate | None:
    *before, last = concept.name.lower().split()
    texts = [
        text
        for _, text in points.get(last, points.get(concept.head, []))
        if all(word in text.lower() for word in before)
    ]
    if not texts or (concept.kind == "topic" and len(concept.places) < 2):
        return None
    if concept.kind == "topic":
        telling = " " in concept.name or concept.head in DOMAINS or concept.head in LANGUAGES
        confidence = (5.4 if telling else 4.8) + 0.6 * min(len(concept.places), 6)
    else:
        confidence = 6.8 + 0.4 * min(len(texts), 5)
    return Candidate(
        kind=Kind.CONCEPT,
        name=concept.name,
        confidence=round(confidence, 1),
        subpoints=tuple(dict.fromkeys(texts)),
        type=concept.kind,
    )


def _without_parts(found: Sequence[Candidate]) -> list[Candidate]:
    """Leave out "group" where "support group" is told the same things."""
    kept: list[Candidate] = []
    for one in found:
        covered = any(
            f" {one.name} " in f" {other.name} " and set(one.subpoints) <= set(other.subpoints)
            for other in found
            if other is not one
        )
        if not covered:
            kept.append(one)
    return kept
