"""Figures of a mind over annotated batches: what becomes of people, things, statements, relations.

Usage: ``python -m training.mind_figures --data training/data --split test``. The mind is asked through
its port, as the product asks it, so that any mind can be measured. Test batches are counted: no text
of theirs is printed.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from remanent.anchors.rules.roles import CALLED_SO, OF_MANY, ROLES, is_role
from remanent.core.model.anchor import Anchor, Concept, Entity, Person
from remanent.core.model.keys import canonical_name
from remanent.core.model.mind_types import Candidate, Judgement, Reading
from remanent.core.model.node import Kind
from remanent.core.model.source import ContentType, Passage
from remanent.core.ports.mind import Mind
from remanent.ingest.extract import Toolbox
from training import labels, tasks

NODE_FROM = 7.0
"""Confidence from which a candidate earns a node."""
_WORD = re.compile(r"\w+")
_TYPES = {"pet": "animal"}
_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
_FAMILIES = {
    "works at": {"employer", "volunteer"},
    "works on": {"project"},
    "lives in": {"home"},
    "from": {"origin"},
    "visits": {"visited"},
    "studies at": {"school"},
    "studies": {"practices", "school"},
    "member of": {"member", "volunteer"},
    "takes part in": {"attends"},
    "located in": {"location"},
    "part of": {"part", "acquired"},
    "owns": {"owns", "uses"},
    "uses": {"uses", "owns"},
    "likes": {"likes", "prefers"},
    "dislikes": {"dislikes"},
    "wants": {"goal"},
    "worried about": {"worries"},
    "has condition": {"condition"},
    "competes with": {"rival"},
    "lives with": {"housemate", "roommate", "flatmate"},
    "served by": {"helper"},
    "knows": {"knows", "met"},
}


def words(text: str) -> Counter[str]:
    """Give the words of a text in lower case, as often as they stand there."""
    return Counter(one.lower() for one in _WORD.findall(text))


def overlap(a: str, b: str) -> float:
    """Give how far two texts have the same words: twice the shared over all."""
    first, second = words(a), words(b)
    return 2 * (first & second).total() / max(1, first.total() + second.total())


def alike(a: str, b: str) -> bool:
    """Say whether two names are one: all words of one among the other's."""
    first, second = set(words(a)), set(words(b))
    return bool(first and second) and (first <= second or second <= first)


def reading_of(row: dict[str, Any]) -> Reading:
    """Give a note or a talk as the product reads it."""
    talk = "turns" in row
    turns = row["turns"] if talk else [[None, row["text"]]]
    passages = tuple(
        Passage(key=f"p{i}", source_key="s", ordinal=i, text=text, speaker=speaker)
        for i, (speaker, text) in enumerate(turns)
    )
    kind = ContentType.CONVERSATION if talk else ContentType.TEXT_NOTE
    return Reading(
        content_type=kind, started_at=_MOMENT, passages=passages, owner_names=(row["owner"],)
    )


class Count:
    """Count of what was wanted, found and right, by measure."""

    def __init__(self) -> None:
        """Start at nothing."""
        self.of: Counter[str] = Counter()

    def add(self, name: str, wanted: Sequence[Any], found: Sequence[Any], right: int) -> None:
        """Add one source."""
        self.of[f"{name} wanted"] += len(wanted)
        self.of[f"{name} found"] += len(found)
        self.of[f"{name} right"] += right

    def figures(self, name: str) -> tuple[float, float, float]:
        """Give precision, recall and F1."""
        right = self.of[f"{name} right"]
        p = 100 * right / max(1, self.of[f"{name} found"])
        r = 100 * right / max(1, self.of[f"{name} wanted"])
        return p, r, 2 * p * r / max(1e-9, p + r)

    def line(self, name: str) -> str:
        """Give precision, recall and F1 as a line."""
        p, r, f1 = self.figures(name)
        right, wanted, found = (self.of[f"{name} {what}"] for what in ("right", "wanted", "found"))
        return (
            f"{name:12} P {p:5.1f}  R {r:5.1f}  F1 {f1:5.1f}  ({right} of {wanted}, {found} found)"
        )


