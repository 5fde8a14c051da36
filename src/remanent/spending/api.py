"""Accounting: what a user's mind costs, before and after."""

from __future__ import annotations

from pathlib import Path

from remanent.core.records.spending import Estimate
from remanent.core.user_handle import UserHandle, verb
from remanent.ingest.import_files import found_in
from remanent.spending.report import estimate, spending_report


class SpendingApi(UserHandle):
    """The verbs about money and tokens."""

    spending = verb(spending_report)

    def estimate(self, path: str | Path, as_: str | None = None) -> Estimate:
        """What `import_file` of this would cost with the mind in use. Nothing is written or sent."""
        zone, clock = self.profile.timezone, self.env.clock
        items = found_in(Path(path), as_, zone=zone, clock=clock)
        return estimate(self.env, self.scope, items)
