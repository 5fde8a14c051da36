"""Pairs of statements written for this benchmark, and what the second ought to do to the first.

`pairs/tuned.txt` was read while the judge was made. `pairs/held_out.txt` is a half of the first pairs,
drawn at random by topic and class before anything was tuned: its misses were counted, by topic, and
never looked at. `pairs/fresh.txt` was written when the judge had its shape, by somebody who knew it
by then; its misses were not looked at either. All are by one author, so a stranger's sentences will
do worse than any of them. A line is `class | first | second`. Names in braces stand for values:
`{city}` and `{city'}` are two different ones. What was tuned on shares no value with the rest. Each
line with values is told thrice.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "pairs"
FILES = ("held_out", "fresh", "tuned")
CLASSES = ("change", "negation", "paraphrase", "beside")
TIMES = 3
SEED = 7


class Pair(NamedTuple):
    """`first` is believed when `second` is heard."""

    kind: str
    topic: str
    first: str
    second: str


_LISTS = {
    "city": "Oslo Lisbon Denver Kyoto Leeds Turin Warsaw Nairobi Montreal Hamburg"
    " | Bergen Madrid Austin Osaka Bristol Naples Krakow Lagos Toronto Munich",
    "country": "Norway Portugal Canada Japan Kenya | Sweden Poland Mexico India Chile",
    "name": "Maria Tom Ingrid Omar Kenji Laura Peter Priya Lucas Elena"
    " | Anna Ben Astrid Yusuf Hiro Clara David Nadia Felix Sofia",
    "relative": "sister uncle grandmother niece | brother aunt cousin nephew",
    "company": "Google Siemens Stripe Ericsson Nestlé Boeing"
    " | Spotify Bosch Adobe Philips Unilever Airbus",
    "uni": "Yale Cambridge Stanford | Harvard Oxford Princeton",
    "project": "Falcon Aurora Delta | Condor Borealis Sigma",
    "job": "nurse plumber lawyer baker programmer | teacher mechanic dentist chef designer",
    "street": "Elm_Street Station_Road Park_Lane | Oak_Avenue Church_Street Mill_Lane",
    "num": "3 4 6 12 15 | 5 7 8 10 14",
    "few": "two four six | three five seven",
    "age": "24 31 45 52 | 27 36 41 58",
    "kilos": "62 75 88 | 67 79 93",
    "money": "900_euros 1,200_dollars 45_euros 3,000_kroner"
    " | 850_euros 1,500_dollars 60_euros 4,000_kroner",
    "phone": "555-1234 555-7788 | 555-9876 555-4321",
    "year": "1987 2004 2011 2018 | 1991 2006 2013 2020",
    "colour": "blue red yellow | green black orange",
    "food": "sushi mushrooms cheese lentils | pizza olives garlic pancakes",
    "drink": "coffee green_tea beer | tea orange_juice wine",
    "sport": "tennis football golf | basketball rugby volleyball",
    "activity": "hiking painting swimming | gardening cycling knitting",
    "language": "Spanish Polish Arabic | French Danish Turkish",
    "day": "Monday Wednesday Saturday | Tuesday Thursday Sunday",
    "date": "4_May 20_April March_3 12_November | 9_June 15_August July_21 30_January",
    "month": "February May September | March July October",
    "pet": "dog cat | cat dog",
    "petname": "Rex Milo Luna | Bella Max Coco",
    "car": "Toyota Ford Skoda | Tesla Honda Volvo",
}
_VALUE = re.compile(r"\{(\w+)('*)\}")


def pairs(file: str) -> list[Pair]:
    """All pairs of one file, the same every time."""
    rng = random.Random(SEED)
    half = 0 if file == "tuned" else 1
    unique: dict[Pair, None] = {}
    for line in _lines(file):
        times = TIMES if _VALUE.search(line.first) or _VALUE.search(line.second) else 1
        unique |= dict.fromkeys(_filled(line, half, rng) for _ in range(times))
    return list(unique)


def strangers(pairs_: Sequence[Pair], count: int, rng: random.Random) -> list[Pair]:
    """Statements of two different topics, which have nothing to do with each other."""
    result: list[Pair] = []
    while len(result) < count:
        one, other = rng.sample(pairs_, 2)
        if one.topic != other.topic:
            result.append(Pair("unrelated", "across topics", one.first, other.second))
    return result


def _lines(file: str) -> Iterator[Pair]:
    topic = ""
    for line in (FOLDER / f"{file}.txt").read_text("utf-8").splitlines():
        if line.startswith("# "):
            topic = line[2:]
        elif line:
            kind, first, second = line.split(" | ")
            yield Pair(kind, topic, first, second)


def _filled(line: Pair, half: int, rng: random.Random) -> Pair:
    """The line with values drawn for its braces; one drawn for `{x}` is never drawn for `{x'}`."""
    chosen: dict[str, str] = {}
    for name in dict.fromkeys(match[1] for match in _VALUE.finditer(f"{line.first}{line.second}")):
        values = [value.replace("_", " ") for value in _LISTS[name].split(" | ")[half].split()]
        drawn = rng.sample(values, min(3, len(values)))
        chosen |= {name + "'" * place: value for place, value in enumerate(drawn)}

    def fill(text: str) -> str:
        filled = _VALUE.sub(lambda match: chosen[match[1] + match[2]], text)
        return filled[:1].upper() + filled[1:]

    return Pair(line.kind, line.topic, fill(line.first), fill(line.second))
