"""The mind that needs no key and no network: a trained encoder, and a few rules over its heads.

It is deterministic: the same text and the same weights give the same answer.
"""

from __future__ import annotations

from remanent.minds.offline.mind import OfflineMind

__all__ = ["OfflineMind"]
