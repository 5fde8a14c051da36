"""Readers read, guests keep, leavers lose (SPEC 9, 12.5)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.anchor import Concept
from remanent.core.model.node import Node
from remanent.core.model.scope import Scope
from remanent.core.model.source import ContentType, ContextType, Sensitivity, Source, SourceType
from remanent.core.model.story import Macro, Storyline, Summary
from remanent.core.visibility import may_contribute
from remanent_conformance.builders import may_read

pytestmark = pytest.mark.quick

NOW = datetime(2026, 3, 1, tzinfo=UTC)

PERSONAL = Source(
    key="s1",
    user_id="ada",
    created_at=NOW,
    updated_at=NOW,
    source_type=SourceType.MEETING,
    content_type=ContentType.MEETING,
    context_type=ContextType.TEAM_MEETING,
    event_id="e1",
    content_hash="h",
    participants=("ada", "guest"),
    started_at=NOW,
)
SHARED = replace(PERSONAL, team_id="crew")
SECRET = replace(SHARED, sensitivity=Sensitivity.HIGH)

ADA = Scope(user_id="ada", teams=frozenset({"crew"}))
MEMBER = Scope(user_id="bob", teams=frozenset({"crew"}))
GUEST = Scope(user_id="guest")
STRANGER = Scope(user_id="eve", teams=frozenset({"other"}))
LEAVER = Scope(user_id="guest", left=frozenset({"crew"}))
RETURNED = Scope(user_id="guest", teams=frozenset({"crew"}), left=frozenset({"crew"}))


def reads(scope: Scope, node: Node) -> bool:
    return may_read(scope, node.readers, node.team)


@pytest.mark.parametrize(
    ("node", "who"),
    [
        (PERSONAL, {"ada", "guest", "leaver", "returned"}),
        (SHARED, {"ada", "member", "guest", "returned"}),
        (SECRET, {"ada", "guest", "returned"}),
    ],
    ids=["personal", "team", "sensitive"],
)
def test_sources(node: Source, who: set[str]) -> None:
    scopes = {
        "ada": ADA,
        "member": MEMBER,
        "guest": GUEST,
        "stranger": STRANGER,
        "leaver": LEAVER,
        "returned": RETURNED,
    }
    assert {name for name, scope in scopes.items() if reads(scope, node)} == who


def test_a_source_is_one_by_its_content() -> None:
    assert PERSONAL.natural == replace(PERSONAL, key="s2").natural == "h"


def test_what_is_in_ones_own_graph_is_ones_own() -> None:
    concept = Concept(
        key="c1", user_id="ada", created_at=NOW, updated_at=NOW, name="sailing", created_by="mind"
    )
    assert reads(ADA, concept)
    assert not reads(MEMBER, concept)


FIELDS: dict[str, Any] = {"key": "t1", "user_id": "ada", "created_at": NOW, "updated_at": NOW}
STORYLINE = Storyline(
    **FIELDS, anchor_key="a1", name="Sarah – storyline", started_at=NOW, last_source_at=NOW
)
MACRO = Macro(**FIELDS, anchor_key="a1", name="Sarah", started_at=NOW, last_event_at=NOW)


@pytest.mark.parametrize("own", [STORYLINE, MACRO], ids=["storyline", "macro"])
def test_stories_are_their_users_and_their_teams(own: Storyline | Macro) -> None:
    assert reads(ADA, own)
    assert not reads(MEMBER, own)
    assert reads(MEMBER, replace(own, team_id="crew"))
    assert not reads(STRANGER, replace(own, team_id="crew"))


def test_a_summary_is_personal() -> None:
    summary = Summary(
        key="m1",
        user_id="ada",
        created_at=NOW,
        updated_at=NOW,
        text="a quiet week",
        level="session",
        covers_from=NOW,
        covers_to=NOW,
    )
    assert reads(ADA, summary)
    assert not reads(GUEST, summary)
    assert summary.natural is None


ids = st.sampled_from(("ada", "bob", "crew", "gang"))
teams = st.frozensets(st.sampled_from(("crew", "gang")))
scopes = st.builds(
    Scope,
    user_id=ids,
    teams=teams,
    left=teams,
    narrowed_to=st.none() | st.sampled_from(("crew", "gang")),
)
readers = st.lists(
    st.builds("{}:{}".format, st.sampled_from(("user", "team")), ids), max_size=5
).map(tuple)


@given(scope=scopes, readers=readers, team=st.sampled_from(("crew", "gang")))
def test_a_leaver_never_reads(scope: Scope, readers: tuple[str, ...], team: str) -> None:
    if team in scope.left - scope.teams:
        assert not may_read(scope, readers, team)


@given(scope=scopes, readers=readers, team=st.none() | st.sampled_from(("crew", "gang")))
def test_nobody_reads_who_is_not_named(scope: Scope, readers, team) -> None:
    if may_read(scope, readers, team):
        assert set(scope.tokens) & set(readers)


@given(scope=scopes, readers=readers, team=st.none() | st.sampled_from(("crew", "gang")))
def test_looking_at_one_team_only_ever_hides(scope: Scope, readers, team) -> None:
    narrowed = may_read(replace(scope, narrowed_to="crew"), readers, team)
    wide = may_read(replace(scope, narrowed_to=None), readers, team)
    assert wide or not narrowed
    if narrowed:
        assert team in (None, "crew")
    if wide and team == "crew" and scope.teams <= {"crew"}:
        assert narrowed


@given(one=scopes, other=ids)
def test_members_contribute(one: Scope, other: str) -> None:
    assert may_contribute(one, None)
    assert may_contribute(one, other) is (other in one.teams)
