"""An embedder behind a URL: whatever speaks OpenAI's `POST /embeddings`, asked with the standard library."""

from __future__ import annotations

import json
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from remanent.core.ports.embedder import TextKind
from remanent.core.settings import EmbeddingRules, MindRules, batches, pause_before, points
from remanent.embedders.extras import Length, readable, shaped
from remanent.errors import ConfigError, EmbedderError
from remanent.spending import rules as budget

OPENAI_URL = "https://api.openai.com/v1"

_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_LONGEST_ANSWER = 256 * 1024 * 1024
_SAID = {
    401: "does not take the key; set REMANENT_EMBEDDER_KEY to one that may use it",
    403: "does not take the key; set REMANENT_EMBEDDER_KEY to one that may use it",
    404: "is not known there; check the model in REMANENT_EMBEDDER and REMANENT_EMBEDDER_URL",
    413: "cannot read so much at once; lower REMANENT_EMBEDDING__BATCH",
    429: "takes no more for now (rate limit, or no credit left)",
}


class _Failed(Exception):
    """One request failed; `again` says whether the same may fare better, `retry_after` when."""

    def __init__(self, problem: str, *, again: bool, retry_after: float | None = None) -> None:
        super().__init__(problem)
        self.again = again
        self.retry_after = retry_after


class _NoDetour(urllib.request.HTTPRedirectHandler):
    """A redirect would carry words and key to a server that nobody named."""

    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        return None


class OpenAiEmbedder:
    """Texts go to the server named, in batches; what fails for a while is tried again.

    Its first call tells how long its vectors are. The texts leave this machine, wherever the server
    is: what comes from a source of high sensitivity is never given to it. Threads may share one.
    """

    is_local = False

    def __init__(
        self,
        model: str,
        *,
        url: str = OPENAI_URL,
        key: str = "",
        rules: EmbeddingRules | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._place = _place(url)
        self._key = key
        self._rules = rules or EmbeddingRules()
        self._pause = pause
        self._length = Length(self.name)
        self._open = urllib.request.build_opener(_NoDetour()).open
        self.scale = points(self._rules.scale)

    @property
    def dimensions(self) -> int:
        """The length of every vector; the first time, the server is asked."""
        if self._length.known is None:
            self.embed(["length"])
        known = self._length.known
        if known is None:
            raise EmbedderError(f"embedder {self.name}: gave no vector")
        return known

    def embed(self, texts: Sequence[str], *, kind: TextKind = "passage") -> NDArray[np.float32]:
        """One unit vector per text, in order; `EmbedderError` when there is none to be had.

        The protocol knows no kinds of text: a question is embedded as a passage is.
        """
        return self.embed_counted(texts, lambda _: None, kind=kind)

    def embed_counted(
        self,
        texts: Sequence[str],
        tell: Callable[[int], None],
        *,
        kind: TextKind = "passage",  # noqa: ARG002 - the port's; see `embed`
    ) -> NDArray[np.float32]:
        """The same; after each request that was answered, `tell` hears how many tokens it read."""
        if not texts:
            return np.zeros((0, self._length.known or 0), np.float32)
        sent = [readable(text) for text in texts]
        vectors = [self._batch(batch, tell) for batch in batches(sent, self._rules)]
        return np.concatenate(vectors)

    def _batch(self, texts: list[str], tell: Callable[[int], None]) -> NDArray[np.float32]:
        answer = self._with_retries(texts)
        tell(_used(answer, texts))  # whatever it says, it was paid for
        rows = self._rows(answer, len(texts))
        return self._length.check(shaped(rows, len(texts), self.name))

    def _with_retries(self, texts: list[str]) -> object:
        attempt = 0
        while True:
            attempt += 1
            try:
                return self._once(texts)
            except _Failed as problem:
                wait = self._wait(problem, attempt)
                if wait is None:
                    raise EmbedderError(f"embedder {self.name}: {problem}") from None
            self._pause(wait)

    def _wait(self, problem: _Failed, attempt: int) -> float | None:
        rules = self._rules
        patience = MindRules(
            max_retries=rules.max_retries,
            retry_seconds=rules.retry_seconds,
            retry_most_seconds=rules.retry_most_seconds,
        )
        if not problem.again:
            return None
        return pause_before(attempt, problem.retry_after, random.random(), patience)  # noqa: S311 - jitter, not a secret

    def _once(self, texts: list[str]) -> object:
        payload = {"model": self._model, "input": texts, "encoding_format": "float"}
        request = urllib.request.Request(  # noqa: S310 - the scheme was checked
            f"{self._place}/embeddings",
            json.dumps(payload).encode(),
            self._headers(),
            method="POST",
        )
        try:
            with self._open(request, timeout=self._rules.timeout_seconds or None) as answer:
                body = answer.read(_LONGEST_ANSWER)
            return json.loads(body)
        except urllib.error.HTTPError as problem:
            raise _refused(problem) from None
        except TimeoutError:
            raise self._slow() from None
        except urllib.error.URLError as problem:
            if isinstance(problem.reason, TimeoutError):
                raise self._slow() from None
            message = f"cannot be reached at {self._place}; check REMANENT_EMBEDDER_URL"
            raise _Failed(f"{message} and the network", again=False) from None
        except (OSError, HTTPException):  # it hung up in the middle
            raise _Failed(f"broke off its answer from {self._place}", again=True) from None
        except ValueError:
            raise _Failed("gave an answer that is not JSON", again=False) from None

    def _slow(self) -> _Failed:
        message = "did not answer in time; raise REMANENT_EMBEDDING__TIMEOUT_SECONDS"
        return _Failed(message, again=True)

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "User-Agent": "remanent"}
        return {**headers, "Authorization": f"Bearer {self._key}"} if self._key else headers

    def _rows(self, answer: object, count: int) -> list[object]:
        """The vectors in the order of the texts, which the answer gives by number."""
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
            raise EmbedderError(f"embedder {self.name}: gave an answer without vectors")
        rows: dict[int, object] = {}
        for place, one in enumerate(data):
            rows[one.get("index", place)] = one.get("embedding")
        if set(rows) != set(range(count)) or len(data) != count:
            raise EmbedderError(
                f"embedder {self.name}: gave {len(data)} vectors for {count} texts, or misnumbered"
            )
        return [rows[place] for place in range(count)]


def _used(answer: object, texts: list[str]) -> int:
    """The tokens that the server says it read; of one that does not say, about as many as there are."""
    usage = answer.get("usage") if isinstance(answer, dict) else None
    tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0:
        return tokens
    return budget.tokens(sum(len(one) for one in texts))


def _place(url: str) -> str:
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError("embedder_url", f"{url!r} is not an http or https address")
    if parts.username or parts.password:
        raise ConfigError("embedder_url", "holds a name or password; use REMANENT_EMBEDDER_KEY")
    return url.strip().rstrip("/")


def _refused(problem: urllib.error.HTTPError) -> _Failed:
    """What the status says; nothing that the server wrote, for that may repeat key and words."""
    with problem:
        status, retry_after = problem.code, problem.headers.get("Retry-After", "")
    again = status in _AGAIN or status >= 500
    message = _SAID.get(status) or (
        f"failed on its side (HTTP {status}); try again later"
        if again
        else f"did not take the request (HTTP {status})"
    )
    return _Failed(message, again=again, retry_after=_seconds(retry_after))


def _seconds(retry_after: str) -> float | None:
    """A `Retry-After` in seconds; a date counts for nothing."""
    return (
        float(retry_after)
        if retry_after.isascii() and retry_after.isdigit() and len(retry_after) < 7
        else None
    )
