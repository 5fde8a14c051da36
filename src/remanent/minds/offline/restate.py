"""Restating: words of a source that stand alone, pronouns replaced by names and I by the speaker's.

Nothing is added but names and the form of the verb behind them.
"""

from __future__ import annotations

import re
from typing import Final

from remanent.core.dataclasses import dataclass
from remanent.core.model.belief import OWNER
from remanent.core.regex import regex
from remanent.minds.offline.lexicon import LISTS, STOP, words
from remanent.minds.offline.named import PERSON, Named, Names
from remanent.minds.reader.reading import Place

_SUBJECTS: Final = words("he she they it")
_OBJECTS: Final = words("him them")
_POSSESSIVES: Final = words("his their its")
_THIRD_PERSON: Final = _SUBJECTS | _OBJECTS | _POSSESSIVES | words("her hers")
_PEOPLE: Final = words("he him his she her hers")
_WE: Final = regex(r"\b(?:we|us|our|ours|ourselves)\b", re.IGNORECASE)
_YOU: Final = regex(r"\b(?:you|your|yours|yourself|u|ur)\b", re.IGNORECASE)
_LOOSE: Final = regex(
    r"^(?:he|she|they|it|this|that|these|those|his|her|their|there)\b", re.IGNORECASE
)
_FEWEST_LOOSE: Final = 7  # words
_HOLLOW: Final = regex(
    r"^(?:\S+\s+){1,3}(?P<what>it|this|that|him|her|them|these|those)\W*$", re.IGNORECASE
)
"""A few words that end in what only the text around them says."""
_LEANING: Final = regex(
    r"(?:(?P<one>he|she|it|his|her|its)|they|their|because|which|so|otherwise"
    r"|(?:this|that|these|those)(?=['’]s|\s(?:is|was|are|were|will|means|makes|has|have|had|can)\b))\b",
    re.IGNORECASE,
)
_ADVERB: Final = regex(
    r"\s+(?:really|just|also|still|now|always|never|usually|often|sometimes|finally|actually|already"
    r"|only|both|all|recently|currently|absolutely|\w+ly)\b",
    re.IGNORECASE,
)
_VERB: Final = regex(r"(\s*)(['’]\w+|\w+(?:n['’]t)?)")
_FORMS: Final = {
    "am": "is", "are": "is", "have": "has", "do": "does", "be": "is", "were": "was", "don't": "doesn't",
    "haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't", "ain't": "isn't", "'m": " is",
    "'re": " is", "'ve": " has", "'ll": " will", "'d": " would", "go": "goes",
}  # fmt: skip
_KEEP: Final = LISTS["verbs_kept"]
_I_AND: Final = regex(r"(?:^|[.!?\n])\W*(?:I|we)\b[^.!?\n]*\band\s*$", re.IGNORECASE)
_JOINED: Final = regex(r"(?:\b(?:and|but|or|then|who)|[,;])\s*$", re.IGNORECASE)
_NEVER_POSSESSED: Final = LISTS["never_possessed"]
_WHERE: Final = {"location": "in", "organization": "at"}
_THERE: Final = regex(
    r"\b(?P<verb>[\w'’]+)\s+(?P<where>(?:(?:(?P<at>from|near|around|to)|back|over|up|down|out)\s+)?there)\b"
    r"(?!['’]s|\s+(?:is|are|was|were|will|has|have|had|may|might|must|can|could|should|would)\b)",
    re.IGNORECASE,
)
_AT: Final = regex(r"(?:\b(?P<at>in|at|on|near|by)\s+)?(?P<the>\bthe\s+)?$", re.IGNORECASE)
_LONGEST_AT: Final = 20  # characters
_MOTION: Final = regex(
    r"(?:go|gone|went|mov|com|came|get|got|travel|fl[yie]|flew|driv|drov|return|head|walk|sail|relocat)\w*",
    re.IGNORECASE,
)
_SIBILANT: Final = ("s", "x", "z", "ch", "sh", "o")


