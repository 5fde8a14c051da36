"""A small life behind a server, with hostile text in every place where text can be, for a browser to look at."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import uvicorn

from remanent.clock import SteppedClock
from remanent.core.model.anchor import Anchor
from remanent.core.model.mind_types import (
    BeliefDraft,
    Candidate,
    Findings,
    Judgement,
    NoteDraft,
    Reading,
    RelationDraft,
)
from remanent.core.model.node import Kind
from remanent.jobs.rules import ServerRules
from remanent.memory import Memory
from remanent.surfaces.http.app import create_app
from remanent.surfaces.http.server import faces
from remanent.testing import HashEmbedder, ScriptedMind

HOSTILE = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'
PEOPLE = ("Maria", "Tom Berg", "Priya Nair")
PLACES = ("Oslo", "Bergen", "Harbour Light")
BEGINNING = datetime(2026, 3, 2, 9, tzinfo=UTC)
SAID = ("one thing", "another thing", "a third thing")
POWERS = ("read", "write", "manage")


def _text(reading: Reading) -> str:
    return "\n".join(one.text for one in reading.passages)


def _found(reading: Reading) -> list[Candidate]:
    text = _text(reading)
    people = [(Kind.PERSON, one, "") for one in PEOPLE if one in text]
    places = [(Kind.ENTITY, one, "location") for one in PLACES if one in text]
    evil = [(Kind.CONCEPT, "<b>evil</b>", "")] if HOSTILE in text else []
    return [
        Candidate(kind=kind, name=name, confidence=9.0, subpoints=SAID, type=sort)
        for kind, name, sort in (*people, *places, *evil)
    ]


def _findings(reading: Reading, anchors: Sequence[Anchor]) -> Findings:
    text = _text(reading)
    homes = re.findall(r"(\w+) lives in (\w+)", text)
    return Findings(
        notes=tuple(NoteDraft(anchor=one.name, content=text[:400]) for one in anchors),
        relations=tuple(
            RelationDraft(
                src=who, dst=where, relationship_type="home", description=text[:200], single=True
            )
            for who, where in homes
        ),
    )


def _drafts(reading: Reading) -> list[BeliefDraft]:
    return [
        BeliefDraft(statement=one.text[:200], subject="maria", passage_key=one.key, importance=6)
        for one in reading.passages
    ]


def _judge(statement: str, believed: str) -> Judgement:
    if (
        statement == believed and "Maria" not in statement
    ):  # a home told once too often could not end
        return Judgement.SAME
    if statement.rsplit(" ", 1)[0] == believed.rsplit(" ", 1)[0]:
        return Judgement.DOUBTFUL if "perhaps" in statement else Judgement.CONTRADICTS
    return Judgement.DIFFERENT


def a_mind() -> ScriptedMind:
    """It finds who and what is named, and believes what is said."""
    return ScriptedMind(candidates=_found, findings=_findings, drafts=_drafts, judgements=_judge)


def live(memory: Memory, clock: SteppedClock) -> None:
    """Six weeks of Ada, and three more after a pause, so that there is a second storyline and a macro: with a
    night after each week, a team, and two others who have nothing."""
    ada = memory.user("ada", name="Ada <i>Lindqvist</i>", timezone="Europe/Oslo")
    memory.user("new", name="Nobody Yet")
    memory.user("tom", name="Tom Berg")
    ada.create_team("The <b>band</b>", "band")
    for day in (*range(40), *range(78, 98)):
        clock.move_to(BEGINNING + timedelta(days=day))
        if day % 3 == 0:
            home = "Oslo" if day < 20 else "Bergen"
            ada.add(
                [
                    {"speaker": "Ada", "text": f"Maria lives in {home}"},
                    {"speaker": "Tom Berg", "text": f"Harbour Light, day {day}"},
                ],
                title=f"Day {day}",
            )
        if day == 10:
            ada.add(f"{HOSTILE} said Priya Nair.", title=HOSTILE)
            ada.remember(f"The answer is {HOSTILE}")
        if day % 7 == 6:
            ada.work()
            ada.sleep(clock.now())
    ada.work()


@dataclass
class Town:
    """The server of that life."""

    memory: Memory
    clock: SteppedClock
    url: str
    keys: dict[str, str] = field(default_factory=dict)

    def key(self, user: str, powers: Sequence[str] = POWERS) -> str:
        """A key of that user's."""
        name = f"{user} {' '.join(powers)}"
        if name not in self.keys:
            made = self.memory.create_key(user, name="web", powers=powers)
            self.keys[name] = made.secret
        return self.keys[name]


@contextmanager
def served(memory: Memory, clock: SteppedClock, *, dev: bool = False) -> Iterator[str]:
    """A server with all faces on a free port of this machine, for as long as it is needed."""
    rules = ServerRules(requests_per_minute=0)
    user = memory.users()[0].user_id if dev else None
    app = create_app(memory, rules=rules, clock=clock, faces=faces(), dev=dev, user=user)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://localhost:{port}"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def town(path: Path) -> Iterator[Town]:
    """That life, lived and served."""
    clock = SteppedClock(BEGINNING)
    with Memory.open(path, clock=clock, mind=a_mind(), embedder=HashEmbedder()) as memory:
        live(memory, clock)
        with served(memory, clock) as url:
            yield Town(memory, clock, url)


HANGS = 600_000
"""Milliseconds after which a page has hung; on a loaded machine much takes longer than half a minute."""


class Seen:
    """A tab, what went wrong in it, and where it asked."""

    def __init__(self, context: Any, url: str) -> None:
        self.context = context
        self.url = url
        self.page = context.new_page()
        self.errors: list[str] = []
        self.asked: set[str] = set()
        self.page.set_default_timeout(HANGS)
        self.page.on("console", self._told)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.asked.add(request.url))

    def _told(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def open(self, address: str = "#/") -> Any:
        """Go to a page of ours, and wait until it is there."""
        self.page.goto(f"{self.url}/{address}")
        self.page.wait_for_selector(".page:not(:has(.loading))")
        return self.page

    def sign_in(self, key: str) -> None:
        self.page.goto(self.url)
        self.page.get_by_label("Key", exact=True).fill(key)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_selector("#nav a[aria-current]")
