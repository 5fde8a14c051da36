"""Cards: how one thing looks, as a few lines of text that name its fields. Views draw for people's eyes.

`{name}` is a field of the thing, `{a.b}` a field of a field, or of each in a list; `{it}` is the thing itself.
Times are told in the user's time zone. A spec says how: `{at:day}`, `{key:short}`, `{text:excerpt}`,
`{score:.2f}`, `{count:#source}` for `3 sources`.
`{?name}` and `{!name}` are no text: they ask that it is so, or is not; `{?state=open}` what it is.
`[cyan]...[/]` is a style; short keys have theirs. In a line that begins with `- `, small facts stand beside
one another, ` · ` between. Where a field is empty, its line or its fact is left out; after ` | ` stands what
is said instead.
A line `> name` draws that field, or each of its things, by the card of their type in `CARDS`, `3> name` so
many of them at most; `1. name` numbers them, and `# Heading: name` puts a heading before them, if there are any.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.text import Text

from remanent.core.model.search import RecallPart
from remanent.surfaces.cli.views.basics import clean, counted, excerpt, numbered, short, when

_TOKEN = re.compile(r"\[(?P<style>[a-z ]+|/)\]|{(?P<field>[^{}]+)}|(?P<words>[^\[{]+)")
_SPECS: Mapping[str, Callable[[str], str]] = {
    "": str,
    "short": short,
    "excerpt": excerpt,
    "lower": str.lower,
}
_STYLES = {"short": "not dim cyan"}
_NESTED = re.compile(r"(?P<most>\d+)?(?P<mark>> |1\. |# .+: )(?P<name>\w+)")
View = Callable[..., RenderableType]
CARDS: dict[type, str | Callable[[Any, Any], RenderableType]] = {
    str: "{it:excerpt}",
    RecallPart: "- [yellow]{points:.3f}[/] · {name} · {said}",
}


def card(
    template: str,
    thing: Any = None,
    zone: ZoneInfo | None = None,
    *rows: RenderableType,
    **more: Any,
) -> Group:
    """The lines of a template, filled with what the thing has and with `more`; then the rows."""
    shown: list[RenderableType] = []
    for line in template.split("\n"):
        nested = _NESTED.fullmatch(line)
        if nested is None:
            text = text_of(line, thing, zone, **more)
            shown += [text] if text.plain else []
        else:
            most = int(nested["most"]) if nested["most"] else None
            shown += _nested_cards(nested["mark"], getattr(thing, nested["name"]), zone, most)
    return Group(*shown, *rows)


def card_of(thing: Any, zone: ZoneInfo | None) -> RenderableType:
    """A thing by the card of its type."""
    template = CARDS[type(thing)]
    return card(template, thing, zone) if isinstance(template, str) else template(thing, zone)


def _nested_cards(
    mark: str, value: Any, zone: ZoneInfo | None, most: int | None
) -> Sequence[RenderableType]:
    things = value if isinstance(value, list | tuple) else [] if value is None else [value]
    bodies = [card_of(one, zone) for one in things[:most]]
    if mark == "> " or not bodies:
        return bodies
    heading = mark.removeprefix("# ").removesuffix(": ")
    above = [] if mark == "1. " else [Text(), Text(heading, style="bold blue")]
    return [*above, numbered(bodies)]


def text_of(template: str, thing: Any = None, zone: ZoneInfo | None = None, **more: Any) -> Text:
    """One line of a template, filled; empty where a field of it is."""

    def look_up(path: str) -> Any:
        first, *rest = path.split(".")
        value = more[first] if first in more else thing if first == "it" else getattr(thing, first)
        for name in rest:
            is_list = isinstance(value, list | tuple)
            value = [getattr(one, name) for one in value] if is_list else getattr(value, name)
        return value

    facts = template.removeprefix("- ")
    if facts == template:
        return _first_whole(template, look_up, zone)
    shown = (_first_whole(one, look_up, zone) for one in facts.split(" · "))
    return Text(" · ", style="dim").join(one for one in shown if one.plain)


def cards(kind: type, template: str, nothing: str) -> View:
    """The view of a list of things of that kind: a card each, numbered; or that there are none."""

    def view(shown: Sequence[Any], zone: ZoneInfo) -> RenderableType:
        return listing((card(template, one, zone) for one in shown), nothing)

    return _told_of(view, Sequence[kind], template)  # type: ignore[valid-type]


def one_card(kind: type, template: str) -> View:
    """The view of one thing of that kind."""

    def view(thing: Any, zone: ZoneInfo) -> RenderableType:
        return card(template, thing, zone)

    return _told_of(view, kind, template)


def message(kind: type, template: str) -> View:
    """The view of what has no times; the thing itself is `{it}`."""

    def view(thing: Any) -> RenderableType:
        return card(template, thing)

    return _told_of(view, kind, template)


def _told_of(view: View, kind: Any, template: str) -> View:
    """The view, which says what it takes and by which template: both are held against each other."""
    view.__annotations__[next(iter(view.__annotations__))] = kind
    view.template = template  # type: ignore[attr-defined]
    return view


def listing(bodies: Iterable[RenderableType], nothing: str) -> RenderableType:
    """Bodies one under the other, numbered; or that there are none."""
    shown = list(bodies)
    return numbered(shown) if shown else Text(nothing)


def _first_whole(template: str, look_up: Callable[[str], Any], zone: ZoneInfo | None) -> Text:
    """The first alternative that has all it needs."""
    filled = (_filled(one, look_up, zone) for one in template.split(" | "))
    return next((one for one in filled if one is not None), Text())


def _filled(template: str, look_up: Callable[[str], Any], zone: ZoneInfo | None) -> Text | None:
    text, style, is_whole = Text(), "", True
    for token in _TOKEN.finditer(template):
        if token["style"]:
            style = token["style"].strip("/")
        elif token["words"]:
            text.append(token["words"], style=style)
        elif token["field"][0] in "?!":
            is_whole = is_whole and _is_so(token["field"], look_up)
        else:
            path, _, spec = token["field"].partition(":")
            words = _words(look_up(path), spec, zone)
            is_whole = is_whole and bool(words)
            text.append(words, style=style or _STYLES.get(spec, ""))
    return text if is_whole else None


def _is_so(field: str, look_up: Callable[[str], Any]) -> bool:
    path, sign, wanted = field[1:].partition("=")
    value = look_up(path)
    is_so = _words(value, "", None) == wanted if sign else bool(value)
    return is_so is (field[0] == "?")


def _words(value: Any, spec: str, zone: ZoneInfo | None) -> str:
    value = value.value if isinstance(value, Enum) else value
    if value is None:
        return ""
    if isinstance(value, str):
        return _SPECS[spec](clean(value))
    if isinstance(value, datetime):
        return when(value, zone or ZoneInfo("UTC"), clock=spec != "day")
    if isinstance(value, Mapping):  # parts of a score; those that add nothing are left out
        return " · ".join(f"{clean(name)} {part:{spec}}" for name, part in value.items() if part)
    if isinstance(value, Sequence):
        return ", ".join(_words(one, spec, zone) for one in value)
    return counted(value, spec[1:]) if spec.startswith("#") else format(value, spec)
