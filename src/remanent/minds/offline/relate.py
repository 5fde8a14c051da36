"""Notes on known anchors and the relationships that a source states between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remanent.core.model.anchor import Anchor, Lifetime, Person
from remanent.core.model.mind_types import Findings, NoteDraft
from remanent.core.model.node import Kind
from remanent.core.ports.tools import Tools
from remanent.minds.offline import lexicon
from remanent.minds.offline.anchored import Anchored, tie
from remanent.minds.offline.names import Names
from remanent.minds.offline.relations import find_relations
from remanent.minds.offline.said import Role, Said, is_greeting, is_statement, subject_of, trimmed
from remanent.minds.offline.voice import name_for, with_swaps
from remanent.minds.offline.worth import importance_of, points_away, root_of, type_of, will_hold

if TYPE_CHECKING:
    from spacy.tokens import Token

_MOST = 10
_LONGEST = 400  # characters
_FOREVER = lexicon.words(
    "born birth bear marry married wedding die death allergic allergy diagnose diabetes birthday"
    " anniversary funeral adopt"
)
_YEAR = lexicon.words(
    "live move work job join hire home house study university college company graduate own career"
    " school love like hate prefer enjoy boss colleague employer degree business favourite favorite"
)
_WEEK = lexicon.words(
    "today tomorrow tonight monday tuesday wednesday thursday friday saturday sunday weekend"
    " yesterday"
)
_ELSEWHERE = frozenset(
    {"it", "that", "this", "these", "those", "there", "you", "they", "what", "which"}
)


def relate(told: Sequence[Said], names: Names, anchors: Sequence[Anchor]) -> Findings:
    """What the source adds to these anchors."""
    anchored = tie(told, names, anchors)
    spoken = [said for said in told if said.role is not Role.ASSISTANT]
    notes = [note for anchor in anchors for note in _notes(anchor, spoken, names, anchored)]
    relations = find_relations(spoken, names, anchored, lambda said: readable(said, names))
    return Findings(notes=tuple(notes), relations=tuple(relations))


def _notes(
    anchor: Anchor, spoken: Sequence[Said], names: Names, anchored: Anchored
) -> list[NoteDraft]:
    fitting = [said for said in spoken if _is_about(said, anchor, anchored)]
    ranked = sorted(fitting, key=lambda said: (-_weight(said), said.index))[:_MOST]
    drafts: dict[str, NoteDraft] = {}
    for said in sorted(ranked, key=lambda said: said.index):
        content = readable(said, names)
        if len(content.split()) > 2:
            drafts.setdefault(
                content, NoteDraft(anchor=anchor.name, content=content, lifetime=lifetime(said))
            )
    return list(drafts.values())


def _is_about(said: Said, anchor: Anchor, anchored: Anchored) -> bool:
    places = [
        t for t in said.span if (a := anchored.of(said, t)) is not None and a.key == anchor.key
    ]
    if not places or not is_statement(said.span) or is_greeting(said.span):
        return False
    subject = subject_of(said.span.root)
    if subject is None or subject.lower_ in _ELSEWHERE:
        return False
    if said.span.root.lemma_.lower() in lexicon.OPINION_VERBS:
        return False
    if sum(token.is_alpha for token in said.span) < 3:
        return False
    if any(token.lower_ not in lexicon.FIRST_PERSON for token in places):
        return True
    return _tells_of_self(said, places, owner=isinstance(anchor, Person) and anchor.is_owner)


def _tells_of_self(said: Said, places: Sequence[Token], *, owner: bool) -> bool:
    """True if somebody's "I" tells of them; of the owner only what lasts, the rest is theirs anyway."""
    root = said.span.root
    subject = subject_of(root)
    if subject is None or points_away(root) or any(_is_loose(t) for t in said.span):
        return False
    own = subject in places or any(child in places for child in subject.children)
    if any(token.lower_ in {"you", "your"} for token in said.span):
        return False
    return own and (not owner or will_hold(root, list(said.span)))


def _is_loose(token: Token) -> bool:
    return token.lower_ in lexicon.FEMALE | lexicon.MALE | {"they", "them"} and token.dep_ != "poss"


def _weight(said: Said) -> int:
    tokens = list(said.span)
    return importance_of(tokens, type_of(tokens)) + min(2, len(said.span.ents))


def readable(said: Said, names: Names) -> str:
    """The sentence so that it reads alone: who speaks, and a name for the pronoun it starts with."""
    tokens = trimmed(list(said.span))
    swapped: dict[int, str] = {}
    root = root_of(tokens)
    subject = subject_of(root) if root is not None else None
    if subject is not None and subject.lower_ in {"she", "he"}:
        one = names.of(said, subject)
        if one is not None:
            swapped = name_for(subject, one.name)
    text = with_swaps(tokens, swapped)
    text = text[:1].upper() + text[1:]
    text = text if text[-1:] in {".", "!", "…"} else f"{text}."
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1].rsplit(" ", 1)[0] + "…"
    return f"{said.speaker}: {text}" if said.speaker else text


def lifetime(said: Said) -> Lifetime:
    """How long what a sentence says is worth keeping."""
    lemmas = {token.lemma_.lower() for token in said.span} | {token.lower_ for token in said.span}
    text = said.text.lower()
    if lemmas & _FOREVER:
        return Lifetime.FOREVER
    habit = lemmas & {"every", "always", "usually", "mondays", "fridays", "saturdays", "sundays"}
    if (lemmas & _WEEK and not habit) or any(
        word in text for word in ("this week", "next week", "this morning")
    ):
        return Lifetime.WEEK
    kin = lemmas & (lexicon.RELATIVES | lexicon.PARTNERS)
    if kin and said.span.root.lemma_ == "be":
        return Lifetime.FOREVER
    return Lifetime.YEAR if lemmas & _YEAR else Lifetime.MONTH


def write_down(findings: Findings, about: Kind, tools: Tools) -> None:
    """Write what was found of one kind of anchor with the tools at hand."""
    kinds = {anchor.name: anchor.kind for anchor in tools.anchors}
    note = {
        Kind.PERSON: tools.add_note_to_person,
        Kind.CONCEPT: tools.add_note_to_concept,
        Kind.ENTITY: tools.add_note_to_entity,
    }[about]
    for one in findings.notes:
        if kinds.get(one.anchor) is about:
            note(one.anchor, one.content, one.lifetime)
    for relation in findings.relations:
        if kinds.get(relation.src) is about:
            tools.create_relationship(
                relation.src,
                relation.dst,
                relation.relationship_type,
                relation.description,
                attitude=relation.attitude,
                proximity=relation.proximity,
                confidence=relation.confidence,
                ended=relation.ended,
                single=relation.single,
            )
