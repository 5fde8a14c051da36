"""Chronicle: all the verbs about agents' events, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from remanent.ingest.end_session import EndSession
from remanent.verbs.enrich import Enrich
from remanent.verbs.events import Events
from remanent.verbs.project import Project
from remanent.verbs.record import Record
from remanent.verbs.refer import Refer


@dataclass(frozen=True, slots=True, kw_only=True)
class Chronicle:
    record: Record
    project: Project
    enrich: Enrich
    refer: Refer
    events: Events
    end_session: EndSession
