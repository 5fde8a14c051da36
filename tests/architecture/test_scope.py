"""No way to user data without a scope: every port method that returns some takes one first."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any, get_type_hints

import pytest

import remanent.core.ports
from remanent.core.model.scope import Scope

pytestmark = pytest.mark.quick

# What returns no user's data, or is how a scope comes about, and why.
WITHOUT_SCOPE = {
    "Ledger.append": "gives back the caller's own event",
    "Ledger.change_consents": "a number",
    "Graph.readers": "ids, from which scopes are then made; for the verbs of erasing alone",
    "Records": "a user's own is refused without their scope; what scopes are made from has none yet",
    "Queue.enqueue": "says only whether the job is new",
    "Queue.claim": "a worker serves everyone; the job names its user, whose scope it then takes",
    "Queue.renew": "says only whether the lease holds",
    "Queue.settle": "says only whether the lease held",
    "Queue.drop": "says only whether the job was there to drop",
    "Queue.jobs": "payloads hold keys, not content; surfaces ask for one user's",
    "Queue.counts": "numbers",
    "Queue.wake": "a number",
    "Queue.strike": "a number",
    "ExportStore.dump": "without a scope for whoever runs the memory; each record names whose it is",
    "ExportStore.restore": "says only how many of which sort came in",
    "HealthStore": "numbers, times and the keys of what is damaged, of all users together",
    "ReembeddingStore": "works for a whole memory; each entry names whose it is, and none gives its text",
    "ErasureStore.traces": "numbers",
    "ErasureStore.compact": "says only whether it was done",
    "ErasureStore.files": "numbers",
    "Mind": "keeps nothing",
    "Embedder": "keeps nothing",
    "Paid": "keeps nothing but what it cost",
    "Atomic": "keeps nothing",
    "Shadow": "works for the whole memory; each event names its user, whose scope is then taken",
}


def _methods() -> Iterator[tuple[str, Any]]:
    for info in pkgutil.iter_modules(remanent.core.ports.__path__):
        module = importlib.import_module(f"remanent.core.ports.{info.name}")
        for name, port in inspect.getmembers(module, inspect.isclass):
            if port.__module__ == module.__name__ and getattr(port, "_is_protocol", False):
                yield from _public(name, port)


def _public(name: str, port: type) -> Iterator[tuple[str, Any]]:
    for method, function in inspect.getmembers(port, inspect.isfunction):
        if not method.startswith("_"):
            yield f"{name}.{method}", function


METHODS = dict(_methods())


@pytest.mark.parametrize("name", METHODS)
def test_reading_takes_a_scope_first(name: str) -> None:
    if name in WITHOUT_SCOPE or name.partition(".")[0] in WITHOUT_SCOPE:
        return
    if get_type_hints(METHODS[name])["return"] is type(None):
        return

    parameters = list(inspect.signature(METHODS[name]).parameters)

    assert parameters[1] == "scope"
    assert get_type_hints(METHODS[name])["scope"] is Scope


def test_exceptions_are_still_needed() -> None:
    known = METHODS.keys() | {name.partition(".")[0] for name in METHODS} | {"Atomic"}

    assert known >= WITHOUT_SCOPE.keys()
