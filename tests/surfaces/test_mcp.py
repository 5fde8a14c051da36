"""The MCP server, asked by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from command_line import remanent
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.server.mcpserver import MCPServer

from remanent import Memory
from remanent.core.model.mind_types import BeliefDraft
from remanent.core.records.access import Power
from remanent.errors import ConfigError, Forbidden
from remanent.surfaces.http.app import create_app
from remanent.surfaces.mcp.clients import CLIENTS, Launch, snippets
from remanent.surfaces.mcp.mounted import mcp_face
from remanent.surfaces.mcp.server import make_server
from remanent.surfaces.mcp.tools import GROUPS
from remanent.surfaces.operations import operation
from remanent.testing import HashEmbedder, ScriptedMind, SteppedClock
from remanent_conformance.builders import MOMENT

NAMES = [
    "remember",
    "instruct",
    "instructions",
    "recall",
    "search",
    "explore",
    "traverse",
    "context",
    "profile",
    "add_source",
    "learned",
    "record",
    "forget",
    "waiting",
    "answer_source",
    "show",
]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(
        ":memory:", clock=SteppedClock(MOMENT), mind=ScriptedMind(), embedder=HashEmbedder()
    ) as opened:
        opened.user("ada", name="Ada Lind")
        yield opened


@pytest.fixture
def server(memory: Memory) -> MCPServer[Any]:
    return make_server(lambda _, __: memory.user("ada"))


def asked(server: Any, ask: Callable[[Client], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with Client(server) as client:
            return await ask(client)

    return asyncio.run(main())


def call(server: Any, tool: str, **arguments: Any) -> Any:
    """The structured answer of one tool; what it complains of is raised."""

    async def ask(client: Client) -> Any:
        return await client.call_tool(tool, arguments)

    done = asked(server, ask)
    if done.is_error:
        raise AssertionError(done.content[0].text)
    return done.structured_content


def complaint(server: Any, tool: str, **arguments: Any) -> str:
    with pytest.raises(AssertionError) as told:
        call(server, tool, **arguments)
    return str(told.value)


def test_every_tool_is_described_and_says_what_it_changes(server: MCPServer[Any]) -> None:
    tools = {one.name: one for one in asked(server, lambda client: client.list_tools()).tools}
    assert list(tools) == NAMES
    reads = {name for name, one in tools.items() if one.annotations.read_only_hint}
    writes = {"remember", "instruct", "add_source", "record", "forget", "answer_source"}
    assert reads == set(NAMES) - writes
    destroys = [name for name, one in tools.items() if one.annotations.destructive_hint]
    assert destroys == ["forget", "answer_source"]
    for one in tools.values():
        assert one.title
        assert len(one.description) > 60
        assert one.output_schema
        for name, field in one.input_schema["properties"].items():
            assert field.get("description") or name in {
                "title", "sensitivity", "payload", "importance_hint",
            }, (one.name, name)  # fmt: skip


def test_what_is_remembered_is_recalled_shown_and_forgotten(server: MCPServer[Any]) -> None:
    done = call(server, "remember", text="I live in Oslo")
    key = done["belief"]["key"]
    assert done["outcome"] == "created"
    assert [one["key"] for one in call(server, "recall", query="I live in Oslo")["beliefs"]] == [
        key
    ]
    assert call(server, "show", key=key[:8])["node"]["statement"] == "I live in Oslo"
    assert call(server, "forget", key=key, dry_run=True)["forgotten"] == 1
    assert call(server, "forget", key=key, reason="moved")["forgotten"] == 1
    assert call(server, "recall", query="I live in Oslo")["beliefs"] == []


def test_what_became_of_each_statement_is_said() -> None:
    mind = ScriptedMind(
        remembered=lambda text: [BeliefDraft(statement=one) for one in text.split("; ")]
    )
    with Memory.open(":memory:", mind=mind, embedder=HashEmbedder()) as memory:
        asked_of = make_server(lambda _, __: memory.user("ada"))
        one = call(asked_of, "remember", text="Tom keeps bees")
        two = call(asked_of, "remember", text="I live in Oslo; Tom keeps bees")
    assert one["also"] == []
    assert [(each["outcome"], each["belief"]["statement"]) for each in (two, *two["also"])] == [
        ("created", "I live in Oslo"),
        ("reinforced", "Tom keeps bees"),
    ]


def test_a_source_is_taken_in_once_and_found(memory: Memory, server: MCPServer[Any]) -> None:
    turns = [
        {"speaker": "Ada", "text": "Tom rows on Fridays."},
        {"speaker": "Bo", "text": "He does."},
    ]
    taken = call(server, "add_source", turns=turns, title="Lunch", origin_id="talk-1")
    assert taken["status"] == "raw"
    assert call(server, "add_source", turns=turns, origin_id="talk-1")["key"] == taken["key"]
    memory.work()
    hits = call(server, "search", query="who rows", kinds=["passage"])["hits"]
    assert hits[0]["text"] == "Tom rows on Fridays."
    assert hits[0]["source_key"] == taken["key"]
    assert call(server, "explore", text_matches=["rows"])["episodic"]["sources"]
    assert call(server, "traverse", seeds=[taken["key"]])["reached"]


def test_pages_of_a_search_follow_each_other(memory: Memory, server: MCPServer[Any]) -> None:
    for number in range(5):
        memory.user("ada").remember(f"Fact number {number} about tea")
    first = call(server, "search", query="tea", limit=2)
    second = call(server, "search", query="tea", limit=2, after=first["next"])
    assert {one["key"] for one in first["hits"]}.isdisjoint(one["key"] for one in second["hits"])


def test_a_context_fits_its_budget(memory: Memory, server: MCPServer[Any]) -> None:
    memory.user("ada").remember("I live in Oslo")
    told = call(server, "context", message="Where do I live?", budget=200, before=["Hello"])
    assert "Oslo" in told["text"]
    assert told["tokens"] <= 200


def test_an_event_of_the_same_id_is_recorded_once(server: MCPServer[Any]) -> None:
    fields = {"event_type": "tool.called", "payload": {"name": "grep"}, "event_id": "e-1"}
    assert call(server, "record", **fields)["is_new"]
    assert not call(server, "record", **fields)["is_new"]


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("add_source", {}, "text"),
        ("add_source", {"text": "a", "turns": []}, "text"),
        ("add_source", {"text": "   "}, "content"),
        ("add_source", {"text": "a", "team": "red"}, "red"),
        ("remember", {"text": ""}, "text"),
        ("search", {"query": "a", "limit": 0}, "limit"),
        ("search", {"query": "a", "kinds": ["dog"]}, "kinds"),
        ("search", {"query": "a", "since": "yesterday"}, "since"),
        ("recall", {"query": "a", "as_of": "2026-01-01T00:00:00"}, "as_of"),
        ("traverse", {"seeds": []}, "seeds"),
        ("record", {"event_type": "belief.forgotten"}, "event_type"),
        ("show", {"key": "nothing"}, "key"),
    ],
)
def test_bad_input_is_a_complaint_that_names_the_field(
    server: MCPServer[Any], tool: str, arguments: dict[str, Any], named: str
) -> None:
    assert named in complaint(server, tool, **arguments)


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        (
            "search",
            {"querry": "tea"},
            ["querry: is not taken here; did you mean query?", "query: is"],
        ),
        ("search", {"query": "tea", "speeker": "Ada"}, ["did you mean speaker?"]),
        ("explore", {"query": "tea"}, ["query: is not taken here; did you mean queries?"]),
        ("remember", {"text": "I row.", "frobnicate": 1}, ["frobnicate: is not taken here"]),
        ("add_source", {"turns": [{"speaker": "Ada"}]}, ["turns.0.text: is needed"]),
        ("search", {"query": "tea", "limit": "many"}, ["limit: "]),
    ],
)
def test_unknown_arguments_are_refused_by_name_in_our_own_words(
    server: MCPServer[Any], tool: str, arguments: dict[str, Any], told: list[str]
) -> None:
    said = complaint(server, tool, **arguments)

    for words in told:
        assert words in said
    for words in ("pydantic", "http", "validation error", "Arguments", "input_value"):
        assert words not in said


def test_resources_are_named_by_their_titles(memory: Memory, server: MCPServer[Any]) -> None:
    ada = memory.user("ada")
    ada.remember("I live in Oslo")
    source = ada.add("We ate fish.", title="Lunch")
    memory.work()
    listed = asked(server, lambda client: client.list_resources()).resources

    assert [one.name for one in listed] == ["Lunch", "I live in Oslo"]
    assert str(listed[0].uri).endswith(source)


def test_something_is_put_right_and_taken_back(memory: Memory) -> None:
    server = make_server(lambda _, __: memory.user("ada"), groups="corrections")
    done = call(server, "correct", key="Ada Lind", field="note", value="Sails.", lifetime="year")
    assert done["changed"]
    (listed,) = call(server, "corrections")["items"]
    assert (listed["field"], listed["value"]) == ("note", "Sails.")
    assert call(server, "undo_correction", correction_id=listed["correction_id"])["changed"]
    assert call(server, "corrections")["items"] == []
    assert "field" in complaint(server, "correct", key="Ada Lind", field="attitude", value="3")
    assert "dst" in complaint(server, "relate", src="Ada Lind", dst="Ada Lind", type="friend")


def test_prompts_name_only_tools_that_there_are(server: MCPServer[Any]) -> None:
    async def ask(client: Client) -> dict[str, str]:
        prompts = (await client.list_prompts()).prompts
        assert all(one.title and one.description and not one.arguments for one in prompts)
        texts = [(await client.get_prompt(one.name)).messages[0].content for one in prompts]
        return {
            one.name: getattr(text, "text", "") for one, text in zip(prompts, texts, strict=True)
        }

    prompts = asked(server, ask)
    assert {"about_me", "catch_me_up"} <= prompts.keys()
    for text in prompts.values():
        assert set(re.findall(r"`(\w+)`", text)) <= set(NAMES)


def test_resources_are_the_callers_sources_and_beliefs(
    memory: Memory, server: MCPServer[Any]
) -> None:
    memory.user("bob").add("A secret of Bob's")
    ada = memory.user("ada")
    belief = ada.remember("I live in Oslo").belief
    source = ada.add([{"speaker": "Tom", "text": "I row."}], title="Lunch")
    memory.work()

    async def ask(client: Client) -> tuple[list[str], list[str]]:
        listed = [str(one.uri) for one in (await client.list_resources()).resources]
        read = [(await client.read_resource(one)).contents[0] for one in listed]
        return listed, [getattr(one, "text", "") for one in read]

    listed, read = asked(server, ask)
    assert listed == [f"remanent://sources/{source}", f"remanent://beliefs/{belief.key}"]
    assert "Tom: I row." in read[0]
    assert json.loads(read[1])["belief"]["statement"] == "I live in Oslo"


def test_a_resource_of_somebody_else_does_not_exist(memory: Memory, server: MCPServer[Any]) -> None:
    key = memory.user("bob").add("A secret of Bob's")

    def ask(uri: str) -> str:
        async def read(client: Client) -> str:
            try:
                return str(await client.read_resource(uri))
            except MCPError as error:
                return str(error)

        return str(asked(server, read))

    there, nowhere = ask(f"remanent://sources/{key}"), ask("remanent://sources/none")
    assert there == nowhere.replace("none", key)
    belief = memory.user("ada").remember("I live in Oslo").belief.key
    assert "has the key" in ask(f"remanent://sources/{belief}")


def test_who_may_only_read_writes_nothing(memory: Memory) -> None:
    def who(_: Any, power: Power) -> Any:
        if power is not Power.READ:
            raise Forbidden("this server only reads")
        return memory.user("ada")

    server = make_server(who)
    for tool, fields in [
        ("remember", {"text": "I live in Oslo"}),
        ("add_source", {"text": "a"}),
        ("record", {"event_type": "a.b"}),
        ("forget", {"key": "a"}),
    ]:
        assert "only reads" in complaint(server, tool, **fields)
    assert call(server, "recall", query="Oslo") == {"beliefs": []}


def test_a_client_starts_it_and_what_it_added_is_read_meanwhile(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    assert remanent("init", "--user", "ada", "--memory", str(place)).code == 0
    start = StdioServerParameters(
        command=str(Path(sys.executable).with_name("remanent")),
        args=["mcp", "--memory", str(place), "--user", "ada"],
        env={name: value for name, value in os.environ.items() if name != "REMANENT_MEMORY"},
    )

    async def ask(client: Client) -> str:
        taken = await client.call_tool("add_source", {"text": "Anna Lie moved to Hamar."})
        assert taken.structured_content is not None
        key = taken.structured_content["key"]
        for _ in range(600):
            shown = await client.call_tool("show", {"key": key})
            assert shown.structured_content is not None
            if shown.structured_content["node"]["processing_status"] == "extracted":
                return str(key)
            await asyncio.sleep(0.1)
        raise AssertionError("nobody read it")

    key = asked(start, ask)
    with Memory.open(place) as memory:
        assert memory.user("ada").read(key).passages


@contextmanager
def served(memory: Memory) -> Iterator[str]:
    """The address of a real server of that memory."""
    config = uvicorn.Config(
        create_app(memory, faces=[mcp_face()]), host="127.0.0.1", port=0, log_level="error"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            thread.join(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        thread.join()


def over_http(url: str, secret: str, ask: Callable[[Client], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        headers = {"Authorization": f"Bearer {secret}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=600) as web,
            Client(streamable_http_client(url, http_client=web)) as client,
        ):
            return await ask(client)

    return asyncio.run(main())


def test_over_http_the_key_says_whose_memory_it_is(memory: Memory) -> None:
    memory.user("bob").remember("Bob keeps bees")
    keys = {one: memory.create_key(one, name="test").secret for one in ("ada", "bob")}

    async def ask(client: Client) -> list[str]:
        found = await client.call_tool("recall", {"query": "Bob keeps bees"})
        assert found.structured_content is not None
        return [one["statement"] for one in found.structured_content["beliefs"]]

    with served(memory) as url:
        assert over_http(url, keys["bob"], ask) == ["Bob keeps bees"]
        assert over_http(url, keys["ada"], ask) == []
        tools = over_http(url, keys["ada"], lambda client: client.list_tools()).tools
    assert [one.name for one in tools] == NAMES


def test_over_http_a_key_that_reads_does_not_write(memory: Memory) -> None:
    key = memory.create_key("ada", name="test", powers=("read",)).secret
    with served(memory) as url:
        done = over_http(
            url, key, lambda client: client.call_tool("remember", {"text": "I live in Oslo"})
        )
    assert done.is_error
    assert "power to write" in done.content[0].text
    assert memory.user("ada").beliefs() == []


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer rmn_none_of_ours"}])
def test_over_http_nobody_comes_in_without_a_good_key(
    memory: Memory, headers: dict[str, str]
) -> None:
    question = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with served(memory) as url, httpx2.Client(headers=headers, timeout=600) as web:
        answer = web.post(url, json=question)
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"


def test_over_http_many_who_come_first_at_once_are_all_answered(memory: Memory) -> None:
    key = memory.create_key("ada", name="test", powers=("read",)).secret
    with served(memory) as url, ThreadPoolExecutor(4) as pool:
        lists = pool.map(lambda _: over_http(url, key, lambda one: one.list_tools()), range(4))
        assert [[tool.name for tool in one.tools] for one in lists] == [NAMES] * 4


def test_a_server_loads_what_speaks_mcp_when_a_client_comes() -> None:
    script = (
        "import sys, remanent.surfaces.http.server as s; s.faces(); assert 'mcp' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_over_http_a_group_that_is_not_there_is_told_at_the_start() -> None:
    with pytest.raises(ConfigError, match="nonsense"):
        mcp_face("nonsense")


@pytest.mark.parametrize("client", CLIENTS)
def test_the_settings_of_each_client_name_the_command_or_the_address(client: str) -> None:
    (local,) = snippets(Launch(command="remanent", args=["mcp", "--user", "ada"]), [client])
    (remote,) = snippets(Launch(url="http://127.0.0.1:7070/mcp"), [client])
    assert '"--user", "ada"' in " ".join(local.text.split())
    assert "http://127.0.0.1:7070/mcp" in remote.text
    if client != "codex":
        assert json.loads(local.text)
        assert "Bearer" in remote.text


def test_the_settings_are_printed_for_this_memory_and_user(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    here = ("--memory", str(place))
    remanent("init", "--user", "ada", *here)
    (snippet,) = remanent("mcp", "--print-config", "--client", "cursor", "--json", *here).json[
        "snippets"
    ]
    entry = json.loads(snippet["text"])["mcpServers"]["remanent"]
    assert entry["args"] == ["mcp", "--memory", str(place), "--user", "ada"]
    assert "'emacs' is none of" in remanent("mcp", "--client", "emacs", *here).err


def test_groups_add_tools_with_all_that_their_operations_take(memory: Memory) -> None:
    ada = memory.user("ada")
    ada.add("Tom Berg rows with Ada Lind at the harbour. Tom Berg is a good friend.")
    ada.record("tool.called", {"text": "booked the boat"}, session_id="s1")
    memory.work()
    wide = make_server(lambda _, __: ada, groups="all")
    some = make_server(lambda _, __: ada, groups="need, events")

    for server, more in ((wide, GROUPS), (some, ("need", "events"))):
        tools = {one.name: one for one in asked(server, Client.list_tools).tools}
        assert set(tools) == {*NAMES, *(verb for one in more for verb in GROUPS[one].split())}
        for one in tools.values():
            assert one.title
            assert one.description
    explore = {one.name: one for one in asked(wide, Client.list_tools).tools}["explore"]
    assert set(explore.input_schema["properties"]) == {
        one.name for one in operation("explore").params
    }

    rows = call(wide, "cypher", query="MATCH (s:Source) RETURN s.summary AS said")["rows"]
    assert len(rows) == 1
    found = call(
        wide, "explore", queries=[{"query": "rowing", "threshold": 0.0}], mode="deep",
        multi_query=True, weights={"time": 1.0}, relationship_filters={"min_attitude": 1},
        return_explanations=True, touch=False,
    )  # fmt: skip
    assert found["meta"]
    assert call(wide, "needs_memory", message="Where does Tom row?")["reasons"]
    assert [one["event"]["session_id"] for one in call(wide, "events")["items"]] == ["s1"]
    replayed = call(wide, "replay", after=0, limit=1)["items"]
    assert [one["session_id"] for one in replayed] == ["s1"]  # not what we appended ourselves
    assert call(wide, "stories")["items"] == []
    assert call(wide, "anchors", kind="person")["items"]
    with pytest.raises(ConfigError, match="no group"):
        make_server(lambda _, __: ada, groups="grahp")
