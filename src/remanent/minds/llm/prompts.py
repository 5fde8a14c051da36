"""Prompts: files beside the code, each with a version, put together with what holds for all.

What a model is given to read: numbered lines inside a fence that no text can close.
"""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from importlib.resources import files

from remanent.core.dataclasses import dataclass
from remanent.core.model.mind_types import Reading
from remanent.core.model.source import Passage, Turn
from remanent.errors import MindError

NAMES = (
    "agent", "believe", "clean", "data", "describe", "digest", "extract", "gist", "judge", "need",
    "principle", "rephrase", "tell",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    name: str
    version: int
    text: str

    def system(self, **words: str) -> str:
        """The whole instruction: what to do, with these words filled in, and that texts are data."""
        text = self.text
        for name, word in words.items():
            text = text.replace("{{" + name + "}}", word)
        return f"{text}\n\n{prompt('data').text}"


@functools.cache
def prompt(name: str) -> Prompt:
    """The prompt of that name."""
    whole = files("remanent.minds.llm").joinpath("prompts", f"{name}.md").read_text("utf-8")
    first, _, text = whole.partition("\n")
    word, _, version = first.partition(":")
    if word != "version" or not version.strip().isdigit():
        raise MindError(f"prompt {name}: its first line is not its version")
    return Prompt(name=name, version=int(version), text=text.strip())


@functools.cache
def prompts_digest() -> str:
    """Eight characters that change when any prompt does."""
    told = "\n".join(f"{name} {prompt(name).version} {prompt(name).text}" for name in NAMES)
    return hashlib.sha256(told.encode()).hexdigest()[:8]


CHARACTERS_PER_TOKEN = 4
GAP = "[...]"
_SPEAKER_CHARACTERS = 60


# In these tags the library that asks for us says what a provider has no other place for: `<system>` is us.
_VOICE = re.compile(r"<(?=\s*/?\s*(?:system|tool_result|pyai:))", re.IGNORECASE)


def fenced(text: str) -> str:
    """The text as data. The code follows from the text: whoever writes one cannot know it."""
    shown = voiceless(text)
    code = hashlib.sha256(shown.encode("utf-8", "replace")).hexdigest()[:16]
    return f"<data {code}>\n{shown}\n</data {code}>"


def voiceless(text: str) -> str:
    """What is visible of the text; nothing in it opens or closes a tag in which we would be speaking."""
    return _VOICE.sub("&lt;", visible(text))


def visible(text: str) -> str:
    """Without what a reader would not see: control, format and tag characters, halves of characters."""
    return "".join(
        one
        for one in text
        if one in "\n\t" or unicodedata.category(one) not in {"Cc", "Cf", "Cs", "Co", "Cn"}
    )


def lines(reading: Reading) -> list[str]:
    """One line a passage, numbered from 1; what follows a break within it is set in."""
    return [line(number, one) for number, one in enumerate(reading.passages, 1)]


def line(number: int, passage: Passage) -> str:
    """A passage with its number and who said it. No text can look like another line's beginning."""
    text = indented(passage.text)
    speaker = on_one_line(passage.speaker or "")[:_SPEAKER_CHARACTERS]
    return f"[{number}] {speaker}: {text}" if speaker else f"[{number}] {text}"


def turns(before: Sequence[Turn], most: int = 10) -> list[str]:
    """The last things said, one a line."""
    return [
        f"{on_one_line(one.speaker or 'somebody')[:_SPEAKER_CHARACTERS]}: {indented(one.text)}"
        for one in before[-most:]
    ]


def numbered(texts: Sequence[str]) -> list[str]:
    """Texts as lines, numbered from 1."""
    return [f"[{number}] {indented(text)}" for number, text in enumerate(texts, 1)]


def indented(text: str) -> str:
    """The text with every line but the first one set in."""
    return "\n    | ".join(text.strip().splitlines())


def on_one_line(text: str) -> str:
    return " ".join(text.split())


def tokens(text: str) -> int:
    """About how many tokens it is."""
    return len(text) // CHARACTERS_PER_TOKEN + 1


def windows(written: Sequence[str], budget: int) -> list[list[str]]:
    """The lines in parts of at most that many tokens, all of them, in order."""
    parts: list[list[str]] = []
    room = 0
    for one in written:
        for piece in _cut(one, budget):
            cost = tokens(piece)
            if not parts or cost > room:
                parts.append([])
                room = budget
            parts[-1].append(piece)
            room -= cost
    return parts


def skimmed(written: Sequence[str], budget: int) -> list[str]:
    """Head, middle and end within that many tokens; gaps are marked."""
    pieces = [piece for one in written for piece in _cut(one, max(1, budget // 3))]
    if sum(map(tokens, pieces)) <= budget:
        return pieces
    third = budget // 3
    head = _fitting(range(len(pieces)), pieces, third)
    tail = _fitting(range(len(pieces) - 1, -1, -1), pieces, third)
    middle = _fitting(range(len(pieces) // 2, len(pieces)), pieces, third)
    return _with_gaps(sorted({*head, *middle, *tail}), pieces)


def naming(written: Sequence[str], names: Iterable[str], budget: int) -> list[str]:
    """All lines where they fit into that many tokens; else first those that hold one of the names, earliest
    first, and of the others what there is room for. Without any that does, a skim."""
    wanted = [name.casefold() for name in names if name.strip()]
    found = [any(name in one.casefold() for name in wanted) for one in written]
    if not any(found):
        return skimmed(written, budget)
    shown = [_cut(one, budget)[0] for one in written]
    order = sorted(range(len(written)), key=lambda number: not found[number])
    return _with_gaps(sorted(_fitting(order, shown, budget)), shown)


def _fitting(order: Iterable[int], pieces: Sequence[str], budget: int) -> list[int]:
    taken: list[int] = []
    for number in order:
        budget -= tokens(pieces[number])
        if budget < 0:
            break
        taken.append(number)
    return taken


def _with_gaps(kept: Sequence[int], pieces: Sequence[str]) -> list[str]:
    shown: list[str] = []
    before = -1
    for number in kept:
        if number != before + 1:
            shown.append(GAP)
        shown.append(pieces[number])
        before = number
    if before + 1 < len(pieces):
        shown.append(GAP)
    return shown


def _cut(text: str, budget: int) -> list[str]:
    """A line that is too long alone, in pieces."""
    most = max(1, budget - 1) * CHARACTERS_PER_TOKEN
    return [text[start : start + most] for start in range(0, len(text), most)] or [""]
