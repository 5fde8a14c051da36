"""Keep: all the verbs by which beliefs are kept in order, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from remanent.beliefs.contradictions import Dispute
from remanent.beliefs.forget import Forget
from remanent.beliefs.jsonl import ExportBeliefs, ImportBeliefs
from remanent.beliefs.merge import Unite
from remanent.beliefs.prune import Prune
from remanent.beliefs.report import Reflect
from remanent.beliefs.restate import Restate
from remanent.beliefs.subjects import Assign
from remanent.beliefs.synthesize import Synthesize
from remanent.ingest.consolidate import Consolidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    reflect: Reflect
    unite: Unite
    synthesize: Synthesize
    prune: Prune
    forget: Forget
    restate: Restate
    dispute: Dispute
    consolidate: Consolidate
    assign: Assign
    take_out: ExportBeliefs
    bring_in: ImportBeliefs
