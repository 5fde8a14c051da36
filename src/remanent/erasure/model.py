"""Reports of undo: what went when all that one source had caused was taken back."""

from __future__ import annotations

from remanent.core.dataclasses import dataclass
from remanent.core.model.belief import Belief


@dataclass(frozen=True, slots=True, kw_only=True)
class Rederived:
    """Beliefs after an episode behind some of them was taken out, and all others were heard again.

    `gone` are no more, `back` were overruled by it and are held true again, `fresh` now speak for
    other episodes in their own words, `changed` are those that are otherwise no longer what they were.
    """

    gone: tuple[Belief, ...] = ()
    back: tuple[Belief, ...] = ()
    fresh: tuple[Belief, ...] = ()
    changed: tuple[Belief, ...] = ()
    heard: int = 0  # statements of other episodes that were settled again


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What one source had caused for one user, and is no more. The source itself stays.

    `was_undone` says that this had been done before, and nothing was left to do. `anchors` are the
    names of those whom nothing else mentions.
    """

    source_key: str
    title: str
    mind: str = ""  # who had read it
    mentions: int = 0
    notes: int = 0
    assertions: int = 0
    stories: int = 0  # storylines that are a source shorter, or dissolved
    anchors: tuple[str, ...] = ()
    beliefs: Rederived = Rederived()
    was_undone: bool = False
    dry_run: bool = False
