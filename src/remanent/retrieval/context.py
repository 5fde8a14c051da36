"""Context: what an agent should know now, within a token budget; and need: whether a message calls for
memory at all (SPEC 8).

A context gathers what may be worth knowing, section by section, and packs it. Of a need the wording and
known names decide; where they are unsure the memory is probed, and then the mind is asked.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from itertools import islice, zip_longest
from zoneinfo import ZoneInfo

from remanent.anchors import resolve
from remanent.anchors.owner import owner_key
from remanent.anchors.resolve import names_in
from remanent.anchors.rules import query
from remanent.beliefs.query import list_beliefs
from remanent.beliefs.recall import recall_beliefs, record_use
from remanent.beliefs.rules import belief as believing
from remanent.beliefs.rules.explain import least_cosine
from remanent.core import checks
from remanent.core.checks import point
from remanent.core.dataclasses import dataclass, replace
from remanent.core.env import Env
from remanent.core.model.belief import OWNER, Belief, BeliefStatus
from remanent.core.model.event import EventNode, event_key
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.search import Hit, Need, SearchRequest
from remanent.core.model.source import Source, Turn
from remanent.core.model.story import Storyline
from remanent.core.on_behalf import mind_for, vector_of
from remanent.core.ports.embedder import question_scale
from remanent.core.ports.graph import Nodes
from remanent.core.read import every, if_writable
from remanent.errors import MindError
from remanent.ingest.shared import enqueue_shared
from remanent.retrieval import abbreviations
from remanent.retrieval.model import Before, Context, ContextRequest, Section
from remanent.retrieval.phrasings import rephrase
from remanent.retrieval.probe import HITS, Search, held_in_these_words, outstanding_hit
from remanent.retrieval.rules import need as rule
from remanent.retrieval.rules import packing
from remanent.retrieval.rules.packing import Piece
from remanent.retrieval.search import contributor, search_hits
from remanent.stories import rules as story

SHORTEST_MARK = 8
MOST_ALIKE = 100  # keys with one beginning
_HITS_PER_BELIEF = 2
_OUT_OF_MIND = (BeliefStatus.FORGOTTEN, BeliefStatus.PRUNED)
_OPEN = (State.ACTIVE, State.CORE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Here:
    """Where and when a context is put together."""

    scope: Scope
    request: ContextRequest
    when: datetime
    name: str
    zone: ZoneInfo

    @property
    def is_past(self) -> bool:
        return self.request.as_of is not None or self.request.known_at is not None

    def date(self, moment: datetime | None) -> str:
        """The day in the user's calendar."""
        return "" if moment is None else moment.astimezone(self.zone).date().isoformat()


def prepare_context(env: Env, scope: Scope, request: ContextRequest) -> Context:
    """The lines that fit; nothing is searched for a message that surely needs no memory."""
    budget = packing.budgeted(request.budget)
    request = replace(request, message=_message(env, request.message))
    here = _here(env, scope, request)
    search = cache(partial(search_hits, env, scope, limit=env.config.context.hits_most))
    turns = query.conversation(request.before)
    full = cache(lambda: rephrase(env, scope, request.message, turns, deep=False).best)
    need = _need(
        env, scope, request.message, turns, lambda: outstanding_hit(env, scope, full(), search)
    )
    least = env.config.context.core_importance
    held = list_beliefs(env, scope, as_of=request.as_of, known_at=request.known_at, least=least)
    standing = {one.key: one for one in held if one.instructs is not None}
    others = [
        _owner(env, here),
        *_beliefs(env, here, [one for one in held if one.key not in standing]),
        *_storylines(env, here),
        *_recent(env, here),
        *([] if need.is_sure and not need.needs_search else _called_for(env, here, full(), search)),
    ]
    mine = (one for one in standing.values() if one.instructs in ("", request.agent_id))
    pieces = [_belief(env, here, Section.INSTRUCTIONS, one) for one in mine]
    pieces += [one for one in others if one.key not in standing]  # those of others are no news here
    pieces = _with_marks(env, scope, pieces)
    packed = packing.pack(pieces, budget, env.config.context, request.count or packing.tokens)
    if request.touch and not here.is_past:
        asked = [one.key for one in packed.lines if one.section is Section.CALLED_FOR]
        record_use(env, scope, asked, unasked=[line.key for line in packed.lines])
    return Context(
        text=packed.text,
        tokens=packed.tokens,
        budget=budget,
        lines=packed.lines,
        need=need,
        omitted=packed.omitted,
    )


def _here(env: Env, scope: Scope, request: ContextRequest) -> _Here:
    user = env.registry.known(scope.user_id)
    as_of, known_at = point("as_of", request.as_of), point("known_at", request.known_at)
    when, zone = as_of or known_at or env.clock.now(), ZoneInfo(user.timezone)
    return _Here(scope=scope, request=request, when=when, name=user.name, zone=zone)


