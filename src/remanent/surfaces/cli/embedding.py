"""Commands about the embedder: which one there is, and how to go over to another."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remanent.surfaces.cli.session import Session

if TYPE_CHECKING:
    from rich.console import RenderableType

    from remanent.core.records.embedding import Embedding
    from remanent.memory import Memory


def embedder(session: Session) -> None:
    """The embedder of this memory, and how far it is on the way to another."""
    found = _memory(session).embedding()
    session.screen.answer(_record(found), lambda: _told(found))


def use(
    session: Session,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="granite, openai:MODEL, sentence-transformers:MODEL or fastembed:MODEL.",
        ),
    ],
    background: Annotated[
        bool, typer.Option("--background", help="Only promise it; `remanent work` does it.")
    ] = False,
) -> None:
    """Go over to another embedder: embed everything anew, then switch at once.

    Search goes on with the old vectors meanwhile. What was broken off is gone on with.
    """
    memory = _memory(session)
    if background:
        found = memory.reembed(name, background=True)
    else:
        with session.screen.bar("Embedding") as share:
            found = memory.reembed(name, progress=lambda one: share(one.share))
    session.screen.answer(_record(found), lambda: _told(found, asked=name))


def stay(session: Session) -> None:
    """Stay with the embedder in use, and drop what was made for another."""
    dropped = _memory(session).stop_reembedding()
    session.screen.answer({"dropped": dropped}, lambda: _stayed(dropped=dropped))


EMBEDDER = (use, stay)


def _memory(session: Session) -> Memory:
    """The memory with the embedder that it has, whatever the settings say: that is the question."""
    from remanent.errors import EmbedderMismatch

    try:
        return session.memory
    except EmbedderMismatch as problem:
        session.config = dataclasses.replace(session.config, embedder=problem.theirs)
        return session.memory


def _record(found: Embedding) -> dict[str, Any]:
    return {**dataclasses.asdict(found), "share": round(found.share, 4)}


def _told(found: Embedding, asked: str = "") -> RenderableType:
    from rich.text import Text

    from remanent.surfaces.cli.views import clean

    text = Text.assemble(("embedder ", "bold"), clean(found.embedder) or "none yet")
    if found.towards is not None:
        text.append(
            f"\non the way to {clean(found.towards)}: {found.done:,} of {found.total:,} entries "
            "embedded; `remanent work` goes on with it",
            style="yellow",
        )
    elif asked:
        text.append(f"\n{found.total:,} entries have its vectors. ", style="dim")
        text.append(
            "If it is elsewhere, or the settings name another, name it there, too: ", style="dim"
        )
        text.append(f"embedder = {clean(asked)!r} in remanent.toml, or REMANENT_EMBEDDER")
    return text


def _stayed(*, dropped: bool) -> RenderableType:
    from rich.text import Text

    return Text("What was made is dropped." if dropped else "No other embedder was to come.")
