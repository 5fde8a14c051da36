"""mem0's language for which memories are meant."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi")

from remanent.errors import InvalidInput
from remanent_mem0.reach import fits, named_users

pytestmark = pytest.mark.quick

MEMORY = {
    "id": "m1",
    "memory": "Loves Pizza",
    "user_id": "ada",
    "agent_id": "bot",
    "run_id": None,
    "categories": ["preference"],
    "metadata": {"n": 3, "tags": ["a", "b"], "where": "Oslo"},
    "created_at": "2026-05-04T09:00:00+00:00",
}


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"user_id": "ada"},
        {"AND": [{"user_id": "ada"}, {"agent_id": "bot"}]},
        {"OR": [{"user_id": "bob"}, {"agent_id": "bot"}]},
        {"NOT": [{"user_id": "bob"}]},
        {"NOT": {"run_id": "*"}},
        {"AND": [{"OR": [{"user_id": "x"}, {"user_id": "ada"}]}, {"NOT": [{"agent_id": "y"}]}]},
        {"user_id": "*"},
        {"user_id": {"in": ["ada", "bob"]}},
        {"categories": {"in": ["preference", "x"]}},
        {"categories": {"contains": "pref"}},
        {"metadata": {"n": 3}},
        {"metadata": {"n": {"gte": 3, "lt": 4}}},
        {"n": {"gt": 2}},
        {"tags": "b"},
        {"where": {"ne": "Rome"}},
        {"where": {"nin": ["Rome"]}},
        {"memory": {"icontains": "pizza"}},
        {"keywords": {"contains": "Pizza"}},
        {"created_at": {"gte": "2026-05-04", "lte": "2026-05-04"}},
        {"created_at": {"lt": "2026-05-05T00:00:00Z"}},
        {"memory_ids": ["m1", "m2"]},
        {"run_id": None},
    ],
)
def test_it_is_meant(wanted: dict[str, Any]) -> None:
    assert fits(MEMORY, wanted)
    assert not fits(MEMORY, {"NOT": [wanted]})


@pytest.mark.parametrize(
    "wanted",
    [
        {"user_id": "bob"},
        {"run_id": "*"},
        {"OR": []},
        {"AND": [{"user_id": "ada"}, {"agent_id": "other"}]},
        {"metadata": {"n": "3"}},
        {"metadata": {"missing": 1}},
        {"memory": {"contains": "pizza"}},
        {"created_at": {"gt": "2026-05-05"}},
        {"n": {"gt": "2"}},
    ],
)
def test_it_is_not_meant(wanted: dict[str, Any]) -> None:
    assert not fits(MEMORY, wanted)


@pytest.mark.parametrize(
    "wanted",
    [{"user_id": {"like": "a"}}, {"AND": ["x"]}, {"metadata": "x"}],
)
def test_what_cannot_be_read_is_refused(wanted: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="filters"):
        fits(MEMORY, wanted)


def test_a_bottomless_filter_is_refused() -> None:
    wanted: dict[str, Any] = {"user_id": "ada"}
    for _ in range(30):
        wanted = {"AND": [wanted]}
    for ask in (lambda: fits(MEMORY, wanted), lambda: named_users(wanted)):
        with pytest.raises(InvalidInput, match="nested"):
            ask()


@pytest.mark.parametrize(
    ("wanted", "users"),
    [
        ({}, None),
        ({"agent_id": "x"}, None),
        ({"user_id": "*"}, None),
        ({"user_id": "ada"}, {"ada"}),
        ({"user_id": {"in": ["ada", "bob"]}}, {"ada", "bob"}),
        ({"user_id": {"ne": "ada"}}, None),
        ({"AND": [{"user_id": "ada"}, {"agent_id": "x"}]}, {"ada"}),
        ({"AND": [{"user_id": "ada"}, {"user_id": "bob"}]}, set()),
        ({"OR": [{"user_id": "ada"}, {"user_id": "bob"}]}, {"ada", "bob"}),
        ({"OR": [{"user_id": "ada"}, {"agent_id": "x"}]}, None),
        ({"NOT": [{"user_id": "ada"}]}, None),
    ],
)
def test_whose_memories_alone_can_be_meant(wanted: dict[str, Any], users: set[str] | None) -> None:
    assert named_users(wanted) == users
