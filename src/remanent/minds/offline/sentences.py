"""Sentences: a source cut where its sentences end, each with whoever said it and what the reader made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Final

from remanent.core.dataclasses import dataclass
from remanent.core.model.mind_types import Reading
from remanent.core.model.source import Passage
from remanent.core.regex import regex
from remanent.minds.reader.reading import Place, ReadSource

_END: Final = regex(r"[.!?…]+[\"”’')\]]*(?=\s)|\n(?=\s*\n|[ \t]*(?:[-*•#]|\d+[.)])\s)")
SHORT: Final = regex(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|No|approx|Jr|Sr)|\b[A-Z]|\b(?:[A-Za-z]\.)+[A-Za-z])\.$"
)
"""What ends with a full stop that ends no sentence."""
_HEADING: Final = regex(r"#+ [^\n]*\n")
_MARK: Final = regex(r"^(?:[-*•]|#+|\d+[.)])\s+")
_ASKING: Final = regex(
    r"^(?:(?:and|but|so|well|oh|ok(?:ay)?|hey|hi)\W+)*(?:what|who|when|where|why|how|which|whose"
    r"|(?:do|does|did|is|are|was|were|have|has|had|can|could|will|would|should|shall)"
    r" (?:you|he|she|it|they|we|i|your|the|there|that|this))\b",
    re.IGNORECASE,
)
_THEN_ASKS: Final = regex(
    r"(?:\s*[,;:–—]|\s+-|(?=\s+so\s))\s*(?=(?:(?:and|but|so)\s+)?(?:what|why|how|(?:which|whose)\s+\w+"
    r"|(?:where|when|who)\s+(?:do|does|did|is|are|can|could|should|will|would)"
    r"|(?:do|does|did|is|are|was|were|have|has|can|could|will|would|should|shall)"
    r"\s(?:you|he|she|it|they|we|i|your|the|there|that|this|my))\b(?:\W+\w+){2})",
    re.IGNORECASE,
)
_SUPPOSES: Final = regex(
    r"(?:(?:and|but|so|ok(?:ay)?|hey|hi)\W+)*(?:if|when|whenever|unless|suppose|imagine|say|let['’]s say|tell me"
    r"|before|after|while|once|until)\b",
    re.IGNORECASE,
)
_FEWEST_TOLD: Final = 3  # words
_SAYS_WHERE: Final = regex(
    r"(?:\s*[,;]|(?=\s+(?:and|but)\s))\s*(?:(?:and|but)\s+)?"
    r"(?=(?:i|he|she|they|we|it)\b[^.!?,;]*\bthere\b(?!['’]s|\s+(?:is|are|was|were|will|has|have|had)\b))",
    re.IGNORECASE,
)
_WORD: Final = regex(r"[^\W_]+(?:['’-][^\W_]+)*")


class Role(Enum):
    """Whose words a sentence is in."""

    OWNER = "owner"
    OTHER = "other"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence; `index` is its place in the source, `keep` and `drop` how likely it is worth
    keeping and should be dropped."""

    index: int
    place: Place
    text: str
    passage: Passage
    role: Role
    keep: float
    drop: float
    is_question: bool

    @property
    def speaker(self) -> str | None:
        return self.passage.speaker


def sentences(reading: Reading, read: ReadSource) -> list[Sentence]:
    """All sentences of the source that have a word, in order."""
    found: list[Sentence] = []
    for turn, passage in enumerate(reading.passages):
        role = role_of(passage.speaker, reading)
        for start, end in bounds(passage.text):
            text = unmarked(passage.text[start:end])
            if any(character.isalnum() for character in text):
                place = Place(turn, start, end)
                asks = is_question(text)
                chances = read.chances(place)
                found.append(Sentence(len(found), place, text, passage, role, *chances, asks))
    return found


def role_of(speaker: str | None, reading: Reading) -> Role:
    """Who this speaker is to the owner of the reading; no speaker is the owner."""
    if speaker is None:
        return Role.OWNER if reading.owner_speaks else Role.OTHER
    folded = speaker.casefold().strip()
    if reading.owner_speaks and folded in {name.casefold() for name in reading.owner_names}:
        return Role.OWNER
    if folded in {name.casefold() for name in reading.assistants}:
        return Role.ASSISTANT
    return Role.OTHER


def bounds(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence; headings and items of lists are sentences of their own, and so are
    what somebody tells before they ask ("I'm allergic to nuts, what can I eat here?") and a second half
    that says where ("I met Maria in Oslo, she lives there")."""
    for start, end in _ends(text):
        told = _told_first(text[start:end]) or says_where(text[start:end])
        if told is not None:
            yield start, start + told[0]
            start += told[1]
        yield start, end


def _told_first(text: str) -> tuple[int, int] | None:
    """Where a question's first part, which tells and does not ask, ends, and where the question begins."""
    if not text.rstrip(" \"')”’").endswith("?") or _ASKING.match(text) or _SUPPOSES.match(text):
        return None
    found = _THEN_ASKS.search(text)
    if found is None or len(words(text[: found.start()])) < _FEWEST_TOLD:
        return None
    return found.span()


def says_where(text: str) -> tuple[int, int] | None:
    """Where the first half ends, and the second begins that says where by "there": what becomes of the one
    does not become of the other."""
    found = _SAYS_WHERE.search(text)
    if found is None or _SUPPOSES.match(text) or len(words(text[: found.start()])) < _FEWEST_TOLD:
        return None
    return found.span()


def _ends(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in sorted(
        (*_END.finditer(text), *_HEADING.finditer(text)), key=lambda one: one.end()
    ):
        end = found.end()
        if not text[start:end].strip() or SHORT.search(text[start:end]):
            continue
        yield start + len(text[start:end]) - len(text[start:end].lstrip()), end
        start = end
    if text[start:].strip():
        yield start + len(text[start:]) - len(text[start:].lstrip()), len(text)


def is_question(text: str) -> bool:
    """True for what asks, whether or not it ends with its mark."""
    return text.rstrip(" \"')”’").endswith("?") or (
        _ASKING.match(text) is not None and not text.rstrip().endswith((".", "!"))
    )


def unmarked(text: str) -> str:
    """The text on one line, without the mark of a list or a heading."""
    return " ".join(_MARK.sub("", text.strip()).split())


def cut(text: str, longest: int) -> str:
    """The text, or as much of it as fits, cut at a word."""
    if len(text) <= longest:
        return text
    return text[: longest - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def words(text: str) -> list[str]:
    """The words as written."""
    return _WORD.findall(text)


def singular(word: str) -> str:
    """The word in lower case, without possessive and plural."""
    plain = word.casefold().removesuffix("'s").removesuffix("’s")
    if len(plain) > 4 and plain.endswith("ies"):
        return f"{plain[:-3]}y"
    if plain.endswith(("ches", "shes", "xes", "sses")):
        return plain[:-2]
    ends = plain.endswith("s") and not plain.endswith(("ss", "us", "is", "ous"))
    return plain[:-1] if ends and len(plain) > 3 else plain
