"""The hunt: every way to read a memory from Python, with whatever words and keys come to hand, by random
callers, and every answer read for what its caller may not know."""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, Generic, Protocol, TypeVar

from remanent.clock import SteppedClock
from remanent.core.model.codec import to_record
from remanent.errors import RemanentError
from remanent.items.read import ItemQuery
from remanent.items.rules import NamespaceQuery
from remanent.memory import Memory, UserMemory
from remanent_conformance.hunts.town import (
    NAMES,
    PLACES,
    PROJECT,
    TEAM_NAME,
    Secrets,
    Tell,
    Town,
)

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
        return self._remembered(dice.choice(options))

    def key(self) -> str:
        key = self.town.dice.choice(self.town.keys)
        return self._remembered(key if self.town.dice.random() < 0.8 else key[:8])

    def team(self) -> str:
        return self._remembered(self.town.dice.choice([*self.town.teams, TEAM_NAME]))

    def somebody(self) -> str:
        return self._remembered(self.town.dice.choice(self.town.users))

    def invitation(self) -> str:
        return self._remembered(self.town.dice.choice(self.town.invitations or ["none"]))

    def chance(self) -> bool:
        return self.town.dice.random() < 0.5

    def _remembered(self, text: str) -> str:
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


def _written(export: Callable[[io.StringIO], object]) -> str:
    out = io.StringIO()
    export(out)
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
    "context": (3, lambda r: r.me.context(r.words(), 4000, touch=r.chance(), agent_id="bot")),
    "instructions": (1, lambda r: r.me.instructions()),
    "read": (10, lambda r: r.me.read(r.key())),
    "why": (4, lambda r: r.me.why(r.key())),
    "history": (4, lambda r: r.me.history(r.key())),
    "relationships": (4, lambda r: r.me.relationships(r.key(), history=r.chance())),
    "corrections": (2, lambda r: r.me.corrections(r.key() if r.chance() else None)),
    "graph": (2, lambda r: r.me.graph([r.key()] if r.chance() else ())),
    "outlook": (1, lambda r: r.me.outlook()),
    "curve": (1, lambda r: r.me.curve(r.key())),
    "waiting": (3, lambda r: (r.me.waiting(), r.me.hidden(), r.me.blocked())),
    "waiting, another's": (1, lambda r: r.town.accept(r.user, r.key())),
    "learned": (1, lambda r: r.me.learned([r.key(), r.key()])),
    "sources": (3, lambda r: r.me.sources(50, after=r.key() if r.chance() else None)),
    "anchors": (2, lambda r: r.me.anchors(include_archived=r.chance())),
    "beliefs": (2, lambda r: r.me.beliefs()),
    "stories": (3, lambda r: r.me.stories(limit=100)),
    "events": (3, lambda r: r.me.events(r.words() if r.chance() else None, explain=r.chance())),
    "replay": (2, lambda r: r.me.replay(limit=1000)),
    "summaries": (1, lambda r: r.me.summaries()),
    "abbreviations": (2, lambda r: (r.me.abbreviations(), r.me.phrasings(f"KP {r.words()}"))),
    "profile": (3, lambda r: r.me.about_me(1000, budget=100_000)),
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
    "export": (1, lambda r: _written(r.town.me(r.user).export)),
    "export of beliefs": (1, lambda r: _written(r.me.export_beliefs)),
    "items": (3, _items),
    "metrics": (1, lambda r: r.town.memory.metrics()),
}


CHANGE_EVERY: Final = 50  # calls


@dataclass(frozen=True, slots=True)
class Leak:
    """A secret that reached the wrong caller."""

    call: int
    path: str
    caller: str
    owner: str
    where: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How large a town, how many calls, and which dice."""

    users: int = 50
    teams: int = 10
    calls: int = 10_000
    seed: int = 1


@dataclass(slots=True, kw_only=True)
class Tried:
    """What any hunt counts: the calls by path, who was refused, and what broke."""

    plan: Plan
    calls: int = 0
    paths: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    crashes: list[str] = field(default_factory=list)

    def call(self, path: str, ask: Ask, request: Request) -> Any:
        """What one call gives: an answer, or how it failed."""
        self.calls += 1
        self.paths[path] += 1
        try:
            return ask(request)
        except RemanentError as refusal:
            self.refusals[type(refusal).__name__] += 1
            return refusal
        except Exception as crash:  # noqa: BLE001 - a crash is a finding, and the hunt goes on
            self.crashes.append(f"{path}: {crash!r}"[:500])
            return crash

    @property
    def is_clean(self) -> bool:
        return not self.discoveries and not self.crashes

    @property
    def summary(self) -> list[str]:
        """What was done, in a few lines; the last one is the verdict."""
        plan, (first, *more) = self.plan, self.about
        head = f"{self.calls:,} calls over {len(self.paths)} paths, {plan.users} users in {plan.teams} teams"
        verdict = f"{len(self.discoveries)} {self.word}s, {len(self.crashes)} crashes"
        return [
            f"{head}, {first}",
            *more,
            f"{sum(self.refusals.values()):,} were refused",
            f"No {self.word}." if self.is_clean else verdict,
        ]

    @property
    def findings(self) -> list[str]:
        """What was found, a line each, and no more than fits a screen."""
        return [*self.discoveries[:20], *(f"CRASH {crash}" for crash in self.crashes[:20])]

    @property
    def word(self) -> str:
        """What is hunted."""
        raise NotImplementedError

    @property
    def about(self) -> list[str]:
        """What only this hunt counts."""
        raise NotImplementedError

    @property
    def discoveries(self) -> list[str]:
        """What was found, a line each."""
        raise NotImplementedError


@dataclass(slots=True, kw_only=True)
class HuntReport(Tried):
    """What the hunt saw. `told` counts the answers that held at least one secret of the caller's own or
    their teams': a hunt in which nobody is told anything proves nothing."""

    secrets: int = 0
    told: int = 0
    moves: Counter[str] = field(default_factory=Counter)
    leaks: list[Leak] = field(default_factory=list)

    @property
    def word(self) -> str:
        return "leak"

    @property
    def about(self) -> list[str]:
        moves = ", ".join(f"{number} {what}" for what, number in self.moves.items())
        return [
            f"{self.secrets:,} secrets",
            f"{self.told:,} answers told a secret to somebody who may know it",
            f"meanwhile: {moves}",
        ]

    @property
    def discoveries(self) -> list[str]:
        return [
            f"LEAK {one.path}: {one.caller} heard {one.where} of {one.owner}: {one.answer}"
            for one in self.leaks
        ]


