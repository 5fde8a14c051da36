"""Who and what is called by name in a source, and which words speak of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from remanent.minds.offline import lexicon
from remanent.minds.offline.said import Role, Said, is_question
from remanent.model.reading import Reading

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

PERSON = "person"
PET = "pet"
_TYPES = {
    "ORG": "organization",
    "GPE": "location",
    "LOC": "location",
    "FAC": "location",
    "PRODUCT": "product",
    "WORK_OF_ART": "product",
    "EVENT": "event",
    "NORP": "group",
    "PERSON": PERSON,
}
_PLACE_WORDS = frozenset({"in", "near", "around", "outside", "through", "across"})
_LEADING = frozenset({"the", "a", "an", "this", "that", "our", "my", "your", "'s", "’s"})


@dataclass(frozen=True, slots=True, eq=False)
class Mention:
    """One place where a name stands. `called` means that it only addresses somebody."""

    said: Said
    span: Span
    label: str
    called: bool

    @property
    def text(self) -> str:
        return " ".join(token.text for token in self.span).replace(" - ", "-").replace(" ’", "’")


@dataclass(slots=True, eq=False)
class Named:
    """One person or thing; `kind` is person, or the type of entity."""

    name: str
    kind: str
    aliases: set[str] = field(default_factory=set)
    mentions: list[Mention] = field(default_factory=list)
    speaks: bool = False
    certain: bool = False

    @property
    def spellings(self) -> set[str]:
        return {self.name.casefold(), *(alias.casefold() for alias in self.aliases)}


@dataclass(slots=True, eq=False)
class Names:
    """Everything named in a source. `by_token` tells what a token (passage, place) stands for."""

    named: list[Named]
    by_token: dict[tuple[str, int], Named]
    owner_spellings: frozenset[str]
    addressed: frozenset[tuple[str, int]] = frozenset()
    """Tokens of names that only call somebody, the owner among them."""

    def of(self, said: Said, token: Token) -> Named | None:
        return self.by_token.get((said.passage.key, token.i))

    def speaker_of(self, said: Said) -> Named | None:
        """The person who says it, unless that is the owner or a program."""
        if said.role is not Role.OTHER or said.speaker is None:
            return None
        folded = said.speaker.casefold()
        return next((one for one in self.named if one.speaks and folded in one.spellings), None)


def find_names(told: Sequence[Said], reading: Reading) -> Names:
    """All names in the source, each person and thing once, pronouns tied where that is certain."""
    owners = _owner_spellings(reading)
    speakers = list(dict.fromkeys(s.speaker for s in told if s.role is Role.OTHER and s.speaker))
    common = {token.lower_ for said in told for token in said.span if token.is_lower}
    mentions = _without_openers([m for said in told for m in _mentions(said)], common)
    kinds = _kinds(mentions, speakers, reading)
    people = [m for m in mentions if kinds[m.text.casefold()] == PERSON]
    things = [m for m in mentions if kinds[m.text.casefold()] not in {PERSON, ""}]
    people = [m for m in people if m.text.casefold() not in owners]
    named = [*_people(people, speakers, reading), *_things(things, kinds)]
    by_token = {
        (m.said.passage.key, token.i): one
        for one in named
        for m in one.mentions
        for token in m.span
        if not m.called
    }
    addressed = {(m.said.passage.key, token.i) for m in mentions if m.called for token in m.span}
    names = Names(named, by_token, frozenset(owners), frozenset(addressed))
    _tie_pronouns(told, names)
    return names


def _owner_spellings(reading: Reading) -> set[str]:
    full = {name.casefold().strip() for name in reading.owner_names}
    return full | {name.split()[0] for name in full if name}


# --- finding -----------------------------------------------------------------------------------


def _mentions(said: Said) -> Iterable[Mention]:
    taken: set[int] = set()
    for start, end, label in [
        *_projects(said.span),
        *_entities(said.span),
        *_proper_runs(said.span),
    ]:
        span = _trimmed(said.span.doc[start:end])
        if span is None or any(token.i in taken for token in span):
            continue
        taken.update(token.i for token in span)
        yield Mention(said, span, label, _only_calls(span, said.span))


def _without_openers(mentions: Sequence[Mention], common: set[str]) -> list[Mention]:
    """Without words that have a capital only because they begin a sentence: "Dance is my life"."""
    inside = {m.text for m in mentions if not _opens(m.span[0])}
    return [m for m in mentions if m.text in inside or m.text.casefold() not in common]


def _entities(sentence: Span) -> Iterable[tuple[int, int, str]]:
    for entity in sentence.ents:
        if entity.label_ in _TYPES:
            yield entity.start, entity.end, entity.label_


def _proper_runs(sentence: Span) -> Iterable[tuple[int, int, str]]:
    start: int | None = None
    for token in [*sentence, None]:
        proper = token is not None and token.pos_ == "PROPN" and token.text[:1].isupper()
        if proper and token is not None:
            start = token.i if start is None else start
        elif start is not None:
            yield start, token.i if token is not None else sentence.end, ""
            start = None


def _projects(sentence: Span) -> Iterable[tuple[int, int, str]]:
    for token in sentence:
        if token.lower_ != "project":
            continue
        after = [t for t in sentence if t.i > token.i][:2]
        names = _leading_capitals(after)
        if token.text[:1].isupper() and names:
            yield token.i, names[-1].i + 1, "PROJECT"
            continue
        before = [t for t in sentence if t.i < token.i][-2:]
        run = _leading_capitals(before[::-1])
        if run and run[-1].dep_ == "compound" and run[-1].i > sentence.start:
            yield run[-1].i, token.i, "PROJECT"


def _leading_capitals(tokens: Sequence[Token]) -> list[Token]:
    run: list[Token] = []
    for token in tokens:
        if not token.text[:1].isupper() or token.lower_ in lexicon.NEVER_NAMES:
            break
        run.append(token)
    return run


def _trimmed(span: Span) -> Span | None:
    """The name alone: no article, title, greeting or possessive mark; None when none is left."""
    tokens = list(span)
    while (
        tokens
        and (
            not tokens[0].is_alpha
            or tokens[0].lower_ in _LEADING | lexicon.TITLES | lexicon.NEVER_NAMES
            or (tokens[0].lower_ in lexicon.ROLES and len(tokens) > 1)
        )
        and not tokens[0].like_num
    ):
        tokens = tokens[1:]
    while tokens and (
        not any(c.isalnum() for c in tokens[-1].text)
        or tokens[-1].lower_ in {"'s", "’s", "s"} | lexicon.NEVER_NAMES
    ):
        tokens = tokens[:-1]
    if not tokens or not _looks_like_name(tokens):
        return None
    return span.doc[tokens[0].i : tokens[-1].i + 1]


def _looks_like_name(tokens: Sequence[Token]) -> bool:
    if len(tokens) > 6 or "\n" in "".join(token.text for token in tokens):
        return False
    first = tokens[0]
    if not any(t.text[:1].isupper() and t.is_alpha for t in tokens) or not first.text[:1].isupper():
        return False
    if len(tokens) == 1 and (first.pos_ not in {"PROPN", "NOUN", "X"} or len(first.text) < 2):
        return first.ent_type_ in {"PERSON", "GPE", "ORG", "NORP"} and not _opens(first)
    return True


def _opens(token: Token) -> bool:
    return bool(token.is_sent_start)


def _only_calls(span: Span, sentence: Span) -> bool:
    """True for a name that addresses: "Hey Mel", "Thanks, Sarah!", "Tom, can you ..."."""
    before = span.doc[span.start - 1] if span.start > sentence.start else None
    after = span.doc[span.end] if span.end < sentence.end else None
    if before is not None and before.lower_ in lexicon.GREETINGS | {"dear", "so"}:
        return after is None or after.is_punct
    dep = span.root.dep_
    if before is None or before.text == ",":
        if after is None or after.text in {"!", ".", "?"}:
            listed = dep == "conj" or (dep == "appos" and span.root.head.pos_ == "NOUN")
            return before is None or not listed
        if after.text in {",", ";", ":", "-", "–", "—"}:
            return before is None or dep not in {"appos", "conj", "nsubj", "nsubjpass"}
    return False


# --- deciding what each is ---------------------------------------------------------------------


def _kinds(
    mentions: Sequence[Mention], speakers: Sequence[str], reading: Reading
) -> dict[str, str]:
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    speaking = {part for name in [*speakers, *reading.owner_names] for part in _parts(name)}
    for mention in mentions:
        votes[mention.text.casefold()][_vote(mention, speaking)] += 1
    programs = {name.casefold() for name in reading.assistants}
    return {
        text: "" if text in programs else _decided(text, counts, speaking)
        for text, counts in votes.items()
    }


def _parts(name: str) -> set[str]:
    folded = name.casefold().strip()
    return {folded, *folded.split()[:1]}


def _vote(mention: Mention, speaking: set[str]) -> str:
    role = introduced_by(mention.span)
    if role is not None:
        return PET if role.lemma_.lower() in lexicon.PETS else PERSON
    if mention.label == "PROJECT":
        return "project"
    if mention.text.casefold() in lexicon.LANGUAGES:
        return ""
    if mention.called:
        return PERSON
    first = mention.span[0].lower_
    label = _TYPES.get(mention.label, "")
    if first in speaking or (first in lexicon.FIRST_NAMES and len(mention.span) <= 3):
        return label if label == "location" and _stands_as_place(mention) else PERSON
    return _corrected(mention, label)


def _corrected(mention: Mention, label: str) -> str:
    if label in {PERSON, "group", ""} and _stands_as_place(mention):
        return "location"
    if label == "organization" and _stands_as_place(mention) and len(mention.span) == 1:
        return "location" if mention.span.root.head.head.lemma_ in {"live", "move"} else label
    if label == "group" and mention.span.root.dep_ in {"amod", "compound"}:
        return ""
    if label == "" and mention.span.root.dep_ in {"nsubj", "nsubjpass"}:
        human = mention.span.root.head.lemma_ in lexicon.HUMAN_VERBS and len(mention.span) == 1
        return PERSON if human and not _opens(mention.span[0]) else ""
    return label


def _stands_as_place(mention: Mention) -> bool:
    head = mention.span.root.head
    if mention.span.root.dep_ != "pobj":
        return False
    moving = head.lower_ in {"to", "from"} and head.head.lemma_ in {
        "move",
        "fly",
        "travel",
        "drive",
    }
    return head.lower_ in _PLACE_WORDS or moving


def introduced_by(span: Span) -> Token | None:
    """The role noun that introduces a name: `sister` in "my sister Maria", "Maria, my sister"."""
    root = span.root
    near = [root.head] if root.dep_ in {"appos", "compound", "nmod", "oprd"} else []
    near += [child for child in root.children if child.dep_ in {"appos", "compound", "nmod"}]
    if span.start > 0:
        near.append(span.doc[span.start - 1])
    if root.dep_ in {"attr", "oprd"}:
        near += [c for c in root.head.children if c.dep_ in {"nsubj", "nsubjpass"}]
        near += [root.head.head] if root.head.dep_ == "acl" else []  # "a dog called Rex"
    if root.dep_ == "nsubj" and root.head.lemma_ == "be":
        near += [c for c in root.head.children if c.dep_ == "attr"]
    known = lexicon.ROLES | lexicon.PETS
    return next((one for one in near if one.lemma_.lower() in known and one.pos_ != "VERB"), None)


def _decided(text: str, counts: Counter[str], speaking: set[str]) -> str:
    if text in speaking:
        return PERSON
    real = Counter({kind: count for kind, count in counts.items() if kind})
    if not real:
        return ""
    if PET in real:
        return PET
    best = max(real.values())
    order = (PERSON, "project", "location", "organization", "event", "product", "group")
    return next((kind for kind in order if real[kind] == best), "")


# --- one candidate each ------------------------------------------------------------------------


def _people(mentions: Sequence[Mention], speakers: Sequence[str], reading: Reading) -> list[Named]:
    full = _full_names([*speakers, *(m.text for m in mentions)], _owner_spellings(reading))
    people: dict[str, Named] = {}
    for speaker in speakers:
        target = _target(speaker, full, speakers, speaker) or speaker
        one = people.setdefault(target.casefold(), Named(target, PERSON))
        one.speaks = one.certain = True
        _add_spelling(one, speaker)
    for mention in mentions:
        filed = _target(mention.text, full, speakers, mention.said.speaker)
        if filed is None:
            continue
        one = people.setdefault(filed.casefold(), Named(filed, PERSON))
        _add_spelling(one, mention.text)
        one.mentions.append(mention)
        sure = mention.span[0].lower_ in lexicon.FIRST_NAMES and mention.label != ""
        one.certain |= (
            sure
            or mention.called
            or introduced_by(mention.span) is not None
            or len(mention.span) > 1
        )
    return list(people.values())


def _full_names(texts: Iterable[str], owners: set[str]) -> list[str]:
    """Names that no other name contains, longest first."""
    unique = {text.casefold(): text for text in texts if text.casefold() not in owners}
    ordered = sorted(unique.values(), key=lambda text: (-len(text.split()), text))
    return [text for text in ordered if len(text.split()) > 1]


def _target(text: str, full: Sequence[str], speakers: Sequence[str], by: str | None) -> str | None:
    """The name under which a spelling is filed; None when it could be two people."""
    folded = text.casefold()
    words = folded.split()
    if len(words) == 1:
        fitting = [
            name
            for name in full
            if folded in {name.casefold().split()[0], name.casefold().split()[-1]}
        ]
        if len(fitting) > 1:
            return None
        if fitting:
            return fitting[0]
        short = [
            s for s in speakers if s != by and s.casefold().startswith(folded) and len(folded) > 2
        ]
        return short[0] if len(short) == 1 else _as_spelled(text, speakers)
    holding = [name for name in full if name.casefold() != folded and _holds(name, words)]
    return holding[0] if len(holding) == 1 else _as_spelled(text, full)


def _holds(name: str, words: Sequence[str]) -> bool:
    # "Sarah Chen" in "Sarah Jane Chen"
    parts = name.casefold().split()
    return len(parts) > len(words) and parts[0] == words[0] and parts[-1] == words[-1]


def _as_spelled(text: str, known: Sequence[str]) -> str:
    return next((name for name in known if name.casefold() == text.casefold()), text)


def _add_spelling(one: Named, text: str) -> None:
    if text.casefold() != one.name.casefold():
        one.aliases.add(text)


def _things(mentions: Sequence[Mention], kinds: dict[str, str]) -> list[Named]:
    things: dict[str, Named] = {}
    for mention in mentions:
        text = mention.text
        one = things.setdefault(text.casefold(), Named(text, kinds[text.casefold()]))
        one.mentions.append(mention)
        one.certain |= _TYPES.get(mention.label) == one.kind or mention.label == "PROJECT"
    return list(things.values())


# --- pronouns ----------------------------------------------------------------------------------


def _tie_pronouns(told: Sequence[Said], names: Names) -> None:
    """Tie she and he to the one person that the same speaker has just named, or to nobody."""
    lately: dict[str | None, list[Named]] = {}
    for said in told:
        here: list[Named] = []
        before = lately.get(said.speaker, [])
        for token in said.span:
            one = names.of(said, token)
            if one is not None and one.kind == PERSON and one not in here:
                here.append(one)
            elif token.lower_ in lexicon.FEMALE | lexicon.MALE:
                meant = here or before
                if len(meant) == 1:
                    names.by_token[said.passage.key, token.i] = meant[0]
                    here = here or [meant[0]]
        # A question in between does not change who is being spoken of.
        if here or not is_question(said.span):
            lately[said.speaker] = here
