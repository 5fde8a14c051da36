"""Settings: one frozen tree, from a TOML file, then the environment. An unknown name is an error."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import tomllib
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from remanent.anchors.rules.resolution import ResolutionRules
from remanent.beliefs.rules.belief import BeliefRules
from remanent.beliefs.rules.maintenance import UpkeepRules
from remanent.core.checks import IntakeRules
from remanent.core.dataclasses import dataclass, field
from remanent.core.lifecycle import LifecycleRules
from remanent.core.settings import EmbeddingRules, MindRules
from remanent.cypher.language import CypherRules
from remanent.errors import ConfigError
from remanent.events.rules.episodes import EpisodeRules, TierRules
from remanent.events.rules.importance import ImportanceRules
from remanent.events.rules.ranking import EventRules
from remanent.ingest.rules.sizes import PassageRules
from remanent.jobs.rules import JobRules, ServerRules, TimetableRules
from remanent.lifecycle.rules import WorthRules
from remanent.retrieval.rules.explore import ExploringRules
from remanent.retrieval.rules.packing import ContextRules
from remanent.retrieval.rules.ranking import PagerankRules, RankingRules
from remanent.sleep.rules import DistilRules, NightlyRules
from remanent.spending.rules import BudgetRules, Price
from remanent.stories.rules import StoryRules
from remanent.teams.rules import TeamRules

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Part = TypeVar("Part", bound="DataclassInstance")

IN_MEMORY = ":memory:"
# What the address of a memory on a server begins with, and what others that stand behind it, after a
# blank: each keeps a part of the memory.
SERVERS: Final = ("postgresql://", "postgres://")
BESIDE: Final[Mapping[str, tuple[str, ...]]] = {
    "neo4j": ("neo4j://", "neo4j+s://", "neo4j+ssc://", "bolt://", "bolt+s://", "bolt+ssc://"),
    "redis": ("redis://", "rediss://"),
}
PREFIX = "REMANENT_"
# Names with our prefix that are not settings of a memory: the surfaces and the tests read these.
_OTHER_NAMES = frozenset(
    {"CONFIG", "USER", "DEBUG", "DATA", "REQUIRE_SERVERS", "MIND_KEY", "EMBEDDER_KEY"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Where things are, which hands do the work, and the parameters of every rule."""

    memory: str = ""
    mind: str = "offline"
    mind_url: str = ""
    embedder: str = ""
    embedder_url: str = ""
    lock_wait_seconds: float = 60.0
    intake: IntakeRules = field(default_factory=IntakeRules)
    passages: PassageRules = field(default_factory=PassageRules)
    resolution: ResolutionRules = field(default_factory=ResolutionRules)
    belief: BeliefRules = field(default_factory=BeliefRules)
    upkeep: UpkeepRules = field(default_factory=UpkeepRules)
    lifecycle: LifecycleRules = field(default_factory=LifecycleRules)
    nightly: NightlyRules = field(default_factory=NightlyRules)
    distil: DistilRules = field(default_factory=DistilRules)
    story: StoryRules = field(default_factory=StoryRules)
    worth: WorthRules = field(default_factory=WorthRules)
    ranking: RankingRules = field(default_factory=RankingRules)
    exploring: ExploringRules = field(default_factory=ExploringRules)
    pagerank: PagerankRules = field(default_factory=PagerankRules)
    cypher: CypherRules = field(default_factory=CypherRules)
    context: ContextRules = field(default_factory=ContextRules)
    episodes: EpisodeRules = field(default_factory=EpisodeRules)
    tiers: TierRules = field(default_factory=TierRules)
    jobs: JobRules = field(default_factory=JobRules)
    minds: MindRules = field(default_factory=MindRules)
    embedding: EmbeddingRules = field(default_factory=EmbeddingRules)
    budget: BudgetRules = field(default_factory=BudgetRules)
    prices: Mapping[str, Price] = field(default_factory=dict)
    events: EventRules = field(default_factory=EventRules)
    importance: ImportanceRules = field(default_factory=ImportanceRules)
    timetable: TimetableRules = field(default_factory=TimetableRules)
    server: ServerRules = field(default_factory=ServerRules)
    teams: TeamRules = field(default_factory=TeamRules)

    @property
    def is_on_server(self) -> bool:
        """Whether the memory is a database elsewhere, and no file."""
        return self.memory.startswith(SERVERS)


def servers_beside(memory: str) -> dict[str, str]:
    """The addresses of the servers that keep a part of the memory beside PostgreSQL, by what they are."""
    found: dict[str, str] = {}
    for address in memory.split()[1:]:
        kind = next((one for one, begins in BESIDE.items() if address.startswith(begins)), None)
        if kind is None or kind in found:
            scheme = address.partition("://")[0]
            why = "is not known" if kind is None else f"is a second {kind}"
            raise ConfigError("memory", f"{scheme}:// {why}: behind postgresql://... {_HOW}")
        found[kind] = address
    return found


