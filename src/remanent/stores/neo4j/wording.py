"""How statements in Cypher are filed: by the SQL that each stands for."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType


def worded(module: ModuleType, statements: Mapping[str, str]) -> dict[str, str]:
    """The statements for the constants of a module, each by its SQL."""
    return {vars(module)[name]: text for name, text in statements.items()}
