"""Answers of a mind, remembered by what was asked, so that asking again costs nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a mind said. `digest` covers the task, the prompt's version, the model and the input."""

    digest: str
    user_id: str
    mind: str
    task: str
    text: str
    answered_at: datetime
    tokens_in: int = 0
    tokens_out: int = 0
    source_key: str | None = None  # the source that it is about, and goes with
