"""Where names stand in a source: spans of the model, cut right, and runs of capitals beside them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from remanent.minds.offline import lexicon
from remanent.minds.offline.voice import Said

if TYPE_CHECKING:
    from spacy.tokens import Span, Token


PERSON = "person"
TYPES = {
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
"""Labels of the model, and what they are called here."""

_LEADING = lexicon.words("the a an this that our my your his her their its 's ’s")
_ENDING = lexicon.words("'s ’s s ' ’")
_PARTING = lexicon.words("at in from with on for to and & is was")
_TITLE_WORDS = frozenset({"ORG", "EVENT", "WORK_OF_ART", "FAC", "PRODUCT", "LOC", "GPE"})
_KEPT_IN_TITLES = lexicon.words(
    "great good best new saturday sunday friday monday spring summer winter autumn fall morning"
    " evening god love may march april june august christmas easter thanksgiving i it you we this that"
    " what who how"
)
_LONGEST = 7  # words of a name


@dataclass(frozen=True, slots=True, eq=False)
class Mention:
    """One place where a name stands. `called` means that it only addresses somebody."""

    said: Said
    span: Span
    label: str
    called: bool

    @property
    def text(self) -> str:
        written = " ".join(token.text for token in self.span)
        written = written.replace(" - ", "-").replace(" ’", "’").replace(" '", "'")
        written = written.strip("\"'“”‘’-–—")
        return written.title() if written.islower() else written


def find_mentions(told: Sequence[Said], speaking: set[str]) -> list[Mention]:
    """All names in the order of the text; `speaking` are the spellings of those who speak."""
    common = {token.lower_ for said in told for token in said.span if token.is_lower}
    found = [mention for said in told for mention in _mentions(said, speaking)]
    return _without_openers(found, common)


def _mentions(said: Said, speaking: set[str]) -> Iterator[Mention]:
    taken: set[int] = set()
    for start, end, label in [
        *_projects(said.span),
        *_entities(said.span),
        *_proper_runs(said.span),
    ]:
        span = _trimmed(said.span.doc[start:end], label)
        if span is None or any(token.i in taken for token in span):
            continue
        taken.update(token.i for token in span)
        yield Mention(said, span, label, _only_calls(span, label, said, speaking))


def _without_openers(mentions: Sequence[Mention], common: set[str]) -> list[Mention]:
    """Without words that have a capital only because they begin a sentence: "Dance is my life"."""
    inside = {m.text for m in mentions if not opens(m.span[0])}
    return [
        m
        for m in mentions
        if m.text in inside or m.span[0].is_lower or m.text.casefold() not in common
    ]


def opens(token: Token) -> bool:
    """True for the first word of a sentence, which has its capital from there."""
    return bool(token.is_sent_start)


# --- spans -------------------------------------------------------------------------------------


def _entities(sentence: Span) -> Iterator[tuple[int, int, str]]:
    for entity in sentence.ents:
        if entity.label_ in TYPES:
            yield from _parted(entity)


def _parted(entity: Span) -> Iterator[tuple[int, int, str]]:
    """ "Tom at Fjordlink" is two names; a company or a title may have such words in it."""
    parting = next((t for t in entity[1:] if t.lower_ in _PARTING and not t.is_title), None)
    personal = entity.label_ == "PERSON" or (
        entity[0].lower_ in lexicon.FIRST_NAMES and parting is not None and parting.lower_ == "at"
    )
    if not personal or parting is None:
        yield entity.start, entity.end, entity.label_
        return
    yield entity.start, parting.i, "PERSON"
    rest = {"and": "PERSON", "&": "PERSON", "with": "PERSON", "at": "ORG"}
    yield parting.i + 1, entity.end, rest.get(parting.lower_, "")


def _proper_runs(sentence: Span) -> Iterator[tuple[int, int, str]]:
    start: int | None = None
    for token in [*sentence, None]:
        proper = token is not None and token.pos_ == "PROPN" and token.text[:1].isupper()
        if proper and token is not None and start is None and _is_hyphened(token):
            continue
        if proper and token is not None:
            start = token.i if start is None else start
        elif start is not None:
            yield start, token.i if token is not None else sentence.end, ""
            start = None


def _is_hyphened(token: Token) -> bool:
    """True for what is only the end of a word: "American" in "All-American"."""
    before = token.nbor(-1) if token.i > 0 else None
    return before is not None and before.text == "-" and not before.whitespace_


def _projects(sentence: Span) -> Iterator[tuple[int, int, str]]:
    for token in sentence:
        if token.lower_ != "project":
            continue
        after = [t for t in sentence if t.i > token.i][:2]
        names = _leading_capitals(after)
        inside = token.i > sentence.start and token.ent_iob_ == "I"
        if token.text[:1].isupper() and names and not inside:
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


def _trimmed(span: Span, label: str) -> Span | None:
    """The name alone: no article, title, greeting or possessive mark; None when none is left."""
    tokens = list(span)
    never = lexicon.NEVER_NAMES
    if label in _TITLE_WORDS and len(tokens) > 1:
        never -= _KEPT_IN_TITLES
    while tokens and _opens_no_name(tokens, never):
        tokens = tokens[1:]
    while tokens and (
        not any(c.isalnum() for c in tokens[-1].text) or tokens[-1].lower_ in _ENDING | never
    ):
        tokens = tokens[:-1]
    if not tokens or not _looks_like_name(tokens, label):
        return None
    return span.doc[tokens[0].i : tokens[-1].i + 1]


def _opens_no_name(tokens: Sequence[Token], never: frozenset[str]) -> bool:
    first = tokens[0]
    if not any(c.isalnum() for c in first.text) or first.lower_ == "rt":
        return True
    if first.lower_ in _LEADING | lexicon.TITLES | never:
        return bool(first.whitespace_) or len(tokens) == 1 or first.lower_ not in _LEADING
    return first.lower_ in lexicon.ROLES and len(tokens) > 1


def _looks_like_name(tokens: Sequence[Token], label: str) -> bool:
    written = "".join(token.text for token in tokens)
    if len(tokens) > _LONGEST or any(mark in written for mark in "\n@#/_"):
        return False
    first = tokens[0]
    if not first.text[:1].isupper():
        return _is_name_without_capital(tokens, label)
    if len(tokens) == 1 and (first.pos_ not in {"PROPN", "NOUN", "X"} or len(first.text) < 2):
        return first.ent_type_ in {"PERSON", "GPE", "ORG", "NORP"} and not opens(first)
    return True


def _is_name_without_capital(tokens: Sequence[Token], label: str) -> bool:
    """ "3M", "iPhone", "kevin" and "toronto", as far as the model is sure of them."""
    first = tokens[0]
    if any(c.isupper() for token in tokens for c in token.text):
        mixed = first.text[:1].isdigit() or any(c.isupper() for c in first.text)
        return mixed and label not in {"", "PERSON", "PROJECT"}
    proper = all(token.pos_ == "PROPN" for token in tokens)
    if label == "PERSON":
        known = first.lower_ in lexicon.FIRST_NAMES - lexicon.COMMON_WORDS
        return known and (proper or len(tokens) == 2)
    return label == "GPE" and proper


# --- addressing --------------------------------------------------------------------------------


def _only_calls(span: Span, label: str, said: Said, speaking: set[str]) -> bool:
    """True for a name that addresses: "Hey Mel", "Thanks, Sarah!", "Tom, can you ..."."""
    sentence = said.span
    before = span.doc[span.start - 1] if span.start > sentence.start else None
    after = span.doc[span.end] if span.end < sentence.end else None
    if before is not None and before.lower_ in lexicon.GREETINGS | {"dear", "so"}:
        return after is None or after.is_punct
    if ends_as_thing(span) or not _may_be_called(span, label, said, speaking):
        return False  # "Beijing, China.", a heading
    return _stands_apart(span, before, after)


def _may_be_called(span: Span, label: str, said: Said, speaking: set[str]) -> bool:
    first = span[0].lower_
    if first in speaking:
        return True
    if said.speaker is None and label in {"GPE", "LOC", "ORG"}:
        return False
    if first in lexicon.FIRST_NAMES and len(span) <= 3:
        return True
    opening = said.span[0].lower_ in lexicon.GREETINGS and span.start - said.span.start <= 2
    return said.speaker is not None and (label == "PERSON" or opening)


def _stands_apart(span: Span, before: Token | None, after: Token | None) -> bool:
    dep = span.root.dep_
    if before is None or before.text == ",":
        if after is None or after.text in {"!", ".", "?"}:
            parent = span.root.head
            named = parent.pos_ == "PROPN" and span[0].lower_ not in lexicon.FIRST_NAMES
            listed = dep == "conj" or (dep == "appos" and (parent.pos_ == "NOUN" or named))
            return before is None or not listed
        if after.text in {",", ";", ":", "-", "–", "—"}:
            return before is None or dep not in {"appos", "conj", "nsubj", "nsubjpass"}
    return False


def ends_as_thing(span: Span) -> str:
    """The type that the last word of a longer name tells: "Mark Hopkins Hotel", "Elm Street"."""
    if len(span) < 2:
        return ""
    last = span[-1].lower_.rstrip(".")
    if last in lexicon.ORGANIZATION_WORDS:
        return "organization"
    return "location" if last in lexicon.PLACE_WORDS else ""


PET = "pet"
_NEAR_PLACES = lexicon.words("in near around outside through across")
_MOVING = lexicon.words("move fly travel drive")
_WORKING = lexicon.words("work job intern internship employ position role shift")
_LEADERS = lexicon.words("ceo cto cfo founder chairman chairwoman president owner employee")
_BUSINESS = lexicon.words("client customer report lead")
_COMPANY_VERBS = lexicon.words(
    "hire employ acquire launch announce release sell ship manufacture develop build offer sponsor"
)
_ORDER = (PERSON, "project", "location", "organization", "event", "product", "group")


def kinds_of(mentions: Sequence[Mention], speaking: set[str], programs: set[str]) -> dict[str, str]:
    """By spelling, what each name is: a person, a type of thing, or "" for neither."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for mention in mentions:
        votes[mention.text.casefold()][_vote(mention, speaking)] += 1
    decided = {
        text: "" if text in programs else _decided(text, counts, speaking)
        for text, counts in votes.items()
    }
    return decided | _parts_of_people(decided, votes)


