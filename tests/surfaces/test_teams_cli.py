"""`remanent team`, `key` and `audit log`, as people and scripts meet them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import Done, remanent


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A memory of ada, who owns the team `crew`, and bob, who is invited."""
    path = tmp_path / "m.db"
    monkeypatch.setenv("REMANENT_MEMORY", str(path))
    monkeypatch.delenv("REMANENT_USER", raising=False)
    for user in ("ada", "bob"):
        assert remanent("init", "--user", user).code == 0
    assert as_("ada", "team", "create", "The Crew", "--id", "crew").code == 0
    return path


def as_(user: str, *arguments: str) -> Done:
    return remanent("--user", user, *arguments)


def told(user: str, *arguments: str) -> Any:
    done = as_(user, *arguments, "--json")
    assert done.code == 0, done.err
    return done.json


def joined(user: str = "bob", role: str = "member") -> None:
    sent = told("ada", "team", "invite", "crew", user, "--role", role)
    told(user, "team", "accept", sent["invitation"]["invitation_id"])


def test_a_team_from_beginning_to_end() -> None:
    sent = told("ada", "team", "invite", "crew", "bob")["invitation"]
    assert sent["state"] == "pending"
    waiting = told("bob", "team", "list")
    assert (waiting["teams"], waiting["invitations"]) == ([], [sent])
    place = told("bob", "team", "accept", sent["invitation_id"])["membership"]
    assert (place["team_id"], place["role"]) == ("crew", "member")
    shown = told("bob", "team", "show", "crew")
    assert [(one["user_id"], one["role"]) for one in shown["members"]] == [
        ("ada", "owner"),
        ("bob", "member"),
    ]
    assert told("ada", "team", "role", "crew", "bob", "admin")["membership"]["role"] == "admin"
    assert told("bob", "team", "rename", "crew", "Sailors")["team"]["name"] == "Sailors"
    assert told("ada", "team", "remove", "crew", "bob", "--yes")["removed"]
    assert told("bob", "team", "list")["teams"] == []
    assert told("ada", "team", "delete", "crew", "--yes")["deleted"]
    assert told("ada", "team", "list")["teams"] == []


def test_invitations_are_declined_and_taken_back() -> None:
    sent = told("ada", "team", "invite", "crew", "bob")["invitation"]["invitation_id"]
    assert told("bob", "team", "decline", sent)["invitation"]["state"] == "declined"
    sent = told("ada", "team", "invite", "crew", "bob")["invitation"]["invitation_id"]
    assert told("ada", "team", "revoke", sent)["invitation"]["state"] == "revoked"
    late = as_("bob", "team", "accept", sent, "--json")
    assert (late.code, late.error["type"]) == (1, "Conflict")


@pytest.mark.parametrize(
    "deed",
    [
        ("team", "delete", "crew"),
        ("team", "leave", "crew"),
        ("team", "remove", "crew", "bob"),
        ("key", "revoke", "nothing"),
    ],
)
def test_what_cannot_be_undone_is_asked_about(deed: tuple[str, ...]) -> None:
    """Where nobody can be asked, it has to be said."""
    joined()
    for options in ((), ("--json",)):
        assert as_("ada", *deed, *options).code == 2
    assert "--yes" in as_("ada", *deed).err
    assert len(told("ada", "team", "show", "crew")["members"]) == 2


def test_who_may_not_is_told_so() -> None:
    stranger = as_("bob", "team", "show", "crew", "--json")
    assert (stranger.code, stranger.error["type"]) == (3, "NotFound")
    joined()
    member = as_("bob", "team", "invite", "crew", "eve", "--json")
    assert (member.code, member.error["type"]) == (1, "Forbidden")
    owner = as_("ada", "team", "leave", "crew", "--yes", "--json")
    assert (owner.code, owner.error["type"]) == (1, "Conflict")
    assert "last owner" in owner.error["message"]
    assert as_("ada", "team", "invite", "crew", "eve", "--role", "queen").code == 2


