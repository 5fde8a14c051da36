"""Errands: on whose behalf a mind is asked, and for what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SETTLING: Final = "settle"  # the job of settling what a source says, many statements at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class OnBehalf:
    """One piece of work for one user. What a mind says on it is counted there and remembered there.

    `private` says that the words to be read come from a source of high sensitivity: they never leave
    this machine. `job` is what it is done for ("process", "extract", "refresh" ...), and `source_key`
    the source it is about, if one.
    """

    user_id: str
    job: str = ""
    source_key: str | None = None
    private: bool = False
