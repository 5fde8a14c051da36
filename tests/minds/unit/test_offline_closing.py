"""What a statement says is over, and what it leaves alone; what is told in passing."""

from __future__ import annotations

import pytest
from offline_readings import notes

from remanent.core.model.mind_types import Judgement
from remanent.minds.offline import OfflineMind

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
        ("No more tea for me: I drink cocoa in the morning now.", "I drink tea in the morning."),
        ("No more tea for her: Ida drinks cocoa at breakfast.", "Ida prefers tea at breakfast."),
        ("No more cocoa for me: I drink milk at breakfast now.", "I gave up tea and drink cocoa at breakfast."),
        ("I used to love goulash, but my favourite is pho now.", "Nothing beats goulash, I say."),
        ("I am over goulash; it is pho now.", "My favourite food is goulash."),
        ("The Saab is gone, I got a Honda instead.", "I own a Saab."),
        ("I sold the Saab.", "The Saab is still running."),
        ("Project Lynx moved from Oracle to Redis.", "We run Project Lynx on Oracle."),
        ("I gave up Danish and am learning Thai now.", "I take a Danish class on Mondays."),
        ("I closed my account at Chase and use Nordea now.", "Chase is my bank."),
        ("I traded the Saab in for a Honda.", "I own a Saab."),
        ("Ingrid traded in her Saab for a Honda.", "Ingrid drives a Saab, not a Lada."),
        ("I sold the Honda.", "I swapped the Saab for a Honda in May."),
        ("I gave the Saab back to the dealer.", "I have a Saab that needs new tyres."),
        ("My new car is a Honda; the Saab died.", "I have a Saab."),
        ("I have been driving a Honda since May, when the Saab was stolen.", "I own a Saab."),
        ("I changed gyms in May, to Olympia.", "I train at Titan Hall."),
        ("I transferred all my money to Nordea.", "I bank with Chase."),
        ("Project Lynx is now live, not behind schedule any more.", "Project Lynx is behind schedule."),
        ("The status of Project Lynx changed from ahead of schedule to on hold.", "Project Lynx is ahead of schedule."),
        ("I used to love goulash.", "Goulash is my favourite food."),
        ("Ida Moe sold the Saab.", "Ida owns a Saab."),
        ("Ida swapped the Saab for a Honda.", "Ida Moe's Saab is still running."),
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
        ("No more tea for me: I drink cocoa now.", "My sister drinks tea in the morning."),
        ("I gave up coffee.", "I love coffee."),
        ("Tom sold the Saab.", "I own a Saab."),
        ("I am over goulash.", "My mother cooked goulash for us on Sunday."),
        ("Noah broke up with Ida and is dating Maria now.", "My partner is Ida."),
        ("I sold the piano and the violin.", "I play chess."),
        ("Tom traded the Saab in for a Honda.", "I own a Saab."),
        ("Ida Moe sold the Saab.", "Ida Berg owns a Saab."),
        ("My neighbour has moved; the dog died.", "I have a dog."),
        ("I moved all my boxes to Bergen.", "I live in Oslo."),
        ("I moved all my money to Nordea.", "I live in Oslo."),
        ("I used to love goulash.", "My mother cooked goulash for us on Sunday."),
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
        ("I traded my Saab in for a Honda Jazz.", "I traded my Saab in for a Honda Jazz."),
        ("I changed gyms in May, to Olympia.", "I changed gyms in May, to Olympia."),
        ("Ingrid Moe does fencing every week.", "Ingrid Moe does fencing every week."),
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
        "I changed the tyres.",
        "I swapped seats with Tom.",
    ],
)
def test_small_talk_is_not(text: str) -> None:
    assert MIND.beliefs(notes(text)) == []


@pytest.mark.parametrize("text", ["I owe Tom a call.", "Tom has a cold again."])
def test_chores_matter_little(text: str) -> None:
    assert all(one.importance <= 2 for one in MIND.beliefs(notes(text)))
