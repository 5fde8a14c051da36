"""Beliefs: what a second statement does to a first one, and what it ought to do.

Pairs of our own (`belief_pairs`) and of SICK, STS-B and SNLI. Each second statement is settled by the
rule of SPEC 5 with the built-in embedder and the offline mind against a memory that holds the first
one only. Texts are embedded in batches; a sample goes through `remember` as well, and must agree.

The three datasets are about captions of pictures and headlines, not about what people tell of their
lives, so their labels are mapped with care. Paraphrases are STS-B pairs of 4.5 and more and SICK
entailments of relatedness 4.8 and more (this part of SICK does not say which way it entails).
Negations are SICK contradictions in which one sentence alone has "no" or "not". Unrelated are STS-B
pairs of at most 1, SICK neutral pairs of at most 2, and SNLI premises of different pictures. SNLI's
own contradictions are two captions of one moment ("a man sleeps", "a man runs"), which nobody would
want to retire each other: how often they do is printed without an aim.

Last, the talks of LoCoMo: each statement of a speaker against the five nearest that the same speaker
made before, as `remember` would compare them. Nobody labelled these; people who chat hardly ever
contradict themselves, so whatever is contradicted here is nearly all mistakes.
"""

from __future__ import annotations

import csv
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, pairwise

import numpy as np
from rich.progress import track

from bench import belief_pairs
from bench.belief_pairs import Pair
from bench.frame import Report, Row, Setting
from remanent import Memory, SteppedClock
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.rules.belief import Create, Predate, Reinforce, Similar
from remanent.core.model.mind_types import Judgement
from remanent.core.model.page import Outcome
from remanent.embedders.builtin import BuiltinEmbedder
from remanent.minds.offline import OfflineMind
from remanent.minds.offline.sentences import bounds, is_question

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STRANGERS = 1000
MOST = 400  # pairs of one class of a dataset
QUICK = 20
CHECKED = 200
SEED = 7
RIGHT = {
    "change": "contradicted",
    "negation": "contradicted",
    "paraphrase": "reinforced",
    "beside": "created",
    "unrelated": "created",
    "two captions of one moment": "created",
}
AIMS = {"change": 90.0, "negation": 90.0, "paraphrase": 85.0}
TOUCHED = 2.0
OURS = frozenset(name.replace("_", " ") for name in belief_pairs.FILES)
BANDS = (0.40, 0.70, 0.85)
DENIALS = frozenset({"no", "not", "n't", "nobody", "never", "without"})

Sets = Mapping[str, Sequence[Pair]]
Cosines = np.ndarray[tuple[int], np.dtype[np.float64]]


def run(setting: Setting) -> Report:
    """How often each class of pair is settled as it should be, and where it lies."""
    sets = _sets(setting)
    every = [pair for pairs in sets.values() for pair in pairs]
    embedder, mind = BuiltinEmbedder(), OfflineMind()
    cosines = dict(zip(every, _cosines(embedder, mind, every), strict=True))
    settled = {
        pair: _settle(mind, pair, rule.similarity(cosines[pair], embedder.scale))
        for pair in track(every, description="settling", console=setting.console)
    }
    sample = random.Random(SEED).sample(every, min(CHECKED, len(every)))
    agreed = _agreement(sample, settled)
    rows = [row for name, pairs in sets.items() for row in _rows(name, pairs, settled)]
    rows += _by_topic(sets["held out"], settled)
    rows.append(_chatting(setting, embedder, mind))
    rows.append(
        Row(
            what=f"settled alike through remember ({len(sample)} pairs)",
            value=100 * agreed / len(sample),
            unit="%",
            aim="100 %",
            met=agreed == len(sample),
        )
    )
    return Report(name="beliefs", rows=rows, notes=_notes(sets, cosines, embedder))


def _sets(setting: Setting) -> Sets:
    """All pairs by where they come from; "tuned" are those that the judge was made with."""
    rng = random.Random(SEED)
    by_file = {name: belief_pairs.pairs(name) for name in belief_pairs.FILES}
    sets = {name.replace("_", " "): pairs for name, pairs in by_file.items()}
    for name in ("held_out", "tuned"):
        across = belief_pairs.strangers(by_file[name], STRANGERS, rng)
        sets[f"{name.replace('_', ' ')}, across topics"] = list(dict.fromkeys(across))
    given = {"SICK": _sick(setting), "STS-B": _stsb(setting), "SNLI": _snli(setting, rng)}
    sets |= {name: list(_cut(pairs, MOST, rng)) for name, pairs in given.items()}
    if setting.quick:
        return {name: list(_cut(pairs, QUICK, rng)) for name, pairs in sets.items()}
    return sets


