"""Search: one ranked list over everything the caller may see (SPEC 8).

Ranks, filters, puts the newest truth first, and cuts a page out of the list.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from remanent.core.dataclasses import dataclass, replace
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor, Note
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.codec import to_record
from remanent.core.model.event import EventNode
from remanent.core.model.keys import canonical_name, content_hash
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind, Node
from remanent.core.model.page import title_of
from remanent.core.model.relationship import LinkKind, Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.search import Hit, Hits, SearchRequest
from remanent.core.model.source import ProcessingStatus, Source
from remanent.errors import InvalidInput
from remanent.ingest.rules.request import excerpt
from remanent.retrieval import filter as filter_
from remanent.retrieval.filter import filter_hits
from remanent.retrieval.filter import refused as _refused
from remanent.retrieval.model import UNKNOWN, Candidate
from remanent.retrieval.rules import filters, ranking, validity
from remanent.retrieval.validity import NOTES, mark_validity

WINDOW: Final = 20  # so many of the best are looked at together for what has replaced what
_DIGEST: Final = 12
_IN_SHORT: Final = json.JSONEncoder(separators=(",", ":"))  # made once: every hit has a cursor


def search_hits(
    env: Env,
    scope: Scope,
    request: SearchRequest,
    *,
    limit: int,
    after: str | None = None,
    explain: bool = False,
) -> Hits:
    """The best `limit` hits after the cursor, best first; the same memory and request give the
    same list, of which every page and every limit shows a part."""
    request = filter_.checked(env, scope, request)
    digest = digest_of(request)
    start, last = (0, "") if after is None else _read_cursor(after, digest)
    need = max(start + limit + 1, WINDOW)
    filtered = filter_hits(env, scope, request, need=need, few=not explain)
    request = filtered.request
    placed = place(env, scope, request, filtered.passed, start + limit)
    if last and (start > len(placed) or placed[start - 1].key != last):
        start = next((n for n, one in enumerate(placed, 1) if one.key == last), start)
    page = placed[start : start + limit]
    return Hits(
        present(env, scope, request, page, start=start, digest=digest, explain=explain),
        reason="" if page else _reason(env, scope, request, start),
        next=_cursor(digest, start + limit, page[-1].key) if len(placed) > start + limit else None,
    )


# -- order --------------------------------------------------------------------------------


def place(
    env: Env, scope: Scope, request: SearchRequest, passed: Sequence[Candidate], most: int = 0
) -> list[Candidate]:
    """All that passed in its place: the first ones, and `most` at least, with their validity, the newest
    truth first."""
    marked = mark_validity(env, scope, request, passed[: max(most, WINDOW)])
    head = {one.key: one for one in marked[:WINDOW]}
    validities = {key: one.validity or UNKNOWN for key, one in head.items()}
    before = {key: rank for rank, key in enumerate(head)}
    placed: list[Candidate] = []
    for key in reversed(validity.newest_first(list(head), validities)):
        one = head[key]
        if placed and before[key] > before[placed[-1].key] and placed[-1].score > one.score:
            score = placed[-1].score  # it is lifted to where the other one stands
            signals = {**one.signals, ranking.NEWER: score - one.score}
            one = one._replace(score=score, signals=signals)
        placed.append(one)
    return [*reversed(placed), *marked[WINDOW:], *passed[len(marked) :]]


# -- hits ---------------------------------------------------------------------------------


def present(
    env: Env,
    scope: Scope,
    request: SearchRequest,
    page: Sequence[Candidate],
    *,
    start: int,
    digest: str,
    explain: bool,
) -> list[Hit]:
    """These as the caller gets them."""
    unmarked = [one for one in page if one.validity is None]
    marked = mark_validity(env, scope, request, unmarked) if unmarked else ()
    later = {one.key: one for one in marked}
    show, hits = _Presenter(env, scope, request), []
    for rank, candidate in enumerate(page, start + 1):
        one = later.get(candidate.key, candidate)
        hit = show.hit(one, _cursor(digest, rank, one.key))
        if explain:
            explanation = ranking.explain_hit(hit, rank, one.entry, one.pool, state_of(one))
            hit = replace(hit, explanation=explanation)
        hits.append(hit)
    return hits


@dataclass(frozen=True, slots=True)
class _Presenter:
    """Makes hits of candidates that were marked with their validity."""

    env: Env
    scope: Scope
    request: SearchRequest

    def hit(self, one: Candidate, cursor: str) -> Hit:
        holds, memory = one.validity or UNKNOWN, one.relationship or one.node
        hit = Hit(
            key=one.key,
            kind=one.kind,
            text="",
            score=one.score,
            signals=dict(one.signals),
            holds=holds.holds,
            superseded_by=holds.superseded_by,
            superseded_at=holds.superseded_at,
            cursor=cursor,
            cold=memory is not None and memory.life.state is State.ARCHIVED,
        )
        node, passage = one.node, one.passage
        if one.relationship is not None:
            return self._relationship(one, one.relationship, hit)
        if passage is not None and isinstance(node, Source):
            return replace(
                hit,
                text=passage.text,
                source_key=node.key,
                ref=passage.ref,
                at=passage.at or node.started_at,
                speaker=passage.speaker,
                title=title_of(node),
                contributed_by=contributor(self.scope, node),
            )
        return hit if node is None else self._node(node, hit, one.notes)

    def _node(self, node: Node, hit: Hit, notes: Sequence[Note]) -> Hit:
        hit = replace(hit, text=title_of(node), at=node.updated_at, title=title_of(node))
        if isinstance(node, Source | Belief | EventNode):
            hit = replace(hit, contributed_by=contributor(self.scope, node))
        match node:
            case Belief():
                first = next((one for one in node.supports if one.source_key), None)
                key, speaker = (first.source_key, first.speaker) if first else (None, None)
                kind, at = Kind.BELIEF, node.since
                return replace(hit, kind=kind, at=at, source_key=key, speaker=speaker)
            case Source():
                text = node.summary or self._excerpt(node) or title_of(node)
                return replace(hit, text=text, source_key=node.key, at=node.started_at)
            case Anchor():
                return self._anchor(node, hit, notes)
            case EventNode():
                return replace(hit, text=node.text, ref=node.event_id, at=node.occurred_at)
            case _:
                described = str(getattr(node, "description", ""))
                return replace(hit, text=f"{hit.text}: {described}" if described else hit.text)

    def _excerpt(self, source: Source) -> str:
        """Of a source that was not processed yet, what it was found by, for whoever contributed it."""
        is_raw = source.processing_status is ProcessingStatus.RAW
        raw = self.env.ledger.raw(self.scope, source.key) if is_raw else None
        if raw is None:
            return ""
        return excerpt(raw.content, self.request.query, source.content_type, is_json=raw.is_json)

    def _anchor(self, anchor: Anchor, hit: Hit, notes: Sequence[Note]) -> Hit:
        """An anchor says what its newest notes say; of the past, those that were there then."""
        is_past, as_of = self.request.is_past, self.request.as_of
        if as_of is not None:
            notes = [one for one in notes if one.date_added <= as_of]
        notes = notes_known(self.env, self.scope, notes, self.request.known_at)[-NOTES:]
        said = [one.content for one in notes]
        if not is_past:
            said = [anchor.description, *_still_said(self.env, self.scope, anchor.key, said)]
        notes_text = " ".join(part for part in said if part)
        source_key = next((one.source_key for one in notes if one.source_key), None)
        text = f"{anchor.name}: {notes_text}" if notes_text else anchor.name
        return replace(hit, text=text, source_key=source_key, contributed_by=self._giver(notes))

    def _relationship(self, found: Candidate, one: Relationship, hit: Hit) -> Hit:
        names = [title_of(end) for end in found.ends]
        notes, known_at = found.notes, self.request.known_at
        notes = (
            notes[-1:] if known_at is None else notes_known(self.env, self.scope, notes, known_at)
        )
        title = f" {one.relationship_type} ".join(names)
        return replace(
            hit,
            text=one.description or title,
            title=title,
            at=one.valid_from,
            source_key=notes[-1].source_key if notes else None,
            contributed_by=self._giver(notes),
        )

    def _giver(self, notes: Sequence[Note]) -> str | None:
        """Who gave what notes say, where it is not all the user's own; sources of others come by a team."""
        sources = _sources_of(self.env, self.scope, notes).values() if self.scope.teams else ()
        givers = (contributor(self.scope, one) for one in sources if isinstance(one, Source))
        return next((one for one in givers if one is not None), None)


