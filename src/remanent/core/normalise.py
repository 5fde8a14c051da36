"""Normalising: scores of any origin on one scale, so that they can be joined."""

from __future__ import annotations

from collections.abc import Mapping


def normalised(scores: Mapping[str, float]) -> dict[str, float]:
    """The scores stretched over 0 to 1 with their relative distances; equal ones are all 1."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high == low:
        return dict.fromkeys(scores, 1.0)
    return {key: (score - low) / (high - low) for key, score in scores.items()}
