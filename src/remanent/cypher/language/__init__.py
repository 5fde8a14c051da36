"""Cypher, for reading: what a query says, and what it finds in a picture of one user's graph.

Nothing here can write, open a file or call anything: the language has no word for it.
"""

from __future__ import annotations

from remanent.core.dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CypherRules:
    """How much one query may cost (SPEC 8: bounded in time and rows)."""

    rows: int = 1000
    seconds: float = 5.0
    megabytes: int = 512
    query_characters: int = 20_000
    parameter_characters: int = 200_000
    text_characters: int = 500  # of one text of an answer, unless it is asked for verbosely
