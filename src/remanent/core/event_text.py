"""The text of an event: its payload read as words, and who spoke them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

# Where agents put what was said, the most telling first.
_SAID: Final = (
    "text", "message", "content", "prompt", "question", "answer", "response", "statement", "body",
    "summary", "description",
)  # fmt: skip
_TITLES: Final = ("title", "subject", "name")
_SPEAKERS: Final = ("speaker", "role", "author", "sender", "from")
_TALK: Final = frozenset({"message", "messages", "msg", "chat", "utterance", "turn", "said"})
_VOICES: Final = {
    **dict.fromkeys(("user", "human", "owner"), "user"),
    **dict.fromkeys(("assistant", "agent", "ai", "bot"), "assistant"),
}
# All that is left of a payload once the trimmer has taken its words: when it did.
TRIMMED: Final = "remanent.trimmed"
_DEEPEST: Final = 4
_MOST_SCALARS: Final = 40
_LONGEST_SCALAR: Final = 500


def text_of(event_type: str, payload: Mapping[str, Any], *, longest: int = 20_000) -> str:
    """What the event says, never empty: its own words where it has some, else its type and values."""
    if is_trimmed(payload):
        return f"{event_type}, trimmed on {str(payload[TRIMMED])[:10]}"
    text = said_in(payload)
    if text:
        title = _first_words(payload, _TITLES, 0)
        whole = f"{title}: {text}" if title and title not in text else text
        return whole[:longest].strip()
    pairs = islice(_scalars(payload, "", 0), _MOST_SCALARS)
    values = "; ".join(f"{name}: {value}" for name, value in pairs)
    called = " ".join(words_of(event_type)) or event_type
    return (f"{called}: {values}" if values else called)[:longest].strip()


def is_trimmed(payload: Mapping[str, Any]) -> bool:
    """Whether the words of this event have left the ledger; a summary stands for them."""
    return TRIMMED in payload


def said_in(payload: Mapping[str, Any]) -> str:
    """The words in a payload that were said or written as such, or ""."""
    return _first_words(payload, _SAID, 0)


def words_of(event_type: str) -> list[str]:
    """`tool.callFailed` -> tool, call, failed."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", event_type)
    return [word.casefold() for word in re.findall(r"[^\W_]+", apart)]


def is_message(event_type: str, payload: Mapping[str, Any]) -> bool:
    """Whether somebody says something here that belongs into a transcript."""
    if not said_in(payload):
        return False
    words = words_of(event_type)
    return not _TALK.isdisjoint(words) or (
        speaker_of(event_type, payload) is not None and set(words) <= _VOICES.keys()
    )


def speaker_of(event_type: str, payload: Mapping[str, Any]) -> str | None:
    """Who says it, as far as the payload or the type tells."""
    inner = payload.get("message")
    for place in (payload, inner if isinstance(inner, Mapping) else {}):
        for name in _SPEAKERS:
            value = place.get(name)
            if isinstance(value, str) and value.strip():
                return _VOICES.get(value.strip().casefold(), value.strip())
    return next((_VOICES[word] for word in words_of(event_type) if word in _VOICES), None)


def _first_words(value: Mapping[str, Any], names: Sequence[str], depth: int) -> str:
    return next((one for name in names if (one := _words(value.get(name), depth))), "")


def _words(value: object, depth: int) -> str:
    """The words in a value: a string, the parts of a message, or a message within one."""
    if isinstance(value, str):
        return value.strip()
    if depth >= _DEEPEST:
        return ""
    if isinstance(value, Mapping):
        return _first_words(value, _SAID, depth + 1)
    if isinstance(value, Sequence):
        return "\n".join(filter(None, (_words(one, depth + 1) for one in value)))
    return ""


def _scalars(value: object, name: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        if depth < _DEEPEST:
            for inner, one in value.items():
                yield from _scalars(one, f"{name}.{inner}" if name else str(inner), depth + 1)
    elif isinstance(value, (list, tuple)):
        if depth < _DEEPEST:
            for one in value:
                yield from _scalars(one, name, depth + 1)
    elif value is not None and str(value).strip():
        text = str(value).casefold() if isinstance(value, bool) else str(value)
        yield name, " ".join(text.split())[:_LONGEST_SCALAR]
