"""Memory and UserMemory: the verbs of Remanent, from Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType

from remanent.clock import Clock, SystemClock
from remanent.config import Config, load_config
from remanent.errors import InvalidInput, UnknownUser
from remanent.model.anchor import Anchor
from remanent.model.belief import Belief
from remanent.model.hit import Hit, Recollection
from remanent.model.job import Job, JobState
from remanent.model.node import Kind
from remanent.model.page import Evidence, Page, Settled, Status, Step, Worked
from remanent.model.scope import Scope
from remanent.model.team import User
from remanent.ports.embedder import Embedder
from remanent.ports.mind import Mind
from remanent.rules.intake import Content, Offer, choice, identifier
from remanent.verbs.read import every
from remanent.wiring import House, build, make_place

Progress = Callable[[Step], None]
MOST_HITS = 1000
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

    def work(self, *, limit: int | None = None, progress: Progress | None = None) -> Worked:
        """Do what is due for all users, here and now, until nothing is (or `limit` jobs are done)."""
        return self._house.work(limit=limit, progress=progress)

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


class UserMemory:
    """One user's memory, and all that can be done with it."""

    def __init__(self, house: House, user_id: str) -> None:
        self._house = house
        self.user_id = user_id

    @property
    def profile(self) -> User:
        """Name and time zone."""
        user = self._house.registry.user(self.user_id)
        if user is None:
            raise UnknownUser(self.user_id)
        return user

    @property
    def _scope(self) -> Scope:
        """Made anew for every call: memberships may have changed."""
        return self._house.registry.scope_of(self.user_id)

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

    def work(self, *, limit: int | None = None, progress: Progress | None = None) -> Worked:
        """Do what is due for this user, here and now."""
        return self._house.work(user_id=self.user_id, limit=limit, progress=progress)

    def remember(
        self, text: str, at: datetime | None = None, *, event_id: str | None = None
    ) -> Settled:
        """Hold a statement true from `at` (default: now) on, and settle it against what is believed."""
        return self._house.remember(self._scope, text, at=at, event_id=event_id)

    def recall(self, query: str, limit: int = 10) -> list[Recollection]:
        """Beliefs that come to mind, best first. What is recalled is strengthened."""
        return self._house.recall(self._scope, query, limit=_limit(limit))

    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        kinds: Sequence[str | Kind] = (),
        include_archived: bool = False,
    ) -> list[Hit]:
        """One ranked list over all this user may see, each hit with where it was said."""
        return self._house.search(
            self._scope,
            query,
            limit=_limit(limit),
            kinds=[choice("kinds", Kind, kind) for kind in kinds],
            include_archived=include_archived,
        )

    def read(self, key: str) -> Page:
        """One memory by key (or the unambiguous beginning of one)."""
        return self._house.read(self._scope, key)

    def beliefs(self, as_of: datetime | None = None) -> list[Belief]:
        """What is held true now, or what was true at `as_of`; most important first."""
        return self._house.believed(self._scope, as_of=as_of)

    def why(self, key: str) -> list[Evidence]:
        """The episodes behind a belief, oldest first, in the words of the source."""
        return self._house.believed.why(self._scope, key)

    def anchors(self, kind: str | Kind | None = None) -> list[Anchor]:
        """The people, concepts and entities this user's memory knows, most mentioned first."""
        kinds = ANCHOR_KINDS if kind is None else (choice("kind", Kind, kind),)
        nodes = [node for one in kinds for node in every(self._house.graph, self._scope, one)]
        found = [node for node in nodes if isinstance(node, Anchor)]
        return sorted(found, key=lambda one: (-one.source_count, one.name, one.key))

    def jobs(self, states: Sequence[str | JobState] = ()) -> list[Job]:
        """Work queued for this user."""
        wanted = [choice("states", JobState, state) for state in states]
        return self._house.queue.jobs(user_id=self.user_id, states=wanted)

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


def _limit(value: object) -> int:
    if not isinstance(value, int) or not 1 <= value <= MOST_HITS:
        raise InvalidInput("limit", f"{value!r} is not a whole number from 1 to {MOST_HITS}")
    return value
