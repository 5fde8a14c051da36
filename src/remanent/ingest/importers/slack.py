"""Slack's export: the zip or the folder it unpacks to. A thread is a source, and so is a day of the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from remanent.core.dataclasses import dataclass
from remanent.ingest.importers.box import Box, Member, Unreadable
from remanent.ingest.importers.chats import mapping, sequence, text_of
from remanent.ingest.importers.fields import Dates, elements
from remanent.ingest.rules.dedupe import ImportedSource, Item, Skipped
from remanent.ingest.rules.request import AddRequest

_USERS: Final = "users.json"
_LISTS: Final = ("channels.json", "groups.json", "dms.json", "mpims.json")
_DAY: Final = re.compile(r"(?:(?P<root>.*)/)?(?P<channel>[^/]+)/(?P<day>\d{4}-\d\d-\d\d)\.json")
_NAMED: Final = re.compile(r"<[@](\w+)")
# Links to files carry keys to them, and `blocks` say the text a second time: neither is kept.
_KEPT: Final = ("ts", "user", "username", "bot_id", "thread_ts", "subtype")
_NOT_SAID: Final = frozenset(
    f"{place}_{what}"
    for place in ("channel", "group")
    for what in ("join", "leave", "topic", "purpose", "name", "archive", "unarchive")
) | {"bot_add", "bot_remove", "pinned_item", "reminder_add", "tombstone", "sh_room_created"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Channel:
    key: str
    name: str
    label: str


def fits(box: Box) -> bool:
    """Lists of users and channels, or folders with a file a day."""
    names = {one.path.name for one in box.members}
    if _USERS in names and names.intersection(_LISTS):
        return True
    dated = [one for one in box.members if _DAY.fullmatch(one.name)]
    return bool(dated) and len(dated) * 2 > len(box.members)


def read(box: Box, dates: Dates) -> Iterator[Item]:
    """Channel by channel: only one of them is in memory at a time."""
    users: dict[str, str] = {}
    channels: dict[str, _Channel] = {}
    days = box.pick([one for one in box.members if _DAY.fullmatch(one.name)])
    yield from _directory(box, users, channels)
    box.pick(days)
    folders: dict[str, list[Member]] = {}
    for member in days:
        folders.setdefault(member.path.parent.name, []).append(member)
    for folder, files in folders.items():
        channel = channels.get(folder, _Channel(key=folder, name=folder, label=f"#{folder}"))
        talk = _Talk(channel=channel, users=users, dates=dates)
        yield from talk.gather(box, files)
        yield from talk.sources()


def _directory(box: Box, users: dict[str, str], channels: dict[str, _Channel]) -> Iterator[Skipped]:
    listed = [one for one in box.members if one.path.name in (_USERS, *_LISTS)]
    for member in sorted(listed, key=lambda one: one.path.name != _USERS):  # names come first
        try:
            for record in map(mapping, elements(box, member)):
                key = text_of(record.get("id"))
                name = text_of(record.get("name"))
                if member.path.name == _USERS:
                    users[key] = _display_name(record) or key
                elif key:
                    label = f"#{name}" if name else _with(record, users) or key
                    channels[name or key] = _Channel(key=key, name=name or label, label=label)
        except Unreadable as problem:
            yield Skipped(where=member.name, why=str(problem))


def _display_name(user: Mapping[str, Any]) -> str:
    profile = mapping(user.get("profile"))
    names = (user.get("real_name"), profile.get("real_name"), profile.get("display_name"))
    return next((text_of(one) for one in (*names, user.get("name")) if text_of(one)), "")


def _with(talk: Mapping[str, Any], users: Mapping[str, str]) -> str:
    """A direct message has members instead of a name."""
    return ", ".join(users.get(text_of(one), text_of(one)) for one in sequence(talk.get("members")))


class _Talk:
    """All that was said in one channel, sorted into threads and days."""

    def __init__(self, *, channel: _Channel, users: dict[str, str], dates: Dates) -> None:
        self._channel = channel
        self._users = users
        self._dates = dates
        self._parts: dict[str, list[dict[str, Any]]] = {}

    def gather(self, box: Box, files: Iterable[Member]) -> Iterator[Skipped]:
        for member in files:
            number = 0
            try:
                for number, message in enumerate(elements(box, member), start=1):
                    why = self._sort(mapping(message), member.path.stem)
                    if why:
                        yield Skipped(where=f"{member.name}, message {number}", why=why)
            except Unreadable as problem:
                yield Skipped(where=f"{member.name}, after message {number}", why=str(problem))

    def _sort(self, message: Mapping[str, Any], day: str) -> str:
        """Put a message where it belongs; why it cannot be, if it cannot."""
        if text_of(message.get("subtype")) in _NOT_SAID:
            return ""
        if self._dates.seconds(message.get("ts")) is None:
            return "is not a message with a time"
        kept = _without_noise(message)
        if not kept["text"].strip():
            return "" if kept.get("files") else "has no text"
        user, name = (
            text_of(message.get("user")),
            _display_name(mapping(message.get("user_profile"))),
        )
        if user and name:
            self._users.setdefault(user, name)  # a guest: the list of users has members only
        self._parts.setdefault(kept.get("thread_ts") or day, []).append(kept)
        return ""

    def sources(self) -> Iterator[ImportedSource]:
        for name, messages in sorted(self._parts.items()):
            messages.sort(key=lambda one: float(one["ts"]))
            record = {
                "channel": self._channel.name,
                "users": self._named(messages),
                "messages": messages,
            }
            request = AddRequest(
                content=record,
                type="slack-thread",
                started_at=self._when(messages[0]),
                ended_at=self._when(messages[-1]),
                title=self._title(name, messages[0]),
                origin_id=f"slack:{self._channel.key}:{name}",
            )
            yield ImportedSource(request=request, where=f"{self._channel.name}, {name}")

    def _when(self, message: Mapping[str, Any]) -> datetime | None:
        return self._dates.seconds(message["ts"])

    def _named(self, messages: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """Names of those who speak or are spoken of, not of everyone in the workspace."""
        keys = {str(one.get("user")) for one in messages}
        keys |= {key for one in messages for key in _NAMED.findall(one["text"])}
        return {key: self._users[key] for key in sorted(keys) if key in self._users}

    def _title(self, name: str, first: Mapping[str, Any]) -> str:
        if "-" in name:
            return f"{self._channel.label}, {name}"
        text = _NAMED.sub(lambda one: f"<{self._users.get(one[1], one[1])}", first["text"])
        words = " ".join(text.replace("<", "").replace(">", "").split())
        return f"{self._channel.label}: {words[:80]}"


def _without_noise(message: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {
        name: text_of(str(message[name])) for name in _KEPT if message.get(name) not in (None, "")
    }
    attached = (mapping(one) for one in sequence(message.get("attachments")))
    shown = (text_of(one.get("text")) or text_of(one.get("fallback")) for one in attached)
    kept["text"] = text_of(message.get("text")) or "\n".join(filter(None, shown))
    edited = mapping(message.get("edited")).get("ts")
    if edited:
        kept["edited"] = {"ts": text_of(str(edited))}
    files = [text_of(mapping(one).get("name")) for one in sequence(message.get("files"))]
    if any(files):
        kept["files"] = [{"name": name} for name in files if name]
    return kept
