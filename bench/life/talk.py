"""From what is told to how it comes in: notes, conversations, e-mail, chat and meetings of each day."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from bench.life import values
from bench.life.wordings import (
    ABOUT_PEOPLE,
    ABOUT_PROJECTS,
    ANSWERS,
    CHATTER,
    CLOSINGS,
    FACTS,
    FILLS,
    OPENINGS,
    WEDDINGS,
)
from bench.life.world import (
    DAY,
    LATE_IMPORT_SHARE,
    OWNER,
    OWNER_NAME,
    START,
    Person,
    Slot,
    Telling,
    World,
)

ME = OWNER_NAME.split(maxsplit=1)[0]
_FORMS = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")


@dataclass(slots=True)
class Piece:
    """One source before it is added. `mentions` are people by the name that is used for them."""

    id: str
    day: int
    at: datetime
    added_at: datetime
    type: str
    content: str | list[dict[str, Any]]
    tellings: list[Telling] = field(default_factory=list)
    mentions: set[tuple[str, str]] = field(default_factory=set)
    project: str | None = None

    @property
    def is_chatter(self) -> bool:
        return not self.tellings and self.project is None and not self.mentions


@dataclass(slots=True)
class _Line:
    speaker: str  # a person's id, or OWNER
    text: str


class Talk:
    """Writes the sources of one world."""

    def __init__(self, world: World, sources: int) -> None:
        self.world = world
        self.wanted = sources
        self.dice = random.Random(f"talk {world.seed} {world.days} {sources}")
        self._introduced: set[tuple[str, str]] = set()
        self._people_in: set[tuple[str, str]] = set()

    def pieces(self) -> list[Piece]:
        """All sources of the year in order of time."""
        by_day: dict[int, list[list[Telling]]] = {}
        for telling in sorted(self.world.tellings, key=lambda one: one.day):
            groups = by_day.setdefault(telling.day, [])
            same = [
                group
                for group in groups
                if group[0].slot.subject == telling.slot.subject
                and all(one.slot is not telling.slot for one in group)
            ]
            if same and self.dice.random() < 0.6:
                same[0].append(telling)
            else:
                groups.append([telling])
        planned = sum(len(groups) for groups in by_day.values())
        work = self._work_days()
        extra = max(0, self.wanted - planned - len(work))
        plain = [self.dice.randrange(self.world.days) for _ in range(extra)]
        result: list[Piece] = []
        for day in range(self.world.days):
            todays = [self._piece_of(day, group) for group in by_day.get(day, ())]
            todays += [self._working(day, project) for on, project in work if on == day]
            todays += [self._renamed(day, one) for one in self._weddings(day)]
            todays += [self._plain(day) for on in plain if on == day]
            result += self._timed(day, todays)
        return result

    def _timed(self, day: int, pieces: list[Piece]) -> list[Piece]:
        """The day's sources, each at its time; a few come in weeks later, from an import."""
        self.dice.shuffle(pieces)
        for place, piece in enumerate(pieces):
            minutes = 6 * 60 + int((place + self.dice.random()) * 15 * 60 / len(pieces))
            piece.at = START + day * DAY + timedelta(minutes=minutes)
            piece.added_at = piece.at + timedelta(minutes=10)
            if self.dice.random() < LATE_IMPORT_SHARE and day + 45 < self.world.days:
                piece.added_at += self.dice.randrange(5, 40) * DAY
            piece.id = f"{day:03d}-{place:02d}"
            for telling in piece.tellings:
                telling.at, telling.source = piece.at, piece.id
                telling.recorded_at = piece.added_at.replace(hour=23, minute=0)
            if isinstance(piece.content, list):
                for turn, one in enumerate(piece.content):
                    one["at"] = (piece.at + timedelta(seconds=20 * turn)).isoformat()
                    one["id"] = f"{piece.id}-{turn}"
        return pieces

    # --- what a source is made of --------------------------------------------------------------

    def _piece_of(self, day: int, group: Sequence[Telling]) -> Piece:
        slot = group[0].slot
        self._people_in = set()
        if slot.is_project:
            lines = [self._line(day, one, OWNER) for one in group]
            lines += self._project_lines(slot.subject, self.dice.randrange(1, 4))
            self.dice.shuffle(lines)
            return self._written(day, lines, slot.subject, tellings=list(group))
        speaker = OWNER
        if slot.subject != OWNER and self.dice.random() < 0.45:
            speaker = slot.subject
        lines = [self._line(day, one, speaker) for one in group]
        if slot.subject != OWNER and speaker == OWNER:
            person = self.world.people[slot.subject]
            more = self.dice.sample(ABOUT_PEOPLE, self.dice.randrange(1, 4))
            lines += [_Line(OWNER, self._spoken_line(day, one, person)) for one in more]
        for _ in range(self.dice.randrange(2)):
            place = self.dice.randrange(len(lines) + 1)
            lines.insert(place, _Line(speaker, self._chat()))
        return self._written(day, lines, None, tellings=list(group))

    def _working(self, day: int, project: str) -> Piece:
        self._people_in = set()
        return self._written(day, self._project_lines(project, self.dice.randrange(3, 6)), project)

    def _plain(self, day: int) -> Piece:
        self._people_in = set()
        lines = [_Line(OWNER, self._chat()) for _ in range(self.dice.randrange(1, 4))]
        if self.dice.random() < 0.25:
            person = self.dice.choice(list(self.world.people.values()))
            more = self.dice.sample(ABOUT_PEOPLE, self.dice.randrange(1, 4))
            lines += [_Line(OWNER, self._spoken_line(day, one, person)) for one in more]
        return self._written(day, lines, None)

    def _weddings(self, day: int) -> list[Person]:
        return [
            one for one in self.world.people.values() if any(day == on > 0 for on, _ in one.names)
        ]

    def _renamed(self, day: int, person: Person) -> Piece:
        old, new = (name for _, name in person.names)
        self._introduced |= {(person.id, old), (person.id, new)}
        self._people_in = {(person.id, old), (person.id, new)}
        texts = self.dice.choice(WEDDINGS).split("|")
        marks = {"old": old, "new": new, "first": person.first}
        lines = [_Line(OWNER, _filled(text, **marks)) for text in texts]
        return self._written(day, lines, None)

    def _project_lines(self, project: str, count: int) -> list[_Line]:
        one = self.world.projects[project]
        some = self.dice.sample(ABOUT_PROJECTS, count)
        speakers = [OWNER, *one.crew]
        return [_Line(self.dice.choice(speakers), _filled(text, P=one.name)) for text in some]

    def _work_days(self) -> list[tuple[int, str]]:
        """On every second or third day of a burst somebody works on the project."""
        days = []
        for project in self.world.projects.values():
            for first, last in project.bursts:
                day = first
                while day <= last:
                    days.append((day, project.id))
                    day += self.dice.randrange(1, 5)
        return [one for one in days if one[0] < self.world.days]

    def _chat(self) -> str:
        text = self.dice.choice(CHATTER)
        return re.sub(r"\{(\w+)\}", lambda found: self.dice.choice(FILLS[found[1]]), text)

    # --- sentences ---------------------------------------------------------------------------------

    def _line(self, day: int, telling: Telling, speaker: str) -> _Line:
        wordings = FACTS[telling.slot.kind]
        text = self.dice.choice(getattr(wordings, telling.how) or wordings.state)
        marks = {"X": telling.value, "Y": telling.previous, **_times(telling)}
        telling.names_previous = "{Y}" in text
        if telling.slot.is_project:
            project = self.world.projects[telling.slot.subject]
            if telling.slot.kind == "lead":
                self._people_in |= {(self._id_of(name), name) for name in _named_in(text, marks)}
            sentence = _filled(text, P=project.name, **marks)
            telling.sentence = sentence
            return _Line(self.dice.choice([OWNER, *project.crew]), sentence)
        if telling.slot.kind == "partner":
            self._people_in |= {(f"x:{name}", name) for name in _named_in(text, marks)}
        person = self.world.people.get(telling.slot.subject)
        if person is None or speaker == person.id:
            sentence = _sentence(text, None, "", **marks)
        else:
            # With a namesake about, nobody could know by the first name whom it is told of.
            surface = self._surface(day, person, in_full=self._has_namesake(person))
            sentence = _sentence(text, person, surface, **marks)
        telling.sentence = sentence
        return _Line(speaker, sentence)

    def _spoken_line(self, day: int, text: str, person: Person) -> str:
        return _sentence(text, person, self._surface(day, person))

    def _surface(self, day: int, person: Person, *, in_full: bool = False) -> str:
        """In full when the name is new, or now and then; else as friends say it."""
        full = person.name_on(day)
        if (person.id, full) not in self._introduced or self.dice.random() < 0.3:
            self._introduced.add((person.id, full))
            surface = full
        else:
            surface = person.nick if person.nick and self.dice.random() < 0.6 else person.first
        if in_full:
            surface = full
        self._people_in.add((person.id, surface))
        return surface

    def _has_namesake(self, person: Person) -> bool:
        others = (one for one in self.world.people.values() if one is not person)
        return any(one.first == person.first for one in others)

    def _id_of(self, name: str) -> str:
        return next(
            one.id for one in self.world.people.values() if name in {full for _, full in one.names}
        )

    # --- forms -------------------------------------------------------------------------------------

    def _written(
        self,
        day: int,
        lines: list[_Line],
        project: str | None,
        tellings: Sequence[Telling] = (),
    ) -> Piece:
        speakers = list(dict.fromkeys(one.speaker for one in lines))
        others = [one for one in speakers if one != OWNER]
        if project is not None:
            form = self.dice.choice(("slack-thread", "meeting", "email", "text-note"))
        elif others:
            form = self.dice.choice(("conversation", "conversation", "email", "slack-thread"))
        else:
            form = self.dice.choice(("text-note", "text-note", "voice-memo", "conversation"))
        if form == "email":
            content: str | list[dict[str, Any]] = self._mail(day, lines, others)
        elif form in {"text-note", "voice-memo"}:
            content = self._note(lines, form)
        else:
            content = self._turns(day, lines, others)
        return Piece(
            id="",
            day=day,
            at=START,
            added_at=START,
            type=form,
            content=content,
            tellings=list(tellings),
            mentions=set(self._people_in),
            project=project,
        )

    def _note(self, lines: list[_Line], form: str) -> str:
        texts = [one.text for one in lines]
        if form == "voice-memo":
            return " ".join([self.dice.choice(OPENINGS), *texts, self.dice.choice(CLOSINGS)])
        return (" " if self.dice.random() < 0.7 else "\n\n").join(texts)

    def _mail(self, day: int, lines: list[_Line], others: Sequence[str]) -> str:
        sender = others[0] if others else OWNER
        name = OWNER_NAME if sender == OWNER else self._named(day, sender)
        to = "Team" if sender == OWNER else OWNER_NAME
        body = " ".join(one.text for one in lines)
        short = name.split()[0]
        return (
            f"From: {name} <{short.lower()}@example.com>\nTo: {to} <list@example.com>\n"
            f"Subject: {self.dice.choice(('news', 'a few lines', 'update', 'hello', 'this week'))}\n\n"
            f"{self.dice.choice(OPENINGS)}\n\n{body}\n\n{self.dice.choice(CLOSINGS)}\n{short}\n"
        )

    def _turns(self, day: int, lines: list[_Line], others: Sequence[str]) -> list[dict[str, Any]]:
        partner = self._named(day, others[0]) if others else "Assistant"
        turns = [{"speaker": ME, "text": self.dice.choice(OPENINGS)}] if others else []
        for line in lines:
            speaker = ME if line.speaker == OWNER else self._named(day, line.speaker)
            turns.append({"speaker": speaker, "text": line.text})
            if self.dice.random() < 0.5:
                back = partner if speaker == ME else ME
                turns.append({"speaker": back, "text": self.dice.choice(ANSWERS)})
        return turns

    def _named(self, day: int, person_id: str) -> str:
        """A speaker goes by the full name, as in an address book."""
        name = self.world.people[person_id].name_on(day)
        self._introduced.add((person_id, name))
        self._people_in.add((person_id, name))
        return name