class Way(Protocol):
    """Another way in than Python: over HTTP, over MCP. `open` is called once the town is settled."""

    def open(self, town: Town) -> Mapping[str, tuple[int, Ask]]: ...

    def close(self) -> None: ...


R = TypeVar("R", bound=Tried)


@dataclass(frozen=True, slots=True)
class Hunt(Generic[R]):
    """What every hunt does: settle a town in an empty memory, open all paths, and take turns until there
    were calls enough. The same dice do the same."""

    report: Callable[..., R]
    paths: Mapping[str, tuple[int, Ask]]
    turn: Callable[[Town, Mapping[str, tuple[int, Ask]], R], None]

    def __call__(
        self,
        memory: Memory,
        clock: SteppedClock,
        plan: Plan,
        *,
        ways: Sequence[Way] = (),
        tell: Tell = lambda _: None,
        progress: Callable[[int, int], None] = lambda *_: None,
    ) -> R:
        return self.among(settled(memory, clock, plan, tell), plan, ways, tell, progress)

    def among(
        self,
        town: Town,
        plan: Plan,
        ways: Sequence[Way] = (),
        tell: Tell = lambda _: None,
        progress: Callable[[int, int], None] = lambda *_: None,
    ) -> R:
        """The same in a town that is settled already."""
        report, paths = self.report(plan=plan), dict(self.paths)
        try:
            for way in ways:
                paths |= way.open(town)
            tell(f"{plan.calls} calls over {len(paths)} paths")
            while report.calls < plan.calls:
                self.turn(town, paths, report)
                progress(report.calls, plan.calls)
        finally:
            for way in ways:
                way.close()
        report.crashes += _failed_jobs(town)
        return report


def settled(memory: Memory, clock: SteppedClock, plan: Plan, tell: Tell = lambda _: None) -> Town:
    """The town of that plan, in an empty memory."""
    dice = random.Random(plan.seed)  # noqa: S311 - dice, not secrets: the run is to be repeatable
    town = Town(memory=memory, clock=clock, dice=dice, secrets=Secrets(dice))
    town.settle(plan.users, plan.teams, tell)
    return town


def _failed_jobs(town: Town) -> list[str]:
    """Work that did not go well is a finding, too: somebody's memory lacks what it should hold."""
    town.memory.work()
    jobs = [job for user in town.users for job in town.me(user).jobs(limit=1000)]
    return [f"{job.user_id}, {job.kind.value}: {job.error}"[:500] for job in jobs if job.error]


def _ask(town: Town, asks: Mapping[str, tuple[int, Ask]], report: HuntReport) -> None:
    if report.calls % CHANGE_EVERY == CHANGE_EVERY - 1:
        report.moves[town.move()] += 1
    number, names = report.calls, list(asks)
    (path,) = town.dice.choices(names, weights=[asks[name][0] for name in names])
    if number < len(names):
        path = names[number]  # every path once; how often after that the dice say
    request = Request(town=town, user=town.dice.choice(town.users))
    answer = report.call(path, lambda one: _text(asks[path][1](one)), request)
    if isinstance(answer, Exception):
        answer = f"{answer!r} {answer} {vars(answer)}"
    heard = town.secrets.leaked_to(request.user, answer, request.said)
    report.told += "zq" in answer and not heard
    for one in heard:
        at = answer.find(one.token)
        said = answer[max(0, at - 120) : at + 60]
        report.leaks.append(Leak(number, path, request.user, one.owner, one.where, said))
    report.secrets = len(town.secrets)


hunt: Final = Hunt(HuntReport, ASKS, _ask)


def _text(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    return json.dumps(to_record(answer), ensure_ascii=False, default=repr)
