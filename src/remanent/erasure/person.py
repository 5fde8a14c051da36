"""What an erasure takes, and mentions: all in one memory that speaks of a person, so that it can be erased."""

from __future__ import annotations

from typing import Final

from remanent.core import event_text
from remanent.core.dataclasses import dataclass, field
from remanent.core.env import Env
from remanent.core.event_lookup import forgotten_event, ledger_events, shadow
from remanent.core.model import event as types
from remanent.core.model.anchor import Person
from remanent.core.model.event import Event, event_key
from remanent.core.model.page import title_of
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import Artifact, Source
from remanent.core.model.story import Summary
from remanent.core.read import every, own
from remanent.core.records.admin import Erasable
from remanent.erasure import rules as rule

EPISODES: Final = frozenset({types.REMEMBERED, types.CONSOLIDATED, types.BELIEF_IMPORTED})
_SPOKEN: Final = EPISODES | {types.ITEM_PUT}


@dataclass(slots=True)
class Plan:
    """What goes: the caller's own sources and events, artifacts, events that put something on a shelf or
    put it right by hand, and sources of others that are to leave no trace in the caller's graph."""

    kind: Erasable
    key: str
    title: str = ""
    sources: dict[str, Source] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    artifacts: list[Artifact] = field(default_factory=list)
    undone: dict[str, Source] = field(default_factory=dict)
    items: list[Event] = field(default_factory=list)
    corrections: list[Event] = field(default_factory=list)

    @property
    def titles(self) -> tuple[str, ...]:
        """What each of it is called, for who has to decide."""
        lines = [f"source: {title_of(one)}" for one in self.sources.values()]
        lines += [f"event: {shadow(one).text[:80]}" for one in self.events.values()]
        lines += [f"artifact: {one.name}" for one in self.artifacts]
        lines += list(dict.fromkeys(f"item: {one.payload['key']}" for one in self.items))
        lines += [f"put right by hand: {one.event_id}" for one in self.corrections]
        lines += [f"taken back, stays with others: {title_of(one)}" for one in self.undone.values()]
        return tuple(lines)


def mentions_of(env: Env, scope: Scope, person: Person) -> Plan:
    """All that mentions a person by a link, or by one of the names in the text, as it is to go."""
    names = _names(env, scope, person)
    linked = {
        link.src
        for key in _keys(env, scope, person)
        for link in env.graph.links(scope, key, kinds=(LinkKind.MENTIONS,), outward=False)
    }
    plan = Plan(kind=Erasable.PERSON, key=person.key, title=person.name)
    for node in every(env.graph, scope, Source):
        if node.key in linked or _mentions_person(env, scope, node, names):
            (plan.sources if node.user_id == scope.user_id else plan.undone)[node.key] = node
    ours = types.RESERVED - _SPOKEN
    for event in ledger_events(env, scope):
        if event.event_type not in ours and rule.names_person(_words(env, scope, event), names):
            if event.event_type == types.ITEM_PUT:
                plan.items.append(event)
            else:
                plan.events[event.event_id] = event
    plan.corrections += _corrections(env, scope, set(_keys(env, scope, person)), names)
    for made in own(env, scope, Artifact):
        if rule.names_person(f"{made.name} {made.description} {made.output}", names):
            plan.artifacts.append(made)
    return plan


def _corrections(env: Env, scope: Scope, keys: set[str], names: list[str]) -> list[Event]:
    """What was put right by hand in these, or says one of these names."""
    found = list[Event]()
    for event in ledger_events(env, scope, types.MEMORY_CORRECTED):
        ends = {str(event.payload.get(name)) for name in ("key", "src", "dst")}
        words = " ".join(str(one["value"]) for one in event.payload.get("words", ()))
        if ends & keys or rule.names_person(words, names):
            found.append(event)
    return found


def productions(env: Env, scope: Scope, artifact: Artifact) -> list[str]:
    """Ids of the events that tell of this artifact."""
    return [
        one.event_id
        for one in ledger_events(env, scope, types.ARTIFACT_PRODUCED)
        if one.payload["name"] == artifact.name and one.payload["output"] == artifact.output
    ]


def _keys(env: Env, scope: Scope, person: Person) -> list[str]:
    """The person, and who was merged into them by hand."""
    links = env.graph.links(scope, person.key, kinds=(LinkKind.SAME_AS,))
    return sorted({person.key, *(end for one in links for end in (one.src, one.dst))})


def _names(env: Env, scope: Scope, person: Person) -> list[str]:
    """All that they are called; a first name alone may be another's, and is one of them only if it is an alias."""
    nodes = env.graph.get_many(scope, _keys(env, scope, person)).values()
    people = [one for one in nodes if isinstance(one, Person)]
    return sorted({name for one in people for name in (one.name, *one.aliases)})


def _mentions_person(env: Env, scope: Scope, source: Source, names: list[str]) -> bool:
    raw = env.ledger.raw(scope, source.key)
    passages = [one.text for one in env.graph.passages(scope, source.key)]
    contents = passages if raw is None else [raw.content, *source.participants]
    return any(rule.names_person(text, names) for text in (source.title, *contents))


def _words(env: Env, scope: Scope, event: Event) -> str:
    if event_text.is_trimmed(
        event.payload
    ):  # the episode that stands for it says what is left of it
        gone = forgotten_event(env, scope, event_key(scope.user_id, event.event_id))
        told = None if gone is None else env.graph.get(scope, gone.summary_key)
        return told.text if isinstance(told, Summary) else ""
    if event.event_type == types.ITEM_PUT:
        return rule.item_text(event.payload)
    belief = event.payload.get("belief")
    text = event_text.text_of(event.event_type, event.payload)
    return f"{text} {event.payload.get('statement', '')} {belief or ''}"
