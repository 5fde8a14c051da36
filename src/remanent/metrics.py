"""Numbers for whoever watches: counted in this process, and told in the text format of Prometheus.

Ours, and not `prometheus_client`: the verbs count on every call and in every installation, and most of
what is told comes from the stores, so all that is needed is three shapes and how they are written
(docs/adr/0020).
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
PREFIX: Final = "remanent_"  # one scrape holds the numbers of many programs
_ESCAPES: Final = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One number; `suffix` is what a histogram adds to its name."""

    value: float
    labels: Labels = ()
    suffix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """All numbers of one name. `kind` is counter, gauge or histogram."""

    name: str
    kind: str
    told: str
    samples: Sequence[Sample] = ()


def gauge(name: str, help_: str, values: Mapping[Labels, float] | float) -> Family:
    """Numbers that were looked up just now."""
    by_labels = values if isinstance(values, Mapping) else {(): values}
    samples = [Sample(value=value, labels=labels) for labels, value in by_labels.items()]
    return Family(name=name, kind="gauge", told=help_, samples=samples)


def counter(name: str, help_: str, values: Mapping[Labels, float] | float) -> Family:
    """Numbers that were looked up just now and only ever grow."""
    family = gauge(name, help_, values)
    return Family(name=name, kind="counter", told=help_, samples=family.samples)


@dataclass(slots=True)
class Counter:
    """Counts in this process, by label. Threads may share it."""

    name: str
    told: str
    _values: dict[Labels, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, amount: float = 1.0, **labels: str) -> None:
        """Count so much more."""
        place = tuple(sorted(labels.items()))
        with self._lock:
            self._values[place] = self._values.get(place, 0.0) + amount

    def family(self) -> Family:
        """What was counted so far."""
        with self._lock:
            return counter(self.name, self.told, dict(sorted(self._values.items())))


@dataclass(slots=True)
class Histogram:
    """How values seen in this process are spread, by label; `bounds` are the upper ends of its buckets."""

    name: str
    told: str
    bounds: tuple[float, ...]
    _counts: dict[Labels, list[int]] = field(default_factory=dict)
    _sums: dict[Labels, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def observe(self, value: float, **labels: str) -> None:
        """One more value."""
        place = tuple(sorted(labels.items()))
        with self._lock:
            counts = self._counts.setdefault(place, [0] * (len(self.bounds) + 1))
            counts[sum(value > bound for bound in self.bounds)] += 1
            self._sums[place] = self._sums.get(place, 0.0) + value

    def family(self) -> Family:
        """What was seen so far, each bucket with all that is below it."""
        with self._lock:
            samples = [
                sample
                for labels, counts in sorted(self._counts.items())
                for sample in self._samples(labels, counts)
            ]
        return Family(name=self.name, kind="histogram", told=self.told, samples=samples)

    def _samples(self, labels: Labels, counts: Sequence[int]) -> Iterable[Sample]:
        below = 0
        for bound, count in zip((*self.bounds, math.inf), counts, strict=True):
            below += count
            upto = (*labels, ("le", _number(bound)))
            yield Sample(value=below, labels=upto, suffix="_bucket")
        yield Sample(value=self._sums[labels], labels=labels, suffix="_sum")
        yield Sample(value=below, labels=labels, suffix="_count")


# What only the process that does it can see. What must outlive it is counted in the stores.
JOBS: Final = Counter("jobs_total", "Jobs handled in this process, by kind and outcome.")
JOB_SECONDS: Final = Histogram(
    "job_seconds",
    "How long jobs took in this process, by kind.",
    (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0),
)
MIND_SECONDS: Final = Histogram(
    "mind_seconds",
    "How long language models took to answer this process, by task and model.",
    (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0),
)
DECAY_SCORE: Final = Histogram(
    "decay_score",
    "Scores of the events that this process ranked and handed back.",
    (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 3.5),
)
_OF_THIS_PROCESS: Final = (JOBS, JOB_SECONDS, MIND_SECONDS, DECAY_SCORE)


def of_this_process() -> list[Family]:
    """What this process counted so far."""
    return [one.family() for one in _OF_THIS_PROCESS]


def exposition(families: Iterable[Family]) -> str:
    """The families as Prometheus reads them."""
    lines: list[str] = []
    for family in families:
        name = f"{PREFIX}{family.name}"
        help_ = family.told.replace("\\", r"\\").replace("\n", r"\n")
        lines += [f"# HELP {name} {help_}", f"# TYPE {name} {family.kind}"]
        lines += [f"{name}{_line(sample)}" for sample in family.samples]
    return "".join(f"{line}\n" for line in lines)


def _line(sample: Sample) -> str:
    labels = ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in sample.labels)
    return (
        f"{sample.suffix}{{{labels}}} {_number(sample.value)}"
        if labels
        else (f"{sample.suffix} {_number(sample.value)}")
    )


def _number(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if float(value).is_integer() else repr(float(value))
