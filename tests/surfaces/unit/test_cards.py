"""Cards: what the lines of a template make of a thing."""

from __future__ import annotations

import io
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

import pytest
from rich.console import Console

from remanent.surfaces.cli.views.cards import CARDS, card, cards, text_of

pytestmark = pytest.mark.quick
OSLO = ZoneInfo("Europe/Oslo")


class State(StrEnum):
    OPEN = "open"
    OVER = "over"


@dataclass(frozen=True)
class Thing:
    name: str = "Maria"
    key: str = "46f9ce5a-0000-5000-8000-000000000000"
    state: State = State.OPEN
    at: datetime | None = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)
    count: int = 0
    others: tuple[str, ...] = ()
    inner: Thing | None = None


@dataclass(frozen=True)
class Pair:
    both: tuple[Thing, ...]
    none: tuple[Thing, ...]


def printed(view: object) -> str:
    out = io.StringIO()
    Console(file=out, width=80).print(view)
    return out.getvalue()


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("{name} is {state}", "Maria is open"),
        ("{inner.name}", "Tom"),
        ("{key:short}", "46f9ce5a"),
        ("{at}", "2026-03-03 00:30"),
        ("{at:day}", "2026-03-03"),
        ("{count:#source}", "0 sources"),
        ("{inner.count:#source}", "1 source"),
        ("{others}", ""),
        ("{inner.others}", "Ada, Bob"),
        ("also {others} | nobody else", "nobody else"),
        ("{?count}{count:,} more", ""),
        ("{!count}none", "none"),
        ("{?state=open}goes on | has ended", "goes on"),
        ("{?state=over}has ended | goes on", "goes on"),
        ("- {name} · with {others} · {count}", "Maria · 0"),
        ("- {others}", ""),
    ],
)
def test_a_field_is_told_and_what_is_empty_is_left_out(template: str, told: str) -> None:
    thing = Thing(inner=Thing(name="Tom", count=1, others=("Ada", "Bob")))

    assert text_of(template, thing, OSLO).plain == told


def test_a_style_holds_where_it_stands_and_short_keys_have_theirs() -> None:
    text = text_of("[bold red]{name}[/] {key:short}", Thing())

    styles = [(text.plain[one.start : one.end], str(one.style)) for one in text.spans]
    assert styles == [("Maria", "bold red"), ("46f9ce5a", "not dim cyan")]


def test_nothing_in_a_field_is_read_as_a_template_or_steers_the_terminal() -> None:
    thing = Thing(name="[red]{key}[/] | x · \x1b[2J", key="\x1b[2J")

    assert text_of("{name}", thing).plain == "[red]{key}[/] | x · \ufffd[2J"
    assert text_of("{key:short}", thing).plain == "\ufffd[2J"


def test_a_name_that_the_thing_does_not_have_is_an_error_even_where_it_is_not_shown() -> None:
    with pytest.raises(AttributeError):
        text_of("{others} {nme}", Thing())


def test_lines_that_are_empty_are_left_out_of_a_card() -> None:
    assert printed(card("{name}\n{others}\n- {others}\n{state}", Thing())) == "Maria\nopen\n"


def test_more_stands_beside_and_before_what_the_thing_has() -> None:
    assert text_of("{name} {way}", Thing(), name="Tom", way="home").plain == "Tom home"


def test_a_list_is_numbered_or_says_that_there_is_nothing() -> None:
    view = cards(Thing, "{name}", "Nobody.")

    assert printed(view([Thing(), Thing(name="Tom")], OSLO)).split() == ["1", "Maria", "2", "Tom"]
    assert printed(view([], OSLO)) == "Nobody.\n"


def test_a_field_is_drawn_by_the_card_of_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CARDS, Thing, "{name}")
    two = Pair(both=(Thing(), Thing(name="Tom")), none=())

    assert printed(card("> both", two)) == "Maria\nTom\n"
    assert printed(card("1. both", two)).split() == ["1", "Maria", "2", "Tom"]
    assert printed(card("# Both of them: both", two)).split("\n")[1] == "Both of them"
    assert printed(card("end\n# None of them: none\n1. none\n> none", two)) == "end\n"