def question(world: World, slot: Slot) -> str:
    """What a user would ask to hear the value of this slot."""
    ask = FACTS[slot.kind].ask
    if slot.is_project:
        return _filled(ask, P=world.projects[slot.subject].name)
    person = world.people.get(slot.subject)
    return _sentence(ask, person, person.name_on(world.days) if person else "")


def _sentence(text: str, person: Person | None, surface: str, **marks: str) -> str:
    """The sentence in the first person, or about somebody under this name."""
    if person is None:
        names = {"S": "I", "S2": "me", "My": "My", "my": "my", "she": "I", "her": "my"}
        text = _FORMS.sub(lambda found: found[1], text)
    else:
        owner = f"{surface}'" if surface.endswith("s") else f"{surface}'s"
        names = {
            "S": surface,
            "S2": surface,
            "My": owner,
            "my": owner,
            "she": "he" if person.male else "she",
            "her": "his" if person.male else "her",
        }
        him = "him" if person.male else "her"
        text = _FORMS.sub(lambda found: him if found[2] == "her" else found[2], text)
    return _filled(text, **names, **marks)


def _filled(text: str, **marks: str) -> str:
    text = re.sub(r"\{(\w+)\}", lambda found: marks[found[1]], text)
    return text[0].upper() + text[1:]


def _named_in(text: str, marks: Mapping[str, str]) -> list[str]:
    return [marks[mark] for mark in ("X", "Y") if f"{{{mark}}}" in text]


def _times(telling: Telling) -> dict[str, str]:
    """ "in March" / "March" / "In March", or with the day."""
    if telling.since is None:
        return {"T": "", "T2": "", "T3": ""}
    month = values.MONTHS[telling.since.month - 1]
    day = month if telling.to_month else f"{telling.since.day} {month}"
    at = f"in {day}" if telling.to_month else f"on {day}"
    return {"T": at, "T2": day, "T3": at.capitalize()}
