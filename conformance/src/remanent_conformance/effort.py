"""How hard the state machines try: enough to meet the usual mistakes in a second or two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

_EFFORT: Final = settings(
    max_examples=15,
    stateful_step_count=20,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def drive(machine: Callable[[], RuleBasedStateMachine]) -> None:
    """Fails with the shortest steps after which a store and its model differ."""
    run_state_machine_as_test(cast("type[RuleBasedStateMachine]", machine), settings=_EFFORT)
