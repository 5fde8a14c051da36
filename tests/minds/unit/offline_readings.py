"""Conversations, notes and anchors for the tests of the offline mind."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from remanent.core.model.anchor import Anchor, Concept, Entity, Person
from remanent.core.model.keys import canonical_name
from remanent.core.model.mind_types import Candidate, Findings, Reading
from remanent.core.model.node import Kind
from remanent.core.model.source import ContentType, Passage
from remanent.core.ports.mind import Mind
from remanent.ingest.extract import Toolbox

MOMENT = datetime(2026, 3, 4, 12, tzinfo=UTC)

FRIENDS = """
Ada: Hey Tom! I finally talked to my sister Maria yesterday.
Tom: Oh nice, how is she doing?
Ada: She moved to Bergen in March and she works at the Haukeland hospital now. She's a nurse.
Ada: Maria loves hiking but she hates the rain. I'm worried about her workload though.
Tom: Ha. My wife Julia is from Bergen. Would you like to meet her?
Tom: I work at Equinor. I live in Stavanger and I have two kids.
Ada: We're planning a trip to Lisbon in May. My boss Karen Lee wants me to finish Project Falcon first.
Tom: What's Project Falcon?
Ada: It's our new billing system. Project Falcon runs on Postgres. Karen leads Project Falcon.
Ada: I'm allergic to peanuts, so tell Julia when we come for dinner. I'm tired today.
Tom: Sure! I saw Peter on Friday.
Assistant: I can book the flights. I live in the cloud.
"""

NOTES = """
I live in Oslo with my husband Per. We have a dog called Rex.
My favourite band is Radiohead. I love playing chess and I play chess every Sunday with Henrik.
Henrik is my best friend. He teaches maths at the University of Oslo and lives in Majorstuen.
I want to learn Spanish. My Spanish teacher is Carmen Ruiz. Spanish grammar is hard but I practise Spanish every day.
Acme acquired Initech last year. Acme is in Trondheim. I used to work at Acme.
Sarah Chen and Sarah Miller both came to the party.
"""


def conversation(text: str, owner: str = "Ada") -> Reading:
    """Lines of `Speaker: words` as one conversation."""
    turns = [line.split(": ", 1) for line in text.strip().splitlines()]
    passages = tuple(_passage(i, words, speaker) for i, (speaker, words) in enumerate(turns))
    return Reading(
        content_type=ContentType.CONVERSATION,
        started_at=MOMENT,
        passages=passages,
        owner_names=(owner,),
    )


def notes(text: str, owner: str = "Ada") -> Reading:
    """Lines as the paragraphs of a note of the owner's."""
    passages = tuple(_passage(i, line, None) for i, line in enumerate(text.strip().splitlines()))
    return Reading(
        content_type=ContentType.TEXT_NOTE,
        started_at=MOMENT,
        passages=passages,
        owner_names=(owner,),
    )


def _passage(ordinal: int, text: str, speaker: str | None) -> Passage:
    return Passage(key=f"p{ordinal}", source_key="s", ordinal=ordinal, text=text, speaker=speaker)


def anchor(kind: Kind, name: str, *, type_: str = "", owner: bool = False) -> Anchor:
    common = {
        "key": f"{kind}:{name}",
        "user_id": "ada",
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "name": name,
        "created_by": "ada",
    }
    match kind:
        case Kind.PERSON:
            return Person(**common, canonical_name=canonical_name(name), is_owner=owner)
        case Kind.ENTITY:
            return Entity(**common, type=type_)
        case _:
            return Concept(**common)


def passing(candidates: list[Candidate]) -> list[Candidate]:
    """Those that become nodes: confidence of 7 or more, and something is said of them (spec 4)."""
    return [one for one in candidates if one.confidence >= 7 and one.subpoints]


def written(mind: Mind, reading: Reading, anchors: Sequence[Anchor]) -> Findings:
    """What the three agents of a mind write about these anchors."""
    boxes = {kind: Toolbox(anchors) for kind in (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)}
    for kind, box in boxes.items():
        mind.relate(reading, kind, box)
    return Findings(
        notes=tuple(note for box in boxes.values() for note in box.findings.notes),
        relations=tuple(one for box in boxes.values() for one in box.findings.relations),
    )
