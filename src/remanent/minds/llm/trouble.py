"""What can go wrong with a provider, in our words, each with the setting that may help."""

from __future__ import annotations

import re

from pydantic_ai import exceptions as foreign

from remanent.errors import (
    BadMindKey,
    MindBusy,
    MindError,
    MindRefused,
    MindTooLong,
    MindTooSlow,
    MindUnreachable,
    MindUnreadable,
    UnknownModel,
)

_KEYLIKE = re.compile(r"\b(?:sk|pk|key|AIza|Bearer)[-_ A-Za-z0-9*.]{8,}", re.IGNORECASE)
_AGAIN = frozenset({408, 409, 425, 429})

# The first class that fits speaks. What we say never holds what the provider said, but for a refusal
# of the request itself, which nobody can mend without it.
_KNOWN: tuple[tuple[type[Exception], type[MindError], str], ...] = (
    (
        foreign.ModelAuthenticationError,
        BadMindKey,
        "does not take the key; set REMANENT_MIND_KEY to one that may use it",
    ),
    (
        foreign.ModelNotFoundError,
        UnknownModel,
        "is not known there; check REMANENT_MIND (provider:model) and REMANENT_MIND_URL",
    ),
    (
        foreign.ModelContextWindowExceededError,
        MindTooLong,
        "cannot read so much at once; lower REMANENT_MINDS__EXTRACT_TOKENS or name another model",
    ),
    (
        foreign.ModelQuotaExceededError,
        MindBusy,
        "has no credit left; top up the account, or set REMANENT_MIND to another model",
    ),
    (
        foreign.ModelRateLimitError,
        MindBusy,
        "takes no more for now (rate limit); lower REMANENT_MINDS__CONCURRENCY, or wait",
    ),
    (
        foreign.ModelTimeoutError,
        MindTooSlow,
        "did not answer in time; raise REMANENT_MINDS__TIMEOUT_SECONDS",
    ),
    (
        foreign.ModelRequestTimeout,
        MindTooSlow,
        "did not answer in time; raise REMANENT_MINDS__TIMEOUT_SECONDS",
    ),
    (TimeoutError, MindTooSlow, "did not answer in time; raise REMANENT_MINDS__TIMEOUT_SECONDS"),
    (
        foreign.ModelConnectionError,
        MindUnreachable,
        "cannot be reached; check REMANENT_MIND_URL and the network",
    ),
    (OSError, MindUnreachable, "cannot be reached; check REMANENT_MIND_URL and the network"),
    (
        foreign.ModelUnavailableError,
        MindBusy,
        "is overloaded or out of service; try again later, or set REMANENT_MIND to another model",
    ),
    (
        foreign.ModelServerError,
        MindBusy,
        "failed on its side; try again later, or set REMANENT_MIND to another model",
    ),
    (foreign.ContentFilterError, MindRefused, "will not answer this (its content filter)"),
    (
        foreign.UsageLimitExceeded,
        MindUnreadable,
        "went on for longer than it may; raise REMANENT_MINDS__AGENT_REQUESTS",
    ),
    (
        foreign.UnexpectedModelBehavior,
        MindUnreadable,
        "gave no answer of the shape asked for; try REMANENT_MINDS__OUTPUT or another model",
    ),
)


def as_mind_error(problem: Exception, model: str) -> MindError:
    """The same trouble as one of ours; nothing of the key is in it."""
    for kind, ours, words in _KNOWN:
        if isinstance(problem, kind):
            return ours(f"mind {model}: {words}")
    status = getattr(problem, "status_code", None)
    if isinstance(status, int) and (status in _AGAIN or status >= 500):
        return MindBusy(f"mind {model}: failed on its side (HTTP {status}); try again later")
    if isinstance(problem, foreign.ModelAPIError):
        return MindError(f"mind {model}: did not take the request: {_excerpt(problem)}")
    return MindUnreadable(f"mind {model}: {type(problem).__name__}")


def may_pass(problem: Exception) -> bool:
    """Whether the same request may fare better in a while."""
    if isinstance(problem, foreign.ModelTimeoutError | foreign.ModelRequestTimeout | TimeoutError):
        return True
    if isinstance(problem, foreign.ModelConnectionError):
        return problem.phase != "connect"  # nobody is there: waiting here would only hide it
    passing = (
        foreign.ModelRateLimitError,
        foreign.ModelUnavailableError,
        foreign.ModelServerError,
    )
    if isinstance(problem, passing):
        return True
    if isinstance(problem, foreign.ModelQuotaExceededError | foreign.ModelRequestRejectedError):
        return False
    status = getattr(problem, "status_code", None)
    return isinstance(status, int) and (status in _AGAIN or status >= 500)


def _excerpt(problem: foreign.ModelAPIError) -> str:
    return _KEYLIKE.sub("(hidden)", " ".join(str(problem.message).split()))[:300]
