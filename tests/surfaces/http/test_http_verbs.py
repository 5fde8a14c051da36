"""Every verb has a route, or a reason why not."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from api_world import World

from remanent.aio import AsyncMemory, AsyncUserMemory
from remanent.surfaces.http.app import create_app
from remanent.surfaces.http.routing import FOR, ONCE, POWER, VERB
from tests.surfaces.without_route import WITHOUT_ROUTE


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method.upper(), path, one)
        for path, methods in document["paths"].items()
        for method, one in methods.items()
    ]


def verbs() -> set[str]:
    faces = {"UserMemory": AsyncUserMemory, "Memory": AsyncMemory}
    return {
        f"{name}.{verb}"
        for name, face in faces.items()
        for verb, _ in inspect.getmembers(face, callable)
        if not verb.startswith("_")
    }


def test_every_verb_has_a_route_or_a_reason(still: World) -> None:
    routed = {one[VERB] for _, _, one in operations(still.app.openapi()) if VERB in one}

    assert routed | WITHOUT_ROUTE.keys() >= verbs()


def test_no_route_and_no_reason_is_for_a_verb_that_is_not_there(still: World) -> None:
    routed = {one[VERB] for _, _, one in operations(still.app.openapi()) if VERB in one}

    assert verbs() >= routed
    assert not routed & WITHOUT_ROUTE.keys()
    assert verbs() >= WITHOUT_ROUTE.keys()


def test_the_description_is_openapi_3_1_and_needs_no_key(still: World) -> None:
    document = still.client().get("/openapi.json").json()

    assert document["openapi"].startswith("3.1")
    assert document == still.app.openapi()


def test_every_operation_has_a_name_of_its_own_and_says_what_it_does(still: World) -> None:
    found = operations(still.app.openapi())
    names = [one["operationId"] for _, _, one in found]

    assert len(set(names)) == len(names)
    assert all(one["description"] for _, _, one in found)


def test_only_signs_of_life_need_no_key(still: World) -> None:
    without = {path for _, path, one in operations(still.app.openapi()) if "security" not in one}

    assert without == {"/healthz", "/readyz"}


@pytest.mark.parametrize("path", ["/docs", "/redoc"])
def test_no_page_loads_scripts_from_elsewhere(still: World, path: str) -> None:
    assert still.client().get(path).status_code == 404


def test_every_write_says_which_power_it_needs(still: World) -> None:
    for method, path, one in operations(still.app.openapi()):
        if VERB in one:
            assert one[POWER] in ("read", "write", "manage"), (method, path)
            assert one[FOR] in ("user", "service", "anyone")


def test_two_apps_on_one_memory_stand_beside_each_other(still: World) -> None:
    other = create_app(still.memory)

    assert other.openapi() == still.app.openapi()
    assert other.state.door is not still.app.state.door


def test_the_page_lists_every_route_with_its_power(still: World) -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "http.md").read_text("utf-8")
    rows = re.findall(r"^\| `([A-Z]+ /[^`]*)` \| .* \| (\w+).*?( ✳)? \|$", page, re.MULTILINE)
    routes = {
        (f"{method} {path}", one.get(POWER, "none"), bool(one.get(ONCE)))
        for method, path, one in operations(still.app.openapi())
    }

    assert {(name, power, bool(mark)) for name, power, mark in rows} == routes
