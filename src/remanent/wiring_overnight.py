"""Overnight: what a night makes of notes, of old sources and of beliefs, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from remanent.beliefs.nightly import Tidy
from remanent.core.model.sleep import SleepJob
from remanent.jobs.night_job import NightJob
from remanent.sleep.descriptions import Describe
from remanent.sleep.episodes_to_notes import Distil
from remanent.sleep.notes import Expire


@dataclass(frozen=True, slots=True, kw_only=True)
class Overnight:
    describe: Describe
    expire: Expire
    distil: Distil
    tidy: Tidy

    @property
    def jobs(self) -> Mapping[SleepJob, NightJob]:
        """Each by the name of its job."""
        return {
            SleepJob.DESCRIBE: self.describe,
            SleepJob.EXPIRE: self.expire,
            SleepJob.DISTIL: self.distil,
            SleepJob.UPKEEP: self.tidy,
        }
