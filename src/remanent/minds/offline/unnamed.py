"""Whoever and whatever has no name of its own: people known by a role, and things known by a tie.

"My mother", "Sara's boss", "my bike", "Deb's club": they are called by what they are and whose they are,
so that the same words of another day mean the same one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from remanent.anchors.rules.roles import CALLED_SO, FAMILIAR, OF_MANY, ROLES, is_craft
from remanent.core.dataclasses import replace
from remanent.core.model.belief import OWNER
from remanent.core.model.mind_types import Reading
from remanent.minds.offline.lexicon import POSSESSOR
from remanent.minds.offline.lexicon import words as words_of
from remanent.minds.offline.named import PERSON, Named, Names, RoleSpot, Who
from remanent.minds.reader.labels import THINGS
from remanent.minds.reader.reading import Mention, Place, ReadSource, Relation

OWNED: Final = re.compile(r"(?P<name>.+?)['’]s (?:[\w-]+ )?(?P<role>[\w-]+)")
"""What is called by whose it is: "Maria's brother"."""


def add_unnamed(names: Names, read: ReadSource, reading: Reading) -> None:
    """Add to the names of a source whoever and whatever has none."""
    _add_roles(names, read, reading)
    _add_tied(names, read, reading)


# --- people known by a role ---------------------------------------------------------------------


_WHOSE: Final = re.compile(
    rf"(?:\b(?P<whose>my|our|his|her|their|the|an?)|(?P<owner>{POSSESSOR}))\s+$", re.IGNORECASE
)
_PERSONAL: Final = frozenset(
    ("served by", "boss", "parent", "grandparent", "sibling", "partner", "relative", "neighbour",
     "lives with")
)  # fmt: skip
"""Ties that a role tells of."""
_FREE: Final = re.compile(
    r"(?:^|[.!?,;:\n]|\b(?:and|but|with|to|for|told|called|rang|from|at|if|because))\s*$",
    re.IGNORECASE,
)
_NEXT: Final = re.compile(r",?\s*(?:called|named|is)?\s*")
_PAUSE: Final = re.compile(r"\s*(?:[^\w\s'’]|$)")
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_OVER: Final = words_of("ex former late")
_IS: Final = re.compile(r"(?:,| is| was|['’]s)\s+(?:also |still |now )?")


def _add_roles(names: Names, read: ReadSource, reading: Reading) -> None:
    """Every place where somebody is called by a role of a known one ("my mother", "Sara's boss"), with who
    that is: whoever stands beside it or is meant by it, else somebody known by that role alone."""
    means = {one.place: one.key for one in read.references}
    said_of: dict[str, set[Named]] = defaultdict(set)
    for place, said in _role_mentions(read):
        text = reading.passages[place.turn].text
        whose = _whose(names, read, means, place, said, text)
        if whose is None or not _may_have(names, read, place.turn, whose, said):
            continue
        whose_at = _WHOSE.search(text[: place.start])
        whole = replace(place, start=whose_at.start() if whose_at else place.start)
        who: Who = _called_so(names, read, whole, said, whose, text) if whose_at else None
        who = who or names.of_key(means.get(place, ""))
        if who is None and said[-1] not in OF_MANY:
            who = _known_by_role(names, place, said, whose, "" if whose_at else text)
            said_of[" ".join(said)].add(who)
        names.roles.append(RoleSpot(whole, said[-1], whose, who, not _OVER.isdisjoint(said)))
    for key in (one for one, people in said_of.items() if len(people) > 1):
        if names.by_key[key].role:  # two mothers: nobody knows which
            del names.by_key[key]


def _called_so(
    names: Names, read: ReadSource, whole: Place, said: list[str], whose: Named | str, text: str
) -> Named | None:
    """Whoever stands beside a role, by name or pronoun; from then on they are called so, too."""
    spots = [(p, one) for one in names.named for p in one.places if one.kind == PERSON]
    for one in read.references:
        who = names.of_key(one.key)
        if not isinstance(who, Named) or who.kind != PERSON:
            continue
        if one.surface.casefold().split()[-1] not in ROLES:
            spots.append((one.place, who))
    found = _beside(spots, whole, text)
    if found is not None and said[-1] not in OF_MANY:
        found.aliases |= {_possessed(whose, _plain(said)), _possessed(whose, " ".join(said))}
    return found


def _known_by_role(
    names: Names, place: Place, said: list[str], whose: Named | str, text: str
) -> Named:
    """Whoever is known by this role alone; `text` is that in which they are called so as if by name."""
    name = _possessed(whose, _plain(said))
    shown = name[:1].upper() + name[1:]
    one = next((n for n in names.named if n.role and n.name == shown), None)
    if one is None:
        one = Named(shown, PERSON, role=said[-1], of=whose, sure=0.9)
        names.named.append(one)
    one.places.append(place)
    spelled = text[place.start : place.end] if text else _possessed(whose, " ".join(said))
    one.aliases |= {spelled} - {name}
    names.by_key.setdefault(" ".join(said), one)
    return one


def _plain(said: list[str]) -> str:
    return " ".join((*said[:-1], FAMILIAR.get(said[-1], said[-1])))


def _may_have(
    names: Names, read: ReadSource, turn: int, whose: Named | str, said: list[str]
) -> bool:
    """Whether somebody is told of by this role of theirs: a craft of the owner's, or where the reader says
    so; and who the owner's own are is not for others to say."""
    if isinstance(whose, str):
        return whose == OWNER
    known = said[-1] in ROLES or _tied(names, read, turn, " ".join(said)) is whose
    return known and not whose.spellings & names.owner_spellings


