"""The embedder: text to vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias, cast, runtime_checkable

from remanent.core.model.mind_types import OnBehalf
from remanent.core.ports.index import Vector

TextKind: TypeAlias = Literal["question", "passage", "statement"]
"""How a text is meant: as a question that something is looked for with, as a passage that can be found,
or as a statement, such as a belief, which is held against others of its kind as well."""
Scale: TypeAlias = tuple[tuple[float, float], ...]
"""Points (cosine, similarity); between two of them the line is straight."""


class Embedder(Protocol):
    @property
    def name(self) -> str:
        """What it is, down to the weights: two embedders of one name give the same vectors."""

    @property
    def dimensions(self) -> int:
        """The length of every vector."""

    @property
    def scale(self) -> Scale:
        """The points that give its cosines the meaning the belief rules speak of: between statements,
        and between passages."""

    @property
    def is_local(self) -> bool:
        """Whether no word it is given leaves this machine. What comes from a source of high
        sensitivity is given to no other."""

    def embed(self, texts: Sequence[str], *, kind: TextKind = "passage") -> Vector:
        """One unit vector per text, in order. The same text of the same kind gives the same vector;
        one that knows no kinds gives it for all. `EmbedderError` when there is none to be had."""


def question_scale(embedder: Embedder) -> Scale:
    """The points for cosines between a question and what may answer it: an embedder whose cosines mean less
    there than between two statements has a `question_scale` besides."""
    return cast("Scale", getattr(embedder, "question_scale", embedder.scale))


@runtime_checkable
class Paid(Protocol):
    """What an embedder has besides when it is paid for; one that costs nothing needs none of it."""

    def on(self, errand: OnBehalf) -> Embedder:
        """This embedder at work for one user: what it is given is counted there, and held back by that
        user's budget."""
