"""Parameters and types that several operations share."""

from __future__ import annotations

from typing import Final

from remanent.surfaces.operations.words import Choice, Flag, Form, Many, Moment, Param, Text, Whole

# fmt: off
NAME: Final = Text(500)
TEXT: Final = Text()
LONG: Final = Text(20_000_000)
REMARK: Final = Text(2000, 0)
THEN: Final = Moment(end=True)

SENSITIVITY: Final = Choice(("low", "normal", "high"), "Sensitivity")
STATE: Final = Choice(("candidate", "active", "core", "archived"), "State")
MODE: Final = Choice(("fast", "deep"), "Mode")

KEY: Final = Param("key", NAME, "The key of a memory, or the beginning of one.", cli="KEY",
    mcp=True)
BELIEF: Final = KEY.but(help="A belief's key, or the beginning of one.")
SOURCE: Final = Param("source_key", NAME, "A source's key, or the beginning of one.", cli="SOURCE",
    http_name="key")
TEAM: Final = Param("team", NAME, "A team of yours: its name or id.", cli="TEAM")
QUERY: Final = Param("query", TEXT, "A question or some words, as a person would ask.", cli="QUERY",
    mcp=True)
LIMIT: Final = Param("limit", Whole(1, 1000), "At most so many results.", 10, cli="--limit -n N",
    mcp=Whole(1, 100))
AFTER: Final = Param("after", Text(2000, 0), "Where to go on: `next` of the page before.", None,
    cli="--after CURSOR", mcp=True)
AS_OF: Final = Param("as_of", THEN, "Ask what was true then, not now.", None, cli="--as-of DATE",
    mcp=True, also="[another time](../concepts/search.md#another-time)")

KNOWN_AT: Final = Param("known_at", THEN, "Ask what this memory knew then, not what it knows now.",
    None, cli="--known-at DATE", mcp=True)
THE_PAST: Final = (AS_OF, KNOWN_AT)
SINCE: Final = Param("since", Moment(), "Only from then on.", None, cli="--since DATE", mcp=True)
UNTIL: Final = Param("until", THEN, "Only up to then.", None, cli="--until DATE", mcp=True)
INCLUDE_ARCHIVED: Final = Param("include_archived", Flag(), "Faded ones as well.", False)
EXPLAIN: Final = Param("explain", Flag(), "Show the parts of each score.", False)
TOUCH: Final = Param("touch", Flag(), "Whether what is found is strengthened.", True,
    cli="--touch/--no-touch", also="a question about the past never does")
DRY_RUN: Final = Param("dry_run", Flag(), "Only say what would be done.", False, mcp=True)

_TURN: Final = (
    Param("text", LONG),
    Param("speaker", NAME, "Who said it.", None),
    Param("at", Moment(), "When it was said.", None),
    Param("id", NAME, "Your own; it comes back as `ref`.", None),
)
TURN: Final = Form("Turn", _TURN)
SAID: Final = Form("Said", (Param("text", TEXT), Param("speaker", NAME, "Who said it.", None)))
BEFORE: Final = Param("before", Many(SAID, 200, heavy=True), "The turns before it, oldest first.",
    (), cli="--before TEXT", mcp=Many(Text(), heavy=True))
