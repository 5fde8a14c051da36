"""LangGraph's store interface on a memory: what its own stores do, this one does."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.testing import HashEmbedder, ScriptedMind

pytest.importorskip("langgraph.store.base")

from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

from remanent_langgraph import AsyncRemanentStore, RemanentStore

MINUTE = timedelta(minutes=1)
DIMS = 26


def letters(texts: list[str]) -> list[list[float]]:
    """How often each letter occurs."""
    return [[float(text.lower().count(chr(97 + n))) for n in range(DIMS)] for text in texts]


async def letters_later(texts: list[str]) -> list[list[float]]:
    await asyncio.sleep(0)
    return letters(texts)


def index(*fields: str, **more: Any) -> Any:
    return {"dims": DIMS, "embed": letters, **({"fields": list(fields)} if fields else {}), **more}


@pytest.fixture
def store(ada: UserMemory) -> RemanentStore:
    return RemanentStore(ada)


@pytest.fixture
def lettered(ada: UserMemory) -> RemanentStore:
    return RemanentStore(ada, index=index())


def keys(found: list[Any]) -> list[str]:
    return [one.key for one in found]


class TestKeeping:
    def test_put_get_update_delete(self, store: RemanentStore, clock: SteppedClock) -> None:
        store.put(("users", "ada"), "prefs", {"theme": "dark"})
        first = store.get(("users", "ada"), "prefs")
        assert isinstance(first, Item)
        assert (first.namespace, first.key) == (("users", "ada"), "prefs")
        assert first.created_at == first.updated_at == clock.now()
        clock.advance(MINUTE)
        store.put(("users", "ada"), "prefs", {"theme": "light"})
        second = store.get(("users", "ada"), "prefs")
        assert second is not None
        assert (second.value, second.created_at) == ({"theme": "light"}, first.created_at)
        assert second.updated_at > first.updated_at
        assert store.get(("users", "bob"), "prefs") is None
        store.delete(("users", "ada"), "prefs")
        assert store.get(("users", "ada"), "prefs") is None
        store.delete(("users", "ada"), "prefs")

    def test_it_is_in_the_file(self, tmp_path: Path) -> None:
        path = str(tmp_path / "store.db")
        with RemanentStore.from_conn_string(path, embedder=HashEmbedder()) as one:
            one.setup()
            one.put(("a",), "k", {"v": 1})
        with RemanentStore.from_path(path, embedder=HashEmbedder()) as two:
            found = two.get(("a",), "k")
            assert found is not None
            assert found.value == {"v": 1}
        with RemanentStore.from_path(path, user_id="bob", embedder=HashEmbedder()) as other:
            assert other.get(("a",), "k") is None
            assert other.list_namespaces() == []

    @pytest.mark.parametrize(
        "namespace", [(), ("the", "thing.about"), ("some", ""), ("langgraph", "x"), ("foo", 1)]
    )
    def test_bad_namespaces(self, store: RemanentStore, namespace: Any) -> None:
        with pytest.raises(InvalidNamespaceError):
            store.put(namespace, "k", {})
        with pytest.raises(InvalidNamespaceError):
            asyncio.run(store.aput(namespace, "k", {}))

    @pytest.mark.parametrize(
        "op",
        [
            GetOp(("foo.bar",), "k"),
            PutOp(("foo", ""), "k", None),
            SearchOp(("foo.bar",)),
            ListNamespacesOp((MatchCondition("suffix", ("foo.bar",)),)),
            SearchOp(("foo",), filter={"a' OR 1=1": 1}),
            SearchOp(("foo",), filter={"a": {"$where": 1}}),
            SearchOp(("foo",), limit=-1),
            PutOp(("foo",), "k", {"x": object()}),
            "no operation",
        ],
    )
    def test_a_batch_with_a_bad_part_changes_nothing(self, store: RemanentStore, op: Any) -> None:
        with pytest.raises(ValueError, match=r"."):
            store.batch([PutOp(("valid",), "k", {}), op])
        assert store.get(("valid",), "k") is None

    def test_past_the_public_methods_the_root_is_free(self, store: RemanentStore) -> None:
        store.batch([PutOp(("langgraph", "x"), "k", {"v": 1})])
        assert store.search(("langgraph",))[0].value == {"v": 1}


class TestBatches:
    def test_results_come_in_order_and_reads_see_what_was_there(self, store: RemanentStore) -> None:
        store.put(("test", "foo"), "one", {"data": 1})
        store.put(("test", "bar"), "two", {"data": 2})
        results = store.batch(
            [
                GetOp(("test", "foo"), "one"),
                PutOp(("test", "bar"), "two", {"data": 3}),
                SearchOp(("test",), filter={"data": 2}),
                ListNamespacesOp(),
                GetOp(("test",), "three"),
                PutOp(("test",), "three", {"data": 3}),
            ]
        )
        assert isinstance(results[0], Item)
        assert [results[n] for n in (1, 4, 5)] == [None, None, None]
        assert keys(results[2]) == ["two"]  # type: ignore[arg-type]
        assert results[3] == [("test", "bar"), ("test", "foo")]
        assert keys(store.search(("test",), filter={"data": 3})) == ["three", "two"]

    def test_the_last_put_to_a_place_counts(self, store: RemanentStore, ada: UserMemory) -> None:
        before = ada.status().events
        store.batch([PutOp(("a",), "k", {"v": 1}), PutOp(("a",), "k", {"v": 2})])
        found = store.get(("a",), "k")
        assert found is not None
        assert found.value == {"v": 2}
        assert ada.status().events == before + 1

    def test_calls_of_one_turn_become_one_batch(self, ada: UserMemory) -> None:
        class Counting(RemanentStore):
            batches: ClassVar[list[list[Any]]] = []

            async def abatch(self, ops: Any) -> Any:
                self.batches.append(list(ops))
                return await super().abatch(self.batches[-1])

        async def live() -> None:
            sync = Counting(ada)
            store = AsyncRemanentStore(sync)
            await asyncio.gather(
                store.aput(("t",), "same", {"v": 1}), store.aput(("t",), "same", {"v": 2})
            )
            assert sync.batches == [[PutOp(("t",), "same", {"v": 2})]]
            sync.batches.clear()
            one, two, three = await asyncio.gather(
                store.aget(("t",), "same"), store.aget(("t",), "same"), store.asearch(("t",))
            )
            assert one == two
            assert one is not None
            assert one.value == three[0].value == {"v": 2}
            assert [len(batch) for batch in sync.batches] == [2]
            with pytest.raises(asyncio.InvalidStateError):
                store.get(("t",), "same")
            assert (await asyncio.to_thread(store.get, ("t",), "same")) == one
            assert await store.alist_namespaces() == [("t",)]
            await store.adelete(("t",), "same")
            assert await store.aget(("t",), "same") is None

        asyncio.run(live())


class TestSearching:
    def test_namespaces_are_whole_labels(self, store: RemanentStore) -> None:
        places = [("foo",), ("foo", "child"), ("foobar",), ("Foo",), ("star*",), ("starX",)]
        for place in places:
            store.put(place, "k", {})
        assert {one.namespace for one in store.search(("foo",))} == set(places[:2])
        assert {one.namespace for one in store.search(("star*",))} == {("star*",)}
        assert {one.namespace for one in store.search(())} == set(places)

    def test_filters_and_pages(self, store: RemanentStore, clock: SteppedClock) -> None:
        for number in range(6):
            clock.advance(MINUTE)
            store.put(("docs",), str(number), {"n": number, "who": {"name": "ada"}})
        assert keys(store.search(("docs",), filter={"n": {"$gt": 1, "$lte": 4}})) == list("432")
        assert keys(store.search(("docs",), filter={"n": {"$ne": 5}}, limit=2, offset=1)) == [
            "3",
            "2",
        ]
        assert keys(store.search(("docs",), limit=2, offset=4)) == ["1", "0"]
        assert len(store.search(("docs",), filter={"who": {"name": "ada"}}, limit=9)) == 6
        assert len(store.search(("docs",), filter={"who.name": "ada"}, limit=9)) == 6
        assert store.search(("docs",), filter={"n": "' OR '1'='1"}) == []

    def test_our_own_embedder_serves_a_store_that_was_given_none(self, tmp_path: Path) -> None:
        with RemanentStore.from_path(tmp_path / "m.db") as store:
            store.put(("mem",), "food", {"text": "I love pizza and pasta"})
            store.put(("mem",), "work", {"text": "I write software for hospitals"})
            store.put(("mem",), "hidden", {"text": "Italian cooking"}, index=False)
            found = store.search(("mem",), query="What does she like to eat?")
        assert keys(found) == ["food", "work", "hidden"]
        assert found[0].score is not None
        assert found[1].score is not None
        assert found[0].score > found[1].score
        assert found[2].score is None

    def test_what_no_lens_has_seen_is_seen_when_it_is_looked_for(self, ada: UserMemory) -> None:
        RemanentStore(ada).put(("docs",), "a", {"text": "aaa"})
        RemanentStore(ada).put(("docs",), "b", {"text": "bbb"})
        found = RemanentStore(ada, index=index("text")).search(("docs",), query="bb")
        assert [(one.key, one.score) for one in found] == [("b", 1.0), ("a", 0.0)]


class TestIndex:
    def test_an_update_is_found_by_its_new_words(self, lettered: RemanentStore) -> None:
        lettered.put(("t",), "one", {"text": "zzz"})
        lettered.put(("t",), "two", {"text": "ooo"})
        first = lettered.search(("t",), query="zz")
        assert first[0].key == "one"
        lettered.put(("t",), "one", {"text": "ooo"})
        later = {one.key: one.score for one in lettered.search(("t",), query="zz")}
        assert later["one"] < first[0].score

    def test_fields_paths_and_lists(self, ada: UserMemory) -> None:
        store = RemanentStore(ada, index=index("meta.title", "parts[*].text"))
        store.put(
            ("t",), "one", {"meta": {"title": "aaa"}, "parts": [{"text": "bbb"}, {"text": "c"}]}
        )
        store.put(("t",), "two", {"meta": {"title": "ddd"}, "parts": []})
        for question in ("aa", "b", "c"):
            best = store.search(("t",), query=question)[0]
            assert (best.key, best.score) == ("one", pytest.approx(1.0))

    def test_a_put_may_say_its_own_fields(self, ada: UserMemory) -> None:
        store = RemanentStore(ada, index=index("other"))
        store.put(("t",), "one", {"x": "aaa", "y": "bbb"}, index=["x"])
        store.put(("t",), "two", {"x": "ccc", "y": "bbb"}, index=["y"])
        store.put(("t",), "none", {"x": "bbb"}, index=False)
        found = {one.key: one.score for one in store.search(("t",), query="b")}
        assert found == {"two": pytest.approx(1.0), "one": 0.0, "none": None}

    @pytest.mark.parametrize(
        ("measure", "order"), [("cosine", ["a", "aab", "c"]), ("inner_product", ["aab", "a", "c"])]
    )
    def test_measures(self, ada: UserMemory, measure: str, order: list[str]) -> None:
        store = RemanentStore(ada, index=index("text", distance_type=measure))
        for text in ("a", "aab", "c"):
            store.put(("t",), text, {"text": text})
        assert keys(store.search(("t",), query="a")) == order

    def test_pages_of_a_search_by_meaning(self, lettered: RemanentStore) -> None:
        for number in range(5):
            lettered.put(("t",), str(number), {"text": "a" * (number + 1) + "bc"})
        whole = keys(lettered.search(("t",), query="a"))
        pages = [keys(lettered.search(("t",), query="a", limit=2, offset=n)) for n in (0, 2, 4)]
        assert [key for page in pages for key in page] == whole
        assert len(lettered.search(("t",), query="")) == 5

    def test_an_embedder_of_coroutines(self, ada: UserMemory) -> None:
        async def live() -> list[str]:
            store = RemanentStore(ada, index={"dims": DIMS, "embed": letters_later})
            await asyncio.gather(*(store.aput(("t",), text, {"v": text}) for text in ("xx", "yy")))
            return keys(await store.asearch(("t",), query="y", limit=1))

        assert asyncio.run(live()) == ["yy"]

    @pytest.mark.parametrize(
        "config", [{"embed": letters}, {"dims": 2}, {**index(), "distance_type": "taxicab"}]
    )
    def test_a_configuration_that_cannot_be(self, ada: UserMemory, config: Any) -> None:
        with pytest.raises(ValueError, match="index"):
            RemanentStore(ada, index=config)

    def test_vectors_of_another_length_are_refused(self, ada: UserMemory) -> None:
        store = RemanentStore(ada, index={**index(), "dims": 3})
        with pytest.raises(ValueError, match="dims"):
            store.put(("t",), "k", {"text": "x"})
        assert store.get(("t",), "k") is None


PLACES = (
    ("a", "b", "c"),
    ("a", "b", "d", "e"),
    ("a", "b", "d", "i"),
    ("a", "b", "f"),
    ("a", "c", "f"),
    ("b", "a", "f"),
)


class TestNamespaces:
    @pytest.fixture
    def store(self, ada: UserMemory) -> RemanentStore:
        store = RemanentStore(ada)
        store.batch([PutOp(place, "k", {}) for place in PLACES])
        return store

    @pytest.mark.parametrize(
        ("asked", "wanted"),
        [
            ({}, sorted(PLACES)),
            ({"prefix": ("a", "b")}, [PLACES[n] for n in (0, 1, 2, 3)]),
            ({"suffix": ["f"]}, [PLACES[n] for n in (3, 4, 5)]),
            ({"prefix": ("a",), "suffix": ("f",)}, [PLACES[n] for n in (3, 4)]),
            ({"prefix": ("a", "*", "f")}, [PLACES[n] for n in (3, 4)]),
            ({"suffix": ("*", "f")}, [PLACES[n] for n in (3, 4, 5)]),
            ({"prefix": ("a", "b"), "max_depth": 3}, [("a", "b", x) for x in "cdf"]),
            ({"prefix": ("a", "b"), "limit": 2, "offset": 1}, [PLACES[n] for n in (1, 2)]),
            ({"prefix": ("nobody",)}, []),
        ],
    )
    def test_list(self, store: RemanentStore, asked: Any, wanted: list[Any]) -> None:
        assert store.list_namespaces(**asked) == wanted
        assert asyncio.run(store.alist_namespaces(**asked)) == wanted

    def test_an_empty_namespace_is_none(self, store: RemanentStore) -> None:
        store.delete(("b", "a", "f"), "k")
        assert ("b", "a", "f") not in store.list_namespaces()


class TestTimeToLive:
    def test_default_and_own_and_none(self, ada: UserMemory, clock: SteppedClock) -> None:
        store = RemanentStore(ada, ttl={"default_ttl": 5})
        store.put(("t",), "own", {}, ttl=1)
        store.put(("t",), "usual", {})
        store.put(("t",), "ever", {}, ttl=None)
        clock.advance(2 * MINUTE)
        assert store.sweep_ttl() == 1
        assert store.get(("t",), "own") is None
        assert store.get(("t",), "usual") is not None  # and this does not prolong it
        clock.advance(3 * MINUTE)
        assert store.sweep_ttl() == 1
        assert keys(store.search(("t",))) == ["ever"]

    def test_reading_prolongs(self, ada: UserMemory, clock: SteppedClock) -> None:
        store = RemanentStore(ada, ttl={"default_ttl": 2, "refresh_on_read": True})
        store.put(("t",), "read", {})
        store.put(("u",), "left", {})
        clock.advance(MINUTE)
        store.get(("t",), "read")
        store.get(("u",), "left", refresh_ttl=False)
        clock.advance(MINUTE)
        assert store.sweep_ttl() == 1
        clock.advance(MINUTE)
        assert store.sweep_ttl() == 1

    def test_what_has_expired_can_be_left_out(self, ada: UserMemory, clock: SteppedClock) -> None:
        for omit in (False, True):
            store = RemanentStore(ada, ttl={"default_ttl": 1, "omit_expired": omit})
            store.put(("t", "old"), "old", {})
            clock.advance(MINUTE)
            store.put(("t", "new"), "new", {})
            assert (store.get(("t", "old"), "old") is None) is omit
            assert keys(store.search(("t",), limit=1, offset=1)) == ([] if omit else ["old"])
            assert (("t", "old") in store.list_namespaces()) is not omit

    def test_the_sweeper_sweeps(self, ada: UserMemory, clock: SteppedClock) -> None:
        store = RemanentStore(ada, ttl={"default_ttl": 1})
        store.put(("t",), "k", {})
        clock.advance(MINUTE)
        ended = store.start_ttl_sweeper(0.0001)
        while store.get(("t",), "k") is not None:
            pass
        assert store.stop_ttl_sweeper()
        ended.result(timeout=600)
        assert store.stop_ttl_sweeper()


def test_the_async_context(tmp_path: Path) -> None:
    async def live() -> int:
        where = str(tmp_path / "m.db")
        kwargs = {"embedder": HashEmbedder(), "ttl": {"default_ttl": 0}}
        async with AsyncRemanentStore.from_conn_string(where, **kwargs) as store:
            await store.setup()
            await store.aput(("t",), "k", {"text": "x"})
            await store.start_ttl_sweeper()
            return await store.sweep_ttl()

    assert asyncio.run(live()) == 1


def test_stores_of_two_users_do_not_meet(memory: Memory, ada: UserMemory) -> None:
    RemanentStore(ada).put(("t",), "k", {"text": "canary"})
    other = RemanentStore(memory.user("bob"))
    assert other.get(("t",), "k") is None
    assert other.search((), query="canary") == []
    assert other.list_namespaces() == []


def test_a_rebuild_keeps_them(ada: UserMemory, memory: Memory, mind: ScriptedMind) -> None:
    store = RemanentStore(ada)
    store.put(("t",), "k", {"text": "x"}, ttl=5)
    before = store.search(("t",))
    memory.rebuild().switch()
    assert store.search(("t",)) == before
