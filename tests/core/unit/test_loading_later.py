"""A module that is loaded later is the module, and a method that is made later is the method."""

from __future__ import annotations

import subprocess
import sys

import pytest

from remanent.core.later import later, later_table, made_later

pytestmark = pytest.mark.quick


def test_a_later_module_is_loaded_when_something_of_it_is_asked_for() -> None:
    script = (
        "import sys\n"
        "from remanent.core.later import later\n"
        "stories = later('remanent.stories.rules')\n"
        "assert 'remanent.stories.rules' not in sys.modules\n"
        "rules = stories.StoryRules\n"
        "assert rules is sys.modules['remanent.stories.rules'].StoryRules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_name_that_a_later_module_does_not_have_is_an_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = later("json").nothing


def test_who_serves_for_long_loads_what_is_to_come() -> None:
    script = (
        "import sys\n"
        "from remanent import Memory\n"
        "from remanent.core.later import load_all\n"
        "to_come = ['remanent.health.doctor', 'remanent.tables.routes', 'remanent.erasure.undo']\n"
        "assert not any(one in sys.modules for one in to_come)\n"
        "load_all()\n"
        "assert all(one in sys.modules for one in to_come)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_table_is_asked_for_when_something_is_looked_up_in_it() -> None:
    asked: list[str] = []

    def table() -> dict[str, int]:
        asked.append("now")
        return {"one": 1, "two": 2}

    made = later_table(table)
    assert not asked
    assert (made["two"], "three" in made, list(made), len(made)) == (2, False, ["one", "two"], 2)


def test_a_method_is_made_once_and_is_then_a_plain_one() -> None:
    times: list[int] = []

    def make() -> object:
        times.append(1)
        return lambda self, much: (type(self).__name__, much)

    class Parent:
        double = made_later(make)  # type: ignore[type-var]

    class Child(Parent):
        pass

    assert not times
    assert Child().double(2) == ("Child", 2)  # type: ignore[operator]
    assert Parent().double(3) == ("Parent", 3)  # type: ignore[operator]
    assert Child.double is Parent.double
    assert len(times) == 1
