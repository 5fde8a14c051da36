"""One memory's keys in Redis: documents in hashes, read through what a block has yet to write."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeVar

import redis

from remanent.clock import stopwatch
from remanent.core.dataclasses import dataclass, field
from remanent.errors import BusyMemory, InvalidInput, StoreError
from remanent.stores.combined.block import Block
from remanent.stores.combined.part import Member, Ticket
from remanent.stores.redis import indexes, scripts
from remanent.stores.redis.connection import Server
from remanent.stores.redis.indexes import Hash

T = TypeVar("T")
NOTES: Final = Hash("unapplied")  # up to which event the graph has yet to hear, by user
LEFT: Final = Hash("left")  # what a block settles once all is written, by whose it is
_PAGE: Final = 500
_Change = tuple[str, str, str, str | None]  # in which hash of whose, the name, and what it becomes


class _Contended(Exception):
    """Somebody else wrote what this write had read."""


class _Row(NamedTuple):
    """A document of a block: what was read, and what it becomes; None: not there."""

    hash: Hash
    field: str
    before: str | None
    after: str | None
    is_promise: bool
    insists: bool


class _Mark(NamedTuple):
    """How far a block was."""

    changes: int
    commands: int
    appended: Mapping[str, int]


@dataclass
class _Pending:
    """What a block has yet to write, and what it read of single documents."""

    rows: dict[Hash, dict[str, _Row]] = field(default_factory=dict)
    read: dict[tuple[Hash, str], str | None] = field(default_factory=dict)
    changes: list[tuple[Hash, str, _Row | None]] = field(
        default_factory=list
    )  # what was there before
    commands: list[tuple[str, list[str]]] = field(default_factory=list)  # when all is settled
    appended: dict[str, int] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)  # by us, should we die before we settle it
    notes: dict[str, str] = field(default_factory=dict)  # of blocks before, which this one mends
    unsettled: dict[str, str] = field(default_factory=dict)  # what these left

    def row(self, where: Hash, name: str) -> _Row | None:
        return self.rows.get(where, {}).get(name)

    def all_rows(self) -> list[_Row]:
        return [row for rows in self.rows.values() for row in rows.values()]

    def put(self, row: _Row) -> None:
        self.changes.append((row.hash, row.field, self.row(row.hash, row.field)))
        self.rows.setdefault(row.hash, {})[row.field] = row

    def mark(self) -> _Mark:
        return _Mark(len(self.changes), len(self.commands), dict(self.appended))

    def take_back(self, mark: _Mark) -> None:
        while len(self.changes) > mark.changes:
            where, name, before = self.changes.pop()
            if before is None:
                del self.rows[where][name]
            else:
                self.rows[where][name] = before
        del self.commands[mark.commands :]
        self.appended = dict(mark.appended)


class RedisDatabase(Member):
    """The keys that begin with the memory's name. Who writes inside a block writes when that ends; who
    reads inside it sees what it will have written."""

    def __init__(self, server: Server, schema: str, block: Block, *, busy_timeout_s: float) -> None:
        self.server = server
        self.path = server.shown
        self.prefix = f"{{{schema}}}:"  # a cluster keeps together what has one name in braces
        self.block = block
        self._busy_timeout_s = busy_timeout_s
        self._local = threading.local()
        self._name, self._numbers = uuid.uuid4().hex, itertools.count()  # of what it writes
        self._write = server.client.register_script(scripts.WRITE)
        self._next = server.client.register_script(scripts.NEXT)
        self._number = server.client.register_script(scripts.NUMBER)

    # -- reading ------------------------------------------------------------------------------

    def key(self, *names: str) -> str:
        """The key of that name."""
        return self.prefix + ":".join(names)

    def ask(self, *command: Any) -> Any:
        """What the server answers to one command that changes nothing, or nothing twice."""
        return self.server.run(*command)

    def ask_all(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """The answers to several, in one journey."""
        if not commands:
            return []

        def sent(client: redis.Redis) -> list[Any]:
            pipeline: Any = client.pipeline(transaction=False)
            for one in commands:
                pipeline.execute_command(*one)
            answers: list[Any] = pipeline.execute()
            return answers

        return self.server.ask(sent)

    def get(self, where: Hash, name: str) -> str | None:
        """The document of that name."""
        pending = self._pending
        if pending is None:
            return self._stored(where, name)
        if (row := pending.row(where, name)) is not None:
            return row.after
        if (where, name) not in pending.read:
            pending.read[where, name] = self._stored(where, name)
        return pending.read[where, name]

    def _stored(self, where: Hash, name: str) -> str | None:
        found: str | None = self.ask("HGET", where.key(self.prefix), name)
        return found

    def stored(self, where: Hash, names: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Those of these documents that are there and that this block leaves as they are."""
        changed = self.changed(where)
        for first in range(0, len(names), _PAGE):
            some = names[first : first + _PAGE]
            texts = self.ask("HMGET", where.key(self.prefix), *some)
            for name, text in zip(some, texts, strict=True):
                if text is not None and name not in changed:
                    yield name, text

    def read(self, where: Hash, names: Sequence[str]) -> None:
        """Read these documents in one journey, before a block changes them one by one."""
        pending = self._begun
        for first in range(0, len(names), _PAGE):
            some = names[first : first + _PAGE]
            texts = self.ask("HMGET", where.key(self.prefix), *some)
            for name, text in zip(some, texts, strict=True):
                pending.read.setdefault((where, name), text)

    def changed(self, where: Hash) -> Mapping[str, str | None]:
        """The documents that this block has changed, as they will be."""
        pending = self._pending
        if pending is None:
            return {}
        return {name: row.after for name, row in pending.rows.get(where, {}).items()}

    def before(self, where: Hash) -> Mapping[str, str | None]:
        """The same documents as they were before the block."""
        pending = self._pending
        if pending is None:
            return {}
        return {name: row.before for name, row in pending.rows.get(where, {}).items()}

    def outcome(self) -> tuple[dict[tuple[str, str], str | None], set[tuple[str, str]]]:
        """What this block will have made of documents, by hash and name; and which members of which sets,
        and names of jobs, it will have taken away."""
        rows = [] if self._pending is None else self._pending.all_rows()
        documents = {(row.hash.key(self.prefix), row.field): row.after for row in rows}
        gone = {("jobs", row.field) for row in rows if row.hash.family == "jobs" and not row.after}
        for row in rows:
            follows = indexes.commands(self.prefix, row.hash, row.field, row.before, row.after)
            gone |= {(key, one) for how, key, one, *_ in follows if how == "ZREM"}
            gone |= set() if row.after else {(row.hash.key(self.prefix), row.field)}
        return documents, gone

    def all(self, where: Hash) -> dict[str, str]:
        """Every document of a hash, as this block will have it."""
        found: dict[str, str] = self.ask("HGETALL", where.key(self.prefix))
        if self._pending is not None:
            for name, text in found.items():
                self._pending.read.setdefault((where, name), text)
        changed = self.changed(where)
        there = {name: text for name, text in found.items() if name not in changed}
        return there | {name: text for name, text in changed.items() if text is not None}

    def pages(self, name: str) -> Iterator[list[str]]:
        """The members of a sorted set, in order of score, some at a time."""
        start = 0
        while page := self.ask("ZRANGE", self.key(name), start, start + _PAGE - 1):
            yield page
            start += len(page)

    def numbered(self, where: Hash, name: str, of: str) -> tuple[str | None, int]:
        """The document of that name, or a number that was never given to one of its sort, for a new one."""
        pending = self._begun
        if (where, name) not in pending.read and pending.row(where, name) is None:
            keys, args = [where.key(self.prefix), self.key("last", of)], [name]
            text, number = self.server.ask(lambda _: self._number(keys=keys, args=args))
            pending.read[where, name] = text
            return text, int(number)
        text = self.get(where, name)
        return text, 0 if text is not None else self.next_number(of)

    def next_number(self, of: str) -> int:
        """A number that was never given to one of that sort."""
        return int(self.ask("INCR", self.key("last", of)))

    def last_number(self, of: str) -> int:
        """The highest number that was ever given to one of that sort."""
        return int(self.ask("GET", self.key("last", of)) or 0)

    def next_job(self, *wanted: str) -> str:
        """The key of the job that `NEXT` finds; "" if there is none."""
        keys, args = [self.key("due")], [self.prefix, *wanted]
        return str(self.server.ask(lambda _: self._next(keys=keys, args=args)))

    # -- writing ------------------------------------------------------------------------------

    def add(self, where: Hash, name: str, text: str) -> None:
        """Promise a document of which it is known that it is not there."""
        self._begun.read.setdefault((where, name), None)
        self.put(where, name, text, promise=True)

    def put(
        self,
        where: Hash,
        name: str,
        text: str | None,
        *,
        promise: bool = False,
        insist: bool = True,
    ) -> None:
        """Let the document be this when the block ends, or with None be gone. What is a `promise` is
        written before anything is derived; who does not `insist` gives way to whoever was first."""
        _insist_text(text)
        pending = self._begun
        known = pending.row(where, name)
        before = known.before if known is not None else self._before(where, name)
        promise |= known is not None and known.is_promise
        pending.put(_Row(where, name, before, text, promise, insist))

    def _before(self, where: Hash, name: str) -> str | None:
        self.get(where, name)
        return self._begun.read[where, name]

    def also(self, user_id: str, *command: str) -> None:
        """A command about that user that is carried out once all is settled; twice is once."""
        self._begun.commands.append((user_id, list(command)))

    def note_appended(self, user_id: str, seq: int) -> None:
        """Remember that this block has appended an event of that user."""
        self._begun.appended[user_id] = max(seq, self._begun.appended.get(user_id, 0))

    def at_once(self, step: Callable[[], T]) -> T:
        """Do the step and write it down, again and again until nobody comes in between; inside a block it
        is a part of that."""
        if self._pending is not None:
            return step()
        with self.block.atomic(alone=False):  # a memory that has moved is not written to
            outer, began = self._pending, stopwatch()
            try:
                while stopwatch() - began < self._busy_timeout_s:
                    self._local.pending = _Pending()
                    answer = step()
                    rows = [row._replace(insists=True) for row in self._begun.all_rows()]
                    with suppress(_Contended):
                        self._send(rows)
                        return answer
            finally:
                self._local.pending = outer
        raise BusyMemory(self.path, "was changed by others again and again")

    def _send(self, rows: Sequence[_Row], commands: Sequence[list[str]] = ()) -> None:
        """Write the rows in one piece; `_Contended` if one that insists is not what was read."""
        documents = [self._document(row) for row in rows if row.before != row.after]
        if commands:  # they go with a document that is never there
            documents.append(["0", self.key("none"), "none", "", "", list(commands)])
        if not documents:
            return
        mark = self.key("written", self._name, str(os.getpid()), str(next(self._numbers)))
        told = json.dumps(documents, ensure_ascii=False)
        args = [self.prefix, mark, told]
        if self.server.ask(lambda _: self._write(keys=[mark], args=args)):
            raise _Contended

    def _document(self, row: _Row) -> list[Any]:
        where = row.hash.key(self.prefix)
        read = "" if row.before is None else _sha1(row.before)
        follows = indexes.commands(self.prefix, row.hash, row.field, row.before, row.after)
        return ["1" if row.insists else "0", where, row.field, read, row.after or "", follows]

    # -- the block ----------------------------------------------------------------------------

    @property
    def _pending(self) -> _Pending | None:
        return getattr(self._local, "pending", None)

    @property
    def _begun(self) -> _Pending:
        pending = self._pending
        if pending is None:
            raise StoreError(self.path, "is written to outside a block")
        return pending

    def begin(self) -> None:
        self._local.pending = _Pending()

    def mark(self) -> _Mark:
        return self._begun.mark()

    def take_back(self, mark: _Mark) -> None:
        self._begun.take_back(mark)

    def appended(self) -> Mapping[str, int]:
        return dict(self._begun.appended)

    def promise(self) -> None:
        pending = self._begun
        rows, notes, left = pending.all_rows(), NOTES.key(self.prefix), LEFT.key(self.prefix)
        pending.left = self._left(pending)
        told = [["HSET", notes, user, str(seq)] for user, seq in pending.appended.items()]
        told += [["HSET", left, user, text] for user, text in pending.left.items()]
        try:
            self._send([row for row in rows if row.is_promise], told)
        except _Contended:
            raise BusyMemory(self.path, "was changed by another at the same moment") from None

    def _left(self, pending: _Pending) -> dict[str, str]:
        """What is to be settled, by whose it is: whoever writes next for them does it, should we die before."""
        rows, commands = dict[str, list[_Change]](), dict[str, list[list[str]]]()
        for row in pending.all_rows():
            if row.insists and not row.is_promise and row.before != row.after:
                whose = indexes.owner(row.hash, row.before or row.after or "")
                rows.setdefault(whose, []).append((*row.hash, row.field, row.after))
        for user, command in pending.commands:
            commands.setdefault(user, []).append(command)
        if not rows and not commands:
            return {}
        block = self.block.ticket()
        return {
            user: json.dumps([block, rows.get(user, []), commands.get(user, [])])
            for user in {**rows, **commands, **pending.appended}
        }

    def settle(self) -> None:
        pending = self._begun
        seen = pending.notes | {user: str(seq) for user, seq in pending.appended.items()}
        notes = [_Row(NOTES, user, seq, None, False, False) for user, seq in seen.items()]
        rows = [row for row in pending.all_rows() if not row.is_promise]
        ours = [_Row(LEFT, user, text, None, False, True) for user, text in pending.left.items()]
        try:
            self._send([*ours, *rows, *notes], [command for _, command in pending.commands])
        except (
            _Contended
        ):  # whoever came after us has done it for us, or has done something to a job
            for user, text in pending.left.items():
                self._carry_out(user, text)
            self._send([*notes, *(row for row in rows if not row.insists)])

    def _carry_out(self, user: str, text: str) -> None:
        """Settle what a block left of that user, unless another has."""
        _, changes, commands = json.loads(text)
        while self._stored(LEFT, user) == text:
            rows = [_Row(LEFT, user, text, None, is_promise=False, insists=True)]
            for where, some in groupby(changes, key=lambda one: Hash(*one[:2])):
                after = {name: changed for _, _, name, changed in some}
                found = self.ask("HMGET", where.key(self.prefix), *after)
                for (name, will), before in zip(after.items(), found, strict=True):
                    rows.append(_Row(where, name, before, will, is_promise=False, insists=True))
            with suppress(_Contended):
                self._send(rows, commands)
                return

    def finish(self, is_written: Callable[[Ticket], bool]) -> None:
        for user, text in self._begun.unsettled.items():
            block, *_ = json.loads(text)
            if isinstance(block, bool):
                is_done = block
            else:
                is_done = is_written(block)
                self._decide(user, block, is_done=is_done)
            if is_done:
                self._carry_out(user, text)
            else:
                self._send([_Row(LEFT, user, text, None, is_promise=False, insists=False)])

    def _decide(self, user: str, block: Ticket, *, is_done: bool) -> None:
        """What becomes of a block is the same for all of whom it left something, whoever is asked for later."""
        others = self.ask("HGETALL", LEFT.key(self.prefix))
        for other, text in others.items():
            its, *left = json.loads(text)
            if other != user and its == block:
                told = json.dumps([is_done, *left])
                self._send([_Row(LEFT, other, text, told, is_promise=False, insists=False)])

    def end(self) -> None:
        self._local.pending = None

    def unapplied(self, user_id: str | None = None) -> Mapping[str, int]:
        hashes = [one.key(self.prefix) for one in (NOTES, LEFT)]
        if user_id is None:
            notes, left = self.ask_all([("HGETALL", one) for one in hashes])
        else:
            texts = self.ask_all([("HGET", one, user_id) for one in hashes])
            notes, left = ({} if text is None else {user_id: text} for text in texts)
        if self._pending is not None:
            self._pending.notes.update(notes)
            self._pending.unsettled.update(left)
        return dict.fromkeys(left, 0) | {user: int(seq) for user, seq in notes.items()}


def _sha1(text: str) -> str:
    """The digest by which a script knows a text again."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def _insist_text(text: str | None) -> None:
    try:
        (text or "").encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("text", f"holds a character that is none: {error.reason}") from error
