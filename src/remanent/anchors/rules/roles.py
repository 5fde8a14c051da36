"""Role names: an individual who is known by what they are to somebody, as "my mother" or "Sara's boss".

A role of the owner's is spelled "my ..." and one of somebody else's "...'s ...", each with one word for
all spellings of a role, so that "mom" and "mum" are one mother. No personal name looks so: the last
word is one of a closed list of roles.
"""

from __future__ import annotations

import re

from remanent.core.word_lists import word_lists

_LISTS = word_lists(__package__)
PARTNERS = _LISTS["partners"]
RELATIVES = _LISTS["relatives"]
FRIENDS = _LISTS["friends"]
BOSSES = _LISTS["bosses"]
COLLEAGUES = BOSSES | _LISTS["colleagues"]
CARERS = _LISTS["carers"]
ROLES = PARTNERS | RELATIVES | FRIENDS | COLLEAGUES | CARERS
"""Nouns that tie a person to whoever possesses them."""
OF_MANY = (
    FRIENDS - {"bestie", "roommate", "flatmate", "housemate"} | COLLEAGUES - BOSSES | {"cousin"}
)
"""Roles that many have at once: "my friend" of two texts is seldom one person."""
CALLED_SO = _LISTS["called_so"]
"""Roles by which one calls one's own as if by name: "Mum rang"."""
FAMILIAR = {
    spelled: word
    for word, spellings in word_lists(__package__, "familiar.txt").items()
    for spelled in spellings
}
"""Spellings of a role, and the one word for all of them."""
_CRAFT = re.compile(r"\w{2,}(?:er|or|ist|ian|ant|eon)")


def is_craft(word: str) -> bool:
    """Whether a word looks like what somebody does for others: "barber", "cardiologist"."""
    return _CRAFT.fullmatch(word) is not None and word not in OF_MANY


def is_role(surface: str) -> bool:
    """Whether a name in canonical spelling says what somebody is to the owner or to somebody else."""
    words = surface.split("-")
    last = "-".join(words[-3:]) if words[-1] == "law" else words[-1]
    if len(words) > 1 and words[0] == "my":
        return last in ROLES or is_craft(last)
    return "s" in words[1:-1] and last in ROLES
