"""ChatGPT and Claude: the conversation that was seen, once, with its ids and times."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from importing import (
    chatgpt,
    claude,
    detect,
    items,
    node,
    offers,
    skipped,
    unzipped,
    written,
    zipped,
)

from remanent.ingest.importers.fields import CHUNK_BYTES
from remanent.ingest.rules.dedupe import Skipped

pytestmark = pytest.mark.quick

TALK = chatgpt(
    node("s", "root", "system", "You are helpful."),
    node("a", "s", "user", "My boat leaks."),
    node("b", "a", "assistant", "search()", recipient="browser"),
    node("c", "b", "tool", "results"),
    node("d", "c", "assistant", "Use epoxy.", at=1_772_445_660.5),
)
SAID = [("human", "Fish soup?"), ("assistant", "With dill."), ("human", "")]


def test_a_chatgpt_conversation_becomes_turns_with_ids_and_times(tmp_path: Path) -> None:
    (request,) = offers(written(tmp_path / "conversations.json", [TALK]))

    assert request.content == [
        {"speaker": "user", "text": "My boat leaks.", "id": "a", "at": "2026-03-02T10:00:00+00:00"},
        {
            "speaker": "assistant",
            "text": "Use epoxy.",
            "id": "d",
            "at": "2026-03-02T10:01:00.500000+00:00",
        },
    ]
    assert (request.type, request.title, request.origin_id) == (
        "conversation",
        "Boats",
        "chatgpt:c1",
    )
    assert request.started_at == datetime(2026, 3, 2, 10, tzinfo=UTC)


def test_only_the_branch_that_was_shown_last_comes_in(tmp_path: Path) -> None:
    talk = chatgpt(
        node("a", "root", "user", "My boat leaks."),
        node("b", "a", "assistant", "Sell it."),
        node("c", "a", "assistant", "Use epoxy."),
    )
    (request,) = offers(written(tmp_path / "conversations.json", [talk]))

    assert [turn["text"] for turn in request.content] == ["My boat leaks.", "Use epoxy."]  # type: ignore[union-attr,index]


def test_without_a_current_node_the_newest_end_counts(tmp_path: Path) -> None:
    talk = chatgpt(
        node("a", "root", "user", "One", at=1.0),
        node("b", "a", "assistant", "newer", at=9.0),
        node("c", "a", "assistant", "older", at=3.0),
    )
    (request,) = offers(written(tmp_path / "conversations.json", [{**talk, "current_node": None}]))

    assert [turn["id"] for turn in request.content] == ["a", "b"]  # type: ignore[union-attr,index]


def test_a_chain_that_bites_its_tail_ends(tmp_path: Path) -> None:
    talk = chatgpt(node("a", "b", "user", "One"), node("b", "a", "assistant", "Two"))
    (request,) = offers(written(tmp_path / "conversations.json", [talk]))

    assert [turn["id"] for turn in request.content] == ["a", "b"]  # type: ignore[union-attr,index]


def test_what_was_spoken_is_said_and_what_was_thought_is_not(tmp_path: Path) -> None:
    talk = chatgpt(
        node("t", "root", "assistant", "hm", content_type="thoughts"),
        node("h", "t", "user", "hidden", metadata={"is_visually_hidden_from_conversation": True}),
        node(
            "a", "h", "user", {"content_type": "image_asset_pointer"},
            {"content_type": "audio_transcription", "text": "Hello"}, "there",
            content_type="multimodal_text", at=None,
        ),
    )  # fmt: skip
    (request,) = offers(written(tmp_path / "conversations.json", [talk]))

    assert request.content == [{"speaker": "user", "text": "Hello\nthere", "id": "a"}]


def test_a_claude_conversation_becomes_turns_with_ids_and_times(tmp_path: Path) -> None:
    (request,) = offers(written(tmp_path / "conversations.json", [claude(*SAID)]))

    assert request.content == [
        {"speaker": "user", "text": "Fish soup?", "id": "u1-0", "at": "2026-03-02T10:00:00+00:00"},
        {
            "speaker": "assistant",
            "text": "With dill.",
            "id": "u1-1",
            "at": "2026-03-02T10:01:00+00:00",
        },
    ]
    assert (request.title, request.origin_id) == ("Soup", "claude:u1")


def test_claude_speaks_in_blocks_or_in_one_text(tmp_path: Path) -> None:
    talk = claude(("human", "old"), ("assistant", "both"))
    talk["chat_messages"][0] |= {"content": None}
    talk["chat_messages"][1] |= {
        "text": "Let me look. This block is not supported.",
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "name": "search"},
            {"type": "text", "text": "Here."},
        ],
    }
    (request,) = offers(written(tmp_path / "conversations.json", [talk]))

    assert [turn["text"] for turn in request.content] == ["old", "Let me look.\nHere."]  # type: ignore[union-attr,index]


@pytest.mark.parametrize(("talk", "format_"), [(TALK, "chatgpt"), (claude(*SAID), "claude")])
def test_the_zip_the_folder_and_the_file_are_told_apart(
    tmp_path: Path, talk: object, format_: str
) -> None:
    rest = {
        "user.json": {"id": "x"},
        "chat.html": "<html>",
        "shared_conversations.json": [{"id": 1}],
    }
    archive = zipped(tmp_path / "export.zip", {**rest, "conversations.json": [talk]})
    folder = unzipped(tmp_path / "export", {**rest, "conversations.json": [talk]})
    file = written(tmp_path / "conversations.json", [talk])
    renamed = written(tmp_path / "mine", [talk])

    assert {detect(one) for one in (archive, folder, file, renamed)} == {format_}
    assert offers(archive) == offers(folder) == offers(file) == offers(renamed)
    assert len(offers(archive)) == 1


def test_an_export_in_parts_is_read_in_order(tmp_path: Path) -> None:
    parts = {
        f"conversations-00{number}.json": [
            chatgpt(node("a", "root", "user", "Hi"), key=str(number))
        ]
        for number in (1, 0)
    }
    archive = zipped(tmp_path / "export.zip", parts)

    assert [one.origin_id for one in offers(archive)] == ["chatgpt:0", "chatgpt:1"]


def test_what_is_wrong_is_told_and_the_rest_comes_in(tmp_path: Path) -> None:
    nameless = {**TALK, "conversation_id": None}
    path = written(
        tmp_path / "conversations.json",
        [TALK, 7, chatgpt(title="Empty"), {"title": "Odd", "mapping": []}, nameless],
    )

    assert len(offers(path)) == 1
    assert skipped(path) == [
        ("conversations.json, conversation 2", "is not a conversation"),
        ("conversations.json, conversation 3 “Empty”", "has no message of a person or an assistant with text in it"),
        ("conversations.json, conversation 4 “Odd”", "has no message of a person or an assistant with text in it"),
        ("conversations.json, conversation 5 “Boats”", "has no id"),
    ]  # fmt: skip


def test_a_file_cut_short_gives_what_it_still_has(tmp_path: Path) -> None:
    text = json.dumps([TALK, TALK | {"conversation_id": "c2"}])
    for end in (len(text) - 1, len(text) - 40, len(text) // 2 + 20):
        path = written(tmp_path / "conversations.json", text[:end])
        assert offers(path)[0].origin_id == "chatgpt:c1"
        where, why = skipped(path)[-1]
        assert where.startswith("conversations.json, after conversation")
        assert "breaks off" in why or "not JSON" in why


def test_bad_json_in_the_middle_is_seen_before_the_end(tmp_path: Path) -> None:
    path = written(
        tmp_path / "conversations.json", f"[{json.dumps(TALK)}, {{oops}}, {'9, ' * 99} 1]"
    )

    assert len(offers(path)) == 1
    assert len(skipped(path)) == 1


def test_deep_nesting_is_no_crash(tmp_path: Path) -> None:
    path = written(tmp_path / "conversations.json", f"[{json.dumps(TALK)}, {'[' * 200_000}")

    assert len(offers(path)) == 1
    assert "nested too deeply" in skipped(path)[0][1]


def test_elements_longer_than_a_chunk_and_cut_at_any_place(tmp_path: Path) -> None:
    long = 'ä\\"]},{[' * (CHUNK_BYTES // 5)
    talks = [chatgpt(node("a", "root", "user", long * (n % 2) + "!"), key=str(n)) for n in range(4)]
    text = json.dumps(talks, ensure_ascii=False, indent=1)
    found = offers(written(tmp_path / "conversations.json", text))

    assert [one.origin_id for one in found] == [f"chatgpt:{n}" for n in range(4)]
    assert found[1].content[0]["text"] == long + "!"  # type: ignore[index]


def test_half_characters_and_nul_become_a_mark(tmp_path: Path) -> None:
    talk = chatgpt(node("a", "root", "user", "x\x00y\ud83d"))
    (request,) = offers(written(tmp_path / "conversations.json", [talk]))

    assert request.content[0]["text"] == "x\ufffdy\ufffd"  # type: ignore[index]


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    talks = [chatgpt(node("a", "root", "user", "x" * 400_000), key=str(n)) for n in range(9)]
    shares = [one.share for one in items(written(tmp_path / "conversations.json", talks))]

    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5
    assert shares[-1] == 1.0


def test_a_list_under_a_name_is_a_list(tmp_path: Path) -> None:
    path = written(tmp_path / "conversations.json", {"conversations": [claude(*SAID)]})

    assert [one.origin_id for one in offers(path, "claude")] == ["claude:u1"]


def test_an_empty_list_holds_nothing(tmp_path: Path) -> None:
    assert items(written(tmp_path / "conversations.json", " [ ] "), "chatgpt") == []
    assert isinstance(items(written(tmp_path / "c.json", "nothing"), "claude")[0], Skipped)
