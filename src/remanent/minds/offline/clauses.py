"""A sentence taken apart into the separate things it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from remanent.minds.offline.said import joined, subject_of

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
