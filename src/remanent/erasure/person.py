"""Mentions: all in one memory that speaks of a person, so that it can be erased."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from remanent.core import event_text
from remanent.core.model.anchor import Person
from remanent.core.model.event import (
    ARTIFACT_PRODUCED,
    BELIEF_IMPORTED,
    CONSOLIDATED,
    ITEM_PUT,
    REMEMBERED,
    RESERVED,
    Event,
)
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import Artifact, Source
from remanent.core.ports.graph import Graph
from remanent.core.ports.ledger import Ledger
from remanent.core.read import every
from remanent.erasure.past_nights import all_events
from remanent.erasure.rules import redaction as rule
from remanent.erasure.source import EraseSource, Toll

EPISODES: Final = frozenset({REMEMBERED, CONSOLIDATED, BELIEF_IMPORTED})
_SPOKEN: Final = EPISODES | {ITEM_PUT}


@dataclass(slots=True)
class Spoken:
    """What speaks of somebody."""

    sources: list[Source] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    items: list[Event] = field(default_factory=list)  # that put them on a shelf


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    graph: Graph
    ledger: Ledger
    source: EraseSource

    def __call__(self, scope: Scope, person: Person) -> Spoken:
        """By a link, or by one of the names in the text."""
        names = self._names(scope, person)
        linked = {
            link.src
            for key in self._keys(scope, person)
            for link in self.graph.links(scope, key, kinds=(LinkKind.MENTIONS,), outward=False)
        }
        found = Spoken()
        for node in every(self.graph, scope, Kind.SOURCE):
            if isinstance(node, Source) and (node.key in linked or self._says(scope, node, names)):
                found.sources.append(node)
        for event in all_events(self.ledger, scope):
            if _is_spoken(event) and rule.names_person(_words(event), names):
                (found.items if event.event_type == ITEM_PUT else found.events).append(event)
        for node in every(self.graph, scope, Kind.ARTIFACT):
            if isinstance(node, Artifact) and node.user_id == scope.user_id:
                text = f"{node.name} {node.description} {node.output}"
                if rule.names_person(text, names):
                    found.artifacts.append(node)
        return found

    def take_back(self, scope: Scope, source: Source, toll: Toll) -> None:
        """A source of another's leaves no trace in the caller's graph, and stays where it is."""
        self.source.take_back(scope, source, toll)

    def productions(self, scope: Scope, artifact: Artifact) -> list[str]:
        """Ids of the events that tell of this artifact."""
        return [
            one.event_id
            for one in all_events(self.ledger, scope)
            if one.event_type == ARTIFACT_PRODUCED
            and one.payload["name"] == artifact.name
            and one.payload["output"] == artifact.output
        ]

    def _keys(self, scope: Scope, person: Person) -> list[str]:
        """The person, and who was merged into them by hand."""
        links = self.graph.links(scope, person.key, kinds=(LinkKind.SAME_AS,))
        return sorted({person.key, *(end for one in links for end in (one.src, one.dst))})

    def _names(self, scope: Scope, person: Person) -> list[str]:
        """All that they are called; a first name alone may be another's, and is one of them only if
        it is an alias."""
        nodes = self.graph.get_many(scope, self._keys(scope, person)).values()
        people = [one for one in nodes if isinstance(one, Person)]
        return sorted({name for one in people for name in (one.name, *one.aliases)})

    def _says(self, scope: Scope, source: Source, names: list[str]) -> bool:
        raw = self.ledger.raw(scope, source.key)
        passages = [one.text for one in self.graph.passages(scope, source.key)]
        said = passages if raw is None else [raw.content, *source.participants]
        texts = [source.title, *said]
        return any(rule.names_person(text, names) for text in texts)


def _is_spoken(event: Event) -> bool:
    return event.event_type in _SPOKEN or event.event_type not in RESERVED


def _words(event: Event) -> str:
    if event.event_type == ITEM_PUT:
        return rule.item_text(event.payload)
    told = event.payload.get("belief")
    said = event_text.text_of(event.event_type, event.payload)
    return f"{said} {event.payload.get('statement', '')} {told or ''}"
