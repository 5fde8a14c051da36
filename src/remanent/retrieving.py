"""Retrieving: the right piece of a user's memory, at the right level of detail."""

from __future__ import annotations

from collections.abc import Sequence

from remanent.handle import Handle, limited
from remanent.model.hit import Hit
from remanent.model.node import Kind
from remanent.model.page import Page
from remanent.model.source import Source
from remanent.rules.intake import choice


class Retrieving(Handle):
    """The verbs that find."""

    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        kinds: Sequence[str | Kind] = (),
        include_archived: bool = False,
    ) -> list[Hit]:
        """One ranked list over all this user may see, each hit with where it was said."""
        scope = self._scope
        hits = self._house.search(
            scope,
            query,
            limit=limited(limit),
            kinds=[choice("kinds", Kind, kind) for kind in kinds],
            include_archived=include_archived,
        )
        self._house.adopt.found(scope, hits)
        return hits

    def read(self, key: str) -> Page:
        """One memory by key (or the unambiguous beginning of one)."""
        scope = self._scope
        page = self._house.read(scope, key)
        if isinstance(page.node, Source):
            self._house.adopt(scope, [page.node])
        return page
