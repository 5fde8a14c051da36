"""A life of six weeks with all that may happen in one, for the tests of rebuilding."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from plain_mind import PlainMind

from remanent import Memory, SteppedClock, UserMemory
from remanent.config import Config
from remanent.core.model.belief import OWNER
from remanent.core.model.keys import key_for
from remanent.core.model.mind_types import BeliefDraft, Judgement, Reading
from remanent.core.records.access import Role, Team
from remanent.core.records.item import Put
from remanent.testing import HashEmbedder

START = datetime(2026, 3, 2, 8, tzinfo=UTC)
STEP = timedelta(days=5)
PEOPLE = ("Maria Berg", "Tom Vance", "Sarah Lund")
CITIES = ("Oslo", "Bergen", "Tromso", "Hamar")


class QuickMind(PlainMind):
    """Reads the lines that are written for it; what differs in its last word says the same."""

    def __init__(self) -> None:
        super().__init__(judgements=_judged)

    def believe(self, text: str, *, owner_names: Sequence[str]) -> list[BeliefDraft]:
        about = text.split()[0].casefold() if text.startswith("Tom") else OWNER
        return [BeliefDraft(statement=text, subject=about)]

    def describe(self, name: str, description: str, notes: Sequence[str]) -> str:
        return f"{name}: {' / '.join(notes)}" if notes else description

    def gist(self, reading: Reading) -> str:
        return f"{reading.passages[0].text} And {len(reading.passages)} in all."

    def principle(self, statements: Sequence[str], subject: str) -> str:
        return f"All of it is about {subject}, {len(statements)} times"


def _judged(new: str, old: str) -> Judgement:
    if new.split()[:-1] == old.split()[:-1]:
        return Judgement.SAME
    return Judgement.CONTRADICTS if new.split()[:3] == old.split()[:3] else Judgement.DIFFERENT


def opened(path: Path | str | Config, clock: SteppedClock | None = None, **hands: Any) -> Memory:
    embedder = hands.pop("embedder", None) or HashEmbedder()
    mind = hands.pop("mind", None) or QuickMind()
    return Memory.open(path, clock=clock or SteppedClock(START), mind=mind, embedder=embedder)


def ada_of(memory: Memory) -> UserMemory:
    return memory.user("ada", name="Ada Lindqvist", timezone="Europe/Oslo")


def live(memory: Memory, clock: SteppedClock, days: int = 10) -> None:
    """Every fifth day something happens, with the nights in between."""
    ada, bob = ada_of(memory), memory.user("bob", name="Bob Hale")
    registry = memory.env.registry
    registry.put_team(Team(team_id="crew", name="Crew", created_at=START))
    for user in ("ada", "bob"):
        registry.join("crew", user, Role.MEMBER, START)
    for number in range(days):
        day(ada, number)
        team_day(ada, bob, number)
        consents(memory.user("mallory", name="Mallory Stranger"), bob, number)
        memory.work()
        by_hand(ada, number)
        clock.move_to(START + number * STEP + timedelta(hours=20))
        memory.sleep()
        clock.move_to(START + (number + 1) * STEP)


def day(ada: UserMemory, number: int) -> None:
    person, city = PEOPLE[number % 3], CITIES[number // 5 % 4]
    ada.add(
        f"I met my friend {person} in {city} about the Kestrel launch. {person} lives in {city}. "
        f"{person} works at Northwind and {person} is married to {PEOPLE[(number + 1) % 3]}. "
        f"My manager {person} plans the launch of Kestrel for week {number}. I enjoy chess.\n"
        f"{person}: Likes number {number}.\n{person} > home > {city}\n"
        f"It is so that {person} has {number % 4} dogs.",
        title=f"Day {number}",
    )
    if number % 4 == 0:
        ada.add(
            [
                {
                    "speaker": "Ada Lindqvist",
                    "text": f"I really like tea number {number}.",
                    "id": "1",
                },
                {
                    "speaker": person,
                    "text": f"I moved to {city} and I work at Northwind.",
                    "id": "2",
                },
                {
                    "speaker": "Ada Lindqvist",
                    "text": "We plan the Kestrel launch together.",
                    "id": "3",
                },
            ],
            type="conversation" if number % 8 else "meeting",
        )
    if number % 9 == 1:
        ada.add(
            f"From: {person} <p{number}@example.com>\nTo: Ada <ada@example.com>\nSubject: Kestrel {number}\n"
            f"Date: Mon, 02 Mar 2026 07:00:00 +0000\n\nThe budget of Kestrel is {number} million. I live in {city}.\n",
            type="email",
        )
    home, bees = f"I live in {city} near the river", f"I keep {number} bees"
    ada.remember(home if number % 5 == 0 else bees, event_id=f"said-{number}")
    ada.remember(f"Tom owns the big red boat by lake {number}", event_id=f"boat-{number}")
    ada.record_many(
        [
            {
                "event_type": kind,
                "payload": {
                    "text": f"{person} asked about the Kestrel budget {number}",
                    "role": "user",
                },
                "agent_id": "helper",
                "session_id": f"s{number // 2}",
                "event_id": f"e{number}-{kind}",
                "parent_event_id": None if kind == "message" else f"e{number}-message",
            }
            for kind in ("message", "tool_call")
        ]
    )


def team_day(ada: UserMemory, bob: UserMemory, number: int) -> None:
    if number % 3 == 0:
        ada.add(f"Crew note {number}: Maria Berg leads Kestrel for the crew.", team="crew")
    if number == 4:
        bob.adopt("crew")
    bob.remember(f"I own boat number {number}", event_id=f"said-{number}")


def consents(mallory: UserMemory, bob: UserMemory, number: int) -> None:
    """Somebody whom neither shares a team with names Bob, who answers; and hides what is the crew's."""
    named = f"Mallory sells {number} boats in Hamar to Maria Berg."
    match number:
        case 2:
            for text in (named, f"{named} Again.", f"{named} And again."):
                mallory.add(text, participants=["bob"], title=text)
        case 3:
            first, second, _ = (one.key for one in bob.waiting())
            bob.accept_source(first)
            bob.decline_source(second)
            bob.block("mallory")
        case 5:
            bob.unblock("mallory")
        case 6:
            hidden = next(one for one in bob.sources() if one.team_id == "crew")
            bob.hide(hidden.key)
        case 8:
            bob.unhide(bob.hidden()[0].key)
        case _:
            pass


