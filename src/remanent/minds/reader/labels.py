"""Labels of the reader's heads, in the order of their weights."""

from __future__ import annotations

from typing import Final

JUDGE: Final = ("update", "same", "refine", "beside", "unrelated")
TYPES: Final = (
    "person", "organization", "location", "project", "product",
    "event", "group", "animal", "concept", "date",
)  # fmt: skip
THINGS: Final = frozenset(
    ("organization", "location", "project", "product", "event", "group", "animal")
)
"""Types of what is neither a person nor a concept."""
KINDS: Final = ("fact", "preference", "plan", "promise", "event", "opinion")
REASONS: Final = ("small_talk", "question", "advice", "hypothetical", "passing", "joke", "quote")
RELATIONS: Final = (
    "none", "other", "parent", "grandparent", "sibling", "partner", "relative", "friend",
    "lives with", "neighbour", "colleague", "boss", "served by", "works at", "works on",
    "studies at", "studies", "member of", "takes part in", "lives in", "from", "visits",
    "located in", "part of", "owns", "uses", "likes", "dislikes", "wants", "worried about",
    "has condition", "competes with", "owes", "knows",
)  # fmt: skip
SYMMETRIC: Final = frozenset(
    ("other", "sibling", "partner", "relative", "friend", "lives with", "neighbour", "colleague",
     "competes with", "knows")
)  # fmt: skip

TAGS: Final = {
    "mention": 1 + 2 * len(TYPES),
    "keep": 1 + 2 * len(KINDS),
    "drop": 1 + len(REASONS),
    "reference": 3,
}
"""How many columns of the tag head each task has, in their order; the first of each is "none"."""
