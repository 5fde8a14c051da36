"""Keys are the same for the same thing, and other for another."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.event import event_key
from remanent.core.model.keys import canonical_name, content_hash, key_for, time_ordered

pytestmark = pytest.mark.quick

words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
moments = st.timedeltas(timedelta(0), timedelta(days=180_000)).map(lambda age: EPOCH + age)
MILLISECOND = timedelta(milliseconds=1)
tails = st.binary(min_size=10, max_size=10)


class TestKeyFor:
    def test_is_the_same_for_ever(self) -> None:
        """A changed value here means that every memory on disk loses its keys."""
        assert key_for("ada", "person", "sarah-chen") == "300538fb-d8c5-50f3-b4a7-376bc9f7a466"

    @given(user=words, kind=words, natural=st.lists(words, max_size=3))
    def test_is_a_uuid_and_deterministic(self, user, kind, natural) -> None:
        key = key_for(user, kind, *natural)
        assert key == key_for(user, kind, *natural)
        assert str(uuid.UUID(key)) == key

    @given(
        one=st.lists(words, min_size=2, max_size=4), other=st.lists(words, min_size=2, max_size=4)
    )
    def test_tells_things_apart(self, one: list[str], other: list[str]) -> None:
        assert (key_for(*one) == key_for(*other)) is (one == other)

    def test_two_users_may_give_one_event_id(self) -> None:
        assert event_key("ada", "e1") == key_for("ada", "event", "e1") != event_key("bob", "e1")


class TestTimeOrdered:
    @given(at=moments, tail=tails)
    def test_is_a_uuid_of_version_7(self, at: datetime, tail: bytes) -> None:
        value = uuid.UUID(time_ordered(at, tail))
        assert (value.version, value.variant) == (7, uuid.RFC_4122)
        assert abs((value.int >> 80) * MILLISECOND - (at - EPOCH)) <= MILLISECOND

    @given(at=moments, step=st.integers(2, 10**9), one=tails, other=tails)
    def test_sorts_by_time(self, at: datetime, step: int, one: bytes, other: bytes) -> None:
        later = at + step * MILLISECOND
        assert time_ordered(at, one) < time_ordered(later, other)

    def test_the_tail_tells_moments_apart(self) -> None:
        at = datetime(2026, 3, 1, tzinfo=UTC)
        assert time_ordered(at, bytes(10)) != time_ordered(at, b"\x01" * 10)


class TestContentHash:
    def test_is_sha256(self) -> None:
        empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        assert content_hash("") == empty

    @given(one=st.text(), other=st.text())
    def test_tells_texts_apart(self, one: str, other: str) -> None:
        assert (content_hash(one) == content_hash(other)) is (one == other)

    def test_half_a_surrogate_pair_is_text_too(self) -> None:
        assert len(content_hash("\ud83d")) == 64


class TestCanonicalName:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("Sarah  Chén", "sarah-chén"),
            ("Sarah Che\u0301n", "sarah-chén"),
            (" SARAH-chén! ", "sarah-chén"),
            ("O'Brien", "o-brien"),
            ("snake_case", "snake-case"),
            ("Straße", "strasse"),
            ("ＡＣＭＥ ２", "acme-2"),
            ("李 明", "李-明"),
            ("?!", ""),
            ("", ""),
        ],
    )
    def test_examples(self, name: str, expected: str) -> None:
        assert canonical_name(name) == expected

    @given(parts=st.lists(st.text("abcXYZéß19", min_size=1), min_size=1, max_size=4))
    def test_spaces_and_case_do_not_matter(self, parts: list[str]) -> None:
        name = " ".join(parts)
        assert canonical_name(f"  {'   '.join(parts)}.") == canonical_name(name)
        assert canonical_name(name.upper()) == canonical_name(name)
        assert canonical_name(canonical_name(name)) == canonical_name(name)
