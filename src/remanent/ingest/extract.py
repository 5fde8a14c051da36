"""Toolbox: collects what an agent writes about one source, checked, to be drawn later.

Extract: one source as one user understands it (SPEC 4, phase 2).

Reads once and keeps what was read; then draws, makes findable, believes, and is done. Each
step does nothing the second time: a crash between two of them costs only repetition.

Adopt: a member of a team makes a shared source part of their own graph, when they first need it.

Extraction is per user and source, and never assumed: one graph per member (SPEC 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from math import inf
from typing import Any

from remanent.anchors.owner import owner_key
from remanent.anchors.rules import dates, identity, resolution
from remanent.anchors.write import Changed, forget_names, local_anchors, write_extraction
from remanent.beliefs.believe import Claim, believe
from remanent.beliefs.truth_maintenance import outdate_beliefs
from remanent.core import checks, index_entries, relation
from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor, Lifetime
from remanent.core.model.belief import Support
from remanent.core.model.event import SOURCE_EXTRACTED, Event
from remanent.core.model.keys import canonical_name
from remanent.core.model.mind_types import (
    BeliefDraft,
    Candidate,
    Extraction,
    Findings,
    NoteDraft,
    Reading,
    RelationDraft,
)
from remanent.core.model.node import Kind, Node
from remanent.core.model.scope import Scope
from remanent.core.model.source import Passage, ProcessingStatus, Source
from remanent.core.on_behalf import mind_for
from remanent.core.ports.mind import Mind
from remanent.core.records.access import User
from remanent.core.visibility import is_private
from remanent.errors import InvalidInput, UnknownKey
from remanent.ingest.process import Part, reading_of, slice_job, stop_of
from remanent.ingest.rules import passages as cutting
from remanent.ingest.shared import extract_job, is_for
from remanent.stories.sources import attach_source

MOST_CHARACTERS = 2000
_NOTED = ("about", "aliases", "tags")  # what front matter says of the subject of a note
MOST_WRITES = 500  # of one agent on one source: one that runs wild is stopped


@dataclass(slots=True)
class Toolbox:
    """The `Tools` of one agent. It holds names of one source's anchors and no store: nothing an agent
    says can reach further."""

    anchors: Sequence[Anchor]
    _notes: list[NoteDraft] = field(default_factory=list)
    _relations: list[RelationDraft] = field(default_factory=list)

    @property
    def findings(self) -> Findings:
        """All that was written, each thing once, in order."""
        return Findings(
            notes=tuple(dict.fromkeys(self._notes)), relations=tuple(dict.fromkeys(self._relations))
        )

    @property
    def is_full(self) -> bool:
        """Whether the agent has written as often as it may."""
        return len(self._notes) + len(self._relations) >= MOST_WRITES

    def add_note(self, kind: Kind, name: str, content: str, lifetime: Lifetime) -> None:
        self._anchor("name", name, kind)
        self._count()
        self._notes.append(
            NoteDraft(anchor=name, content=_text("content", content), lifetime=Lifetime(lifetime))
        )

    def create_relationship(self, draft: RelationDraft) -> None:
        self._anchor("src", draft.src)
        self._anchor("dst", draft.dst)
        self._count()
        self._relations.append(
            replace(
                draft,
                relationship_type=_word("relationship_type", draft.relationship_type),
                description=_text("description", draft.description),
                attitude=relation.clamped(draft.attitude),
                proximity=relation.clamped(draft.proximity),
                confidence=min(1.0, max(0.0, draft.confidence)),
                since=None,
                corrects=False,
                lifetime=None,
            )
        )

    def add_note_to_relationship(
        self,
        src: str,
        dst: str,
        relationship_type: str,
        content: str,
        lifetime: Lifetime = Lifetime.MONTH,
    ) -> None:
        wanted = (src, dst, _word("relationship_type", relationship_type))
        for assertion in self._relations:
            if (assertion.src, assertion.dst, assertion.relationship_type) == wanted:
                self._count()
                said, stays = _text("content", content), Lifetime(lifetime)
                self._relations.append(replace(assertion, description=said, lifetime=stays))
                return
        raise InvalidInput(
            "relationship_type", f"no {wanted[2]!r} from {src!r} to {dst!r} was created"
        )

    def _anchor(self, argument: str, name: str, kind: Kind | None = None) -> None:
        for anchor in self.anchors:
            if anchor.name == name and (kind is None or anchor.kind is kind):
                return
        known = ", ".join(one.name for one in self.anchors if kind is None or one.kind is kind)
        raise InvalidInput(argument, f"{name!r} is not one of: {known or 'nobody'}")

    def _count(self) -> None:
        if self.is_full:
            raise InvalidInput("content", f"an agent may write {MOST_WRITES} times about a source")


def _text(argument: str, text: str) -> str:
    return checks.statement(argument, text, MOST_CHARACTERS).strip()


def _word(argument: str, text: str) -> str:
    words = checks.identifier(argument, text.strip()).casefold().split()
    return "_".join(words)


def extract_source(
    env: Env, scope: Scope, source_key: str, *, again: bool = False, part: Part | None = None
) -> None:
    """Draw people, concepts, entities, relationships and beliefs from a processed source; of a long one,
    as `process_source` does.

    A source that this user has extracted is left alone, unless `again`, which is all of it.
    """
    if again:
        _extract_again(env, scope, source_key, first=True)
        return
    known = env.graph.extraction(scope, source_key)
    stop = stop_of(env, part, 0 if known is None else known.read_to or 0)
    if stop is not None:
        _extract(env, scope, source_key, stop=stop, first=True)


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Draw once more, as far as it went, from the source that the event names, if this user can see it."""
    source_key = str(event.payload["source_key"])
    if not is_for(scope, env.graph.get(scope, source_key)):
        return
    if event.payload.get("again"):
        _extract_again(env, scope, source_key, first=False)
    else:
        stop = float(event.payload.get("to", inf))
        _extract(env, scope, source_key, stop=stop, first=False)


