"""Prompts: files beside the code, each with a version, put together with what holds for all."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from importlib.resources import files

from remanent.errors import MindError

NAMES = (
    "agent",
    "believe",
    "clean",
    "data",
    "describe",
    "digest",
    "extract",
    "gist",
    "judge",
    "need",
    "principle",
    "rephrase",
    "tell",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    name: str
    version: int
    text: str

    def system(self, **words: str) -> str:
        """The whole instruction: what to do, with these words filled in, and that texts are data."""
        text = self.text
        for name, word in words.items():
            text = text.replace("{{" + name + "}}", word)
        return f"{text}\n\n{prompt('data').text}"


@functools.cache
def prompt(name: str) -> Prompt:
    """The prompt of that name."""
    whole = files("remanent.minds.llm").joinpath("prompts", f"{name}.md").read_text("utf-8")
    first, _, text = whole.partition("\n")
    word, _, version = first.partition(":")
    if word != "version" or not version.strip().isdigit():
        raise MindError(f"prompt {name}: its first line is not its version")
    return Prompt(name=name, version=int(version), text=text.strip())


@functools.cache
def prompts_digest() -> str:
    """Eight characters that change when any prompt does."""
    told = "\n".join(f"{name} {prompt(name).version} {prompt(name).text}" for name in NAMES)
    return hashlib.sha256(told.encode()).hexdigest()[:8]