def _parts_of_people(decided: dict[str, str], votes: dict[str, Counter[str]]) -> dict[str, str]:
    """A last name alone is a person where the source has the full name: "Bobick" after "Duane Bobick"."""
    full = [text.split() for text, kind in decided.items() if kind == PERSON and " " in text]
    last = {words[-1] for words in full if words[0] in lexicon.FIRST_NAMES}
    seen = {words[-1] for words in full}
    return {
        text: PERSON
        for text, kind in decided.items()
        if (text in last and kind not in {PERSON, PET, "project"} and votes[text]["location"] == 0)
        or (text in seen and kind in {"", "organization"})
    }


def _vote(mention: Mention, speaking: set[str]) -> str:
    role = introduced_by(mention.span)
    if role is not None and mention.label != "NORP":
        return _introduced(mention, role.lemma_.lower())
    if mention.label == "PROJECT":
        return "project"
    if mention.text.casefold() in lexicon.LANGUAGES:
        return ""
    if mention.called or is_titled(mention.span):
        return PERSON
    return _by_words(mention, speaking) or _by_place(mention, TYPES.get(mention.label, ""))


def _introduced(mention: Mention, role: str) -> str:
    if role in lexicon.PETS:
        return PET
    by_name = mention.label == "PERSON" or mention.span[0].lower_ in lexicon.FIRST_NAMES
    return PERSON if role not in _BUSINESS or by_name else "organization"


