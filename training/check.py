"""Checker of the training data: is every line of a batch sound and consistent?

Usage: ``python3 training/check.py FILE...`` (no file: everything under ``training/data``).

The kind of a file is the name of its folder: ``pairs``, ``notes``, ``talks`` or ``messages``.
Errors make the exit status 1; warnings do not. Every other batch beside the files named is read as well, so that
a text that stands in two batches is found. Messages name line and id and quote only the label
at fault, so that a batch held out for testing can be checked without being read.

The rules that a line cannot show by itself:

- A surface string is counted in whole words and in exact case: the second ``he`` is the second
  word ``he``, never the one inside ``the``.
- The target of a reference and both ends of a relation are mentions or ``owner`` (in a talk
  also a speaker).
- A date is ``2026``, ``2026-03``, ``2026-03-04`` or ``2026-03-04T18:00``; a range ``a/b``, open
  on one side with ``..``; something that recurs ``R:`` and words.
- Two lines with the same normalised text are an error; two that share most of their
  five-word shingles are a warning, and so are more than two that begin with the same five words.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

LABELS = {"update", "same", "refine", "beside", "unrelated"}
TYPES = {
    "person", "organization", "location", "project", "product",
    "event", "group", "animal", "concept", "date",
}  # fmt: skip
KINDS = {"fact", "preference", "plan", "promise", "event", "opinion"}
REASONS = {"small_talk", "question", "advice", "hypothetical", "passing", "joke", "quote"}
FOLDERS = ("pairs", "notes", "talks", "messages")
LISTS = {"mentions", "refs", "facts", "drop", "rels", "dates"}
REL_KEYS = {"from", "to", "att", "prox", "neg"}
ISO = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])(T[0-2]\d(:[0-5]\d)?)?)?)?")
SHARED_SHINGLES = 0.6
"""Share of the shorter text's shingles from which two texts count as near duplicates."""


class Report:
    """Collector of findings of one file (errors, warnings, counts)."""

    def __init__(self, path: Path) -> None:
        """Start an empty report on a file."""
        self.path = path
        self.errors: list[str] = []
        self.warnings: list[str] = []
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)

    def error(self, where: str, what: str) -> None:
        """Note something that must be put right."""
        self.errors.append(f"{self.path.name}:{where}: {what}")

    def warn(self, where: str, what: str) -> None:
        """Note something that deserves a second look."""
        self.warnings.append(f"{self.path.name}:{where}: {what}")


def normalised(text: str) -> str:
    """Give the text in lower case without punctuation and with single spaces."""
    return " ".join(re.findall(r"\w+", text.lower()))


def occurrences(surface: str, text: str) -> int:
    """Count how often the surface string stands in the text as whole words, in exact case."""
    left = r"(?<!\w)" if re.match(r"\w", surface) else ""
    right = r"(?!\w)" if re.search(r"\w$", surface) else ""
    return len(re.findall(left + re.escape(surface) + right, text))


def is_moment(value: object) -> bool:
    """Say whether the value is a moment or period in ISO form that exists in the calendar."""
    if not isinstance(value, str) or not ISO.fullmatch(value):
        return False
    if len(value) >= 10:
        try:
            date.fromisoformat(value[:10])
        except ValueError:
            return False
    return True


def is_when(value: object) -> bool:
    """Say whether the value is a moment, a range or a recurrence."""
    if not isinstance(value, str):
        return False
    if value.startswith("R:"):
        return len(value) > 3
    ends = value.split("/")
    if len(ends) == 2:
        return any(map(is_moment, ends)) and all(e == ".." or is_moment(e) for e in ends)
    return is_moment(value)


def check_pair(row: dict[str, Any], where: str, report: Report) -> str:
    """Check one pair of beliefs and give its normalised text."""
    for key in ("old", "new", "label", "topic"):
        if not isinstance(row.get(key), str) or not row[key].strip():
            report.error(where, f"{key} is missing or empty")
            return ""
    if row["label"] not in LABELS:
        report.error(where, f"unknown label {row['label']!r}")
    if extra := set(row) - {"old", "new", "label", "topic", "id"}:
        report.warn(where, f"unknown keys {sorted(extra)}")
    old, new = normalised(row["old"]), normalised(row["new"])
    if old == new:
        report.error(where, "old and new are the same words")
    report.counts["label"][row["label"]] += 1
    return f"{old} | {new}"


