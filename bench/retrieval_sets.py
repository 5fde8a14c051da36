"""The datasets of the retrieval benchmark in one shape: what was said when, and what is asked of it."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

LOCOMO = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
Turn = tuple[str, str, str]  # who, what, its id


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    id: str
    at: datetime
    turns: Sequence[Turn]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with the turns and sessions that hold its answer.

    `at` is when it is asked, if the dataset says so. `told` is how many sessions are known by then,
    all if none is given. `newest` are ids of which the first should stand above the second.
    """

    text: str
    category: str
    turns: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    at: datetime | None = None
    told: int | None = None
    newest: tuple[str, str] | None = None
    answerable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """One memory's worth of a dataset."""

    set: str
    name: str
    sessions: Sequence[Session] = field(default_factory=list)
    asked: Sequence[Asked] = field(default_factory=list)


def worlds(data: Path, only: Sequence[str], *, quick: bool) -> Iterator[World]:
    """Every world of the datasets found in this folder, those named in `only` if any are."""
    readers = {"locomo": _locomo, "longmemeval": _longmemeval, "beam": _beam, "realmem": _realmem}
    for name, reader in readers.items():
        if (data / name).is_dir() and (not only or name in only):
            read_worlds = list(reader(data / name))
            yield from read_worlds[:1] if quick else read_worlds


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


# --- LoCoMo ------------------------------------------------------------------------------------


def _locomo(folder: Path) -> Iterator[World]:
    for file in sorted(folder.glob("*.json")):
        for one in _read(file):
            sessions = list(_locomo_sessions(one["conversation"]))
            where = {ref: session.id for session in sessions for _, _, ref in session.turns}
            questions = []
            for question in one["qa"]:
                turns = frozenset(question.get("evidence", ())) & where.keys()
                if turns:
                    questions.append(
                        Asked(
                            text=question["question"],
                            category=LOCOMO[question["category"]],
                            turns=turns,
                            sessions=frozenset(where[ref] for ref in turns),
                        )
                    )
            yield World(set="locomo", name=one["sample_id"], sessions=sessions, asked=questions)


def _locomo_sessions(conversation: Mapping[str, Any]) -> Iterator[Session]:
    for name, turns in conversation.items():
        if re.fullmatch(r"session_\d+", name) and isinstance(turns, list):
            date_text = f"{conversation[f'{name}_date_time']} +0000"
            at = datetime.strptime(date_text, "%I:%M %p on %d %B, %Y %z")
            yield Session(
                id=name,
                at=at,
                turns=[(turn["speaker"], _with_picture(turn), turn["dia_id"]) for turn in turns],
            )


def _with_picture(turn: Mapping[str, Any]) -> str:
    picture = turn.get("blip_caption")
    return f"{turn['text']} [shares a picture: {picture}]" if picture else str(turn["text"])


# --- LongMemEval -------------------------------------------------------------------------------


def _longmemeval(folder: Path) -> Iterator[World]:
    sessions = [
        Session(
            id=one["id"],
            at=_at(one["date"]),
            turns=[
                (turn["role"], turn["content"], f"{one['id']}:{place}")
                for place, turn in enumerate(one["turns"])
            ],
        )
        for one in _read(folder / "sessions.json")
    ]
    when = {session.id: session.at for session in sessions}
    questions = [
        _longmemeval_question(one, when)
        for file in sorted(folder.glob("questions*.json"))
        for one in _read(file)
    ]
    yield World(set="longmemeval", name="pool", sessions=sessions, asked=questions)


def _longmemeval_question(one: Mapping[str, Any], when: Mapping[str, datetime]) -> Asked:
    known = [evidence for evidence in one["evidence"] if evidence["session"] in when]
    sessions = sorted(
        {evidence["session"] for evidence in known}, key=lambda name: (when[name], name)
    )
    updated = one["type"] == "knowledge-update" and len(sessions) > 1
    return Asked(
        text=one["question"],
        category=one["type"],
        turns=frozenset(f"{each['session']}:{turn}" for each in known for turn in each["turns"]),
        sessions=frozenset(sessions),
        at=_at(one["date"]),
        newest=(sessions[-1], sessions[0]) if updated else None,
        answerable=not one.get("abstention", False),
    )


def _at(text: str) -> datetime:
    return datetime.strptime(text, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)


# --- BEAM --------------------------------------------------------------------------------------


def _beam(folder: Path) -> Iterator[World]:
    for chat in sorted(folder.glob("*/chat.json"), key=lambda path: (len(path.parts[-2]), path)):
        sessions: list[Session] = []
        for batch in _read(chat):
            spoken_turns = [turn for group in batch["turns"] for turn in group]
            time_anchor = next(
                (turn["time_anchor"] for turn in spoken_turns if turn.get("time_anchor")), None
            )
            at = datetime(2024, 1, 1, tzinfo=UTC)
            if time_anchor:
                at = datetime.strptime(time_anchor, "%B-%d-%Y").replace(tzinfo=UTC)
            elif sessions:
                at = sessions[-1].at + timedelta(days=1)
            messages = [(turn["role"], turn["content"], str(turn["id"])) for turn in spoken_turns]
            sessions.append(Session(id=str(batch["batch_number"]), at=at, turns=messages))
        known = {ref for session in sessions for _, _, ref in session.turns}
        questions = _read(chat.parent / "probing_questions.json")
        asked_questions = [
            Asked(text=one["question"], category=ability, turns=turns, newest=_updated(one))
            for ability, several in questions.items()
            for one in several
            if (turns := frozenset(_flat(one.get("source_chat_ids") or [])) & known)
        ]
        yield World(set="beam", name=chat.parts[-2], sessions=sessions, asked=asked_questions)


def _flat(ids: Any) -> Iterator[str]:
    if isinstance(ids, Mapping):
        ids = list(ids.values())
    if isinstance(ids, list):
        for one in ids:
            yield from _flat(one)
    else:
        yield str(ids)


def _updated(one: Mapping[str, Any]) -> tuple[str, str] | None:
    ids = one.get("source_chat_ids")
    if not isinstance(ids, Mapping) or not {"updated_info", "original_info"} <= ids.keys():
        return None
    newer, older = list(_flat(ids["updated_info"])), list(_flat(ids["original_info"]))
    return (newer[-1], older[0]) if newer and older and newer[-1] != older[0] else None


# --- RealMem -----------------------------------------------------------------------------------


def _realmem(folder: Path) -> Iterator[World]:
    for file in sorted(folder.glob("*.json")):
        sessions: list[Session] = []
        questions: list[Asked] = []
        names: dict[str, str] = {}
        for one in _read(file)["dialogues"]:
            at = datetime.strptime(one["current_time"][:10], "%Y-%m-%d").replace(tzinfo=UTC)
            dialogue = one["dialogue_turns"]
            name = names[one["session_uuid"]] = one["session_identifier"]
            for turn, reply in itertools.pairwise(dialogue):
                needed = {names.get(uuid) for uuid in reply.get("memory_session_uuids") or ()}
                needed -= {None, name}
                if turn["is_query"] and needed:
                    questions.append(
                        Asked(
                            text=turn["content"],
                            category=turn["category_name"],
                            sessions=frozenset(other for other in needed if other),
                            at=at,
                            told=len(sessions),
                        )
                    )
            turns = [
                (turn["speaker"], turn["content"], f"{name}:{place}")
                for place, turn in enumerate(dialogue)
                if turn["content"].strip()
            ]
            sessions.append(Session(id=name, at=at, turns=turns))
        yield World(set="realmem", name=file.stem, sessions=sessions, asked=questions)