def _extract(env: Env, scope: Scope, source_key: str, *, stop: float, first: bool) -> None:
    """From where this user's reading has come to before character `stop` of what was processed."""
    known = env.graph.extraction(scope, source_key)
    if known is not None and known.is_done:
        return
    source, whole = _source_and_reading(env, scope, source_key)
    started, characters = env.clock.now(), cutting.slice_of(whole.passages, 0, inf)[1]
    done = None if known is None else known.read_to
    if known is None or (known.found_to is not None and known.found_to == done):
        passages, end = cutting.slice_of(whole.passages, done or 0, stop)
        fresh = _ask_mind(env, scope, source, replace(whole, passages=tuple(passages)))
        found = fresh if known is None else resolution.joined(known, fresh)
        found = replace(found, found_to=end if end < characters else None)
        drafts = fresh.beliefs
    else:  # found, and not drawn to the end: whoever did so was killed
        found, drafts = known, known.beliefs
    if _take_in(env, scope, source, whole, found, drafts):
        _done(env, scope, found, started, characters=characters, first=first)


def _extract_again(env: Env, scope: Scope, source_key: str, *, first: bool) -> None:
    source, whole = _source_and_reading(env, scope, source_key)
    known, started = env.graph.extraction(scope, source_key), env.clock.now()
    found, position, characters = None, 0, cutting.slice_of(whole.passages, 0, inf)[1]
    while found is None or position < characters:
        stop = position + env.config.passages.slice_characters
        passages, position = cutting.slice_of(whole.passages, position, stop)
        fresh = _ask_mind(env, scope, source, replace(whole, passages=tuple(passages)))
        found = fresh if found is None else resolution.joined(found, fresh)
    if known is None or known != replace(found, is_done=True):
        _take_in(env, scope, source, whole, found, found.beliefs, again=True)
        _done(env, scope, found, started, characters=characters, first=first, again=True)


def _source_and_reading(env: Env, scope: Scope, source_key: str) -> tuple[Source, Reading]:
    source = env.graph.get(scope, source_key)
    owner = env.registry.user(scope.user_id)
    if not isinstance(source, Source) or owner is None:
        raise UnknownKey(source_key)
    return source, _reading(env, scope, source, owner)


def begin(env: Env, scope: Scope, extraction: Extraction) -> None:
    """All but the end of an extraction that is under way, from what the mind has found."""
    source = env.graph.get(scope, extraction.source_key)
    known = env.graph.extraction(scope, extraction.source_key)
    if isinstance(source, Source) and (known is None or not known.is_done):
        reading = _reading(env, scope, source, env.registry.user(scope.user_id))
        _take_in(env, scope, source, reading, extraction, extraction.beliefs)


