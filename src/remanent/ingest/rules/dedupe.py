"""What an import did: what came in, what was there already, what was left out and why.

What importing does with something that may be here already: once is enough, and only the new is new.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.model.keys import content_hash
from remanent.ingest.rules.request import AddRequest, CheckedSource


class ImportOutcome(StrEnum):
    """What became of one thing that an export held."""

    ADDED = "added"
    GROWN = "grown"  # a conversation that was known went on: only what is new came in
    CHANGED = "changed"  # a file that was known says something else now: its new version came in
    KNOWN = "known"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Something that cannot be taken in: where it stands, and why not."""

    where: str
    why: str
    share: float = field(default=0.0, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProgress:
    """Progress: one thing was handled; `share`, from 0 to 1, of the file lies behind us. `origin` is what it
    is known again by: its `origin_id`, or else the key of the source that it became."""

    where: str
    fate: ImportOutcome
    share: float
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import did, or with a dry run would do; the numbers count sources.

    `reasons` says how many were skipped for which reason, the most frequent first; `sources` are the keys
    of what came in, by which `learned` tells what was learned from it once it is read.
    """

    added: int = 0
    grown: int = 0
    changed: int = 0
    known: int = 0
    skipped: tuple[Skipped, ...] = ()
    reasons: Mapping[str, int] = field(default_factory=dict)
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What is known from some sources: how many people (but for the owner), concepts and entities they
    mention, beliefs held true that they speak for, and relationships they tell of. Of `sources` so many are
    `read` by now."""

    sources: int = 0
    read: int = 0
    people: int = 0
    concepts: int = 0
    entities: int = 0
    beliefs: int = 0
    relationships: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSource:
    """A source as an importer found it, and where.

    `versioned`: other content under the same origin is a later version, not the same thing again.
    """

    request: AddRequest
    where: str
    versioned: bool = False
    share: float = field(default=0.0, compare=False, repr=False)


Item = ImportedSource | Skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSource:
    """What is known of a source that is here: a fingerprint of its content, and of each part."""

    digest: str
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Leave:
    """It is all here already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """Take this in: the whole of it, what is new of it, or its new version."""

    request: AddRequest
    fate: ImportOutcome


Decision = Leave | Take


def known_source(raw: str, *, is_json: bool) -> KnownSource:
    """What to remember of raw content, to know it again and to see it grow."""
    known = tuple(known_by(one) for one in _parts(json.loads(raw))) if is_json else ()
    return KnownSource(digest=content_hash(raw), parts=known)


def known_by(part: Mapping[str, Any]) -> str:
    """By its own id a turn or message is the same one, unless it was edited; else by what it says."""
    own = part.get("id") or part.get("ts")
    if own:
        edited = part.get("edited")
        return f"{own}~{edited.get('ts', '') if isinstance(edited, Mapping) else ''}"
    fields = [part.get(name) for name in ("speaker", "user", "from", "at", "date")]
    text = part.get("text") or part.get("body") or part.get("content")
    return content_hash(
        json.dumps([*fields, text], ensure_ascii=False, sort_keys=True, default=str)
    )


def decide(
    imported: ImportedSource, draft: CheckedSource, chain: Sequence[KnownSource]
) -> Decision:
    """What to do with something whose origin is here, as the sources of `chain` hold it in order."""
    if imported.versioned:
        return _version(imported.request, draft, chain)
    if not draft.is_json or not chain[0].parts:
        return Leave()
    return _rest(imported.request, draft, chain)


def next_origin(origin_id: str, chain: Sequence[KnownSource]) -> str | None:
    """Under which origin the continuation of what `chain` holds would be; None: it cannot go on."""
    if not chain[-1].parts:
        return None
    return f"{origin_id}+{sum(len(one.parts) for one in chain)}"


def version_origin(origin_id: str, raw: str) -> str:
    """Under which origin another content of one file is kept."""
    return f"{origin_id}@{content_hash(raw)[:16]}"


def _version(request: AddRequest, draft: CheckedSource, chain: Sequence[KnownSource]) -> Decision:
    if any(one.digest == content_hash(draft.raw) for one in chain):
        return Leave()
    origin = version_origin(str(draft.origin_id), draft.raw)
    return Take(request=replace(request, origin_id=origin), fate=ImportOutcome.CHANGED)


def _rest(request: AddRequest, draft: CheckedSource, chain: Sequence[KnownSource]) -> Decision:
    """Parts are counted, so that who says "yes" twice without ids has said it twice."""
    here = Counter(part for one in chain for part in one.parts)
    content = json.loads(draft.raw)
    fresh = []
    for part in _parts(content):
        name = known_by(part)
        if here[name]:
            here[name] -= 1
        else:
            fresh.append(part)
    origin = next_origin(str(draft.origin_id), chain)
    if not any(_has_text(part) for part in fresh) or origin is None:
        return Leave()
    rest = fresh if isinstance(content, list) else {**content, _field(content): fresh}
    began = _began(fresh) or request.started_at
    return Take(
        request=replace(request, content=rest, origin_id=origin, started_at=began, ended_at=None),
        fate=ImportOutcome.GROWN,
    )


def _parts(content: Any) -> list[dict[str, Any]]:
    """The turns or messages that make up a conversation; none where content cannot grow."""
    listed = content if isinstance(content, list) else content.get(_field(content))
    if not isinstance(listed, list):
        return []
    return [one for one in listed if isinstance(one, dict)]


def _field(record: Mapping[str, Any]) -> str:
    return "messages" if isinstance(record.get("messages"), list) else "turns"


def _has_text(part: Mapping[str, Any]) -> bool:
    return bool(str(part.get("text") or part.get("body") or part.get("content") or "").strip())


def _began(parts: Sequence[Mapping[str, Any]]) -> datetime | None:
    """The earliest time that one of these carries."""
    return min((when for part in parts if (when := _time(part)) is not None), default=None)


def _time(part: Mapping[str, Any]) -> datetime | None:
    """ISO text, or seconds since 1970 as chats write them; anything else says nothing."""
    try:
        if part.get("ts"):
            return datetime.fromtimestamp(float(part["ts"]), UTC)
        when = datetime.fromisoformat(str(part.get("at")))
    except (TypeError, ValueError, OverflowError, OSError):
        return None
    return when if when.tzinfo is not None else when.replace(tzinfo=UTC)