def is_titled(span: Span) -> bool:
    """True after a title: "Dr. Weber"."""
    return span.start > 0 and span.doc[span.start - 1].lower_ in lexicon.TITLES - {"coach"}


def _by_words(mention: Mention, speaking: set[str]) -> str:
    """What the words of the name tell by themselves; "" when they tell nothing."""
    thing = ends_as_thing(mention.span)
    if thing:
        label = TYPES.get(mention.label, "")
        return label if label not in {PERSON, "group", ""} else thing
    first = mention.span[0].lower_
    if first in speaking and len(mention.span) <= 3:
        return "location" if mention.label == "GPE" and _stands_as_place(mention) else PERSON
    if first not in lexicon.FIRST_NAMES or len(mention.span) > 3:
        return ""
    label = TYPES.get(mention.label, "")
    if label == "location":
        place = first in lexicon.ALSO_PLACES or _stands_as_place(mention)
        return label if place or len(mention.span) > 1 else PERSON
    if label in {"product", "event"} and len(mention.span) > 1:
        return label
    return PERSON


def _by_place(mention: Mention, label: str) -> str:
    """The label of the model, corrected by how the name stands in its sentence."""
    if label in {PERSON, "", "location"} and _employs(mention):
        return "organization"
    if _stands_as_place(mention):
        return _as_place(mention, label)
    if len(mention.span) == 1 and label in {PERSON, ""} and _is_generic(mention.span[0]):
        return ""
    if label == "group" and mention.span.root.dep_ in {"amod", "compound"}:
        return ""
    return label or _unlabelled(mention)