def _cut(pairs: Sequence[Pair], most: int, rng: random.Random) -> Iterator[Pair]:
    by_class = defaultdict(list)
    for pair in dict.fromkeys(pairs):
        by_class[pair.kind].append(pair)
    for those in by_class.values():
        yield from rng.sample(those, min(most, len(those)))


def _sick(setting: Setting) -> list[Pair]:
    with setting.need("pairs", "sick_train.txt").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    pairs = []
    for row in rows:
        first, second = row["sentence_A"], row["sentence_B"]
        label, score = row["entailment_judgment"].strip(), float(row["relatedness_score"])
        if label == "ENTAILMENT" and score >= 4.8:
            pairs.append(Pair("paraphrase", "SICK", first, second))
        elif label == "CONTRADICTION" and _is_denied(first) is not _is_denied(second):
            pairs.append(Pair("negation", "SICK", first, second))
        elif label == "NEUTRAL" and score <= 2:
            pairs.append(Pair("unrelated", "SICK", first, second))
    return pairs


def _is_denied(text: str) -> bool:
    return not DENIALS.isdisjoint(text.lower().replace("n't", " n't").split())


def _stsb(setting: Setting) -> list[Pair]:
    text = setting.need("pairs", "stsb_dev.csv").read_text("utf-8")
    pairs = []
    for line in text.splitlines():
        score, first, second = line.split("\t")[4:7]
        if float(score) >= 4.5:
            pairs.append(Pair("paraphrase", "STS-B", first, second))
        elif float(score) <= 1:
            pairs.append(Pair("unrelated", "STS-B", first, second))
    return pairs


def _snli(setting: Setting, rng: random.Random) -> list[Pair]:
    text = setting.need("pairs", "snli_dev.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    pairs = [
        Pair("two captions of one moment", "SNLI", row["sentence1"], row["sentence2"])
        for row in rows
        if row["gold_label"] == "contradiction"
    ]
    pictures = {row["captionID"].split("#")[0]: row["sentence1"] for row in rows}
    premises = list(pictures.values())
    rng.shuffle(premises)
    pairs += [Pair("unrelated", "SNLI", *two) for two in pairwise(premises)]
    return pairs


def _cosines(embedder: BuiltinEmbedder, mind: OfflineMind, pairs: Sequence[Pair]) -> Cosines:
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.first, pair.second)))
    stated = {text: _statement(mind, text) for text in texts}
    vectors = dict(
        zip(texts, embedder.embed([stated[text] for text in texts], kind="statement"), strict=True)
    )
    cosines = [float(vectors[pair.first] @ vectors[pair.second]) for pair in pairs]
    return np.array(cosines, np.float64)


def _statement(mind: OfflineMind, text: str) -> str:
    return mind.believe(text, owner_names=())[0].statement


def _settle(mind: OfflineMind, pair: Pair, similarity: float) -> str:
    """What the rule does to the first statement, the only one that is believed."""
    similar = [Similar("first", similarity, 1, NOW)]
    judged = {}
    if rule.to_judge(similar):
        first, second = _statement(mind, pair.first), _statement(mind, pair.second)
        judged["first"] = mind.judge(second, [first])[0]
    match rule.verdict(similar, judged, at=NOW):
        case Create() | Predate():
            return "created"
        case Reinforce():
            return "reinforced"
        case _:
            return "contradicted"


def _agreement(pairs: Sequence[Pair], settled: Mapping[Pair, str]) -> int:
    """How many of these a memory settles the same way."""
    named = {Outcome.CREATED: "created", Outcome.REINFORCED: "reinforced"}
    agreed = 0
    with Memory.open(":memory:", clock=SteppedClock(NOW)) as memory:
        for number, pair in enumerate(pairs):
            user = memory.user(f"user-{number}")
            user.remember(pair.first)
            outcome = user.remember(pair.second).outcome
            agreed += named.get(outcome, "contradicted") == settled[pair]
    return agreed


def _rows(name: str, pairs: Sequence[Pair], settled: Mapping[Pair, str]) -> Iterator[Row]:
    for kind in RIGHT:
        those = [pair for pair in pairs if pair.kind == kind]
        if those:
            yield _row(name, kind, those, settled)


