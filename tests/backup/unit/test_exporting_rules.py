"""Lines of an exported memory, written and read with suspicion."""

from __future__ import annotations

import gzip
import io
import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.backup import rules as exporting
from remanent.core import jsonl
from remanent.core.decode import revived
from remanent.core.jsonl import JsonLines
from remanent.core.model.codec import to_record
from remanent.core.model.event import EVENTS_ENRICHED, EventNode
from remanent.core.model.node import Kind
from remanent.core.model.source import Sensitivity
from remanent.core.records.export import (
    Ending,
    EntryRecord,
    ExportRecord,
    Header,
    MoveProgress,
    Position,
    RecordKind,
)
from remanent.errors import InvalidInput
from remanent_conformance.builders import (
    MOMENT,
    a_belief,
    a_concept,
    a_job,
    a_link,
    a_note,
    a_person,
    a_relationship,
    a_source,
    a_storyline,
    a_user,
    an_answer,
    an_assertion,
    an_entity,
    an_event,
    an_extraction,
)

pytestmark = pytest.mark.quick

USERS = frozenset({"ann"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    text: str
    count: int = 0
    share: float = 0.0
    flag: bool = False
    at: datetime | None = None
    day: date | None = None
    sort: Sensitivity = Sensitivity.LOW
    names: tuple[str, ...] = ()
    inner: Position | None = None


texts = st.text(st.characters(exclude_categories=["Cs"]))
things = st.builds(
    Thing,
    text=texts,
    count=st.integers(-(2**63) + 1, 2**63 - 1),
    share=st.floats(allow_nan=False, allow_infinity=False) | st.integers(0, 100),
    flag=st.booleans(),
    at=st.none() | st.datetimes(timezones=st.just(UTC)),
    day=st.none() | st.dates(),
    sort=st.sampled_from(Sensitivity),
    names=st.lists(texts).map(tuple),
    inner=st.none() | st.builds(Position, consumer=texts, seq=st.integers(0, 9)),
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


@given(things)
def test_what_was_taken_apart_comes_back(thing: Thing) -> None:
    record = json.loads(json.dumps(to_record(thing)))

    assert revived(Thing, record) == thing
    assert to_record(revived(Thing, record)) == record


@given(st.sampled_from(sorted(Thing.__dataclass_fields__)), anything)
def test_no_value_comes_through_that_is_not_of_its_type(name: str, value: Any) -> None:
    with suppress(InvalidInput):
        found = revived(Thing, {"text": "", name: value})
        assert to_record(getattr(found, name)) == value


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "value: must be an object"),
        ({}, "text: is missing"),
        ({"text": "", "more": 1}, "more: is no field of Thing"),
        ({"text": "\ud800"}, "text: is not valid Unicode"),
        ({"text": "", "inner": {"consumer": "", "seq": "1"}}, "inner.seq: '1' is not a whole"),
        ({"text": "", "share": float("nan")}, "share: nan is not a number"),
        ({"text": "", "at": "2026-01-01T00:00:00"}, "at: .* with its offset"),
        ({"text": "", "names": "abc"}, "names: must be a list"),
        ({"text": "", "count": True}, "count: True is not a whole number"),
    ],
)
def test_the_field_is_named(record: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        revived(Thing, record)


person, source = a_person(), a_source()
ENTRY = EntryRecord(key="k", kind=Kind.PASSAGE, owner_key="s", readers=("user:ann",), words="tea")
KEPT = [
    ExportRecord(sort=RecordKind.USER, user_id="ann", value=a_user()),
    ExportRecord(sort=RecordKind.EVENT, user_id="ann", value=an_event(seq=3)),
    *(
        ExportRecord(sort=RecordKind.NODE, user_id="ann", value=one)
        for one in (person, source, a_concept(), an_entity(), a_belief(), a_storyline(person.key))
    ),
    ExportRecord(
        sort=RecordKind.RELATIONSHIP,
        user_id="ann",
        value=a_relationship(person.key, a_concept().key),
    ),
    ExportRecord(sort=RecordKind.LINK, user_id="ann", value=a_link("a", "b"), elsewhere=True),
    ExportRecord(
        sort=RecordKind.ASSERTION,
        user_id="ann",
        value=an_assertion(source.key, person.key, a_concept().key),
    ),
    ExportRecord(sort=RecordKind.NOTE, user_id="ann", value=a_note(person.key)),
    ExportRecord(sort=RecordKind.ENTRY, user_id="ann", value=ENTRY),
    ExportRecord(sort=RecordKind.ANSWER, user_id="ann", value=an_answer()),
]


@pytest.mark.parametrize("one", KEPT, ids=lambda one: f"{one.sort}-{type(one.value).__name__}")
def test_a_record_is_read_as_it_was_written(one: ExportRecord) -> None:
    assert exporting.read_record(exporting.record_line(one), USERS) == one


def test_what_is_kept_word_for_word_stays_so() -> None:
    whole = to_record(an_extraction("s"))
    less = {name: whole[name] for name in ("source_key", "mind")}  # as an older version wrote it
    line = json.dumps({"record": "extraction", "user": "ann", "value": less})
    one = exporting.read_record(line, USERS)

    assert one.value == an_extraction("s")
    assert json.loads(exporting.record_line(one))["value"] == less


def test_first_and_last_line() -> None:
    header = Header(made_at=MOMENT, by="1", users=("ann",), whole=False, embedder="e", dimensions=3)
    ending = Ending(counts={"user": 1}, sha256="a", content="b")

    assert exporting.read_header(exporting.header_line(header)) == header
    assert exporting.read_ending(exporting.ending_line(ending)) == ending


@given(st.text())
def test_no_line_brings_the_reader_down(text: str) -> None:
    for read in (
        exporting.read_header,
        exporting.read_ending,
        lambda line: exporting.read_record(line, USERS),
    ):
        with pytest.raises(InvalidInput):
            read(text)


def test_places_in_the_ledger_move_wherever_they_are_named() -> None:
    node = EventNode(
        key="k", user_id="ann", event_id="e", event_type="t", text="", occurred_at=MOMENT,
        created_at=MOMENT, updated_at=MOMENT, seq=4,
    )  # fmt: skip
    told = an_event(seq=7, event_type=EVENTS_ENRICHED, payload={"from": 2, "until": 6})

    def moved(sort: RecordKind, value: Any) -> Any:
        return exporting.shifted(ExportRecord(sort=sort, user_id="ann", value=value), 10).value

    event = moved(RecordKind.EVENT, told)
    assert (event.seq, event.payload) == (17, {"from": 12, "until": 16})
    assert moved(RecordKind.EVENT, an_event(seq=1, payload={"from": 2})).payload == {"from": 2}
    assert moved(RecordKind.NODE, node).seq == 14
    assert moved(RecordKind.POSITION, Position(consumer="c", seq=5)).seq == 15
    job = a_job()
    assert moved(RecordKind.JOB, job) is job


def test_a_line_longer_than_any_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "LONGEST", 100)
    for squeezed in (False, True):
        text = b"a" * 50 + b"\n" + b"b" * 5000 + b"\n"
        raw = io.BytesIO(gzip.compress(text) if squeezed else text)
        lines = iter(JsonLines(raw, is_squeezed=squeezed))
        assert next(lines) == b"a" * 50
        with pytest.raises(InvalidInput, match="line 2: is longer than 100 bytes"):
            next(lines)


def test_a_share_is_from_none_to_all() -> None:
    assert [MoveProgress(done=1, total=4).share, MoveProgress(done=9, total=4).share] == [0.25, 1.0]
    assert MoveProgress(done=0, total=0).share == 1.0
