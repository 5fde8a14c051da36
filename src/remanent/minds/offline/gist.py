"""What a conversation leaves behind: its few sentences worth keeping, if it has any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remanent.core.ports.embedder import Embedder
from remanent.minds.offline import lexicon
from remanent.minds.offline.believe import units
from remanent.minds.offline.said import (
    Role,
    Said,
    is_greeting,
    is_question,
    is_statement,
    subject_of,
    trimmed,
)
from remanent.minds.offline.summarize import summarize
from remanent.minds.offline.worth import root_of, will_hold

if TYPE_CHECKING:
    from spacy.tokens import Token

_WEATHER = lexicon.words(
    "weather rain rainy snow snowy sun sunny cloud cloudy wind windy storm stormy warm cold hot cool"
    " chilly freezing humid fog foggy forecast degree temperature outside outdoors sky umbrella thunder"
    " lightning summer winter spring autumn fall"
)
_PLEASANTRIES = lexicon.words(
    "thank thanks welcome appreciate help bye goodbye see talk chat hope enjoy care good great nice fine"
    " well sound look have be do go get glad happy pleased sorry worry wish rest day night evening"
    " morning weekend week time today tomorrow later soon lot thing stuff way sure course problem"
    " pleasure speak catch let know mean think guess suppose feel laugh joke fun"
)
_DECIDES = lexicon.words(
    "decide agree choose plan book order buy sell sign send finish start begin move quit leave join hire"
    " promise schedule postpone cancel switch accept refuse marry propose learn find lose break fix"
    " meet visit move travel win fail pass apply release launch ship deploy deliver owe pay"
)
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM"})
_TIMES = frozenset({"TIME", "DATE", "CARDINAL", "ORDINAL"})
_FEWEST = 2  # words that tell of something
_MANY = 4  # so many make up for a subject that only another sentence names


def gist(told: Sequence[Said], embedder: Embedder | None) -> str:
    """An extract of the sentences that say something, each speaker named; empty if none does."""
    people = [one for one in told if one.role is not Role.ASSISTANT and is_worth_keeping(one)]
    return summarize(people, embedder) if people else ""


def is_worth_keeping(said: Said) -> bool:
    """True for what tells of somebody or something, not of the weather and not of the talk itself."""
    span = said.span
    if is_greeting(span) or is_question(span) or not is_statement(span):
        return False
    return any(_tells(unit) for unit in units(span))


def _tells(unit: Sequence[Token]) -> bool:
    tokens = trimmed(unit)
    root = root_of(tokens)
    if root is None:
        return False
    telling = [token for token in tokens if _is_telling(token)]
    count = len({token.lemma_.lower() for token in telling})
    if _points_away(root) or count < _FEWEST:
        return count >= _MANY
    named = any(t.ent_type_ and t.ent_type_ not in _TIMES and t.dep_ != "npadvmod" for t in telling)
    deeds = {token.lemma_.lower() for token in telling if token.pos_ == "VERB"}
    return named or count >= _MANY or bool(deeds & _DECIDES) or will_hold(root, tokens)


def _is_telling(token: Token) -> bool:
    lemma = token.lemma_.lower()
    if token.pos_ not in _CONTENT or token.is_stop or not (token.is_alpha or token.like_num):
        return False
    return lemma not in _WEATHER and lemma not in _PLEASANTRIES and lemma not in lexicon.GENERIC


def _points_away(root: Token) -> bool:
    """True if its subject is what another sentence names, or whoever is spoken to."""
    subject = subject_of(root)
    return subject is not None and subject.lower_ in {"it", "that", "this", "you", "there", "those"}
