"""Operations that get something out of a memory: search, explore, walk, query, prepare."""

from __future__ import annotations

from typing import Final

from remanent.surfaces.operations.common import (
    AFTER,
    AS_OF,
    BEFORE,
    EXPLAIN,
    INCLUDE_ARCHIVED,
    KEY,
    KNOWN_AT,
    LIMIT,
    MODE,
    NAME,
    QUERY,
    SENSITIVITY,
    SINCE,
    STATE,
    TEXT,
    THE_PAST,
    TOUCH,
    UNTIL,
)
from remanent.surfaces.operations.words import (
    Choice,
    Flag,
    Form,
    Group,
    Json,
    Many,
    OneOf,
    Param,
    Real,
    Text,
    Whole,
    delete,
    get,
    post,
    put,
    read,
    write,
)

KINDS: Final = Choice(
    (
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
    ),
    "Kind",
)
FILTERS: Final = (
    Param("kinds", Many(KINDS, 20), "Only {values}.", (), cli="--kind -k KIND", mcp=Many(KINDS)),
    SINCE.but(also="what tells of that time"),
    UNTIL,
    Param(
        "types",
        Many(NAME, 20),
        "Only of this type of source or belief, such as email or preference.",
        (),
        cli="--type TYPE",
    ),
    Param("team", NAME, "Only what belongs to this team.", None, cli="--team ID"),
    Param("speaker", NAME, "Only what this person said.", None, cli="--speaker NAME", mcp=True),
    Param(
        "anchor",
        NAME,
        "Only what concerns this person, concept or entity.",
        None,
        cli="--anchor KEY",
        also="a key, or the beginning of one",
    ),
    Param("states", Many(STATE, 10), "Only {values}.", (), cli="--state STATE"),
    Param("sensitivity", Many(SENSITIVITY, 5), "Only {values}.", (), cli="--sensitivity LEVEL"),
    INCLUDE_ARCHIVED.but(
        help="Look among faded memories as well.", also="what is found there is awake again"
    ),
    *THE_PAST,
)
_SHORT: Final = Param("short", NAME, "The short form, such as CRM.", cli="SHORT")
_MESSAGE: Final = Param(
    "message",
    TEXT,
    "What the user just said.",
    cli="MESSAGE",
    mcp=True,
    example="What did Sarah say about it?",
)
_GRADE: Final = Whole(1, 5)
_WEIGHT: Final = Real(0, 1000)
WEIGHTED_QUERY: Final = Form(
    "WeightedQuery",
    (Param("query", TEXT), Param("threshold", Real(), "How alike they have to be.", None)),
)
RELATIONSHIPS: Final = Form(
    "RelationshipFilter",
    (
        Param("min_attitude", _GRADE, "A grade from 1 to 5.", 1),
        Param("max_attitude", _GRADE, "A grade from 1 to 5.", 5),
        Param("min_proximity", _GRADE, "A grade from 1 to 5.", 1),
        Param("max_proximity", _GRADE, "A grade from 1 to 5.", 5),
        Param("relationship_types", Many(NAME, 50), "Only such relationships.", ()),
        Param("exclude_relationship_types", Many(NAME, 50), "No such relationships.", ()),
    ),
)
WEIGHTS: Final = Form(
    "Weights",
    (
        Param("time", _WEIGHT, "", None),
        Param("salience", _WEIGHT, "", None),
        Param("semantic", _WEIGHT, "", None),
    ),
)

