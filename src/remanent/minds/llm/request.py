"""What is put to a language model, what comes back, and the one who carries it: a `Chat`.

A `Chat` can be wrapped by another: one that remembers answers, one that counts what they cost.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from remanent.core.dataclasses import dataclass

if TYPE_CHECKING:
    from pydantic import BaseModel

from remanent.core.model.mind_types import OnBehalf, RelationDraft
from remanent.core.model.node import Kind
from remanent.core.ports.mind import Tools
from remanent.errors import InvalidInput

_ANCHORS = (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question. `system` is ours and trusted; `data` is what others wrote, already fenced.

    `output` is the shape of the answer; an agent, who answers through tools, has none.
    """

    task: str  # one of `MindRules`' tasks: it decides the model
    prompt: str  # the prompt file's name
    version: int  # the prompt file's version
    system: str
    data: str
    output: type[BaseModel] | None = None
    tools: tuple[str, ...] = ()  # the names of the tools that an agent is given

    def digest(self, model: str) -> str:
        """What this question is known by when it is put to that model."""
        shape = self.output.model_json_schema() if self.output else None
        prompt = [self.task, self.prompt, self.version, self.system]
        parts = [*prompt, self.data, shape, list(self.tools), model]
        told = json.dumps(parts, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer as plain JSON: an object that fits `Ask.output`, or the list of an agent's calls.

    `calls` counts requests to the model, failed ones that cost tokens included; 0: it was remembered.
    """

    value: Any
    model: str  # provider:model
    tokens_in: int = 0
    tokens_out: int = 0
    calls: int = 1


class Chat(Protocol):
    """Threads may share one. Each failure is a `MindError`, and what was half done is not done."""

    def model(self, task: str) -> str:
        """The model, as `provider:model`, that is asked for this task."""
        ...

    def __call__(self, ask: Ask, errand: OnBehalf) -> Reply:
        """Put one question; `MindUnreadable` when no answer fits `ask.output`, repaired once."""
        ...

    def work(self, ask: Ask, tools: Tools, errand: OnBehalf) -> Reply:
        """Let the model work with these tools until it stops. The value is the list of the calls that
        the tools took, each `{"tool": name, "args": {...}}`, in order: `replayed` does them again."""
        ...


def replayed(calls: Iterable[Mapping[str, Any]], tools: Tools) -> None:
    """Do an agent's calls again, on other tools of the same source.

    What these refuse is left out, and so is a call of an earlier version that they no longer have.
    """
    for call in calls:
        with contextlib.suppress(InvalidInput, TypeError):
            does(tools, str(call["tool"]))(**call["args"])


def does(tools: Tools, name: str) -> Callable[..., None]:
    """The tool of that name; `InvalidInput` if there is none."""
    known: dict[str, Callable[..., None]] = {
        **{f"add_note_to_{kind}": partial(tools.add_note, kind) for kind in _ANCHORS},
        "create_relationship": lambda **fields: tools.create_relationship(RelationDraft(**fields)),
        "add_note_to_relationship": tools.add_note_to_relationship,
    }
    if name not in known:
        raise InvalidInput("tool", f"{name!r} is not one of: {', '.join(known)}")
    return known[name]
