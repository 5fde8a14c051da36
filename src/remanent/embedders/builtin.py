"""The built-in embedder: six layers of e5-small-v2, distilled by us, in int8, on this machine.

The weights are part of this package (`remanent.weights`); `training/cards/embedder.md` says how they
came to be and how good they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from remanent.core.interruption import checkpoint
from remanent.core.later import later
from remanent.core.ports.embedder import Scale, TextKind
from remanent.weights.recent import FOLDER, RecentTexts

if TYPE_CHECKING:
    import numpy as np

    from remanent.weights import encoder
    from remanent.weights.encoder import Encoder, Floats
else:
    np = later("numpy")
    encoder = later("remanent.weights.encoder")

NAME = "remanent-embed-1"
"""As a memory's file has it, down to the weights: other weights are another name."""
_WIDTH = 384
_PREFIX: Mapping[TextKind, str] = {"question": "query: ", "passage": "passage: ", "statement": ""}
_MAX_CHARACTERS = 16 * 1024  # 512 tokens are some 2,500 characters of plain text

# (raw cosine, similarity) of two statements, measured by bench/embedder_scale.py. Of statements people
# make about their own lives, three in four of those with nothing in common lie below 0.73; 99% of those
# that differ in one value (another city, number, taste) lie above 0.81, and 95% of updates in quite
# other words above 0.74. Above 0.97 lie two in three of our plain paraphrases and 5% of the changes.
_SCALE = ((0.64, 0.0), (0.73, 0.40), (0.74, 0.70), (0.97, 0.85), (1.0, 1.0))
# The same between a question and a passage or a statement: of turns that hold the answer 99% lie above
# 0.54 and half above 0.71, of all others half below 0.61.
_QUESTION_SCALE = ((0.52, 0.0), (0.80, 0.9), (0.95, 1.0))


class BuiltinEmbedder:
    """Turns English texts into unit vectors of 384 numbers, on the CPU and without any network.

    Only a text's first 512 tokens (some 380 words) are read; what follows does not count. A blank text
    has a vector too. Each text is run by itself, so that its vector depends on nothing else; those of
    recent texts are kept at hand. The first `embed` reads and verifies the weights. Threads may share one.
    """

    name: str = NAME
    dimensions: int = _WIDTH
    scale: Scale = _SCALE
    question_scale: Scale = _QUESTION_SCALE
    is_local: bool = True

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._recent: RecentTexts[Floats] = RecentTexts()

    def embed(self, texts: Sequence[str], *, kind: TextKind = "passage") -> Floats:
        """One unit vector per text, in order; `DamagedWeights` if the weights are gone or altered."""
        vectors = np.empty((len(texts), _WIDTH), np.float32)
        if texts:
            model = encoder.encoder("embedder", self._folder)
            for row, text in enumerate(texts):
                checkpoint()
                words = (_PREFIX[kind] + text)[:_MAX_CHARACTERS]
                vectors[row] = self._recent.of(words, partial(self._vector, model, words))
        return vectors

    def _vector(self, model: Encoder, text: str) -> Floats:
        # A lone surrogate (half an emoji, out of broken JSON) has no UTF-8: it becomes a "?".
        clean = text.encode("utf-8", "replace").decode("utf-8")
        found = encoder.tokenizer(self._folder).encode(clean).ids
        return model.meaning([encoder.CLS, *found[: model.longest - 2], encoder.SEP])
