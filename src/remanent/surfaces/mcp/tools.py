"""The tools: each asks for the caller's memory, calls one verb, and answers in a fixed shape."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import AwareDatetime, BaseModel, Field

from remanent.core.model.codec import to_record
from remanent.core.model.source import Source
from remanent.core.records.api_key import Power
from remanent.memory import UserMemory
from remanent.surfaces.http.bounds import AtFirst
from remanent.surfaces.mcp import shapes

Who = Callable[[Any, Power], UserMemory]  # from the request's context, for what needs that power

Query = Annotated[str, Field(description="A question or some words, as a person would ask.")]
Limit = Annotated[int, Field(ge=1, le=100, description="At most so many results.")]
Key = Annotated[str, Field(description="The key of a memory, or its first eight characters.")]
AsOf = Annotated[
    AwareDatetime | None,
    Field(description="Ask what was true then (ISO 8601 with time zone), not now."),
]
KnownAt = Annotated[
    AwareDatetime | None,
    Field(description="Ask what this memory knew then, not what it knows now."),
]
Kinds = Literal[
    "passage",
    "source",
    "belief",
    "person",
    "concept",
    "entity",
    "relationship",
    "storyline",
    "macro",
    "artifact",
]
T = TypeVar("T")
Listed = Annotated[list[T], AtFirst()]
Types = Literal["conversation", "voice-memo", "meeting", "email", "slack-thread", "text-note"]


class Turn(BaseModel):
    """One turn of a conversation."""

    speaker: str = Field(description="Who said it; the owner's own name, or `user`, for the owner.")
    text: str
    at: AwareDatetime | None = None
    id: str | None = Field(
        default=None, description="Your own id of the turn; it comes back as ref."
    )


class Tools:
    """One method a tool; `who` tells whose memory a request is about."""

    def __init__(self, who: Who) -> None:
        self._who = who

    def remember(
        self,
        text: Annotated[str, Field(description="One statement, as plain as can be.")],
        ctx: Context[Any, Any],
        at: Annotated[
            AwareDatetime | None, Field(description="Since when it is so; default: now.")
        ] = None,
    ) -> shapes.Remembered:
        """Hold one statement true from now on, such as "I am allergic to peanuts".

        It is settled against what is believed already: said again it is reinforced, contradicted beliefs
        give way and keep their history. Use it for facts, preferences and decisions worth keeping; for a
        whole conversation or document use `add_source`.
        """
        return shapes.remembered(self._asked(ctx, Power.WRITE).remember(text, at))

    def recall(
        self,
        query: Query,
        ctx: Context[Any, Any],
        limit: Limit = 10,
        as_of: AsOf = None,
        known_at: KnownAt = None,
    ) -> shapes.Beliefs:
        """What is believed about something: short statements with their confidence, best first.

        Quick and compact. For the words of conversations and documents use `search`.
        """
        me = self._asked(ctx, Power.READ)
        found = me.recall(query, limit, as_of=as_of, known_at=known_at)
        return shapes.Beliefs(beliefs=[shapes.recalled(one) for one in found])

    def search(  # noqa: PLR0913 - a tool's schema is its signature
        self,
        query: Query,
        ctx: Context[Any, Any],
        limit: Limit = 10,
        kinds: Annotated[Listed[Kinds] | None, Field(description="Only these kinds.")] = None,
        since: Annotated[AwareDatetime | None, Field(description="Only from then on.")] = None,
        until: Annotated[AwareDatetime | None, Field(description="Only up to then.")] = None,
        speaker: Annotated[str | None, Field(description="Only what this person said.")] = None,
        as_of: AsOf = None,
        known_at: KnownAt = None,
        after: Annotated[str | None, Field(description="`next` of the page before.")] = None,
    ) -> shapes.Answer:
        """One ranked list over everything remembered: passages, beliefs, people, things, stories.

        The first choice when a question is about the past. Each hit says where and when it was said, and
        whether it still holds.
        """
        me = self._asked(ctx, Power.READ)
        hits = me.search(
            query,
            limit,
            kinds=kinds or (),
            since=since,
            until=until,
            speaker=speaker,
            as_of=as_of,
            known_at=known_at,
            after=after,
        )
        found = [shapes.found(one) for one in hits]
        return shapes.Answer(hits=found, reason=hits.reason, next=hits.next)

    def explore(
        self,
        ctx: Context[Any, Any],
        query: Annotated[str | None, Field(description="What to look for, by meaning.")] = None,
        text_match: Annotated[
            str | None, Field(description="Words that must stand in it, by spelling.")
        ] = None,
        granularity: Annotated[
            Literal[1, 2, 3],
            Field(description="1: sources in full; 2: storylines; 3: the long lines (macros)."),
        ] = 1,
        as_of: AsOf = None,
        known_at: KnownAt = None,
    ) -> dict[str, Any]:
        """What the memory holds on a subject, with the people, things and relationships around it.

        Use it to get an overview; use `search` to find one piece. At least one of `query` and
        `text_match` is needed.
        """
        me = self._asked(ctx, Power.READ)
        found = me.explore(
            query, text_match or (), granularity=granularity, as_of=as_of, known_at=known_at
        )
        return _record(found)

    def traverse(
        self,
        seeds: Annotated[
            list[str], Field(min_length=1, max_length=20, description="Keys to start from.")
        ],
        ctx: Context[Any, Any],
        max_depth: Annotated[int, Field(ge=1, le=6, description="At most so many edges away.")] = 3,
        limit: Limit = 20,
        as_of: AsOf = None,
        known_at: KnownAt = None,
    ) -> dict[str, Any]:
        """What hangs together with memories you have the keys of, each with the way that leads to it.

        For "how is A connected to B" and "what else belongs to this".
        """
        me = self._asked(ctx, Power.READ)
        found = me.traverse(seeds, max_depth=max_depth, top_k=limit, as_of=as_of, known_at=known_at)
        return _record(found)

    def context(
        self,
        message: Annotated[str, Field(description="What the user just said.")],
        ctx: Context[Any, Any],
        budget: Annotated[
            int, Field(ge=50, le=20_000, description="At most so many tokens.")
        ] = 1500,
        before: Annotated[
            Listed[str] | None, Field(description="The turns before it, oldest first.")
        ] = None,
    ) -> shapes.Told:
        """What to know before answering a message: who the user is, the last days, open stories, beliefs
        and what the message calls for, within a token budget, each line with its key.

        Call it at the beginning of a conversation or of a turn.
        """
        me = self._asked(ctx, Power.READ)
        told = me.context(message, budget, before=before or ())
        return shapes.Told(text=told.text, tokens=told.tokens, needs_memory=told.need.needs_search)

    def add_source(  # noqa: PLR0913 - a tool's schema is its signature
        self,
        ctx: Context[Any, Any],
        text: Annotated[str | None, Field(description="A note, a document, a transcript.")] = None,
        turns: Annotated[
            Listed[Turn] | None,
            Field(description="A conversation, turn by turn."),
        ] = None,
        type: Annotated[  # noqa: A002 - SPEC 11 names it so
            Types | None, Field(description="Default: text is a note, turns are a conversation.")
        ] = None,
        title: Annotated[str, Field(max_length=300)] = "",
        started_at: Annotated[AwareDatetime | None, Field(description="When it began.")] = None,
        origin_id: Annotated[
            str | None, Field(description="Your own id: the same id again is the same source.")
        ] = None,
        team: Annotated[str | None, Field(description="Share it with this team of yours.")] = None,
        sensitivity: Literal["low", "normal", "high"] = "normal",
    ) -> shapes.Taken:
        """Take in a whole conversation, meeting, e-mail or note. It is kept word for word at once and read
        in the background: people, things, relationships and beliefs come out of it a little later.

        Give either `text` or `turns`.
        """
        if (text is None) == (turns is None):
            raise ToolError("text: give either `text` or `turns`")
        content = text if text is not None else [_turn(one) for one in turns or ()]
        me = self._asked(ctx, Power.WRITE)
        key = me.add(
            content,
            type,
            started_at=started_at,
            team=team,
            origin_id=origin_id,
            sensitivity=sensitivity,
            title=title,
        )
        node = me.read(key).node
        status = node.processing_status.value if isinstance(node, Source) else ""
        return shapes.Taken(key=key, status=status)

    def record(  # noqa: PLR0913 - a tool's schema is its signature
        self,
        event_type: Annotated[str, Field(description='What happened, like "tool.called".')],
        ctx: Context[Any, Any],
        payload: Annotated[dict[str, Any] | None, Field(description="What belongs to it.")] = None,
        agent_id: Annotated[str, Field(description="Who you are.")] = "",
        session_id: Annotated[str, Field(description="The run it belongs to.")] = "",
        parent_event_id: Annotated[str | None, Field(description="What caused it.")] = None,
        event_id: Annotated[
            str | None, Field(description="Your own id: the same id again changes nothing.")
        ] = None,
        importance_hint: Annotated[int | None, Field(ge=1, le=10)] = None,
        occurred_at: Annotated[AwareDatetime | None, Field(description="Default: now.")] = None,
    ) -> shapes.Noted:
        """Record one thing that you, the agent, did or met: a message, a tool call, a decision, a result.

        Events are the diary of an agent: they fade within weeks into summaries, so use `remember` for
        what must last.
        """
        me = self._asked(ctx, Power.WRITE)
        done = me.record(
            event_type,
            payload,
            agent_id=agent_id,
            session_id=session_id,
            parent_event_id=parent_event_id,
            event_id=event_id,
            importance_hint=importance_hint,
            occurred_at=occurred_at,
        )
        return shapes.Noted(event_id=done.event_id, key=done.key, seq=done.seq, is_new=done.is_new)

    def forget(
        self,
        key: Key,
        ctx: Context[Any, Any],
        *,
        reason: Annotated[str, Field(max_length=500, description="Why, for its history.")] = "",
        dry_run: Annotated[bool, Field(description="Only say what would be forgotten.")] = False,
    ) -> shapes.Forgotten:
        """Hold a belief true no longer. What it was drawn from stays, and so does its history.

        Final: a forgotten belief does not come back, though the same can be remembered anew.
        """
        done = self._asked(ctx, Power.WRITE).forget(key, reason, dry_run=dry_run)
        return shapes.Forgotten(
            key=done.belief.key,
            statement=done.belief.statement,
            forgotten=len(done.forgotten),
            dry_run=done.dry_run,
        )

    def show(self, key: Key, ctx: Context[Any, Any]) -> dict[str, Any]:
        """One memory in full by its key: a source with its passages, a person with notes and relationships,
        a belief with its status, a storyline with its text.
        """
        return page(self._asked(ctx, Power.READ), key)

    def _asked(self, ctx: Context[Any, Any], power: Power) -> UserMemory:
        return self._who(ctx.request_context, power)


def page(me: UserMemory, key: str) -> dict[str, Any]:
    """All of one memory but its raw content, which may be large and is in the passages anyway."""
    opened = _record(me.read(key))
    opened.pop("raw", None)
    return opened


def _record(thing: Any) -> dict[str, Any]:
    record: dict[str, Any] = to_record(thing)
    return record


def _turn(turn: Turn) -> dict[str, str | datetime]:
    given = {"speaker": turn.speaker, "text": turn.text, "at": turn.at, "id": turn.id}
    return {name: value for name, value in given.items() if value is not None}
