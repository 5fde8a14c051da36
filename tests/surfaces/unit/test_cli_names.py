"""Commands name their views and verbs by strings, so that `--help` loads neither: every name leads to a
function that takes what it is called with."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import typing
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from remanent.memory import Memory, UserMemory
from remanent.surfaces import cli

pytestmark = pytest.mark.quick

FOLDER = Path(cli.__file__).parent
FACES: dict[str, type] = {"UserMemory": UserMemory, "Memory": Memory}
# Names put together at run time: the module that does it, and what they come to.
MADE_UP = {"teams": ("teams.primary_team", "teams.active_team")}
HANDED_ON = {"view"}  # the parameter of `forward`, whose calls are looked at by themselves


class Named(NamedTuple):
    """One call that names a view, and what it hands to it."""

    module: str
    view: str
    results: int
    keywords: tuple[str, ...]


def calls(function: str) -> Iterator[tuple[str, ast.Call]]:
    """Every call of that name on the command line, and the module it is in."""
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and function == getattr(
                node.func, "attr", getattr(node.func, "id", "")
            ):
                yield path.stem, node


def shown() -> Iterator[Named]:
    """What is named by `session.show(record, view, ...)`."""
    for module, call in calls("show"):
        _, view, *results = call.args
        keywords = tuple(str(one.arg) for one in call.keywords)
        if isinstance(view, ast.Constant):
            yield Named(module, str(view.value), len(results), keywords)
        elif isinstance(view, ast.Name):
            assert view.id in HANDED_ON
        else:
            for name in MADE_UP[module]:
                yield Named(module, name, len(results), keywords)


def forwarded() -> Iterator[tuple[str, str, str]]:
    """Verb, view and face of every `forward`."""
    for _, call in calls("forward"):
        verb, view = (typing.cast("ast.Constant", one).value for one in call.args)
        keywords = {one.arg: one.value for one in call.keywords}
        face = typing.cast("ast.Constant", keywords.get("face", ast.Constant("UserMemory"))).value
        yield str(verb), str(view), str(face)


def view_of(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(".")
    view = getattr(importlib.import_module(f"{cli.__name__}.views.{module}"), function)
    return typing.cast("Callable[..., Any]", view)


def bare(type_: Any) -> Any:
    """A type as far as a view cares: a list and a sequence of a thing are the same."""
    origin = typing.get_origin(type_)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return Sequence, typing.get_args(type_)
    return type_


@pytest.mark.parametrize("named", list(shown()), ids=lambda one: f"{one.view} from {one.module}")
def test_a_view_takes_what_it_is_shown_with(named: Named) -> None:
    signature = inspect.signature(view_of(named.view))
    more = dict.fromkeys(named.keywords)
    if "zone" in signature.parameters:
        more["zone"] = None

    signature.bind(*([None] * named.results), **more)


@pytest.mark.parametrize(("verb", "view", "face"), list(forwarded()))
def test_a_view_takes_what_the_verb_gives(verb: str, view: str, face: str) -> None:
    call, method = view_of(view), getattr(FACES[face], verb)
    first, *others = inspect.signature(call).parameters.values()
    beside = vars(sys.modules[method.__module__])  # for what the view imports only as a type
    taken = typing.get_type_hints(call, localns=beside)[first.name]
    given = typing.get_type_hints(method)["return"]

    assert {one.name for one in others if one.default is inspect.Parameter.empty} <= {
        "zone",
        "asked",
    }
    assert bare(given) == bare(taken)


@pytest.mark.parametrize(("verb", "view", "face"), list(forwarded()))
def test_a_card_names_fields_that_the_thing_has(verb: str, view: str, face: str) -> None:
    call = view_of(view)
    template = getattr(call, "template", "")
    kind = next(iter(call.__annotations__.values()))
    thing = typing.get_args(kind)[0] if typing.get_args(kind) else kind

    for path in re.findall(r"{[?!]?(\w+)", template):
        assert path == "it" or path in {*dir(thing), *typing.get_type_hints(thing)}, (verb, face)


def test_there_are_as_many_as_there_were() -> None:
    """A way of naming them that is not looked for here would be a hole in this net."""
    assert len(list(shown())) > 50
    assert len(list(forwarded())) > 30