def _as_place(mention: Mention, label: str) -> str:
    if label in {PERSON, "group", ""}:
        return "location"
    lived_in = mention.span.root.head.head.lemma_ in {"live", "move"} and len(mention.span) == 1
    return "location" if label == "organization" and lived_in else label


def _unlabelled(mention: Mention) -> str:
    """A name that the model does not know is a person's where it does what people do."""
    root = mention.span.root
    if root.dep_ not in {"nsubj", "nsubjpass"} or len(mention.span) > 1:
        return ""
    human = root.head.lemma_ in lexicon.HUMAN_VERBS and not opens(mention.span[0])
    return PERSON if human else ""


def _stands_as_place(mention: Mention) -> bool:
    head = mention.span.root.head
    if mention.span.root.dep_ != "pobj":
        return False
    moving = head.lower_ in {"to", "from"} and head.head.lemma_ in _MOVING
    return head.lower_ in _NEAR_PLACES or moving


def _employs(mention: Mention) -> bool:
    """True in "works at Hansen Boats", "a job with Fjordlink", "the CEO of Nordvik"."""
    root = mention.span.root
    if root.dep_ == "nsubj" and root.head.lemma_ in _COMPANY_VERBS:
        return mention.label in {"", "PERSON"}
    if root.dep_ != "pobj":
        return False
    word, before = root.head.lower_, root.head.head.lemma_.lower()
    if word in {"at", "for"} and before in _WORKING:
        return word == "at" or mention.label != "PERSON"
    return word in {"of", "at"} and before in _LEADERS and mention.label != "GPE"


def _is_generic(token: Token) -> bool:
    return token.lower_ in lexicon.ORGANIZATION_WORDS | lexicon.PLACE_WORDS


def introduced_by(span: Span) -> Token | None:
    """The role noun that introduces a name: `sister` in "my sister Maria", "Maria, my sister"."""
    root = span.root
    near = [root.head] if root.dep_ in {"appos", "oprd"} else []
    if root.dep_ in {"compound", "nmod"} and root.head.i < span.start:  # not in "Acme customers"
        near.append(root.head)
    near += [child for child in root.children if child.dep_ in {"appos", "compound", "nmod"}]
    near = [one for one in near if not span.start <= one.i < span.end]
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
    return next((kind for kind in _ORDER if real[kind] == best), "")
