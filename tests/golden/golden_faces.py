"""Golden texts: what a user of Remanent can see of it, each as one text that is the same on every run.

Everything is reached as a user reaches it, and no text names a module of ours: moving code about
inside changes none of them. `python -m tests.golden.write` writes them anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import importlib
import importlib.util
import inspect
import io
import json
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import remanent
import remanent.errors
import remanent.testing
from bench.canonical import canonical, digests
from remanent import Config, Memory, SteppedClock, UserMemory
from remanent.surfaces.http.app import create_app
from remanent.surfaces.http.server import faces
from remanent.surfaces.mcp.server import make_server
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import MOMENT

ROOT = Path(__file__).parents[2]
FILES = Path(__file__).parent / "files"
SCREEN = {"COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1", "TERM": "dumb"}
_DOTTED = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Za-z_])")
_GIVEN = ("Memory", "UserMemory", "AsyncMemory", "AsyncUserMemory", "Config")  # not made by hand
_COMMAND = re.compile(r"^  ([a-z][\w-]*)(?:\s|$)")


def memory() -> Memory:
    """An empty one, with nothing of weight behind it."""
    return Memory.open(
        ":memory:", clock=SteppedClock(MOMENT), mind=ScriptedMind(), embedder=HashEmbedder()
    )


# --- the command line --------------------------------------------------------------------------


def help_of_commands() -> str:
    """`--help` of the program and of every command below it, as a terminal of 100 columns shows it."""
    return "\n\n".join(f"$ {' '.join(path)} --help\n{text}" for path, text in _helps(("remanent",)))


def _helps(path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    text = _typed(*path[1:], "--help")
    yield path, text
    for name in _commands(text):
        yield from _helps((*path, name))


def _commands(text: str) -> list[str]:
    """The names under the heading of commands."""
    listed = text.partition("\nCommands:\n")[2].splitlines()
    return [found[1] for line in listed if (found := _COMMAND.match(line))]


@functools.cache
def _installed_program() -> Callable[[], object]:
    script = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    module, _, name = script["remanent"].partition(":")
    main: Callable[[], object] = getattr(importlib.import_module(module), name)
    return main


def _typed(*arguments: str) -> str:
    """What the program that is installed as `remanent` prints."""
    main = _installed_program()
    out, argv, environment = io.StringIO(), sys.argv, dict(os.environ)
    sys.argv, leave = ["remanent", *arguments], os._exit
    os.environ.update(SCREEN)
    os._exit = sys.exit  # it ends its process as soon as it is done, and this one goes on
    try:
        with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
            main()
    finally:
        sys.argv, os._exit = argv, leave
        os.environ.clear()
        os.environ.update(environment)
    return out.getvalue().rstrip()


# --- HTTP and MCP ------------------------------------------------------------------------------


def openapi() -> str:
    """The description of the HTTP API, the other faces of a server included."""
    with memory() as opened:
        return _json(create_app(opened, faces=faces()).openapi())


def mcp() -> str:
    """What an MCP server says of itself: instructions, tools, resources and prompts."""
    with memory() as opened:
        user = opened.user("ada", name="Ada Lind")
        return _json(asyncio.run(_described(make_server(lambda _, __: user))))


async def _described(server: Any) -> Mapping[str, Any]:
    from mcp import Client  # as long to load as all else here

    async with Client(server) as client:
        lists = (
            await client.list_tools(),
            await client.list_resources(),
            await client.list_resource_templates(),
            await client.list_prompts(),
        )
        told: dict[str, Any] = {"instructions": client.instructions}
        for one in lists:
            told |= one.model_dump(mode="json", by_alias=True, exclude_none=True)
        return told


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)


# --- Python ------------------------------------------------------------------------------------


def signatures() -> str:
    """Every public name of `remanent` and `remanent.testing`, classes with their public members."""
    lines = []
    for module in (remanent, remanent.testing):
        for name in sorted(module.__all__):
            value = getattr(module, name)
            lines += [f"{module.__name__}.{name}{_kind(value)}"]
            if inspect.isclass(value):
                lines += [f"    {member}" for member in _members(value)]
    return "\n".join([*lines, *_errors()])


def _errors() -> Iterator[str]:
    for name, error in inspect.getmembers(remanent.errors, inspect.isclass):
        if issubclass(error, remanent.RemanentError):
            above = ", ".join(base.__name__ for base in error.__bases__)
            yield f"remanent.errors.{name}: class of {above}, {_signature(error)}"


def _kind(value: Any) -> str:
    if inspect.isclass(value):
        return ": class" + ("" if value.__name__ in _GIVEN else f" {_signature(value)}")
    return _signature(value) if callable(value) else f" = {value!r}"


def _members(face: type) -> Iterator[str]:
    if dataclasses.is_dataclass(face):
        return  # its fields stand in its signature, or are settings
    for name, member in inspect.getmembers(face):
        if name.startswith("_") or hasattr(Exception, name):
            continue
        if callable(member):
            way = "async " if inspect.iscoroutinefunction(member) else ""
            yield f"{way}{name}{_signature(member)}"
        elif isinstance(member, property):
            given = inspect.signature(member.fget).return_annotation if member.fget else ""
            yield f"{name}: {_annotation(given)}"
        else:
            yield f"{name} = {member!r}"


def _signature(value: Any) -> str:
    try:
        found = inspect.signature(value)
    except ValueError:
        return "(...)"  # an exception says nothing of what it takes
    parameters = [one.replace(annotation=one.empty) for one in found.parameters.values()]
    shape = inspect.Signature([one.replace(default=one.empty) for one in parameters])
    parts = [_parameter(found.parameters.get(text.lstrip("*"), text)) for text in _split(shape)]
    given = found.return_annotation
    result = "" if given is found.empty else f" -> {_annotation(given)}"
    return f"({', '.join(parts)}){result}"


def _split(shape: inspect.Signature) -> list[str]:
    inside = str(shape)[1:-1]
    return inside.split(", ") if inside else []


def _parameter(one: inspect.Parameter | str) -> str:
    if isinstance(one, str):
        return one  # a lone * or /
    stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    typed = "" if one.annotation is one.empty else f": {_annotation(one.annotation)}"
    default = "" if one.default is one.empty else f" = {_default(one.default)}"
    return f"{stars}{one.name}{typed}{default}"


def _annotation(given: Any) -> str:
    """As it was written, without the modules that its names come from."""
    text = given if isinstance(given, str) else inspect.formatannotation(given)
    return _DOTTED.sub("", text)


def _default(value: Any) -> str:
    return value.__name__ if inspect.isroutine(value) or inspect.isclass(value) else _bare(value)


def _bare(value: Any) -> str:
    """Without the address at which an object happens to lie."""
    return re.sub(r" at 0x[0-9a-f]+", "", _DOTTED.sub("", repr(value)))


# --- settings ----------------------------------------------------------------------------------


def settings() -> str:
    """Every setting with its type and its default."""
    return "\n".join(
        f"{name}: {type(value).__name__} = {json.dumps(value, ensure_ascii=False)}"
        for name, value in _settings(Config())
    )


def _settings(part: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if dataclasses.is_dataclass(value):
            yield from _settings(value, f"{prefix}{field.name}.")
        else:
            yield f"{prefix}{field.name}", value


# --- the demo's life ---------------------------------------------------------------------------


def demo_life() -> str:
    """Digests of all that a memory holds that lived through the demo's weeks and slept, and its answers.

    Offline mind, built-in embedder. Statements are given ids, because a belief's key comes of them.
    """
    demo = _demo()
    life = demo.load()
    clock = SteppedClock(life.days[0].at)
    with Memory.open(":memory:", clock=clock) as opened:
        me = opened.user(life.owner["id"], name=life.owner["name"], timezone=life.owner["timezone"])
        for number, entry in enumerate(life.days):
            if entry.remember is None:
                demo.live(me, clock, entry)
            else:
                clock.move_to(entry.at)
                me.remember(entry.remember, event_id=f"said-{number}")
        me.sleep()
        return _json({"holds": digests(opened), "answers": _answers(me, life.questions)})


def _answers(me: UserMemory, questions: tuple[str, ...]) -> Mapping[str, Any]:
    return {
        question: {
            "search": [canonical([hit.kind, hit.key, hit.text]) for hit in hits],
            "scores": [round(hit.score, 6) for hit in hits],
            "recall": [one.belief.key for one in me.recall(question, limit=5)],
            "context": me.context(question, budget=400).text.splitlines(),
        }
        for question in questions
        for hits in (me.search(question, touch=False),)
    }


def _demo() -> ModuleType:
    spec = importlib.util.spec_from_file_location("golden_demo", ROOT / "examples/demo/demo.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


GOLDEN: Mapping[str, Callable[[], str]] = {
    "help.txt": help_of_commands,
    "openapi.json": openapi,
    "mcp.json": mcp,
    "python.txt": signatures,
    "settings.txt": settings,
    "demo.json": demo_life,
}