def _reading(env: Env, scope: Scope, source: Source, owner: User | None) -> Reading:
    """The source as this user's mind is to read it, whoever contributed it."""
    by = owner if source.user_id == scope.user_id else env.registry.user(source.user_id)
    return reading_of(source, env.graph.passages(scope, source.key), owner, by)


def _take_in(
    env: Env,
    scope: Scope,
    source: Source,
    reading: Reading,
    extraction: Extraction,
    drafts: Sequence[BeliefDraft],
    *,
    again: bool = False,
) -> bool:
    """All but the end; False if our lease ran out, and another has done it."""
    with env.atomic(scope):
        before = env.graph.extraction(scope, source.key)
        if not again and _is_beyond(before, extraction):
            return False
        named = set() if before is None else set(identity.bearers_in(before))
        env.graph.put_extraction(scope, extraction)
        touched = write_extraction(env, scope, [source.key])
        gone = named.difference(identity.bearers_in(extraction))
        touched |= forget_names(env, scope, gone) if gone else Changed()
        attach_source(env, scope, touched.sources)
    make_findable(env, scope, touched)
    _beliefs(env, scope, source, reading, drafts)
    outdate_beliefs(env, scope, touched.relationships)  # last: what replaces a belief should say so
    return True


def _is_beyond(known: Extraction | None, extraction: Extraction) -> bool:
    """Whether this user's reading has come further than where that one began."""
    if known is None:
        return False
    return known.is_done or (known.read_to or 0) > (extraction.read_to or 0)


def _ask_mind(env: Env, scope: Scope, source: Source, reading: Reading) -> Extraction:
    """What the mind says, asked about this source alone: what else is known must not matter."""
    private = is_private(source)
    mind = mind_for(env.mind, scope, "extract", source_key=source.key, private=private)
    candidates = mind.extract(reading)
    me = env.graph.get(scope, owner_key(scope.user_id))
    kept = _accepted(env, source, candidates, me)
    shown = local_anchors(scope, kept, env.clock.now())
    if isinstance(me, Anchor):
        # What other sources have said of the owner is none of this one's business.
        shown.append(replace(me, description=""))
    findings = _marked(env, scope, source, _findings(mind, reading, shown))
    passages = {passage.key: passage for passage in reading.passages}
    return Extraction(
        source_key=source.key,
        mind=mind.name,
        candidates=kept,
        findings=replace(
            findings,
            relations=tuple(
                dates.dated(one, source.started_at)
                for one in findings.relations
                if reading.owner_speaks or not _is_of(me, one)
            ),
        ),
        beliefs=tuple(_dated(one, source, passages) for one in mind.beliefs(reading)),
        passed_over=tuple(identity.passed_over(candidates, kept)),
    )


def _accepted(
    env: Env, source: Source, candidates: Sequence[Candidate], me: Node | None
) -> tuple[Candidate, ...]:
    """The candidates that deserve a node, what the author linked to, and what the note is about by its
    front matter; none of these is the owner."""
    own = {canonical_name(one) for one in (me.name, *me.aliases)} if isinstance(me, Anchor) else ()
    linked = [
        str(one)
        for one in source.provenance.get("mentions", ())
        if canonical_name(str(one)) not in own
    ]
    kept = resolution.accepted(candidates, linked, env.config.resolution)
    if not source.title or canonical_name(source.title) in own:
        return kept
    notes = {name: tuple(map(str, source.provenance.get(name, ()))) for name in _NOTED}
    return resolution.with_subject(kept, source.title, rules=env.config.resolution, **notes)


def _marked(env: Env, scope: Scope, source: Source, findings: Findings) -> Findings:
    """What stands on anchors and relationships says who gave it, where the user did not: such words go
    from there into descriptions and answers."""
    if source.user_id == scope.user_id:
        return findings
    by = env.registry.user(source.user_id)
    mark = f" (from {source.user_id if by is None else by.name})"
    return Findings(
        notes=tuple(replace(one, content=one.content + mark) for one in findings.notes),
        relations=tuple(
            replace(one, description=one.description + mark) for one in findings.relations
        ),
    )


def _is_of(me: Node | None, one: RelationDraft) -> bool:
    """Whether a relationship is the owner's own: how they stand to anybody is not for others to say."""
    return isinstance(me, Anchor) and me.name in (one.src, one.dst)


