"""What does a job of the night."""

from __future__ import annotations

from collections.abc import Mapping

from remanent.beliefs.nightly import maintain_beliefs
from remanent.core.env import NightJob
from remanent.core.model.sleep import SleepJob
from remanent.events import reconsolidate
from remanent.lifecycle.fade import fade_memories
from remanent.sleep.descriptions import describe_things
from remanent.sleep.episodes_to_notes import episodes_to_notes
from remanent.sleep.notes import expire_notes
from remanent.stories.macros import promote_macros, refresh_macros
from remanent.stories.storylines import promote_storylines, refresh_storylines

NIGHTS: Mapping[SleepJob, NightJob] = {
    SleepJob.RECONSOLIDATE: reconsolidate.reconsolidate,
    SleepJob.FADE: fade_memories,
    SleepJob.PROMOTE_MACROS: promote_macros,
    SleepJob.REFRESH_MACROS: refresh_macros,
    SleepJob.DESCRIBE: describe_things,
    SleepJob.PROMOTE: promote_storylines,
    SleepJob.REFRESH: refresh_storylines,
    SleepJob.EXPIRE: expire_notes,
    SleepJob.DISTIL: episodes_to_notes,
    SleepJob.UPKEEP: maintain_beliefs,
}
