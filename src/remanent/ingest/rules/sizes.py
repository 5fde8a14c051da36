"""How long a passage may be, and how much of a long source is read at a time."""

from __future__ import annotations

from remanent.core.dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRules:
    """A passage longer than `max_characters` is cut at the end of a sentence, so that it can be quoted.

    A source longer than `slice_characters` is read in slices, a job each; if one takes longer than
    `slice_seconds`, the next ones are shorter, down to a tenth.
    """

    max_characters: int = 1200
    slice_characters: int = 50_000
    slice_seconds: float = 5.0
