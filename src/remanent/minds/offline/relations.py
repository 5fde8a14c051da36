"""Relationships that a sentence states outright between two known anchors.

Notes on known anchors and the relationships that a source states between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from remanent.core.model.anchor import Anchor, Lifetime, Person
from remanent.core.model.mind_types import Findings, NoteDraft, RelationDraft
from remanent.core.model.node import Kind
from remanent.core.ports.mind import Tools
from remanent.minds.offline import lexicon
from remanent.minds.offline.concepts import clauses
from remanent.minds.offline.frames import Deed, State, deed_of
from remanent.minds.offline.mentions import introduced_by
from remanent.minds.offline.names import Anchored, Names, tie
from remanent.minds.offline.voice import (
    Role,
    Said,
    is_greeting,
    is_question,
    is_statement,
    name_for,
    subject_of,
    trimmed,
    with_swaps,
)
from remanent.minds.offline.worth import importance_of, points_away, root_of, type_of, will_hold

if TYPE_CHECKING:
    from spacy.tokens import Token


_P, _C, _E = Kind.PERSON, Kind.CONCEPT, Kind.ENTITY


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a verb says of its subject and whatever stands after `preps` ("" is its object)."""

    type: str
    verbs: frozenset[str]
    preps: tuple[str, ...]
    src: frozenset[Kind]
    dst: frozenset[Kind]
    proximity: int = 3
    attitude: int = 3
    single: bool = False
    ended: bool = False


def _rule(
    type_: str,
    verbs: str,
    preps: str,
    src: str,
    dst: str,
    **more: int | bool,
) -> _Rule:
    kinds = {"p": _P, "c": _C, "e": _E}
    return _Rule(
        type_,
        frozenset(verbs.split()),
        tuple("" if prep == "-" else prep for prep in preps.split()),
        frozenset(kinds[kind] for kind in src),
        frozenset(kinds[kind] for kind in dst),
        **more,  # type: ignore[arg-type]
    )


_RULES = (
    _rule("employer", "work employ", "at for by", "p", "e", single=True),
    _rule("employer", "join", "-", "p", "e", single=True, attitude=4),
    _rule("employer", "start hire", "at by", "p", "e", single=True),
    _rule("home", "live reside base settle", "in at", "p", "e", single=True, proximity=4),
    _rule("home", "move relocate", "to", "p", "e", single=True, proximity=4),
    _rule("home", "move relocate", "from", "p", "e", single=True, ended=True),
    _rule("project", "work collaborate", "on", "p", "e"),
    _rule("project", "lead manage head run build launch own coordinate", "-", "p", "e", proximity=4),
    _rule("colleague", "work collaborate", "with", "p", "p"),
    _rule("partner", "date marry", "- to", "p", "p", single=True, proximity=5, attitude=5),
    _rule("partner", "break split", "with", "p", "p", single=True, ended=True, proximity=2, attitude=2),
    _rule("partner", "divorce", "-", "p", "p", single=True, ended=True, proximity=2, attitude=2),
    _rule("met", "meet", "- with", "p", "p", proximity=2),
    _rule("knows", "know", "-", "p", "p"),
    _rule("helps", "help support mentor teach coach", "-", "p", "p", proximity=3, attitude=4),
    _rule("likes", "like love enjoy adore admire miss", "-", "p", "pce", attitude=5),
    _rule("prefers", "prefer", "-", "p", "ce", attitude=4),
    _rule("dislikes", "hate dislike loathe detest", "-", "p", "pce", attitude=1),
    _rule("worries", "worry worried anxious nervous afraid scared concerned stressed", "about of", "p", "pce", attitude=2),
    _rule("goal", "want plan hope dream aim intend", "- of to", "p", "c", attitude=4),
    _rule("practices", "play practice learn study paint write do start teach try", "-", "p", "c", attitude=4),
    _rule("visited", "visit tour explore", "-", "p", "e", proximity=2),
    _rule("visited", "go travel fly drive return", "to", "p", "e", proximity=2),
    _rule("school", "study graduate enroll", "at from in", "p", "e"),
    _rule("volunteer", "volunteer", "at for with", "p", "e", attitude=4),
    _rule("uses", "use buy own drive", "-", "p", "e"),
    _rule("attends", "attend organize organise host", "-", "p", "e"),
    _rule("origin", "come bear", "from in", "p", "e"),
    _rule("acquired", "acquire buy purchase", "-", "e", "e"),
    _rule("location", "be base locate sit", "in", "e", "e"),
    _rule("part", "belong", "to", "e", "e"),
    _rule("partner", "partner merge collaborate work", "with", "e", "e"),
    _rule("involves", "involve include use need require", "-", "c", "e"),
)  # fmt: skip
_LEAVING = frozenset({"leave", "quit"})
_FAMILIAR = {"mom": "mother", "mum": "mother", "mama": "mother", "dad": "father", "papa": "father",
             "kid": "child", "grandma": "grandmother", "grandpa": "grandfather", "buddy": "friend",
             "pal": "friend", "bestie": "friend", "coworker": "colleague", "co-worker": "colleague",
             "fiancée": "fiancé", "fiancee": "fiancé", "fiance": "fiancé", "neighbor": "neighbour"}  # fmt: skip


