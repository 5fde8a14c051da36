"""Undo: all that one source caused for one user is taken back, and what depended on it (SPEC 10).

The graph owes to a source what its extraction says, so an extraction that says nothing, drawn again,
leaves nothing. Beliefs are derived anew from everything else. The source itself stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable

from remanent.anchors.rules import identity
from remanent.anchors.write import Changed, forget_names, recount, unsettled_by, write_extraction
from remanent.core import index_entries
from remanent.core.dataclasses import dataclass, replace
from remanent.core.env import Env
from remanent.core.index_entries import TEAM_SUFFIX, story_line
from remanent.core.model.anchor import Anchor, Person
from remanent.core.model.event import SOURCE_UNDONE, Event
from remanent.core.model.keys import canonical_name
from remanent.core.model.mind_types import Extraction
from remanent.core.model.node import Kind, Node
from remanent.core.model.page import title_of
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import ProcessingStatus, Source
from remanent.core.model.story import Macro, Storyline
from remanent.core.read import resolve
from remanent.erasure.model import Undone
from remanent.erasure.redo_beliefs import rederive_beliefs
from remanent.errors import InvalidInput
from remanent.ingest import extract
from remanent.stories.sources import attach_source


@dataclass(slots=True)
class _SourceEffects:
    """What the source had caused, looked at before it is taken back."""

    extraction: Extraction
    mentions: int = 0
    notes: int = 0
    assertions: int = 0
    noted: frozenset[str] = frozenset()  # anchors
    related: frozenset[str] = frozenset()  # relationships
    stories: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()  # of people
    gave_aliases: bool = False


def undo_source(env: Env, scope: Scope, source_key: str, *, dry_run: bool = False) -> Undone:
    """Take back what this user's memory has from the source; it stays, and is not read again
    unless asked. The same again changes nothing."""
    key = resolve(env, scope, source_key)
    source = env.graph.get(scope, key)
    if not isinstance(source, Source):
        kind = "nothing" if source is None else source.kind.value
        raise InvalidInput("source_key", f"{source_key!r} is a {kind}, not a source")
    with env.transaction(dry_run=dry_run):
        extraction = env.graph.extraction(scope, key)
        if extraction is not None and extraction.is_undone:
            report = Undone(source_key=key, title=title_of(source), was_undone=True)
            return replace(report, mind=extraction.mind, dry_run=dry_run)
        env.append(scope, SOURCE_UNDONE, {"source_key": key})
        undone = take_back(env, scope, source)
    return replace(undone, dry_run=dry_run)


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Take back once more what came of the source that the event names."""
    source = env.graph.get(scope, str(event.payload["source_key"]))
    if isinstance(source, Source):
        with env.atomic():
            take_back(env, scope, source)


def take_back(env: Env, scope: Scope, source: Source) -> Undone:
    """Take back what came of the source, inside the caller's transaction and without an event."""
    caused = _caused(env, scope, source)
    mind = caused.extraction.mind
    empty = Extraction(source_key=source.key, mind=mind, is_done=True, is_undone=True)
    env.graph.put_extraction(scope, empty)
    touched, gone = _rederive(env, scope, source, caused)
    _forget_insights(env, scope, source, touched)
    _clear_descriptions(env, scope, caused, touched)
    extract.make_findable(env, scope, touched)
    believed = rederive_beliefs(
        env, scope, source.key, redrawn=caused.related | touched.relationships
    )
    _as_processed(env, scope, source)
    return Undone(
        source_key=source.key,
        title=title_of(source),
        mind=mind,
        mentions=caused.mentions,
        notes=caused.notes,
        assertions=caused.assertions,
        stories=len(caused.stories),
        anchors=gone,
        beliefs=believed,
    )


def _caused(env: Env, scope: Scope, source: Source) -> _SourceEffects:
    extraction = env.graph.extraction(scope, source.key)
    notes = env.graph.notes_of(scope, source.key)
    on = {one.on for one in notes}
    anchors = frozenset(env.graph.get_many(scope, sorted(on)))
    mentions = env.graph.links(scope, source.key, kinds=(LinkKind.MENTIONS,), outward=True)
    story_links = env.graph.links(scope, source.key, kinds=(LinkKind.INCLUDES,), outward=False)
    read = () if extraction is None else extraction.candidates
    people = [one for one in read if one.kind is Kind.PERSON]
    return _SourceEffects(
        extraction=extraction or Extraction(source_key=source.key, mind=""),
        mentions=len(mentions),
        notes=sum(one.on in anchors for one in notes),
        assertions=sum(one.on not in anchors for one in notes),
        noted=anchors,
        related=frozenset(on - anchors),
        stories=frozenset(one.src for one in story_links if one.user_id == scope.user_id),
        names=tuple(canonical_name(one.name) for one in people),
        gave_aliases=any(one.aliases for one in people),
    )