RETRIEVAL: Final = Group(
    tag="finding",
    ops=(
        read(
            "search",
            "One ranked list over all this user may see, each hit with where it was said.",
            QUERY.but(example="what Sarah said about Berlin"),
            LIMIT,
            *FILTERS,
            EXPLAIN.but(also="the rank by each, and the state of the memory"),
            AFTER,
            TOUCH.but(help="Whether finding may leave a trace.", also=""),
            Param(
                "mode", MODE, "fast, or deep: in other words as well.", "fast", cli="--mode MODE"
            ),
            post("/v1/search", "Found"),
            get(
                "/v1/search", "Found", name="search_simply", says="The same, by the address alone."
            ),
        ),
        read(
            "why_not",
            "Why a search with these filters does not return the memory of that key, or where it "
            "does.",
            KEY.but(help="The memory that is missed."),
            QUERY,
            LIMIT,
            *FILTERS,
            post("/v1/search/why-not"),
        ),
        read(
            "explore",
            "What this memory holds on something, with the people, things and relationships around "
            "it.",
            Param(
                "queries",
                Many(OneOf((TEXT, WEIGHTED_QUERY)), 10),
                "What to find by meaning.",
                None,
                http_default=(),
            ),
            Param(
                "text_matches",
                Many(TEXT, 20),
                "A name or words that must stand in it, by spelling.",
                (),
                cli="--text -t TEXT",
            ),
            Param(
                "relationship_filters", RELATIONSHIPS, "Only such relationships.", None, cli=None
            ),
            Param(
                "granularity",
                Choice((1, 2, 3)),
                "1: sources in full; 2: storylines; 3: the long lines (macros).",
                1,
                cli="--granularity -g 1|2|3",
                mcp=True,
            ),
            Param("multi_query", Flag(), "In other words as well, where that can be done.", False),
            Param("mode", MODE, "fast, or deep: in other words as well.", "fast", cli=None),
            Param("weights", WEIGHTS, "What counts how much.", None, cli=None),
            *THE_PAST,
            EXPLAIN.but(name="return_explanations", cli="--explain"),
            TOUCH,
            post("/v1/explore"),
        ),
        read(
            "traverse",
            "What hangs together with the memories of these keys, most often passed first.",
            Param(
                "seeds",
                Many(NAME, 100, 1),
                "Keys to start from, or the beginnings of some.",
                cli="KEY...",
                mcp=Many(Text(), 20, 1),
            ),
            Param(
                "max_depth",
                Whole(1, 10),
                "At most so many edges away.",
                None,
                cli="--max-depth -d N",
                mcp=Whole(1, 6),
                mcp_default=3,
            ),
            Param(
                "damping",
                Real(0, 1, inside=True, below=True),
                "How far the walk strays.",
                None,
                cli="--damping SHARE",
            ),
            Param("top_k", Whole(1, 1000), "At most so many.", None, cli="--top-k -n N"),
            *THE_PAST,
            TOUCH,
            Param(
                "include_links",
                Flag(),
                "Through sources and beliefs as well, not only along relationships.",
                True,
                cli="--links/--no-links",
            ),
            post("/v1/traverse"),
        ),
        read(
            "cypher",
            "A read-only Cypher query over all this user may see and nothing else.",
            Param(
                "text",
                TEXT,
                "Such as: MATCH (p:Person) RETURN p.name",
                cli="QUERY",
                http_name="query",
                example="MATCH (p:Person) RETURN p.name LIMIT 5",
            ),
            Param(
                "parameters",
                Json(100),
                "What $NAME stands for in the query.",
                None,
                cli="--param -p NAME=VALUE",
                cli_help="What $NAME stands for in the query; JSON where it reads as such.",
                http_default={},
            ),
            *THE_PAST,
            LIMIT.but(type=Whole(1, 100_000), help="At most so many rows.", default=None),
            Param("timeout", Real(0, 3600, inside=True), "In seconds.", None, cli=None),
            INCLUDE_ARCHIVED.but(help="Faded and merged ones as well."),
            post("/v1/cypher"),
        ),
        read(
            "context",
            "What to know before answering a message, ready for a prompt.",
            _MESSAGE,
            Param(
                "budget",
                Whole(1, 1_000_000),
                "At most so many tokens.",
                1500,
                cli="--budget -b N",
                mcp=Whole(50, 20_000),
            ),
            BEFORE,
            AS_OF.but(mcp=False),
            KNOWN_AT.but(mcp=False),
            TOUCH,
            post("/v1/context"),
            python=("count",),
        ),
        read(
            "needs_memory",
            "Whether a message can only be answered well out of memory, and why.",
            _MESSAGE,
            BEFORE,
            post("/v1/need", model="Need", name="need"),
        ),
        read(
            "phrasings",
            "A question in full, then in other words: what a deep search goes by.",
            QUERY,
            BEFORE,
            post("/v1/phrasings"),
        ),
        read(
            "abbreviations",
            "All short forms that are set, and all that this user's sources explain.",
            get("/v1/abbreviations", "items"),
        ),
        write(
            "define",
            "Let a short form stand for a long one in this user's questions.",
            _SHORT,
            Param("long", TEXT, "What it stands for.", cli="LONG"),
            put("/v1/abbreviations/{short}"),
        ),
        write(
            "undefine",
            "Take a short form as it stands again, even where a source explains it.",
            _SHORT,
            delete("/v1/abbreviations/{short}", "removed"),
        ),
        read(
            "anchors",
            "The people, concepts and entities this memory knows, most mentioned first.",
            Param(
                "kind",
                Choice(("person", "concept", "entity")),
                "Only {values}.",
                None,
                cli="--kind -k KIND",
            ),
            INCLUDE_ARCHIVED.but(help="Faded and merged ones as well."),
            get("/v1/anchors", "page"),
        ),
        write(
            "merge",
            "File all that is known of one anchor under another of its kind.",
            KEY,
            Param("into", NAME, "The key of the anchor that takes the other in.", cli="INTO"),
            post("/v1/anchors/{key}/merge", model="Into"),
        ),
        write(
            "split",
            "Make an anchor that was merged into another its own again.",
            KEY,
            post("/v1/anchors/{key}/split"),
        ),
        read(
            "relationships",
            "How an anchor stands to others, or to one `other`: now, then, or through all time.",
            KEY,
            Param("other", NAME, "Only with this one.", None, cli="[OTHER]"),
            *THE_PAST,
            Param("history", Flag(), "All there ever were.", False),
            get("/v1/relationships", "items"),
        ),
        read(
            "stories",
            "Storylines and macros; where something happened last comes first.",
            Param(
                "kind", Choice(("storyline", "macro")), "Only {values}.", None, cli="--kind -k KIND"
            ),
            Param(
                "anchor",
                NAME,
                "Whom or what they are about: a name or a key.",
                None,
                cli="[ANCHOR]",
            ),
            Param(
                "state", STATE, "Only {values}; else all but archived.", None, cli="--state STATE"
            ),
            LIMIT.but(default=20, http_default=50),
            get("/v1/stories", "page"),
        ),
        read(
            "summaries",
            "Summaries of events, those that reach furthest first.",
            Param(
                "level",
                Choice(("episode", "session", "agent"), "Level"),
                "Only of one {values}.",
                None,
                cli="--level LEVEL",
            ),
            Param("session_id", NAME, "Only of this session.", None, cli="--session ID"),
            LIMIT.but(default=50),
            get("/v1/summaries", "page"),
        ),
    ),
)
