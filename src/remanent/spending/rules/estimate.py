"""What a language model is asked about one source, before it is asked: for an estimate of the cost.

The figures follow from what the LLM mind does (`minds/llm`): one question for summary, keywords and
tags, one over the whole text for what it speaks of and what to believe, and three agents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from remanent.core.mind_settings import MindRules

_TOKENS_PER_WORD: Final = 1.5  # with who speaks, and the number of each line
_AGENTS: Final = 3
EMBEDDING: Final = "embed"  # the task of a paid embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What each sort of question costs besides the text, and what comes back; rather too much."""

    digest_prompt: int = 600  # our own words, and the shape of the answer
    digest_out: int = 250
    extract_prompt: int = 1000
    extract_out: int = 100
    extract_out_share: float = 0.12  # of the text
    agent_prompt: int = 1250  # with the descriptions of the tools
    agent_out: int = 400
    embed_per_word: float = 4.5  # with what went before, parts of it, and what it speaks of
    embed_calls: int = 4


_DEFAULTS = Figures()


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenEstimate:
    """So many calls for one task, and their tokens."""

    task: str
    calls: int
    tokens_in: int
    tokens_out: int

    def plus(self, other: TokenEstimate) -> TokenEstimate:
        """Both together."""
        return TokenEstimate(
            task=self.task,
            calls=self.calls + other.calls,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
        )


def reckoned_embedding(words: int, figures: Figures = _DEFAULTS) -> TokenEstimate:
    """What an embedder is given of one source of so many words."""
    tokens_in = int(words * figures.embed_per_word)
    return TokenEstimate(
        task=EMBEDDING, calls=figures.embed_calls, tokens_in=tokens_in, tokens_out=0
    )


def reckoned(
    words: int, rules: MindRules, figures: Figures = _DEFAULTS
) -> tuple[TokenEstimate, ...]:
    """The calls that one source of so many words makes."""
    text = int(words * _TOKENS_PER_WORD)
    windows = max(1, -(-text // max(1, rules.extract_tokens)))
    return (
        TokenEstimate(
            task="digest",
            calls=1,
            tokens_in=figures.digest_prompt + min(text, rules.digest_tokens),
            tokens_out=figures.digest_out,
        ),
        TokenEstimate(
            task="extract",
            calls=windows,
            tokens_in=windows * figures.extract_prompt + text,
            tokens_out=min(
                windows * rules.max_output_tokens,
                int(figures.extract_out + text * figures.extract_out_share),
            ),
        ),
        TokenEstimate(
            task="agents",
            calls=_AGENTS,
            tokens_in=_AGENTS * (figures.agent_prompt + min(text, rules.agent_tokens)),
            tokens_out=_AGENTS * min(figures.agent_out, 50 + text),
        ),
    )
