"""Regular expressions that are compiled when they are first used: to compile all was a tenth of a start."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    regex = re.compile
else:

    class regex:  # noqa: N801 - called like the function it stands for
        """Takes what `re.compile` takes, and has what that gives, each kept once it was asked for."""

        def __init__(self, *given: Any) -> None:
            self._given = given

        def __getattr__(self, name: str) -> Any:
            # `re` remembers what it compiled: another method of the same costs next to nothing.
            value = self.__dict__[name] = getattr(re.compile(*self._given), name)
            return value
