"""Person identity: whom a name means, decided from the set of known names, in whatever order they came.

A *surface* is a name as a source wrote it, in the spelling of `canonical_name`. A full name is always
somebody of their own, unless a source says outright that two of them are one person's. A first name,
a short form of one, or a title with a last name means the one person it can mean; when it can mean
several, or nobody known, it stands for itself. People who were named in full count there even if they
have no node. So a new full name can change whom a single word means: `changed_by` finds those words,
and whatever was filed under them is then drawn again. A role ("my sister") means the one person whom
sources call so beside a name; where nobody or several are, it stands for itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from remanent.anchors.rules.nicknames import is_short_for, long_forms, short_forms
from remanent.anchors.rules.roles import is_role
from remanent.core.dataclasses import dataclass
from remanent.core.model.anchor import Bearer
from remanent.core.model.keys import canonical_name
from remanent.core.model.mind_types import Candidate, Extraction
from remanent.core.model.node import Kind

TITLES = frozenset(
    {"mr", "mrs", "ms", "miss", "mx", "dr", "doctor", "prof", "professor", "sir", "dame", "madam"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPerson:
    """A person as far as names go: `surface` names the node `key`.

    `aliases` are the surfaces that sources used for them beside their full name; for the owner, those
    of the profile. Without a node, `key` is what the node would have.
    """

    surface: str
    key: str
    aliases: frozenset[str] = frozenset()
    is_owner: bool = False
    has_node: bool = True


def untitled(surface: str) -> str:
    """ "dr-sarah-chen" -> "sarah-chen"."""
    words = surface.split("-")
    while len(words) > 1 and words[0] in TITLES:
        words = words[1:]
    return "-".join(words)


def is_full(surface: str) -> bool:
    """True where the name has two words or more, titles aside, and is no role."""
    return "-" in untitled(surface) and not is_role(surface)


def look_up_words(surface: str) -> frozenset[str]:
    """The words by which everybody can be found who matters to what this surface means."""
    words = untitled(surface).split("-")
    related = short_forms(words[0]) if len(words) > 1 else long_forms(words[0])
    return frozenset(words) | related


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """Whom a surface may mean: the people it can stand for, and the one who bears just that name."""

    possible: frozenset[str] = frozenset()
    exact: str | None = None

    def among(self, people: Collection[str]) -> str | None:
        """The one meant, given who the possible ones turn out to be; None: somebody not known yet."""
        return next(iter(people)) if len(people) == 1 else self.exact


def meaning(surface: str, known: Collection[KnownPerson]) -> Meaning:
    """What this surface can mean among these people. Aliases from texts never lead to the owner."""
    plain = untitled(surface)
    owner = next((one for one in known if one.is_owner), None)
    if owner is not None and plain in {owner.surface, *owner.aliases}:
        return Meaning(exact=owner.key)
    others = [one for one in known if not one.is_owner]
    nodes = [one for one in others if one.has_node]
    exact = next((one.key for one in nodes if untitled(one.surface) == plain), None)
    if is_full(surface):
        return Meaning(exact=exact)
    possible = {one.key for one in others if is_full(one.surface) and _can_mean(surface, one)}
    return Meaning(possible=frozenset(possible), exact=exact)


def changed_by(surface: str, known: Collection[KnownPerson]) -> set[tuple[str, str]]:
    """Surfaces that may mean somebody else now that `surface` is known, each with the key it is filed
    under: single ones, roles of people with a name, and its own."""
    words, plain = look_up_words(surface), untitled(surface)
    return {
        (filed, one.key)
        for one in known
        if one.has_node and not one.is_owner
        for filed in (one.surface, *sorted(one.aliases))
        if untitled(filed) == plain
        or (not is_full(filed) and untitled(filed) in words)
        or (is_role(filed) and filed != one.surface)
    }


# --- named without a node, and two names of one person -----------------------------------------


def passed_over(candidates: Iterable[Candidate], kept: Collection[Candidate]) -> list[Candidate]:
    """People of whom too little is said for a node, with their names alone: those who are named in
    full, and those who are said to have two names."""
    return [
        Candidate(
            kind=Kind.PERSON,
            name=one.name,
            confidence=one.confidence,
            subpoints=(),
            aliases=one.aliases,
        )
        for one in candidates
        if one.kind is Kind.PERSON and one not in kept
        if is_full(canonical_name(one.name)) or _other_names(one)
    ]


def bearers_in(extraction: Extraction) -> list[Bearer]:
    """Those whose names count beside the nodes that were drawn: the people passed over, and the kept
    ones who have two full names or a role. Each once, in order of their names."""
    kept = [one for one in extraction.candidates if one.kind is Kind.PERSON]
    people = [one for one in kept if _other_names(one)]
    named = {(one.name, one.aliases) for one in (*extraction.passed_over, *people)}
    named |= {(one.name, one.aliases) for one in kept if has_role(_bearer(one))}
    return [Bearer(name=name, aliases=aliases) for name, aliases in sorted(named)]


def _bearer(candidate: Candidate) -> Bearer:
    return Bearer(name=candidate.name, aliases=candidate.aliases)


def full_names(bearer: Bearer) -> list[str]:
    """The full names that this person has by the word of one source, as they were written, the one
    in use first. A form of a name, such as one without its middle name, is no other name."""
    plain = _plain(bearer.name)
    others = [one for one in bearer.aliases if is_full(canonical_name(one))]
    return [bearer.name, *(one for one in others if not _is_form(_plain(one), plain))]


def one_person(surface: str, bearers: Iterable[Bearer]) -> list[str]:
    """All full names of the person with this one, as they were written: first the name they go by,
    which no source calls a former one if there is such a name. Empty where nobody gave a second name."""
    full = [several for one in bearers if len(several := full_names(one)) > 1]
    names, grown = {untitled(surface)}, True
    while grown:
        more = [one for one in full if names & {_plain(name) for name in one}]
        wider = names | {_plain(name) for one in more for name in one}
        grown, names = wider != names, wider
    matching = [one for one in full if _plain(one[0]) in names]
    former = {_plain(name) for one in matching for name in one[1:]}
    written: dict[str, str] = {}
    for name in sorted((name for one in matching for name in one), key=_shown):
        written.setdefault(_plain(name), name)
    return [written[one] for one in sorted(written, key=lambda one: (one in former, one))]


def _other_names(candidate: Candidate) -> bool:
    if not is_full(canonical_name(candidate.name)):
        return False
    return len(full_names(_bearer(candidate))) > 1


def has_role(bearer: Bearer, role: str = "") -> bool:
    """Whether a source calls somebody with a name by this role, or by any."""
    if is_role(canonical_name(bearer.name)):
        return False
    roles = {canonical_name(one) for one in bearer.aliases}
    return role in roles if role else any(is_role(one) for one in roles)


def _plain(name: str) -> str:
    return untitled(canonical_name(name))


def _is_form(one: str, other: str) -> bool:
    """Whether the words of one are all among those of the other."""
    words, others = set(one.split("-")), set(other.split("-"))
    return words <= others or others <= words


def _shown(name: str) -> tuple[bool, str]:
    return (name.isupper() or name.islower(), name)


def _can_mean(surface: str, person: KnownPerson) -> bool:
    if surface in person.aliases:
        return True
    word = untitled(surface)
    words = untitled(person.surface).split("-")
    if word != surface:  # "dr-chen"
        return word == words[-1]
    return word == words[0] or is_short_for(word, words[0])
