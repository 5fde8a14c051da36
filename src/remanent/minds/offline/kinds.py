"""Whether a name is a person's, or of what type the thing is: every place in the source has a vote."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from remanent.minds.offline import lexicon
from remanent.minds.offline.mentions import PERSON, TYPES, Mention, ends_as_thing, opens

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

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
