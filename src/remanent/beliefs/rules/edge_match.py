"""Whether a statement tells of a relationship: the bridge between beliefs and edges (SPEC 12.8).

Made to err on one side. A statement that is denied, wished for or told as past tells of nothing,
and so does one about somebody else: an edge left open is a smaller harm than one wrongly closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from remanent.anchors.rules import identity
from remanent.anchors.rules.nicknames import GIVEN_NAMES
from remanent.core.dataclasses import dataclass
from remanent.core.model.belief import OWNER
from remanent.core.model.keys import canonical_name
from remanent.core.model.mind_types import Judgement
from remanent.core.regex import regex
from remanent.core.word_lists import word_lists


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """One end of a relationship, by all it is called."""

    names: tuple[str, ...]
    is_owner: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A relationship as a statement may tell of it; `wordings` are the words it was drawn from."""

    relationship_type: str
    src: End
    dst: End
    wordings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What is said, and of whom."""

    text: str
    subject: str = OWNER


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LISTS = word_lists(__package__)
# Words that say the same of two ends. A type of relationship belongs to the group that has its word.
_GROUPS = (
    _set("home live reside residence base based settle settled move moved relocate relocated"),
    _set("employer employ employed employee work job join joined hire hired employment"),
    _set(
        "partner spouse married marry husband wife girlfriend boyfriend fiancé fiancée fiance"
        " fiancee date dating engaged"
    ),
    _set("likes like love enjoy adore admire fond fan favourite favorite"),
    _set("dislikes dislike hate loathe detest"),
    _set("prefers prefer"),
    _set("boss manager supervisor"),
    _set("colleague coworker teammate"),
    _set("friend buddy pal"),
    _set("school study student enrolled enroll university college"),
    _set("practices practice play learn"),
    _set("uses use own drive"),
    _set("member belong"),
)
_VERBS = _LISTS["verbs"]
_LIKING, _DISLIKING = _GROUPS[3], _GROUPS[4]
_LIKES = regex(
    r"(?P<who>[^\W\d_][\w' -]{0,60}?) (?:really |also |quite )?"
    r"(?P<verb>likes?|loves?|enjoys?|adores?|dislikes?|hates?|loathes?|detests?) (?P<what>[^.!?;]+)[.!]*",
    re.IGNORECASE,
)
_RANKED = regex(
    r"\b(?:not|never|no|only|most|best|better|more|less|than|favou?rite|instead|now|any ?more)\b|n['’]t\b",
    re.IGNORECASE,
)
_WORD = regex(r"[^\W_]+")
_HOME = _GROUPS[0]
_DENIED = _set("not no never neither nor without longer don doesn didn isn aren wasn won cannot t")
_OVER = _LISTS["over"]
_TELLS_OF_AN_END = regex(
    r"\b(?:quit|resigned|retired|formerly|stopped|divorced|separated|fired|no longer|any ?more|used to)\b"
    r"|^(?:\w+ ){1,3}(?<!the )(?<!my )(?<!his )(?<!her )(?<!our )(?<!their )left\b"
)
_TELLS_OF_WHAT_IS = regex(r"\b(?:now|currently|instead|joined|start(?:s|ed)?|moved)\b")
_ASKS_WHAT_IS = regex(
    r"^(?:where|who|whose|which)\b.{0,60}?\b(?:do|does|am|is|are)\b"
    r"|^(?:where|who|whose|which|what)\b.{0,200}\b(?:now|currently|nowadays|these days|at the moment)\b"
)
_LATER_NAME = regex(r"(?<=\w )[A-ZÀ-ÖØ-Þ]\w+")
_PAST = _LISTS["past"]
_UNREAL = _LISTS["unreal"]
_BEFORE_A_MONTH = _set("in since last this early late of until by mid from")
_PERFECT = _set("have has ve since")
_SELF = _set("i me we us myself")
_POSSESSIVE = _set("my our")
_PLAIN = _LISTS["plain"]
_ALIKE = 0.6  # of the telling words that two wordings have between them


def expresses(statement: Statement, edge: Edge) -> bool:
    """Whether the statement says that this relationship holds."""
    words = _words(statement.text)
    if not _is_plain(words) or _leaves(words, edge):
        return False
    if not _names_both(statement, words, edge):
        return False
    if not _is_same_way_round(words, edge):
        return False
    return bool(_stems(words) & _type_words(edge)) or _is_worded_alike(words, edge)


def judged(statement: str, believed: str, judgement: Judgement) -> Judgement:
    """What a mind says of two statements, but that nobody likes one thing only: "I like green" ends no
    "I like blue", unless it says so; and "I used to live in Oslo" no "I live in Bergen"."""
    if judgement is not Judgement.CONTRADICTS:
        return judgement
    if (_is_of_an_end(statement) or _is_of_an_end(believed)) and _names_apart(statement, believed):
        return Judgement.DIFFERENT
    one, other = _LIKES.fullmatch(statement.strip()), _LIKES.fullmatch(believed.strip())
    if one is None or other is None or _RANKED.search(f"{statement} {believed}"):
        return judgement
    likes = [bool(_stems([found["verb"].casefold()]) & _LIKING) for found in (one, other)]
    same_one = one["who"].casefold() == other["who"].casefold() and likes[0] == likes[1]
    another = one["what"].casefold() != other["what"].casefold()
    return Judgement.DIFFERENT if same_one and another else judgement


def of_others(one: Statement, other: Statement) -> bool:
    """Whether each tells of somebody by a name of which the other has no form: neither can say the other
    again, or end it, and nobody need be asked. "My sister" may be anybody."""
    names = [identity.look_up_words(canonical_name(who.subject)) for who in (one, other)]
    words = [set(_words(who.text)) for who in (one, other)]
    return (
        all(_is_by_name(who) for who in (one, other))
        and names[0].isdisjoint(names[1] | words[1])
        and names[1].isdisjoint(words[0])
    )


def _is_by_name(statement: Statement) -> bool:
    """Whether whom it is about stands in it with a capital, by a given name or by several words."""
    name = statement.subject.split()
    found = [one for one in _WORD.findall(statement.text) if one.casefold() in name]
    return (
        bool(found)
        and all(one[0].isupper() for one in found)
        and (len(name) > 1 or name[0] in GIVEN_NAMES)
    )


def closes(old: Statement, new: Statement, edge: Edge) -> bool:
    """Whether `new`, which took the place of `old`, says that this relationship is over.

    It has to speak of the same thing: of another end for it, or of the end of it. What still tells
    of the relationship (another role at the same company) leaves it open.
    """
    if not expresses(old, edge) or expresses(new, edge):
        return False
    words = _words(new.text)
    if _is_unreal(words):
        return False
    stems = _stems(words)
    if _names_both(new, words, edge):
        opposite = _DISLIKING if _type_words(edge) & _LIKING else frozenset[str]()
        return not stems.isdisjoint(_DENIED | _OVER | opposite) or _leaves(words, edge)
    return (
        _same(old.subject, new.subject)
        and stems.isdisjoint(_DENIED | _OVER)
        and _PAST.isdisjoint(words)
        and not stems.isdisjoint(_type_words(edge))
    )


def is_over_by_now(query: str, statement: str) -> bool:
    """Whether the query asks how something is at present, and the statement tells only that it ended."""
    asked = query.strip().casefold()
    asks = _ASKS_WHAT_IS.search(asked) is not None and _OVER.isdisjoint(_words(asked))
    return asks and _is_of_an_end(statement)


def _is_of_an_end(statement: str) -> bool:
    told = statement.casefold()
    return bool(_TELLS_OF_AN_END.search(told)) and not _TELLS_OF_WHAT_IS.search(told)


def _names_apart(statement: str, believed: str) -> bool:
    """Whether both name something beyond whom they are about, and nothing in common."""
    one, other = (set(_LATER_NAME.findall(text)) for text in (statement, believed))
    return bool(one and other) and one.isdisjoint(other)


def is_named(text: str, names: Iterable[str]) -> bool:
    """Whether one of these names stands in the text as whole words."""
    return any(_places(_words(text), name) for name in names)


def _names_both(statement: Statement, words: list[str], edge: Edge) -> bool:
    """One end is whom the statement is about, and it speaks of both."""
    for one, other in ((edge.src, edge.dst), (edge.dst, edge.src)):
        if _is_subject(statement.subject, one):
            return _speaks_of(words, one, edge) and _speaks_of(words, other, edge)
    return False


def _is_subject(subject: str, end: End) -> bool:
    if subject == OWNER:
        return end.is_owner
    return any(_same(subject, name) for name in end.names)


def _speaks_of(words: list[str], end: End, edge: Edge) -> bool:
    """Whether the end itself is named, not somebody or something of theirs ("my brother")."""
    own = _type_words(edge)
    if end.is_owner and not _SELF.isdisjoint(words):
        return True
    if end.is_owner and any(
        word in _POSSESSIVE and _soon(words[place + 1 :], own) for place, word in enumerate(words)
    ):
        return True
    for name in end.names:
        for place in _places(words, name):
            after = words[place + _length(name) :]
            if after[:1] != ["s"] or _soon(after[1:], own):
                return True
    return False


def _is_same_way_round(words: list[str], edge: Edge) -> bool:
    """Not "I am Sarah's boss" of what was drawn from "Sarah is my boss"."""
    owner = _owned_by(words, edge)
    owners = {_owned_by(_words(one), edge) for one in edge.wordings} - {None}
    return owner is None or not owners or owner in owners


def _owned_by(words: list[str], edge: Edge) -> str | None:
    """Whose it is said to be, where the words say so: "my boss", "Sarah's boss"."""
    own = _type_words(edge)
    for place, word in enumerate(words):
        if word in _POSSESSIVE and _soon(words[place + 1 :], own):
            return "src" if edge.src.is_owner else "dst" if edge.dst.is_owner else None
    for side, end in (("src", edge.src), ("dst", edge.dst)):
        for name in end.names:
            for place in _places(words, name):
                after = words[place + _length(name) :]
                if after[:1] == ["s"] and _soon(after[1:], own):
                    return side
    return None


def _soon(words: list[str], wanted: frozenset[str]) -> bool:
    """Whether one of the next two words is a noun of those: "my home", "my new home"."""
    return not (wanted - _VERBS).isdisjoint(words[:2])


def _is_plain(words: list[str]) -> bool:
    """Told as a fact, and as one of now."""
    if not (_DENIED | _OVER).isdisjoint(words) or _is_unreal(words):
        return False
    return _PAST.isdisjoint(words) or not _PERFECT.isdisjoint(words)


def _is_unreal(words: list[str]) -> bool:
    """Wished, asked or supposed; "in May" is a month."""
    may = any(
        word == "may" and words[max(0, place - 1)] not in _BEFORE_A_MONTH
        for place, word in enumerate(words)
    )
    return may or not _UNREAL.isdisjoint(words)


def _leaves(words: list[str], edge: Edge) -> bool:
    """ "From Oslo to Bergen" tells of a home, but not of Oslo."""
    if _type_words(edge).isdisjoint(_HOME):
        return False
    return any(
        place > 0 and words[place - 1] == "from"
        for name in edge.dst.names
        for place in _places(words, name)
    )


def _is_worded_alike(words: list[str], edge: Edge) -> bool:
    """Nearly the words that the relationship was drawn from, names aside."""
    names = {word for end in (edge.src, edge.dst) for name in end.names for word in _words(name)}
    mine = _stems(words) - _PLAIN - names
    for wording in edge.wordings:
        theirs = _stems(_words(wording)) - _PLAIN - names
        both = mine & theirs
        if both and len(both) >= _ALIKE * len(mine | theirs):
            return True
    return False


def _type_words(edge: Edge) -> frozenset[str]:
    """The words by which a statement may tell of this type of relationship."""
    own = _stems(edge.relationship_type.casefold().replace("_", " ").split()) - _PLAIN
    for group in _GROUPS:
        if own & group:
            own |= group
    return own


def _stems(words: Iterable[str]) -> frozenset[str]:
    """The words, and what is left of them without the endings of English verbs and plurals."""
    stems = set(words)
    for word in tuple(stems):
        for ending in ("s", "es", "ing", "ed", "d"):
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                stem = word[: -len(ending)]
                stems |= {stem, f"{stem}e"} if ending == "ing" else {stem}
    return frozenset(stems)


def _words(text: str) -> list[str]:
    return [word for word in canonical_name(text).split("-") if word]


def _places(words: list[str], name: str) -> list[int]:
    wanted = _words(name)
    if not wanted:
        return []
    return [
        place
        for place in range(len(words) - len(wanted) + 1)
        if words[place : place + len(wanted)] == wanted
    ]


def _length(name: str) -> int:
    return len(_words(name))


def _same(one: str, other: str) -> bool:
    return canonical_name(one) == canonical_name(other)