def _row(name: str, kind: str, pairs: Sequence[Pair], settled: Mapping[Pair, str]) -> Row:
    seen = Counter(settled[pair] for pair in pairs)
    ours = name in OURS
    did = "  ".join(f"{what} {seen[what]}" for what in ("reinforced", "contradicted", "created"))
    if RIGHT[kind] == "created":
        touched = 100 * (1 - seen["created"] / len(pairs))
        aimed = kind != "two captions of one moment"
        return Row(
            what=f"{name}, {kind}: touched ({did})",
            value=touched,
            unit="%",
            aim=f"< {TOUCHED:g} %" if aimed else "",
            met=touched < TOUCHED if aimed else None,
        )
    right = 100 * seen[RIGHT[kind]] / len(pairs)
    return Row(
        what=f"{name}, {kind}: {RIGHT[kind]} ({did})",
        value=right,
        unit="%",
        aim=f">= {AIMS[kind]:g} %" if ours else "",
        met=right >= AIMS[kind] if ours else None,
    )


def _by_topic(pairs: Sequence[Pair], settled: Mapping[Pair, str]) -> Iterator[Row]:
    for topic in dict.fromkeys(pair.topic for pair in pairs):
        for kind in ("change", "negation", "paraphrase", "beside"):
            those = [pair for pair in pairs if pair.topic == topic and pair.kind == kind]
            right = sum(settled[pair] == RIGHT[kind] for pair in those)
            if those:
                what = f"held out, {topic}, {kind}: {RIGHT[kind]} ({len(those)})"
                yield Row(what=what, value=100 * right / len(those), unit="%")


def _chatting(setting: Setting, embedder: BuiltinEmbedder, mind: OfflineMind) -> Row:
    """How many of the nearest statements of one speaker are said to contradict each other."""
    compared = against = 0
    for statements in _speakers(setting):
        vectors = embedder.embed(statements, kind="statement")
        cosines = vectors @ vectors.T
        for place in range(1, len(statements)):
            nearest = np.argsort(-cosines[place, :place])[: rule.BeliefRules().compare_with]
            similar = [
                Similar(
                    statements[at],
                    rule.similarity(float(cosines[place, at]), embedder.scale),
                    1,
                    NOW,
                )
                for at in nearest
            ]
            to_judge = rule.to_judge(similar)
            answers = mind.judge(statements[place], to_judge)
            compared += len(to_judge)
            against += sum(answer is Judgement.CONTRADICTS for answer in answers)
    return Row(
        what=f"LoCoMo, nearest statements of one speaker: contradicted ({against} of {compared})",
        value=100 * against / max(1, compared),
        unit="%",
        aim=f"< {TOUCHED:g} %",
        met=100 * against / max(1, compared) < TOUCHED,
    )


def _speakers(setting: Setting) -> Iterator[list[str]]:
    """All that each speaker of each talk states, sentence by sentence, in order."""
    for file in sorted(setting.need("locomo").glob("*.json")):
        for talk in json.loads(file.read_text("utf-8"))[: 1 if setting.quick else None]:
            stated: dict[str, dict[str, None]] = defaultdict(dict)
            sessions = [part for part in talk["conversation"].values() if isinstance(part, list)]
            for turn in chain.from_iterable(sessions):
                stated[turn["speaker"]] |= dict.fromkeys(_stated(turn["text"]))
            yield from (list(sentences) for sentences in stated.values())


def _stated(text: str) -> list[str]:
    sentences = (text[start:end].strip() for start, end in bounds(text))
    return [one for one in sentences if 3 <= len(one.split()) <= 20 and not is_question(one)]


def _notes(sets: Sets, cosines: Mapping[Pair, float], embedder: BuiltinEmbedder) -> list[str]:
    """Where the classes lie, raw and on the scale."""
    points = ", ".join(f"{similar:.2f} is a cosine of {raw:.2f}" for raw, similar in embedder.scale)
    notes = [f"{embedder.name}: {points}"]
    for name, pairs in sets.items():
        for kind in dict.fromkeys(pair.kind for pair in pairs):
            raw = np.array([cosines[pair] for pair in pairs if pair.kind == kind])
            low, middle, high = np.quantile(raw, [0.05, 0.5, 0.95])
            scaled = [rule.similarity(float(one), embedder.scale) for one in raw]
            shares = np.bincount(np.digitize(scaled, BANDS), minlength=4) / len(raw)
            bands = "  ".join(
                f"{band} {share:.0%}"
                for band, share in zip(("<.40", ".40-.70", ".70-.85", ">.85"), shares, strict=True)
            )
            notes.append(
                f"{name}, {kind} ({len(raw)}): cosine 5 % {low:.2f}, median {middle:.2f},"
                f" 95 % {high:.2f}; similarity {bands}"
            )
    return notes
