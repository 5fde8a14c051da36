"""The schema of the table of operations: operation, route, parameter and types of values, and what many share.

Nothing here is heavy: `remanent --help` imports it. What a name such as `Kind` stands for is looked up by
the surface that needs the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import partial
from typing import Any, Final

from remanent.core.dataclasses import KW_ONLY, dataclass, replace


class Missing(Enum):
    """There is no default."""

    REQUIRED = "required"
    SAME = "same"  # as in Python


REQUIRED: Final = Missing.REQUIRED
SAME: Final = Missing.SAME


# -- types of values ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Text:
    """A string of so many characters."""

    most: int = 20_000
    least: int = 1
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time. Where people type a bare date, it is the beginning of that day, or its `end`."""

    end: bool = False


@dataclass(frozen=True, slots=True)
class Day:
    """A calendar day."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Yes or no."""


@dataclass(frozen=True, slots=True)
class Null:
    """Nothing in particular, said so."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within bounds."""

    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Real:
    """A finite number within bounds; `inside` leaves out the lower one, `below` the upper one."""

    least: float = 0
    most: float = 1
    inside: bool = False
    below: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words. `enum` names the class that has them all; without one there are no others."""

    values: tuple[str | int, ...]
    enum: str = ""


@dataclass(frozen=True, slots=True)
class Json:
    """Any JSON object that is not nested too deeply, of at most so many fields."""

    most: int | None = None


@dataclass(frozen=True, slots=True)
class Many:
    """A list. Of one whose items are `heavy` only the first that is wrong is told."""

    of: Type
    most: int | None = None
    least: int = 0
    heavy: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """An object with fields of its own."""

    name: str
    fields: tuple[Param, ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value of one of several types."""

    types: tuple[Type, ...]


Type = Text | Moment | Day | Flag | Null | Whole | Real | Choice | Json | Many | Form | OneOf


# -- parameters ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter: what it is called, what it takes, and one sentence on what it means.

    `name` and `default` are Python's. `cli` is how it is typed: `"--kind -k KIND"`, or `"QUERY"` for an
    argument; None: not at all. `also` is what only the reference adds. In `help`, `{values}` are the words
    that a choice has.
    """

    name: str
    type: Type
    help: str = ""
    default: Any = REQUIRED
    _: KW_ONLY
    cli: str | None = ""
    cli_default: Any = SAME
    cli_help: str = ""  # where people type something else than programs send
    http: bool = True
    http_name: str = ""
    http_default: Any = SAME
    mcp: bool | Type = False
    mcp_default: Any = SAME
    example: Any = None
    also: str = ""

    def but(self, **changes: Any) -> Param:
        """The same, with something else about it."""
        return replace(self, **changes)

    @property
    def field(self) -> str:
        """What it is called in a request."""
        return self.http_name or self.name


# -- operations ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where an operation is to be had over HTTP.

    What it answers follows from the method's type; `answer` says what is made of it: `page`, `items`,
    `removed`, `key`, `lines`, `stream`, `text`, or the name of a shape. Parameters that the path names come from there.
    """

    method: str
    path: str
    answer: str = ""
    model: str = ""  # the name of the body in the description; default: that of the operation
    says: str = ""
    name: str = ""
    power: str = ""  # default: the operation's
    once: bool | None = None
    status: int = 200
    bare: bool = False  # it may come without a body
    takes: str = ""  # the type of a body that is not JSON; the parameters are in the address then
    streams: bool = False  # whoever wishes is told of progress
    audience: str = ""  # for whom it acts; default: what the face says
    only: tuple[str, ...] | None = None  # these parameters, not all
    id: str = "key"  # what tells the items of a page apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """One operation: a method of `UserMemory`, or of `Memory`, and every way to reach it."""

    verb: str
    says: str
    params: tuple[Param, ...] = ()
    power: str = "read"
    http: tuple[Route, ...] = ()
    form: str = ""  # what the body is, in words
    python: tuple[str, ...] = ()  # parameters that only a program in Python can give
    face: str = "UserMemory"

    @property
    def name(self) -> str:
        """As the description of the API and the reference call it."""
        return f"{self.face}.{self.verb}"

    def param(self, name: str) -> Param:
        """The parameter of that name."""
        return next(one for one in self.params if one.name == name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Operations that go together; `tag` is their heading in the description of the API."""

    tag: str
    says: str
    ops: tuple[Op, ...]


def _op(verb: str, says: str, *parts: Param | Route, **more: Any) -> Op:
    params = tuple(one for one in parts if isinstance(one, Param))
    routes = tuple(one for one in parts if isinstance(one, Route))
    return Op(verb=verb, says=says, params=params, http=routes, **more)


# An operation that looks, that changes a user's memory, on teams, and on the whole memory.
read, write, manage = (partial(_op, power=power) for power in ("read", "write", "manage"))
keep = partial(manage, face="Memory")


def _route(method: str, path: str, answer: str = "", **more: Any) -> Route:
    return Route(method=method, path=path, answer=answer, **more)


get, post, put, patch, delete = (
    partial(_route, method) for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
)


def values_of(kind: Type) -> Sequence[str]:
    """The words that a choice has; none where it is no choice."""
    if isinstance(kind, Many):
        return values_of(kind.of)
    return [str(one) for one in kind.values] if isinstance(kind, Choice) else []


def listed(words: Sequence[str]) -> str:
    """`low, normal or high`."""
    return " or ".join(one for one in (", ".join(words[:-1]), words[-1]) if one)


def help_of(param: Param, text: str = "", quote: str = "") -> str:
    """What a parameter means, with the words it takes."""
    help_text = text or param.help
    if "{values}" not in help_text:
        return help_text
    words = [f"{quote}{one}{quote}" for one in values_of(param.type)]
    return help_text.replace("{values}", listed(words))


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
    mcp=True, example="fae535dd-f4d6-54ce-8847-6ca6d89845c0")
BELIEF: Final = KEY.but(help="A belief's key, or the beginning of one.")
SOURCE: Final = Param("source_key", NAME, "A source's key, or the beginning of one.", cli="SOURCE",
    http_name="key")
TEAM: Final = Param("team", NAME, "A team of yours: its name or id.", cli="TEAM", example="band")
QUERY: Final = Param("query", TEXT, "A question or some words, as a person would ask.", cli="QUERY",
    mcp=True)
LIMIT: Final = Param("limit", Whole(1, 1000), "At most so many results.", 10, cli="--limit -n N",
    mcp=Whole(1, 100))
MOST: Final = LIMIT.but(default=None, cli_help="At most so many; default: all.", http_default=50)
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
    cli="--touch/--no-touch", also="at most once an hour; by a question about the past never")
AGENT: Final = Param("agent_id", Text(500, 0), "For the agent or project of this id; default: all.", "",
    cli="--agent ID", mcp=True)
DRY_RUN: Final = Param("dry_run", Flag(), "Only say what would be done.", False, mcp=True)

_TURN: Final = (
    Param("text", LONG, example="Sarah starts at Acme on Monday."),
    Param("speaker", NAME, "Who said it.", None, example="Ada"),
    Param("at", Moment(), "When it was said.", None),
    Param("id", NAME, "Your own; it comes back as `ref`.", None),
)
TURN: Final = Form("Turn", _TURN)
PRIOR_TURN: Final = Form("PriorTurn", (Param("text", TEXT), Param("speaker", NAME, "Who said it.", None)))
BEFORE: Final = Param("before", Many(PRIOR_TURN, 200, heavy=True), "The turns before it, oldest first.",
    (), cli="--before TEXT", mcp=Many(Text(), heavy=True))
