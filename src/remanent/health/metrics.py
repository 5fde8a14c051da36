"""Measure: the numbers that stores know, of all users together (SPEC 11).

Looks everything up when asked; only what no store knows is counted along the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from remanent.core.env import Env
from remanent.core.model.event import Tier
from remanent.core.model.node import Kind
from remanent.core.model.sleep import SleepJob
from remanent.core.records.admin import Census
from remanent.core.records.spending import Spent
from remanent.events import project
from remanent.events.reconsolidate import REFLECTED
from remanent.events.rules.episodes import begins
from remanent.metrics import Family, Labels, counter, gauge, of_this_process

_MIND = (
    ("mind_calls_total", "Requests to language models.", "calls"),
    ("mind_cost_usd_total", "What they cost, as far as prices are known.", "usd"),
    ("mind_unpriced_tokens_total", "Tokens whose price is not known.", "unpriced"),
    ("mind_repairs_total", "Answers that were asked for a second time.", "repairs"),
    ("mind_failures_total", "Questions that got no answer.", "failures"),
    ("mind_fallbacks_total", "Answers nobody could read; the offline mind gave them.", "fallbacks"),
)


def measure_memory(env: Env) -> list[Family]:
    """Every metric, those of this process last."""
    now, later = env.clock.now(), (Tier.WARM, Tier.COLD, Tier.GONE)
    census = env.stores.health.census([begins(tier, now, env.config.tiers) for tier in later])
    counted = (*_graph(census), *_lags(env), *_jobs(env), *_mind(census))
    return [*counted, *of_this_process()]


def _graph(census: Census) -> Iterable[Family]:
    yield gauge("graph_nodes_total", "Nodes by kind; events by tier.", _by_tier(census))
    yield counter("graph_nodes_pruned_total", "Events that left the graph.", census.pruned)
    often = "How often so much had happened that it was gone over at once."
    yield counter("reflection_triggers_total", often, census.reflections)


def _lags(env: Env) -> Iterable[Family]:
    users = [env.registry.scope_of(one.user_id) for one in env.registry.users()]
    lags = [project.lag(env, one) for one in users]
    behind = "Seconds that the oldest recorded event has been waiting"
    projection = max((one.projection.seconds for one in lags), default=0.0)
    enrichment = max((one.enrichment.seconds for one in lags), default=0.0)
    yield gauge("consolidation_lag_seconds", f"{behind} to be projected.", projection)
    yield gauge("enrichment_lag_seconds", f"{behind} to be enriched.", enrichment)
    done = [env.done_until(one, SleepJob.RECONSOLIDATE) for one in users]
    nights = [one.timestamp() for one in done if one is not None]
    reflections = [env.ledger.position(one, REFLECTED) for one in users]
    last = float(max((*nights, *reflections), default=0.0))
    yield gauge("reconsolidation_last_run", "Unix time up to which it was done.", last)


def _jobs(env: Env) -> Iterable[Family]:
    counts = env.queue.counts()
    values: dict[Labels, float] = {
        (("state", state.value),): count for state, count in sorted(counts.items())
    }
    yield gauge("jobs", "Jobs by state.", values)


def _mind(census: Census) -> Iterable[Family]:
    rows = census.spent
    for name, help_, field in _MIND:
        yield counter(name, help_, {_labels(one): getattr(one, field) for one in rows})
    yield counter("mind_tokens_total", "Tokens, in and out.", _tokens(rows))


def _by_tier(census: Census) -> dict[Labels, float]:
    """Of every kind how many; events by how near they still are."""
    counts: dict[Labels, float] = {
        (("kind", kind), ("tier", "")): count
        for kind, count in census.nodes.items()
        if kind != Kind.EVENT.value
    }
    events = census.nodes.get(Kind.EVENT.value, 0)
    borders = (events, *census.born_by, 0)
    for tier, older, younger in zip(Tier, borders, borders[1:], strict=False):
        counts[(("kind", Kind.EVENT.value), ("tier", tier.value))] = older - younger
    return counts


def _labels(one: Spent) -> Labels:
    return (("task", one.task), ("model", one.model))


def _tokens(rows: Sequence[Spent]) -> dict[Labels, float]:
    return {
        (*_labels(one), ("direction", direction)): count
        for one in rows
        for direction, count in (("in", one.tokens_in), ("out", one.tokens_out))
    }
