"""How a language model is asked: which one for what, how patiently, and how much it may say."""

from __future__ import annotations

from dataclasses import dataclass

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
        return {
            "clean": self.clean,
            "digest": self.digest,
            "extract": self.extract,
            "agents": self.agents,
            "judge": self.judge,
            "stories": self.stories,
            "ask": self.ask,
        }[task] or main


_DEFAULTS = MindRules()


def pause_before(
    attempt: int, asked: float | None, chance: float, rules: MindRules = _DEFAULTS
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
    if asked is None:
        return pause
    return None if asked > rules.retry_most_seconds else max(asked, pause)
