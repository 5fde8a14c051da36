"""Reports of belief maintenance: what it did, or with a dry run would do."""

from __future__ import annotations

from enum import StrEnum

from remanent.core.dataclasses import dataclass
from remanent.core.model.belief import Belief
from remanent.core.model.page import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Beliefs that say the same, the one that would stay first; `similarity` is the least of a pair."""

    beliefs: tuple[Belief, ...]
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ContradictingPair:
    """Two active beliefs that cannot both be so, and how alike they are."""

    newer: Belief
    older: Belief
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FadedBelief:
    """A belief and what is left of its confidence; `course` is what is left, or will be, every so many
    days after its last confirmation."""

    belief: Belief
    effective_confidence: float
    course: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """What deserves a look: nothing was changed.

    `compared` beliefs were held against each other; `unseen` ones have no embedding to go by.
    """

    duplicates: tuple[Cluster, ...] = ()
    contradictions: tuple[ContradictingPair, ...] = ()
    stale: tuple[FadedBelief, ...] = ()
    compared: int = 0
    unseen: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Restatement:
    """A belief as it is now, and what it said before; `changed` unless it said just that."""

    belief: Belief
    before: str
    changed: bool = True
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedBeliefs:
    """The belief that stays, and those that it took in, as they are now."""

    winner: Belief
    losers: tuple[Belief, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeReport:
    """Duplicates that became one. `changed` are inferences that fell or became less sure with them."""

    merged: tuple[MergedBeliefs, ...] = ()
    changed: tuple[Belief, ...] = ()
    compared: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Principle:
    """One principle, the beliefs it was drawn from, and what became of it."""

    statement: str
    subject: str
    derived_from: tuple[Belief, ...]
    similarity: float
    outcome: Outcome
    belief: Belief


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesis:
    """Principles drawn from beliefs that belong together; `clusters` were looked at."""

    drawn: tuple[Principle, ...] = ()
    clusters: int = 0
    compared: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruning:
    """Beliefs let go because less than `threshold` was left of them."""

    pruned: tuple[FadedBelief, ...] = ()
    changed: tuple[Belief, ...] = ()
    threshold: float
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting:
    """The belief as it is now; `forgotten` is empty when it had been forgotten before."""

    belief: Belief
    forgotten: tuple[Belief, ...] = ()
    changed: tuple[Belief, ...] = ()
    dry_run: bool = False


class Verdict(StrEnum):
    """How a contradiction was settled."""

    INVALIDATED = "invalidated"  # the older one gave way
    WEAKENED = "weakened"  # the older one is well supported: both stand
    DISPUTED = "disputed"  # it may not overrule what it speaks against: both stand


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """A contradiction, both beliefs as they are now, and what was done about it."""

    clash: ContradictingPair
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradictions:
    """Contradictions nobody has settled, and those that were settled just now.

    `standing` were settled before, and both sides still stand.
    """

    found: tuple[ContradictingPair, ...] = ()
    settled: tuple[Settlement, ...] = ()
    standing: tuple[ContradictingPair, ...] = ()
    changed: tuple[Belief, ...] = ()
    compared: int = 0
    unseen: int = 0
    dry_run: bool = False


class ConsolidationOutcome(StrEnum):
    """What consolidating a conversation came to."""

    KEPT = "kept"
    KNOWN = "known"  # this very conversation was consolidated before
    TOO_SHORT = "too_short"
    NOTHING = "nothing"  # small talk


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidation:
    """What a conversation leaves behind: an episode, never a belief."""

    outcome: ConsolidationOutcome
    turns: int
    gist: str = ""
    key: str | None = None
    event_id: str | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignedSubject:
    """A belief that is now filed under whom it is about, and under whom it was before."""

    belief: Belief
    before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """Subjects that were filled in; `looked_at` beliefs were read for it."""

    assigned: tuple[AssignedSubject, ...] = ()
    looked_at: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefsExported:
    """How many beliefs were written down, and how many of them are active."""

    beliefs: int = 0
    active: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefsImported:
    """What an import of beliefs did; `known` were here already and left alone."""

    added: int = 0
    active: int = 0
    known: int = 0
    dry_run: bool = False
