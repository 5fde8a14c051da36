"""Settings of embedders (how a foreign one is asked, and what its cosines mean) and of language models (which
one for what, how patiently, and how much it may say)."""

from __future__ import annotations

from itertools import pairwise

from remanent.core.dataclasses import dataclass

Points = tuple[tuple[float, float], ...]

# What a cosine means with an embedder that nobody measured: what it says, and less than 0 is nothing.
AS_IT_SAYS: Points = ((0.0, 0.0), (1.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingRules:
    """How much at once, how patiently, and the points (cosine, similarity) of an embedder other than
    the built-in one, written `0.2=0 0.5=0.7 1=1` ("": a cosine means what it says)."""

    batch: int = 64
    batch_characters: int = 100_000
    timeout_seconds: float = 30.0
    max_retries: int = 4
    retry_seconds: float = 1.0  # the first pause; each next one is twice as long
    retry_most_seconds: float = 60.0
    scale: str = ""


def points(text: str) -> Points:
    """The points that a setting names; `ValueError` says what is wrong with them.

    Both numbers of each rise from point to point, so that more alike never means less.
    """
    if not text.strip():
        return AS_IT_SAYS
    pairs = []
    for pair in text.replace(",", " ").split():
        cosine, equals, similarity = pair.partition("=")
        if not equals:
            raise ValueError(f"{pair!r} is not COSINE=SIMILARITY")
        try:
            pairs.append((float(cosine), float(similarity)))
        except ValueError:
            raise ValueError(f"{pair!r} is not COSINE=SIMILARITY, two numbers") from None
    _insist_sound(pairs)
    return tuple(pairs)


def _insist_sound(pairs: list[tuple[float, float]]) -> None:
    if len(pairs) < 2:
        raise ValueError("it takes at least two points")
    for cosine, similarity in pairs:
        if not -1 <= cosine <= 1 or not 0 <= similarity <= 1:
            raise ValueError(f"{cosine:g}={similarity:g} lies outside -1..1=0..1")
    for (low, less), (high, more) in pairwise(pairs):
        if low >= high or less > more:
            raise ValueError(f"{high:g}={more:g} does not rise from {low:g}={less:g}")


def batches(texts: list[str], rules: EmbeddingRules) -> list[list[str]]:
    """The texts in order, so many at once and not more than so many characters; a longer text is alone."""
    result: list[list[str]] = []
    room = 0
    for text in texts:
        if not result or len(result[-1]) >= max(1, rules.batch) or len(text) > room:
            result.append([])
            room = max(1, rules.batch_characters)
        result[-1].append(text)
        room -= len(text)
    return result


TASKS = ("clean", "digest", "extract", "agents", "judge", "stories", "ask")
OUTPUTS = ("auto", "native", "tool", "prompted")


@dataclass(frozen=True, slots=True, kw_only=True)
class MindRules:
    """A model per task ("": the main one; for `clean`, none), patience, and bounds on what comes back."""

    clean: str = ""
    digest: str = ""
    extract: str = ""
    agents: str = ""
    judge: str = ""
    stories: str = ""
    ask: str = ""
    output: str = "auto"
    timeout_seconds: float = 60.0
    max_retries: int = 4
    retry_seconds: float = 1.0  # the first pause; each next one is twice as long
    retry_most_seconds: float = 60.0
    concurrency: int = 4
    max_output_tokens: int = 4000
    digest_tokens: int = 2000
    extract_tokens: int = 24000
    agent_tokens: int = 900
    agent_requests: int = 4
    agent_calls: int = 60
    most_candidates: int = 60
    most_beliefs: int = 24

    def model(self, task: str, main: str) -> str:
        """The model for that task, as `provider:model`."""
        own: str = getattr(self, task)
        return own or main


_DEFAULTS = MindRules()


def pause_before(
    attempt: int, retry_after: float | None, chance: float, rules: MindRules = _DEFAULTS
) -> float | None:
    """Seconds to wait after the failed attempt of that number, from 1; None: give up.

    What the other side asked for is honoured, and is never cut short: a wait that is too long is a
    reason to give up. `chance`, from 0 to 1, spreads those who failed together.
    """
    if attempt > rules.max_retries:
        return None
    doubled = min(attempt - 1, 30)  # no overflow, whatever the settings say
    pause = min(rules.retry_most_seconds, rules.retry_seconds * 2.0**doubled)
    pause *= 0.5 + chance / 2
    if retry_after is None:
        return pause
    return None if retry_after > rules.retry_most_seconds else max(retry_after, pause)
