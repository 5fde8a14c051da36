from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from offline_readings import FRIENDS, NOTES, conversation, notes, passing, written

from remanent.core.model.mind_types import Reading
from remanent.core.model.source import ContentType
from remanent.minds.offline import OfflineMind
from remanent.minds.offline.sentences import bounds

MIND = OfflineMind()


# --- weights


def test_importing_and_constructing_loads_no_weights():
    code = (
        "import sys; from remanent.minds.offline import OfflineMind; mind = OfflineMind(); mind.name;"
        "mind.clean(['um, hi'], 'conversation'); assert 'onnxruntime' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- determinism and threads


def everything(mind: OfflineMind, reading: Reading) -> str:
    parts = (
        mind.summarize(reading),
        mind.topics(reading),
        mind.extract(reading),
        written(mind, reading, ()),
        mind.beliefs(reading),
    )
    return repr(parts)


def test_a_second_reading_finds_the_same():
    reading = conversation(FRIENDS)
    first = everything(MIND, reading)
    everything(MIND, notes(NOTES))
    assert everything(MIND, reading) == first
    assert everything(OfflineMind(), reading) == first


def test_another_process_finds_the_same():
    code = (
        "from test_offline_mind import *; print(everything(OfflineMind(), conversation(FRIENDS)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent,
        capture_output=True,
        check=True,
        text=True,
        encoding="utf-8",
    )
    assert ran.stdout.strip() == everything(MIND, conversation(FRIENDS))


def test_threads_may_share_a_mind():
    mind, reading = OfflineMind(), conversation(FRIENDS)
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda: answers.append(everything(mind, reading))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4
    assert len(set(answers)) == 1


# --- summaries and topics


def test_a_summary_quotes_one_or_two_statements_with_their_speakers():
    summary = MIND.summarize(conversation(FRIENDS))
    assert summary.startswith(("Ada: ", "Tom: "))
    assert len(summary) <= 360
    assert "?" not in summary
    assert "cloud" not in summary


def test_a_note_is_summarised_without_a_speaker():
    summary = MIND.summarize(notes("The lease is signed. We move on Monday."))
    assert summary == "The lease is signed. We move on Monday."


def test_a_long_text_is_summarised_in_bounds():
    text = "\n".join(
        f"Item {n} was shipped to the customer in Oslo on day {n}." for n in range(400)
    )
    assert 0 < len(MIND.summarize(notes(text))) <= 360


def test_keywords_are_five_to_ten_and_distinct():
    topics = MIND.topics(conversation(FRIENDS))
    assert 5 <= len(topics.keywords) <= 10
    assert "Project Falcon" in topics.keywords
    assert len({word.casefold() for word in topics.keywords}) == len(topics.keywords)


def test_tags_name_fields_of_life():
    topics = MIND.topics(conversation(FRIENDS))
    assert 3 <= len(topics.tags) <= 5
    assert {"work", "family"} <= set(topics.tags)


@pytest.mark.parametrize("text", ["?!", "...", "🙂", "\u00a0", ""])
def test_a_source_that_says_nothing_gives_nothing(text):
    reading = notes(f"{text}\n-")
    assert MIND.extract(reading) == []
    assert MIND.beliefs(reading) == []
    assert MIND.topics(reading).tags == ()
    assert MIND.summarize(reading) == ""


def test_an_empty_source_gives_nothing():
    reading = Reading(
        content_type=ContentType.TEXT_NOTE,
        started_at=conversation(FRIENDS).started_at,
        passages=(),
        owner_names=("Ada",),
    )
    assert MIND.summarize(reading) == ""
    assert MIND.topics(reading).keywords == ()
    assert passing(MIND.extract(reading)) == []
    assert written(MIND, reading, ()).notes == ()


@pytest.mark.usefixtures("encoded_once")  # most of it is the same few words
def test_a_very_long_piece_is_read_from_its_beginning():
    reading = notes("I live in Oslo. " + "La la la. " * 5000)
    assert [one.statement for one in MIND.beliefs(reading)] == ["I live in Oslo."]


def test_the_name_tells_the_version():
    assert MIND.name == "offline/2"


def test_headings_and_items_are_sentences_of_their_own():
    text = "# Plans\nPaint the boat with Tom.\n\nTo do\n\n- Buy milk for Maria.\n- Call Per."

    assert MIND.summarize(notes(text)).count("#") == 0
    told = [" ".join(text[start:end].split()) for start, end in bounds(text)]
    assert told[:3] == ["# Plans", "Paint the boat with Tom.", "To do"]
