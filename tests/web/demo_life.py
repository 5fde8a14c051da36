"""The demo life as the requests that the web's button sends: `python -m tests.web.demo_life` writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LIFE = Path(__file__).parents[2] / "examples" / "demo" / "life"


def requests() -> list[dict[str, Any]]:
    """What to post, in the order of the days."""
    return [_request(day) for day in json.loads((LIFE / "life.json").read_text("utf-8"))["days"]]


def _request(day: dict[str, Any]) -> dict[str, Any]:
    if "remember" in day:
        return {"path": "/v1/remember", "body": {"text": day["remember"], "at": day["at"]}}
    text = (LIFE / day["file"]).read_text("utf-8")
    body = {
        "content": json.loads(text) if day["file"].endswith(".json") else text,
        "type": day.get("type"),
        "context": day.get("context"),
        "title": day.get("title", ""),
        "origin_id": day["file"],
        "started_at": day["at"] if day.get("type") == "text-note" else None,
    }
    return {"path": "/v1/sources", "body": {name: one for name, one in body.items() if one}}


def text() -> str:
    """The file, as the web has it."""
    return json.dumps(requests(), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    from remanent.surfaces.web import STATIC

    (STATIC / "demo.json").write_text(text(), "utf-8")
