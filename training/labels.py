"""Inventories of labels that the heads choose from, and how open words map to them."""

from __future__ import annotations

import re
from typing import NamedTuple

JUDGE = ("update", "same", "refine", "beside", "unrelated")
TYPES = (
    "person", "organization", "location", "project", "product",
    "event", "group", "animal", "concept", "date",
)  # fmt: skip
KINDS = ("fact", "preference", "plan", "promise", "event", "opinion")
REASONS = ("small_talk", "question", "advice", "hypothetical", "passing", "joke", "quote")

MENTION_TAGS = ("O", *(f"{p}-{t}" for t in TYPES for p in "BI"))
KEEP_TAGS = ("O", *(f"{p}-{k}" for k in KINDS for p in "BI"))
DROP_TAGS = ("O", *REASONS)
REF_TAGS = ("O", "B", "I")


class Relation(NamedTuple):
    """Relation class as read from open words; ``flip`` says that the ends change places."""

    name: str
    flip: bool = False
    over: bool = False


# A class a paragraph: its name, the words that read from a to b, after "<" those from b to a.
_TEXT = """
parent:
  mother father mom mum dad parent parents stepmother stepfather stepdad stepmom mama papa
  < son daughter child children kid kids sons daughters stepson stepdaughter baby twins
grandparent:
  grandmother grandfather grandma grandpa nan gran granny grandparent
  < grandson granddaughter grandchild grandchildren
sibling:
  sister brother sibling twin siblings half-sister half-brother stepsister stepbrother
partner:
  married_to partner wife husband girlfriend boyfriend dating engaged_to spouse fiance
  fiancee fiancé fiancée couple seeing in_love_with
relative:
  cousin aunt uncle niece nephew auntie mother-in-law father-in-law sister-in-law
  brother-in-law son-in-law daughter-in-law related_to relative godmother godfather godson
  goddaughter godchild family
friend:
  friend friends best_friend friends_with close_to mate old_friend
lives with:
  lives_with roommate flatmate housemate shares_flat_with rooms_with
neighbour:
  neighbour neighbor lives_next_to lives_near next_door_to
colleague:
  colleague works_with coworker co-worker teammate business_partner classmate
  collaborates_with co-founder cofounder
boss:
  boss manager supervisor reports_to line_manager team_lead employer works_under
  < manages leads supervises heads employs runs employee assistant chairs coordinates
  directs founded founder_of in_charge_of
served by:
  therapist doctor dentist lawyer teacher coach landlord landlady solicitor accountant
  physio counsellor tutor instructor vet optician dermatologist neurologist trainer mentor
  midwife nurse gp hairdresser barber mechanic plumber builder carer babysitter nanny
  surgeon advisor adviser cleaner electrician physiotherapist consultant pastor specialist
  cardiologist client_of patient_of student_of tenant_of buys_from customer_of supplier
  contractor sees taught_by treated_by coached_by
  < teaches tutors mentors treats coaches patient client student pupil tenant customer
  cares_for looks_after supplies trains represents serves sells_to helps
works at:
  works_at works_for works_in employed_by employed_at job_at interns_at teaches_at
  volunteers_at intern_at stationed_at nurse_at joined freelances_for hired_by worked_at
  worked_for
works on:
  works_on builds develops maintains wrote makes created designs writing responsible_for
  contributes_to owns_project presents
studies at:
  studies_at studied_at studies_in goes_to_school attends_school pupil_at student_at
  enrolled_at graduated_from attends applied_to accepted_at studies_with
studies:
  studies learning learns speaks trains_in studying practises practices
member of:
  member_of plays_for belongs_to sings_in part_of_team president_of member plays_in
  captain_of
takes part in:
  takes_part_in participates_in attended going_to competes_in signed_up_for invited_to
  hosts organizes organises speaking_at performs_at runs_in
lives in:
  lives_in based_in moved_to moves_to resides_in living_in lives_at staying_in moving_to
  stays_in lived_in moves_into
from:
  from born_in grew_up_in comes_from originally_from native_of
visits:
  visits visited travels_to traveled_to travelled_to flies_to trip_to goes_to holidays_in
  flying_to going_on
located in:
  located_in held_in held_at located_at in at takes_place_in near headquartered_in
  happens_at based_at situated_in
part of:
  part_of subsidiary_of department_of belongs_in owned_by branch_of run_by made_by
  published_by organized_by organised_by hosted_by
owns:
  owns has bought keeps drives rides inherited owner_of pet dog cat rents
  < sold_to
uses:
  uses takes wears subscribes_to plays reads watches listens_to reading watching
  takes_medication switched_to banks_with insured_with
likes:
  likes loves enjoys prefers fan_of admires supports interested_in values trusts favourite
  favorite cares_about proud_of appreciates believes_in
dislikes:
  dislikes hates annoyed_with avoids distrusts refuses angry_at angry_with fell_out_with
  opposes fed_up_with frustrated_with can't_stand
wants:
  wants hopes_for considering plans aims_for saving_for wants_to_move dreams_of
  looking_for wants_to_buy planning wishes_for goal applying_to
worried about:
  worried_about fears afraid_of anxious_about concerned_about worries_about scared_of
  nervous_about
has condition:
  allergic_to suffers_from diagnosed_with recovering_from has_condition intolerant_to
  treated_for
competes with:
  competitor_of competes_with rival rival_of
owes:
  owes owes_money_to borrowed_from
  < lent_to
knows:
  knows met acquaintance knows_from meets
"""


