"""Metrics: what is counted, and how Prometheus reads it."""

from __future__ import annotations

import math
import re
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.metrics import Counter, Histogram, counter, exposition, gauge

pytestmark = pytest.mark.quick

LINE = re.compile(r'^[a-z_]+(\{([a-z]+="([^"\\\n]|\\.)*",?)+\})? \S+$')


def test_the_text_is_what_prometheus_reads() -> None:
    calls = Counter("calls_total", "How often.")
    calls.add(task="digest", model='a "b"\n\\')
    calls.add(2, task="digest", model='a "b"\n\\')
    text = exposition([gauge("lag", "Behind.", 1.5), calls.family(), counter("n_total", "N.", 3)])

    assert text == (
        "# HELP remanent_lag Behind.\n"
        "# TYPE remanent_lag gauge\n"
        "remanent_lag 1.5\n"
        "# HELP remanent_calls_total How often.\n"
        "# TYPE remanent_calls_total counter\n"
        'remanent_calls_total{model="a \\"b\\"\\n\\\\",task="digest"} 3\n'
        "# HELP remanent_n_total N.\n"
        "# TYPE remanent_n_total counter\n"
        "remanent_n_total 3\n"
    )


def test_a_histogram_adds_up() -> None:
    seen = Histogram("score", "Scores.", (0.5, 1.0))
    for value in (0.5, 0.7, 3.0):
        seen.observe(value)

    assert exposition([seen.family()]).splitlines()[2:] == [
        'remanent_score_bucket{le="0.5"} 1',
        'remanent_score_bucket{le="1"} 2',
        'remanent_score_bucket{le="+Inf"} 3',
        "remanent_score_sum 4.2",
        "remanent_score_count 3",
    ]


@given(st.lists(st.floats(0, 10), max_size=30))
def test_buckets_only_grow_and_end_at_the_count(values: list[float]) -> None:
    seen = Histogram("score", "Scores.", (0.5, 1.0, 5.0))
    for value in values:
        seen.observe(value)
    samples = seen.family().samples
    buckets = [one.value for one in samples if one.suffix == "_bucket"]

    assert buckets == sorted(buckets)
    assert [one.value for one in samples if one.suffix == "_count"] == buckets[-1:]
    assert not buckets or buckets[-1] == len(values)


@given(st.text(), st.floats(allow_nan=False))
def test_whatever_a_label_says_a_number_is_one_line(value: str, number: float) -> None:
    text = exposition([gauge("x", "X.", {(("label", value),): number})])

    assert LINE.match(text.split("\n", 2)[2].removesuffix("\n"))
    assert float(text.rsplit(" ", 1)[1]) == number or math.isinf(number)


def test_threads_may_count_together() -> None:
    calls = Counter("calls_total", "How often.")

    def count() -> None:
        for _ in range(500):
            calls.add()

    threads = [threading.Thread(target=count) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert [one.value for one in calls.family().samples] == [2000]
