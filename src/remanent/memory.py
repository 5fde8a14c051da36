"""Memory and UserMemory: the verbs of Remanent, from Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from weakref import WeakSet

from remanent.backup.api import Exporting, Moving
from remanent.backup.rebuild_api import Progress as Replaying
from remanent.backup.rebuild_api import Rebuilt
from remanent.backup.reembed_api import Reembedding
from remanent.beliefs.api import Believing
from remanent.beliefs.maintenance_api import Keeping
from remanent.clock import Clock, SystemClock
from remanent.config import Config, load_config
from remanent.core.checks import choice, identifier, limited
from remanent.core.model.anchor import Anchor
from remanent.core.model.job import Job, JobState
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.page import Status, Step, Worked
from remanent.core.model.relationship import Relationship
from remanent.core.model.sleep import Scheduled, Slept
from remanent.core.model.source import Source
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.mind import Mind
from remanent.core.read import every
from remanent.core.records.health import Diagnosis
from remanent.core.records.spending import Account
from remanent.core.records.team import User
from remanent.erasure.api import Erasing, ErasingUsers
from remanent.erasure.undo_api import Undoing
from remanent.errors import UnknownUser
from remanent.events.api import Recording
from remanent.events.summaries_api import Summarizing
from remanent.ingest.artifacts import Product
from remanent.ingest.model import Carried, Passed
from remanent.ingest.rules.request import Content, Offer
from remanent.items.api import Shelving
from remanent.jobs.api import Serving
from remanent.lifecycle.api import Lives
from remanent.metrics import exposition
from remanent.retrieval.api import Retrieving
from remanent.retrieval.context_api import Minding
from remanent.sleep.api import Jobs, Night, Sleeping, wished
from remanent.spending.api import Accounting
from remanent.stories.api import Telling
from remanent.teams.access_api import Guarding
from remanent.teams.api import Sharing
from remanent.wiring import House, beside, build, forget_shadow, found_in, make_place
from remanent.wiring_minds import asked_until, hang_up
from remanent.wiring_rebuild import replay_of

Progress = Callable[[Step], None]
Stop = Callable[[], bool]
ANCHOR_KINDS = (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)


class Memory(ErasingUsers, Guarding, Moving, Reembedding, Serving):
    """One memory: a file (or `:memory:`), its users, and the work to be done in it.

    Safe to share between threads; several processes may open one file.
    """

    def __init__(self, house: House) -> None:
        self._house = house
        self._given: WeakSet[UserMemory] = WeakSet()  # they go on after a rebuild, too
        self._rebuilt: Rebuilt | None = None

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
        user = UserMemory(self._house, user_id, self._given)
        user._keep_up = self._keep_up  # noqa: SLF001 - ours: its work may end the way to an embedder
        self._given.add(user)
        return user

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

        `stop` is asked between jobs; once it says True, the work ends. A job in hand is finished,
        unless it waits for a mind elsewhere: that is asked nothing more, and the job tried again later.
        """
        self._finish_erasing()
        self._keep_up()
        with asked_until(self._house.mind, stop):
            worked = self._house.work(limit=limit, progress=progress, stop=stop)
        self._keep_up()
        return worked

    def sleep(
        self,
        until: datetime | None = None,
        *,
        only: Jobs = (),
        dry_run: bool = False,
        progress: Night | None = None,
        stop: Stop | None = None,
    ) -> list[Slept]:
        """As `UserMemory.sleep`, for all users one after the other, in order of id."""
        house, wish = self._house, wished(until, only, dry_run=dry_run)
        scopes = [house.registry.scope_of(user.user_id) for user in self.users()]
        return [house.sleep(one, wish, progress=progress, stop=stop) for one in scopes]

    def schedule(self) -> Scheduled:
        """Promise, for all users, the sleep that is due; `work` then does it, and what comes after it."""
        return self._house.sleep.schedule()

    def rebuild(
        self,
        *,
        mind: Mind | str | None = None,
        embedder: Embedder | str | None = None,
        progress: Replaying | None = None,
        dry_run: bool = False,
    ) -> Rebuilt:
        """Derive the graphs of all users again from the ledger, beside those in use, and compare.

        With another `mind` or `embedder` (or its name) this is how to change it. Nobody waits, and
        nothing changes until `switch` of what comes back. With `dry_run` only the comparison is left.
        """
        if self._rebuilt is not None:
            self._rebuilt.close()
        second, shadow, clock = beside(self._house, mind=mind, embedder=embedder)
        replay = replay_of(second, shadow, self._house.registry, clock)
        rebuilt = self._rebuilt = Rebuilt(self._house, second, replay, self._adopt)
        try:
            rebuilt.refresh(progress)
        except BaseException:
            rebuilt.close()
            raise
        if dry_run:
            rebuilt.discard()
        return rebuilt

    def spending(self, since: date | datetime | None = None) -> list[Account]:
        """As `UserMemory.spending`, for all users, in order of id."""
        house = self._house
        scopes = [house.registry.scope_of(user.user_id) for user in self.users()]
        return [house.watch.audit(one, since) for one in scopes]

    def doctor(self, *, offline: bool = False) -> Diagnosis:
        """Look at mind, embedder, stores, clock, disk and work: what is well, and what to do where not.

        A mind behind a language model is asked for one word; with `offline` nobody is asked.
        """
        return self._house.watch.doctor(offline=offline)

    def metrics(self) -> str:
        """The numbers of SPEC 11 in the text format of Prometheus, looked up now for all users."""
        return exposition(self._house.watch.measure())

    def discard_rebuild(self) -> bool:
        """Throw away what a rebuild that was not switched to has left; False if there is nothing."""
        if self._rebuilt is not None:
            self._rebuilt.close()
        return forget_shadow(self._house)

    def _adopt(self, house: House) -> None:
        """Go on in another house, on the same stores."""
        self._house = house
        for user in list(self._given):
            user._house = house  # noqa: SLF001 - ours: we gave it the one it has

    def close(self) -> None:
        """Let go of the files. Everything acknowledged is in them already."""
        if self._rebuilt is not None:
            self._rebuilt.close()
        hang_up(self._house.mind)
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