def test_primary_and_active_team() -> None:
    joined()
    assert told("bob", "team", "list")["primary"] == "crew"
    key = told("bob", "add", "--text", "The kettle is on.", "--shared", "--no-work")["key"]
    assert told("ada", "show", key)["page"]["node"]["team_id"] == "crew"
    assert told("bob", "team", "use", "crew")["user"]["active_team"] == "crew"
    assert told("bob", "team", "list")["active"] == "crew"
    assert told("bob", "team", "use", "--all")["user"]["active_team"] is None
    assert told("bob", "team", "primary", "--none")["user"]["primary_team"] is None
    lost = as_("bob", "add", "--text", "Whose?", "--shared")
    assert lost.code == 2
    assert "no primary team" in lost.err
    assert as_("bob", "add", "--text", "Whose?", "--shared", "--team", "crew").code == 2
    for odd in (("team", "use"), ("team", "use", "crew", "--all"), ("team", "primary")):
        assert as_("bob", *odd).code == 2


def test_a_key_is_shown_once(place: Path) -> None:
    made = told("ada", "key", "create", "laptop", "--power", "read", "--expires", "2999-01-01")
    secret, key_id = made["secret"], made["key"]["key_id"]
    assert secret.startswith(f"rmn_{key_id}_")
    assert (made["key"]["user_id"], made["key"]["powers"]) == ("ada", ["read"])
    listed = remanent("key", "list", "--json")
    assert [one["key_id"] for one in listed.json["keys"]] == [key_id]
    assert secret not in listed.out + remanent("key", "list").out + remanent("audit", "log").out
    service = remanent("key", "create", "server", "--service", "--json").json["key"]
    assert (service["user_id"], service["powers"]) == (None, ["read", "write"])
    gone = remanent("key", "revoke", key_id, "--yes", "--json").json["key"]
    assert gone["revoked_at"] is not None
    assert remanent("key", "revoke", "none", "--yes").code == 3
    assert as_("ada", "key", "create", "x", "--expires", "2001-01-01").code == 2
    assert as_("ada", "key", "create", "x", "--team", "gang").code == 3


def test_the_log_is_for_those_who_may() -> None:
    joined()
    everything = remanent("audit", "log", "--json").json["deeds"]
    assert [one["act"] for one in everything] == [
        "team.created",
        "member.invited",
        "invitation.accepted",
    ]
    assert told("ada", "audit", "log", "--team", "crew")["deeds"] == everything
    assert [one["actor"] for one in told("bob", "audit", "log", "--mine")["deeds"]] == ["bob"]
    assert as_("bob", "audit", "log", "--team", "crew").code == 1
    page = remanent("audit", "log", "--after", "1", "--limit", "1", "--json").json["deeds"]
    assert page == everything[1:2]


def test_people_read_it_too() -> None:
    invited = as_("ada", "team", "invite", "crew", "bob").out
    assert "bob is invited to crew as member" in invited
    assert "team accept" in as_("bob", "team", "list").out
    joined()
    assert "The Crew" in as_("bob", "team", "list").out
    shown = as_("ada", "team", "show", "crew").out
    assert "owner" in shown
    assert "bob" in shown
    made = remanent("key", "create", "server", "--service").out
    assert "shown this once" in made.replace("\n", " ")
    assert "for any user" in remanent("key", "list").out
    assert "operator" in remanent("audit", "log").out
    assert "You see what is yours" in as_("bob", "team", "use", "crew").out
    assert "no longer in crew" in as_("bob", "team", "leave", "crew", "--yes").out
    assert "You are in no team" in as_("bob", "team", "list").out


def test_a_team_of_ones_own_may_be_called_by_its_name() -> None:
    made = told("ada", "team", "create", "Atlas")["team"]["team_id"]
    for said in ("Atlas", "atlas", made, made[:-3]):
        assert told("ada", "team", "show", said)["team"]["team_id"] == made
    told("ada", "team", "create", "Atlas")
    assert "'Atlas'" in as_("ada", "team", "show", "Atlas").err
    assert "'Atlas'" in as_("bob", "team", "show", "Atlas").err
