"""Remanent: long-term memory for AI agents. Public names only, each loaded when first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from remanent.aio import AsyncMemory, AsyncUserMemory
    from remanent.clock import Clock, SteppedClock, SystemClock
    from remanent.config import Config, load_config
    from remanent.errors import RemanentError
    from remanent.memory import Memory, UserMemory

__version__ = "0.1.0"

__all__ = [
    "AsyncMemory",
    "AsyncUserMemory",
    "Clock",
    "Config",
    "Memory",
    "RemanentError",
    "SteppedClock",
    "SystemClock",
    "UserMemory",
    "__version__",
    "load_config",
]

_HOMES = {
    "AsyncMemory": "aio",
    "AsyncUserMemory": "aio",
    "Clock": "clock",
    "Config": "config",
    "Memory": "memory",
    "RemanentError": "errors",
    "SteppedClock": "clock",
    "SystemClock": "clock",
    "UserMemory": "memory",
    "load_config": "config",
}


def __getattr__(name: str) -> Any:
    """Import the module that holds a public name, the first time somebody asks for it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'remanent' has no attribute {name!r}")
    return getattr(importlib.import_module(f"remanent.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
