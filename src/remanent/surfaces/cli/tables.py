"""Tables of whatever a query returned, for people's eyes."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from remanent.core.model.query_result import Rows
from remanent.surfaces.cli.views import clean


def rows(found: Rows) -> RenderableType:
    """One line for each row, and whether there are more."""
    if not found.rows:
        return Text("No rows.")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in found.columns:
        table.add_column(Text(clean(name)), overflow="fold")
    for row in found.rows:
        table.add_row(*(Text(clean(_told(value))) for value in row))
    count = f"{len(found.rows)} row{'' if len(found.rows) == 1 else 's'}"
    return Group(
        table, Text(f"{count}{', and there are more' if found.truncated else ''}.", style="dim")
    )


def _told(value: Any) -> str:
    """Nodes and relationships by what people call them, other things as they are written in JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and "properties" in value:
        return _thing(value)
    if isinstance(value, list):
        return ", ".join(map(_told, value))
    return json.dumps(value, ensure_ascii=False)


def _thing(value: dict[str, Any]) -> str:
    properties = value["properties"]
    if "type" in value:
        return f"[:{value['type']} {properties.get('relationship_type', '')}".rstrip() + "]"
    names = ("name", "title", "statement", "text", "summary")
    called = next((properties[one] for one in names if properties.get(one)), value.get("key", ""))
    return f"(:{':'.join(value['labels'])} {called})"
