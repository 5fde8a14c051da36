"""mem0's API on a memory, asked by mem0's own client over a real socket."""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from remanent import Memory
from remanent.clock import SystemClock

os.environ["MEM0_TELEMETRY"] = "False"  # it is read when the package is imported
os.environ["MEM0_DIR"] = tempfile.mkdtemp(prefix="mem0-")
pytest.importorskip("mem0")
pytest.importorskip("uvicorn")

import uvicorn
from mem0 import AsyncMemoryClient, MemoryClient
from mem0.exceptions import AuthenticationError, MemoryNotFoundError, ValidationError

from remanent.surfaces.http.app import Face, create_app
from remanent_mem0 import router

ALL = ("read", "write", "manage")


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory.open(tmp_path_factory.mktemp("mem0") / "memory.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def host(memory: Memory) -> Iterator[str]:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        app = create_app(memory, faces=[Face(router=router)])
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def service(memory: Memory) -> str:
    return memory.create_key(None, name="service", powers=ALL).secret


@pytest.fixture(scope="module")
def client(host: str, service: str) -> Iterator[MemoryClient]:
    made = MemoryClient(api_key=service, host=host)
    yield made
    made.client.close()


@pytest.fixture
def who(request: pytest.FixtureRequest) -> str:
    """A user of this test's own."""
    return f"user-{abs(hash(request.node.nodeid))}"


@pytest.fixture
def as_user(memory: Memory, host: str) -> Iterator[Callable[[str], MemoryClient]]:
    made: list[MemoryClient] = []

    def new(user_id: str, powers: tuple[str, ...] = ("read", "write")) -> MemoryClient:
        memory.user(user_id)
        key = memory.create_key(user_id, name="own", powers=powers)
        made.append(MemoryClient(api_key=key.secret, host=host))
        return made[-1]

    yield new
    for one in made:
        one.client.close()


def words(found: dict[str, Any]) -> list[str]:
    return sorted(one["memory"] for one in found["results"])


def all_of(client: MemoryClient, user: str, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = client.get_all(filters={"user_id": user}, **more)
    return found


class TestAdding:
    def test_what_was_learned_comes_back(self, client: MemoryClient, who: str) -> None:
        talk = [
            {"role": "user", "content": "I'm planning a movie night. Any ideas?"},
            {"role": "assistant", "content": "How about a thriller?"},
            {"role": "user", "content": "I don't watch thrillers, but I love sci-fi movies."},
        ]
        added = client.add(talk, user_id=who)["results"]
        assert added
        assert {one["event"] for one in added} == {"ADD"}
        assert any("sci-fi" in one["memory"] for one in added)
        assert words(all_of(client, who)) == sorted(one["memory"] for one in added)

    def test_small_talk_teaches_nothing(self, client: MemoryClient, who: str) -> None:
        for text in ("thanks!", "ok", "What time is it?", "hello there"):
            assert client.add(text, user_id=who)["results"] == []
        assert all_of(client, who)["count"] == 0

    def test_the_same_again_is_not_kept_twice(self, client: MemoryClient, who: str) -> None:
        first = client.add("I love hiking in the mountains.", user_id=who)["results"]
        again = client.add("I love hiking in the mountains.", user_id=who)["results"]
        assert [one["event"] for one in first] == ["ADD"]
        assert [(one["id"], one["event"]) for one in again] == [(first[0]["id"], "NONE")]
        assert all_of(client, who)["count"] == 1

    def test_a_contradiction_replaces_and_nothing_is_lost(
        self, client: MemoryClient, who: str
    ) -> None:
        old = client.add("I live in Oslo.", user_id=who)["results"][0]
        new = client.add("I moved, I live in Bergen now.", user_id=who)["results"]
        events = {one["event"]: one for one in new}
        assert events["DELETE"]["id"] == old["id"]
        assert "Bergen" in events["ADD"]["memory"]
        assert [one for one in words(all_of(client, who)) if "Oslo" in one] == []
        assert [one for one in words(all_of(client, who)) if "Bergen" in one] != []
        assert client.history(old["id"])[-1]["event"] == "DELETE"

    def test_as_it_is(self, client: MemoryClient, who: str) -> None:
        talk = [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "order #4711 ships on Tuesday"},
            {"role": "assistant", "content": [{"type": "text", "text": "Noted: Tuesday!"}]},
        ]
        added = client.add(talk, user_id=who, infer=False)["results"]
        assert [one["memory"] for one in added] == [
            "order #4711 ships on Tuesday",
            "Noted: Tuesday!",
        ]
        assert client.get(added[0]["id"])["memory"] == "order #4711 ships on Tuesday"

    def test_several_statements_are_so_many_memories(self, client: MemoryClient, who: str) -> None:
        told = "Maria lives in Oslo. She works at Telenor."
        added = client.add(told, user_id=who, infer=False, metadata={"n": 1})["results"]
        assert [(one["event"], one["memory"]) for one in added] == [
            ("ADD", "Maria lives in Oslo."),
            ("ADD", "Maria works at Telenor."),
        ]
        assert [one["metadata"] for one in all_of(client, who)["results"]] == [{"n": 1}] * 2

    def test_labels_stay_with_what_was_learned(self, client: MemoryClient, who: str) -> None:
        client.add(
            "I play the violin.",
            user_id=who,
            agent_id="coach",
            run_id="r1",
            metadata={"topic": "music", "level": 3},
            timestamp=1_760_000_000,
        )
        (one,) = all_of(client, who)["results"]
        assert (one["user_id"], one["agent_id"], one["run_id"]) == (who, "coach", "r1")
        assert one["metadata"] == {"topic": "music", "level": 3}
        assert one["created_at"].startswith("2025-10-09T08:53:20")
        for more, count in (
            ({"agent_id": "coach"}, 1),
            ({"agent_id": "other"}, 0),
            ({"metadata": {"topic": "music"}}, 1),
            ({"metadata": {"level": {"gt": 3}}}, 0),
            ({"NOT": [{"run_id": "r1"}]}, 0),
        ):
            wanted = {"AND": [{"user_id": who}, more]}
            assert client.get_all(filters=wanted)["count"] == count
            assert len(client.search("violin", filters=wanted)["results"]) == count

    def test_an_agents_own_memory(self, client: MemoryClient, who: str) -> None:
        client.add("The staging server is called kestrel", agent_id=who, infer=False)
        (one,) = client.get_all(filters={"agent_id": who})["results"]
        assert (one["user_id"], one["agent_id"]) == (None, who)

    def test_what_an_agent_is_told_is_a_standing_instruction(
        self, client: MemoryClient, memory: Memory, who: str
    ) -> None:
        told = "Always answer in French."
        done = client.add(told, agent_id=who)["results"]
        again = client.add(told, agent_id=who)["results"]
        assert [(one["memory"], one["event"]) for one in (*done, *again)] == [
            (told, "ADD"),
            (told, "NONE"),
        ]
        (one,) = client.get_all(filters={"agent_id": who})["results"]
        assert (one["memory"], one["agent_id"]) == (told, who)
        assert words(client.search("xylophones", filters={"agent_id": who})) == [told]
        agent = memory.user(f"agent:{who}", create=False)
        assert [one.statement for one in agent.instructions()] == [told]
        assert told in agent.context("Hello").text
        client.add("Never push to main.", user_id=who, agent_id="coder")
        user = memory.user(who, create=False)
        assert [one.instructs for one in user.instructions()] == ["coder"]
        client.delete(one["id"])
        assert agent.instructions() == []

    def test_deleted_and_told_again_it_is_there_again(self, client: MemoryClient, who: str) -> None:
        key = client.add("I collect stamps.", user_id=who)["results"][0]["id"]
        client.delete(key)
        again = client.add("I collect stamps.", user_id=who)["results"]
        assert [one["event"] for one in again] == ["ADD"]

    @pytest.mark.parametrize(
        "ask",
        [
            {"messages": [], "user_id": "x"},
            {"messages": ["x"], "user_id": "x"},
            {"messages": [{"role": "wizard", "content": "x"}], "user_id": "x"},
            {"messages": "hello"},
            {"messages": "hello", "user_id": "x", "metadata": "y"},
            {"messages": "hello", "user_id": "x", "expiration_date": "soon"},
            {"messages": "hello", "user_id": "x", "timestamp": "soon"},
        ],
    )
    def test_bad_asks_are_their_400(self, host: str, service: str, ask: dict[str, Any]) -> None:
        for path in ("/v3/memories/add/", "/memories"):
            headers = {"Authorization": f"Token {service}"}
            answer = httpx.post(f"{host}{path}", json=ask, headers=headers, timeout=600)
            assert (answer.status_code, list(answer.json())) == (400, ["detail"])


class TestOneMemory:
    @pytest.fixture
    def key(self, client: MemoryClient, who: str) -> str:
        added = client.add("My favourite colour is blue.", user_id=who, infer=False)["results"]
        return str(added[0]["id"])

    def test_update_keeps_the_id_and_history_tells(
        self, client: MemoryClient, key: str, who: str
    ) -> None:
        changed = client.update(key, text="My favourite colour is green.")
        assert (changed["id"], changed["memory"]) == (key, "My favourite colour is green.")
        assert client.get(key)["memory"] == "My favourite colour is green."
        best = client.search("favourite colour", filters={"user_id": who})["results"][0]
        assert (best["id"], best["memory"]) == (key, "My favourite colour is green.")
        client.delete(key)
        told = client.history(key)
        assert [(one["event"], one["old_memory"], one["new_memory"]) for one in told] == [
            ("ADD", None, "My favourite colour is blue."),
            ("UPDATE", "My favourite colour is blue.", "My favourite colour is green."),
            ("DELETE", "My favourite colour is green.", None),
        ]
        assert {one["memory_id"] for one in told} == {key}

    def test_labels_can_be_changed_alone(self, client: MemoryClient, key: str) -> None:
        assert client.update(key, metadata={"a": 1})["metadata"] == {"a": 1}
        client.update(key, expiration_date="2030-01-01")
        one = client.get(key)
        assert (one["metadata"], one["expiration_date"]) == ({"a": 1}, "2030-01-01")
        assert client.update(key, expiration_date=None)["expiration_date"] is None

    def test_what_is_over_is_not_shown(self, client: MemoryClient, key: str, who: str) -> None:
        yesterday = (SystemClock().now() - timedelta(days=1)).date().isoformat()
        client.update(key, expiration_date=yesterday)
        assert all_of(client, who)["count"] == 0
        assert client.search("colour", filters={"user_id": who})["results"] == []
        assert all_of(client, who, show_expired=True)["count"] == 1

    def test_what_is_deleted_is_gone(self, client: MemoryClient, key: str, who: str) -> None:
        assert "message" in client.delete(key)
        for ask in (client.get, client.delete, lambda one: client.update(one, text="x")):
            with pytest.raises(MemoryNotFoundError):
                ask(key)
        assert all_of(client, who)["count"] == 0

    @pytest.mark.parametrize("key", ["nothing", "../x", "a" * 3000, "%00"])
    def test_what_is_not_there(self, client: MemoryClient, key: str) -> None:
        for ask in (client.get, client.delete, client.history):
            with pytest.raises(MemoryNotFoundError):
                ask(key)

    def test_the_beginning_of_an_id_is_no_id(self, client: MemoryClient, key: str) -> None:
        with pytest.raises(MemoryNotFoundError):
            client.delete(key[:12])
        assert client.get(key)["id"] == key


class TestMany:
    @pytest.fixture
    def five(self, client: MemoryClient, who: str) -> list[str]:
        said = ("apples are red", "boats sail", "cats purr", "dogs bark", "eels swim")
        talk = [{"role": "user", "content": one} for one in said]
        added = client.add(talk, user_id=who, infer=False)["results"]
        return [str(one["id"]) for one in added]

    def test_pages(self, client: MemoryClient, who: str, five: list[str]) -> None:
        pages = [all_of(client, who, page=n, page_size=2) for n in (1, 2, 3)]
        assert [len(one["results"]) for one in pages] == [2, 2, 1]
        assert {one["id"] for page in pages for one in page["results"]} == set(five)
        assert [one["next"] is None for one in pages] == [False, False, True]
        assert [one["previous"] is None for one in pages] == [True, False, False]
        assert pages[0]["count"] == 5

    def test_search_is_best_first_and_short(
        self, client: MemoryClient, who: str, five: list[str]
    ) -> None:
        found = client.search("which animals purr?", filters={"user_id": who}, top_k=2)["results"]
        assert (found[0]["id"], len(found)) == (five[2], 2)
        assert found[0]["score"] >= found[1]["score"]
        none = client.search("purr", filters={"user_id": who}, threshold=0.99)["results"]
        assert none == []

    def test_batches(self, client: MemoryClient, who: str, five: list[str]) -> None:
        client.batch_update([{"memory_id": five[0], "text": "apples are green"}])
        assert client.get(five[0])["memory"] == "apples are green"
        with pytest.raises(MemoryNotFoundError):
            client.batch_delete([{"memory_id": five[0]}, {"memory_id": "nothing"}])
        assert all_of(client, who)["count"] == 5
        client.batch_delete([{"memory_id": one} for one in five[:2]])
        assert all_of(client, who)["count"] == 3

    def test_delete_all(self, client: MemoryClient, who: str, five: list[str]) -> None:
        client.add("frogs croak", user_id=who, run_id="other", infer=False)
        client.delete_all(user_id=who, run_id="other")
        assert all_of(client, who)["count"] == 5
        client.delete_all(filters={"user_id": who})
        assert all_of(client, who)["count"] == 0
        with pytest.raises(ValidationError):
            client.delete_all()

    def test_entities(self, client: MemoryClient, who: str, five: list[str]) -> None:
        client.add("gulls cry", user_id=who, agent_id=f"{who}-bot", infer=False)
        known = {(one["type"], one["name"]): one for one in client.users()["results"]}
        assert known["user", who]["total_memories"] == 6
        assert known["agent", f"{who}-bot"]["total_memories"] == 1
        client.delete_users(agent_id=f"{who}-bot")
        assert all_of(client, who)["count"] == 5
        client.delete_users(user_id=who)
        client.delete_users(user_id=who)
        assert who not in {one["name"] for one in client.users()["results"]}


class TestWhoMayWhat:
    def test_a_bad_key_is_told_at_once(self, host: str) -> None:
        with httpx.Client() as ours, pytest.raises(ValueError, match="key"):
            MemoryClient(api_key="rmn_nobody_knows", host=host, client=ours)

    def test_a_users_key_reaches_that_user_alone(
        self, client: MemoryClient, as_user: Callable[[str], MemoryClient], who: str
    ) -> None:
        other = f"{who}-other"
        theirs = client.add("the canary sings at dawn", user_id=other, infer=False)["results"][0]
        mine = as_user(who)
        key = mine.add("I own a red kite.", agent_id="bot")["results"][0]["id"]
        assert mine.get(key)["user_id"] == who
        for ask in (
            lambda: mine.add("x", user_id=other),
            lambda: mine.get_all(filters={"user_id": other}),
            lambda: mine.search("canary", filters={"user_id": other}),
            lambda: mine.delete_all(user_id=other),
            lambda: mine.delete_users(user_id=other),
        ):
            with pytest.raises(AuthenticationError):
                ask()
        for reach in (mine.get, mine.delete, mine.history):
            with pytest.raises(MemoryNotFoundError):
                reach(theirs["id"])
        everything = {"OR": [{"user_id": "*"}, {"agent_id": "*"}]}
        assert {one["user_id"] for one in mine.get_all(filters=everything)["results"]} == {who}
        found = mine.search("canary sings", filters=everything)["results"]
        assert [one for one in found if "canary" in one["memory"]] == []
        assert {one["name"] for one in mine.users()["results"]} == {who, "bot"}
        assert client.get(theirs["id"])["memory"] == "the canary sings at dawn"

    def test_a_key_that_only_reads(self, as_user: Callable[..., MemoryClient], who: str) -> None:
        reader = as_user(who, ("read",))
        assert reader.get_all(filters={"user_id": who})["count"] == 0
        with pytest.raises(AuthenticationError):
            reader.add("x", user_id=who)

    def test_nobody_lists_all_by_leaving_a_name_out(self, client: MemoryClient) -> None:
        with pytest.raises(ValidationError):
            client.get_all()
        with pytest.raises(ValidationError):
            client.search("anything")


def test_the_async_client(host: str, service: str, who: str) -> None:
    async def live() -> None:
        client = AsyncMemoryClient(api_key=service, host=host)
        try:
            added = (await client.add("I bake rye bread.", user_id=who))["results"]
            key = added[0]["id"]
            await client.update(key, text="I bake dark bread.")
            found = await client.search("bread", filters={"user_id": who})
            assert found["results"][0]["memory"] == "I bake dark bread."
            assert (await client.get_all(filters={"user_id": who}))["count"] == 1
            assert [one["event"] for one in await client.history(key)] == ["ADD", "UPDATE"]
            await client.delete(key)
            await client.delete_all(user_id=who)
        finally:
            await client.async_client.aclose()

    asyncio.run(live())


class TestOpenSourceServer:
    @pytest.fixture
    def http(self, host: str, service: str) -> Iterator[httpx.Client]:
        with httpx.Client(base_url=host, headers={"X-API-Key": service}, timeout=600) as made:
            yield made

    def test_the_whole_path(self, http: httpx.Client, who: str) -> None:
        ask = {"messages": [{"role": "user", "content": "I love pizza."}], "user_id": who}
        added = http.post("/memories", json=ask)
        assert added.status_code == 200
        (one,) = added.json()["results"]
        key = one["id"]
        listed = http.get("/memories", params={"user_id": who, "agent_id": "", "run_id": ""})
        assert [found["id"] for found in listed.json()["results"]] == [key]
        found = http.post("/search", json={"query": "food", "user_id": who, "agent_id": ""})
        assert found.json()["results"][0]["id"] == key
        assert http.get(f"/memories/{key}").json()["memory"] == one["memory"]
        assert http.put(f"/memories/{key}", json={"text": "I love pasta."}).status_code == 200
        told = http.get(f"/memories/{key}/history").json()
        assert [change["event"] for change in told] == ["ADD", "UPDATE"]
        assert http.delete(f"/memories/{key}").status_code == 200
        assert http.get(f"/memories/{key}").status_code == 404
        assert http.delete("/memories", params={"user_id": who}).status_code == 200

    def test_somebody_has_to_be_named(self, http: httpx.Client) -> None:
        talk = {"messages": [{"role": "user", "content": "hi"}]}
        assert http.post("/memories", json=talk).status_code == 400
        assert http.get("/memories").status_code == 400
        assert http.delete("/memories").status_code == 400
        assert http.post("/search", json={"query": "x"}).status_code == 400

    def test_a_body_that_cannot_be_read(self, http: httpx.Client) -> None:
        for body in (b"{", b"[1]", b'"x"', b"\xff"):
            assert http.post("/memories", content=body).status_code == 400

    def test_reset_is_for_those_who_manage(
        self, http: httpx.Client, host: str, memory: Memory, who: str
    ) -> None:
        memory.user(who)
        own = memory.create_key(who, name="own", powers=ALL).secret
        weak = memory.create_key(None, name="weak").secret
        for secret in (own, weak):
            refused = httpx.post(f"{host}/reset", headers={"X-API-Key": secret}, timeout=600)
            assert refused.status_code == 403
        assert httpx.post(f"{host}/reset", timeout=600).status_code == 401
        assert http.post("/reset").status_code == 200
        assert http.get("/memories", params={"user_id": "*"}).json() == {"results": []}


def test_older_clients_get_lists(host: str, service: str, who: str) -> None:
    with httpx.Client(base_url=host, headers={"Authorization": f"Token {service}"}) as http:
        ask = {"messages": "I love tea.", "user_id": who, "output_format": "v1.0"}
        (one,) = http.post("/v1/memories/", json=ask, timeout=600).json()
        assert http.get("/v1/memories/", params={"user_id": who}).json()[0]["id"] == one["id"]
        wanted = {"filters": {"user_id": who}}
        assert http.post("/v2/memories/", json=wanted).json()[0]["id"] == one["id"]
        asked = {"query": "tea", **wanted}
        assert http.post("/v2/memories/search/", json=asked).json()[0]["id"] == one["id"]
        listed = http.post("/v1/memories/search/", json={"query": "tea", "user_id": who}).json()
        assert listed["results"][0]["id"] == one["id"]


def test_a_rebuild_keeps_ids_words_and_labels(tmp_path: Path, host: str) -> None:
    from remanent_mem0 import shapes

    with Memory.open(tmp_path / "m.db") as memory:
        ada = memory.user("ada")
        key = ada.remember("I like tea").belief.key
        ada.restate(key, "I like milk")
        shapes.label_memory(ada, key, {"metadata": {"a": 1}})
        memory.rebuild().switch()
        (belief,) = ada.beliefs()
        assert (belief.key, belief.statement) == (key, "I like milk")
        assert shapes.labels_of(ada).of(belief) == {"metadata": {"a": 1}}
