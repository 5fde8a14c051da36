"""Each type of source, added through the door and processed by the real pipeline."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.job import JobState
from remanent.core.model.mind_types import Reading, Topics
from remanent.core.model.source import ContentType, ContextType, Passage, Source
from remanent.errors import InvalidInput, MindError
from remanent.ingest.process import process_source
from remanent.testing import ScriptedMind

START = datetime(2026, 5, 4, 7, tzinfo=UTC)
VTT = """\
WEBVTT

00:00:01.000 --> 00:00:04.000
<v Maria Chen>The lease is signed.

00:00:04.500 --> 00:00:06.000
<v Maria Chen>Until 2029.

00:01:00.000 --> 00:01:02.000
<v Tom Berg>At last.
"""
SRT = "1\n00:00:01,000 --> 00:00:02,000\nTom: Hello there.\n\n2\n00:00:03,000 --> 00:00:04,000\nGood.\n"
MAIL = """\
From: Maria Chen <maria@example.org>
To: Ada Lindqvist <ada@example.net>
Subject: Re: The boiler
Date: Sun, 03 May 2026 18:30:00 +0200
Message-ID: <boiler-2@example.org>

It will be mended on Thursday.

On Sat, 2 May 2026, Ada Lindqvist wrote:
> When will it be mended?