def by_hand(ada: UserMemory, number: int) -> None:  # noqa: C901, PLR0915 - one case for each day
    """What a person does, each day something else."""
    people = {one.name: one for one in ada.anchors("person", include_archived=True)}
    ada.recall("where do I live", limit=3)
    sources = [one.key for one in ada.search("Kestrel budget", kinds=["source"])]
    put_right(ada, number, sources[0] if sources else "")
    match number:
        case 1:
            boat = next(one for one in ada.beliefs() if "red boat" in one.statement)
            ada.restate(boat.key, "Tom sold it to some cousin")
            for value in ({"color": "red"}, None):
                ada.shelf().put([Put(namespace=("prefs",), key="theme", value=value)])
            ada.shelf().put([Put(namespace=("prefs",), key="lang", value={"is": "no"})])
        case 2:
            ada.define("KB", "Kestrel board")
            ada.record({"event_type": "note", "payload": {"text": "loose"}, "agent_id": "helper"})
            ada.produce(sources[0], "plan", "Step one: launch Kestrel.")
        case 3:
            ada.merge(people["Tom Vance"].key, people["Maria Berg"].key)
            ada.pin(people["Maria Berg"].key)
            ada.archive(people["Sarah Lund"].key)
        case 4:
            ada.split(people["Tom Vance"].key)
            ada.end_session("s1", agent_id="helper")
            ada.restore(people["Sarah Lund"].key)
        case 5:
            ada.forget(ada.beliefs()[0].key, reason="not so")
            talk = [{"speaker": "Ada", "text": f"I decided on plan {n}."} for n in range(8)]
            ada.consolidate(talk)
            ada.import_beliefs(io.StringIO("".join(brought())))
            ada.touch(people["Sarah Lund"].key)
        case 6:
            ada.merge_beliefs()
            ada.contradictions(resolve=True)
        case 7:
            ada.synthesize()
            ada.undefine("KB")
            ada.backfill_subjects()
            ada.prune(threshold=0.5)
        case 8:
            ada.undo(sources[1])
        case _:
            pass


def put_right(ada: UserMemory, number: int, source: str) -> None:
    """What a person corrects, before anybody is merged and while they are."""
    match number:
        case 2:
            ada.correct("Tom Vance", "alias", "Thomas Vance")
            ada.correct("Maria Berg", "note", "Plays the cello.", lifetime="month")
            ada.relate("Maria Berg", "Sarah Lund", "sister", proximity=5)
        case 3:
            ada.correct("Sarah Lund", "description", "As I said.")
            ada.correct(source, "context_type", "planning")
        case 4:
            ada.correct(ada.relationships("Maria Berg")[0].key, "attitude", 5)
            stands = {one.field: one.correction_id for one in ada.corrections()}
            ada.undo_correction(stands["context_type"])
        case _:
            pass


def brought() -> Iterator[str]:
    """Beliefs from elsewhere: two that clash, two that say the same, one filed under the wrong name."""
    said = (
        "I have one sister named Ines here",
        "I have one sister named Ruth here",
        "I drive the big blue car number one",
        "I drive the big blue car number two",
        "Tom sings in the choir of the old church",
    )
    for number, statement in enumerate(said):
        at = (START + timedelta(hours=number)).isoformat()
        times = {"since": at, "created_at": at, "updated_at": at}
        key = key_for("ada", "brought", statement)
        line = {"statement": statement, "key": key, "user_id": "ada", "subject": "owner", **times}
        yield json.dumps(line) + "\n"


def exported(memory: Memory, user: str) -> list[Mapping[str, Any]]:
    env = memory.env
    return list(env.graph.export(env.registry.scope_of(user)))
