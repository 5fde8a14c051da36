"""Resources: sources to be read and beliefs to be looked at, under addresses of their own."""

from __future__ import annotations

import json
from typing import Any

from anyio.to_thread import run_sync
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.types import ListResourcesResult, Resource

from remanent.core.model.belief import Belief
from remanent.core.model.codec import to_record
from remanent.core.model.page import Page, title_of
from remanent.core.model.source import Source
from remanent.core.records.access import Power
from remanent.errors import UnknownKey
from remanent.memory import UserMemory
from remanent.surfaces.mcp.tools import Who

SOURCE = "remanent://sources/{key}"
BELIEF = "remanent://beliefs/{key}"
_LISTED = 25  # of each kind; all others are found by `search`


class Resources:
    """What a client may attach to a conversation without asking a tool."""

    def __init__(self, who: Who) -> None:
        self._who = who

    def source(self, key: str, ctx: Context[Any, Any]) -> str:
        """A source as it reads: its title, when it was, and every passage with its speaker."""
        page = self._who(ctx.request_context, Power.READ).read(key)
        if not isinstance(page.node, Source):
            raise UnknownKey(key)
        return _as_text(page.node, page)

    def belief(self, key: str, ctx: Context[Any, Any]) -> str:
        """A belief, and the words behind it, as JSON."""
        me = self._who(ctx.request_context, Power.READ)
        node = me.read(key).node
        if not isinstance(node, Belief):
            raise UnknownKey(key)
        return json.dumps(
            {"belief": to_record(node), "evidence": to_record(me.why(node.key))}, ensure_ascii=False
        )

    async def listed(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """The newest sources and the most important beliefs of whoever asks."""
        if ctx.method != "resources/list":
            return await call_next(ctx)
        return await run_sync(lambda: newest(self._who(ctx, Power.READ)))


def newest(me: UserMemory) -> ListResourcesResult:
    sources = me.sources(limit=_LISTED)
    beliefs = me.beliefs()[:_LISTED]
    return ListResourcesResult(
        resources=[
            *(
                Resource(
                    uri=SOURCE.format(key=one.key),
                    name=one.key,
                    title=title_of(one)[:120],
                    description=one.summary or None,
                    mime_type="text/plain",
                )
                for one in sources
            ),
            *(
                Resource(
                    uri=BELIEF.format(key=one.key),
                    name=one.key,
                    title=one.statement[:120],
                    mime_type="application/json",
                )
                for one in beliefs
            ),
        ]
    )


def _as_text(source: Source, page: Page) -> str:
    heading = f"{source.started_at.isoformat()} · {source.content_type.value}"
    said = [_line(one.speaker, one.text) for one in page.passages]
    return "\n".join([title_of(source), heading, *(said or [page.raw or ""])])


def _line(speaker: str | None, text: str) -> str:
    return f"{speaker}: {text}" if speaker else text
