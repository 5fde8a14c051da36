"""Every command on a real memory, for people and for programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from command_line import Done, Interrupted, remanent

from remanent.jobs.rules import TimetableRules

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
TURNS = [
    {"id": "t1", "speaker": "Ada", "at": "2026-03-02T19:30", "text": "Maria lives in Oslo."},
    {"id": "t2", "speaker": "Assistant", "at": "2026-03-02T19:31", "text": "Is that far from you?"},
    {"id": "t3", "speaker": "Ada", "at": "2026-03-02T19:32", "text": "Maria is a nurse. Maria likes fish soup."},
]  # fmt: skip


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory with a conversation, a note and a belief that changed."""
    folder = tmp_path_factory.mktemp("lived")
    path, talk, note = folder / "memory.db", folder / "talk.json", folder / "zürich.md"
    talk.write_text(json.dumps(TURNS), "utf-8")
    note.write_text("# Boats\n\nThe red boat [bold]leaks[/bold] \x1b[31mbadly\x1b[0m.\n", "utf-8")
    at = ("--memory", str(path))
    for arguments in (
        ("init", "--user", "ada", "--name", "Ada Lindqvist", "--timezone", "Europe/Oslo"),
        ("add", str(talk), "--title", "Catching up", "-p", "Maria", "--origin-id", "talk-1"),
        ("add", str(note), "--started-at", "2026-03-05"),
        ("remember", "Maria lives in Oslo.", "--at", "2026-03-02T19:30"),
        ("remember", "Maria lives in Bergen.", "--at", "2026-03-23"),
    ):
        done = remanent(*arguments, *at)
        assert done.code == 0, done.err
    return path


def ask(path: Path, *arguments: str) -> Done:
    return remanent(*arguments, "--memory", str(path))


def key_of(path: Path, statement: str, *options: str) -> str:
    held = ask(path, "beliefs", "--json", *options).json["beliefs"]
    return next(str(one["key"]) for one in held if one["statement"] == statement)


# --- init, users ------------------------------------------------------------------------------


