"""`remanent` exports what it says, and only that."""

import inspect

import pytest

import remanent
from remanent.aio import AsyncMemory, AsyncUserMemory
from remanent.memory import Memory, UserMemory

pytestmark = pytest.mark.quick


def test_every_public_name_is_there() -> None:
    for name in remanent.__all__:
        assert getattr(remanent, name) is not None


def test_other_names_are_not() -> None:
    assert not hasattr(remanent, "wiring_of_nothing")
    assert dir(remanent) == sorted(remanent.__all__)


def _verbs(face: type) -> dict[str, inspect.Signature]:
    return {
        name: inspect.signature(function)
        for name, function in inspect.getmembers(face, callable)
        if not name.startswith("_")
    }


def test_the_async_twin_has_the_same_verbs_with_the_same_signatures() -> None:
    assert _verbs(AsyncUserMemory) == _verbs(UserMemory)
    alike = _verbs(Memory).keys() - {"open", "user"}
    assert {name: _verbs(AsyncMemory)[name] for name in alike} == {
        name: _verbs(Memory)[name] for name in alike
    }