@dataclass(slots=True)
class _Edit:
    """Replacing characters of a text, from left to right."""

    start: int
    end: int
    text: str


def restated(names: Names, passage_text: str, place: Place) -> str | None:
    """The words at the place so that they can be read alone; None if nobody knows whom they mean."""
    text = passage_text[place.start : place.end]
    speaker = names.speakers.get(place.turn)
    edits, tied = _pronouns(names, passage_text, place)
    if _is_loose(text, tied):
        return None
    if (hollow := _HOLLOW.match(text)) is not None and hollow.start("what") not in tied:
        return None
    if _YOU.search(text):
        other = names.addressee(place.turn)
        if other is None:
            return None
        edits += _second_person(text, other)
    if isinstance(speaker, Named):
        if _WE.search(text):
            return f"{speaker.name}: {_applied(text, edits)}"
        edits += _first_person(text, speaker.name)
    return _applied(text, edits)


def _is_loose(text: str, tied: dict[int, Named | str]) -> bool:
    """Whether words begin with whom nobody knows. What is told at some length of no person says enough
    without: "they stole the catalytic converter, right in front of the clinic"."""
    found = _LOOSE.match(text)
    if found is None or found.start() in tied:
        return False
    return found.group().casefold() in _PEOPLE or len(text.split()) < _FEWEST_LOOSE


def readable(names: Names, passage_text: str, place: Place) -> str:
    """The words at the place with names for pronouns, in the first person of whoever said them."""
    text = passage_text[place.start : place.end]
    return _applied(text, _pronouns(names, passage_text, place)[0])


def standing_alone(names: Names, passage_text: str, place: Place, about: str) -> str | None:
    """`readable`, and with whom the reader says it is `about` for the pronoun that it begins with; None
    if it leans on what was said before, or tells who somebody spoken of before is."""
    text = passage_text[place.start : place.end]
    edits, tied = _pronouns(names, passage_text, place)
    hollow, before = _HOLLOW.match(text), passage_text[: place.start].casefold()
    leans = hollow is not None and hollow.start("what") not in tied
    for one in edits:
        called = next((n.name.casefold() for n in names.named if one.text.startswith(n.inline)), "")
        leans |= called not in before or (called != "" and called in text.casefold())
    if (begins := _LEANING.match(text)) is not None and all(one.start for one in edits):
        who = tied.get(0) or names.of_key(about)
        name = who.inline if isinstance(who, Named) else "" if who in {None, OWNER} else f"my {who}"
        leans |= not name or begins["one"] is None or name.casefold() in text.casefold()
        edits += _named(text, 0, begins.end(), name)
    return None if leans else _applied(text, edits)


def _pronouns(
    names: Names, passage_text: str, place: Place
) -> tuple[list[_Edit], dict[int, Named | str]]:
    """Names in the place of pronouns, and where pronouns stand whose meaning is known."""
    text = passage_text[place.start : place.end]
    edits, mentioned = _there(names, passage_text, place), set[str]()
    tied: dict[int, Named | str] = {}
    for spot, who in names.within(place):
        start, end = spot.start - place.start, spot.end - place.start
        surface = text[start:end].casefold()
        if surface not in _THIRD_PERSON:
            if isinstance(who, Named) and who.spellings & {surface, who.name.casefold()}:
                mentioned.add(who.name)
            continue
        if surface in _PEOPLE and (who.kind != PERSON if isinstance(who, Named) else who != OWNER):
            continue
        tied[start] = who
        if isinstance(who, Named) and who.kind == PERSON and who.name not in mentioned:
            edits += _named(text, start, end, who.inline)
            mentioned.add(who.name)
    return edits, tied


