"""The last answers, for intents that ask the same question: summary and topics, candidates and beliefs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

MOST = 32

Place = tuple[str, str]  # the user and the question's digest


class Kept:
    """Whoever asks what is being asked waits for that answer; different questions do not wait."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asking: dict[Place, threading.Lock] = {}
        self._answers: OrderedDict[Place, object] = OrderedDict()

    def forget(self) -> None:
        """Keep none any more."""
        with self._lock:
            self._answers.clear()

    def get(self, place: Place, ask: Callable[[], object]) -> object:
        """The answer kept there, or else what `ask` gives, kept from now on; a failure is not kept."""
        with self._lock:
            one_at_a_time = self._asking.setdefault(place, threading.Lock())
        try:
            with one_at_a_time:
                with self._lock:
                    if place in self._answers:
                        self._answers.move_to_end(place)
                        return self._answers[place]
                answer = ask()
                with self._lock:
                    self._answers[place] = answer
                    while len(self._answers) > MOST:
                        self._answers.popitem(last=False)
                return answer
        finally:
            with self._lock:
                self._asking.pop(place, None)
