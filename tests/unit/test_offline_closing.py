"""What a statement says is over, and what it leaves alone; what is told in passing."""

from __future__ import annotations

import pytest
from offline_readings import notes

from remanent.minds.offline import OfflineMind
from remanent.model.reading import Judgement

MIND = OfflineMind()


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The new deadline for Project Lynx is 9 June.", "The deadline for Project Lynx is 2 May."),
        ("The deadline for Project Lynx slipped from 2 May to 9 June.", "Project Lynx is due on 2 May."),
        ("Project Lynx uses Redis now instead of Oracle.", "Project Lynx uses Oracle as its database."),
        ("Project Lynx moved from Oracle to Redis.", "Project Lynx uses Oracle as its database."),
        ("I sold the Saab and drive a Honda now.", "I own a Saab."),
        ("Ingrid sold the Saab and drives a Honda now.", "Ingrid has a Saab."),
        ("I gave up Danish and am learning Thai now.", "I am learning Danish."),
        ("I dropped rowing and do judo now.", "I do rowing every week."),
        ("Project Lynx is in production.", "Project Lynx is on hold."),
        ("The status of Project Lynx has changed to cancelled.", "Project Lynx is under review."),
        ("Ingrid handed Project Lynx over to Omar.", "Ingrid leads Project Lynx."),
        ("I broke up with Ida and am dating Noah now.", "My partner is Ida."),
        ("Ingrid's number has been 411 55 666 since May.", "Ingrid's phone number is 422 77 888."),
        ("My new number is 411 55 666.", "My phone number is 422 77 888."),
    ],
)  # fmt: skip
def test_what_is_said_to_be_over_is_retired(new: str, old: str) -> None:
    assert MIND.judge(new, [old]) == [Judgement.CONTRADICTS]


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The new deadline for Project Lynx is 9 June.", "The deadline for Project Wren is 2 May."),
        ("Project Lynx uses Redis now instead of Oracle.", "Project Wren uses Oracle as its database."),
        ("I sold the Saab and drive a Honda now.", "My sister has a Saab."),
        ("I sold the Saab.", "I crashed the Saab in Turin."),
        ("I gave up Danish.", "My grandmother speaks Danish."),
        ("I gave up Danish.", "I am learning Thai."),
        ("Ingrid moved from Oslo to Bergen.", "Ingrid was born in Oslo."),
        ("Project Lynx is on hold.", "Project Lynx is for Polar Airways."),
        ("Project Lynx is on hold.", "Project Lynx is behind schedule."),
        ("Project Lynx uses Redis for caching.", "Project Lynx uses Oracle as its database."),
    ],
)  # fmt: skip
def test_what_is_not_over_stays(new: str, old: str) -> None:
    assert MIND.judge(new, [old]) == [Judgement.DIFFERENT]


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("You can reach me on 411 55 666.", "My phone number is 411 55 666."),
        ("My email address: ida@example.org", "My email address is ida@example.org."),
        ("My dog Balder ate the sofa.", "My dog is called Balder."),
        ("Dinner with Dr. Strand, my dentist, was odd.", "My dentist is Dr. Strand."),
        ("Ingrid Moe and Noah are a couple.", "Ingrid Moe's partner is Noah."),
        ("At Polar Airways, where I work, lunch is free.", "I work at Polar Airways."),
        ("Project Lynx went live.", "Project Lynx went live."),
        ("Project Lynx is now on hold.", "Project Lynx is now on hold."),
        ("My hobby is climbing.", "My hobby is climbing."),
        ("I got that wrong: I live in Turin, not in Rome.", "I live in Turin, not in Rome."),
        ("I took a job at Polar Airways.", "I took a job at Polar Airways."),
    ],
)
def test_facts_told_in_passing_are_read(text: str, statement: str) -> None:
    assert statement in [one.statement for one in MIND.beliefs(notes(text))]


@pytest.mark.parametrize(
    "text",
    [
        "You can reach the shelf on a ladder.",
        "The kettle is on hold.",
        "My dog barked.",
        "We and Tom got together for lunch.",
        "I got a sandwich.",
        "Tom called me on Friday.",
    ],
)
def test_small_talk_is_not(text: str) -> None:
    assert MIND.beliefs(notes(text)) == []


@pytest.mark.parametrize("text", ["I owe Tom a call.", "Tom has a cold again."])
def test_chores_matter_little(text: str) -> None:
    assert all(one.importance <= 2 for one in MIND.beliefs(notes(text)))