def _there(names: Names, passage_text: str, place: Place) -> list[_Edit]:
    """ "There" as the place that was named last before it; not where these characters have its name."""
    found = _THERE.search(passage_text, place.start, place.end)
    if found is None:
        return []
    spots = [
        (spot, who)
        for spot, who in names.spoken_of.get(place.turn, ())
        if isinstance(who, Named) and who.kind in _WHERE and spot.end <= found.start("where")
    ]
    if not spots or spots[-1][0].within(place):
        return []
    spot, who = spots[-1]
    said = _AT.search(passage_text[: spot.start][-_LONGEST_AT:])
    at, the = (said["at"], said["the"]) if said is not None else (None, None)
    at = at or _WHERE[who.kind]
    at = found["at"] or ("to" if _MOTION.fullmatch(found["verb"]) else at)
    start, end = found.span("where")
    return [_Edit(start - place.start, end - place.start, f"{at} {the or ''}{who.name}")]


def _applied(text: str, edits: list[_Edit]) -> str:
    out, at = "", 0
    for one in sorted(edits, key=lambda one: one.start):
        if one.start >= at:
            out += text[at : one.start] + one.text
            at = one.end
    return out + text[at:]


def _named(text: str, start: int, end: int, name: str) -> list[_Edit]:
    """A name in a pronoun's place: "she's a nurse" -> "Maria is a nurse", "her car" -> "Maria's car"."""
    word = text[start:end].casefold()
    if word in _SUBJECTS:
        agree = _agreeing(text, end) if word == "they" else _contracted(text, end)
        return [_Edit(start, end, name), *agree]
    following = re.match(r"\s+([\w'’-]+)", text[end:])
    possessed = following is not None and following[1].casefold() not in _NEVER_POSSESSED
    if word in _POSSESSIVES or (word == "her" and possessed):
        return [_Edit(start, end, f"{name}'s")]
    return [_Edit(start, end, f"{name}'s" if word == "hers" else name)]


def _contracted(text: str, at: int) -> list[_Edit]:
    """ "'s" behind a name would be read as whose: it becomes is or has."""
    found = re.match(r"['’](s|d|ll|ve|re)\b(?:\s+(\w+))?", text[at:])
    if found is None:
        return []
    after = (found[2] or "").casefold()
    perfect = after in _KEEP | {"been", "gone", "just", "seen"} or after.endswith("ed")
    perfect &= after not in {"read", "put", "let", "set", "cut", "not", "to", "in", "on", "at"}
    form = {"s": " has" if perfect else " is", "d": " had" if perfect else " would", "ll": " will"}
    return [_Edit(at, at + found.end(1), form.get(found[1].casefold(), " has"))]


def _first_person(text: str, name: str) -> list[_Edit]:
    edits: list[_Edit] = []
    for found in re.finditer(r"\b(?:I|me|my|mine|myself)\b", text, re.IGNORECASE):
        word, told = found.group().casefold(), any(name in one.text for one in edits)
        if word == "i":
            edits += [_Edit(*found.span(), name), *_agreeing(text, found.end())]
        else:
            later = {"me": "them", "my": "their", "mine": "theirs", "myself": "themselves"}
            first = {"me": name, "my": f"{name}'s", "mine": f"{name}'s", "myself": name}
            edits.append(_Edit(*found.span(), (later if told else first)[word]))
    return edits


_MINE: Final = {"your": "my", "ur": "my", "yours": "mine", "yourself": "myself"}
_CLAUSE_BEGINS: Final = regex(
    r"(?:^|[,;:.!?—–]|\b(?:and|but|so|that|if|when|because|since|while|where|what|how|or))\s*$",
    re.IGNORECASE,
)


def _second_person(text: str, other: Named | str) -> list[_Edit]:
    """ "You" as whoever is spoken to: the owner says I, anybody else has a name."""
    edits: list[_Edit] = []
    for found in _YOU.finditer(text):
        word = found.group().casefold()
        is_subject = _CLAUSE_BEGINS.search(text[: found.start()]) is not None
        if isinstance(other, Named):
            edits.append(_Edit(*found.span(), f"{other.name}'s" if word in _MINE else other.name))
            edits += _agreeing(text, found.end()) if word in {"you", "u"} and is_subject else []
        elif word in _MINE:
            edits.append(_Edit(*found.span(), _MINE[word]))
        else:
            edits.append(_Edit(*found.span(), "I" if is_subject else "me"))
            verb = re.match(r"['’]re\b|\s+(?:are|were)\b", text[found.end() :])
            if is_subject and verb is not None:
                short, past = verb.group()[0] in "'’", "were" in verb.group()
                form = "'m" if short else " was" if past else " am"
                edits.append(_Edit(found.end(), found.end() + verb.end(), form))
    return edits


