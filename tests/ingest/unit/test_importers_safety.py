"""Files from strangers: bombs, names that climb, damage, and whatever JSON may hold."""

from __future__ import annotations

import json
import os
import stat
import struct
import tempfile
import tracemalloc
import zipfile
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from effort import times
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from importing import (
    LETTER,
    NOW,
    SLACK,
    chatgpt,
    claude,
    items,
    node,
    offers,
    skipped,
    written,
    zipped,
)

from remanent.errors import InvalidInput
from remanent.ingest.importers import FORMATS, box, mail, read
from remanent.ingest.rules.dedupe import ImportedSource

pytestmark = pytest.mark.quick

TALK = chatgpt(node("a", "root", "user", "My boat leaks."), node("b", "a", "assistant", "Epoxy."))


def test_a_bomb_is_refused_before_it_goes_off(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.md", b"0" * 40_000_000)

    with pytest.raises(InvalidInput, match="zip bomb"):
        items(path)


def test_a_bomb_among_good_members_costs_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(box, "SMALL_BYTES", 100_000)
    path = zipped(tmp_path / "a.zip", {"a.md": "A note.", "bomb.md": b"0" * 900_000})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("noise.bin", os.urandom(100_000))

    assert [one.content for one in offers(path)] == ["A note."]
    assert skipped(path) == [
        ("bomb.md", "cannot be read: would unpack to 900,000 bytes: a zip bomb?")
    ]


def test_a_member_that_lies_about_its_size_gives_no_more_than_it_said(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a.md": "x" * 5_000, "b.md": "A note."})
    data = bytearray(path.read_bytes())
    place = data.index(b"PK\x01\x02") + 24
    data[place : place + 4] = struct.pack("<I", 10)  # a.md, as the directory has it
    path.write_bytes(data)

    assert [one.content for one in offers(path)] == ["A note."]
    assert skipped(path)[0][0] == "a.md"


@pytest.mark.parametrize(
    "name", ["../../evil.md", "/etc/evil.md", "a/../../evil.md", "..\\evil.md"]
)
def test_names_that_climb_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = zipped(tmp_path / "a.zip", {name: "evil", "good.md": "good", "__MACOSX/._good.md": "x"})
    before = sorted(tmp_path.rglob("*"))

    assert [one.content for one in offers(path)] == ["good"]
    assert skipped(path) == [(name, "leads out of the archive")]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_link_in_an_archive_is_no_note_of_its_target(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"good.md": "good"})
    link = zipfile.ZipInfo("link.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")

    assert [one.content for one in offers(path)] == ["good"]
    assert skipped(path) == [("link.md", "is a link, not a file")]


def test_an_encrypted_member_is_told(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a.md": "secret", "b.md": "A note."})
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    path.write_bytes(data)

    assert [one.content for one in offers(path)] == ["A note."]
    assert skipped(path) == [("a.md", "cannot be read: is encrypted")]


def test_a_damaged_member_costs_itself(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a.md": "hello " * 999, "b.md": "A note."})
    data = bytearray(path.read_bytes())
    data[40:50] = bytes(10)
    path.write_bytes(data)

    assert [one.content for one in offers(path)] == ["A note."]
    assert skipped(path)[0][0] == "a.md"


def test_an_archive_cut_short_is_no_archive(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a.md": "hello " * 999})
    path.write_bytes(path.read_bytes()[:-30])

    with pytest.raises(InvalidInput):
        items(path)


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(box, "MOST_MEMBERS", 2)
    members = {f"{number}.md": "x" for number in range(3)}

    with pytest.raises(InvalidInput, match="more than 2 files"):
        items(zipped(tmp_path / "a.zip", members))


def test_a_text_that_is_too_long_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(box, "MOST_TEXT_BYTES", 100)
    path = written(tmp_path / "a.md", "x" * 101)

    assert skipped(path) == [("a.md", "has 101 bytes; at most 100 are taken")]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mail", "jsonl", "chatgpt"])
def test_a_large_file_is_never_in_memory_as_a_whole(tmp_path: Path, kind: str) -> None:
    long = "The harbour was quiet. " * 4_000  # about 92 kB
    texts = {
        "mail": f"From a Mon Mar  2 10:00:00 2026\n{LETTER}{long}\n\n" * 400,
        "jsonl": (json.dumps({"text": long}) + "\n") * 400,
        "chatgpt": json.dumps([chatgpt(node("a", "root", "user", long))] * 400),
    }
    path = written(tmp_path / "large", texts[kind])
    size = path.stat().st_size
    texts.clear()

    tracemalloc.start()
    try:
        count = sum(isinstance(one, ImportedSource) for one in read(path, kind, zone=UTC, now=NOW))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == 400
    assert peak < size / 3


# Anything that JSON can say, often in the shape of an export but never quite.
_WORDS = """
    mapping current_node message author role user assistant content parts content_type text recipient all
    create_time parent children id uuid sender human chat_messages created_at title name ts thread_ts
    messages turns type started_at participants edited files profile conversation_id
""".split()  # noqa: SIM905 - one a line would hide the test
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(_WORDS),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_WORDS), inner, max_size=6)
    ),
    max_leaves=30,
)


