"""The table of operations says what is so: of Python's signatures, of the words that are taken, and of the
pages that are made from it."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from remanent.memory import Memory, UserMemory
from remanent.surfaces.cli.app import COMMANDS, GROUPS
from remanent.surfaces.http.requests import ENUMS
from remanent.surfaces.operations import GROUPS as TABLE
from remanent.surfaces.operations import OPERATIONS
from remanent.surfaces.operations.schema import (
    REQUIRED,
    Choice,
    Form,
    Many,
    OneOf,
    Op,
    Param,
    Type,
    values_of,
)
from tests.architecture.reference_tables import pages
from tests.surfaces.without_route import WITHOUT_ROUTE

FACES = {"UserMemory": UserMemory, "Memory": Memory}
EVERY = [op for group in TABLE for op in group.ops]


@pytest.mark.parametrize("op", EVERY, ids=lambda op: op.name)
def test_names_and_defaults_are_those_of_python(op: Op) -> None:
    signature = inspect.signature(getattr(FACES[op.face], op.verb))
    real = {
        name: REQUIRED if one.default is inspect.Parameter.empty else one.default
        for name, one in signature.parameters.items()
        if name != "self" and name not in op.python
    }

    assert {one.name: one.default for one in op.params} == real
    assert set(op.python) <= set(signature.parameters)


def test_every_verb_is_in_the_table_or_has_a_reason_not_to_be() -> None:
    verbs = {
        f"{name}.{verb}"
        for name, face in FACES.items()
        for verb, _ in inspect.getmembers(face, inspect.isroutine)
        if not verb.startswith("_")
    }

    assert verbs == OPERATIONS.keys() | WITHOUT_ROUTE.keys()


def _types(kind: Type) -> Iterator[Type]:
    yield kind
    match kind:
        case Many():
            yield from _types(kind.of)
        case OneOf():
            yield from (inner for one in kind.types for inner in _types(one))
        case Form():
            yield from (inner for one in kind.fields for inner in _types(one.type))


def _choices() -> Iterator[Choice]:
    for op in EVERY:
        for param in op.params:
            yield from (one for one in _types(param.type) if isinstance(one, Choice) and one.enum)


@pytest.mark.parametrize(
    "choice", dict.fromkeys(_choices()), ids=lambda one: f"{one.enum} {len(one.values)}"
)
def test_the_words_of_a_choice_are_real_ones(choice: Choice) -> None:
    assert set(choice.values) <= {one.value for one in ENUMS[choice.enum]}


@pytest.mark.parametrize("op", EVERY, ids=lambda op: op.name)
def test_every_parameter_says_what_it_means(op: Op) -> None:
    for param in op.params:
        assert param.help.endswith((".", "p.name")), param.name
        assert "{values}" not in param.help or values_of(param.type)


def test_every_command_is_called_once() -> None:
    names = [one.name for one in COMMANDS] + [name for name, _, _ in GROUPS]

    assert len(set(names)) == len(names)


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_the_tables_of_the_reference_are_made_from_it(path: Path) -> None:
    """`make reference` writes them anew."""
    assert path.read_text("utf-8").splitlines() == pages()[path].splitlines()


def test_it_is_light_to_import() -> None:
    script = (
        "import sys, remanent.surfaces.operations\n"
        "print(*sorted(name for name in sys.modules if name.startswith('remanent.')))\n"
        "assert not {'numpy', 'pydantic', 'click', 'apsw'} & sys.modules.keys()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    light = ("remanent.surfaces", "remanent.core.dataclasses")
    assert all(name.startswith(light) for name in done.stdout.split() if name != "remanent.core")


def test_a_parameter_can_be_looked_up() -> None:
    assert isinstance(OPERATIONS["UserMemory.search"].param("speaker"), Param)
