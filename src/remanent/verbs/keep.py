"""Keep: all the verbs by which beliefs are kept in order, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from remanent.verbs.assign import Assign
from remanent.verbs.carry_beliefs import ExportBeliefs, ImportBeliefs
from remanent.verbs.consolidate import Consolidate
from remanent.verbs.dispute import Dispute
from remanent.verbs.forget import Forget
from remanent.verbs.prune import Prune
from remanent.verbs.reflect import Reflect
from remanent.verbs.restate import Restate
from remanent.verbs.synthesize import Synthesize
from remanent.verbs.unite import Unite


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