def find_relations(
    spoken: Sequence[Said], names: Names, anchored: Anchored, readable: Callable[[Said], str]
) -> list[RelationDraft]:
    """Each relationship once, as the text last told it."""
    found: dict[tuple[str, str, str], RelationDraft] = {}
    for said in spoken:
        if is_question(said.span):
            continue
        for src, dst, rule in [*_by_role(said, names, anchored), *_by_verb(said, anchored)]:
            if src.key == dst.key:
                continue
            draft = _draft(src, dst, rule, said, readable(said))
            key = (draft.src, draft.dst, draft.relationship_type)
            found.pop(key, None)
            found[key] = draft
    return list(found.values())


def _draft(src: Anchor, dst: Anchor, rule: _Rule, said: Said, description: str) -> RelationDraft:
    return RelationDraft(
        src=src.name,
        dst=dst.name,
        relationship_type=rule.type,
        description=description,
        attitude=_attitude(rule, said),
        proximity=rule.proximity,
        confidence=0.8 if rule.preps == ("role",) else 0.7,
        ended=rule.ended,
        single=rule.single,
    )


def _attitude(rule: _Rule, said: Said) -> int:
    if rule.attitude != 3:
        return rule.attitude
    words = {t.lemma_.lower() for t in said.span} | {t.lower_ for t in said.span}
    mood = bool(words & lexicon.POSITIVE) - bool(words & lexicon.NEGATIVE)
    return 3 + mood


# --- "my sister Maria" -------------------------------------------------------------------------


def _by_role(
    said: Said, names: Names, anchored: Anchored
) -> Iterable[tuple[Anchor, Anchor, _Rule]]:
    pairs: list[tuple[Token, Anchor | None]] = []
    for one in names.named:
        for mention in one.mentions:
            role = introduced_by(mention.span) if mention.said is said else None
            if role is not None:
                pairs.append((role, anchored.of(said, mention.span.root)))
    for token in said.span:  # "Maria is my sister"
        if (
            token.dep_ == "attr"
            and token.lemma_.lower() in lexicon.ROLES
            and token.head.lemma_ == "be"
        ):
            subject = next((c for c in token.head.children if c.dep_ == "nsubj"), None)
            pairs.append((token, anchored.of(said, subject) if subject is not None else None))
    for role, dst in pairs:
        possessor = next((child for child in role.children if child.dep_ == "poss"), None)
        src = _possessor(possessor, said, anchored)
        if src is not None and dst is not None and dst.kind is _P and src.kind is _P:
            yield src, dst, _role_rule(role)


def _possessor(token: Token | None, said: Said, anchored: Anchored) -> Anchor | None:
    if token is None:
        return None
    if token.lower_ == "our":  # whoever says "our" has a share in it
        return next((a for t in said.span.doc if t.lower_ in lexicon.FIRST_PERSON
                     and (a := anchored.of(said, t)) is not None), None)  # fmt: skip
    return anchored.of(said, token)


def _role_rule(role: Token) -> _Rule:
    lemma = role.lemma_.lower()
    before = {c.lower_ for c in role.children if c.dep_ in {"amod", "compound"}}
    over = (
        bool(before & {"ex", "former", "late", "old"}) or lemma.startswith("ex-") or lemma == "ex"
    )
    kind = _FAMILIAR.get(lemma, lemma)
    proximity, attitude, single = 3, 3, False
    if lemma in lexicon.PARTNERS:
        kind, proximity, attitude, single = "partner", 5, 5, True
    elif lemma in lexicon.CLOSE:
        proximity, attitude = 5, 4
    elif lemma in lexicon.FRIENDS:
        proximity, attitude = 4, 4
    if over:
        proximity, attitude = 2, 3
    none: frozenset[Kind] = frozenset()
    return _Rule(kind, frozenset(), ("role",), none, none, proximity, attitude, single, over)