def check_message(row: dict[str, Any], where: str, report: Report) -> str:
    """Check one message to an assistant and give its normalised text, with what came before."""
    before = row.get("before", [])
    texts = [*before, row.get("text")] if isinstance(before, list) else []
    if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        report.error(where, "text or before is missing or empty")
        return ""
    if not isinstance(row.get("needs"), bool):
        report.error(where, "needs is neither true nor false")
    if extra := set(row) - {"text", "needs", "before", "id"}:
        report.warn(where, f"unknown keys {sorted(extra)}")
    report.counts["needs"][str(row.get("needs"))] += 1
    report.counts["other"]["follow-ups"] += bool(before)
    return normalised(" ".join(texts))


class Source:
    """Checker of one note or talk: the lists of labels against the text of the turns."""

    def __init__(self, row: dict[str, Any], where: str, report: Report, turns: list[str]) -> None:
        """Hold the row, the place to name in findings, and its texts (a note has one turn)."""
        self.row, self.where, self.report, self.turns = row, where, report, turns
        self.talk = "turns" in row
        self.names = {"owner"}
        if self.talk:
            self.names |= {turn[0] for turn in row["turns"]}

    def entries(self, name: str) -> list[tuple[int, list[Any]]]:
        """Give the entries of a list, each with the index of its turn taken off."""
        found: list[tuple[int, list[Any]]] = []
        listed = self.row.get(name, [])
        if not isinstance(listed, list):
            self.report.error(self.where, f"{name} is not a list")
            return found
        for entry in listed:
            turn = 0
            if not isinstance(entry, list) or not entry:
                self.report.error(self.where, f"{name}: {entry!r} is not a list")
                continue
            if self.talk:
                turn, entry = entry[0], entry[1:]
                if not isinstance(turn, int) or not 0 <= turn < len(self.turns):
                    self.report.error(self.where, f"{name}: {turn!r} is no turn")
                    continue
            found.append((turn, entry))
        return found

    def stands(self, name: str, surface: object, turn: int, nth: object = 1) -> bool:
        """Check that the n-th occurrence of the surface string exists in the turn."""
        if not isinstance(surface, str) or not surface:
            self.report.error(self.where, f"{name}: {surface!r} is no string")
        elif not isinstance(nth, int) or nth < 1:
            self.report.error(self.where, f"{name}: {nth!r} is no number of an occurrence")
        elif (seen := occurrences(surface, self.turns[turn])) < nth:
            self.report.error(self.where, f"{name}: {surface!r} occurs {seen} times, not {nth}")
        else:
            return True
        return False

    def shape(self, name: str, entry: list[Any], least: int, most: int) -> bool:
        """Check the number of elements of an entry."""
        if least <= len(entry) <= most:
            return True
        self.report.error(self.where, f"{name}: {entry!r} has {len(entry)} elements")
        return False

    def check(self) -> None:
        """Check every list of the row."""
        if extra := set(self.row) - LISTS - {"id", "at", "owner", "text", "turns"}:
            self.report.error(self.where, f"unknown keys {sorted(extra)}")
        if not is_moment(self.row.get("at")) or len(self.row["at"]) < 10:
            self.report.error(self.where, "at is not a day in ISO form")
        if not isinstance(self.row.get("owner"), str) or not self.row["owner"]:
            self.report.error(self.where, "owner is missing")
        self.mentions()
        self.refs()
        self.facts()
        self.drops()
        self.rels()
        self.dates()

    def mentions(self) -> None:
        """Check the mentions: surface strings and types."""
        seen: set[tuple[Any, ...]] = set()
        for turn, entry in self.entries("mentions"):
            if not self.shape("mentions", entry, 2, 3):
                continue
            surface, kind = entry[:2]
            if kind not in TYPES:
                self.report.error(self.where, f"mentions: unknown type {kind!r}")
            self.stands("mentions", surface, turn, *entry[2:])
            key = (turn, surface, *entry[2:])
            if key in seen:
                self.report.error(self.where, f"mentions: {surface!r} is listed twice")
            seen.add(key)
            self.names.add(str(surface))
            self.report.counts["mention"][str(kind)] += 1

    def refs(self) -> None:
        """Check the references: surface strings and targets."""
        for turn, entry in self.entries("refs"):
            if not self.shape("refs", entry, 2, 3):
                continue
            self.stands("refs", entry[0], turn, *entry[2:])
            if entry[1] not in self.names:
                self.report.error(self.where, f"refs: target {entry[1]!r} is no mention")
            self.report.counts["other"]["refs"] += 1

    def facts(self) -> None:
        """Check the facts: quotes, subjects and kinds."""
        for fact in self.row.get("facts", []):
            wanted = {"q", "s", "who", "k"} | ({"t"} if self.talk else set())
            if not isinstance(fact, dict) or set(fact) != wanted:
                self.report.error(self.where, f"facts: keys are not {sorted(wanted)}")
                continue
            turn = fact.get("t", 0)
            if not isinstance(turn, int) or not 0 <= turn < len(self.turns):
                self.report.error(self.where, f"facts: {turn!r} is no turn")
                continue
            self.stands("facts", fact["q"], turn)
            if not isinstance(fact["s"], str) or len(fact["s"].split()) < 2:
                self.report.error(self.where, "facts: s is no sentence")
            if fact["who"] not in self.names:
                self.report.warn(self.where, f"facts: who {fact['who']!r} is no mention")
            if fact["k"] not in KINDS:
                self.report.error(self.where, f"facts: unknown kind {fact['k']!r}")
            self.report.counts["fact"][str(fact["k"])] += 1

    def drops(self) -> None:
        """Check what is not to be kept: quotes and reasons, and that no fact stands inside."""
        quotes = [
            (f.get("t", 0), f.get("q", "")) for f in self.row.get("facts", []) if type(f) is dict
        ]
        for turn, entry in self.entries("drop"):
            if not self.shape("drop", entry, 2, 2):
                continue
            if self.stands("drop", entry[0], turn):
                for other, quote in quotes:
                    if other == turn and (entry[0] in quote or quote in entry[0]):
                        self.report.error(self.where, f"drop: {entry[0]!r} overlaps a fact")
            if entry[1] not in REASONS:
                self.report.error(self.where, f"drop: unknown reason {entry[1]!r}")
            self.report.counts["drop"][str(entry[1])] += 1

    def rels(self) -> None:
        """Check the relations: both ends, the words between, and the map of details."""
        for _, entry in self.entries("rels"):
            if not self.shape("rels", entry, 3, 4):
                continue
            for end in entry[:2]:
                if end not in self.names:
                    self.report.error(self.where, f"rels: end {end!r} is no mention")
            words = entry[2] if isinstance(entry[2], str) else ""
            if not 1 <= len(words.split()) <= 3 or words != words.lower():
                self.report.error(self.where, f"rels: {entry[2]!r} is not 1-3 words in lower case")
            self.details(entry[3] if len(entry) > 3 else {})
            self.report.counts["other"]["rels"] += 1

    def details(self, details: object) -> None:
        """Check the map of details of a relation: its time, the feeling, the nearness."""
        if not isinstance(details, dict) or set(details) - REL_KEYS:
            self.report.error(self.where, f"rels: details {details!r}")
            return
        for key in ("from", "to"):
            if key in details and not is_moment(details[key]):
                self.report.error(self.where, f"rels: {key} {details[key]!r} is not ISO")
        for key in ("att", "prox"):
            if key in details and details[key] not in {1, 2, 3, 4, 5}:
                self.report.error(self.where, f"rels: {key} {details[key]!r} is not 1-5")
        if details.get("neg", True) is not True:
            self.report.error(self.where, "rels: neg is true or absent")

    def dates(self) -> None:
        """Check the dates: surface strings, ISO forms, and that each is a date mention."""
        known = {(t, e[0]) for t, e in self.entries("mentions") if len(e) > 1 and e[1] == "date"}
        for turn, entry in self.entries("dates"):
            if not self.shape("dates", entry, 2, 2):
                continue
            self.stands("dates", entry[0], turn)
            if not is_when(entry[1]):
                self.report.error(self.where, f"dates: {entry[1]!r} is not ISO")
            if (turn, entry[0]) not in known:
                self.report.warn(self.where, f"dates: {entry[0]!r} is no mention of type date")
            self.report.counts["other"]["dates"] += 1