def _rederive(
    env: Env, scope: Scope, source: Source, caused: _SourceEffects
) -> tuple[Changed, tuple[str, ...]]:
    """Draw the source, which says nothing now, and those whose names it had settled."""
    links = env.graph.links(scope, source.key, kinds=(LinkKind.MENTIONS,), outward=True)
    before = env.graph.get_many(scope, [one.dst for one in links])
    touched = write_extraction(env, scope, [source.key])
    touched |= _rename(env, scope, before.values(), caused)
    names = [name for name in caused.names if name]
    while (
        unsettled := {key for name in names for key in unsettled_by(env, scope, name)}
        - touched.sources
    ):
        touched |= write_extraction(env, scope, sorted(unsettled))
    touched |= forget_names(env, scope, identity.bearers_in(caused.extraction))
    attach_source(env, scope, touched.sources)
    left = env.graph.get_many(scope, sorted({*before, *touched.anchors}))
    touched.anchors &= left.keys()
    gone = [one for key, one in before.items() if key not in left]
    return touched, tuple(one.name for one in gone if isinstance(one, Anchor))


def _rename(env: Env, scope: Scope, known: Iterable[Node], caused: _SourceEffects) -> Changed:
    """Decide anew whom sources mean by a name that only this source had tied to somebody. Until
    they are drawn nobody is called so."""
    unnamed, pending = list[Person](), set[str]()
    for key in sorted(one.key for one in known):
        person = env.graph.get(scope, key)
        if isinstance(person, Person) and not person.is_owner:
            links = _take_back_mentions(env, scope, person, caused)
            pending |= {link.src for link in links}
            unnamed += [person] if links else []
    touched = write_extraction(env, scope, sorted(pending))
    for person in unnamed:
        recount(env, scope, person.key)
        if not _mentioned(env, scope, person.key):
            env.graph.remove(scope, person.key)
            env.index.remove([person.key])
    touched.anchors |= {person.key for person in unnamed}
    return touched


def _take_back_mentions(
    env: Env, scope: Scope, person: Person, caused: _SourceEffects
) -> list[Link]:
    """Take away, and give back, the mentions of a person that may have meant another without
    the full name or the other names that the source gave."""
    links = _mentioned(env, scope, person.key)
    full = [one for one in links if identity.untitled(one.detail) == person.canonical_name]
    merged = env.graph.links(scope, person.key, kinds=(LinkKind.SAME_AS,))
    if merged or person.by_hand or (full and not caused.gave_aliases):
        return []
    leaning = [one for one in links if one not in full]
    for link in leaning:
        env.graph.unlink(scope, link)
    if leaning and full:
        env.graph.put(scope, replace(person, aliases=()))
    elif leaning:
        key = person.key
        env.graph.put(scope, replace(person, aliases=(), name=key, canonical_name=key))
    return leaning


def _mentioned(env: Env, scope: Scope, key: str) -> list[Link]:
    return env.graph.links(scope, key, kinds=(LinkKind.MENTIONS,), outward=False)


def _forget_insights(env: Env, scope: Scope, source: Source, touched: Changed) -> None:
    """What a night noted from it, under a name of its own."""
    for note in env.graph.notes_of(scope, source.key):
        env.graph.drop_note(scope, note)
        if env.graph.get(scope, note.on) is not None:
            touched.anchors.add(note.on)


def _clear_descriptions(env: Env, scope: Scope, caused: _SourceEffects, touched: Changed) -> None:
    """What was made of all words, these among them, is to be made again of the others."""
    for key in sorted(caused.noted):
        anchor = env.graph.get(scope, key)
        if isinstance(anchor, Anchor) and anchor.user_id == scope.user_id:
            noted = bool(env.graph.notes(scope, key, limit=1))
            touched.anchors.add(key)
            env.graph.put(scope, replace(anchor, description="", is_dirty=noted))
    for key in sorted(caused.related):
        one, notes = env.graph.relationship(scope, key), env.graph.notes(scope, key, limit=1)
        if one is not None and notes:
            description = notes[-1].content
            env.graph.relate(scope, replace(one, description=description, is_dirty=True))
    _clear_stories(env, scope, caused.stories)


def _clear_stories(env: Env, scope: Scope, keys: Iterable[str]) -> None:
    stories = env.graph.get_many(scope, sorted(keys))
    grouped = [
        link.src
        for key in stories
        for link in env.graph.links(scope, key, kinds=(LinkKind.GROUPS,), outward=False)
        if link.user_id == scope.user_id
    ]
    stories |= env.graph.get_many(scope, sorted(set(grouped)))
    blank = [
        replace(one, description="", team_description="", is_dirty=True)
        for one in stories.values()
        if isinstance(one, Storyline | Macro)
    ]
    for one in blank:
        env.graph.put(scope, one)
    env.index.remove([f"{one.key}{TEAM_SUFFIX}" for one in blank])
    if blank:
        lines = [story_line(one) for one in blank]
        env.index.put(index_entries.entries(env, scope, lines))


def _as_processed(env: Env, scope: Scope, source: Source) -> None:
    """Its own status is its contributor's: readable, and not read."""
    now = env.graph.get(scope, source.key)
    if not isinstance(now, Source) or now.user_id != scope.user_id:
        return
    if now.processing_status is ProcessingStatus.EXTRACTED:
        processed = replace(
            now,
            processing_status=ProcessingStatus.PROCESSED,
            extraction_started_at=None,
            extraction_completed_at=None,
            updated_at=env.clock.now(),
        )
        env.graph.put(scope, processed)