# --- verbs -------------------------------------------------------------------------------------


def _by_verb(said: Said, anchored: Anchored) -> Iterable[tuple[Anchor, Anchor, _Rule]]:
    for clause in clauses(said.span):
        if clause.subject is None:
            continue
        deed = deed_of(clause.root, clause.subject)
        src = _subject(clause.subject, said, anchored)
        if src is None or (
            deed.state is State.UNREAL and deed.lemma not in {"want", "plan", "hope", "dream"}
        ):
            continue
        yield from _matches(deed, src, said, anchored)


def _subject(subject: Token, said: Said, anchored: Anchored) -> Anchor | None:
    """Whom the subject names, by itself or by the name beside it: "my sister Maria"."""
    beside = [child for child in subject.children if child.dep_ in {"appos", "compound"}]
    found = (anchored.of(said, token) for token in (subject, *beside))
    return next((anchor for anchor in found if anchor is not None), None)


def _matches(
    deed: Deed, src: Anchor, said: Said, anchored: Anchored
) -> Iterable[tuple[Anchor, Anchor, _Rule]]:
    words = _verb_words(deed)
    for rule in _RULES:
        if src.kind not in rule.src or not rule.verbs & words:
            continue
        for token in _objects(deed, rule.preps):
            dst = anchored.of(said, token)
            told = _as_told(rule, deed)
            if dst is not None and dst.kind in rule.dst and told is not None and _fits(rule, dst):
                yield src, dst, told
    if deed.lemma in _LEAVING and deed.positive:
        yield from _left(deed, src, said, anchored)


def _verb_words(deed: Deed) -> set[str]:
    quality = deed.child("acomp")
    return {deed.lemma} | ({quality.lower_} if quality is not None else set())


def _objects(deed: Deed, preps: Sequence[str]) -> Iterable[Token]:
    for prep in preps:
        thing = deed.child("dobj", "oprd", "xcomp") if prep == "" else deed.after(prep)
        if thing is not None:
            yield thing
            yield from (token for token in thing.conjuncts if token.i > thing.i)
            if thing.pos_ == "VERB":
                yield from (child for child in thing.children if child.dep_ == "dobj")


def _fits(rule: _Rule, dst: Anchor) -> bool:
    kind = getattr(dst, "type", "")
    if rule.type in {"home", "visited", "location", "origin"}:
        return kind in {"location", "event", ""} or rule.type == "visited"
    if rule.type == "employer":
        return kind not in {"location", "event", "pet"}
    if rule.type == "project":
        return kind in {"project", "organization", "event", "product", "group"}
    return True


def _as_told(rule: _Rule, deed: Deed) -> _Rule | None:
    """The rule as this sentence has it: over, denied, or as it stands."""
    over = deed.state is State.PAST and rule.single and deed.verb.head.lemma_ == "use"
    if deed.positive and not over:
        if deed.state is State.PAST and rule.type in {"home", "employer"}:
            return None  # "I lived in Paris" tells of a time, not of now
        return rule
    if rule.type in {"likes", "prefers"}:
        return replace(rule, type="dislikes", attitude=2)
    return replace(rule, ended=True) if rule.single else None


def _left(
    deed: Deed, src: Anchor, said: Said, anchored: Anchored
) -> Iterable[tuple[Anchor, Anchor, _Rule]]:
    thing = deed.child("dobj")
    dst = anchored.of(said, thing) if thing is not None else None
    if dst is None or src.kind is not _P:
        return
    kind = {"organization": "employer", "location": "home", "project": "project"}.get(
        getattr(dst, "type", "")
    )
    if kind == "home" and deed.lemma == "leave" and deed.after("for") is not None:
        return
    if kind is not None:
        yield (
            src,
            dst,
            _Rule(kind, _ANY_VERB, (), frozenset(), frozenset(), 2, 3, kind != "project", True),
        )


_ANY_VERB: frozenset[str] = frozenset()


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