def check_source(row: dict[str, Any], kind: str, where: str, report: Report) -> str:
    """Check one note or talk and give its normalised text."""
    turns: list[Any]
    if kind == "notes":
        turns = [row.get("text")]
    else:
        listed = row.get("turns")
        if not isinstance(listed, list) or not all(
            isinstance(turn, list) and len(turn) == 2 and isinstance(turn[0], str)
            for turn in listed
        ):
            report.error(where, "turns is not a list of [speaker, text]")
            return ""
        turns = [turn[1] for turn in listed]
    if not turns or not all(isinstance(turn, str) and turn.strip() for turn in turns):
        report.error(where, "there is no text")
        return ""
    if not isinstance(row.get("id"), str):
        report.error(where, "id is missing")
    Source(row, where, report, turns).check()
    if not row.get("facts"):
        report.counts["other"]["nothing to keep"] += 1
    return normalised(" ".join(turns))


def check_row(row: dict[str, Any], kind: str, where: str, report: Report) -> str:
    """Check one line of a kind and give its normalised text."""
    if kind == "pairs":
        return check_pair(row, where, report)
    if kind == "messages":
        return check_message(row, where, report)
    return check_source(row, kind, where, report)


def rows(path: Path, report: Report) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the objects of a file, each with its place, and report lines that hold none."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as fault:
            report.error(str(number), f"no JSON: {fault}")
            continue
        if isinstance(row, dict):
            yield f"{number} {row.get('id', '')}".strip(), row
        else:
            report.error(str(number), "no JSON object")


