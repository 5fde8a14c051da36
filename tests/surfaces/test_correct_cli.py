"""`remanent correct`, `relate`, `corrections`, `undo-correction`: what a person sees of them."""

from __future__ import annotations

from pathlib import Path

from command_line import remanent


def test_a_person_puts_something_right(tmp_path: Path) -> None:
    where = ("--memory", str(tmp_path / "memory.db"))
    remanent("init", *where, "--user", "ada", "--name", "Ada Lindqvist")
    note = ("correct", "Ada Lindqvist", "note", "Sails.", "--lifetime", "week")
    done = remanent(*note, *where)
    assert (done.code, "Put right" in done.out) == (0, True)
    assert "As it was" in remanent(*note, *where).out
    (listed,) = remanent("corrections", *where, "--json").json["corrections"]
    assert (listed["field"], listed["value"]) == ("note", "Sails.")
    assert listed["expires_at"] is not None
    assert "note: Sails." in remanent("corrections", "Ada Lindqvist", *where).out
    unknown = remanent("undo-correction", "ffffffff", *where)
    assert (unknown.code, "`corrections`" in unknown.err) == (3, True)
    undone = remanent("undo-correction", listed["correction_id"][:20], *where, "--json").json
    assert undone["changed"]
    assert "Nothing was put right by hand." in remanent("corrections", *where).out
    for wrong, field in (
        (("correct", "Ada Lindqvist", "type", "robot"), "field"),
        (("correct", "Ada Lindqvist", "note", "x", "--expires", "2001-01-01"), "expires_at"),
        (("relate", "Ada Lindqvist", "Ada Lindqvist", "friend"), "dst"),
    ):
        assert remanent(*wrong, *where, "--json").error["field"] == field
    assert remanent("relate", "Ada Lindqvist", "Nobody", "friend", *where).code != 0


def test_the_key_of_a_relationship_says_where_it_is_shown(tmp_path: Path) -> None:
    where = ("--memory", str(tmp_path / "memory.db"), "--user", "ada")
    remanent("init", *where, "--name", "Ada Lindqvist")
    remanent("add", "--text", "Tom Berg is a friend of Maria Lind.", *where)
    done = remanent("relate", "Tom Berg", "Maria Lind", "rival", *where, "--json").json
    shown = remanent("show", done["key"][:8], *where, "--json").error
    src = shown["message"].split("`relationships` of ")[1].split()[0]
    assert done["key"][:8] in remanent("relationships", src, *where).out
    assert remanent("show", "ffffffff", *where).code == 3


def test_where_a_source_came_from_is_shown(tmp_path: Path) -> None:
    where = ("--memory", str(tmp_path / "memory.db"))
    remanent("init", *where, "--user", "ada", "--name", "Ada Lindqvist")
    came = ("--origin", "notion", "--channel", "team", "--confidence", "0.8")
    key = remanent("add", "--text", "Tea.", "--no-work", *came, *where, "--json").json["key"]
    assert "origin notion, channel team, confidence 0.8" in remanent("show", key, *where).out
    wrong = remanent("add", "--text", "Tea.", "--confidence", "7", *where, "--json")
    assert wrong.error["field"] == "provenance.confidence"
