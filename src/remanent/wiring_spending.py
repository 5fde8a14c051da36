"""Wiring of what watches: accounts, estimates, the doctor, metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from remanent.clock import Clock
from remanent.config import Config
from remanent.core.mind_settings import TASKS
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.embedder import Paid as PaidEmbedder
from remanent.core.ports.mind import Mind
from remanent.health.doctor import Doctor, Paid
from remanent.health.metrics import Measure
from remanent.ingest.import_files import Carry
from remanent.jobs.schedule import Rounds
from remanent.spending.estimate import Reckon
from remanent.spending.report import Audit
from remanent.stores.sqlite import SqliteStores
from remanent.wiring_chronicle import Chronicle

if TYPE_CHECKING:
    from remanent.minds.llm.asking import Chat


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """The verbs for whoever keeps an eye on a memory."""

    audit: Audit
    reckon: Reckon
    doctor: Doctor
    measure: Measure


def watch_of(  # noqa: PLR0913 - it looks at all of them
    config: Config,
    stores: SqliteStores,
    clock: Clock,
    *,
    mind: Mind,
    embedder: Embedder,
    carry: Carry,
    chronicle: Chronicle,
    rounds: Rounds,
) -> Watch:
    """The verbs that only look."""
    chat, is_paid = chat_of(mind), isinstance(embedder, PaidEmbedder)
    return Watch(
        audit=Audit(spending=stores.spending, clock=clock, rules=config.budget),
        reckon=Reckon(
            carry=carry,
            mind=mind.name,
            model=None if chat is None else chat.model,
            rules=config.minds,
            prices=config.prices,
            embedder=embedder.name if is_paid else None,
        ),
        doctor=Doctor(
            vitals=stores.vitals,
            registry=stores.registry,
            queue=stores.queue,
            rounds=rounds,
            clock=clock,
            embedder=embedder,
            mind=mind.name,
            paid=None if chat is None else _paid(chat),
            budget=config.budget,
            prices=config.prices,
            embedder_is_paid=is_paid,
        ),
        measure=Measure(
            vitals=stores.vitals,
            spending=stores.spending,
            queue=stores.queue,
            registry=stores.registry,
            clock=clock,
            lag=chronicle.project.lag,
            tiers=config.tiers,
        ),
    )


def chat_of(mind: Mind) -> Chat | None:
    """The chat of a mind that asks a language model; None: it asks nobody."""
    chat: Chat | None = getattr(mind, "chat", None)
    return chat


def _paid(chat: Chat) -> Paid:
    return Paid(models={task: chat.model(task) for task in TASKS}, probe=lambda: _probe(chat))


def _probe(chat: Chat) -> object:
    """Ask the model itself: one that is remembered tells nothing of whether it is there."""
    from remanent.minds.probing import probe  # noqa: PLC0415 - only when somebody asks
    from remanent.minds.remembered import RememberedChat  # noqa: PLC0415

    return probe(chat.chat if isinstance(chat, RememberedChat) else chat)