def _disturbed(thing: Any, draw: Any) -> Any:
    """The same, with something else in a place or two."""
    if draw(st.integers(0, 14)) == 0:
        return draw(_VALUES)
    if isinstance(thing, dict):
        return {
            name: _disturbed(one, draw) for name, one in thing.items() if draw(st.integers(0, 20))
        }
    if isinstance(thing, list):
        return [_disturbed(one, draw) for one in thing]
    return thing


# A failing example is long whatever is done to it: minutes of shrinking tell nothing more.
_QUICK = settings(
    max_examples=times(25, 1000), phases=[Phase.explicit, Phase.reuse, Phase.generate]
)


@_QUICK
@given(st.data())
def test_no_json_makes_an_importer_fall_over(data: st.DataObject) -> None:
    talks = [_disturbed(TALK, data.draw), _disturbed(claude(("human", "Hi")), data.draw)]
    members = {name: _disturbed(one, data.draw) for name, one in SLACK.items()}
    lines = "\n".join(json.dumps(data.draw(_VALUES)) for _ in range(3))
    with tempfile.TemporaryDirectory() as folder:
        path = zipped(
            Path(folder, "a.zip"), {**members, "conversations.json": talks, "lines.jsonl": lines}
        )
        for format_ in FORMATS:
            list(read(path, format_, zone=UTC, now=NOW))


_SCRAPS = st.sampled_from([
    "=?", "utf-8", "nope", "?b?", "?q?", "?=", "w6", "%ff", "''", '"', ";", "\n", "\n ", ":", "<", ">", "é",
    "Subject: ", "Date: ", "Message-ID: ", "Content-Type: ", "multipart/mixed; boundary=x", "--x",
    "Content-Disposition: attachment; ", "filename=", "filename*0*=", "charset=", "text/plain",
    "Content-Transfer-Encoding: ", "base64", "8bit", "Mon, 99 Mar 20260 10:00:00 +9999", "\x00", "\udcff",
])  # fmt: skip


@_QUICK
@given(st.lists(_SCRAPS, max_size=40), st.booleans())
def test_no_header_makes_the_reader_of_mail_fall_over(scraps: list[str], large: bool) -> None:
    text = f"X: y\n{''.join(scraps)}\n\ntext"
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(mail, "_LARGE", 0 if large else 1_000_000)
        path = Path(folder, "a.eml")
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        assert len(list(read(path, "mail", zone=UTC, now=NOW))) == 1


@_QUICK
@given(st.binary(max_size=300), st.sampled_from(sorted(FORMATS)))
def test_no_bytes_make_an_importer_fall_over(data: bytes, format_: str) -> None:
    letters = b"From a Mon Mar  2 10:00:00 2026\n" + LETTER.encode().replace(b"Tom", data)
    with tempfile.TemporaryDirectory() as folder:
        for content in (data or b"x", letters):
            path = Path(folder, "file")
            path.write_bytes(content)
            list(read(path, format_, zone=UTC, now=NOW))