def matched(wanted: Iterable[Any], found: Iterable[Any], fits: Any) -> int:
    """Count the wanted ones that have one found of their own."""
    left, right = list(found), 0
    for one in wanted:
        hit = next((other for other in left if fits(one, other)), None)
        if hit is not None:
            left.remove(hit)
            right += 1
    return right


def _entries(row: dict[str, Any], name: str) -> list[list[Any]]:
    return [entry[1:] if "turns" in row else entry for entry in row.get(name, [])]


def _core(surface: str, kind: str) -> str:
    return surface[tasks.lead(surface, kind) :]


def _is_name(surface: str) -> bool:
    return any(part[:1].isupper() for part in surface.split())


_WHOSE = re.compile(r"(?:my|.*['’]s)\s+", re.IGNORECASE)


def called(name: str, aliases: Iterable[str]) -> tuple[str, ...]:
    """Give all that a node is called; of "my mom" and "Sara's mom" the role, as labels have it."""
    names = (name, *aliases)
    return tuple(_WHOSE.sub("", one) if is_role(canonical_name(one)) else one for one in names)


def same_as(surface: str, names: Iterable[str]) -> bool:
    """Say whether a labelled surface is one of the names of a node."""
    return any(alike(surface, one) for one in names)


def _anchors(mind: Mind, reading: Reading, owner: str) -> list[Anchor]:
    made = [
        _anchor(one.kind, one.name, one.type, one.aliases)
        for one in mind.extract(reading)
        if one.confidence >= NODE_FROM and one.subpoints
    ]
    return [*made, _anchor(Kind.PERSON, owner, "", (), owner=True)]


def _anchor(
    kind: Kind, name: str, type_: str, aliases: Sequence[str], *, owner: bool = False
) -> Anchor:
    common: dict[str, Any] = {
        "key": f"{kind}:{name}", "user_id": "u", "created_at": _MOMENT, "updated_at": _MOMENT,
        "name": name, "created_by": "u", "aliases": tuple(aliases),
    }  # fmt: skip
    if kind is Kind.PERSON:
        return Person(**common, canonical_name=canonical_name(name), is_owner=owner)
    return Entity(**common, type=type_) if kind is Kind.ENTITY else Concept(**common)


def count_source(mind: Mind, row: dict[str, Any], out: Count) -> None:
    """Count what a mind makes of one note or talk."""
    reading = reading_of(row)
    _count_names(mind, row, reading, out)
    _count_statements(mind, row, reading, out)
    _count_relations(mind, row, reading, out)


def _count_names(mind: Mind, row: dict[str, Any], reading: Reading, out: Count) -> None:
    speakers = [p.speaker for p in reading.passages if p.speaker] + [row["owner"]]
    gold = {(_core(e[0], e[1]), e[1]) for e in _entries(row, "mentions") if e[1] != "date"}
    small = {n.casefold() for n, _ in gold if not _is_name(n)}  # labelled, so not wrong if found
    small -= {name.casefold() for name, _ in gold if _is_name(name)}
    gold = {one for one in gold if _is_name(one[0]) and not any(alike(one[0], s) for s in speakers)}
    people: list[str] = []
    for name in sorted((n for n, kind in gold if kind == "person"), key=len, reverse=True):
        if not any(alike(name, other) for other in people):
            people.append(name)
    found = [
        one
        for one in mind.extract(reading)
        if one.confidence >= NODE_FROM and one.subpoints
        and not any(alike(one.name, speaker) for speaker in speakers)
        and one.name.casefold() not in small
    ]  # fmt: skip
    persons = [one for one in found if one.kind is Kind.PERSON]
    named = [n for n in map(_names_of, persons) if n]
    out.add("people", people, named, matched(people, named, same_as))
    _count_roles(row, persons, out)
    things = sorted({(n.lower(), kind) for n, kind in gold if kind not in {"person", "concept"}})
    entities = [
        (one.name, _TYPES.get(one.type, one.type))
        for one in found
        if one.kind is Kind.ENTITY and _WHOSE.sub("", one.name).casefold() not in small
    ]
    fits = lambda a, b: alike(a[0], b[0]) and a[1] == b[1]  # noqa: E731
    out.add("things", things, entities, matched(things, entities, fits))
    out.add(
        "any thing", things, entities, matched(things, entities, lambda a, b: alike(a[0], b[0]))
    )


