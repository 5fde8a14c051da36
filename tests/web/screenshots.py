"""Pictures of every page for the documentation: `python -m tests.web.screenshots [FOLDER]`.

The demo life is lived with the built-in mind and its nights, and served at the time where it ends.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

from playwright.sync_api import sync_playwright

from remanent import Memory, SteppedClock

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parent), str(HERE.parents[2] / "examples" / "demo")]

import demo  # noqa: E402
from web_world import served  # noqa: E402

IMAGES = HERE.parents[2] / "docs" / "images"
WIDE = ("light", 1200, 760)
NARROW = ("dark", 390, 760)
PHONE = ("home", "search", "person", "graph")  # which the documentation shows on a phone


def main(folder: Path) -> None:
    """Live, serve, and look."""
    folder.mkdir(parents=True, exist_ok=True)
    life = demo.load()
    clock = SteppedClock(life.days[0].at)
    with (
        tempfile.TemporaryDirectory() as scratch,
        Memory.open(Path(scratch) / "ada.db", clock=clock) as memory,
    ):
        me = memory.user(life.owner["id"], life.owner["name"], life.owner["timezone"])
        for before, entry in zip((None, *life.days), life.days, strict=False):
            demo.live(me, clock, entry)
            if before is not None and before.at.date() != entry.at.date():
                me.sleep(clock.now())
                asked = [one.key for one in me.anchors("person") if one.name == "Maria"]
                for key in asked if entry.at.day % 4 == 0 else ():
                    me.touch(key)  # somebody asks for her
        clock.move_to(life.days[-1].at + timedelta(hours=11))
        me.sleep(clock.now())
        anchors = {one.name: one.key for one in me.anchors()}
        maria = anchors["Maria"]
        changed = [one for one in me.beliefs() if one.supersedes is not None]
        pages = {
            "home": "",
            "search": "search?q=where+does+Maria+live",
            "beliefs": "beliefs",
            "belief": f"belief/{changed[0].key}",
            "person": f"anchor/{maria}",
            "graph": f"graph?around={maria}",
            "timeline": "timeline",
            "source": f"source/{me.sources(1)[0].key}",
            "curve": f"curve/{maria}",
            "jobs": "jobs",
            "import": "import",
            "keys": "keys",
            "people": "people",
            "teams": "teams",
            "spending": "spending",
            "audit": "audit",
        }
        with served(memory, clock, dev=True) as url:
            _look(url, pages, folder)


def _look(url: str, pages: dict[str, str], folder: Path) -> None:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--enable-unsafe-swiftshader"],
        )
        for scheme, width, height in (WIDE, NARROW):
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme
            )
            page = context.new_page()
            page.set_default_timeout(60_000)
            for name, address in pages.items():
                if scheme == "dark" and name not in PHONE:
                    continue
                page.goto(f"{url}/#/{address}")
                page.wait_for_selector(".page:not(:has(.loading))")
                page.wait_for_timeout(1200)
                suffix = "" if scheme == "light" else "-narrow"
                page.screenshot(path=folder / f"web-{name}{suffix}.jpg", type="jpeg", quality=62)
                print(f"web-{name}{suffix}.jpg")
            context.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
