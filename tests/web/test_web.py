"""The web in a real browser: every page, wide and narrow, light and dark, by keyboard, with hostile text."""

from __future__ import annotations

import gzip
import re
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from demo_life import text as demo_text
from web_world import HOSTILE, Seen, Town

from remanent.surfaces.web import STATIC

pytestmark = pytest.mark.slow
PAGES = (
    "", "search?q=where+does+Maria+live", "beliefs", "people", "graph", "timeline", "sources", "import", "jobs",
    "teams", "keys", "spending", "audit", "source", "anchor", "belief", "story", "curve",
)  # fmt: skip
KINDS = {
    "source": "/v1/sources",
    "anchor": "/v1/anchors",
    "belief": "/v1/beliefs",
    "story": "/v1/stories",
    "curve": "/v1/anchors",
}
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def address(place: Town, page: str) -> str:
    """The address of a page; of a memory's own page, that of the first there is."""
    if page not in KINDS:
        return f"#/{page}"
    headers = {"Authorization": f"Bearer {place.key('ada')}"}
    items = httpx.get(place.url + KINDS[page], headers=headers).json()["items"]
    return f"#/{page}/{items[0]['key']}"


@pytest.mark.parametrize("name", PAGES, ids=lambda name: name.partition("?")[0] or "home")
def test_every_page_can_be_used_by_everybody(ada: Seen, place: Town, name: str) -> None:
    """Nothing goes wrong, nothing is wider than the screen, and axe finds nothing serious: on a wide and
    light screen, and on a phone in the dark."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = ada.open(address(place, name))
    for scheme, width in (("light", 1280), ("dark", 360)):
        # Half way from light to dark no colour is what it will be: here they change at once.
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 780})
        page.evaluate(TWO_FRAMES)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), scheme
        found = axe.run(page).response["violations"]
        bad = [
            (one["id"], node["html"][:200])
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]
        assert bad == [], scheme
    assert page.evaluate("window.pwned") is None


def test_a_key_becomes_a_session_that_no_script_can_read(stranger: Seen, place: Town) -> None:
    page = stranger.page
    page.goto(place.url)
    page.get_by_label("Key", exact=True).fill("rk_wrong")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").filter(has_text="key").wait_for()
    stranger.sign_in(place.key("ada"))
    (cookie,) = stranger.context.cookies()
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    assert place.key("ada") not in cookie["value"]
    assert page.evaluate("document.cookie") == ""
    page.reload()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name="Sign in").wait_for()
    assert stranger.context.cookies() == []


def test_a_session_counts_only_beside_the_header_of_our_pages(place: Town) -> None:
    with httpx.Client(base_url=place.url) as client:
        key = {"Authorization": f"Bearer {place.key('ada')}"}
        assert client.post("/session", headers=key).status_code == 200
        page = {"Remanent-Web": "1"}
        assert client.get("/v1/status").status_code == 401
        assert client.post("/v1/remember", json={"text": "Forged."}).status_code == 401
        elsewhere = {**page, "Sec-Fetch-Site": "cross-site"}
        assert client.get("/v1/status", headers=elsewhere).status_code == 401
        assert client.get("/v1/status", headers=page).json()["user_id"] == "ada"
        assert client.delete("/session").json()["signed_in"] is False
        assert client.get("/v1/status", headers=page).status_code == 401


def test_a_revoked_key_ends_its_session(place: Town) -> None:
    made = place.memory.create_key("ada", name="short-lived", powers=("read",))
    with httpx.Client(base_url=place.url, headers={"Remanent-Web": "1"}) as client:
        client.post("/session", headers={"Authorization": f"Bearer {made.secret}"})
        assert client.get("/v1/status").status_code == 200
        place.memory.revoke_key(made.key.key_id)
        assert client.get("/v1/status").status_code == 401


def test_the_page_may_run_and_load_only_what_is_ours(place: Town) -> None:
    headers = httpx.get(place.url).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert httpx.get(f"{place.url}/web/../__init__.py").status_code == 404
    assert httpx.get(f"{place.url}/web/js/app.js").headers["cache-control"] == "no-cache"


def test_hostile_text_is_text(ada: Seen, place: Town) -> None:
    headers = {"Authorization": f"Bearer {place.key('ada')}"}
    sources = httpx.get(
        f"{place.url}/v1/sources?limit=100&include_archived=true", headers=headers
    ).json()["items"]
    evil = next(one["key"] for one in sources if one["title"] == HOSTILE)
    for where in (f"#/source/{evil}", "#/search?q=answer", "#/beliefs", "#/people", "#/"):
        page = ada.open(where)
        page.wait_for_timeout(250)
        assert page.evaluate("window.pwned") is None
        assert page.locator("main img, main script").count() == 0
    page = ada.open(f"#/source/{evil}")
    assert HOSTILE in page.locator("h1").inner_text()


def test_search_as_one_types_and_through_time(ada: Seen) -> None:
    page = ada.open()
    page.keyboard.press("/")
    page.keyboard.type("where does Maria live")
    page.wait_for_selector(".hit .stack .part")
    assert page.url.endswith("#/search?q=where+does+Maria+live")
    page.locator(".hit s").first.wait_for()  # Oslo was replaced
    page.locator(".chip", has_text="belief").click()
    page.wait_for_selector("ol.hits:not(:has(.k-passage)) .k-belief")
    page.get_by_text("Travel in time").click()
    slider = page.get_by_label("The day to ask about")
    slider.focus()
    page.keyboard.press("Home")
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.get_by_text("as of").wait_for()
    assert "then=2026-03" in page.url


def test_a_keyboard_is_enough(ada: Seen) -> None:
    page = ada.open("#/search?q=Maria+lives+in+Bergen")
    page.wait_for_selector(".hit")
    page.locator("[type=search]").first.focus()
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "(() => { const e = document.activeElement, s = getComputedStyle(e);"
            " return [e.className, s.outlineStyle, e.getAttribute('href') || '']; })()"
        )
        assert focused[1] != "none", focused  # one always sees where one is
        if focused[0] == "hit-text":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:not(:text-is('Search'))")
    assert focused[2] in page.url


def test_an_undo_says_what_it_takes_along_before_it_does(ada: Seen, place: Town) -> None:
    page = ada.open(address(place, "source"))
    page.get_by_role("button", name="Undo…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text(re.compile(r"^\d+ mentions$")).wait_for()
    dialog.get_by_role("button", name="Leave it").click()
    page.get_by_role("button", name="Erase…").click()
    dialog.get_by_text("This cannot be taken back").wait_for()
    assert "1 source (graph)" in dialog.inner_text()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")


def test_a_belief_is_corrected_and_forgotten(ada: Seen, place: Town) -> None:
    held = place.memory.user("ada").remember("The piano is in the cellar.").belief
    page = ada.open(f"#/belief/{held.key}")
    page.get_by_role("button", name="Correct…").click()
    page.get_by_role("dialog").get_by_role("textbox").fill("The piano is in the attic.")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    page.locator("h1", has_text="attic").wait_for()
    page.get_by_role("button", name="Forget…").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget it").click()
    page.wait_for_selector("h1:text-is('Beliefs')")
    assert place.memory.user("ada").read(held.key).node.status == "forgotten"


def test_a_belief_is_pinned_and_unpinned(ada: Seen, place: Town) -> None:
    me = place.memory.user("ada")
    key = me.remember("The cabin has a red door.").belief.key
    page = ada.open(f"#/belief/{key}")
    page.get_by_role("button", name="Keep for ever").click()
    page.get_by_text("pinned: it stays as sure as it is").wait_for()
    assert me.read(key).node.is_pinned
    page.locator("summary", has_text="2 changes").click()
    page.get_by_text("by hand: kept for ever").wait_for()
    page = ada.open("#/beliefs")
    page.locator(f".belief[data-key='{key}']", has_text="pinned").wait_for()
    page = ada.open(f"#/belief/{key}")
    page.get_by_role("button", name="Let it fade again").click()
    page.get_by_role("button", name="Keep for ever").wait_for()
    assert not me.read(key).node.is_pinned


def test_a_dispute_is_settled_with_one_click(ada: Seen, place: Town) -> None:
    me = place.memory.user("ada")
    stays = me.remember("The rehearsal is on Friday").belief
    goes = me.remember("The rehearsal is on perhaps-Sunday").belief
    assert goes.disputes == stays.key
    page = ada.open(f"#/belief/{goes.key}")
    page.get_by_text(f"Speaks against {stays.statement}", exact=True).wait_for()
    page = ada.open("#/beliefs")
    card = page.locator(".pair .card", has_text="Friday")
    card.get_by_role("button", name="This is so").click()
    page.get_by_text("No two beliefs are known to dispute each other").wait_for()
    assert me.read(goes.key).node.status == "forgotten"
    assert len(me.read(stays.key).node.supports) == 2  # the click is the user's word


def test_every_access_that_is_kept_is_on_the_curve(ada: Seen, place: Town) -> None:
    me = place.memory.user("ada")
    key = next(one.key for one in me.anchors("person") if one.name == "Maria")
    for _ in range(3):
        place.clock.advance(timedelta(hours=2))
        me.touch(key)
    kept = me.curve(key).accesses
    assert len(kept) > 2
    page = ada.open(f"#/curve/{key}")
    assert page.locator(".mark.access").count() == len(kept)
    assert "access: from" in page.locator(".mark.access title").first.text_content()
    page.get_by_text("Archived on").or_(page.get_by_text("never archived")).first.wait_for()


def test_a_timeline_has_arcs_bands_and_gaps(ada: Seen) -> None:
    page = ada.open("#/timeline")
    assert page.locator(".timeline .arc").count() >= 3
    assert page.locator(".timeline .band").count() >= 1
    assert page.locator(".timeline .gap").count() == 1
    before = page.locator(".lead").inner_text()
    page.get_by_role("button", name="Nearer").click()
    assert page.locator(".lead").inner_text() != before
    page.get_by_role("button", name="All").click()
    page.locator("a:has(.band)").first.focus()
    page.keyboard.press("Enter")
    page.locator("h2", has_text="Its storylines").wait_for()


def test_a_source_is_undone_and_erased(ada: Seen, place: Town) -> None:
    me = place.memory.user("ada")
    key = me.add("Priya Nair sold the green tent.", title="Tent")
    me.work()
    page = ada.open(f"#/source/{key}")
    page.get_by_role("button", name="Undo…").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("li", has_text="Priya Nair sold the green tent.").first.wait_for()
    dialog.get_by_role("button", name="Undo it").click()
    page.locator("h3", has_text="0 people and things").wait_for()
    page.get_by_role("button", name="Erase…").click()
    dialog.get_by_text("Among them").or_(dialog.get_by_text("1 source (graph)")).first.wait_for()
    dialog.get_by_role("button", name="Erase it for good").click()
    page.wait_for_selector("h1:text-is('Sources')")
    page = ada.open(f"#/source/{key}")
    page.get_by_text("nothing in this memory has the key").wait_for()  # the API's words
    assert any("404" in one for one in ada.errors)
    ada.errors.clear()  # the browser's note of that answer


def test_a_team_is_chosen_joined_and_left_behind(ada: Seen, stranger: Seen, place: Town) -> None:
    me = place.memory.user("ada")
    me.create_team("The choir", "choir")
    for team in ("band", "choir"):
        me.add(f"The {team} meets at eight.", title=f"For the {team}", team=team)
    page = ada.open("#/sources")
    page.locator("li.source", has_text="For the choir").wait_for()
    page.get_by_label("Whose things to see").select_option(label="Personal and The <b>band</b>")
    page.locator("li.source", has_text="For the choir").wait_for(state="detached")
    page.locator("li.source", has_text="For the band").wait_for()
    page = ada.open("#/")
    page.get_by_label("A note").fill("Tom Berg tunes the bass.")
    page.get_by_label("share it with the team").check()
    page.get_by_role("button", name="Remember this").click()
    page.get_by_text("It is being read").wait_for()
    assert me.sources(1)[0].team_id == "band"
    page.get_by_label("Whose things to see").select_option(label="Personal and all teams")
    page.get_by_label("share it with the team").wait_for(state="detached")
    page = ada.open("#/teams")
    band = page.locator("section", has_text="The <b>band</b>")
    band.get_by_role("button", name="Invite somebody").click()
    page.get_by_role("dialog").get_by_role("textbox").fill("tom")
    page.get_by_role("dialog").get_by_role("button", name="Invite").click()
    page.get_by_text("Invited.").wait_for()
    stranger.sign_in(place.key("tom"))
    theirs = stranger.open("#/teams")
    theirs.get_by_text("ada invites you to").wait_for()
    theirs.get_by_role("button", name="Join").click()
    theirs.locator("h2", has_text="The <b>band</b>").wait_for()
    ada.open("#/")
    page = ada.open("#/teams")
    page.get_by_label("Role of tom").select_option("admin")
    page.locator("select[aria-label='Role of tom']").wait_for()
    page.get_by_role("button", name="Put out").click()
    page.get_by_role("dialog").get_by_role("button", name="Put out").click()
    page.get_by_label("Role of tom").wait_for(state="detached")


def test_pages_of_an_empty_memory_teach(stranger: Seen, place: Town) -> None:
    place.memory.user("eve", name="Eve")
    stranger.sign_in(place.key("eve"))
    for name in ("", "beliefs", "people", "graph", "timeline", "sources"):
        page = stranger.open(f"#/{name}")
        page.get_by_text("Nothing is remembered yet").wait_for()
        assert page.get_by_role("button", name="Load the demo life").is_visible(), name


def test_a_person_is_put_right_in_place_and_back(ada: Seen, place: Town) -> None:
    keys = {one.name: one.key for one in place.memory.user("ada").anchors("person")}
    page = ada.open(f"#/anchor/{keys['Priya Nair']}")
    page.get_by_role("button", name="Rename…").click()
    page.get_by_role("dialog").get_by_role("textbox").fill("Priya Rao")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    page.locator("h1", has_text="Priya Rao").wait_for()
    page.get_by_role("button", name="Add a note…").click()
    page.get_by_role("dialog").get_by_role("textbox").fill("Plays the cello.")
    page.get_by_role("dialog").get_by_role("button", name="Keep it").click()
    page.locator("li", has_text="Plays the cello.").first.wait_for()
    page.get_by_role("button", name="Add a relation…").click()
    page.get_by_label("How they stand").last.fill("friend")
    page.get_by_label("To whom or what").last.fill("Maria")
    page.get_by_role("dialog").get_by_role("button", name="Say so").click()
    page.locator("li", has_text="friend").get_by_role("button", name="Never so…").click()
    page.get_by_role("dialog").get_by_role("button", name="It never was").click()
    page.locator("li .bar").wait_for(state="detached")
    page.locator("li", has_text="name Priya Rao").get_by_role("button", name="Take back").click()
    page.locator("h1", has_text="Priya Nair").wait_for()
    page = ada.open(f"#/anchor/{keys['Maria']}")
    page.get_by_role("button", name="Ended…").click()
    page.get_by_role("dialog").get_by_label("When it ended").fill("2026-04-05")
    page.get_by_role("dialog").get_by_role("button", name="It ended then").click()
    page.locator("li", has_text="until 2026-04-05").get_by_role("button", name="Take back").click()
    page.get_by_role("button", name="Ended…").wait_for()


def test_the_graph_is_drawn_replayed_and_told(ada: Seen) -> None:
    page = ada.open("#/graph")
    page.wait_for_selector(".canvas[data-ready] canvas")
    page.locator(".side").get_by_role("button", name="Maria").click()
    page.locator(".side h2", has_text="Maria").wait_for()
    page.locator(".side s", has_text="home").first.wait_for()
    page.get_by_role("button", name="What hangs together").click()
    page.get_by_text("Most often passed from here").wait_for()
    page.get_by_label("How the graph grew: the day to show").fill("20")
    assert "2026" in page.locator(".replay output").inner_text()


def test_a_file_comes_in_and_a_memory_goes_out(ada: Seen, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("Priya Nair plays the cello.")
    page = ada.open("#/import")
    page.set_input_files("input[type=file]", note)
    page.get_by_text("1 source came in").wait_for()
    with page.expect_download() as awaited:
        page.get_by_role("button", name="Download the memory").click()
    assert '"ada"' in Path(awaited.value.path()).read_text("utf-8")


def test_a_file_is_dropped_and_its_progress_told(ada: Seen, place: Town, tmp_path: Path) -> None:
    note = tmp_path / "dropped.md"
    note.write_text("Tom Berg sails to Bergen.")
    page = ada.open("#/import")
    box = page.locator(".drop").bounding_box()
    hand = ada.context.new_cdp_session(page)
    dragged = {"items": [], "files": [str(note)], "dragOperationsMask": 1}
    where = {"x": box["x"] + box["width"] / 2, "y": box["y"] + 20, "data": dragged}
    hand.send("Input.dispatchDragEvent", {"type": "dragEnter", **where})
    hand.send("Input.dispatchDragEvent", {"type": "dragOver", **where})
    page.wait_for_selector(".drop.over")
    hand.send("Input.dispatchDragEvent", {"type": "drop", **where})
    row = page.locator("li", has_text="dropped.md")
    row.get_by_text("1 source came in").wait_for()
    assert row.locator("progress").get_attribute("aria-label") == "Reading dropped.md"
    place.memory.user("ada").work()
    row.get_by_text("1 of 1 read: 1 person").wait_for()
    assert row.locator("progress").evaluate("(one) => one.value") == 1
    assert page.locator(".drop.over").count() == 0


def test_a_new_memory_says_what_to_do_and_loads_the_demo(stranger: Seen, place: Town) -> None:
    stranger.sign_in(place.key("new"))
    page = stranger.page
    page.get_by_text("Nothing is remembered yet").wait_for()
    page.get_by_role("button", name="Load the demo life").click()
    page.get_by_text("Before Easter").wait_for()
    assert place.memory.user("new").status().counts["source"] == 18


def test_a_note_is_taken_in_and_a_question_answered(ada: Seen) -> None:
    page = ada.open()
    page.get_by_label("A note").fill("Tom Berg bought a red boat.")
    page.get_by_role("button", name="Remember this").click()
    page.get_by_text("It is being read").wait_for()
    page.get_by_label("A question").fill("who bought a boat?")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator(".hit", has_text="red boat").first.wait_for()


def test_the_files_are_few_and_small_and_ask_nobody_else() -> None:
    files = [one for one in STATIC.rglob("*") if one.is_file()]
    packed = sum(len(gzip.compress(one.read_bytes())) for one in files)
    assert packed < 600_000
    own = [one for one in files if one.parent.name != "vendor"]
    outside = {
        found
        for one in own
        for found in re.findall(r"https?://[^\s\"'`)]+", one.read_text("utf-8"))
    }
    assert outside <= {"http://www.w3.org/2000/svg"}
    assert not any(word in one.read_text("utf-8") for one in own for word in ("innerHTML", "eval("))


def test_the_demo_is_the_one_of_the_examples() -> None:
    """`python -m tests.web.demo_life` writes it anew."""
    assert (STATIC / "demo.json").read_text("utf-8") == demo_text()
