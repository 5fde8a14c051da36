"""Questions: what a message names, what it leaves to the conversation, and its bare words (SPEC 8)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from remanent.anchors.rules.nicknames import GIVEN_NAMES
from remanent.anchors.rules.roles import is_role
from remanent.core.checks import plain
from remanent.core.model.anchor import Name
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind
from remanent.core.model.source import Turn
from remanent.core.regex import regex
from remanent.core.word_lists import word_lists
from remanent.errors import InvalidInput

MOST_BEFORE = 20  # turns of a conversation that are looked at
_LONGEST_TURN = 4000
_MOST_WORDS = 12  # a longer message says what it is about
_MOST_TOPIC = 8

_LEAD = regex(
    r"^\s*(?:(?:ok(?:ay)?|well|so|right|hm+|oh|and|but|then|also|plus)[\s,]+)*", re.IGNORECASE
)
_LEANING_LEAD = regex(
    r"^\s*(?:ok(?:ay)?[\s,]+)?(?:and|but|then|also|what about|how about|who else|what else|why|"
    r"the (?:first|second|third|last|other|next) one)\b",
    re.IGNORECASE,
)
_ABOUT = regex(r"^(?:what|how) about\s+", re.IGNORECASE)
_PEOPLE_WORDS = {"he": "", "him": "", "she": "", "her": "", "his": "'s", "hers": "'s"}
_FRAGMENT = regex(r"^\s*(?:in|at|with|for|on|from|to|by|near|after|before)\s", re.IGNORECASE)
_PLACING = regex(r"^(?:in|at|with|for|on)\s+", re.IGNORECASE)
_PLACED = regex(r"\b(?:in|at|of|from|to|near)\s+$", re.IGNORECASE)
_PLACE = regex(r"\b(?:in|at|near)\s+([^\W\d_]+)\s*(?=[?.!]*\s*$)", re.IGNORECASE)
_ASKS = regex(
    r"\?|^\s*(?:who|what|when|where|which|why|how|is|are|was|do|does|did|has|have|can|show|find|list|tell|give)\b",
    re.IGNORECASE,
)
_OF_OWN = regex(r"\b(?:my|our)\s+\w+", re.IGNORECASE)
_MOST_FRAGMENT = 4
_MOST_BARE = 6
_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)*")
_PART = regex(r"[^\W\d_]{2,}")
_TITLED = regex(
    r"[A-ZÀ-ÖØ-Þ][\w’'-]*(?:\s+(?:(?:of|the|de|van|von|da|di|la|le)\s+)?[A-ZÀ-ÖØ-Þ][\w’'-]*)*"
)
_SENTENCE = regex(r"(?:[.!?:]\s+|[\n“\"(]\s*)$")


_LISTS = word_lists(__package__)
_ASKING = _LISTS["asking"]
_POINTING = _LISTS["pointing"]
_FILLERS = _LISTS["fillers"]
_NOT_NAMES = _LISTS["not_names"]
_ALSO_WORDS = _LISTS["also_words"]
_GENERIC, _LEGAL_FORMS = _LISTS["generic"], _LISTS["legal_forms"]


def conversation(before: object) -> tuple[Turn, ...]:
    """The last turns of what a caller gave as the conversation so far: texts, or `{speaker, text}`."""
    if isinstance(before, (str, bytes)) or not isinstance(before, Sequence):
        raise InvalidInput("before", "must be a list of texts or of turns {speaker, text}")
    return tuple(_turn(place, one) for place, one in enumerate(before))[-MOST_BEFORE:]


def _turn(place: int, given: object) -> Turn:
    where = f"before[{place}]"
    if isinstance(given, Turn):
        return given
    if isinstance(given, str):
        return Turn(text=plain(where, given)[:_LONGEST_TURN])
    if not isinstance(given, Mapping):
        raise InvalidInput(where, "must be a text or a turn {speaker, text}")
    return _checked_turn(where, given)


def _checked_turn(where: str, given: Mapping[str, Any]) -> Turn:
    speaker = given.get("speaker")
    return Turn(
        text=plain(f"{where}.text", given.get("text"))[:_LONGEST_TURN],
        speaker=None if speaker is None else plain(f"{where}.speaker", speaker),
    )


def words(text: str) -> list[str]:
    """The words of a text as they stand."""
    return _WORD.findall(text)


def keywords(text: str) -> list[str]:
    """The words that say something: no question words, articles or pronouns; each once."""
    kept = [one for one in words(text) if one.replace("’", "'").casefold() not in _ASKING]
    bare = [re.sub(r"['’]s$", "", one) for one in kept]
    return list({one.casefold(): one for one in reversed(bare) if len(one) > 1}.values())[::-1]


def foreign_names(text: str) -> list[str]:
    """What is written like a name, in order; the first word of a sentence is not."""
    names = []
    for match in _TITLED.finditer(text):
        name = re.sub(r"['’]s$", "", match.group())
        if _begins_sentence(text, match.start()):
            _, _, name = name.partition(" ")
        if name and name.casefold() not in _NOT_NAMES:
            names.append(name)
    return names


def _begins_sentence(text: str, place: int) -> bool:
    near = text[max(0, place - 4) : place]
    return bool(_SENTENCE.search(near)) or (place <= 4 and not near.strip())


def _opening_name(text: str) -> list[str]:
    """The first word, if it is more likely a name than a beginning: `Tom did.`"""
    opening = re.match(r"\s*([A-ZÀ-ÖØ-Þ][\w-]+)(?:['’]s)?\s+[a-zß-ÿ]", text)
    word = opening.group(1) if opening else ""
    return [word] if word and word.casefold() not in _ASKING | _FILLERS | _NOT_NAMES else []


def calls(text: str, name: Name) -> bool:
    """Whether the text calls that anchor by its name, an alias, or a part that stands for it."""
    canonical = f"-{canonical_name(text)}-"
    if any(_is_in(one, canonical, text) for one in (name.name, *name.aliases)):
        return True
    if name.kind not in (Kind.PERSON, Kind.ENTITY) or is_role(canonical_name(name.name)):
        return False
    is_thing = name.kind is Kind.ENTITY
    apart = _GENERIC | _LEGAL_FORMS if is_thing else _GENERIC
    parts = [one for one in name.name.split() if canonical_name(one) not in apart]
    if is_thing and len(parts) != 1:
        return False
    return any(len(part) > 2 and _is_in(part, canonical, text) for part in parts)


def _is_in(name: str, canonical: str, text: str) -> bool:
    wanted = canonical_name(name)
    if not wanted or f"-{wanted}-".replace("-s-", "-") not in canonical.replace("-s-", "-"):
        return False
    if wanted not in _ALSO_WORDS and len(wanted) > 3:
        return True
    return name in text  # short, or a word as well: it must be written as the name is


def is_follow_up(message: str) -> bool:
    """Whether a message leans on what was said before it."""
    tokens = [one.replace("’", "'").casefold() for one in words(message)]
    if not tokens or len(tokens) > _MOST_WORDS:
        return False
    if _LEANING_LEAD.match(message):
        return True
    if _person_word(message) or (_POINTING & set(tokens) and not foreign_names(message)):
        return True
    if _FRAGMENT.match(message) and len(tokens) <= _MOST_FRAGMENT:
        return True
    return len(keywords(message)) <= 1 and len(tokens) <= _MOST_BARE and "?" in message


def followed(message: str, before: Sequence[Turn], names: Sequence[Name] = ()) -> str:
    """The message with what it leaves to the conversation filled in; itself if it says all. Where there is
    no conversation, `what about sarah?` and `in chicago` ask for all that is known of them."""
    if not is_follow_up(message):
        return message
    rest = _LEAD.sub("", message).strip() or message.strip()
    if not before:
        return _asked_alone(rest) or message
    instead = _substituted(rest, before, names)
    if instead:
        return instead
    whom = _person_word(rest)
    if whom:
        person = _last_person(before, names)
        if person:
            return _with(rest, whom, f"{person}{_ending(rest, whom)}")
    topic = _topic(before, rest)
    return f"{rest} ({' '.join(topic)})" if topic else rest


def _asked_alone(rest: str) -> str:
    """A question for one thing named with no question before it; nothing for a time, or for `about that`."""
    named = _PLACING.sub("", _ABOUT.sub("", rest)).strip(" ?!.")
    is_one = named.isalpha() and named.casefold() not in _ASKING | _NOT_NAMES | _POINTING
    return f"What do I know about {named}?" if is_one and not rest.startswith(named) else ""


def _with(text: str, word: str, other: str) -> str:
    """The text with another word in the place of the first one of that spelling."""
    return re.sub(rf"\b{word}\b", lambda _: other, text, count=1, flags=re.IGNORECASE)


def _substituted(rest: str, before: Sequence[Turn], names: Sequence[Name]) -> str:
    """`what about Sarah?` asks the last question anew, of Sarah; `in chicago` of another place."""
    about, fragment = _ABOUT.match(rest), _FRAGMENT.match(rest)
    named = _ABOUT.sub("", rest).strip(" ?!.")
    bare = _PLACING.sub("", named)
    if not named or len(words(named)) > 4 or not (about or fragment or _is_name(bare)):
        return ""
    question = next((one.text for one in reversed(before) if _ASKS.search(one.text)), "")
    if not question:
        return ""
    start, end = _last_named(question, names)
    is_placed = bool(fragment and _PLACED.search(question[:start]))
    if start < end and (_is_name(bare) or is_placed or (about and _is_somebody(bare, names))):
        return f"{question[:start]}{bare}{question[end:]}"
    return f"{question.rstrip(' ?')} {named}?"


def _last_named(question: str, names: Sequence[Name]) -> tuple[int, int]:
    """Where the question calls somebody or something by name last; nowhere is (0, 0)."""
    if written := foreign_names(question):
        place = question.rindex(written[-1])
        return place, place + len(written[-1])
    spans = [m.span() for m in _PART.finditer(question) if _is_somebody(m.group(), names)]
    spans += [m.span(1) for m in _PLACE.finditer(question) if m.group(1) not in _ASKING]
    return max(spans, default=(0, 0))


def _is_somebody(text: str, names: Sequence[Name]) -> bool:
    """Whether this can be a name though it is written small: a given one, or one known here."""
    word = text.casefold()
    if word in _ALSO_WORDS or word in _ASKING:
        return False
    return word in GIVEN_NAMES or any(calls(text, name) for name in names)


def _is_name(text: str) -> bool:
    return bool(_TITLED.fullmatch(text)) and text.casefold() not in _ASKING


def _person_word(rest: str) -> str:
    """The first word for a person that nothing before it in the message explains."""
    for match in _WORD.finditer(rest):
        word = match.group().casefold()
        if word in _PEOPLE_WORDS:
            earlier = rest[: match.start()]
            named = foreign_names(earlier) or _opening_name(earlier) or _OF_OWN.search(earlier)
            return "" if named else word
    return ""


def _ending(rest: str, word: str) -> str:
    """`her` before a noun is whose."""
    if word != "her":
        return _PEOPLE_WORDS[word]
    after = re.search(r"\bher\b\s*(\w*)", rest, re.IGNORECASE)
    following = after.group(1).casefold() if after else ""
    return "'s" if following and following not in _ASKING else ""


def _last_person(before: Sequence[Turn], names: Sequence[Name]) -> str:
    """Whom the conversation last named: someone known first, else what is written like a name."""
    people = [one for one in names if one.kind is Kind.PERSON and not one.is_owner]
    for turn in reversed(before):
        known = [one.name for one in people if calls(turn.text, one)]
        if known:
            return known[0]
        written = foreign_names(turn.text) or _opening_name(turn.text)
        if written:
            return written[0]
    return ""


def _topic(before: Sequence[Turn], rest: str) -> list[str]:
    """What was talked of last: the words of the last question, then of what came after it."""
    known_words = {one.casefold() for one in keywords(rest)}
    last_question = next(
        (place for place in range(len(before) - 1, -1, -1) if "?" in before[place].text), 0
    )
    earlier_words = [
        one for turn in before[max(last_question, len(before) - 3) :] for one in keywords(turn.text)
    ]
    known_words |= _FILLERS
    fresh = {
        one.casefold(): one for one in reversed(earlier_words) if one.casefold() not in known_words
    }
    return list(fresh.values())[::-1][:_MOST_TOPIC]
