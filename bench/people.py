"""Pairs of names that mean one person, or two: how often the rule of `anchors/rules/identity.py` is right.

Made from `nicknames/names.csv` and templates, so they tell what the rule does, not how often people
write so. The short forms in `anchors/rules/nicknames.py` come from the same file, mostly: "any name" draws
from all of it, old and rare names too, "common names" has only the most frequent ones of the United
States in full. Some pairs of that file are not meant to be met: "John" for Ivan, "Nan" for Hannah.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bench.frame import Row, Setting
from remanent.anchors.rules.identity import KnownPerson, meaning
from remanent.core.model.keys import canonical_name


def _listed(text: str) -> list[str]:
    return text.split()


SURNAMES = _listed(
    "Berg Chen Lee Lie Okafor Patel Novak Garcia Weber Nguyen Hansen Rossi Kowalski"
    " Silva Tanaka Murphy Dubois Andersson Haddad Cohen"
)
GIVEN = _listed(
    "Sarah Maria Ingrid Omar Kenji Laura Peter Priya Lucas Elena Astrid David Fatima"
    " Hugo Amy Noah Julia Ivan Claire Martin"
)
FREQUENT = _listed(
    "James Robert John Michael David William Richard Joseph Thomas Christopher Charles Daniel Matthew"
    " Anthony Mark Donald Steven Andrew Paul Joshua Kenneth Kevin Brian Timothy Ronald George Jason"
    " Edward Jeffrey Ryan Jacob Nicholas Gary Eric Jonathan Stephen Larry Justin Benjamin Scott Samuel"
    " Gregory Alexander Patrick Frank Raymond Jack Dennis Jerry Mary Patricia Jennifer Linda Elizabeth"
    " Barbara Susan Jessica Karen Sarah Lisa Nancy Sandra Betty Ashley Emily Kimberly Margaret Donna"
    " Michelle Carol Amanda Melissa Deborah Stephanie Dorothy Rebecca Sharon Laura Cynthia Amy Kathleen"
    " Angela Shirley Brenda Emma Anna Pamela Nicole Samantha Katherine Christine Helen Debra Rachel"
    " Carolyn Janet Maria Catherine Heather"
)
MOST = 400
SEED = 7


class Pair(NamedTuple):
    """`first` is somebody named in one source, `second` in another; `also` are named in others."""

    first: str
    second: str
    same: bool
    also: tuple[str, ...] = ()


def measure_resolution(setting: Setting) -> Iterator[Row]:
    """Accuracy of each kind of pair."""
    right = total = 0
    for kind, pairs in _kinds(_short_forms(setting)).items():
        good = sum(_is_one(pair) == pair.same for pair in pairs)
        right, total = right + good, total + len(pairs)
        example = pairs[0]
        beside = f" beside {', '.join(example.also)}" if example.also else ""
        yield Row(
            what=f"{kind}: {example.first} / {example.second}{beside} ({len(pairs)} pairs)",
            value=100 * good / len(pairs),
            unit="% right",
            aim="one person" if example.same else "two people",
        )
    yield Row(
        what=f"who is who, all kinds ({total} pairs)", value=100 * right / total, unit="% right"
    )


def _short_forms(setting: Setting) -> list[tuple[str, str]]:
    with setting.need("nicknames", "names.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["name2"].title(), row["name1"].title()) for row in csv.DictReader(file)]
    return [(short, full) for short, full in rows if short.isalpha() and full.isalpha()]


def _kinds(shorts: Sequence[tuple[str, str]]) -> dict[str, list[Pair]]:
    rng = random.Random(SEED)
    listed = set(shorts)
    # "Tom" is a full name in that file too ("tom has_nickname thomas"); only the way down counts.
    down = [(s, f) for s, f in shorts if (f, s) not in listed or len(s) < len(f)]
    common = [(s, f) for s, f in down if f in FREQUENT]
    some = rng.sample(down, min(MOST, len(down)))
    usual = rng.sample(common, min(MOST, len(common)))
    people = [(given, surname) for given in GIVEN for surname in SURNAMES]
    return {
        "first name": [Pair(g, f"{g} {s}", same=True) for g, s in people],
        "title and last name": [Pair(f"Dr. {s}", f"{g} {s}", same=True) for g, s in people],
        "titled full name": [Pair(f"Prof. {g} {s}", f"{g} {s}", same=True) for g, s in people],
        "short form, common names": [Pair(s, f"{f} {_last(s)}", same=True) for s, f in usual],
        "short form, any name": [Pair(s, f"{f} {_last(s)}", same=True) for s, f in some],
        "short form and last name, common names": [
            Pair(f"{s} {_last(s)}", f"{f} {_last(s)}", same=True) for s, f in usual
        ],
        "other last name": [
            Pair(f"{g} {s}", f"{g} {_next(SURNAMES, s)}", same=False) for g, s in people
        ],
        "other first name": [
            Pair(f"{g} {s}", f"{_next(GIVEN, g)} {s}", same=False) for g, s in people
        ],
        "short form of another name": [
            Pair(f"{s} {_last(s)}", f"{other} {_last(s)}", same=False)
            for (s, _), other in zip(usual, _strangers(usual, listed), strict=True)
        ],
        "title and other last name": [
            Pair(f"Dr. {_next(SURNAMES, s)}", f"{g} {s}", same=False) for g, s in people
        ],
        "first name of two": [
            Pair(g, f"{g} {s}", same=False, also=(f"{g} {_next(SURNAMES, s)}",)) for g, s in people
        ],
        "title and last name of two": [
            Pair(f"Dr. {s}", f"{g} {s}", same=False, also=(f"{_next(GIVEN, g)} {s}",))
            for g, s in people
        ],
    }


def _last(given: str) -> str:
    return SURNAMES[sum(map(ord, given)) % len(SURNAMES)]


def _next(names: Sequence[str], name: str) -> str:
    return names[(names.index(name) + 1) % len(names)]


def _strangers(pairs: Sequence[tuple[str, str]], listed: set[tuple[str, str]]) -> Iterator[str]:
    """For each short form a full name that it does not stand for."""
    fulls = [full for _, full in pairs]
    for place, (short, _) in enumerate(pairs):
        others = fulls[place + 1 :] + fulls[: place + 1]
        yield next(one for one in others if (short, one) not in listed and one != short)


def _is_one(pair: Pair) -> bool:
    """Whether both names mean one node, all of them being known."""
    surfaces = [canonical_name(name) for name in (pair.first, pair.second, *pair.also)]
    known = [KnownPerson(surface=surface, key=surface) for surface in surfaces]
    first, second = (meaning(surface, known) for surface in surfaces[:2])
    return first.among(first.possible) == second.among(second.possible)