def _table() -> list[tuple[str, list[str], list[str]]]:
    """Read the table of relation words."""
    found = []
    for name, words in re.findall(r"^(\S[^:\n]*):\n((?:  .*\n)+)", _TEXT, re.MULTILINE):
        forth, _, back = words.partition("<")
        found.append((name, forth.split(), back.split()))
    return found


_TABLE = _table()
_OVER = (
    "ex-", "former", "divorced_from", "separated_from", "widow", "bereaved", "late_", "ex_",
    "left", "quit", "sold", "used_to", "retired_from", "broke_up_with",
)  # fmt: skip
_OVER_CLASS = {
    "divorced_from": "partner", "separated_from": "partner", "widow": "partner", "ex": "partner",
    "widower": "partner", "left": "works at", "quit": "works at", "retired_from": "works at",
    "sold": "owns", "broke_up_with": "partner", "bereaved": "relative",
}  # fmt: skip
OTHER = "other"
ROLES = frozenset(("parent", "grandparent", "sibling", "partner", "relative", "boss", "served by"))
"""What a noun says that somebody is to whoever has them: "my mum", "my dentist"."""
RELATIONS = ("none", OTHER, *(name for name, _, _ in _TABLE))
SYMMETRIC = frozenset(
    ("sibling", "partner", "relative", "friend", "lives with", "neighbour", "colleague",
     "competes with", "knows", OTHER)
)  # fmt: skip
_WORDS: dict[str, Relation] = {}
for _name, _forth, _back in _TABLE:
    for _word in _forth:
        _WORDS.setdefault(_word, Relation(_name))
    for _word in _back:
        _WORDS.setdefault(_word, Relation(_name, flip=True))


_NOUNS = frozenset(("parent", "grandparent", "boss", "served by"))
_CRAFT = re.compile(r"(?:agent|\w+(?:er|or|ist|ian|ant|keeper|engineer|officer))")
_LIKE_VERBS = frozenset(
    ("boss", "parents", "twins", "kids", "sons", "daughters", "children", "grandchildren")
)


def _is_noun(key: str) -> bool:
    """Say whether a word is a noun that names an end of the relation ("mother"), not a verb."""
    known = _WORDS.get(key)
    directed = known is not None and known.name in _NOUNS
    return (
        directed
        and "_" not in key
        and key != "founded"
        and (not key.endswith("s") or key in _LIKE_VERBS)
    )


def relation(words: str, *, told_of: str = "") -> Relation:
    """Give the class of a relation's open words; what no row names is ``other``.

    Words read from a to b, and a bare noun says what a is to b ("mother", "mother of"), except
    where b is called by that very noun. The table has nouns the other way round.
    """
    key = re.sub(r"\s+", "_", words.strip().lower())
    over = any(key.startswith(mark) or f"_{mark}" in key for mark in _OVER)
    for mark in ("ex-", "former_", "late_", "ex_"):
        key = key.removeprefix(mark)
    turned = _is_noun(key) and not re.search(rf"\b{re.escape(key)}\b", told_of.lower())
    if key in _WORDS:
        found = _WORDS[key]
        return Relation(found.name, flip=found.flip != turned, over=over)
    noun = key.removesuffix("_of")
    if noun in _OVER_CLASS:
        return Relation(_OVER_CLASS[noun], over=True)
    if noun in _WORDS:
        return Relation(_WORDS[noun].name, flip=not _WORDS[noun].flip, over=over)
    if _CRAFT.fullmatch(noun):
        return Relation("served by", flip=True, over=over)
    return Relation(OTHER, over=over)
