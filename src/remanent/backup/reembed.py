"""Reembed: all entries get vectors of another embedder, while search goes on with those they have.

Nothing of the graph changes, and nothing is judged anew: only what a text is near to.

`findable` has the embedder that is to come. How far it came stands in the file: killed and begun
again, it goes on. What is written meanwhile waits in its turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Final

from remanent.backup.index_texts import index_texts
from remanent.core import index_entries
from remanent.core.env import Env
from remanent.core.model.job import Job, JobKind
from remanent.core.ports.reembedding import Made
from remanent.core.records.embedding import Due, Embedding

Progress = Callable[[Embedding], None]

BATCH: Final = 64  # entries in one transaction: what is lost when the process is killed


def reembed_entries(
    env: Env, progress: Progress | None = None, stop: Callable[[], bool] | None = None
) -> None:
    """Embed all that waits, until nothing does."""
    hand = env.embedder
    env.stores.renewal.aim(hand.name, hand.dimensions)
    while page := env.stores.renewal.waiting(0, BATCH):
        while page:
            if stop is not None and stop():
                return
            env.stores.renewal.keep([made for due in _by_user(page) for made in _made(env, due)])
            _tell(env, progress)
            page = env.stores.renewal.waiting(page[-1].number, BATCH)


def reembed_and_switch(env: Env, progress: Progress | None = None) -> None:
    """Embed all that waits with `env.embedder`, and go over to it as soon as nothing does."""
    reembed_entries(env, progress)
    while not env.stores.renewal.switch():
        reembed_entries(env, progress)  # somebody wrote meanwhile


def _made(env: Env, dues: Sequence[Due]) -> Iterator[Made]:
    """New vectors for entries of one user; none for what has left the graph, or must stay here."""
    user_id = dues[0].user_id
    if user_id is None:
        yield from ((due, None, ()) for due in dues)
        return
    scope = env.registry.scope_of(user_id).contributing
    lines = index_texts(env, scope, dues)
    entries = {one.key: one for one in index_entries.entries(env, scope, list(lines.values()))}
    for due in dues:
        entry = entries.get(due.key)
        yield (due, None, ()) if entry is None else (due, entry.vector, entry.parts)


def _tell(env: Env, progress: Progress | None) -> None:
    state = env.stores.renewal.state()
    if progress is not None and state is not None:
        progress(state)


def _by_user(dues: Sequence[Due]) -> list[list[Due]]:
    ordered = sorted(dues, key=lambda one: (one.user_id or "", one.number))
    return [list(same) for _, same in groupby(ordered, key=lambda one: one.user_id)]


def reembed_job(user_id: str, embedder: str, now: datetime) -> Job:
    """The promise to embed everyone's entries anew; it stands in the name of one user, for every job
    does."""
    return Job(
        key=f"reembed:{embedder}",
        kind=JobKind.REEMBED,
        user_id=user_id,
        payload={"embedder": embedder},
        created_at=now,
        run_at=now,
    )