def _names_of(one: Candidate) -> tuple[str, ...]:
    """Give what somebody is called by name; nothing for one who is known by a role only."""
    spelled = (one.name, *one.aliases)
    return tuple(name for name in spelled if not is_role(canonical_name(name)))


def _count_roles(row: dict[str, Any], persons: Sequence[Candidate], out: Count) -> None:
    """Count individuals known by a role: those labelled as people whom no name in the source means."""
    meant = {(_core(e[0], "person"), e[1]) for e in _entries(row, "refs")}
    named = {role for role, who in meant if _is_name(_core(str(who), "person")) or who == "owner"}
    surfaces = {_core(e[0], e[1]) for e in _entries(row, "mentions") if e[1] == "person"}
    wanted = sorted(one for one in surfaces - named if not _is_name(one))
    found = [called(one.name, one.aliases) for one in persons if not _names_of(one)]
    out.add("by role", wanted, found, matched(wanted, found, same_as))


def _count_statements(mind: Mind, row: dict[str, Any], reading: Reading, out: Count) -> None:
    beliefs = [(b.passage_key, b.statement, b.subject) for b in mind.beliefs(reading)]
    gold = [(f"p{f.get('t', 0)}", f["q"], f["s"], f["who"]) for f in row.get("facts", [])]
    fits = lambda g, b: g[0] == b[0] and max(overlap(g[1], b[1]), overlap(g[2], b[1])) >= 0.5  # noqa: E731
    out.add("statements", gold, beliefs, matched(gold, beliefs, fits))

    def about(g: Any, b: Any) -> bool:
        who = "owner" if g[3] == row["owner"] else g[3]
        return bool(fits(g, b)) and (who == b[2] or alike(who, b[2]))

    out.add("with subject", gold, beliefs, matched(gold, beliefs, about))
    for entry in row.get("drop", []):
        turn, text = (entry[0], entry[1]) if "turns" in row else (0, entry[0])
        out.of["drop wanted"] += 1
        own = words(text)
        covered = max(
            (
                (own & words(b[1])).total() / max(1, own.total())
                for b in beliefs
                if b[0] == f"p{turn}"
            ),
            default=0.0,
        )
        out.of["drop kept"] += covered > 0.5


def _count_relations(mind: Mind, row: dict[str, Any], reading: Reading, out: Count) -> None:
    anchors = _anchors(mind, reading, row["owner"])
    boxes = {kind: Toolbox(anchors) for kind in (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)}
    for kind, box in boxes.items():
        mind.relate(reading, kind, box)
    drafts = [r for box in boxes.values() for r in box.findings.relations]
    owner = row["owner"]
    names = {a.name: called(a.name, a.aliases) for a in anchors} | {owner: ("owner",)}
    found = [(names[r.src], names[r.dst], r.relationship_type) for r in drafts]
    gold = []
    for a, b, said, *_ in _entries(row, "rels"):
        meant = labels.relation(said, told_of=str(b))
        ends = [("owner" if e == owner else _core(str(e), "person")) for e in (a, b)]
        gold.append((*(reversed(ends) if meant.flip else ends), meant.name, said))

    def ends(g: Any, f: Any) -> bool:
        forth = same_as(g[0], f[0]) and same_as(g[1], f[1])
        return forth or (same_as(g[0], f[1]) and same_as(g[1], f[0]))

    def strict(g: Any, f: Any) -> bool:
        family = _FAMILIES.get(g[2], {g[2]})
        worded = labels.relation(f[2].replace("_", " "), told_of="").name == g[2]
        return ends(g, f) and (f[2] in family or worded)

    out.add("pairs", gold, found, matched(gold, found, ends))
    out.add("relations", gold, found, matched(gold, found, strict))
    whole = [*gold]
    for one in stated_by_roles(row):
        if not any(ends(g, [(one[0],), (one[1],)]) for g in whole):
            whole.append(one)
    out.add("with roles", whole, found, matched(whole, found, strict))


