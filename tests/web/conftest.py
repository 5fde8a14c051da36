"""One town and one browser for all tests of the web; without chromium they are skipped, with a line."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from web_world import HANGS, Seen, Town, town

CHROMIUM = shutil.which("chromium")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    with town(tmp_path_factory.mktemp("web") / "memory.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """For one file: as long as it is open, an event loop runs in this thread, and nothing else may start one."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: the web was not looked at")
    playwright = pytest.importorskip("playwright.sync_api")
    flags = ["--no-sandbox", "--enable-unsafe-swiftshader"]
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=flags, timeout=HANGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def signed_in(place: Town, browser: Any) -> Any:
    """The cookies of Ada's session, to be used by every test of a file."""
    context = browser.new_context()
    Seen(context, place.url).sign_in(place.key("ada"))
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def ada(place: Town, browser: Any, signed_in: Any) -> Iterator[Seen]:
    """Ada, signed in, before a wide and light screen. Nothing may go wrong meanwhile."""
    context = browser.new_context(
        storage_state=signed_in, viewport={"width": 1280, "height": 800}, color_scheme="light"
    )
    seen = Seen(context, place.url)
    yield seen
    context.close()
    assert seen.errors == []
    assert {one for one in seen.asked if not one.startswith((place.url, "blob:"))} == set()


@pytest.fixture
def stranger(place: Town, browser: Any) -> Iterator[Seen]:
    """Somebody who is not signed in."""
    context = browser.new_context()
    yield Seen(context, place.url)
    context.close()