Best,
Maria
"""
CHAT = {
    "channel": "ops",
    "users": {"U1": {"real_name": "Maria Chen"}, "U2": {"real_name": "Tom Berg"}},
    "messages": [
        {"user": "U2", "text": "On it, <@U1>.", "ts": "1777795300.000200"},
        {"user": "U1", "text": "The pump is down.", "ts": "1777795200.000100"},
        {"user": "U1", "subtype": "channel_join", "text": "joined", "ts": "1777795100.0"},
    ],
}
NOTE = "---\ntitle: Lake house\ntags: [house]\n---\n# Plans\n\nPaint it with [[Tom Berg|Tom]].\n\nBuy tea.\n"


def processed(memory: Memory, ada: UserMemory, content: Any, **options: Any) -> list[Passage]:
    key = ada.add(content, **options)
    env = memory.env
    process_source(env, env.registry.scope_of("ada"), key)
    return list(ada.read(key).passages)


def source(ada: UserMemory, passages: list[Passage]) -> Source:
    node = ada.read(passages[0].source_key).node
    assert isinstance(node, Source)
    return node


def test_a_meeting_as_subtitles(memory: Memory, ada: UserMemory) -> None:
    made = processed(memory, ada, VTT, type="meeting", started_at=START, title="Standup")

    assert [(one.speaker, one.text) for one in made] == [
        ("Maria Chen", "The lease is signed. Until 2029."),
        ("Tom Berg", "At last."),
    ]
    assert [one.at for one in made] == [START + timedelta(seconds=1), START + timedelta(minutes=1)]
    assert VTT[made[1].start : made[1].end] == "At last."
    assert source(ada, made).provenance == {"people": ["Maria Chen", "Tom Berg"]}


def test_a_voice_memo_as_subtitles(memory: Memory, ada: UserMemory) -> None:
    made = processed(memory, ada, SRT, type="voice-memo", started_at=START)

    assert [(one.speaker, one.text) for one in made] == [("Tom", "Hello there. Good.")]
    assert source(ada, made).content_type is ContentType.CONVERSATION


def test_a_voice_memo_as_lines_of_json(memory: Memory, ada: UserMemory) -> None:
    lines = [{"speaker": "Ada", "text": "Buy tea.", "start": 3, "id": "s1"}]
    raw = "\n".join(map(json.dumps, lines))
    (made,) = processed(memory, ada, raw, type="voice-memo", started_at=START)

    assert (made.speaker, made.text, made.ref) == ("Ada", "Buy tea.", "s1")
    assert made.at == START + timedelta(seconds=3)
    assert raw[made.start : made.end] == raw


def test_the_mind_says_what_something_was_for_where_nobody_else_does(
    memory: Memory, ada: UserMemory, mind: ScriptedMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    def topics(reading: Reading) -> Topics:
        tells = "ideas" in reading.passages[0].text
        context = ContextType.BRAINSTORMING if tells else None
        return Topics(keywords=(), tags=(), context=context)

    monkeypatch.setattr(mind, "topics", topics)
    talk = [{"speaker": "Ada", "text": "Ten ideas for the boat?"}]
    cases = (
        ({"content": talk}, ContextType.BRAINSTORMING),
        ({"content": "Some ideas for the boat."}, ContextType.BRAINSTORMING),
        ({"content": "The boat is blue."}, ContextType.PERSONAL_REFLECTION),
        ({"content": "My ideas of today.", "context": "personal-reflection"}, None),
        ({"content": "More ideas.", "title": "Call with Tom"}, ContextType.PHONE_CALL),
        ({"content": "From: a@b.c\n\nTwo ideas.", "type": "email"}, ContextType.EMAIL_THREAD),
    )
    keys = [ada.add(**given) for given, _ in cases]
    memory.work()
    found = [
        source.context_type for key in keys if isinstance(source := ada.read(key).node, Source)
    ]
    assert found == [one or ContextType.PERSONAL_REFLECTION for _, one in cases]
    with memory.rebuild() as made:
        made.switch()
    again = [
        source.context_type for key in keys if isinstance(source := ada.read(key).node, Source)
    ]
    assert again == found


def test_a_plain_transcript(memory: Memory, ada: UserMemory) -> None:
    raw = "[00:00:05] Ada: Where is the key?\n[00:00:09] Tom: Under the pot.\n"
    made = processed(memory, ada, raw, type="conversation", started_at=START)

    assert [(one.speaker, raw[one.start : one.end]) for one in made] == [
        ("Ada", "Where is the key?"),
        ("Tom", "Under the pot."),
    ]
    assert made[1].at == START + timedelta(seconds=9)


def test_a_letter(memory: Memory, ada: UserMemory) -> None:
    (made,) = processed(memory, ada, MAIL, type="email")
    node = source(ada, [made])

    assert (made.speaker, made.text) == ("Maria Chen", "It will be mended on Thursday.")
    assert made.ref == "<boiler-2@example.org>"
    assert made.at == node.started_at == datetime(2026, 5, 3, 16, 30, tzinfo=UTC)
    assert MAIL[made.start : made.end] == made.text
    assert node.title == "Re: The boiler"
    assert node.participants == ("ada",)
    assert node.provenance["people"] == [
        "Maria Chen <maria@example.org>",
        "Ada Lindqvist <ada@example.net>",
    ]


def test_a_thread_of_letters(memory: Memory, ada: UserMemory) -> None:
    letters = [
        {
            "from": "Tom <t@x.no>",
            "date": "2026-05-02T10:00:00Z",
            "body": "Yes.\n\n> Tea?",
            "id": "2",
        },
        {"from": "Ada", "date": "2026-05-01T10:00:00Z", "body": "Tea?", "id": "1"},
    ]
    made = processed(memory, ada, {"subject": "Tea", "messages": letters}, type="email")

    assert [(one.speaker, one.text, one.ref) for one in made] == [
        ("Ada", "Tea?", "1"),
        ("Tom", "Yes.", "2"),
    ]
    assert source(ada, made).started_at == datetime(2026, 5, 1, 10, tzinfo=UTC)


def test_a_chat(memory: Memory, ada: UserMemory) -> None:
    made = processed(memory, ada, CHAT, type="slack-thread")

    assert [(one.speaker, one.text, one.ref) for one in made] == [
        ("Maria Chen", "The pump is down.", "1777795200.000100"),
        ("Tom Berg", "On it, @Maria Chen.", "1777795300.000200"),
    ]
    assert made[0].at == source(ada, made).started_at
    assert source(ada, made).provenance["people"] == ["Maria Chen", "Tom Berg"]


def test_a_note(memory: Memory, ada: UserMemory) -> None:
    made = processed(memory, ada, NOTE)
    node = source(ada, made)

    assert [one.text for one in made] == ["Plans\n\nPaint it with Tom.", "Buy tea."]
    assert NOTE[made[1].start : made[1].end] == "Buy tea."
    assert (node.title, node.provenance) == (
        "Lake house",
        {"mentions": ["Tom Berg"], "tags": ["house"]},
    )


def test_processing_again_gives_the_same(memory: Memory, ada: UserMemory) -> None:
    env = memory.env
    scope = env.registry.scope_of("ada")
    for content, kind in ((VTT, "meeting"), (MAIL, "email"), (CHAT, "slack-thread"), (NOTE, None)):
        before = processed(memory, ada, content, type=kind)
        process_source(env, scope, before[0].source_key, again=True)

        assert list(ada.read(before[0].source_key).passages) == before


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ({"from": "tom@x.no", "subject": "nothing in it"}, "email"),
        ({"channel": "ops", "messages": [{"user": "U1"}]}, "slack-thread"),
        ("WEBVTT\n\nNOTE nothing in it", "meeting"),
    ],
)
def test_what_cannot_be_read_is_refused_at_the_door(
    ada: UserMemory, content: Any, kind: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        ada.add(content, type=kind)

    assert caught.value.field == "content"
    assert ada.jobs() == []


def test_a_poisonous_source_is_parked_and_delays_no_other(
    ada: UserMemory, clock: SteppedClock, mind: ScriptedMind
) -> None:
    clean = mind.clean

    def choke(pieces: Any, content_type: ContentType) -> Any:
        if any("poison" in one for one in pieces):
            raise MindError("it tastes of almonds")
        return clean(pieces, content_type)

    mind.clean = choke  # type: ignore[method-assign]
    bad = ada.add("A note full of poison.")
    good = ada.add("A note of no importance.")
    for _ in range(10):
        ada.work()
        clock.advance(timedelta(hours=1))

    parked = [one for one in ada.jobs([JobState.PARKED]) if one.payload["source_key"] == bad]
    assert ["almonds" in (one.error or "") for one in parked] == [True]
    assert ada.read(good).passages
    assert ada.read(bad).raw == "A note full of poison."