def _agreeing(text: str, at: int) -> list[_Edit]:
    """The verb behind a subject that is one person now: "I live" -> "Tom lives"."""
    while (adverb := _ADVERB.match(text, at)) is not None:
        at = adverb.end()
    found = _VERB.match(text, at)
    if found is None:
        return []
    verb = found[2].replace("’", "'")
    third = _third(verb)
    return [] if third == verb else [_Edit(found.start(2), found.end(2), third)]


def _third(verb: str) -> str:
    """ "live" -> "lives" for a present form, anything else unchanged."""
    low = verb.casefold()
    if low in _FORMS:
        return _FORMS[low]
    if low in _KEEP or low.endswith(("ed", "ing")) or not low.isalpha() or not verb.islower():
        return verb
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if low.endswith(_SIBILANT) else f"{verb}s"


def whole_clause(text: str, place: Place, bounds: tuple[int, int]) -> Place:
    """The place as far as its clause reaches: the reader is sure of the middle of a statement sooner
    than of its ends. `bounds` are those of the sentence."""
    first, last = min(bounds[0], place.start), max(bounds[1], place.end)
    before, after = text[first : place.start], text[place.end : last]
    opened = 0 if (found := _OPENED.search(before)) is None else found.end()
    start = first + opened
    if len(before[opened:].split()) > _MOST_BEFORE or _JOINED.search(before):
        start = place.start
    closed = len(after) if (found := _CLOSED.search(after)) is None else found.start()
    end = place.end + closed
    if len(after[:closed].split()) > _MOST_AFTER:
        end = place.end
    return Place(place.turn, start + len(text[start:end]) - len(text[start:end].lstrip()), end)


_OPENED: Final = regex(r".*(?:[,;:—–(!?.]\s|\s(?:and|but|because|that|so|when|while)\s)", re.DOTALL)
_CLOSED: Final = regex(
    r"\s*(?:[,;:](?!\d)|[—–()!?]|\n(?![a-z])|\.(?=\s|$)|\s-\s|\s(?:and|but|so|because|which|who|while|though|when|if)\b)"
)
_MOST_BEFORE, _MOST_AFTER = 4, 6  # words by which a statement grows at its ends


def with_subject(text: str, before: str, subject: str, *, own: bool) -> str:
    """A second half that has lost its subject: "works at Acme" of "Maria lives here and works at Acme".
    Nothing where it cannot be this one: "keeps" is not what I do. It is `own` where whoever says it is the
    subject: "I live here and work at Acme"."""
    first = re.match(r"[\w'’]+", text)
    if first is None or not text[:1].islower() or _JOINED.search(before) is None:
        return text
    word = first.group().casefold()
    if word.removesuffix("'s").removesuffix("’s") in subject.casefold().split():
        return text
    looks = word in _KEEP - words("to and or but for from in on at with of as not too myself read")
    looks = looks or word.endswith("ed") or (word.endswith("s") and not word.endswith(("ss", "us")))
    if own and not looks and word not in STOP and _I_AND.search(before):
        return f"{subject} {text if subject == 'I' else _third(word) + text[len(word) :]}"
    if looks and subject == "I" and word.endswith("s") and word != "was":
        return ""
    return f"{subject} {text}" if looks and subject else text


def sentence(text: str) -> str:
    """The words with a capital and a full stop."""
    plain = " ".join(text.split()).strip(" ,;:-–—")
    plain = plain[:1].upper() + plain[1:]
    return plain if plain.endswith((".", "!", "?", "…")) else f"{plain}."