_HOW: Final = "may stand neo4j://... and redis://..., one of each"


def strange_address(memory: str) -> str:
    """What is wrong with the address of a server that is not known here; empty for anything else."""
    scheme, sign, _ = memory.partition("://")
    if not sign:
        return ""
    if memory.startswith(SERVERS):
        try:
            servers_beside(memory)
        except ConfigError as problem:
            return problem.problem
        return ""
    if memory.startswith(tuple(chain.from_iterable(BESIDE.values()))):
        return f"{scheme}:// keeps a part of a memory: name postgresql://... before it"
    return f"{scheme}:// is not known: name a file, or a server by postgresql://..."


def load_config(
    memory: str | Path | None = None, *, environ: Mapping[str, str] | None = None
) -> Config:
    """The settings in force: defaults, then the TOML file, then the environment, then `memory`."""
    env = os.environ if environ is None else environ
    config = _with_file(Config(), env)
    config = _with_environment(config, env)
    if memory is not None:
        config = dataclasses.replace(config, memory=str(memory))
    if not config.memory:
        config = dataclasses.replace(config, memory=str(_home(env) / "memory.db"))
    if problem := strange_address(config.memory):
        raise ConfigError("memory", problem)
    if config.memory != IN_MEMORY and not config.is_on_server:
        config = dataclasses.replace(config, memory=str(Path(config.memory).expanduser()))
    return config


def _home(env: Mapping[str, str]) -> Path:
    data = env.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "remanent"


def _with_file(config: Config, env: Mapping[str, str]) -> Config:
    named = env.get(f"{PREFIX}CONFIG")
    path = Path(named) if named else Path("remanent.toml")
    if not path.is_file():
        if named:
            raise ConfigError(f"{PREFIX}CONFIG", f"there is no file {named}")
        return config
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise ConfigError(str(path), f"is not TOML: {problem}") from None
    return _replaced(config, table, str(path))


def _with_environment(config: Config, env: Mapping[str, str]) -> Config:
    table: dict[str, Any] = {}
    for name in sorted(env):
        setting = name.removeprefix(PREFIX)
        if name == setting or setting in _OTHER_NAMES or setting.startswith("TEST_"):
            continue
        *sections, last = setting.lower().split("__")
        place = table
        for section in sections:
            place = place.setdefault(section, {})
        place[last] = env[name]
    return _replaced(config, table, "environment")


def _replaced(part: Part, table: Mapping[str, Any], where: str) -> Part:
    """`part` with the table's values in it, each turned into the type of the one it replaces."""
    known = {f.name: getattr(part, f.name) for f in dataclasses.fields(part)}
    values = {}
    for name, given in table.items():
        if name not in known:
            raise ConfigError(name, f"unknown (in {where}); known are: {', '.join(sorted(known))}")
        values[name] = _turned(name, known[name], given, where)
    return dataclasses.replace(part, **values)


def _turned(name: str, old: Any, given: Any, where: str) -> Any:
    if dataclasses.is_dataclass(old) and not isinstance(old, type):
        if not isinstance(given, Mapping):
            raise ConfigError(name, f"is a section, not a value (in {where})")
        return _replaced(old, given, where)
    if isinstance(old, Mapping):
        return {**old, **_prices(name, given, where)}
    if isinstance(old, str):
        if not isinstance(given, str):
            raise ConfigError(name, f"must be text (in {where})")
        return given
    return _number(name, old, given, where)


def _prices(name: str, given: Any, where: str) -> dict[str, Price]:
    """A section of `"provider:model" = [usd in, usd out]`; in the environment, that section as JSON."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            raise ConfigError(name, f"is not JSON (in {where})") from None
    if not isinstance(given, Mapping):
        raise ConfigError(name, f"is a section, not a value (in {where})")
    prices = {}
    for model, pair in given.items():
        if not isinstance(pair, list) or len(pair) != len(Price._fields) or ":" not in model:
            wanted = '"provider:model" = [dollars for a million tokens in, and out]'
            raise ConfigError(f"{name}.{model}", f"must be {wanted} (in {where})")
        prices[model] = Price(*(_number(f"{name}.{model}", 0.0, one, where) for one in pair))
    return prices


def _number(name: str, old: Any, given: Any, where: str) -> Any:
    """A number of the old one's type; below zero only where the old one is, as a handicap is."""
    try:
        value = type(old)(given)
    except (TypeError, ValueError):
        raise ConfigError(name, f"{given!r} is not a number (in {where})") from None
    if isinstance(given, bool) or not math.isfinite(value):
        raise ConfigError(name, f"{given!r} is not a number (in {where})")
    if value < 0 <= old:
        raise ConfigError(name, f"{given!r} is not a number from 0 up (in {where})")
    return value
