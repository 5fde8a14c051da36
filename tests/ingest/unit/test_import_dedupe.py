"""What importing again does: nothing to what is known, and only the new of what has grown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.checks import IntakeRules
from remanent.ingest.rules.dedupe import (
    ImportedSource,
    ImportOutcome,
    Leave,
    Take,
    decide,
    known_source,
    next_origin,
)
from remanent.ingest.rules.request import AddRequest, checked

pytestmark = pytest.mark.quick

NOW = datetime(2026, 3, 14, tzinfo=UTC)
CHAT = AddRequest(content=[{"text": "Hi", "id": "1"}, {"text": "Hello", "id": "2"}], origin_id="c")

_TEXTS = st.sampled_from(["yes", "no", "well"])
_TURNS = st.lists(
    st.fixed_dictionaries({"text": _TEXTS}, optional={"speaker": st.sampled_from("ab")}), min_size=1
)


def told(
    request: AddRequest, chain: Sequence[AddRequest], *, versioned: bool = False
) -> Leave | Take:
    drafts = [
        checked(one, user_id="ann", now=NOW, rules=IntakeRules()) for one in (request, *chain)
    ]
    known = [known_source(one.raw, is_json=one.is_json) for one in drafts[1:]]
    return decide(ImportedSource(request=request, where="w", versioned=versioned), drafts[0], known)


def chat(*turns: dict[str, Any], **fields: Any) -> AddRequest:
    return AddRequest(content=list(turns), origin_id="c", **fields)


def test_the_same_again_is_left() -> None:
    assert told(CHAT, [CHAT]) == Leave()


def test_what_went_on_is_taken_from_there() -> None:
    more = {"text": "How are you?", "id": "3", "at": "2026-03-02T10:00:00+00:00"}
    decision = told(chat(*CHAT.content, more, title="T", started_at=NOW), [CHAT])  # type: ignore[arg-type]

    assert isinstance(decision, Take)
    assert decision.fate is ImportOutcome.GROWN
    assert decision.request.content == [more]
    assert decision.request.origin_id == "c+2"
    assert decision.request.started_at == datetime(2026, 3, 2, 10, tzinfo=UTC)
    assert decision.request.title == "T"


def test_an_older_export_takes_nothing_back() -> None:
    assert told(chat({"text": "Hi", "id": "1"}), [CHAT]) == Leave()


def test_another_branch_brings_only_its_own_turns() -> None:
    decision = told(chat({"text": "Hi", "id": "1"}, {"text": "Good day", "id": "9"}), [CHAT])

    assert isinstance(decision, Take)
    assert decision.request.content == [{"text": "Good day", "id": "9"}]


def test_a_turn_that_reads_otherwise_under_its_id_is_the_same_turn() -> None:
    assert told(chat({"text": "Hi!", "id": "1"}, {"text": "Hello", "id": "2"}), [CHAT]) == Leave()


def test_nothing_but_blank_is_no_growth() -> None:
    assert told(chat(*CHAT.content, {"text": " ", "id": "3"}), [CHAT]) == Leave()  # type: ignore[arg-type]


def test_threads_grow_by_messages_and_edits() -> None:
    first = {"ts": "1772445600.0", "text": "Who?", "user": "U1"}
    thread = {"channel": "general", "users": {"U1": "Ada"}, "messages": [first]}
    edited = {**first, "text": "Who is it?", "edited": {"ts": "1772445700.0"}}
    reply = {"ts": "1772445660.0", "text": "Me.", "user": "U2"}
    request = AddRequest(content=thread, type="slack-thread", origin_id="s")
    decision = told(
        AddRequest(
            content={**thread, "users": {}, "messages": [edited, reply]},
            type="slack-thread",
            origin_id="s",
        ),
        [request],
    )

    assert isinstance(decision, Take)
    assert decision.request.content == {
        "channel": "general",
        "users": {},
        "messages": [edited, reply],
    }
    assert decision.request.origin_id == "s+1"
    assert decision.request.started_at == datetime(2026, 3, 2, 10, tzinfo=UTC)


def test_a_text_is_its_origin_and_a_versioned_text_its_content() -> None:
    old, new = (AddRequest(content=text, origin_id="f") for text in ("old", "new"))

    assert told(new, [old]) == Leave()
    assert told(old, [old], versioned=True) == Leave()
    decision = told(new, [old], versioned=True)
    assert isinstance(decision, Take)
    assert decision.fate is ImportOutcome.CHANGED
    assert str(decision.request.origin_id).startswith("f@")
    assert told(new, [old, new], versioned=True) == Leave()


def test_a_record_without_messages_is_its_origin() -> None:
    old, new = (AddRequest(content={"body": text}, origin_id="r") for text in ("old", "new"))

    assert told(new, [old]) == Leave()


def test_times_that_are_none_are_no_trouble() -> None:
    record = {"messages": [{"text": "a", "at": "soon"}, {"text": "b", "ts": "later"}]}
    decision = told(
        AddRequest(content=record, origin_id="r"),
        [AddRequest(content={"messages": [{"text": "x"}]}, origin_id="r")],
    )

    assert isinstance(decision, Take)
    assert decision.request.started_at is None


@given(_TURNS, st.integers(0, 100))
def test_imported_in_two_steps_nothing_is_lost_or_doubled(turns: list[Any], cut: int) -> None:
    """Even where turns have no ids and say the same."""
    first = turns[: max(1, cut % len(turns))]
    decision = told(chat(*turns), [chat(*first)])

    if len(first) == len(turns):
        assert decision == Leave()
    else:
        assert isinstance(decision, Take)
        assert [*first, *decision.request.content] == turns
        assert decision.request.origin_id == f"c+{len(first)}"
        assert told(chat(*turns), [chat(*first), decision.request]) == Leave()


def test_a_chain_ends_where_nothing_can_follow() -> None:
    text = known_source("only text", is_json=False)

    assert next_origin("c", [text]) is None
    assert next_origin("c", [known_source('[{"text":"a"}]', is_json=True)]) == "c+1"