def _sources_of(env: Env, scope: Scope, notes: Sequence[Note]) -> Mapping[str, Node]:
    return env.graph.get_many(scope, sorted({one.source_key for one in notes if one.source_key}))


def notes_known(
    env: Env, scope: Scope, notes: Sequence[Note], known_at: datetime | None
) -> list[Note]:
    """Those of sources that were there by then, or written by hand by then."""
    if known_at is None:
        return list(notes)
    sources = _sources_of(env, scope, notes).items()
    known = {key for key, one in sources if one.created_at <= known_at}
    return [
        one
        for one in notes
        if (one.source_key in known if one.source_key else one.date_added <= known_at)
    ]


def contributor(scope: Scope, node: Source | Belief | EventNode) -> str | None:
    """Whose it is, where it is not the user's own; of a belief, who gave all that speaks for it first."""
    if isinstance(node, Source | EventNode):
        return None if node.user_id == scope.user_id else node.user_id
    return node.contributed_by


def _still_said(env: Env, scope: Scope, key: str, notes: list[str]) -> list[str]:
    """What notes say of somebody, but for what another belief has taken the place of: that instead. What
    they say of a relationship that is over is left out."""
    if not notes:
        return notes
    links = env.graph.links(scope, key, kinds=(LinkKind.ABOUT,), outward=False)
    beliefs = env.graph.get_many(scope, sorted(one.src for one in links)).values()
    held = [
        one
        for one in beliefs
        if isinstance(one, Belief) and one.status is BeliefStatus.ACTIVE and one.supersedes
    ]
    gone = env.graph.get_many(scope, sorted({str(one.supersedes) for one in held}))
    over = {canonical_name(one.statement) for one in gone.values() if isinstance(one, Belief)}
    ended = [one for one in env.graph.relationships(scope, key, history=True) if one.valid_to]
    told = [note.content for note in env.graph.notes(scope, *(one.key for one in ended))]
    over_here = over | set(map(canonical_name, told))
    kept = [one for one in notes if canonical_name(one) not in over_here]
    if all(canonical_name(one) not in over for one in notes):
        return kept
    return list(dict.fromkeys((*kept, *(one.statement for one in held))))


