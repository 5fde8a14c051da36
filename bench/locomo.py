"""LoCoMo: is the turn that holds the answer among the first ten? No LLM, no judge.

Sessions go in through `add` and `work`, questions through `search`: the path a user takes. A
question counts when its evidence names turns that exist; adversarial ones (category 5) are kept
apart, as they ask for what was never said.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.progress import track

from bench.frame import Report, Row, Setting
from remanent import Memory, SteppedClock, UserMemory

K = 10
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
Question = tuple[int, frozenset[str], list[str]]


def run(setting: Setting) -> Report:
    """Evidence recall over turns, all conversations of the folder together."""
    conversations = _conversations(setting)
    asked: list[Question] = []
    turns, spent, searching = 0, 0.0, 0.0
    for number, conversation in enumerate(conversations):
        label = f"conversation {number + 1} of {len(conversations)}"
        with tempfile.TemporaryDirectory() as folder:
            clock = SteppedClock(datetime(2024, 1, 1, tzinfo=UTC))
            with Memory.open(Path(folder) / "m.db", clock=clock) as memory:
                user = memory.user("reader", name="Reader of the talks", timezone="UTC")
                began = time.perf_counter()
                turns += _take_in(user, conversation["conversation"])
                user.work()
                spent += time.perf_counter() - began
                began = time.perf_counter()
                asked += list(_ask(user, conversation, label, setting))
                searching += time.perf_counter() - began
    return Report(
        name="locomo",
        rows=[
            *_rows("categories 1-4", [one for one in asked if one[0] != 5]),
            *(
                Row(
                    what=f"recall@{K}, {name} ({len(part)} questions)",
                    value=_recall(part),
                    unit="%",
                )
                for category, name in CATEGORIES.items()
                if (part := [one for one in asked if one[0] == category])
            ),
            Row(what="turns taken in, all phases", value=turns / spent, unit="turns/s"),
            Row(what="one search", value=1000 * searching / max(1, len(asked)), unit="ms"),
        ],
        notes=[f"{len(conversations)} conversations, {turns} turns, {len(asked)} questions"],
    )


def _conversations(setting: Setting) -> list[Mapping[str, Any]]:
    files = sorted(setting.need("locomo").glob("*.json"))
    found = [one for file in files for one in json.loads(file.read_text("utf-8"))]
    return found[:1] if setting.quick else found


def _take_in(user: UserMemory, conversation: Mapping[str, Any]) -> int:
    count = 0
    for name, said in conversation.items():
        if re.fullmatch(r"session_\d+", name) and isinstance(said, list):
            said_at = f"{conversation[f'{name}_date_time']} +0000"
            start = datetime.strptime(said_at, "%I:%M %p on %d %B, %Y %z")
            turns = [
                {
                    "speaker": turn["speaker"],
                    "text": _text(turn),
                    "id": turn["dia_id"],
                    "at": start + timedelta(seconds=20 * place),
                }
                for place, turn in enumerate(said)
            ]
            user.add(turns, type="conversation", started_at=start, origin_id=name)
            count += len(turns)
    return count


def _text(turn: Mapping[str, Any]) -> str:
    picture = turn.get("blip_caption")
    return f"{turn['text']} [shares a picture: {picture}]" if picture else str(turn["text"])


def _ask(
    user: UserMemory, conversation: Mapping[str, Any], label: str, setting: Setting
) -> Iterator[Question]:
    known = {
        turn["dia_id"]
        for said in conversation["conversation"].values()
        if isinstance(said, list)
        for turn in said
    }
    for question in track(conversation["qa"], description=label, console=setting.console):
        evidence = frozenset(question.get("evidence", ())) & known
        if evidence:
            hits = user.search(question["question"], limit=K, kinds=["passage"])
            yield question["category"], evidence, [hit.ref or "" for hit in hits]


def _rows(what: str, asked: Sequence[Question]) -> list[Row]:
    found = [(evidence, refs) for _, evidence, refs in asked]
    return [
        Row(what=f"recall@{K}, {what}", value=_recall(asked), unit="%"),
        Row(what=f"any@{K}, {what}", value=_mean([bool(e & {*r}) for e, r in found]), unit="%"),
        Row(what=f"all@{K}, {what}", value=_mean([e <= {*r} for e, r in found]), unit="%"),
        Row(what=f"nDCG@{K}, {what}", value=_mean([_ndcg(e, r) for e, r in found]), unit="%"),
    ]


def _recall(asked: Sequence[Question]) -> float:
    return _mean([len(evidence & {*refs}) / len(evidence) for _, evidence, refs in asked])


def _ndcg(evidence: frozenset[str], refs: Sequence[str]) -> float:
    gain = math.fsum(1 / math.log2(rank + 2) for rank, ref in enumerate(refs) if ref in evidence)
    best = math.fsum(1 / math.log2(rank + 2) for rank in range(min(K, len(evidence))))
    return gain / best


def _mean(values: Sequence[float]) -> float:
    return 100 * math.fsum(values) / max(1, len(values))
