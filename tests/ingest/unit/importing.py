"""Small exports as the programs write them, and what the importers find in them."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from remanent.ingest.importers import detected, read
from remanent.ingest.importers.box import opened
from remanent.ingest.rules.dedupe import ImportedSource, Item, Skipped
from remanent.ingest.rules.request import AddRequest

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
NEW_YORK = ZoneInfo("America/New_York")


def detect(path: Path) -> str:
    with opened(path) as box:
        return detected(box)


def items(path: Path, as_: str | None = None) -> list[Item]:
    return list(read(path, as_, zone=NEW_YORK, now=NOW))


def offers(path: Path, as_: str | None = None) -> list[AddRequest]:
    return [one.request for one in items(path, as_) if isinstance(one, ImportedSource)]


def skipped(path: Path, as_: str | None = None) -> list[tuple[str, str]]:
    return [(one.where, one.why) for one in items(path, as_) if isinstance(one, Skipped)]


def zipped(path: Path, members: dict[str, Any]) -> Path:
    """An archive; whatever is not text or bytes goes in as JSON."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(
                name, content if isinstance(content, (str, bytes)) else json.dumps(content)
            )
    return path


def unzipped(path: Path, members: dict[str, Any]) -> Path:
    for name, content in members.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def written(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def node(key: str, parent: str | None, role: str, *parts: Any, **fields: Any) -> dict[str, Any]:
    """One node of a ChatGPT conversation."""
    content = {"content_type": fields.pop("content_type", "text"), "parts": list(parts)}
    message = {
        "id": key,
        "author": {"role": role},
        "create_time": fields.pop("at", 1_772_445_600.0),  # 2026-03-02 10:00 UTC
        "content": content,
        "recipient": "all",
        **fields,
    }
    return {"id": key, "message": message, "parent": parent, "children": []}


def chatgpt(*nodes: dict[str, Any], key: str = "c1", title: str = "Boats") -> dict[str, Any]:
    """A ChatGPT conversation that ends with the last of these nodes."""
    mapping = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    mapping |= {one["id"]: one for one in nodes}
    for one in nodes:
        if one["parent"] in mapping:
            mapping[one["parent"]]["children"].append(one["id"])
    return {
        "title": title,
        "create_time": 1_772_445_600.0,
        "conversation_id": key,
        "current_node": nodes[-1]["id"] if nodes else "root",
        "mapping": mapping,
    }


def claude(*said: tuple[str, str], key: str = "u1", name: str = "Soup") -> dict[str, Any]:
    """A Claude conversation of (sender, text)."""
    return {
        "uuid": key,
        "name": name,
        "created_at": "2026-03-02T10:00:00.000000Z",
        "chat_messages": [
            {
                "uuid": f"{key}-{number}",
                "sender": sender,
                "text": text,
                "content": [{"type": "text", "text": text}],
                "created_at": f"2026-03-02T10:{number:02}:00.000000Z",
            }
            for number, (sender, text) in enumerate(said)
        ],
    }


SLACK: dict[str, Any] = {
    "users.json": [
        {"id": "U1", "name": "ada", "real_name": "Ada Lindqvist", "profile": {}},
        {"id": "U2", "name": "tom", "profile": {"real_name": "Tom Berg"}},
        {"id": "U3", "name": "eva", "profile": {}},
    ],
    "channels.json": [{"id": "C1", "name": "general", "members": ["U1", "U2"]}],
    "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
    "general/2026-03-02.json": [
        {"type": "message", "user": "U1", "text": "Who has the key?", "ts": "1772445600.000100"},
        {
            "type": "message",
            "user": "U2",
            "text": "Lease question, <@U1>",
            "ts": "1772445660.000200",
            "thread_ts": "1772445660.000200",
            "reply_count": 1,
            "blocks": [{"type": "rich_text"}],
        },
        {"type": "message", "subtype": "channel_join", "user": "U3", "text": "joined", "ts": "1772445661.0"},
        {
            "type": "message",
            "user": "U2",
            "text": "The plan",
            "ts": "1772445700.000100",
            "files": [{"name": "plan.pdf", "url_private": "https://files.example/secret?t=xoxe-1"}],
        },
    ],
    "general/2026-03-03.json": [
        {
            "type": "message",
            "user": "U1",
            "text": "Until 2029.",
            "ts": "1772532000.000100",
            "thread_ts": "1772445660.000200",
        },
    ],
    "D1/2026-03-02.json": [
        {"type": "message", "user": "U2", "text": "Lunch?", "ts": "1772450000.000100"}
    ],
}  # fmt: skip

LETTER = """\
Message-ID: <m1@example.org>
From: Tom Berg <tom@example.org>
To: ada@example.org
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=
Date: Mon, 02 Mar 2026 10:00:00 +0100

The lease is signed.
"""
