"""Our dataclasses are those of the standard library, to whoever uses them."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Any, ClassVar

import pytest

from remanent.core.dataclasses import dataclass, field, replace

pytestmark = pytest.mark.quick


def makers() -> list[Any]:
    return [dataclass, dataclasses.dataclass]


def made(decorate: Any, **options: bool) -> Any:
    @decorate(slots=True, **options)
    class Thing:
        """A thing."""

        of_all: ClassVar[str] = "things"
        name: str
        count: int = 3
        parts: list[str] = field(default_factory=list)
        unseen: float = field(default=0.5, compare=False, repr=False)
        number: int = field(default=7, init=False)

    return Thing


OPTIONS = ({}, {"frozen": True}, {"kw_only": True}, {"frozen": True, "kw_only": True})


@pytest.mark.parametrize("options", OPTIONS)
def test_they_are_called_shown_and_compared_alike(options: dict[str, bool]) -> None:
    ours, theirs = (made(one, **options) for one in makers())

    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert repr(ours(name="a")) == repr(theirs(name="a"))
    assert ours.__match_args__ == theirs.__match_args__
    assert ours.__init__.__annotations__ == theirs.__init__.__annotations__
    for one in (ours, theirs):
        assert one(name="a") == one(name="a", unseen=0.7) != one(name="b")
        assert one(name="a") != "a"
        assert one(name="a").parts is not one(name="a").parts
        assert (one(name="a").number, replace(one(name="a"), count=4).count) == (7, 4)
        with pytest.raises(TypeError, match="missing 1 required"):
            one()
    assert (ours.__hash__ is None) == (theirs.__hash__ is None)


@dataclass(frozen=True, slots=True)
class Frozen:
    """At the top, where pickle finds it."""

    name: str
    checked: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "checked", True)


@dataclass(frozen=True, slots=True)
class FrozenMore(Frozen):
    """With a field more, and a comparison of its own."""

    more: int = 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frozen) and other.name == self.name


def test_what_is_frozen_stays_and_is_copied() -> None:
    one = FrozenMore("a")

    assert one.checked
    assert pickle.loads(pickle.dumps(one)) == copy.copy(one) == copy.deepcopy(one) == one
    assert (one == Frozen("a"), len({Frozen("a"), Frozen("a")})) == (True, 1)
    for change in (lambda: setattr(one, "name", "b"), lambda: delattr(one, "name")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()


def test_what_has_no_fields_equals_its_like() -> None:
    @dataclass(frozen=True, slots=True)
    class Nothing:
        """No fields."""

    assert len({Nothing(), Nothing()}) == 1
    assert repr(Nothing()).endswith("Nothing()")