# -- sections -----------------------------------------------------------------------------


def _owner(env: Env, here: _Here) -> Piece:
    day = here.when.astimezone(here.zone).strftime("%A %Y-%m-%d")
    opening = "It is answered as of" if here.is_past else "Today is"
    body = f"{here.name} ({here.zone.key}). {opening} {day}."
    return _piece(env, Section.OWNER, owner_key(here.scope.user_id), body, says=body)


def _beliefs(env: Env, here: _Here, held: Sequence[Belief]) -> Iterator[Piece]:
    """What is important and still sure: first about the owner, then about the rest of the world."""
    held = [one for one in held if one.importance >= env.config.context.core_importance]
    sure = {
        one.key: believing.effective_confidence(one, here.when, env.config.belief) for one in held
    }
    core = [one for one in held if _is_core(env, one, sure[one.key], here)]
    core.sort(key=lambda one: (-one.importance * sure[one.key], -one.since.timestamp(), one.key))
    own = [one for one in core if one.subject == OWNER][: env.config.context.owner_facts]
    rest = [one for one in core if one not in own][: env.config.context.beliefs_most]
    for section, beliefs in ((Section.OWNER, own), (Section.BELIEFS, rest)):
        for one in beliefs:
            yield _belief(env, here, section, one)


def _is_core(env: Env, belief: Belief, sure: float, here: _Here) -> bool:
    """Not so once something else has taken its place, even beside it."""
    if sure < env.config.context.core_confidence:
        return False
    return here.is_past or (
        belief.superseded_by is None and belief.life.state is not State.ARCHIVED
    )


def _storylines(env: Env, here: _Here) -> Iterator[Piece]:
    given = here.request
    for one in open_storylines(env, here.scope, here.when, given.as_of, given.known_at):
        last = min(one.last_source_at, here.when) if here.is_past else one.last_source_at
        span = f"{here.date(one.started_at)} to {here.date(last)}"
        text = story.text_as_of(one, given.as_of, given.known_at)
        body = f"{one.name} ({span}): {text or 'not told yet'}"
        yield _piece(env, Section.STORYLINES, one.key, body, says=body)


def open_storylines(
    env: Env, scope: Scope, when: datetime, as_of: datetime | None, known_at: datetime | None
) -> list[Storyline]:
    """The stories that go on at `when`, or did; where something happened last comes first."""
    since = when - timedelta(days=env.config.context.storyline_days)
    is_past = as_of is not None or known_at is not None
    storylines = [
        one
        for one in every(env.graph, scope, Storyline)
        if one.life.state in _OPEN
        and since <= one.last_source_at
        and one.started_at <= when
        and (one.is_open or (is_past and one.covers(when)))
        and (known_at is None or one.created_at <= known_at)
    ]
    storylines.sort(key=lambda one: (-one.last_source_at.timestamp(), one.key))
    return storylines[: env.config.context.storylines_most]


def _recent(env: Env, here: _Here) -> Iterator[Piece]:
    since = here.when - timedelta(days=env.config.context.recent_days)
    known_at = here.request.known_at
    told = (
        one
        for one in _sources(env, here, since)
        if since <= one.started_at <= here.when
        and (known_at is None or one.created_at <= known_at)
        and (one.summary or one.title)
    )
    for one in islice(told, env.config.context.recent_most):
        by = _given_by(env, contributor(here.scope, one))
        text = _titled(one.title, one.summary)
        body = f"{here.date(one.started_at)}{by}, {text.rstrip(': ')}"
        yield _piece(env, Section.RECENT, one.key, body, says=text)


def _sources(env: Env, here: _Here, since: datetime) -> Iterator[Source]:
    """Newest first, read page by page as they are asked for."""
    time = {"started_at >=": since, "started_at <=": here.when, "state <>": State.ARCHIVED}
    nodes = Nodes(Source, time, ("-started_at",), limit=env.config.context.recent_most)
    while page := env.graph.select(here.scope, nodes):
        yield from page
        nodes = replace(nodes, after=page[-1].key)


def _called_for(env: Env, here: _Here, query: str, search: Search) -> list[Piece]:
    given = here.request
    hits = search(SearchRequest(query=query, as_of=given.as_of, known_at=given.known_at))
    if given.touch:
        with if_writable():
            enqueue_shared(env, here.scope, hits)
    quoted = {hit.source_key for hit in hits if hit.kind is Kind.PASSAGE}
    least = env.config.context.hits_from * max((hit.score for hit in hits), default=0.0)
    telling = [
        hit
        for hit in hits
        if hit.score >= least and (hit.kind is not Kind.SOURCE or hit.key not in quoted)
    ]
    held = env.graph.get_many(here.scope, [one.key for one in telling if one.kind is Kind.BELIEF])
    told = (_hit(env, here, hit, held.get(hit.key)) for hit in telling)
    pieces = [one for one in told if one is not None]
    return [
        *_mixed(pieces, [] if here.is_past else _recalled_pieces(env, here, query)),
        *_episodes(env, here, query),
    ]


