"""Accounting: what a user's mind costs, before and after."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from remanent.core.later import later
from remanent.core.records.spending import Estimate
from remanent.core.user_handle import UserHandle, verb

if TYPE_CHECKING:
    from remanent.ingest import import_files
    from remanent.spending import report
else:
    import_files = later("remanent.ingest.import_files")
    report = later("remanent.spending.report")


class SpendingApi(UserHandle):
    """The verbs about money and tokens."""

    spending = verb(lambda: report.spending_report)

    def estimate(self, path: str | Path, as_: str | None = None) -> Estimate:
        """What `import_file` of this would cost with the mind in use. Nothing is written or sent."""
        zone, clock = self.profile.timezone, self.env.clock
        items = import_files.found_in(Path(path), as_, zone=zone, clock=clock)
        return report.estimate(self.env, self.scope, items)
