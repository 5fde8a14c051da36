"""What several statements about one subject have in common, said in one true sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from remanent.anchors.rules.roles import ROLES
from remanent.core.dataclasses import dataclass, field
from remanent.core.model.belief import OWNER
from remanent.minds.offline.lexicon import GENERIC, LISTS, fields_of
from remanent.minds.offline.sentences import singular, words
from remanent.minds.offline.summarize import content_words

_FEWEST: Final = 3  # of which a theme must be told, or all of them where there are fewer
_SHARE: Final = 0.75
_LONGEST: Final = 60  # characters of a theme
_VERBS: Final = LISTS["verbs_of_no_theme"]
_EMPTY_FIELDS: Final = frozenset({"planning", "feelings", "friends", "belief", "community"})
"""Fields whose words come up in talk about anything."""


@dataclass(slots=True)
class _Theme:
    """Something that statements speak of, by the words they use for it."""

    rank: int
    length: int
    statements: set[int] = field(default_factory=set)
    spellings: Counter[str] = field(default_factory=Counter)


def principle(statements: Sequence[str], subject: str) -> str:
    """The theme that most of the statements share, told of the subject; empty if there is none."""
    told = list(dict.fromkeys(" ".join(one.split()) for one in statements))
    if len(told) < 2:
        return ""
    themes = _themes(told, subject)
    least = max(min(_FEWEST, len(told)), _SHARE * len(told))
    shared = [(key, one) for key, one in themes.items() if len(one.statements) >= least]
    if not shared:
        return ""
    # What is named comes before a field of life; then the commonest.
    _, theme = min(
        shared, key=lambda one: (one[1].rank, -len(one[1].statements), -one[1].length, one[0])
    )
    name = min(theme.spellings, key=lambda one: (_form(one), -theme.spellings[one], one))
    plural = singular(name.split()[-1]) != name.split()[-1].casefold()
    verb, count = "are" if plural else "is", len(theme.statements)
    return f"{name[:1].upper()}{name[1:]} {verb} a recurring theme for {_subject_name(told, subject)} ({count} statements)."


def _themes(told: Sequence[str], subject: str) -> dict[tuple[str, ...], _Theme]:
    own = {singular(word) for word in re.findall(r"\w+", subject.casefold())} | ROLES
    themes: dict[tuple[str, ...], _Theme] = {}

    def note(rank: int, key: tuple[str, ...], number: int, name: str) -> None:
        theme = themes.setdefault((str(rank), *key), _Theme(rank, len(key)))
        theme.statements.add(number)
        theme.spellings[name] += 1

    for number, text in enumerate(told):
        for run in _runs(text, own):
            name = " ".join(run)
            if len(name) <= _LONGEST:
                note(0, tuple(_stem(word) for word in run), number, name)
        fields = {
            tag for word in words(text) if singular(word) not in own for tag in fields_of(word)
        }
        for tag in fields - _EMPTY_FIELDS:
            note(1, (tag,), number, tag)
    return themes


def _runs(text: str, own: set[str]) -> Iterator[list[str]]:
    """Every word that carries a topic, and every two that stand together: "green tea" and "tea"."""
    carrying = {
        word
        for word in content_words(text)
        if singular(word) not in own | GENERIC and word.casefold() not in _VERBS
    }
    before: str | None = None
    for word in words(text):
        if word not in carrying:
            before = None
            continue
        plain = word if word[:1].isupper() and word != words(text)[0] else word.lower()
        yield [plain]
        if before is not None:
            yield [before, plain]
        before = plain


def _stem(word: str) -> str:
    """What is left of a word without its ending: "hikes", "hiking" and "hiked" are one."""
    plain = singular(word)
    for ending in ("ing", "ed", "e"):
        if plain.endswith(ending) and len(plain) - len(ending) > 2:
            return plain.removesuffix(ending)
    return plain


def _form(name: str) -> int:
    """A thing in general is named in the plural, a doing by its gerund; else as it stands."""
    last = name.split()[-1]
    return 0 if last.endswith("ing") or singular(last) != last.casefold() else 1


def _subject_name(told: Sequence[str], subject: str) -> str:
    """The subject as the statements write it: me, Tom, my sister."""
    if subject == OWNER or not subject:
        return "me"
    if subject in ROLES:
        return f"my {subject}"
    found = re.compile(rf"(?<!\w){re.escape(subject)}(?!\w)", re.IGNORECASE)
    spelled = (match.group() for text in told for match in found.finditer(text))
    return next(spelled, subject.title())