def test_init_says_where_and_what_next(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "memory.db"
    done = remanent("init", "--user", "ada", "--memory", str(path))

    assert done.code == 0, done.err
    assert path.exists()
    assert "ada" in done.out
    assert "remember" in done.out
    assert done.err == ""


def test_init_where_no_folder_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    done = ask(tmp_path / "file" / "memory.db", "init", "--user", "ada", "--json")

    assert done.code == 1
    assert done.error["type"] == "ReadOnlyMemory"


def test_init_twice_is_fine_and_takes_a_new_name(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    first = ask(path, "init", "--user", "ada", "--json").json
    again = ask(path, "init", "--name", "Ada L", "--timezone", "Europe/Oslo", "--json").json

    assert (first["created"], again["created"]) == (True, False)
    assert again["user"]["user_id"] == "ada"
    assert (again["user"]["name"], again["user"]["timezone"]) == ("Ada L", "Europe/Oslo")


def test_init_in_the_place_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMANENT_MEMORY", str(tmp_path / "env.db"))
    monkeypatch.setenv("REMANENT_USER", "eva")

    assert remanent("init", "--json").json["user"]["user_id"] == "eva"
    assert (tmp_path / "env.db").exists()
    assert remanent("status").code == 0


def test_init_refuses_a_time_zone_that_does_not_exist(tmp_path: Path) -> None:
    done = ask(tmp_path / "m.db", "init", "--user", "ada", "--timezone", "Mars/Base", "--json")

    assert done.code == 2
    assert done.error["field"] == "timezone"


def test_several_users_must_be_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ask(path, "init", "--user", "ada")
    ask(path, "init", "--user", "bob")
    done = ask(path, "status")

    assert done.code == 2
    assert "ada, bob" in done.err
    assert ask(path, "status", "--user", "bob").code == 0
    assert [one["user_id"] for one in ask(path, "users", "--json").json["users"]] == ["ada", "bob"]
    assert "bob" in ask(path, "users").out


def test_a_memory_in_the_air_is_refused() -> None:
    assert remanent("init", "--memory", ":memory:").code == 2


# --- add, work --------------------------------------------------------------------------------


def test_a_text_where_a_file_belongs_is_told_where_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ask(path, "init", "--user", "ada")
    done = ask(path, "add", "The spare key is with Tom.", "--json")

    assert done.code == 2
    assert "there is no file The spare key" in done.error["message"]
    assert "--text" in done.error["message"]
    assert "--text" not in ask(path, "add", "monday.md", "--json").error["message"]


@pytest.fixture
def no_nights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are counted exactly: none of the night may fall due while a test runs at its hour."""
    for job in fields(TimetableRules):
        monkeypatch.setenv(f"REMANENT_TIMETABLE__{job.name.upper()}", "off")


@pytest.mark.usefixtures("no_nights")
def test_add_text_and_leave_the_work_for_later(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ask(path, "init", "--user", "ada")
    added = ask(path, "add", "--text", "The harbour was quiet.", "--no-work", "--json").json

    assert added["worked"] is None
    assert "remanent work" in ask(path, "status").out
    assert (
        ask(path, "show", added["key"], "--json").json["page"]["node"]["processing_status"] == "raw"
    )

    worked = ask(path, "work", "--json").json

    assert [worked[name] for name in ("done", "retried", "parked")] == [3, 0, 0]
    assert "Nothing was waiting" in ask(path, "work").out


def test_work_stops_at_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ask(path, "init", "--user", "ada")
    ask(path, "add", "--text", "One.", "--no-work")

    assert ask(path, "work", "--limit", "1", "--json").json["done"] == 1


@pytest.mark.parametrize("dash", [["-"], []])
def test_add_from_standard_input(tmp_path: Path, dash: list[str]) -> None:
    path = tmp_path / "memory.db"
    ask(path, "init", "--user", "ada")
    given = ["add", *dash, "--no-work", "--json", "--memory", str(path)]
    done = remanent(*given, stdin="Grüße aus Oslo".encode())

    assert done.code == 0, done.err
    assert ask(path, "show", done.json["key"], "--raw").out == "Grüße aus Oslo\n"


def test_the_same_file_twice_is_one_source(tmp_path: Path) -> None:
    path, note = tmp_path / "memory.db", tmp_path / "note.txt"
    note.write_text("One thing.", "utf-8")
    ask(path, "init", "--user", "ada")
    keys = {ask(path, "add", str(note), "--no-work", "--json").json["key"] for _ in range(2)}

    assert len(keys) == 1


def test_turns_without_an_offset_are_in_the_users_time_zone(lived: Path) -> None:
    hit = ask(lived, "search", "nurse", "--kind", "passage", "--limit", "1", "--json").json["hits"][
        0
    ]

    assert hit["ref"] == "t3"
    assert hit["at"] == "2026-03-02T18:32:00+00:00"


def test_jsonl_holds_turns(tmp_path: Path) -> None:
    path, talk = tmp_path / "memory.db", tmp_path / "talk.jsonl"
    talk.write_text("\n".join(json.dumps(turn) for turn in TURNS) + "\n\n", "utf-8")
    ask(path, "init", "--user", "ada")
    key = ask(path, "add", str(talk), "--no-work", "--json").json["key"]
    page = ask(path, "show", key, "--json").json["page"]

    assert page["node"]["content_type"] == "conversation"
    assert page["node"]["title"] == "talk"


def test_a_file_of_a_mail_program_is_a_letter(tmp_path: Path) -> None:
    path, letter = tmp_path / "memory.db", tmp_path / "letter.EML"
    letter.write_text(
        "From: Maria Chen <maria@example.org>\nSubject: Dinner\n\nSeven at ours. Bring soup!\n",
        "utf-8",
    )
    ask(path, "init", "--user", "ada")
    key = ask(path, "add", str(letter), "--no-work", "--json").json["key"]
    node = ask(path, "show", key, "--json").json["page"]["node"]
    assert (node["content_type"], node["title"]) == ("email", "Dinner")

    key = ask(path, "add", str(letter), "--type", "text-note", "--no-work", "--json").json["key"]
    assert ask(path, "show", key, "--json").json["page"]["node"]["content_type"] == "text-note"


def test_a_heading_names_the_note(lived: Path) -> None:
    hits = ask(lived, "search", "boat leaks", "--kind", "passage", "--json").json["hits"]

    assert hits[0]["title"] == "Boats"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("bad.txt", b"good then \xff bad", "offset 10"),
        ("bad.json", b'{"a": ', "not JSON"),
        ("bad.jsonl", b'{"text": "a"}\n{"text"', "line 2"),
        ("number.json", b"7", "list of turns"),
        ("deep.json", b"[" * 200_000, "nested"),
        ("odd.json", b'[{"text": "hi", "mood": "good"}]', "mood"),
        ("empty.txt", b"", "empty"),
    ],
)
def test_content_that_cannot_be_taken(
    lived: Path, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    done = ask(lived, "add", str(file), "--json")

    assert done.code == 2
    assert done.out == ""
    assert said in done.error["message"]


def test_a_file_that_is_too_large_is_refused_unread(lived: Path, tmp_path: Path) -> None:
    file = tmp_path / "huge.txt"
    with file.open("wb") as sparse:
        sparse.truncate(2_000_000_000)
    done = ask(lived, "add", str(file))

    assert done.code == 2
    assert "2,000,000,000 bytes" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "nowhere.txt"], "no file nowhere.txt"),
        (["add", "."], "folder"),
        (["add", "x.txt", "--text", "y"], "not both"),
        (["add", "--text", "y", "--type", "poem"], "poem"),
        (["add", "--text", "y", "--context", "poem"], "poem"),
        (["add", "--text", "y", "--sensitivity", "poem"], "poem"),
        (["add", "--text", "y", "--started-at", "someday"], "--started-at"),
        (["add", "--text", "y", "--started-at", "2999-01-01"], "future"),
        (["add", "--text", "y", "--ended-at", "0001-01-01"], "--ended-at"),
        (["remember", "y", "--at", "2026-02-30"], "--at"),
        (["remember", "  "], "empty"),
        (["beliefs", "--as-of", "yesterday"], "--as-of"),
        (["search", "  "], "empty"),
        (["search", "y", "--kind", "poem"], "poem"),
        (["search", "y", "--limit", "0"], "--limit"),
        (["search", "y", "--limit", "many"], "--limit"),
        (["search"], "QUERY"),
        (["serach", "y"], "serach"),
        (["search", "y", "--lmit", "3"], "--limit"),
    ],
)
def test_bad_usage_is_two_and_names_what_is_wrong(
    lived: Path, arguments: list[str], said: str
) -> None:
    plain, machine = ask(lived, *arguments), ask(lived, *arguments, "--json")

    assert (plain.code, machine.code) == (2, 2)
    assert plain.out == machine.out == ""
    assert said in plain.err
    assert "Try" in plain.err
    assert said in machine.error["message"]
    assert machine.error["hint"]


# --- remember, recall, beliefs ----------------------------------------------------------------


def test_a_belief_that_changed_is_shown_both_ways(lived: Path) -> None:
    now = ask(lived, "beliefs").out
    then = ask(lived, "beliefs", "--as-of", "2026-03-10").out

    assert "Maria lives in Bergen." in now
    assert "Maria lives in Oslo." not in now
    assert "Maria lives in Oslo." in then
    assert "Bergen" not in then


def test_a_bare_date_means_the_whole_of_that_day(lived: Path) -> None:
    answer = ask(lived, "beliefs", "--as-of", "2026-03-02", "--json").json

    assert answer["as_of"] == "2026-03-02T22:59:59.999999+00:00"
    assert "Maria lives in Oslo." in [one["statement"] for one in answer["beliefs"]]


def test_recall_brings_the_belief_to_mind(lived: Path) -> None:
    answer = ask(lived, "recall", "Where does Maria live?", "--json").json

    assert answer["recollections"][0]["belief"]["statement"] == "Maria lives in Bergen."
    assert "Maria lives in Bergen." in ask(lived, "recall", "Where does Maria live?").out


def test_remember_says_what_it_did(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ask(path, "init", "--user", "ada")

    assert "New belief" in ask(path, "remember", "Tom plays the cello.").out
    again = ask(path, "remember", "Tom plays the cello.", "--json").json
    assert again["outcome"] == "reinforced"
    assert "No belief comes to mind" not in ask(path, "recall", "cello").out


def test_remember_says_what_became_of_each_statement(tmp_path: Path) -> None:
    path, text = tmp_path / "memory.db", "Maria lives in Oslo. She works at Telenor."
    ask(path, "init", "--user", "ada")

    done = ask(path, "remember", text).out
    again = ask(path, "remember", f"{text} My kettle is red.", "--json").json

    assert done.count("New belief") == 2
    assert done.index("Maria lives in Oslo.") < done.index("Maria works at Telenor.")
    assert [one["outcome"] for one in (again, *again["also"])] == [
        "reinforced",
        "reinforced",
        "created",
    ]


def test_show_a_belief_with_its_reasons_and_history(lived: Path) -> None:
    key = key_of(lived, "Maria lives in Oslo.", "--as-of", "2026-03-10")
    plain, answer = ask(lived, "show", key[:8]).out, ask(lived, "show", key, "--json").json

    assert "Why" in plain
    assert "History" in plain
    assert "No longer believed" in plain
    assert answer["kind"] == "belief"
    assert answer["page"]["node"]["status"] == "invalidated"
    assert answer["why"][0]["quote"]


# --- search, show, status ---------------------------------------------------------------------


def test_search_shows_who_when_and_where(lived: Path) -> None:
    done = ask(lived, "search", "who is a nurse?", "--limit", "1", "--kind", "passage")

    assert done.code == 0, done.err
    assert "Maria is a nurse." in done.out
    assert "Ada" in done.out
    assert "2026-03-02 19:32" in done.out
    assert "Catching up" in done.out


def test_search_explains_itself(lived: Path) -> None:
    plain = ask(lived, "search", "nurse")
    explained = ask(lived, "search", "nurse", "--explain")

    assert "lexical" not in plain.out
    assert "lexical" in explained.out


def test_an_empty_memory_finds_nothing_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ask(path, "init", "--user", "ada")

    assert ask(path, "search", "anything", "--kind", "passage", "--json").json["hits"] == []
    assert "Nothing found" in ask(path, "search", "anything", "--kind", "passage").out
    assert "Nothing is believed" in ask(path, "beliefs").out
    assert "No belief" in ask(path, "recall", "anything").out


def test_text_from_a_memory_cannot_steer_the_terminal(
    lived: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    out = ask(lived, "search", "red boat", "--kind", "passage", "--limit", "1").out

    assert "\x1b[31mbadly" not in out
    assert "badly" in out


def test_markup_in_a_memory_is_only_text(lived: Path) -> None:
    assert "[bold]leaks[/bold]" in ask(lived, "search", "red boat", "-k", "passage", "-n", "1").out


def test_colour_is_for_terminals_that_want_it(lived: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in ask(lived, "search", "nurse").out
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "36m" in ask(lived, "search", "nurse").out
    assert "36m" not in ask(lived, "search", "nurse", "--no-color").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "36m" not in ask(lived, "search", "nurse").out


@pytest.mark.parametrize("width", ["50", "80", "200"])
@pytest.mark.parametrize(
    "arguments",
    [["search", "Maria", "--explain"], ["recall", "Maria"], ["beliefs"], ["status"], ["users"]],
)
def test_nothing_is_wider_than_the_terminal(
    lived: Path, monkeypatch: pytest.MonkeyPatch, width: str, arguments: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", width)

    assert max(map(len, ask(lived, *arguments).out.splitlines())) <= int(width)


def test_show_a_source_and_its_raw_content(lived: Path) -> None:
    hit = ask(lived, "search", "nurse", "--kind", "passage", "--json").json["hits"][0]
    plain = ask(lived, "show", hit["source_key"][:8])
    answer = ask(lived, "show", hit["key"], "--json").json
    raw = ask(lived, "show", hit["source_key"], "--raw").out

    assert "Catching up" in plain.out
    assert "Maria is a nurse." in plain.out
    assert answer["kind"] == "source"
    assert [one["ref"] for one in answer["page"]["passages"]] == ["t1", "t2", "t3"]
    assert [one["id"] for one in json.loads(raw)] == ["t1", "t2", "t3"]
    as_json = ask(lived, "show", hit["source_key"], "--raw", "--json").json
    assert as_json == {"key": hit["source_key"], "raw": raw.rstrip("\n")}


def test_show_a_person(lived: Path) -> None:
    people = ask(lived, "search", "Ada Lindqvist", "--kind", "person", "--json").json["hits"]
    done = ask(lived, "show", people[0]["key"])

    assert done.code == 0, done.err
    assert "person" in done.out
    assert ask(lived, "show", people[0]["key"], "--raw").code == 2


def test_an_unknown_key_is_three(lived: Path) -> None:
    done = ask(lived, "show", "feedfacefeed", "--json")

    assert done.code == 3
    assert done.error["type"] == "UnknownKey"
    assert done.error["key"] == "feedfacefeed"
    assert "remanent search" in done.error["hint"]


def test_status_counts_what_is_known(lived: Path) -> None:
    answer = ask(lived, "status", "--json").json

    assert answer["status"]["user_id"] == "ada"
    assert answer["status"]["place"] == str(lived)
    assert answer["status"]["counts"]["source"] == 2
    assert answer["parked"] == []
    assert "Europe/Oslo" in ask(lived, "status").out


# --- what holds everywhere --------------------------------------------------------------------


def test_options_hold_before_and_after_the_command(lived: Path) -> None:
    before = remanent("--json", "--user", "ada", "--memory", str(lived), "beliefs")
    after = remanent("beliefs", "--memory", str(lived), "--user", "ada", "--json")

    assert before.code == after.code == 0
    assert before.json == after.json
    assert (
        remanent("--user", "nobody", "beliefs", "--user", "ada", "--memory", str(lived)).code == 0
    )


def test_an_option_is_stronger_than_the_environment(
    lived: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMANENT_USER", "nobody")

    assert ask(lived, "status").code == 3
    assert ask(lived, "status", "--user", "ada").code == 0
    assert remanent("--user", "ada", "status", "--memory", str(lived)).code == 0


def test_an_unknown_user_is_three(lived: Path) -> None:
    done = ask(lived, "status", "--user", "bob", "--json")

    assert done.code == 3
    assert done.error["type"] == "UnknownUser"
    assert done.error["user_id"] == "bob"
    assert "remanent users" in done.error["hint"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["add", "--text", "y"],
        ["remember", "y"],
        ["recall", "y"],
        ["search", "y"],
        ["show", "abcdef"],
    ]
    + [[name] for name in ("beliefs", "status", "work", "users")],
)
def test_a_missing_memory_is_never_made_by_the_way(tmp_path: Path, arguments: list[str]) -> None:
    path = tmp_path / "memory.db"
    plain, machine = ask(path, *arguments), ask(path, *arguments, "--json")

    assert (plain.code, machine.code) == (3, 3)
    assert "remanent init" in plain.err
    assert machine.error["path"] == str(path)
    assert not path.exists()


@pytest.mark.parametrize("command", [["status"], ["init", "--user", "ada"]])
def test_a_file_that_is_no_memory_is_left_alone(tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Maria, " * 200, "utf-8")
    before = path.read_bytes()
    done = ask(path, *command, "--json")

    assert done.code == 1
    assert done.error["type"] == "NotAMemory"
    assert done.error["path"] == str(path)
    assert path.read_bytes() == before


def test_a_wrong_setting_is_two(lived: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_LOCK_WAIT_SECONDS", "soon")
    done = ask(lived, "status", "--json")

    assert done.code == 2
    assert done.error["type"] == "ConfigError"
    assert done.error["field"] == "lock_wait_seconds"


def test_a_traceback_only_on_request(lived: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Traceback" not in ask(lived, "show", "feedface").err
    monkeypatch.setenv("REMANENT_DEBUG", "1")
    assert "Traceback" in ask(lived, "show", "feedface").err


def test_no_command_shows_the_help() -> None:
    done = remanent()

    assert done.code == 2
    assert "remanent init" in done.out


def test_version() -> None:
    assert remanent("--version").out.startswith("remanent ")
    assert remanent("--version", "--json").json["version"]


# --- as a real process ------------------------------------------------------------------------


def process(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from remanent.surfaces.cli import main; main()", *arguments]


def test_the_process_ends_with_the_exit_code(tmp_path: Path) -> None:
    done = subprocess.run(
        process("status", "--memory", str(tmp_path / "none.db")),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 3
    assert done.stdout == ""
    assert "remanent init" in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_narrow_code_page_costs_a_character_and_json_nothing(lived: Path, encoding: str) -> None:
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    arguments = ("--memory", str(lived), "search", "nurse", "-k", "passage")
    plain = subprocess.run(process(*arguments), capture_output=True, env=env, check=False)
    machine = subprocess.run(
        process(*arguments, "--json"), capture_output=True, env=env, check=False
    )

    assert (plain.returncode, machine.returncode) == (0, 0), plain.stderr
    assert json.loads(machine.stdout.decode(encoding))["hits"]


def test_a_reader_that_leaves_early_gets_no_complaint(lived: Path) -> None:
    running = subprocess.Popen(
        process("--memory", str(lived), "show", key_of(lived, "Maria lives in Bergen.")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()
    complaint = running.stderr.read()
    running.stderr.close()
    running.wait(timeout=600)

    assert complaint == b""


def test_an_interrupt_is_130(lived: Path) -> None:
    given = ("add", "-", "--memory", str(lived))
    done = remanent(*given, stdin=Interrupted())

    assert done.code == 130
    assert "Traceback" not in done.err
    assert remanent(*given, "--json", stdin=Interrupted()).error["type"] == "Interrupted"


# --- the page about it ------------------------------------------------------------------------


def test_every_command_option_and_exit_code_is_documented() -> None:
    from remanent.surfaces.cli.app import program

    page = DOCS.read_text("utf-8")
    root = program()
    commands = root.commands
    for name, command in commands.items():
        assert f"### `{name}" in page, name
        for parameter in command.params:
            for option in parameter.opts:
                if option.startswith("--"):
                    assert f"`{option}" in page, f"{name} {option}"


def test_every_error_has_advice() -> None:
    from remanent import errors
    from remanent.surfaces.cli.errors import ADVICE, explain

    kinds = [one for one in vars(errors).values() if isinstance(one, type)]
    for kind in kinds:
        assert issubclass(kind, errors.RemanentError)
        assert any(parent in ADVICE for parent in kind.__mro__), kind
    assert explain(errors.BusyMemory("m.db", "locked")).about == {"path": "m.db"}


def test_a_bad_profile_leaves_no_file_behind(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    refused = remanent("init", "--memory", str(path), "--user", "ada", "--timezone", "Mars/Olympus")

    assert refused.code == 2
    assert "Mars/Olympus" in refused.err
    assert not path.exists()
