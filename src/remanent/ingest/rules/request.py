"""What may come in: every value checked before anything is written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

from remanent.core.checks import IntakeRules, choice, identifier, moment, plain, statement
from remanent.core.dataclasses import KW_ONLY, dataclass, fields
from remanent.core.later import later
from remanent.core.model.codec import to_record
from remanent.core.model.keys import content_hash, key_for
from remanent.core.model.node import Kind
from remanent.core.model.source import ContentType, ContextType, Sensitivity, Source, SourceType
from remanent.core.regex import regex
from remanent.errors import InvalidInput

if TYPE_CHECKING:
    from remanent.ingest import formats
    from remanent.ingest.formats import Parsed
else:
    formats = later("remanent.ingest.formats")

Content = str | Sequence[Mapping[str, Any]] | Mapping[str, Any]

# What a caller may call a source -> where it came from, what it becomes, what it is usually for.
TYPES: Mapping[str, tuple[SourceType, ContentType, ContextType]] = {
    "conversation": (SourceType.TEXT_IMPORT, ContentType.CONVERSATION, ContextType.WORK_SESSION),
    "voice-memo": (
        SourceType.VOICE_MEMO,
        ContentType.CONVERSATION,
        ContextType.PERSONAL_REFLECTION,
    ),
    "meeting": (SourceType.MEETING, ContentType.MEETING, ContextType.TEAM_MEETING),
    "email": (SourceType.EMAIL, ContentType.EMAIL, ContextType.EMAIL_THREAD),
    "slack-thread": (
        SourceType.SLACK_THREAD,
        ContentType.SLACK_THREAD,
        ContextType.SLACK_DISCUSSION,
    ),
    "text-note": (SourceType.TEXT_IMPORT, ContentType.TEXT_NOTE, ContextType.PERSONAL_REFLECTION),
}

# What a title calls an occasion; the first that fits decides.
_OCCASIONS: tuple[tuple[ContextType, re.Pattern[str]], ...] = tuple(
    (context, regex(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE))
    for context, words in (
        (ContextType.BRAINSTORMING, r"brain-?storm\w*|ideation|idea session|mind ?map\w*"),
        (
            ContextType.PLANNING,
            r"planning|sprint plan\w*|road-?map\w*|quarterly plan|okrs?|kick-?off|backlog|grooming",
        ),
        (
            ContextType.PHONE_CALL,
            r"(?:phone|video|conference|sales|client|customer)?[ -]?calls?|phoned|called|voice ?mail",
        ),
        (
            ContextType.TEAM_MEETING,
            r"stand-?ups?|1[:-]1s?|1 on 1|one[ -]on[ -]ones?|retro\w*|all[ -]hands|meetings?|minutes|sync",
        ),
        (
            ContextType.WORK_SESSION,
            r"work(?:ing)? session|pairing|pair programming|debug\w*|code review|hackathon|workshop",
        ),
        (
            ContextType.PERSONAL_REFLECTION,
            r"diary|journal|reflections?|morning pages|gratitude|dream|daily note",
        ),
    )
)
# A letter is a letter whatever it is about.
_ALWAYS = frozenset({ContextType.EMAIL_THREAD, ContextType.SLACK_DISCUSSION})
# These a conversation and a note are called that have no other name.
_VAGUE = frozenset({ContextType.WORK_SESSION, ContextType.PERSONAL_REFLECTION})
_CONTEXT = "context"  # in the provenance: the caller said what it was for
_LONGEST_TITLE = 300
_LONGEST_ORIGIN = 2000
_ORIGINS = ("origin", "channel", "url", "confidence")
_MAY_LACK = frozenset({"accepted", "came_by"})  # fields of the event that came later
_MOST_NAMES = 200
_MOST_WORDS = 20_000
_PIECES = 500  # read for their words at once
_LONGEST_LOOKED_INTO = 200_000
_WORD = regex(r"[^\W_]{1,100}")


@dataclass(frozen=True, slots=True)
class AddRequest:
    """Request to add one source, as the caller gave it."""

    content: Content
    type: str | None = None
    context: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    participants: Sequence[str] = ()
    team: str | None = None
    origin_id: str | None = None
    sensitivity: str = "normal"
    _: KW_ONLY
    title: str = ""
    provenance: Mapping[str, Any] | None = None
    shared: bool = False  # with the primary team


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAdded:
    """Payload of a `source.added` event, name by name and in this order: a format of the ledger.

    With the raw content beside it, it is all that is needed to make the source again.
    """

    source_key: str
    source_type: SourceType
    content_type: ContentType
    context_type: ContextType
    digest: str
    started_at: datetime
    ended_at: datetime | None
    participants: tuple[str, ...]
    origin_id: str | None
    sensitivity: Sensitivity
    title: str
    accepted: tuple[str, ...] | None = None  # left out where nobody else is named
    came_by: Mapping[str, Any] | None = None  # left out where the caller did not say


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSource(SourceAdded):
    """Request that passed: what the ledger tells of it, and what is kept elsewhere."""

    team_id: str | None
    raw: str
    is_json: bool
    provenance: Mapping[str, Any]
    words: str  # by which it is found until it is processed


def checked(
    request: AddRequest, *, user_id: str, now: datetime, rules: IntakeRules
) -> CheckedSource:
    """The source that `request` asks for, or `InvalidInput` naming the first field that is wrong."""
    raw, is_json = raw_content(request.content, rules)
    source_type, content_type, _ = TYPES[_type(request)]
    parsed = formats.read(raw, is_json=is_json, content_type=content_type)
    started = _start(request, parsed, content_type, now=now, rules=rules)
    ended = None if request.ended_at is None else moment("ended_at", request.ended_at, now, rules)
    if ended is not None and ended < started:
        raise InvalidInput("ended_at", f"{ended.isoformat()} lies before started_at")
    dated = "" if request.started_at is None else started.isoformat()
    title = (plain("title", request.title).strip() or parsed.title)[:_LONGEST_TITLE].strip()
    # One text on two days is two experiences; one text without a date is the same one again.
    digest = content_hash("\x1f".join((content_type.value, dated, raw)))
    return CheckedSource(
        digest=digest,
        source_type=source_type,
        content_type=content_type,
        context_type=context_for(_type(request), title, " ".join(parsed.tags))
        if request.context is None
        else choice("context", ContextType, request.context),
        started_at=started,
        ended_at=ended,
        participants=_participants(request.participants, user_id),
        team_id=None if request.team is None else identifier("team", request.team),
        origin_id=(origin := _origin(request.origin_id)),
        source_key=_key(user_id, origin, digest),
        sensitivity=choice("sensitivity", Sensitivity, request.sensitivity),
        title=title,
        raw=raw,
        is_json=is_json,
        came_by=_came_by(request),
        provenance=_provenance(parsed, _record_of(raw) if is_json else {}),
        words=_words(parsed),
    )


def payload(checked: SourceAdded) -> dict[str, Any]:
    """What the ledger is told of a source, as plain values."""
    told = {one.name: to_record(getattr(checked, one.name)) for one in fields(SourceAdded)}
    return {name: one for name, one in told.items() if one is not None or name not in _MAY_LACK}


def _came_by(request: AddRequest) -> dict[str, Any] | None:
    """Where it came from, as the caller says, and that the caller said what it was for; what is not said
    is left out."""
    given = request.provenance or {}
    if set(given) - set(_ORIGINS):
        raise InvalidInput("provenance", f"has fields other than {', '.join(_ORIGINS)}")
    said = {name: one for name, one in given.items() if one is not None}
    for name, one in said.items():
        if name == "confidence":
            if not isinstance(one, int | float) or isinstance(one, bool) or not 0 <= one <= 1:
                raise InvalidInput("provenance.confidence", f"{one!r} is not a number from 0 to 1")
        else:
            said[name] = statement(f"provenance.{name}", one, _LONGEST_ORIGIN).strip()
    return said | ({} if request.context is None else {_CONTEXT: "given"}) or None


def understood_context(source: Source, told: ContextType | None) -> ContextType:
    """What a source was for: as the mind understands it where nobody said, and its type says little."""
    is_vague = source.context_type in _VAGUE and _CONTEXT not in source.provenance
    return told if told is not None and is_vague else source.context_type


def _record_of(raw: str) -> Mapping[str, Any]:
    """A raw record that says itself where it came from, such as a thread of a channel."""
    record = json.loads(raw) if raw.startswith("{") and len(raw) < _LONGEST_LOOKED_INTO else {}
    return {
        name: record[name][:_LONGEST_TITLE]
        for name in ("channel", "url")
        if isinstance(record.get(name), str) and record[name].strip()
    }


def digest_problem(payload: Mapping[str, Any], raw: str) -> str:
    """What is wrong with a raw text, given the payload of its `source.added` event; "" if nothing is.

    Whether a date was given is not told in the event: with it or without it, one digest must fit.
    """
    dated = str(payload["started_at"])
    known = {"", dated, datetime.fromisoformat(dated).isoformat()}
    parts = ((str(payload["content_type"]), date, raw) for date in known)
    if str(payload["digest"]) in {content_hash("\x1f".join(one)) for one in parts}:
        return ""
    return "the raw text is not the one whose digest the ledger has"


def _origin(origin_id: str | None) -> str | None:
    return None if origin_id is None else identifier("origin_id", origin_id)


def _key(user_id: str, origin: str | None, digest: str) -> str:
    """By its origin where it has one, else by its content."""
    if origin is not None:
        return key_for(user_id, Kind.SOURCE, "origin", origin)
    return key_for(user_id, Kind.SOURCE, "content", digest)


def context_for(type: str, title: str = "", hint: str = "") -> ContextType:  # noqa: A002 - as callers say it
    """What a source was for, as far as its type, its title and a hint such as its tags tell."""
    usual = TYPES[type][2]
    if usual in _ALWAYS:
        return usual
    words = f"{title[:_LONGEST_TITLE]}\n{hint[:_LONGEST_TITLE]}"
    return next((context for context, named in _OCCASIONS if named.search(words)), usual)


def raw_content(content: object, rules: IntakeRules) -> tuple[str, bool]:
    """The text to keep, and whether it is JSON."""
    if isinstance(content, str):
        return statement("content", content, rules.max_characters), False
    if isinstance(content, Mapping):
        return _record(content, rules), True
    if isinstance(content, (bytes, bytearray)) or not isinstance(content, Sequence):
        raise InvalidInput(
            "content", f"must be text, turns or a record, not {type(content).__name__}"
        )
    return _turns(content, rules), True


def _type(request: AddRequest) -> str:
    name = request.type
    if name is None:
        name = "text-note" if isinstance(request.content, str) else "conversation"
    if name not in TYPES:
        raise InvalidInput("type", f"{name!r} is not one of: {', '.join(TYPES)}")
    return name


def _start(
    request: AddRequest,
    parsed: Parsed,
    content_type: ContentType,
    *,
    now: datetime,
    rules: IntakeRules,
) -> datetime:
    """When it happened: as the caller says, as its turns say, as its format says, else now."""
    if request.started_at is not None:
        return moment("started_at", request.started_at, now, rules)
    if not isinstance(request.content, (str, Mapping)):
        times = [turn.get("at") for turn in request.content]
        dated = [found for one in times if (found := _time_of("content", one)) is not None]
        if dated:
            return moment("content", min(dated), now, rules)
    if parsed.started_at is not None:
        # A note may bear the date of what it is about; a letter from the future is an error.
        if content_type is not ContentType.TEXT_NOTE or parsed.started_at <= now:
            return moment("content", parsed.started_at, now, rules)
    elif parsed.lasted is not None and parsed.lasted < timedelta(days=1):
        return now - parsed.lasted  # a recording is over when it comes in
    return now


def provenance(raw: str, content_type: ContentType, *, is_json: bool) -> tuple[dict[str, Any], str]:
    """What `checked` finds in a raw content, from that content alone: provenance and words."""
    parsed = formats.read(raw, is_json=is_json, content_type=content_type)
    return _provenance(parsed, _record_of(raw) if is_json else {}), _words(parsed)


def _words(parsed: Parsed) -> str:
    """Every word once, in the order of the text; of the longest texts the first so many."""
    seen: dict[str, None] = {}
    for first in range(0, len(parsed.pieces), _PIECES):
        some = parsed.pieces[first : first + _PIECES]
        said = " ".join([f"{one.speaker or ''} {one.text}" for one in some])
        seen.update(dict.fromkeys(_WORD.findall(said.casefold())))
        if len(seen) > _MOST_WORDS:
            break
    return " ".join(islice(seen, _MOST_WORDS))


def excerpt(raw: str, query: str, content_type: ContentType, *, is_json: bool) -> str:
    """The first piece of a raw content that has a word of the query, or the first of all, cut short."""
    if is_json and len(raw) > _LONGEST_LOOKED_INTO:
        return ""
    text = raw if is_json else raw[:_LONGEST_LOOKED_INTO]
    pieces = formats.read(text, is_json=is_json, content_type=content_type).pieces
    words = {word for word in _WORD.findall(query.casefold()) if len(word) > 2}
    best = max(pieces, key=lambda one: len(words & {*_WORD.findall(one.text.casefold())}))
    return " ".join(best.text.split())[:_LONGEST_TITLE]


def _provenance(parsed: Parsed, carried: Mapping[str, Any]) -> dict[str, Any]:
    """Who and what the source names by itself, and where it says it is from; the people are not users, and
    may read nothing."""
    named = {
        "people": parsed.participants,
        "mentions": parsed.mentions,
        "tags": parsed.tags,
        "aliases": parsed.aliases,
        "about": (parsed.about,) if parsed.about else (),
    }
    found = {
        name: [one[:_LONGEST_TITLE] for one in values[:_MOST_NAMES]]
        for name, values in named.items()
        if values
    }
    return {**found, **carried}


def _participants(named: Sequence[str], user_id: str) -> tuple[str, ...]:
    if isinstance(named, str):
        raise InvalidInput("participants", "must be a list of user ids, not one text")
    others = (identifier("participants", one) for one in named)
    return tuple(dict.fromkeys((user_id, *others)))


def _turns(content: Sequence[Mapping[str, Any]], rules: IntakeRules) -> str:
    turns = [_turn(number, turn) for number, turn in enumerate(content)]
    if not any(turn["text"].strip() for turn in turns):
        raise InvalidInput("content", "is empty: no turn has any text")
    return _bounded(json.dumps(turns, ensure_ascii=False, separators=(",", ":")), rules)


def _turn(number: int, turn: Mapping[str, Any]) -> dict[str, Any]:
    where = f"content[{number}]"
    if not isinstance(turn, Mapping):
        raise InvalidInput(where, "must be a turn: {speaker, text, at, id}")
    unknown = set(turn) - {"speaker", "text", "at", "id"}
    if unknown:
        raise InvalidInput(where, f"has unknown fields: {', '.join(sorted(map(str, unknown)))}")
    kept: dict[str, Any] = {"text": plain(f"{where}.text", turn.get("text", ""))}
    for name in ("speaker", "id"):
        if turn.get(name) is not None:
            kept[name] = plain(f"{where}.{name}", str(turn[name]))
    at = _time_of(f"{where}.at", turn.get("at"))
    if at is not None:
        kept["at"] = at.isoformat()
    return kept


def _time_of(field: str, value: object) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise InvalidInput(field, f"{value!r} is not an ISO date and time") from None
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"must be a datetime, not {type(value).__name__}")
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _record(content: Mapping[str, Any], rules: IntakeRules) -> str:
    try:
        text = json.dumps(
            to_record(content),
            ensure_ascii=False,
            sort_keys=True,
            separators=(",", ":"),
            allow_nan=False,
        )
    except (TypeError, ValueError) as problem:
        raise InvalidInput("content", f"cannot be kept as JSON: {problem}") from None
    if not content:
        raise InvalidInput("content", "is empty")
    _no_nul(to_record(content))
    return _bounded(plain("content", text), rules)


def _no_nul(value: object) -> None:
    """JSON would hide a NUL behind an escape."""
    if isinstance(value, str):
        plain("content", value)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            _no_nul(name)
            _no_nul(inner)
    elif isinstance(value, list):
        for inner in value:
            _no_nul(inner)


def _bounded(text: str, rules: IntakeRules) -> str:
    return statement("content", text, rules.max_characters)