def _recalled_pieces(env: Env, here: _Here, query: str) -> list[Piece]:
    limit = env.config.context.recalled_most
    recollections = recall_beliefs(env, here.scope, query, limit=limit, touch=here.request.touch)
    least = env.config.belief.weight_cosine * env.config.context.episodes_from
    return [
        _belief(env, here, Section.CALLED_FOR, one.belief)
        for one in recollections
        if one.belief.superseded_by is None and one.signals.get("cosine", least) >= least
    ]


def _episodes(env: Env, here: _Here, query: str) -> Iterator[Piece]:
    """Events near in meaning, such as what a conversation left behind."""
    vector = vector_of(env.embedder, here.scope, "context", query, kind="question")
    if vector is None:
        return
    limit = env.config.context.episodes_most
    least = least_cosine(env.config.context.episodes_from, question_scale(env.embedder))
    near = env.index.near(here.scope, vector, kinds=(Kind.EVENT,), limit=4 * limit, least=least)
    known_at = here.request.known_at
    events = [
        node
        for node in env.graph.get_many(here.scope, [one.key for one in near]).values()
        if isinstance(node, EventNode)
        and node.user_id == here.scope.user_id
        and node.occurred_at <= here.when
        and (known_at is None or node.created_at <= known_at)
    ]
    for one in events[:limit]:
        text, gone = one.summary or one.text, _outdated_note(env, here, one.key)
        if gone is not None:
            body = f"{here.date(one.occurred_at)}: {text}{gone}"
            yield _piece(env, Section.CALLED_FOR, one.key, body, says=text)


def _outdated_note(env: Env, here: _Here, key: str) -> str | None:
    """An episode whose beliefs have all given way says so; None when they were put out of mind."""
    links = env.graph.links(here.scope, key, kinds=(LinkKind.SUPPORTS,), outward=True)
    nodes = env.graph.get_many(here.scope, [one.dst for one in links]).values()
    beliefs = [one for one in nodes if isinstance(one, Belief)]
    kept = [one for one in beliefs if one.status not in _OUT_OF_MIND]
    if beliefs and not kept:
        return None
    held = any(one.held_at(here.when) and one.superseded_by is None for one in kept)
    return "" if held or not beliefs else " (no longer so)"


# -- lines --------------------------------------------------------------------------------


def _hit(env: Env, here: _Here, hit: Hit, node: Node | None) -> Piece | None:
    """A hit as a line; of a relationship, under the source that tells of it."""
    day, gone = here.date(hit.at), _remarks(here, hit)
    section, by = Section.CALLED_FOR, _given_by(env, hit.contributed_by)
    if hit.kind is Kind.PASSAGE:
        who = f"{day}, {hit.speaker}" if hit.speaker else day
        body = f"{who}{by}: “{_one_line(env, hit.text)}”{gone}"
        return _piece(env, section, hit.key, body, says=hit.text)
    if hit.kind is Kind.SOURCE:
        text = _titled(hit.title, hit.text)
        body = f"{day}{by}, {text.rstrip(': ')}{gone}"
        return _piece(env, section, hit.key, body, says=text)
    by = "" if by in hit.text else by  # what was drawn from another's words may say so itself
    if hit.kind is Kind.RELATIONSHIP:
        if hit.source_key is None:
            return None
        body = f"{hit.text}{by} (since {day}){gone}"
        return _piece(env, section, hit.source_key, body, says=hit.text)
    if isinstance(node, Belief):
        return _belief(env, here, section, node, gone)
    return _piece(env, section, hit.key, f"{hit.text}{by}{gone}", says=hit.text)


def _belief(env: Env, here: _Here, section: Section, belief: Belief, gone: str = "") -> Piece:
    user_id = here.scope.user_id
    covers = {one.passage_key for one in belief.supports if one.passage_key is not None}
    covers |= {event_key(user_id, one.event_id) for one in belief.supports}
    sure = believing.effective_confidence(belief, here.when, env.config.belief)
    by = _given_by(env, contributor(here.scope, belief))
    body = f"{belief.statement}{by} (since {here.date(belief.since)}, {sure:.0%} sure){gone}"
    if section is Section.INSTRUCTIONS:
        body = (
            belief.statement if belief.subject == OWNER else f"{belief.subject}: {belief.statement}"
        )
    says = belief.statement
    return _piece(env, section, belief.key, body, says=says, covers=frozenset(covers))


