"""The questions, one function a task, and how their answers are taken."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from pydantic import BaseModel

from remanent.core.model.mind_types import Judgement, Reading, StoryText
from remanent.core.model.search import Rephrased
from remanent.core.model.source import Turn
from remanent.minds.llm import grounding, prompts
from remanent.minds.llm.grounding import sentences
from remanent.minds.llm.prompts import fenced, indented, numbered, on_one_line, prompt, visible
from remanent.minds.llm.request import Ask

_UNRELATED = "A triangle has three corners."
_ORDERS = re.compile(
    r"\b(?:statements?|verdicts?|contradict\w*|beliefs?|believed|judgements?|instruct\w*|ignore|"
    r"disregard|overrid\w*|prompts?|json|(?:answer|respond|reply) with|(?:mark|treat|count) \w+ as|"
    r"the same|different)\b",
    re.IGNORECASE,
)
_CHAPTERS = 40
_NOTES = 60


def digest(reading: Reading, budget: int) -> Ask:
    """Summary, keywords and tags of a text, of which a long one is skimmed."""
    shown = prompts.skimmed(prompts.lines(reading), budget)
    return _ask("digest", "digest", [*_about(reading), *shown], grounding.Digest)


def extract(reading: Reading, budget: int) -> list[Ask]:
    """Candidates and beliefs of the whole text; one question, unless it is longer than the budget."""
    return [
        _ask("extract", "extract", [*_about(reading), *part], grounding.Found)
        for part in prompts.windows(prompts.lines(reading), budget)
    ]


def believe(text: str, owner_names: Sequence[str]) -> Ask:
    said = [f"owner: {_names(owner_names)}", f"to be remembered: {indented(text)}"]
    return _ask("extract", "believe", said, grounding.Statement)


def judge(statement: str, believed: Sequence[str]) -> Ask:
    """All at once, in an order that nobody can foresee, with two among them whose verdict is known."""
    said = [f"new: {indented(statement)}", "believed:", *numbered(_shown(statement, believed))]
    return _ask("judge", "judge", said, grounding.Verdicts)


def is_plain(statement: str, believed: Sequence[str]) -> bool:
    """Whether no statement speaks of statements, verdicts or orders: such a one is not put to a model
    that may take it for a word to itself."""
    return not any(_ORDERS.search(visible(one)) for one in (statement, *believed))


def judged(
    found: grounding.Verdicts, statement: str, believed: Sequence[str], plain: Sequence[Judgement]
) -> list[Judgement] | None:
    """One judgement for each; what the rules call the same is never a contradiction. None if the two
    known ones came out wrong: whoever misjudges them was talked into it, or cannot do it."""
    shown = _shown(statement, believed)
    by_number = {one.number: Judgement(one.verdict) for one in found.verdicts}
    said = {one: by_number.get(number, Judgement.DIFFERENT) for number, one in enumerate(shown, 1)}
    if said[statement] is not Judgement.SAME or said[_UNRELATED] is not Judgement.DIFFERENT:
        return None
    return [
        Judgement.SAME
        if ours is Judgement.SAME and said[one] is Judgement.CONTRADICTS
        else said[one]
        for one, ours in zip(believed, plain, strict=True)
    ]


def _shown(statement: str, believed: Sequence[str]) -> list[str]:
    """Each once, the statement itself and one about nothing of anybody's among them."""
    return sorted(
        {*believed, statement, _UNRELATED},
        key=lambda one: hashlib.sha256(f"{statement}\n{one}".encode("utf-8", "replace")).digest(),
    )


def principle(statements: Sequence[str], subject: str) -> Ask:
    said = [f"subject: {on_one_line(subject)}", *numbered(statements)]
    return _ask("stories", "principle", said, grounding.Sentence)


def gist(reading: Reading, budget: int) -> Ask:
    shown = prompts.skimmed(prompts.lines(reading), budget)
    return _ask("digest", "gist", [*_about(reading), *shown], grounding.MaybeText)


def need(message: str, before: Sequence[Turn]) -> Ask:
    said = ["before:", *prompts.turns(before), f"message: {indented(message)}"]
    return _ask("ask", "need", said, grounding.Needed)


def rephrase(question: str, before: Sequence[Turn]) -> Ask:
    said = ["before:", *prompts.turns(before), f"question: {indented(question)}"]
    return _ask("ask", "rephrase", said, grounding.Wordings)


def reworded(question: str, found: grounding.Wordings) -> Rephrased:
    """Up to five, none of them the question itself or one another."""
    seen = {_same(question)}
    phrasings: list[str] = []
    for one in map(on_one_line, map(visible, found.phrasings)):
        if one and len(one) <= 300 and _same(one) not in seen:
            seen.add(_same(one))
            phrasings.append(one)
    wider = sentences(found.wider, 1, 300)
    return Rephrased(
        phrasings=tuple(phrasings[:5]), step_back="" if _same(wider) in seen else wider
    )


def tell(tale: StoryText) -> Ask:
    chapters = [
        f"[{one.at:%Y-%m-%d}{'' if one.until is None else f' to {one.until:%Y-%m-%d}'}] {indented(one.text)}"
        for one in tale.chapters[-_CHAPTERS:]
    ]
    said = [
        f"name: {on_one_line(tale.name)} ({tale.kind.value})",
        f"sentences: {tale.fewest} to {tale.most}",
        f"so far: {indented(tale.told) or 'nothing'}",
        "chapters:",
        *chapters,
    ]
    return _ask("stories", "tell", said, grounding.Text)


def describe(name: str, description: str, notes: Sequence[str]) -> Ask:
    said = [
        f"name: {on_one_line(name)}",
        f"description so far: {indented(description) or 'none'}",
        "notes:",
        *numbered(notes[-_NOTES:]),
    ]
    return _ask("stories", "describe", said, grounding.Text)


def clean(pieces: Sequence[str]) -> Ask:
    return _ask("clean", "clean", numbered(pieces), grounding.Pieces)


def tidied(pieces: Sequence[str], plain: Sequence[str], found: grounding.Pieces) -> list[str]:
    """Each piece as the model tidied it if it only took away; else as the rules did."""
    said = {one.number: one.text for one in found.pieces}
    return [
        said[number] if number in said and not _words(said[number]) - _words(piece) else ours
        for number, (piece, ours) in enumerate(zip(pieces, plain, strict=True), 1)
    ]


def terms(given: Iterable[str], most: int, characters: int) -> tuple[str, ...]:
    """So many short terms, each once."""
    found = (on_one_line(visible(one)).strip(" .,;:#") for one in given)
    first: dict[str, str] = {}
    for one in found:
        if one and len(one) <= characters:
            first.setdefault(one.casefold(), one)
    return tuple(first.values())[:most]


def _ask(task: str, name: str, said: Sequence[str], output: type[BaseModel]) -> Ask:
    asked = prompt(name)
    return Ask(
        task=task,
        prompt=name,
        version=asked.version,
        system=asked.system(),
        data=fenced("\n".join(said)),
        output=output,
    )


def _about(reading: Reading) -> list[str]:
    return [
        f"kind: {reading.content_type.value}",
        f"date: {reading.started_at:%Y-%m-%d}",
        f"owner: {_names(reading.owner_names if reading.owner_speaks else ())}",
    ]


def _names(names: Sequence[str]) -> str:
    return ", ".join(on_one_line(one) for one in names) or "unknown"


def _same(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))
