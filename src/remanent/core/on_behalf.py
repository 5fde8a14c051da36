"""On behalf: whoever asks the mind or the embedder says for whom, and what must stay on this machine."""

from __future__ import annotations

from collections.abc import Collection

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
    errand = OnBehalf(user_id=scope.user_id, job=job)
    return embedder.on(errand) if isinstance(embedder, Paid) else embedder


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
