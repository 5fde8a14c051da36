"""What an edge, a note or an assertion hangs on: looked up by key, refused when it is not there."""

from __future__ import annotations

from remanent.core.model.scope import Scope
from remanent.errors import InvalidInput
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.scope import asking, scoped

_VISIBLE = scoped("SELECT n.id FROM nodes AS n WHERE n.key = :key AND VISIBLE(n)")
_VISIBLE_SOURCE = scoped("""
SELECT n.id FROM nodes AS n WHERE n.key = :key AND n.kind = 'source' AND VISIBLE(n)
""")
_VISIBLE_VOICE = scoped("""
SELECT n.id FROM nodes AS n WHERE n.key = :key AND n.kind IN ('source', 'belief') AND VISIBLE(n)
""")
_OWN = "SELECT id FROM nodes WHERE key = ? AND user_id = ?"


def visible_end(database: Database, scope: Scope, field: str, key: str) -> int:
    """The row of a node that the caller may see. What is hidden is what is missing."""
    row = database.one(_VISIBLE, asking(scope, key=key))
    if row is None:
        raise InvalidInput(field, f"nothing in this memory has the key {key!r}")
    return int(row[0])


def own_end(database: Database, scope: Scope, field: str, key: str) -> int:
    """The row of a node of the caller's own."""
    row = database.one(_OWN, (key, scope.user_id))
    if row is None:
        raise InvalidInput(field, f"the caller has nothing under the key {key!r}")
    return int(row[0])


def source_end(database: Database, scope: Scope, key: str) -> int:
    """The row of the source that something was read in: visible, or lost since with its team."""
    found = visible_source(database, scope.contributing, key)
    if found is None:
        raise InvalidInput("source_key", f"no source in this memory has the key {key!r}")
    return found


def voice_end(database: Database, scope: Scope, key: str) -> int:
    """The row of the source or belief that asserts something: visible, or lost since with its team."""
    row = database.one(_VISIBLE_VOICE, asking(scope.contributing, key=key))
    if row is None:
        raise InvalidInput("source_key", f"no source or belief here has the key {key!r}")
    return int(row[0])


def visible_source(database: Database, scope: Scope, key: str) -> int | None:
    """The row of a source that the caller may see."""
    row = database.one(_VISIBLE_SOURCE, asking(scope, key=key))
    return None if row is None else int(row[0])
