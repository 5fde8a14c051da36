"""Deep examination: every stored row decoded, raw texts held against the digests in the ledger. What is damaged is named by table and key."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from remanent.core.later import later
from remanent.core.model.event import SOURCE_ADDED
from remanent.core.records.admin import Damage, Examination
from remanent.errors import DamagedMemory
from remanent.stores.sql.admin.health import DECODERS, problem_with
from remanent.stores.sql.database import Row
from remanent.stores.sql.plain_rows import UNDECODABLE
from remanent.stores.sqlite.database import SqliteDatabase

if TYPE_CHECKING:
    import numpy as np
else:
    np = later("numpy")

_MOST: Final = 100  # damages told of one table
_PAGE: Final = 500
_TABLES: Final = """
SELECT name FROM sqlite_schema
WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name
"""
_COLUMNS: Final = "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid"
_ADDED: Final = """
SELECT seq, CAST(payload AS BLOB) FROM events
WHERE event_type = ? AND seq > ? ORDER BY seq LIMIT ?
"""
_RAW: Final = "SELECT CAST(content AS BLOB) FROM raws WHERE key = ?"

Fits = Callable[[Mapping[str, Any], str], str]


def examine(database: SqliteDatabase, fits: Fits) -> Examination:
    """Everything that can be looked at, whatever else is broken."""
    dimensions = _dimensions(database)
    rows = 0
    damages: list[Damage] = list(_structure(database))
    for (table,) in database.execute(_TABLES):
        try:
            rows += int(database.execute(f'SELECT count(*) FROM "{table}"')[0][0])  # noqa: S608
            damages += _undecodable(database, table, dimensions)
        except DamagedMemory as problem:
            damages.append(Damage(table=table, key="", problem=problem.problem))
    counted = Counter[str]()
    damages += digest_damages(database, fits, counted)
    return Examination(damages=tuple(damages), rows=rows, digests=counted["compared"])


def digest_damages(
    database: SqliteDatabase, fits: Fits, counted: Counter[str] | None = None
) -> list[Damage]:
    """Raw texts that are missing, or not those of which the ledger has the digest."""
    compared = Counter[str]() if counted is None else counted
    return _guarded("raws", lambda: _digests(database, fits, compared))


def _guarded(table: str, look: Callable[[], Iterator[Damage]]) -> list[Damage]:
    damages: list[Damage] = []
    try:
        damages.extend(look())
    except DamagedMemory as problem:
        damages.append(Damage(table=table, key="", problem=problem.problem))
    return damages


def _structure(database: SqliteDatabase) -> Iterator[Damage]:
    """The pages, the b-trees, and every index against its table."""
    try:
        lines = database.execute(f"PRAGMA integrity_check({_MOST})")
    except DamagedMemory as problem:
        reason = problem.problem.partition("; see")[0]
        yield Damage(table="the file", key="", problem=f"its indexes cannot be checked: {reason}")
        return
    for (line,) in lines:
        if line != "ok":
            yield Damage(table="the file", key="", problem=str(line))


# -- rows -----------------------------------------------------------------------------------------


def _undecodable(database: SqliteDatabase, table: str, dimensions: int) -> list[Damage]:
    """Rows that hold a text, a structure or a vector that is none."""
    look = problem_of(database, table, dimensions=dimensions)
    if look is None:
        return []
    sql = f'SELECT * FROM (SELECT CAST({look[0]} AS BLOB) AS k, {look[1]} AS p FROM "{table}") '  # noqa: S608
    found = database.execute(f"{sql} WHERE p IS NOT NULL LIMIT {_MOST}")
    return [Damage(table=table, key=_shown(k), problem=str(p)) for k, p in found]


def problem_of(database: SqliteDatabase, table: str, *, dimensions: int) -> tuple[str, str] | None:
    """Expressions of a row's key and of what is wrong with it (NULL: nothing), for statements of this
    thread; None where nothing could be."""
    columns: list[Row] = database.execute(_COLUMNS, (table,))
    texts = [name for name, type_, _ in columns if type_ == "TEXT"]
    names = [name for name, _, _ in columns]
    keys = ["key"] if "key" in names else [name for name, _, place in columns if place]
    checks = [f'not_text(CAST("{name}" AS BLOB))' for name in texts]
    database.teach("not_text", _not_text, 1)
    decode = DECODERS.get(table)
    if decode is not None:
        database.teach(f"no_{table}", problem_with(decode[1]), -1)
        checks.append(f"no_{table}({decode[0]})")
    if table == "entries":
        database.teach("no_vector", lambda blob: _not_vector(blob, dimensions), 1)
        checks += ["no_vector(vector)", "no_vector(parts)"]
    if not checks:
        return None
    key = " || ' ' || ".join(f'CAST("{name}" AS BLOB)' for name in keys or ["rowid"])
    return key, f"coalesce({', '.join(checks)}, NULL)"


def _not_text(blob: bytes | None) -> str | None:
    try:
        (blob or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        return f"is no text ({error.reason})"
    return None


def _not_vector(blob: object, dimensions: int) -> str | None:
    if blob is None:
        return None
    if not isinstance(blob, bytes) or (dimensions and len(blob) % (4 * dimensions)):
        return "is no vector of this memory"
    vectors = np.frombuffer(blob, dtype="<f4").reshape(-1, dimensions or 1)
    if not np.isfinite(vectors).all():
        return "its vector holds something that is not a number"
    lengths = np.linalg.norm(vectors, axis=1)  # an embedder gives vectors of length one
    if dimensions and not (np.isclose(lengths, 1, atol=0.01) | (lengths == 0)).all():
        return "its vector has another length than any embedder gives"
    return None


def _shown(key: object) -> str:
    return key.decode("utf-8", "replace") if isinstance(key, bytes) else str(key)


def _dimensions(database: SqliteDatabase) -> int:
    try:
        noted = database.meta("embedder")
        return 0 if noted is None else int(json.loads(noted)["dimensions"])
    except (DamagedMemory, *UNDECODABLE):
        return 0


# -- digests -------------------------------------------------------------------------------------


def _digests(database: SqliteDatabase, fits: Fits, counted: Counter[str]) -> Iterator[Damage]:
    """Raw texts that are not those of which the ledger has the digest, or that are missing."""
    after = -1
    while rows := database.execute(_ADDED, (SOURCE_ADDED, after, _PAGE)):
        for seq, payload in rows:
            after = seq
            try:
                record = json.loads(payload)
                key = str(record["source_key"])
            except UNDECODABLE:
                continue  # the row itself is told of among those that cannot be decoded
            raw = database.fetch_one(_RAW, (key,))
            if raw is None:
                yield Damage(table="raws", key=key, problem="the raw text is missing")
                continue
            try:
                problem = fits(record, raw[0].decode("utf-8", "surrogatepass"))
            except UNDECODABLE:
                problem = "the event that tells of it, or its text, cannot be read"
            counted["compared"] += 1
            if problem:
                yield Damage(table="raws", key=key, problem=problem)
