"""Nicknames: which short forms a given name has; Bob is short for Robert.

The common English given names of `names.csv` of https://github.com/carltonnorthern/nicknames (Old
Dominion University, Web Science and Digital Libraries Research Group; Apache-2.0), and common forms that
it lacks. Left out is what is mostly a name of its own today: Erin for Aaron, Emily for Amelia,
Ian for John. One short form may stand for several names: Alex for Alexander and Alexandra.
"""

from __future__ import annotations

from remanent.core.word_lists import word_lists


def _long_forms() -> dict[str, frozenset[str]]:
    forms = dict[str, frozenset[str]]()
    for full, shorts in _SHORT_FORMS.items():
        for short in shorts:
            forms[short] = forms.get(short, frozenset()) | {full}
    return forms


_SHORT_FORMS = word_lists(__package__, "nicknames.txt")
_LONG_FORMS = _long_forms()

GIVEN_NAMES = frozenset(_SHORT_FORMS) | frozenset(_LONG_FORMS)
"""Every given name of the table, long or short."""


def is_short_for(short: str, full: str) -> bool:
    """Whether `short` is a known short form of the given name `full`; no name is one of itself."""
    return short.casefold() in _SHORT_FORMS.get(full.casefold(), ())


def short_forms(full: str) -> frozenset[str]:
    """What a given name is shortened to."""
    return _SHORT_FORMS.get(full.casefold(), frozenset())


def long_forms(short: str) -> frozenset[str]:
    """The given names that are shortened so."""
    return _LONG_FORMS.get(short.casefold(), frozenset())