def _possessed(whose: Named | str, role: str) -> str:
    return f"{whose.name}'s {role}" if isinstance(whose, Named) else f"my {role}"


def _role_mentions(read: ReadSource) -> Iterator[tuple[Place, list[str]]]:
    """Where a role of one individual stands, and its words: "older sister"."""
    called = {one.place: one.surface for one in read.mentions if one.type == PERSON}
    called |= {one.place: one.surface for one in read.references}
    for place, surface in called.items():
        owned = OWNED.fullmatch(surface)
        begins = owned.end("name") + 3 if owned else 0
        said = surface[begins:].casefold().split()
        if said and said[-1].startswith("ex-"):  # "ex-husband"
            said[-1:] = ["ex", said[-1][3:]]
        if 0 < len(said) < 4 and (said[-1] in ROLES or is_craft(said[-1])):
            yield replace(place, start=place.start + begins), said


def _whose(
    names: Names,
    read: ReadSource,
    means: dict[Place, str],
    place: Place,
    said: list[str],
    text: str,
) -> Named | str | None:
    """Whom somebody with this role belongs to; None where nobody knows."""
    found = _WHOSE.search(text[: place.start])
    if found is None:
        free = said[-1] in CALLED_SO and _FREE.search(text[: place.start])
        return names.speakers.get(place.turn) if free else None
    if (found["whose"] or "").casefold() in {"the", "a", "an"}:
        return _tied(names, read, place.turn, " ".join(said))
    return _possessor(names, means, place.turn, found)


def _possessor(
    names: Names, means: dict[Place, str], turn: int, found: re.Match[str]
) -> Named | str | None:
    """Whom "my", "his" or "Sara's" means."""
    if (found["whose"] or "").casefold() in {"my", "our"}:
        return names.speakers.get(turn)
    if found["owner"]:
        end = found.start("owner") + len(found["owner"]) - 2
        spots = [(p, one) for one in names.named for p in one.places]
        return next((one for p, one in spots if p.turn == turn and p.end == end), None)
    at = found.start("whose")
    key = next((k for p, k in means.items() if p.turn == turn and p.start == at), "")
    return names.of_key(key)


