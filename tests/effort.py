"""How far a test goes: a short form that guards every change, a long one that proves, for `make torture`."""

from __future__ import annotations

import os

from hypothesis import settings

IS_TORTURE = bool(os.environ.get("TORTURE"))


def times(short: int, torture: int) -> int:
    """How often, or how many: the first in the suite, the second under `make torture`.

    A test that asks this carries the mark `torture`, so that `make torture` finds it.
    """
    return torture if IS_TORTURE else short


def load_profile() -> None:
    """What hypothesis does where a test says nothing else: the same examples on every run of the suite,
    and thirty times as many, new ones each time, under `make torture`. A busy machine is no failure, so
    examples are never timed."""
    settings.register_profile("short", deadline=None, derandomize=True, max_examples=30)
    settings.register_profile("torture", deadline=None, max_examples=1000)
    settings.load_profile("torture" if IS_TORTURE else "short")
