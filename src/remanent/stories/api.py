"""Stories' part of `UserMemory`: storylines and macros, listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remanent.core.checks import choice, limited
from remanent.core.later import later
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.story import Macro, Storyline
from remanent.core.user_handle import UserHandle
from remanent.errors import InvalidInput

if TYPE_CHECKING:
    from remanent.stories import stories
else:
    stories = later("remanent.stories.stories")


class StoriesApi(UserHandle):
    """The verb about stories."""

    def stories(
        self,
        *,
        kind: str | None = None,
        anchor: str | None = None,
        state: str | None = None,
        limit: int = 20,
    ) -> list[Storyline | Macro]:
        """Storylines and macros, or one `kind` of them; where something happened last comes first.

        `anchor` is whom or what they are about: a name, or a key or its beginning. Without a `state`
        archived ones are left out. `read(key)` shows the sources of a storyline, the arcs of a macro.
        """
        most, wanted = limited(limit), None if kind is None else choice("kind", Kind, kind)
        if wanted not in (None, Kind.STORYLINE, Kind.MACRO):
            raise InvalidInput("kind", f"{kind!r} is not one of: storyline, macro")
        return stories.list_stories(
            self.env,
            self.scope,
            kind=wanted,
            anchor=anchor,
            state=None if state is None else choice("state", State, state),
        )[:most]
