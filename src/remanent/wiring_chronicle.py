"""Chronicle: all the verbs about agents' events, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from remanent.events.backfill_references import Refer
from remanent.events.enrich import Enrich
from remanent.events.project import Project
from remanent.events.query import Events
from remanent.events.record import Record
from remanent.ingest.end_session import EndSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Chronicle:
    record: Record
    project: Project
    enrich: Enrich
    refer: Refer
    events: Events
    end_session: EndSession