_LEAD = re.compile(r"\b(?:the|a|an|your|that|this|of)\s+$", re.IGNORECASE)
_LEADS_ROLE = re.compile(r"(?:\b(my|our|his|her|their)|(\w+)['’]s)\s+$", re.IGNORECASE)


def stated_by_roles(row: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Give the ties that labelled people state by what they are called: "my mum", "Mum", "his mum"
    where the labels say who he is, "Tom's mum". Most authors left about half of them out of their ties."""
    talk, owner = "turns" in row, row["owner"]
    turns = row["turns"] if talk else [[owner, row["text"]]]
    meant = {(e[0], e[1].lower()): e[2] for e in row.get("refs", [])} if talk else {
        (0, e[0].lower()): e[1] for e in row.get("refs", [])
    }  # fmt: skip
    for entry in row.get("mentions", []):
        turn, (surface, kind, *_) = (entry[0], entry[1:]) if talk else (0, entry)
        role = surface.split()[-1]
        if kind != "person" or role.lower() not in ROLES - OF_MANY or turn >= len(turns):
            continue
        speaker, text = turns[turn]
        for start, end in tasks.occurrences(role, text)[:1]:
            lead = _LEADS_ROLE.search(text[:start])
            word = (lead[1] or "").lower() if lead else ""
            whose = speaker if word in {"my", "our"} else lead[2] if lead else None
            whose = meant.get((turn, word)) if word in {"his", "her", "their"} else whose
            if lead is None and role.lower() in CALLED_SO and not _LEAD.search(text[:start]):
                whose = speaker  # "Mum rang"
            if whose is not None:
                of = "owner" if whose == owner else _core(str(whose), "person")
                yield of, text[start:end], labels.relation(role.lower(), told_of=role).name, role


def judged_pairs(mind: Mind, pairs: Sequence[tasks.Pair], out: Count) -> None:
    """Count what a mind's judge does with pairs."""
    acts = {Judgement.SAME: "same", Judgement.REFINES: "same", Judgement.CONTRADICTS: "update"}
    for pair in pairs:
        wanted = {"refine": "same", "unrelated": "beside"}.get(pair.label, pair.label)
        (got,) = mind.judge(pair.new, [pair.old])
        out.of[f"{wanted} pairs"] += 1
        out.of[f"{wanted} judged {acts.get(got, 'beside')}"] += 1


def judge_lines(out: Count) -> list[str]:
    """Give the shares of pairs that were judged as wanted, and of wrong updates, as lines."""
    total = {name: max(1, out.of[f"{name} pairs"]) for name in ("update", "same", "beside")}
    lines = [
        f"{name:12} {100 * out.of[f'{name} judged {name}'] / pairs:5.1f} % of {pairs}"
        for name, pairs in total.items()
    ]
    wrong = 100 * out.of["beside judged update"] / total["beside"]
    return [*lines, f"wrong updates {wrong:.1f} %"]


def main() -> None:
    """Print the figures of the offline mind."""
    from remanent.minds.offline import OfflineMind

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("training/data"))
    parser.add_argument("--split", choices=("train", "dev", "test"), default="test")
    parser.add_argument("--batch", help="this batch alone")
    chosen = parser.parse_args()
    mind, out = OfflineMind(), Count()
    started = time.process_time()
    sources = 0
    for kind in ("notes", "talks"):
        for batch, row in tasks.rows(chosen.data, kind, chosen.split):
            if chosen.batch in {None, batch}:
                count_source(mind, row, out)
                sources += 1
    spent = time.process_time() - started
    print(
        f"{mind.name}, {chosen.split}: {sources} sources, {1000 * spent / max(1, sources):.0f} ms each"
    )
    for name in (
        "people",
        "by role",
        "things",
        "any thing",
        "statements",
        "with subject",
        "pairs",
        "relations",
        "with roles",
    ):
        print(out.line(name))
    kept = 100 * out.of["drop kept"] / max(1, out.of["drop wanted"])
    print(f"of what must not be kept, {kept:.1f} % of {out.of['drop wanted']} was")
    pairs = tasks.pairs(chosen.data, chosen.split)
    judged_pairs(mind, [one for one in pairs if chosen.batch in {None, one.batch}], out)
    print(*judge_lines(out), sep="\n")


if __name__ == "__main__":
    main()
