"""For tests of programs built on Remanent, and of adapters to it.

The suites that every adapter has to pass, and builders of valid things for tests, are a distribution
of their own, `remanent-conformance`.
"""

from remanent.clock import SteppedClock
from remanent.testing.embedder import HashEmbedder
from remanent.testing.mind import ScriptedMind

__all__ = ["HashEmbedder", "ScriptedMind", "SteppedClock"]
