"""Memory and UserMemory: the verbs of Remanent, from Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType

from remanent.believing import Believing
from remanent.clock import Clock, SystemClock
from remanent.config import Config, load_config
from remanent.errors import UnknownUser
from remanent.keeping import Keeping
from remanent.minding import Minding
from remanent.model.anchor import Anchor
from remanent.model.carried import Carried, Passed
from remanent.model.job import Job, JobState
from remanent.model.lifecycle import State
from remanent.model.node import Kind
from remanent.model.page import Status, Step, Worked
from remanent.model.relationship import Relationship
from remanent.model.team import User
from remanent.ports.embedder import Embedder
from remanent.ports.mind import Mind
from remanent.retrieving import Retrieving
from remanent.rules.intake import Content, Offer, choice, identifier
from remanent.verbs.produce import Product
from remanent.verbs.read import every
from remanent.wiring import House, build, found_in, make_place

Progress = Callable[[Step], None]
Stop = Callable[[], bool]
ANCHOR_KINDS = (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)


class Memory:
    """One memory: a file (or `:memory:`), its users, and the work to be done in it.

    Safe to share between threads; several processes may open one file.
    """

    def __init__(self, house: House) -> None:
        self._house = house

    @classmethod
    def open(
        cls,
        where: str | Path | Config | None = None,
        *,
        clock: Clock | None = None,
        mind: Mind | None = None,
        embedder: Embedder | None = None,
    ) -> Memory:
        """Open the memory at a path, as a `Config` says, or where the settings say; make it if new.

        `mind` and `embedder` take the place of those that the settings name.
        """
        config = where if isinstance(where, Config) else load_config(where)
        if where is None:
            make_place(config.memory)
        return cls(build(config, clock or SystemClock(), mind=mind, embedder=embedder))

    def user(
        self,
        user_id: str,
        name: str | None = None,
        timezone: str | None = None,
        *,
        create: bool = True,
    ) -> UserMemory:
        """The memory of one user. Registers them, or updates name and time zone where given.

        With `create=False` a user who is not registered is an `UnknownUser`.
        """
        identifier("user", user_id)
        known = self._house.registry.user(user_id)
        if known is None and not create:
            raise UnknownUser(user_id)
        if known is None or name is not None or timezone is not None:
            self._house.register(user_id, name=name, timezone=timezone)
        return UserMemory(self._house, user_id)

    def users(self) -> list[User]:
        """Everyone registered here."""
        return self._house.registry.users()

    def work(
        self,
        *,
        limit: int | None = None,
        progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> Worked:
        """Do what is due for all users, here and now, until nothing is (or `limit` jobs are done).

        `stop` is asked between jobs; once it says True, the work ends.
        """
        return self._house.work(limit=limit, progress=progress, stop=stop)

    def close(self) -> None:
        """Let go of the files. Everything acknowledged is in them already."""
        self._house.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class UserMemory(Believing, Keeping, Minding, Retrieving):
    """One user's memory, and all that can be done with it."""

    def add(  # noqa: PLR0913 - SPEC 11 lists them
        self,
        content: Content,
        type: str | None = None,  # noqa: A002 - SPEC 11 names it so
        context: str | None = None,
        started_at: datetime | None = None,
        ended_at: datetime | None = None,
        participants: Sequence[str] = (),
        team: str | None = None,
        origin_id: str | None = None,
        sensitivity: str = "normal",
        *,
        title: str = "",
    ) -> str:
        """Take in one source; it is on the disk when its key comes back.

        `content` is text, turns `{speaker, text, at, id}`, or a raw record. `type` is conversation,
        voice-memo, meeting, email, slack-thread or text-note (default: text is a note, turns are a
        conversation). The same `origin_id`, or the same content, is one source: its key comes back.
        """
        offer = Offer(
            content=content,
            type=type,
            context=context,
            started_at=started_at,
            ended_at=ended_at,
            participants=participants,
            team=team,
            origin_id=origin_id,
            sensitivity=sensitivity,
            title=title,
        )
        return self._house.ingest(self._scope, offer)

    def import_file(
        self,
        path: str | Path,
        as_: str | None = None,
        *,
        dry_run: bool = False,
        progress: Callable[[Passed], None] | None = None,
    ) -> Carried:
        """Take in all that an export, a mailbox or a folder holds; what is known already is left alone.

        `as_` names the format where it cannot be told from the file. A dry run writes nothing.
        """
        scope, clock = self._scope, self._house.clock
        found = found_in(Path(path), as_, zone=self.profile.timezone, clock=clock)
        return self._house.carry(scope, found, dry_run=dry_run, progress=progress)

    def work(
        self,
        *,
        limit: int | None = None,
        progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> Worked:
        """Do what is due for this user, here and now."""
        return self._house.work(user_id=self.user_id, limit=limit, progress=progress, stop=stop)

    def anchors(
        self, kind: str | Kind | None = None, *, include_archived: bool = False
    ) -> list[Anchor]:
        """The people, concepts and entities this user's memory knows, most mentioned first."""
        kinds = ANCHOR_KINDS if kind is None else (choice("kind", Kind, kind),)
        nodes = [node for one in kinds for node in every(self._house.graph, self._scope, one)]
        found = [
            node
            for node in nodes
            if isinstance(node, Anchor)
            and (include_archived or node.life.state is not State.ARCHIVED)
        ]
        return sorted(found, key=lambda one: (-one.source_count, one.name, one.key))

    def merge(self, key: str, into: str) -> Anchor:
        """File all that is known of one anchor under another of its kind; `split` takes it back."""
        scope, resolve = self._scope, self._house.read.resolve
        return self._house.merge(scope, resolve(scope, key), resolve(scope, into))

    def split(self, key: str) -> Anchor:
        """Make an anchor that was merged into another its own again."""
        scope = self._scope
        return self._house.merge.split(scope, self._house.read.resolve(scope, key))

    def produce(
        self,
        source_key: str,
        name: str,
        output: str,
        *,
        content_type: str = "md_file",
        description: str = "",
        sensitivity: str = "normal",
    ) -> str:
        """Keep something that was made from a source, linked to it; the artifact's key."""
        product = Product(
            name=name,
            output=output,
            content_type=content_type,
            description=description,
            sensitivity=sensitivity,
        )
        scope = self._scope
        return self._house.produce(scope, self._house.read.resolve(scope, source_key), product)

    def adopt(self, team: str) -> int:
        """Promise the extraction, for this user, of every source of a team; how many are new.

        Without it a team's source is extracted when this user first reads it or a search finds it.
        """
        return self._house.adopt.team(self._scope, team)

    def relationships(
        self,
        key: str,
        other: str | None = None,
        *,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        history: bool = False,
    ) -> list[Relationship]:
        """How an anchor stands to others, or to one `other`: now, at `as_of`, or through all time.

        `known_at` gives the answer that this memory would have given then.
        """
        scope, resolve = self._scope, self._house.read.resolve
        return self._house.related(
            scope,
            resolve(scope, key),
            other=None if other is None else resolve(scope, other),
            as_of=as_of,
            known_at=known_at,
            history=history,
        )

    def jobs(self, states: Sequence[str | JobState] = (), limit: int = 100) -> list[Job]:
        """Work queued for this user."""
        wanted = [choice("states", JobState, state) for state in states]
        return self._house.queue.jobs(user_id=self.user_id, states=wanted, limit=limit)

    def retry_job(self, key: str) -> Job:
        """Give a parked job all its attempts again; `key` may be the beginning of one."""
        return self._house.tend.retry(self._scope, key)

    def drop_job(self, key: str) -> Job:
        """Take a parked or ready job away for good; what it worked on stays as it is."""
        return self._house.tend.drop(self._scope, key)

    def status(self) -> Status:
        """How much is known, and what is still to be done."""
        house, user = self._house, self.profile
        return Status(
            user_id=user.user_id,
            name=user.name,
            timezone=user.timezone,
            now=house.clock.now(),
            counts=house.graph.counts(self._scope),
            jobs={state.value: n for state, n in house.queue.counts(user_id=user.user_id).items()},
            events=house.ledger.last_seq(self._scope),
            mind=house.mind.name,
            embedder=house.embedder.name,
            place=house.config.memory,
        )
