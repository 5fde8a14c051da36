"""Memory and UserMemory: the verbs of Remanent, from Python."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

from remanent.anchors.api import AnchorsApi
from remanent.backup.api import ExportApi, MoveApi, ReembedApi
from remanent.beliefs.api import BeliefMaintenanceApi, BeliefsApi
from remanent.bootstrap import build, make_place, salvaging
from remanent.clock import Clock, SystemClock, stopwatch
from remanent.config import Config, load_config
from remanent.core.checks import identifier
from remanent.core.env import Env
from remanent.core.later import later
from remanent.core.model.job import OPEN
from remanent.core.model.page import Status, Step, Worked
from remanent.core.model.sleep import NightReport, Scheduled
from remanent.core.on_behalf import asked_until, hang_up
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.mind import Mind
from remanent.core.records.access import User
from remanent.core.records.admin import Diagnosis, Salvaged
from remanent.core.records.spending import Account
from remanent.erasure.api import ErasureApi, UndoApi, UserErasureApi
from remanent.errors import UnknownUser, without_password
from remanent.events.api import EventsApi, SummariesApi
from remanent.ingest.api import IngestApi
from remanent.items.api import ItemsApi
from remanent.jobs.api import JobsApi, ServerApi
from remanent.lifecycle.api import LifecycleApi
from remanent.metrics import exposition
from remanent.retrieval.api import ContextApi, RetrievalApi
from remanent.sleep.api import Jobs, SleepApi, SleepProgress, checked_request
from remanent.spending.api import SpendingApi
from remanent.stories.api import StoriesApi
from remanent.teams.api import AccessApi, TeamsApi

if TYPE_CHECKING:
    from remanent.anchors import owner
    from remanent.backup import rebuild
    from remanent.backup.rebuild import Progress as Replaying
    from remanent.backup.rebuild import Rebuilt
    from remanent.erasure import erase
    from remanent.health import doctor, metrics
    from remanent.jobs import work
    from remanent.sleep import night
    from remanent.spending import report
else:
    owner = later("remanent.anchors.owner")
    rebuild = later("remanent.backup.rebuild")
    erase = later("remanent.erasure.erase")
    doctor = later("remanent.health.doctor")
    metrics = later("remanent.health.metrics")
    work = later("remanent.jobs.work")
    night = later("remanent.sleep.night")
    report = later("remanent.spending.report")

Progress = Callable[[Step], None]
Stop = Callable[[], bool]


class Memory(UserErasureApi, AccessApi, MoveApi, ReembedApi, ServerApi):
    """One memory: a file (or `:memory:`), its users, and the work to be done in it.

    Safe to share between threads; several processes may open one file.
    """

    def __init__(self, env: Env) -> None:
        self.env = env
        self._handles: WeakSet[UserMemory] = WeakSet()  # they go on after a rebuild, too
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

    @classmethod
    def salvage(
        cls,
        old: str | Path,
        new: str | Path,
        *,
        clock: Clock | None = None,
        mind: Mind | None = None,
        embedder: Embedder | None = None,
        progress: Replaying | None = None,
    ) -> Salvaged:
        """Make a new memory of all that can still be read in a damaged one: ledger, raw texts and what
        else is true come over, everything else is derived again.

        Nothing in the old file is changed, and no file is written over; the new one appears whole or not
        at all. Nobody should write to the old one meanwhile.
        """
        begun, time = stopwatch(), clock or SystemClock()
        with salvaging(Path(old), Path(new), time) as (place, copied):
            with cls.open(place, clock=time, mind=mind, embedder=embedder) as memory:
                memory.rebuild(progress=progress).switch()
            return Salvaged(
                users=copied.users,
                events=copied.events,
                sources=copied.raws,
                lost=tuple(copied.lost),
                rederived=copied.rederived,
                seconds=stopwatch() - begun,
            )

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
        known = self.env.registry.user(user_id)
        if known is None and not create:
            raise UnknownUser(user_id)
        if known is None or name is not None or timezone is not None:
            owner.register_user(self.env, user_id, name=name, timezone=timezone)
        user = UserMemory(self.env, user_id, self._handles)
        user._keep_up = self._keep_up  # noqa: SLF001 - ours: its work may end the way to an embedder
        self._handles.add(user)
        return user

    def users(self) -> list[User]:
        """Everyone registered here."""
        return self.env.registry.users()

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
        erase.catch_up(self.env)  # an erasure that was killed may still owe a file written anew
        self._keep_up()
        with asked_until(self.env.mind, stop):
            worked = work.work_jobs(self.env, limit=limit, progress=progress, stop=stop)
        self._keep_up()
        return worked

    def sleep(
        self,
        until: datetime | None = None,
        *,
        only: Jobs = (),
        dry_run: bool = False,
        progress: SleepProgress | None = None,
        stop: Stop | None = None,
    ) -> list[NightReport]:
        """As `UserMemory.sleep`, for all users one after the other, in order of id."""
        env, request = self.env, checked_request(until, only, dry_run=dry_run)
        scopes = [env.registry.scope_of(user.user_id) for user in self.users()]
        return [
            night.sleep_nights(env, one, request, progress=progress, stop=stop) for one in scopes
        ]

    def schedule(self) -> Scheduled:
        """Promise, for all users, the sleep that is due; `work` then does it, and what comes after it."""
        return night.schedule(self.env)

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
        second, shadow, clock = self.env.adapters.shadow(self.env, mind=mind, embedder=embedder)
        replay = rebuild.Replay(env=second, shadow=shadow, registry=self.env.registry, clock=clock)
        rebuilt = self._rebuilt = rebuild.Rebuilt(self.env, second, replay, self._adopt)
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
        env = self.env
        scopes = [env.registry.scope_of(user.user_id) for user in self.users()]
        return [report.spending_report(env, one, since) for one in scopes]

    def doctor(self, *, offline: bool = False, deep: bool = False) -> Diagnosis:
        """Look at mind, embedder, stores, clock, disk and work: what is well, and what to do where not.

        A mind behind a language model is asked for one word; with `offline` nobody is asked. With `deep`
        every row is decoded and every raw text held against its digest; what is damaged is named.
        """
        return doctor.run_doctor(self.env, offline=offline, deep=deep)

    def metrics(self) -> str:
        """The numbers of SPEC 11 in the text format of Prometheus, looked up now for all users."""
        return exposition(metrics.measure_memory(self.env))

    def discard_rebuild(self) -> bool:
        """Throw away what a rebuild that was not switched to has left; False if there is nothing."""
        if self._rebuilt is not None:
            self._rebuilt.close()
        return self.env.adapters.discard_shadow(self.env)

    def _adopt(self, env: Env) -> None:
        """Go on in another house, on the same stores."""
        self.env = env
        for user in list(self._handles):
            user.env = env

    def close(self) -> None:
        """Let go of the files. Everything acknowledged is in them already."""
        if self._rebuilt is not None:
            self._rebuilt.close()
        hang_up(self.env.mind)
        if self.env.caches.jobs_in_hand:
            work.hand_back_jobs(self.env)
        self.env.stores.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class UserMemory(
    AnchorsApi,
    IngestApi,
    JobsApi,
    SpendingApi,
    BeliefsApi,
    ErasureApi,
    ExportApi,
    BeliefMaintenanceApi,
    LifecycleApi,
    ContextApi,
    EventsApi,
    RetrievalApi,
    ItemsApi,
    TeamsApi,
    SleepApi,
    SummariesApi,
    StoriesApi,
    UndoApi,
):
    """One user's memory, and all that can be done with it."""

    _keep_up: Callable[[], None] | None = None

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
        with asked_until(self.env.mind, stop):
            worked = work.work_jobs(
                self.env, user_id=self.user_id, limit=limit, progress=progress, stop=stop
            )
        keep_up()
        return worked

    def status(self) -> Status:
        """How much is known, and what is still to be done."""
        env, user = self.env, self.profile
        return Status(
            user_id=user.user_id,
            name=user.name,
            timezone=user.timezone,
            now=env.clock.now(),
            counts=env.graph.counts(self.scope),
            jobs={state.value: n for state, n in env.queue.counts(user_id=user.user_id).items()},
            events=env.ledger.last_seq(self.scope),
            mind=env.mind.name,
            embedder=env.embedder.name,
            place=without_password(env.config.memory),
            lag=self.lag(),
            reading=tuple(one.reading for one in self.jobs(OPEN, 1000) if one.reading is not None),
        )
