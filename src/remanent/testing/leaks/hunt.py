"""The hunt: random calls by random callers, and every answer read for what its caller may not know."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from remanent.core.model.codec import to_record
from remanent.errors import RemanentError
from remanent.memory import Memory
from remanent.testing.leaks.asking import ASKS, Ask, Request
from remanent.testing.leaks.secrets import Secrets
from remanent.testing.leaks.town import Stepped, Tell, Town

CHANGE_EVERY: Final = 50  # calls


@dataclass(frozen=True, slots=True, kw_only=True)
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
class HuntReport:
    """What the hunt saw. `told` counts the answers that held at least one secret of the caller's own or
    their teams': a hunt in which nobody is told anything proves nothing."""

    plan: Plan
    secrets: int = 0
    calls: int = 0
    told: int = 0
    paths: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    moves: Counter[str] = field(default_factory=Counter)
    leaks: list[Leak] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not self.leaks and not self.crashes


class Way(Protocol):
    """Another way in than Python: over HTTP, over MCP. `open` is called once the town is settled."""

    def open(self, town: Town) -> Mapping[str, tuple[int, Ask]]: ...

    def close(self) -> None: ...


Progress = Callable[[int, int], None]


def hunt(
    memory: Memory,
    clock: Stepped,
    plan: Plan,
    *,
    ways: Sequence[Way] = (),
    tell: Tell = lambda _: None,
    progress: Progress | None = None,
) -> HuntReport:
    """Settle a town in an empty memory and ask; the same dice ask the same."""
    dice = random.Random(plan.seed)  # noqa: S311 - dice, not secrets: the run is to be repeatable
    town = Town(memory=memory, clock=clock, dice=dice, secrets=Secrets(dice))
    town.settle(plan.users, plan.teams, tell)
    found, asks = HuntReport(plan=plan), dict(ASKS)
    try:
        for way in ways:
            asks |= way.open(town)
        tell(f"{plan.calls} calls over {len(asks)} paths")
        for number in range(plan.calls):
            if number % CHANGE_EVERY == CHANGE_EVERY - 1:
                found.moves[town.move()] += 1
            _ask(town, asks, number, found)
            if progress is not None:
                progress(number + 1, plan.calls)
    finally:
        for way in ways:
            way.close()
    found.secrets = len(town.secrets)
    found.crashes += _failed_jobs(town)
    return found


def _failed_jobs(town: Town) -> list[str]:
    """Work that did not go well is a finding, too: somebody's memory lacks what it should hold."""
    town.memory.work()
    jobs = [job for user in town.users for job in town.me(user).jobs(limit=1000)]
    return [f"{job.user_id}, {job.kind.value}: {job.error}"[:500] for job in jobs if job.error]


def _ask(town: Town, asks: Mapping[str, tuple[int, Ask]], number: int, found: HuntReport) -> None:
    names = list(asks)
    (path,) = town.dice.choices(names, weights=[asks[name][0] for name in names])
    request = Request(town=town, user=town.dice.choice(town.users))
    try:
        answer = _text(asks[path][1](request))
    except RemanentError as refusal:
        found.refusals[type(refusal).__name__] += 1
        answer = f"{refusal} {refusal.args} {vars(refusal)}"
    except Exception as crash:  # noqa: BLE001 - a crash is a finding, and the hunt goes on
        found.crashes.append(f"{path}: {crash!r}"[:500])
        answer = repr(crash)
    found.calls += 1
    found.paths[path] += 1
    heard = town.secrets.heard(request.user, answer, request.said)
    found.told += "zq" in answer and not heard
    found.leaks += [
        Leak(
            call=number,
            path=path,
            caller=request.user,
            owner=one.owner,
            where=one.where,
            answer=_around(answer, one.token),
        )
        for one in heard
    ]


def _text(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    return json.dumps(to_record(answer), ensure_ascii=False, default=repr)


def _around(answer: str, token: str) -> str:
    at = answer.find(token)
    return answer[max(0, at - 120) : at + 60]
