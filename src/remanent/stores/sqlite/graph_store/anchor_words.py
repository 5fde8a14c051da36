"""What anchors are called, and the words by which they are looked up."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from remanent.core.model.anchor import Anchor, Entity, Person
from remanent.core.model.anchor_names import Name
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind, Node
from remanent.core.model.scope import Scope
from remanent.stores.sqlite.columns import from_json, to_json
from remanent.stores.sqlite.connection import Row
from remanent.stores.sqlite.database import Database

_NAMES = """
SELECT key, kind, called FROM nodes
WHERE user_id = ? AND kind IN ('person', 'concept', 'entity')
ORDER BY key
"""
# CROSS JOIN pins the order: from the few words to the few anchors that have them.
_NAMED = """
WITH found (id) AS (
    SELECT DISTINCT w.node_id
    FROM json_each(:words) AS wanted
    CROSS JOIN anchor_words AS w
        ON w.user_id = :user AND w.kind = :kind AND w.word = wanted.value
)
SELECT n.key, n.kind, n.called FROM found CROSS JOIN nodes AS n ON n.id = found.id
ORDER BY n.key
"""
_FORGET_WORDS = "DELETE FROM anchor_words WHERE node_id = ?"
_ADD_WORD = "INSERT INTO anchor_words (user_id, kind, word, node_id) VALUES (?, ?, ?, ?)"


class SqliteNames:
    """The part of the graph that is about names."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def named(self, scope: Scope, kind: Kind, words: Collection[str]) -> list[Name]:
        """The caller's own anchors of a kind whose name or an alias has one of these words, in order
        of key. Words are compared as `canonical_name` writes them; its cost does not grow with the
        number of anchors that have none of them."""
        # A canonical word is kept beside its own canonical form: of a few odd letters they differ.
        wanted = sorted({*words, *words_in(words)})
        values = {"user": scope.user_id, "kind": kind.value, "words": json.dumps(wanted)}
        return [_name(row) for row in self._database.execute(_NAMED, values)]

    def names(self, scope: Scope) -> list[Name]:
        """What every anchor of the caller's own is called, in order of key."""
        return [_name(row) for row in self._database.execute(_NAMES, (scope.user_id,))]

    def _spell(self, node_id: int, node: Node) -> None:
        """Make the node findable by the words it is called now."""
        self._database.execute(_FORGET_WORDS, (node_id,))
        if isinstance(node, Anchor):
            words = sorted(words_in((node.name, *node.aliases)))
            self._database.execute_many(
                _ADD_WORD, [(node.user_id, node.kind.value, word, node_id) for word in words]
            )


def called(node: Node) -> str | None:
    """Name, type, aliases and whether it is the owner, as JSON; None for what is no anchor."""
    if not isinstance(node, Anchor):
        return None
    type_ = node.type if isinstance(node, Entity) else ""
    is_owner = isinstance(node, Person) and node.is_owner
    return to_json([node.name, type_, node.aliases, is_owner], "name")


def _name(row: Row) -> Name:
    key, kind, text = row
    name, type_, aliases, is_owner = from_json(text)
    return Name(
        key=key, kind=Kind(kind), name=name, type=type_, aliases=tuple(aliases), is_owner=is_owner
    )


def words_in(names: Iterable[str]) -> set[str]:
    """The words by which somebody of these names is looked up."""
    return {word for name in names for word in canonical_name(name).split("-") if word}