# -- not found ----------------------------------------------------------------------------


def _reason(env: Env, scope: Scope, request: SearchRequest, start: int) -> str:
    """Why there is nothing on this page."""
    if start:
        return "there is no further hit"
    if not filters.kinds_that_can_pass(request):
        kinds = ", ".join(sorted(map(str, request.kinds)))
        return f"nothing of the kinds asked for ({kinds}) has what the filters ask about"
    refused = _refused(env, scope, request)
    if refused.found:
        return filters.reason(refused.found, refused.faults, all_of_them=refused.is_all)
    return _reason_without_matches(env, scope)


def _reason_without_matches(env: Env, scope: Scope) -> str:
    counts = env.graph.counts(scope)
    if not any(counts.get(kind.value) for kind in (Kind.SOURCE, Kind.BELIEF, Kind.ARTIFACT)):
        return "this memory is empty"
    if counts.get(Kind.SOURCE.value) and not counts.get("passages"):
        waiting = counts[Kind.SOURCE.value]
        return f"nothing was read yet: {waiting:,} sources wait for work()"
    return "nothing here shares a word or a meaning with the question"


def state_of(candidate: Candidate) -> str:
    """The lifecycle of the memory behind a candidate, in words."""
    memory = candidate.relationship or candidate.node
    if memory is None:
        return ""
    life = memory.life
    times = "once" if life.access_count == 1 else f"{life.access_count} times"
    return f"{life.state.value}, salience {life.salience:.2f}, accessed {times}"


# --- cursors -----------------------------------------------------------------------------------


def digest_of(request: SearchRequest) -> str:
    """What tells one request from another: a cursor of the one is of no use to the other."""
    record = to_record(request)
    plain = {
        name: sorted(value) if isinstance(value, list) else value
        for name, value in record.items()
        if name not in ("about", "also", "cold")
    }
    return content_hash(json.dumps(plain, sort_keys=True))[:_DIGEST]


def _cursor(digest: str, rank: int, key: str) -> str:
    text = _IN_SHORT.encode([digest, rank, key])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_cursor(cursor: object, digest: str) -> tuple[int, str]:
    """How many hits came before, and the key of the last of them."""
    problem = InvalidInput("after", "is not the cursor of a hit")
    if not isinstance(cursor, str):
        raise problem
    try:
        padded = cursor.encode() + b"=" * (-len(cursor) % 4)
        theirs, rank, key = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, TypeError, RecursionError):
        raise problem from None
    if not (isinstance(theirs, str) and isinstance(rank, int) and isinstance(key, str)):
        raise problem
    if isinstance(rank, bool) or rank < 1:
        raise problem
    if theirs != digest:
        raise InvalidInput("after", "is the cursor of another request")
    return rank, key