class UserMemory(
    Accounting,
    Believing,
    Erasing,
    Exporting,
    Keeping,
    Lives,
    Minding,
    Recording,
    Retrieving,
    Shelving,
    Sharing,
    Sleeping,
    Summarizing,
    Telling,
    Undoing,
):
    """One user's memory, and all that can be done with it."""

    _keep_up: Callable[[], None] | None = None

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
        scope = self._giving
        with self._house.access.witness.watching(scope, "source.add", team_id=team):
            return self._house.ingest(scope, offer)

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
        scope, clock = self._giving, self._house.clock
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
        keep_up = self._keep_up or (lambda: None)
        keep_up()
        with asked_until(self._house.mind, stop):
            worked = self._house.work(
                user_id=self.user_id, limit=limit, progress=progress, stop=stop
            )
        keep_up()
        return worked

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

    def sources(
        self, limit: int = 100, *, after: str | None = None, include_archived: bool = False
    ) -> list[Source]:
        """The sources this user may see, newest first; `after` goes on behind the one of that key."""
        scope, house = self._scope, self._house
        start = "" if after is None else house.read.resolve(scope, after)
        return house.graph.newest_sources(
            scope, limit=limited(limit), after=start, include_archived=include_archived
        )

    def merge(self, key: str, into: str) -> Anchor:
        """File all that is known of one anchor under another of its kind; `split` takes it back."""
        scope, resolve = self._scope, self._house.read.resolve
        return self._house.merge(self._whole, resolve(scope, key), resolve(scope, into))

    def split(self, key: str) -> Anchor:
        """Make an anchor that was merged into another its own again."""
        found = self._house.read.resolve(self._scope, key)
        return self._house.merge.split(self._whole, found)

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
        key = self._house.read.resolve(self._scope, source_key)
        return self._house.produce(self._whole, key, product)

    def adopt(self, team: str) -> int:
        """Promise the extraction, for this user, of every source of a team; how many are new.

        Without it a team's source is extracted when this user first reads it or a search finds it.
        """
        scope = self._giving
        with self._house.access.witness.watching(scope, "team.adopt", team_id=team):
            return self._house.adopt.team(scope, team)

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
            lag=self.lag(),
        )
