"""Role names: an individual who is known by what they are to somebody, as "my mother" or "Sara's boss".

A role of the owner's is spelled "my ..." and one of somebody else's "...'s ...", each with one word for
all spellings of a role, so that "mom" and "mum" are one mother. No personal name looks so: the last
word is one of a closed list of roles.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PARTNERS = _words(
    "wife husband partner girlfriend boyfriend fiancé fiancée fiance fiancee spouse ex hubby missus gf bf"
)
RELATIVES = _words(
    "mother father mom mum dad mama papa mommy daddy stepmother stepfather stepmom stepdad son daughter"
    " child kid baby toddler stepson stepdaughter twin sister brother sibling aunt auntie uncle cousin"
    " niece nephew grandmother grandfather grandma grandpa gran nan granny granddaughter grandson"
    " mother-in-law father-in-law sister-in-law brother-in-law son-in-law daughter-in-law"
    " godmother godfather goddaughter godson"
)
FRIENDS = _words(
    "friend buddy pal bestie neighbour neighbor roommate flatmate housemate classmate mate"
)
BOSSES = _words("boss manager supervisor director")
COLLEAGUES = BOSSES | _words(
    "colleague coworker co-worker teammate mentor assistant intern client customer lead report"
    " cofounder co-founder"
)
CARERS = _words(
    "doctor therapist dentist teacher coach trainer instructor tutor counselor counsellor lawyer"
    " accountant landlord landlady nanny vet babysitter plumber gp nurse physio"
)
ROLES = PARTNERS | RELATIVES | FRIENDS | COLLEAGUES | CARERS
"""Nouns that tie a person to whoever possesses them."""
OF_MANY = FRIENDS - _words("bestie roommate flatmate housemate") | COLLEAGUES - BOSSES | {"cousin"}
"""Roles that many have at once: "my friend" of two texts is seldom one person."""
CALLED_SO = _words(
    "mum mom dad nan gran grandma grandpa granny mama papa mommy daddy mother father"
)
"""Roles by which one calls one's own as if by name: "Mum rang"."""
FAMILIAR = {
    "mom": "mother", "mum": "mother", "mama": "mother", "mommy": "mother", "dad": "father",
    "papa": "father", "daddy": "father", "kid": "child", "grandma": "grandmother", "gran": "grandmother",
    "nan": "grandmother", "granny": "grandmother", "grandpa": "grandfather", "buddy": "friend",
    "pal": "friend", "bestie": "friend", "mate": "friend", "coworker": "colleague",
    "co-worker": "colleague", "fiancée": "fiancé", "fiancee": "fiancé", "fiance": "fiancé",
    "neighbor": "neighbour", "auntie": "aunt", "hubby": "husband", "missus": "wife",
    "gf": "girlfriend", "bf": "boyfriend", "stepmom": "stepmother", "stepdad": "stepfather",
}  # fmt: skip
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
