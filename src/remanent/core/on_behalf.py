"""On behalf: whoever asks the mind or the embedder says for whom, and what must stay on this machine; and what verbs
have to know of the chat behind a mind."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from remanent.core.model.mind_types import OnBehalf
from remanent.core.model.scope import Scope
from remanent.core.ports.embedder import Embedder, Paid, TextKind
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Vector
from remanent.core.ports.mind import Mind
from remanent.errors import EmbedderError


def mind_for(
    mind: Mind, scope: Scope, job: str, *, source_key: str | None = None, private: bool = False
) -> Mind:
    """The mind at work for this user. `private` if any text it will be given is."""
    return mind.on(OnBehalf(user_id=scope.user_id, job=job, source_key=source_key, private=private))


def mind_for_words_of(
    mind: Mind, scope: Scope, job: str, graph: Graph, keys: Collection[str]
) -> Mind:
    """The same with the words of these nodes and relationships: private if one of them is."""
    return mind_for(mind, scope, job, private=bool(graph.private(scope, keys)))


def embedder_for(embedder: Embedder, scope: Scope, job: str) -> Embedder:
    """The embedder at work for this user: one that is paid for counts there what it is given."""
    if not hasattr(embedder, "on") or not isinstance(embedder, Paid):  # the first is known at once
        return embedder
    return embedder.on(OnBehalf(user_id=scope.user_id, job=job))


def vector_of(
    embedder: Embedder, scope: Scope, job: str, text: str, *, kind: TextKind = "passage"
) -> Vector | None:
    """What one text means; None where there is no embedding to be had, and words alone must do."""
    try:
        vector: Vector = embedder_for(embedder, scope, job).embed([text], kind=kind)[0]
    except EmbedderError:
        return None
    return vector


def withheld_from(
    embedder: Embedder, scope: Scope, graph: Graph, keys: Collection[str]
) -> frozenset[str]:
    """Those of these whose words the embedder must not be given: none, if it is on this machine."""
    return frozenset() if embedder.is_local else graph.private(scope, keys)


class Chat(Protocol):
    """As far as verbs have to know it."""

    def model(self, task: str) -> str:
        """The model that is asked for a task."""


def chat_of(mind: Mind) -> Chat | None:
    """The chat of a mind that asks a language model; None: it asks nobody."""
    chat: Chat | None = getattr(mind, "chat", None)
    return chat


def hang_up(mind: Mind) -> None:
    """Close the connections that a mind keeps for its next question; most keep none."""
    chat = _innermost(mind)
    if chat is not None:
        chat.close()


def forget_texts(mind: Mind) -> None:
    """Have a mind forget what it keeps at hand of the last texts it read; most keep nothing."""
    forget = getattr(mind, "forget", None)
    if forget is not None:
        forget()


def asked_until(mind: Mind, stop: Callable[[], bool] | None) -> AbstractContextManager[None]:
    """Within this, a mind that asks others asks nothing more once `stop()` says so."""
    chat = None if stop is None else _innermost(mind)
    if chat is None:
        return nullcontext()
    until: AbstractContextManager[None] = chat.until(stop)
    return until


def _innermost(mind: Mind) -> Any:
    """The chat that has the connections, under those that remember and count."""
    chat = getattr(mind, "chat", None)
    while chat is not None and not hasattr(chat, "close"):
        chat = getattr(chat, "chat", None)
    return chat