def make_findable(env: Env, scope: Scope, touched: Changed) -> None:
    """Make anchors and relationships findable by what is known of them now."""
    keys = [*sorted(touched.anchors), *sorted(touched.relationships)]
    stale = index_entries.stale_lines(scope, env.graph, keys)
    entries = index_entries.entries(env, scope, [line for line, _ in stale])
    with env.atomic(scope):
        for _, mark in stale:
            mark()
        env.index.put(entries)


def _beliefs(
    env: Env, scope: Scope, source: Source, reading: Reading, drafts: Sequence[BeliefDraft]
) -> None:
    passages = {passage.key: passage for passage in reading.passages}
    for draft in drafts:
        passage = passages.get(draft.passage_key or "")
        at = (passage.at if passage else None) or source.started_at
        support = Support(
            event_id=source.event_id,
            statement=draft.statement,
            at=at,
            since=draft.since,
            source_key=source.key,
            passage_key=draft.passage_key,
            speaker=passage.speaker if passage else None,
            by_owner=_by_owner(scope, source, passage, reading),
            contributed_by=None if source.user_id == scope.user_id else source.user_id,
        )
        believe(env, scope, Claim(draft=draft, support=support, episode_key=source.key))


def _done(
    env: Env,
    scope: Scope,
    extraction: Extraction,
    started: datetime,
    *,
    characters: int,
    first: bool,
    again: bool = False,
) -> None:
    """Done is what this user's extraction says; the source's own status is its contributor's."""
    now, to, begun = env.clock.now(), extraction.found_to, extraction.read_to or 0
    payload: dict[str, Any] = {"source_key": extraction.source_key}
    payload |= ({"again": True} if again else {}) | ({} if to is None else {"to": to})
    with env.atomic(scope):
        known = env.graph.extraction(scope, extraction.source_key)
        if first and not again and _is_beyond(known, extraction):
            return  # another has, since it was taken in
        if first:  # where in the order of all things this was done
            env.append(scope, SOURCE_EXTRACTED, payload, now=now)
        env.graph.put_extraction(scope, replace(extraction, is_done=to is None, read_to=to))
        source = env.graph.get(scope, extraction.source_key)
        if to is not None and isinstance(source, Source):
            if first:
                job = extract_job(scope.user_id, source, source.created_at)
                size = cutting.next_size(to - begun, now - started, env.config.passages)
                env.queue.enqueue(slice_job(job, start=to, size=size, characters=characters))
            return
        if not isinstance(source, Source) or source.user_id != scope.user_id:
            return
        if source.processing_status is ProcessingStatus.EXTRACTED:
            return
        env.graph.put(
            scope,
            replace(
                source,
                processing_status=ProcessingStatus.EXTRACTED,
                extraction_started_at=started,
                extraction_completed_at=now,
                updated_at=now,
            ),
        )


def _findings(mind: Mind, reading: Reading, shown: Sequence[Anchor]) -> Findings:
    """Three agents at once, for people, concepts and entities, each with tools of its own."""
    boxes = {kind: Toolbox(shown) for kind in (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)}
    with ThreadPoolExecutor(len(boxes), thread_name_prefix="agent") as pool:
        agents = [pool.submit(mind.relate, reading, kind, box) for kind, box in boxes.items()]
        for agent, box in zip(agents, boxes.values(), strict=True):
            try:
                agent.result()
            except InvalidInput:
                if not box.is_full:  # what it wrote before it was stopped is as good as any
                    raise
    written = [box.findings for box in boxes.values()]
    return Findings(
        notes=tuple(note for one in written for note in one.notes),
        relations=tuple(relation for one in written for relation in one.relations),
    )


def _dated(draft: BeliefDraft, source: Source, passages: Mapping[str, Passage]) -> BeliefDraft:
    passage = passages.get(draft.passage_key or "")
    if passage is None:
        return dates.dated(draft, source.started_at)
    return dates.dated(draft, passage.at or source.started_at, told_in=passage.text)


def _by_owner(scope: Scope, source: Source, passage: Passage | None, reading: Reading) -> bool:
    """Whether the user in person says so: under a name of theirs, or in a note of their own. In what
    somebody else contributed nobody is the user, whatever name stands there."""
    speaker = passage.speaker if passage else None
    if source.user_id != scope.user_id:
        return False
    if speaker is None:
        return True
    return canonical_name(speaker) in {canonical_name(name) for name in reading.owner_names}
