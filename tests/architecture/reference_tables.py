"""The tables of the reference that follow from the table of operations: routes, options, parameters.

`python -m tests.architecture.reference_tables` writes them anew. Rows about what only one surface has, such
as `--work`, are written by hand and left as they are, after the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from remanent.surfaces.cli.app import COMMANDS
from remanent.surfaces.cli.commands import Command, help_for_people, spelling
from remanent.surfaces.http.routing import audience_of, is_once, power_of
from remanent.surfaces.operations import GROUPS, OPERATIONS
from remanent.surfaces.operations.schema import Group, Op, Param, Route, help_of

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
_TABLE = re.compile(r"^\| (\w+) \|.*\|\n\|[-|]+\|\n((?:\|.*\|\n)+)", re.MULTILINE)
_SECTION = re.compile(r"(?m)^(?=### )")
_WHOM = {
    "user": "",
    "service": ", of a service",
    "anyone": "; a service's key tends all keys, a user's their own",
}


def pages() -> dict[Path, str]:
    """Each page as it should be."""
    made = {"http.md": _http, "cli.md": _cli, "python.md": _python}
    return {REFERENCE / name: _page(REFERENCE / name, make) for name, make in made.items()}


def _page(path: Path, make: Callable[[str], str]) -> str:
    return "".join(make(one) for one in _SECTION.split(path.read_text("utf-8")))


def _with_rows(section: str, head: str, rows: Iterable[str], known: set[str]) -> str:
    """The section, its first table of that head with these rows, and those of others after them."""
    made = "".join(f"{one}\n" for one in rows)

    def replaced(table: re.Match[str]) -> str:
        if table[1] != head:
            return table[0]
        own = [one for one in table[2].splitlines(keepends=True) if not _names(one) & known]
        return table[0][: table.start(2) - table.start()] + made + "".join(own)

    return _TABLE.sub(replaced, section, count=1)


def _names(row: str) -> set[str]:
    cell = row.split("|")[1]
    found = re.findall(r"`([^`]+)`", cell)
    return {*found, *(name.split()[0] for name in found)}


def _told(param: Param, text: str) -> str:
    plain = text.rstrip(".")
    begin = plain if re.match(r"[A-Z]{2}|`", plain) else plain[0].lower() + plain[1:]
    return "; ".join(one for one in (begin, param.also) if one)


# -- routes -------------------------------------------------------------------------------------


def _http(section: str) -> str:
    group = next((one for one in GROUPS if section.startswith(f"### {one.tag}\n")), None)
    if group is None:
        return section
    known = {f"{one.method} {one.path}" for op in group.ops for one in op.http}
    return _with_rows(section, "route", _routes(group), known)


def _routes(group: Group) -> Iterator[str]:
    for op in group.ops:
        for route in op.http:
            link = f"[`{op.name}`](python.md#{op.name.replace('.', '').lower()})"
            yield f"| `{route.method} {route.path}` | {link} | {_power(op, route)} |"


def _power(op: Op, route: Route) -> str:
    once = " ✳" if is_once(op, route) else ""
    audience, power = audience_of(op, route).value, power_of(op, route).value
    whom = _WHOM[audience if power == "manage" else "user"]
    return f"{power}{whom}{once}"


# -- options ------------------------------------------------------------------------------------


def _cli(section: str) -> str:
    named = re.match(r"### `([\w-]+)", section)
    command = next((one for one in COMMANDS if named and one.name == named[1]), None)
    if command is None or command.op is None:
        return section
    options = list(_options(command))
    known = {name for names, _ in options for name in names}
    return _with_rows(section, "option", (row for _, row in options), known)


def _options(command: Command) -> Iterator[tuple[list[str], str]]:
    assert command.op is not None
    for param in (one for one in command.params if one not in command.own):
        names, metavar = spelling(param)
        long = [one for name in names for one in name.split("/") if one.startswith("--")]
        if long:
            shown = ", ".join(f"`{' '.join((one, metavar)).strip()}`" for one in long)
            text = _told(param, help_for_people(param, quote="`"))
            yield long, f"| {shown} | {text}{_default(param)} |"


def _default(param: Param) -> str:
    default = param.default if param.cli_default.__class__ is not int else param.cli_default
    is_told = isinstance(default, int) and not isinstance(default, bool)
    return f" ({default})" if is_told and param.cli_default is not None else ""


# -- parameters ---------------------------------------------------------------------------------


def _python(section: str) -> str:
    named = re.match(r"### `([\w.]+)`", section)
    op = OPERATIONS.get(named[1]) if named else None
    if op is None:
        return section
    rows = [f"| `{one.name}` | {_told(one, help_of(one, quote='`'))} |" for one in op.params]
    return _with_rows(section, "parameter", rows, {one.name for one in op.params})


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, "utf-8")