def _titled(title: str, summary: str) -> str:
    return summary if not title or title == summary else f"{title}: {summary}"


def _given_by(env: Env, user_id: str | None) -> str:
    """Whose word it is, where the user did not contribute it: whoever reads must not take it for theirs."""
    if user_id is None:
        return ""
    user = env.registry.user(user_id)
    return f" (from {user_id if user is None else user.name})"


def _piece(
    env: Env,
    section: Section,
    key: str,
    body: str,
    *,
    says: str,
    covers: frozenset[str] = frozenset(),
) -> Piece:
    return Piece(
        section=section, key=key, mark=key, body=_one_line(env, body), says=says, covers=covers
    )


def _one_line(env: Env, text: str) -> str:
    return packing.on_one_line(text, env.config.context.line_characters)


def _with_marks(env: Env, scope: Scope, pieces: Sequence[Piece]) -> list[Piece]:
    heads = sorted({one.key[:SHORTEST_MARK] for one in pieces})
    keys = env.graph.keys_beginning(scope, *heads, limit=MOST_ALIKE * len(heads))
    return [replace(one, mark=_mark(one.key, keys)) for one in pieces]


def _mark(key: str, keys: Sequence[str]) -> str:
    """As much of the key as none of the other keys begins with; `read` takes it."""
    whole, hash_, ordinal = key.partition("#")
    place = bisect_left(keys, whole)  # what is most like it stands beside it
    beside = [one for one in keys[max(place - 1, 0) : place + 2] if one != whole]
    length = max([SHORTEST_MARK, *(_first_difference(whole, one) + 1 for one in beside)])
    return key if length >= len(whole) else f"{whole[:length]}{hash_}{ordinal}"


def _first_difference(one: str, other: str) -> int:
    return next(n for n, pair in enumerate(zip_longest(one, other)) if pair[0] != pair[1])


def _remarks(here: _Here, hit: Hit) -> str:
    """That it no longer holds, and that it had faded."""
    faded = " (from the archive)" if hit.cold else ""
    if hit.holds is not False:
        return faded
    since = f" since {here.date(hit.superseded_at)}" if hit.superseded_at else ""
    return f" (no longer so{since}){faded}"


def _mixed(hits: Sequence[Piece], beliefs: Sequence[Piece]) -> list[Piece]:
    """Two hits, then a belief, and so on: neither crowds the other out."""
    pairs = [hits[n : n + _HITS_PER_BELIEF] for n in range(0, len(hits), _HITS_PER_BELIEF)]
    mixed: list[Piece] = []
    for some, belief in zip_longest(pairs, beliefs):
        mixed += [*(some or ()), *([belief] if belief is not None else ())]
    return mixed


def needs_memory(env: Env, scope: Scope, message: str, before: Before = ()) -> Need:
    """Whether the message can only be answered well out of memory, and why.

    `before` is the conversation so far: texts, or turns `{speaker, text}`.
    """
    text, turns = _message(env, message), query.conversation(before)

    def probe() -> str:
        full = rephrase(env, scope, text, turns, deep=False).best
        return outstanding_hit(env, scope, full, partial(search_hits, env, scope, limit=HITS))

    return _need(env, scope, text, turns, probe)


def _need(
    env: Env, scope: Scope, text: str, turns: Sequence[Turn], probe: Callable[[], str]
) -> Need:
    found = _need_by_signs(env, scope, text, turns)
    if found.is_sure and found.needs_search:
        return found
    hit = held_in_these_words(env, scope, text) if found.is_sure else probe()
    if hit:
        return Need(needs_search=True, reasons=(f"the memory holds “{hit}”",))
    if found.is_sure:
        return found
    try:
        return mind_for(env.mind, scope, "need").need(text, turns) or found
    except MindError:
        return found


def _message(env: Env, message: object) -> str:
    """A message as far as it is looked at."""
    text = checks.statement("message", message, env.config.intake.max_characters)
    return checks.ends_of(text, env.config.intake.max_statement_characters)


def _need_by_signs(env: Env, scope: Scope, text: str, turns: Sequence[Turn]) -> Need:
    texts = [text, *(turn.text for turn in turns)]
    names = names_in(env, scope, texts)
    try:
        mind = mind_for(env.mind, scope, "need")
        alone = mind.need_chance(text, ()) if turns and rule.is_remark(text) else 1.0
        chance = alone if alone <= rule.REMARK else mind.need_chance(text, turns)
    except MindError:
        chance = 0.5
    return rule.need(
        text,
        chance=chance,
        before=turns,
        names=names,
        abbreviations=list(abbreviations.abbreviations_in(env, scope, text, with_common=False)),
        mentioned=resolve.mentioned(env, scope, texts, names),
    )
