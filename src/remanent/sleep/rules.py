"""Distillation: which old sources belong together and what becomes of them; and descriptions: which notes a
night reads for them, in which order (SPEC 7)."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from remanent.core.dataclasses import dataclass
from remanent.core.model.anchor import Note
from remanent.core.model.sleep import WornSource, WornSourceQuery

Alike = Callable[[str, str], float | None]
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class DistilRules:
    """The figures of episodic to semantic."""

    older_than_days: float = 7.0
    salience_below: float = 0.2
    accessed_from: int = 10
    accessed_below: float = 0.5  # salience: what is called on that often and yet no more present
    group_of: int = 5
    window_days: float = 30.0  # how long ago the youngest of a group may have come of age
    apart_days: float = 7.0
    overlap_from: float = 0.5
    alike_from: float = 0.4
    together_most: int = 12  # sources of which one insight is drawn
    anchors_most: int = 3  # that one insight is noted on
    most: int = 100  # sources in one night


_DEFAULTS = DistilRules()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Sources to be distilled in one go, oldest first, and why."""

    sources: tuple[WornSource, ...]
    why: str

    def parts(self, most: int) -> Iterator[Sequence[WornSource]]:
        """As few parts of about the same size as `most` allows, in order of time."""
        count = -(-len(self.sources) // max(1, most))
        size = -(-len(self.sources) // max(1, count))
        for start in range(0, len(self.sources), max(1, size)):
            yield self.sources[start : start + size]


def shared(sources: Sequence[WornSource], without: str = "") -> list[str]:
    """The anchors of these sources, those that most of them mention first, then in order of key; of
    several sources, only what two or more mention."""
    counts = Counter(key for one in sources for key in one.anchors if key != without)
    least = min(2, len(sources))
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [key for key, count in ordered if count >= least]


def worn_source_query(at: datetime, rules: DistilRules = _DEFAULTS) -> WornSourceQuery:
    """What a night at `at` asks the store for."""
    before = at - timedelta(days=rules.older_than_days)
    return WornSourceQuery(
        before=before,
        since=before - timedelta(days=rules.window_days),
        untouched=before,
        salience_below=rules.salience_below,
        accessed_from=rules.accessed_from,
        accessed_below=rules.accessed_below,
    )


def clusters(
    sources: Iterable[WornSource],
    alike: Alike,
    rules: DistilRules = _DEFAULTS,
    *,
    without: str = "",
) -> Iterator[Cluster]:
    """What is to be distilled of these sources, which come in order of time.

    Two of them belong together if they lie within `apart_days`, share anchors (but for `without`, the
    owner, who is in everything) and are alike, or nothing is known of how alike they are. A group of
    `group_of` goes whole; of a smaller one go those that are worn. Only what is near in time is held:
    a group is told as soon as nothing can join it. Taking sources away never makes a group of others.
    """
    gap = timedelta(days=rules.apart_days)
    recent: deque[tuple[WornSource, _Group]] = deque()
    groups: list[_Group] = []  # in order of their first source
    for source in sources:
        while recent and source.at - recent[0][0].at > gap:
            recent.popleft()
        ends = [
            group
            for other, group in recent
            if _belong_together(source, other, alike, rules, without)
        ]
        home = _merge_groups(ends)
        home.add(source)
        if not any(home.root is group for group in groups):
            groups.append(home)
        recent.append((source, home))
        alive = {id(group.root) for _, group in recent}
        done = [one for one in groups if one.root is not one or id(one) not in alive]
        groups = [one for one in groups if one.root is one and id(one) in alive]
        for group in done:
            if group.root is group:
                yield from _clusters_of(group.members, rules)
    for group in groups:
        if group.root is group:
            yield from _clusters_of(group.members, rules)


class _Group:
    """Sources that belong together; one that was joined to another points there."""

    __slots__ = ("into", "members")

    def __init__(self) -> None:
        self.into: _Group | None = None
        self.members: list[WornSource] = []

    @property
    def root(self) -> _Group:
        group = self
        while group.into is not None:
            group = group.into
        return group

    def add(self, one: WornSource) -> None:
        self.members.append(one)


def _merge_groups(groups: Sequence[_Group]) -> _Group:
    """One group of all of these; a new one of none."""
    roots = list({id(one.root): one.root for one in groups}.values())
    if not roots:
        return _Group()
    first = roots[0]
    for other in roots[1:]:
        first.members += other.members
        other.members = []
        other.into = first
    return first


def _belong_together(
    one: WornSource, other: WornSource, alike: Alike, rules: DistilRules, without: str
) -> bool:
    mine, theirs = one.anchors - {without}, other.anchors - {without}
    if not mine or not theirs:
        return False
    if len(mine & theirs) / min(len(mine), len(theirs)) < rules.overlap_from:
        return False
    value = alike(one.key, other.key)
    return value is None or value >= rules.alike_from


def _clusters_of(members: Iterable[WornSource], rules: DistilRules) -> Iterator[Cluster]:
    ordered = sorted(members, key=lambda one: (one.at, one.key))
    if len(ordered) >= max(1, rules.group_of):
        why = f"{len(ordered)} sources within {_span(ordered)} tell of the same"
        yield Cluster(sources=tuple(ordered), why=why)
        return
    worn = [one for one in ordered if one.is_worn]
    if worn:
        yield Cluster(sources=tuple(worn), why=_wear_of(worn, rules))


def _span(ordered: Sequence[WornSource]) -> str:
    days = (ordered[-1].at.date() - ordered[0].at.date()).days + 1
    return "a day" if days == 1 else f"{days} days"


def _wear_of(sources: Sequence[WornSource], rules: DistilRules) -> str:
    most = max(one.salience for one in sources)
    if most < rules.salience_below:
        return f"salience {most:.2f}, less than {rules.salience_below:g}"
    often = max(one.access_count for one in sources)
    return f"called on {often} times, and yet of a salience of {most:.2f}"


def insights(gist: str, most: int = 3) -> list[str]:
    """The sentences of a gist, each a note of its own; none of an empty one."""
    sentences = (one.strip() for one in _SENTENCE.split(" ".join(gist.split())))
    return list(dict.fromkeys(one for one in sentences if one))[:most]


def noted_on(
    insight: str,
    shared: Sequence[str],
    names: Callable[[str], Collection[str]],
    rules: DistilRules = _DEFAULTS,
) -> list[str]:
    """The anchors that an insight is noted on: those of the shared ones that it names, or else the
    one that most of the sources mention."""
    text = insight.casefold()
    named = [key for key in shared if any(_is_in(name, text) for name in names(key))]
    return (named or list(shared[:1]))[: max(1, rules.anchors_most)]


def source_of_insight(insight: str, texts: Sequence[tuple[str, str]]) -> str:
    """Of sources and their words, in order of time, the one that shares most words with the insight;
    of several, the last."""
    words = set(re.findall(r"\w+", insight.casefold()))
    best = max(
        range(len(texts)),
        key=lambda place: (len(words & set(re.findall(r"\w+", texts[place][1].casefold()))), place),
    )
    return texts[best][0]


def _is_in(name: str, text: str) -> bool:
    pattern = rf"(?<!\w){re.escape(name.casefold())}(?!\w)"
    return bool(name.strip()) and re.search(pattern, text) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class NightlyRules:
    """The figures of nightly consolidation."""

    only_accessed: float = 0.0  # days: only what was called on within them; 0: everything
    describe_most: int = 1000
    describe_notes: int = 50


def accessed_since(at: datetime, rules: NightlyRules) -> datetime | None:
    """Since when something has to have been called on to be described; None: it does not matter."""
    return at - timedelta(days=rules.only_accessed) if rules.only_accessed > 0 else None


def in_reading_order(notes: Iterable[Note], at: datetime) -> list[Note]:
    """These notes, given oldest first, in the order in which they are to be read: what counts most last.

    What has expired by `at` and is still there was never described: it is read once more, before
    all that holds.
    """
    return sorted(notes, key=lambda one: one.expires_at is None or one.expires_at > at)


def notes_of_sources(notes: Iterable[Note], sources: Collection[str]) -> list[Note]:
    """Those that these sources gave, "" standing for no source."""
    return [one for one in notes if (one.source_key or "") in sources]
