"""How fast the web is: `python -m tests.web.figures`. The first page of 10,000 nodes, 2,000 nodes drawn."""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

from remanent import Memory, SteppedClock
from remanent.core.model.anchor import Person
from remanent.core.model.belief import Belief
from remanent.core.model.keys import key_for
from remanent.core.model.relationship import Relationship, RelationshipKind
from remanent.testing import HashEmbedder, ScriptedMind

sys.path.insert(0, str(Path(__file__).resolve().parent))

from web_world import BEGINNING, served

PEOPLE, BELIEFS, EDGES = 2_500, 7_500, 4_000
_FRAMES = """(seconds) => new Promise((resolve) => {
  const drawing = document.querySelector(".canvas").drawing, begun = performance.now(), before = drawing.frames;
  const step = () => {
    const passed = (performance.now() - begun) / 1000;
    if (passed > seconds) { resolve((drawing.frames - before) / passed); return; }
    drawing.zoom(1 + Math.sin(passed * 3) * 0.01);
    requestAnimationFrame(step);
  };
  step();
})"""
_COST = """() => {
  const drawing = document.querySelector(".canvas").drawing, begun = performance.now();
  for (let n = 0; n < 50; n += 1) {
    drawing.zoom(n % 2 ? 1.01 : 0.99);
    drawing.draw();
    drawing.pen.getImageData(0, 0, 1, 1);  // until it is painted, not only noted down
  }
  return (performance.now() - begun) / 50;
}"""


def fill(memory: Memory) -> None:
    """Many people who know each other, and much that is believed."""
    me, dice = memory.user("ada"), random.Random(1)
    graph, scope, atomic = memory.env.graph, me.scope, memory.env.atomic
    keys = [key_for("ada", "figures", str(n)) for n in range(PEOPLE)]
    common = {"user_id": "ada", "created_at": BEGINNING, "updated_at": BEGINNING}
    with atomic():
        for n, key in enumerate(keys):
            graph.put(
                scope,
                Person(
                    key=key,
                    name=f"Person {n}",
                    canonical_name=f"person-{n}",
                    created_by="ada",
                    source_count=n % 9,
                    **common,
                ),
            )
        for n in range(EDGES):
            src, dst = dice.sample(keys, 2)
            begun = BEGINNING + timedelta(hours=n % 900)
            graph.relate(
                scope,
                Relationship(
                    key=key_for("ada", "edge", str(n)),
                    kind=RelationshipKind.HAS_RELATIONSHIP_WITH,
                    src=src,
                    dst=dst,
                    relationship_type="friend",
                    recorded_by="ada",
                    recorded_at=begun,
                    valid_from=begun,
                    **common,
                ),
            )
        for n in range(BELIEFS):
            graph.put(
                scope,
                Belief(
                    key=key_for("ada", "belief", str(n)),
                    statement=f"Statement {n}",
                    since=BEGINNING,
                    **common,
                ),
            )


def main() -> None:
    clock = SteppedClock(BEGINNING)
    with (
        tempfile.TemporaryDirectory() as scratch,
        Memory.open(
            Path(scratch) / "m.db", clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()
        ) as memory,
    ):
        memory.user("ada", name="Ada")
        fill(memory)
        clock.advance(timedelta(days=10))
        with served(memory, clock, dev=True) as url, sync_playwright() as driver:
            flags = ["--no-sandbox", "--enable-unsafe-swiftshader"]
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
            page = browser.new_page()
            page.set_default_timeout(120_000)
            for turn in ("first", "again"):
                print(f"home, {turn}: {_seconds(page, url):.2f} s")
            page.goto(f"{url}/#/graph?limit=2000")
            page.wait_for_selector(".canvas[data-ready]")
            told = page.context.new_cdp_session(page)
            told.send("Performance.enable")
            _tell(page, told, "2,000 nodes as they settle", 2)
            while not page.evaluate("document.querySelector('.canvas').drawing.settled"):
                page.wait_for_timeout(100)
            _tell(page, told, "2,000 nodes at rest, zoomed", 4)
            print(f"painted to the last pixel: {page.evaluate(_COST):.1f} ms a frame")
            print("load", " ".join(f"{one:.1f}" for one in os.getloadavg()))
            browser.close()


def _tell(page: Page, told: CDPSession, what: str, seconds: float) -> None:
    """Frames a second, and how much of a core the thread of the page took for each."""
    before = _busy(told)
    frames = page.evaluate(_FRAMES, seconds)
    cost = 1000 * (_busy(told) - before) / (frames * seconds)
    print(f"{what}: {frames:.0f} frames a second, {cost:.1f} ms of the page's thread each")


def _busy(told: CDPSession) -> float:
    metrics = told.send("Performance.getMetrics")["metrics"]
    return next(one["value"] for one in metrics if one["name"] == "ThreadTime")


def _seconds(page: Page, url: str) -> float:
    page.goto("about:blank")
    begun = time.perf_counter()
    page.goto(url)
    page.wait_for_selector(".page h1")
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
