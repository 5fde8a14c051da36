"""Every way to read a memory from Python, each with whatever words and keys come to hand."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from remanent.items.read import ItemQuery
from remanent.items.rules import NamespaceQuery
from remanent.memory import UserMemory
from remanent.testing.leaks.town import NAMES, PLACES, PROJECT, TEAM_NAME, Town

_CYPHER: Final = (
    "MATCH (n) RETURN n LIMIT 200",
    "MATCH (s:Source) RETURN s.title, s.summary, s.key",
    "MATCH (p:Passage) RETURN p.text LIMIT 100",
    "MATCH (a)-[r]->(b) RETURN a, r, b LIMIT 100",
    "MATCH (n {user_id: $user}) RETURN n",
    "MATCH (n:Belief) WHERE n.statement CONTAINS 'zq' RETURN n.statement",
    "MATCH (n:Storyline) RETURN n, n.description, properties(n)",
    "MATCH (n {key: $key}) RETURN n",
    "CALL db.labels()",
)


@dataclass(slots=True, kw_only=True)
class Request:
    """One question of one caller; `said` gathers what they put into it themselves."""

    town: Town
    user: str
    said: str = ""

    @property
    def me(self) -> UserMemory:
        """Now and then through a handle narrowed to one of their teams."""
        mine, teams = self.town.me(self.user), self.town.teams_of(self.user)
        if teams and self.town.dice.random() < 0.2:
            return mine.within(self.town.dice.choice(teams))
        return mine

    def words(self) -> str:
        """What one might ask, or somebody's secret itself: then what stands beside it must not show."""
        dice = self.town.dice
        options = (
            f"where does {dice.choice(NAMES)} live",
            f"what does {dice.choice(NAMES)} like more than tea",
            f"{PROJECT} launch {dice.choice(PLACES)}",
            "the draft",
            "what do I keep in my house",
            "Notes",
            self.town.secrets.some(),
        )
        return self._say(dice.choice(options))

    def key(self) -> str:
        key = self.town.dice.choice(self.town.keys)
        return self._say(key if self.town.dice.random() < 0.8 else key[:8])

    def team(self) -> str:
        return self._say(self.town.dice.choice([*self.town.teams, TEAM_NAME]))

    def somebody(self) -> str:
        return self._say(self.town.dice.choice(self.town.users))

    def invitation(self) -> str:
        return self._say(self.town.dice.choice(self.town.invitations or ["none"]))

    def chance(self) -> bool:
        return self.town.dice.random() < 0.5

    def _say(self, text: str) -> str:
        self.said += f" {text}"
        return text


Ask = Callable[[Request], Any]


def _search(r: Request) -> Any:
    first = r.me.search(
        r.words(),
        limit=r.town.dice.choice((1, 5, 50)),
        explain=r.chance(),
        include_archived=r.chance(),
        team=r.team() if r.town.dice.random() < 0.2 else None,
        speaker=r.town.dice.choice(NAMES) if r.town.dice.random() < 0.1 else None,
        known_at=r.town.clock.now() - timedelta(days=3) if r.town.dice.random() < 0.1 else None,
        touch=r.chance(),
    )
    return [*first, first.reason, first.next]


def _pages(r: Request) -> Any:
    """The cursor of one caller, tried by another."""
    question = r.words()
    theirs = r.town.me(r.somebody()).search(question, limit=1, touch=False)
    return r.me.search(question, limit=20, after=theirs.next, touch=False)


def _explore(r: Request) -> Any:
    return r.me.explore(
        r.words(),
        r.words() if r.chance() else (),
        granularity=r.town.dice.choice((1, 2, 3)),
        return_explanations=r.chance(),
        touch=r.chance(),
    )


def _cypher(r: Request) -> Any:
    text = r.town.dice.choice(_CYPHER)
    given = {"user": r.somebody(), "key": r.key()}
    return r.me.cypher(text, {name: value for name, value in given.items() if f"${name}" in text})


def _items(r: Request) -> Any:
    shelf = r.me.shelf()
    return (
        shelf.get(("notes",), "one"),
        shelf.search(ItemQuery(limit=20)),
        shelf.namespaces(NamespaceQuery()),
    )


def _export(r: Request) -> Any:
    out = io.StringIO()
    r.town.me(r.user).export(out)
    return out.getvalue()


def _exported_beliefs(r: Request) -> Any:
    out = io.StringIO()
    r.me.export_beliefs(out)
    return out.getvalue()


ASKS: Final[Mapping[str, tuple[int, Ask]]] = {  # how often, among all; and how
    "search": (10, _search),
    "search, another's page": (3, _pages),
    "search, deep": (1, lambda r: r.me.search(r.words(), mode="deep", touch=False)),
    "why_not": (4, lambda r: r.me.why_not(r.key(), r.words())),
    "recall": (6, lambda r: r.me.recall(r.words(), explain=r.chance(), touch=r.chance())),
    "explore": (6, _explore),
    "traverse": (5, lambda r: r.me.traverse([r.key(), r.key()], touch=r.chance())),
    "cypher": (1, _cypher),
    "context": (3, lambda r: r.me.context(r.words(), 4000, touch=r.chance())),
    "read": (10, lambda r: r.me.read(r.key())),
    "why": (4, lambda r: r.me.why(r.key())),
    "history": (4, lambda r: r.me.history(r.key())),
    "relationships": (4, lambda r: r.me.relationships(r.key(), history=r.chance())),
    "curve": (1, lambda r: r.me.curve(r.key())),
    "sources": (3, lambda r: r.me.sources(50, after=r.key() if r.chance() else None)),
    "anchors": (2, lambda r: r.me.anchors(include_archived=r.chance())),
    "beliefs": (2, lambda r: r.me.beliefs()),
    "stories": (3, lambda r: r.me.stories(limit=100)),
    "events": (3, lambda r: r.me.events(r.words() if r.chance() else None, explain=r.chance())),
    "summaries": (1, lambda r: r.me.summaries()),
    "abbreviations": (2, lambda r: (r.me.abbreviations(), r.me.phrasings(f"KP {r.words()}"))),
    "needs_memory": (1, lambda r: r.me.needs_memory(r.words())),
    "jobs": (2, lambda r: (r.me.jobs(), r.me.status(), r.me.lag(), r.me.timetable())),
    "jobs, another's": (1, lambda r: r.me.retry_job(r.key())),
    "forgettable": (1, lambda r: r.me.forgettable()),
    "spending": (1, lambda r: r.me.spending()),
    "teams": (2, lambda r: (r.me.teams(), r.me.invitations(), r.me.audit())),
    "teams, another's": (3, lambda r: (r.me.members(r.team()), r.me.audit(r.team()))),
    "teams, narrowed": (2, lambda r: r.me.within(r.team()).search(r.words(), touch=False)),
    "invitations, another's": (1, lambda r: r.me.accept(r.invitation())),
    "undo, another's": (1, lambda r: r.me.undo(r.key(), dry_run=True)),
    "forget, another's": (1, lambda r: r.me.forget(r.key(), dry_run=True)),
    "erase, another's": (1, lambda r: r.me.erase(r.key(), dry_run=True)),
    "export": (1, _export),
    "export of beliefs": (1, _exported_beliefs),
    "items": (3, _items),
    "metrics": (1, lambda r: r.town.memory.metrics()),
}