def _tied(names: Names, read: ReadSource, turn: int, role: str) -> Named | str | None:
    """Whose "the dentist" is: of whom the reader says so."""
    for one in read.relations:
        if one.turn == turn and one.name in _PERSONAL:
            if one.dst.casefold() == role:
                return names.of_key(one.src)
            if one.src.casefold() == role:
                return names.of_key(one.dst)
    return None


def _beside(spots: Iterable[tuple[Place, Named]], whole: Place, text: str) -> Named | None:
    """Whose name follows the role, or is said to have it: "my sister Maria", "Maria is my sister"."""
    for spot, who in spots:
        if spot.turn != whole.turn or who.role:
            continue
        between = text[whole.end : spot.start] or text[spot.end : whole.start]
        follows = spot.start >= whole.end and _NEXT.fullmatch(between)
        leads = spot.end <= whole.start and _IS.fullmatch(between)
        if leads and _POSSESSIVE.match(text, whole.end):  # "Tom is my sister's"
            continue
        if "," in between and not _PAUSE.match(text[max(whole.end, spot.end) :]):
            continue  # "I told my sister, Tom was late"
        if follows or leads:
            return who
    return None


# --- things known by a tie ----------------------------------------------------------------------


_HELD: Final = frozenset(
    ("owns", "uses", "works at", "works on", "studies at", "member of", "takes part in", "lives in",
     "wants")
)  # fmt: skip
"""Ties by which a thing is called somebody's: "my bakery" is where I work."""
_OF: Final = frozenset(("located in", "part of"))
_TIED_FROM: Final = 0.8


def _add_tied(names: Names, read: ReadSource, reading: Reading) -> None:
    """Everything and everybody without a name that somebody or something is tied to: "my bike", "Tal's
    boy". A bike that nobody has is a passing word."""
    means = {one.place: one.key for one in read.references}
    known, found = set(names.by_key), dict[str, Named]()
    called: dict[str, set[str]] = defaultdict(set)
    for mention in read.mentions:
        key = mention.surface.casefold()
        ties = [one for one in read.relations if _ties(one, mention)]
        one_of_many = mention.type == PERSON and key.split()[-1] in OF_MANY
        if mention.type not in {*THINGS, PERSON} or one_of_many or key in known or not ties:
            continue
        text = reading.passages[mention.place.turn].text
        whose = _whose_thing(names, means, mention, ties, text)
        if OWNED.fullmatch(mention.surface):  # "Sarah's flat" says it
            name, whose = mention.surface, ""
        elif whose is None:  # one for all sources would mix them up
            continue
        else:
            name = _possessed(whose, mention.surface)
        one = found.setdefault(name, Named(name[:1].upper() + name[1:], mention.type))
        one.of = whose
        one.places.append(mention.place)
        one.sure = max(one.sure, mention.sure)
        called[key].add(name)
        names.by_key[key] = one
    names.named += found.values()
    for key in (one for one, of in called.items() if len(of) > 1):
        del names.by_key[key]  # his car and her car: nobody knows which


def _ties(one: Relation, mention: Mention) -> bool:
    ends = {one.src.casefold(), one.dst.casefold()}
    at = one.turn == mention.place.turn and one.sure >= _TIED_FROM
    return at and mention.surface.casefold() in ends


def _whose_thing(
    names: Names, means: dict[Place, str], mention: Mention, ties: Sequence[Relation], text: str
) -> Named | str | None:
    """Whose a thing is: as the word before it says, else by the tie."""
    found = _WHOSE.search(text[: mention.place.start])
    said = found and _possessor(names, means, mention.place.turn, found)
    if said:
        return said
    key = mention.surface.casefold()
    held = [one.src for one in ties if one.name in _HELD and one.dst.casefold() == key]
    held += [one.dst for one in ties if one.name in _OF and one.src.casefold() == key]
    near = [one for one in ties if one.name in _PERSONAL]
    held += [one.src if one.dst.casefold() == key else one.dst for one in near]
    return next((who for who in map(names.of_key, held) if who is not None), None)
