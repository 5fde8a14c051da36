"""The clients, as Locust runs them: `locust -f bench/http/load.py`. Every client asks as fast as it is answered."""

from __future__ import annotations

import itertools
import os

from locust import FastHttpUser, constant, task

from bench.http.mix import Mix

_NUMBERS = itertools.count()


class Agent(FastHttpUser):
    """One client with a key, and a mix of its own."""

    wait_time = constant(0)

    def on_start(self) -> None:
        self._mix = Mix(next(_NUMBERS))
        self._source = os.environ["BENCH_SOURCE"]
        self._headers = {"Authorization": f"Bearer {os.environ['BENCH_KEY']}"}

    @task
    def ask(self) -> None:
        request = self._mix.next()
        if request.verb == "read":
            self.client.get(f"/v1/sources/{self._source}", headers=self._headers, name="read")
            return
        path, field = _REQUESTS[request.verb]
        self.client.post(path, json={field: request.text}, headers=self._headers, name=request.verb)


_REQUESTS = {
    "search": ("/v1/search", "query"),
    "recall": ("/v1/recall", "query"),
    "context": ("/v1/context", "message"),
    "remember": ("/v1/remember", "text"),
    "add": ("/v1/sources", "content"),
}
