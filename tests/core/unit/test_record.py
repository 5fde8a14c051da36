"""Every noun survives being written down as JSON and read again."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Any

import pytest
from effort import times
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.core.model.anchor import Concept, Entity, Name, Note, Person
from remanent.core.model.belief import Belief
from remanent.core.model.codec import NODE_TYPES, from_record, to_record
from remanent.core.model.event import Event
from remanent.core.model.job import Job
from remanent.core.model.mind_types import Extraction
from remanent.core.model.node import INDEX_ONLY, Kind, Node
from remanent.core.model.page import title_of
from remanent.core.model.relationship import Assertion, Link, LinkKind, Relationship
from remanent.core.model.source import Passage, RawSource
from remanent.core.records.access import Membership, Team, User
from remanent.core.records.spending import Answer

pytestmark = pytest.mark.quick

OTHER_TYPES = (
    Answer,
    Assertion,
    Event,
    Extraction,
    Job,
    Link,
    Membership,
    Name,
    Note,
    Passage,
    RawSource,
    Relationship,
    Team,
    User,
)

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
moments = st.timedeltas(timedelta(0), timedelta(days=80_000)).map(lambda age: EPOCH + age)
scalars = st.none() | st.booleans() | st.integers() | text
json_objects = st.dictionaries(text, st.lists(scalars, max_size=2) | scalars, max_size=3)
PLAIN = {
    str: text,
    bool: st.booleans(),
    int: st.integers(-(2**60), 2**60),
    float: st.floats(allow_nan=False, allow_infinity=False),
    datetime: moments,
    date: st.dates(),
    Any: scalars,  # a value put right by hand
}


def of(hint: Any) -> st.SearchStrategy[Any]:
    """Any value the hint allows."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return st.one_of([st.none() if one is types.NoneType else of(one) for one in args])
    if origin is tuple:
        return st.lists(of(args[0]), max_size=2).map(tuple)
    if origin is Mapping:
        return json_objects
    if dataclasses.is_dataclass(hint):
        return built(hint)
    return st.sampled_from(hint) if issubclass(hint, Enum) else PLAIN[hint]


def built(type_: Any) -> st.SearchStrategy[Any]:
    """Any instance, every field drawn."""
    hints = typing.get_type_hints(type_)
    return st.builds(type_, **{f.name: of(hints[f.name]) for f in dataclasses.fields(type_)})


def there_and_back(thing: Any) -> Any:
    return from_record(type(thing), json.loads(json.dumps(to_record(thing))))


def test_every_kind_of_node_is_known() -> None:
    assert set(NODE_TYPES) == set(Kind) - INDEX_ONLY
    assert all(type_.kind is kind for kind, type_ in NODE_TYPES.items())


@pytest.mark.parametrize("type_", [*NODE_TYPES.values(), *OTHER_TYPES], ids=lambda t: t.__name__)
@settings(max_examples=times(15, 300))
@given(data=st.data())
def test_there_and_back(type_: type, data: st.DataObject) -> None:
    thing = data.draw(built(type_))
    assert there_and_back(thing) == thing
    if isinstance(thing, Node):
        assert f"user:{thing.user_id}" in thing.readers
        assert title_of(thing)


def test_unknown_names_are_passed_over_and_missing_ones_take_their_default() -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    concept = Concept(
        key="c", user_id="ada", created_at=now, updated_at=now, name="sea", created_by="mind"
    )
    record = to_record(concept) | {"mood": "blue"}
    del record["aliases"], record["life"]
    assert from_record(Concept, record) == concept


def test_what_is_ready_is_taken_as_it_is() -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    link = Link(user_id="ada", kind=LinkKind.ABOUT, src="a", dst="b", created_at=now)
    record = to_record(link)
    del record["created_at"]
    assert from_record(Link, record, ready={"created_at": now}) == link


def test_a_value_that_no_enum_has_is_refused() -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    link = Link(user_id="ada", kind=LinkKind.ABOUT, src="a", dst="b", created_at=now)
    with pytest.raises(ValueError, match="hearsay"):
        from_record(Link, to_record(link) | {"kind": "hearsay"})


def test_sets_become_lists_and_keys_become_text() -> None:
    assert to_record({1: {2}, "a": frozenset({3})}) == {"1": [2], "a": [3]}


def test_a_class_is_not_a_thing() -> None:
    assert to_record(Concept) is Concept


def test_what_makes_a_node_unique() -> None:
    fields: dict[str, Any] = {
        "key": "k",
        "user_id": "ada",
        "created_at": EPOCH,
        "updated_at": EPOCH,
    }
    anchor = fields | {"name": "Blue  Note", "created_by": "mind"}
    assert Concept(**anchor).natural == "blue-note"
    assert Entity(**anchor, type="location").natural == "blue-note|location"
    assert Person(**anchor, canonical_name="blue-note").natural == "blue-note"
    assert Belief(**fields, statement="so", since=EPOCH).natural is None
