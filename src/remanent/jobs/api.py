"""Jobs' part of `Memory` and `UserMemory`: promised work by hand, and what a server asks beyond the verbs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remanent.core.checks import choice
from remanent.core.env import Env
from remanent.core.later import later, load_all
from remanent.core.model.job import Job, JobState
from remanent.core.on_behalf import chat_of
from remanent.core.records.admin import Diagnosis, Finding, Level
from remanent.core.user_handle import UserHandle, verb
from remanent.errors import EmbedderError
from remanent.jobs.idempotency import Once

if TYPE_CHECKING:
    from remanent.jobs import work
else:
    work = later("remanent.jobs.work")


class ServerApi:
    """Part of `Memory`."""

    env: Env

    @property
    def once(self) -> Once:
        """For servers: does a request that its caller has named once, however often it comes."""
        return Once(env=self.env)

    def warm_up(self) -> None:
        """Load all modules, and the weights that work on this machine, so that nobody waits for them later."""
        load_all()
        env = self.env
        if env.embedder.is_local:
            env.embedder.embed(["one"])
        if chat_of(env.mind) is None:
            env.mind.believe("I like tea.", owner_names=())

    def ready(self) -> Diagnosis:
        """Whether a request could be answered now: the file, its schema and the embedder's weights.

        A quick look; `doctor` looks closely. An embedder elsewhere is not asked.
        """
        env = self.env
        schema, newest = env.stores.health.schema()
        state = f"schema {schema} of {newest}"
        file = Finding(part="file", level=Level.OK if schema == newest else Level.FAIL, told=state)
        return Diagnosis(findings=(file, self._weights()))

    def _weights(self) -> Finding:
        embedder = self.env.embedder
        try:
            if embedder.is_local:
                embedder.embed(["one"])
        except EmbedderError as problem:
            return Finding(part="embedder", level=Level.FAIL, told=str(problem))
        return Finding(part="embedder", level=Level.OK, told=embedder.name)


class JobsApi(UserHandle):
    """The work that is queued for a user."""

    def jobs(self, states: Sequence[str | JobState] = (), limit: int = 100) -> list[Job]:
        """Work queued for this user."""
        wanted = [choice("states", JobState, state) for state in states]
        return self.env.queue.jobs(user_id=self.user_id, states=wanted, limit=limit)

    retry_job = verb(lambda: work.retry)
    drop_job = verb(lambda: work.drop)
