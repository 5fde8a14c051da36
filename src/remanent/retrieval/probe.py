"""Probe: does the memory hold what a message may mean? One search, and whether its best hits stand out.

How near two texts lie says little by itself, as some questions are near to everything. So what a
question has in common with plain questions, and a hit with plain statements, is taken off first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from remanent.core.env import Env
from remanent.core.model.belief import Belief
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.model.search import Hit, SearchRequest
from remanent.core.ports.index import Vector
from remanent.errors import EmbedderError
from remanent.retrieval.rules import need, packing

HITS: Final = 5
_NEAR: Final = 20
_QUOTED: Final = 80  # characters of a hit, in a reason
_KINDS: Final = (Kind.PASSAGE, Kind.BELIEF)
Search = Callable[[SearchRequest], Sequence[Hit]]
_PLAIN_QUESTIONS: Final = (
    "What is the capital of Norway?", "How do I boil an egg?", "Who wrote this book?",
    "What does the word mean?", "How far is it to the moon?", "Write a short poem.", "Hello!",
    "Thanks, that's great.", "How does it work?", "When did the war end?", "Tell me a joke.",
    "Can you explain this to me?", "What is twelve times nine?", "Why is the sky blue?",
    "Translate this sentence, please.", "What is the best way to learn a language?",
)  # fmt: skip
_PLAIN_STATEMENTS: Final = (
    "I went to the shop this morning and bought some bread.", "The train was late again.",
    "My sister is coming to visit on Saturday.", "We talked about the budget for an hour.",
    "Yes, that sounds good.", "I have been tired all week.", "He works as a nurse in the city.",
    "Remember to call the dentist about the appointment.", "I prefer tea to coffee.",
    "They moved into the new flat in March.", "The meeting is at ten in the big room.",
    "She asked me to send the photographs.", "The password is on a note in the drawer.",
    "It rained the whole weekend, so we stayed at home.", "Our dog is called Max.",
    "I think we should take the other offer.",
)  # fmt: skip


def outstanding_hit(env: Env, scope: Scope, question: str, search: Search) -> str:
    """What the memory holds that is near enough to be meant, shortened; "" for nothing."""
    hits = search(SearchRequest(query=question))[:HITS]
    nearness = _nearness(env, scope, question) if hits else {}
    for hit in hits:
        if need.stands_out(question, hit.text, nearness.get(hit.key, 0.0)):
            return packing.on_one_line(hit.text, _QUOTED)
    return ""


def held_in_these_words(env: Env, scope: Scope, question: str) -> str:
    """A belief with nearly all words of the question, shortened; "" for none. No vector is needed."""
    matches = env.index.match(scope, question, kinds=(Kind.BELIEF,), limit=HITS)
    for node in env.graph.get_many(scope, [one.key for one in matches]).values():
        if isinstance(node, Belief) and need.stands_out(question, node.statement, 0.0):
            return packing.on_one_line(node.statement, _QUOTED)
    return ""


def _nearness(env: Env, scope: Scope, question: str) -> dict[str, float]:
    """By key, how near the nearest lie: about 1 where two texts have as much in common as they can,
    about 0 where they have no more than any two. Nothing without an embedder on this machine."""
    if not env.embedder.is_local:
        return {}
    try:
        asked, told, size = _background(env)
        own = env.embedder.embed([question], kind="question")[0] - asked
    except EmbedderError:
        return {}
    length, common = float(np.linalg.norm(own)), float(told @ own)
    near = env.index.near(scope, own, kinds=_KINDS, limit=_NEAR) if length else []
    return {one.key: (one.score * length - common) / size for one in near}


def _background(env: Env) -> tuple[Vector, Vector, float]:
    """The mean of plain questions and of plain statements, and how far one of each lies from them."""
    name = env.embedder.name
    if name not in env.caches.backgrounds:
        asked = env.embedder.embed(_PLAIN_QUESTIONS, kind="question")
        told = env.embedder.embed(_PLAIN_STATEMENTS, kind="passage")
        size = _spread(asked) * _spread(told)
        env.caches.backgrounds[name] = (asked.mean(0), told.mean(0), size)
    found: tuple[Vector, Vector, float] = env.caches.backgrounds[name]
    return found


def _spread(vectors: Vector) -> float:
    return max(1e-6, float(np.linalg.norm(vectors - vectors.mean(0), axis=1).mean()))
