"""For tests of programs built on Remanent, and of adapters to it.

The suites that every adapter has to pass are a distribution of their own, `remanent-conformance`.
"""

from remanent.clock import SteppedClock
from remanent.testing.builders import (
    MOMENT,
    a_belief,
    a_concept,
    a_job,
    a_link,
    a_note,
    a_passage,
    a_person,
    a_relationship,
    a_scope,
    a_source,
    a_storyline,
    a_user,
    an_answer,
    an_assertion,
    an_entity,
    an_entry,
    an_event,
    an_extraction,
)
from remanent.testing.embedder import HashEmbedder
from remanent.testing.mind import ScriptedMind

__all__ = [
    "MOMENT",
    "HashEmbedder",
    "ScriptedMind",
    "SteppedClock",
    "a_belief",
    "a_concept",
    "a_job",
    "a_link",
    "a_note",
    "a_passage",
    "a_person",
    "a_relationship",
    "a_scope",
    "a_source",
    "a_storyline",
    "a_user",
    "an_answer",
    "an_assertion",
    "an_entity",
    "an_entry",
    "an_event",
    "an_extraction",
]
