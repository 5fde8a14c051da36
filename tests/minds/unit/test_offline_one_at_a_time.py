"""What holds one value at a time, in whatever words it is told; and what leaves room beside it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.mind_types import Judgement
from remanent.minds.offline import OfflineMind
from remanent.minds.offline.voice import what_remains, without_preface

MIND = OfflineMind()


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Note to self: my locker is 14.", "My locker is 14."),
        ("By the way, Ida lives in Turin.", "Ida lives in Turin."),
        ("New phone, so my number is 411 55 666.", "My number is 411 55 666."),
        ("The old one moved away, so Dr. Vik is my doctor.", "Dr. Vik is my doctor."),
        ("Forget the old address, my address is 3 Elm Street.", "My address is 3 Elm Street."),
        ("No more tea for me: I drink cocoa now.", "I drink cocoa now."),
        ("It rained, so we stayed in.", "It rained, so we stayed in."),
        ("I used to love tea, but I hate it now.", "I used to love tea, but I hate it now."),
        ("Ida lives in Turin.", "Ida lives in Turin."),
    ],
)
def test_a_preface_is_left_out(text: str, fact: str) -> None:
    assert without_preface(text) == fact


@given(st.text(max_size=80))
def test_leaving_out_a_preface_only_shortens(text: str) -> None:
    plain = " ".join(text.split())
    assert plain.casefold().endswith(without_preface(text).casefold()[1:])


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("I sold the Saab and drive a Honda now.", "I drive a Honda now."),
        ("Ida left Turin and settled in Leeds.", "Ida settled in Leeds."),
        ("Ida is no longer at Bosch; she works for Adobe.", "Ida works for Adobe."),
        ("I sold the Saab and Tom cried.", ""),
        ("I live in Leeds and work at Adobe.", ""),
    ],
)
def test_what_remains_of_a_change(text: str, rest: str) -> None:
    assert what_remains(text) == rest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Reminder to self, my mobile is 422 77 888.", "My new number is 411 55 666."),
        ("Ida's phone number is 422 77 888.", "New phone, so Ida's number is 411 55 666 now."),
        ("The status of Project Lynx is under review.", "The status of Project Lynx has changed to behind schedule."),
        ("The status of Project Lynx is behind schedule.", "Project Lynx is waiting for approval."),
        ("The status of Project Lynx is ready to ship.", "Project Lynx is on hold."),
        ("We have until 2 May to finish Project Lynx.", "The new deadline for Project Lynx is 9 June."),
        ("The deadline for the report is 2 May.", "The report has to be done by 9 June."),
        ("The database behind Project Lynx is Oracle.", "We migrated Project Lynx to Snowflake."),
        ("Project Lynx stores its data in Oracle.", "For Project Lynx we picked Neo4j."),
        ("Project Lynx is run by Ida Moe.", "Noah Vik leads Project Lynx now."),
        ("My job title is baker.", "I have become a plumber."),
        ("My job title is head baker.", "My job title is shift lead."),
        ("As a plumber, Ida starts early.", "Ida is a baker."),
        ("Ida does what a plumber does, mostly.", "Ida works as a baker."),
        ("Dr. Vik is the vet we trust.", "Our new vet is Dr. Moe."),
        ("I have been seeing Dr. Vik, the therapist, for years.", "My therapist is Dr. Moe."),
        ("Dr. Vik has been my doctor since May.", "My doctor is Dr. Moe."),
        ("Dr. Vik looked at our teeth.", "Our new dentist is Dr. Moe."),
        ("I work out at Steel Yard.", "I joined Blue House, the gym, in May."),
        ("I go to Valley Gym on Mondays.", "My new gym is Steel Yard."),
        ("I bank with Chase.", "I switched to Nordea, the bank, in May."),
        ("Nordea is my bank.", "I moved my account to Chase."),
        ("Ida comes home to Leeds every night.", "Ida moved to Turin."),
        ("Life in Leeds suits her, Ida says.", "Ida has moved to Turin."),
        ("Ida is still at Bosch, in the same department.", "Ida works for Adobe now."),
        ("Ida and Noah are together.", "Ida is dating Omar."),
        ("Ida and I got together in May.", "I am dating Clara."),
        ("Ida loves goulash more than any other dish.", "Ida's favourite dish is pho."),
        ("Ida left Turin and settled in Leeds.", "Ida lives in Rome now."),
    ],
)  # fmt: skip
def test_one_value_takes_the_place_of_another(old: str, new: str) -> None:
    assert MIND.judge(new, [old]) == [Judgement.CONTRADICTS]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My cousin's number is 422 77 888.", "New phone, so my number is 411 55 666 now."),
        ("The status of Project Lynx is live.", "The status of Project Wren is on hold."),
        ("The deadline for the tax return is 2 May.", "The report has to be done by 9 June."),
        ("Project Lynx uses Redis for caching.", "We migrated Project Lynx to MariaDB."),
        ("As a child, Ida hated fish.", "Ida is a baker."),
        ("I am a good cook.", "My profession is baker."),
        ("My sister's vet is Dr. Moe.", "Dr. Vik is the vet I trust."),
        ("I am seeing Dr. Moe on Friday.", "My new dentist is Dr. Vik."),
        ("Tom works out at Steel Yard.", "I work out at Blue House."),
        ("I have a membership at the library.", "My new gym is Blue House."),
        ("I come home to Rex every evening.", "I moved to Turin."),
        ("Ida and Noah got together for lunch.", "Ida is dating Omar."),
        ("Clara is dating Noah.", "Ida's partner is Noah."),  # who knows which Noah
        ("Liz's partner is Noah.", "Elisabeth is dating Noah."),
        ("Ida Moe leads Project Lynx.", "From today Ida Moe leads Project Wren instead of Omar Vik."),
        ("I am learning Danish.", "I started learning Thai."),
        ("I do judo every week.", "I took up rowing."),
        ("I like the office in Leeds.", "Life in Turin suits me."),
    ],
)  # fmt: skip
def test_what_may_stand_side_by_side_does(old: str, new: str) -> None:
    assert MIND.judge(new, [old]) == [Judgement.DIFFERENT]


def test_what_remains_of_a_change_is_repeated() -> None:
    assert MIND.judge("Ida lives in Leeds.", ["Ida left Turin and settled in Leeds."]) == [
        Judgement.SAME
    ]
