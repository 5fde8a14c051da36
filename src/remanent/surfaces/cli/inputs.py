"""What people hand to the command line: text, files, standard input, dates."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, BinaryIO
from zoneinfo import ZoneInfo

from remanent.core.dataclasses import dataclass
from remanent.errors import InvalidInput

Content = str | Sequence[Mapping[str, Any]] | Mapping[str, Any]

STDIN = "-"
_BYTES_PER_CHARACTER = 4  # the most that UTF-8 needs


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """Content that was handed in, and its title and type if nobody says another."""

    content: Content
    title: str = ""
    type: str | None = None


def read_content(
    path: str | None, text: str | None, *, max_characters: int, zone: ZoneInfo
) -> Input:
    """The content from `--text`, from a file or from standard input: exactly one of them."""
    if text is not None:
        if path is not None:
            raise InvalidInput("text", "give either --text or a file, not both")
        return Input(content=text)
    if path is None and sys.stdin.isatty():
        raise InvalidInput("path", "nothing to add; name a file, pipe text in or use --text")
    if path is None or path == STDIN:
        return Input(content=_decoded("standard input", _bounded(sys.stdin.buffer, max_characters)))
    return _from_file(Path(path), max_characters, zone)


def moment(option: str, text: str, zone: ZoneInfo, *, last: bool = False) -> datetime:
    """An ISO date or date and time; without an offset it is in `zone`.

    A bare date is the beginning of that day, or its last instant where `last` is asked for.
    """
    try:
        parsed = _parsed(text.strip(), last=last)
        aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=zone)
        return aware.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(
            option,
            f"{text!r} is not a date; write 2026-03-02, 2026-03-02T14:30 or 2026-03-02T14:30+01:00",
        ) from None


def local_timezone() -> str:
    """The time zone this machine is set to, as far as it says, else UTC."""
    named = os.environ.get("TZ", "").removeprefix(":")
    if not named:
        named = os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    try:
        return ZoneInfo(named).key if named else "UTC"
    except (ValueError, OSError, LookupError):
        return "UTC"


def login_name() -> str:
    """What the system calls whoever is typing."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "me"


def _parsed(text: str, *, last: bool) -> datetime:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return datetime.fromisoformat(text)
    return datetime.combine(day, time.max if last else time.min)


def _from_file(path: Path, max_characters: int, zone: ZoneInfo) -> Input:
    content = _shaped(path, read_text(path, max_characters), zone)
    kind = "email" if path.suffix.lower() == ".eml" else None
    return Input(content=content, title=_title(path, content), type=kind)


def read_text(path: Path, max_characters: int) -> str:
    """All of a UTF-8 file that is not too long, or what is wrong with it."""
    if path.is_dir():
        raise InvalidInput("path", f"{path} is a folder; name one file")
    try:
        size = path.stat().st_size
        if size > max_characters * _BYTES_PER_CHARACTER:
            raise InvalidInput(
                "path",
                f"{path} has {size:,} bytes; at most {max_characters:,} characters are taken",
            )
        with path.open("rb") as file:
            return _decoded(str(path), _bounded(file, max_characters))
    except FileNotFoundError:
        hint = "; a text itself goes with --text, or as `-` from standard input"
        hint = hint if " " in path.name else ""
        raise InvalidInput("path", f"there is no file {path}{hint}") from None
    except OSError as problem:
        raise InvalidInput("path", f"{path} cannot be read: {problem.strerror}") from None


def _title(path: Path, content: Content) -> str:
    """A heading in the first line, else the file's name; mail, records and front matter say theirs."""
    if isinstance(content, Mapping) or path.suffix.lower() == ".eml":
        return ""
    if isinstance(content, str) and content.lstrip().startswith("---\n"):
        return ""
    first = content.lstrip().partition("\n")[0] if isinstance(content, str) else ""
    return first.removeprefix("# ").strip() if first.startswith("# ") else path.stem


def _bounded(file: BinaryIO, max_characters: int) -> bytes:
    """All of it, unless it is too much: then we stop reading and say so."""
    limit = max_characters * _BYTES_PER_CHARACTER
    read = file.read(limit + 1)
    if len(read) > limit:
        raise InvalidInput("content", f"is longer than {max_characters:,} characters")
    return read


def _decoded(name: str, read: bytes) -> str:
    try:
        return read.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise InvalidInput(
            "content",
            f"{name} is not UTF-8 text: the byte at offset {problem.start:,} does not fit; save it as UTF-8",
        ) from None


def _shaped(path: Path, text: str, zone: ZoneInfo) -> Content:
    """Turns or a record where the file's name says JSON, else the text as it is."""
    match path.suffix.lower():
        case ".json":
            return _zoned(_parsed_json(str(path), text), zone)
        case ".jsonl" | ".ndjson":
            lines = enumerate(text.splitlines(), start=1)
            return _zoned(
                [_parsed_json(f"{path}, line {n}", line) for n, line in lines if line.strip()], zone
            )
        case _:
            return text


def _parsed_json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        place = f"line {problem.lineno} column {problem.colno}"
        raise InvalidInput("content", f"{name} is not JSON ({place}: {problem.msg})") from None
    except RecursionError:
        raise InvalidInput("content", f"{name} is nested too deeply") from None


def _zoned(content: Any, zone: ZoneInfo) -> Content:
    """Turns whose times have no offset were said in the user's time zone."""
    if isinstance(content, Mapping):
        return content
    if not isinstance(content, list):
        raise InvalidInput(
            "content", "the JSON must be a list of turns {speaker, text, at, id} or a record"
        )
    return [_zoned_turn(turn, zone) for turn in content]


def _zoned_turn(turn: Any, zone: ZoneInfo) -> Any:
    if not isinstance(turn, Mapping) or not isinstance(turn.get("at"), str):
        return turn
    try:
        at = datetime.fromisoformat(turn["at"])
    except ValueError:
        return turn  # whoever takes it in says what is wrong with it
    return turn if at.tzinfo else {**turn, "at": at.replace(tzinfo=zone).isoformat()}
