"""`remanent embedder`: which one there is, and how to go over to another."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import remanent

sys.path.insert(0, str(Path(__file__).parents[1] / "embedders"))
from embedding_server import KEY, MODEL, Served, serving

NAME = f"openai:{MODEL}"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Served]:
    """A memory with one belief, made with the embedder of the server that is started here."""
    with serving() as served:
        for name, value in {
            "MEMORY": str(tmp_path / "m.db"),
            "EMBEDDER": NAME,
            "EMBEDDER_URL": served.url,
            "EMBEDDER_KEY": KEY,
        }.items():
            monkeypatch.setenv(f"REMANENT_{name}", value)
        assert remanent("init", "--user", "ada").code == 0
        assert remanent("remember", "I like tea").code == 0
        yield served


def test_it_says_which_one_there_is(server: Served) -> None:
    told = remanent("embedder", "--json").json
    assert (told["embedder"], told["towards"], told["share"]) == (NAME, None, 1.0)
    assert NAME in remanent("embedder").out


def test_it_goes_over_whatever_the_settings_say(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMANENT_EMBEDDER", "builtin")
    refused = remanent("recall", "tea", "--json")
    assert refused.code == 1
    assert refused.error["type"] == "EmbedderMismatch"
    assert "remanent embedder use remanent-embed-1" in refused.error["message"]
    assert remanent("embedder", "--json").json["embedder"] == NAME
    done = remanent("embedder", "use", "builtin")
    assert done.code == 0
    assert "REMANENT_EMBEDDER" in done.out
    assert remanent("recall", "tea", "--json").code == 0
    assert remanent("embedder", "--json").json["embedder"] == "remanent-embed-1"


def test_in_the_background_and_called_off(server: Served) -> None:
    told = remanent("embedder", "use", "builtin", "--background", "--json").json
    assert (told["embedder"], told["towards"]) == (NAME, "remanent-embed-1")
    assert "on the way to remanent-embed-1" in remanent("embedder").out
    assert remanent("embedder", "stay", "--json").json == {"dropped": True}
    assert remanent("embedder", "stay", "--json").json == {"dropped": False}
    assert remanent("embedder", "--json").json["towards"] is None


def test_the_work_of_one_user_ends_the_way_too(server: Served) -> None:
    assert remanent("embedder", "use", "builtin", "--background").code == 0
    assert remanent("work", "--user", "ada").code == 0
    told = remanent("embedder", "--json").json
    assert (told["embedder"], told["towards"]) == ("remanent-embed-1", None)


def test_a_name_that_is_none(server: Served) -> None:
    done = remanent("embedder", "use", "nobody:x", "--json")
    assert done.code == 2
    assert "openai:MODEL" in done.error["message"]