def read(path: Path, report: Report | None = None) -> list[tuple[str, str]]:
    """Read a file, checking it if a report is given, and list (place, normalised text)."""
    kind = path.resolve().parent.name
    checked = report or Report(path)
    texts: list[tuple[str, str]] = []
    ids: set[str] = set()
    if kind not in FOLDERS:
        checked.error("0", f"the folder is none of {', '.join(FOLDERS)}")
        return texts
    for where, row in rows(path, checked):
        if "id" in row:
            if row["id"] in ids:
                checked.error(where, "the id stands twice")
            ids.add(row["id"])
            if not str(row["id"]).startswith(path.stem + "-"):
                checked.error(where, "the id does not begin with the name of the batch")
        if text := check_row(row, kind, where, checked):
            texts.append((where, text))
        checked.counts["other"]["lines"] += 1
    return texts


def starts(texts: list[tuple[str, str]], report: Report) -> None:
    """Warn of more than two texts of a batch that begin with the same five words."""
    frames: dict[tuple[str, ...], list[str]] = defaultdict(list)
    seen: set[str] = set()
    for where, text in texts:
        for part in text.split(" | "):
            words = part.split()
            # One belief set against several later sentences is a contrast, not a habit.
            if len(words) > 5 and part not in seen:
                frames[tuple(words[:5])].append(where.split()[0])
            seen.add(part)
    for frame, places in frames.items():
        if len(places) > 2:
            report.warn(",".join(places), f"{len(places)} texts begin {' '.join(frame)!r}")


def shingles(text: str) -> set[tuple[str, ...]]:
    """Give the set of five-word shingles of a text."""
    words = text.split()
    return {tuple(words[i : i + 5]) for i in range(len(words) - 4)}


def duplicates(batches: dict[Path, list[tuple[str, str]]], reports: dict[Path, Report]) -> None:
    """Find equal and nearly equal texts in and across batches; report on the checked ones."""
    equal: dict[str, tuple[Path, str]] = {}
    index: dict[tuple[str, ...], list[int]] = defaultdict(list)
    sizes: list[tuple[Path, str, int]] = []
    # Files under check come last, so that a finding lands on them and names what was there.
    for path in sorted(batches, key=lambda p: (p in reports, p)):
        report = reports.get(path)
        for where, text in batches[path]:
            if text in equal and report:
                other, place = equal[text]
                report.error(where, f"the same text as {other.name}:{place}")
                continue
            equal.setdefault(text, (path, where))
            parts = shingles(text)
            shared = Counter(n for part in parts for n in index[part])
            for number, count in shared.items():
                other, place, size = sizes[number]
                least = min(size, len(parts))
                if report and least >= 4 and count >= SHARED_SHINGLES * least:
                    report.warn(where, f"nearly the text of {other.name}:{place}")
            for part in parts:
                index[part].append(len(sizes))
            sizes.append((path, where, len(parts)))


def check_brief(path: Path, report: Report) -> None:
    """Warn when the brief of a batch is missing or does not name its split."""
    brief = path.resolve().parent.parent / "briefs" / f"{path.stem}.md"
    if not brief.exists():
        report.warn("0", "there is no brief")
    elif not re.search(r"(?i)split\W{0,5}(train|dev|test)\b", brief.read_text("utf-8")):
        report.warn("0", "the brief does not say `split: train`, `dev` or `test`")


def main(arguments: list[str]) -> int:
    """Check the files named, print findings and counts, and give the exit status."""
    data = Path(__file__).resolve().parent / "data"
    everything = [p for folder in FOLDERS for p in sorted((data / folder).glob("*.jsonl"))]
    chosen = [Path(name).resolve() for name in arguments] or everything
    reports = {path: Report(path) for path in chosen}
    batches = {path: read(path, reports[path]) for path in chosen}
    for path in everything:
        if path not in batches:
            batches[path] = read(path)
    duplicates(batches, reports)
    failed = False
    lines: list[str] = []
    for path, report in reports.items():
        starts(batches[path], report)
        check_brief(path, report)
        lines += [f"ERROR {line}" for line in report.errors]
        lines += [f"warning {line}" for line in report.warnings]
        lines.append(f"{path.parent.name}/{path.name}: {len(report.errors)} errors")
        for name, counter in sorted(report.counts.items()):
            listed = ", ".join(f"{key} {n}" for key, n in counter.most_common())
            lines.append(f"  {name}: {listed}")
        failed = failed or bool(report.errors)
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
