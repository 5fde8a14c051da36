"""The town: users of the same few names, teams that are all called the same, what they keep, and who may know
it: SPEC 9 told once more, in another way than the rule under test."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from remanent.clock import SteppedClock
from remanent.core.records.item import Put
from remanent.errors import RemanentError
from remanent.memory import Memory, UserMemory

_TOKEN: Final = re.compile(r"zq[a-z0-9]{12}")
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(slots=True, kw_only=True)
class Secret:
    """A word that was said once, by `owner`, and that nobody else can know by chance.

    One in the text of a source is `lasting`: whoever could read it may have learnt it, and keeps what
    they learnt when they leave the team. One in a title is not: it is seen with the source or not at all.
    """

    token: str
    owner: str
    where: str
    team: str | None = None
    guests: frozenset[str] = frozenset()
    high: bool = False
    lasting: bool = False
    learnt: set[str] = field(default_factory=set)
    erased: bool = False


@dataclass(slots=True)
class Secrets:
    """All secrets of the town, who is in which team, and who was."""

    dice: random.Random
    members: dict[str, set[str]] = field(default_factory=dict)
    left: dict[str, set[str]] = field(default_factory=dict)
    _by_token: dict[str, Secret] = field(default_factory=dict)

    def make(self, owner: str, where: str, *, guests: Iterable[str] = (), **more: Any) -> str:
        """A new secret, with whatever `more` is known of it; the token to be said."""
        token = "zq" + "".join(self.dice.choices(_LETTERS, k=12))
        one = Secret(token=token, owner=owner, where=where, guests=frozenset(guests), **more)
        self._by_token[token] = one
        self._learn(one)
        return token

    def join(self, team: str, user: str) -> None:
        self.members.setdefault(team, set()).add(user)
        self.left.setdefault(team, set()).discard(user)
        for secret in self._by_token.values():
            if secret.team == team:
                self._learn(secret)

    def leave(self, team: str, user: str) -> None:
        self.members[team].discard(user)
        self.left.setdefault(team, set()).add(user)

    def let_in(self, title: str, word: str, user: str) -> None:
        """Whoever is a guest of the title, having been named, may know the text: they accepted it."""
        one = self._by_token[word]
        one.guests |= {user} & self._by_token[title].guests
        self._learn(one)

    def erase(self, tokens: Iterable[str]) -> None:
        """From now on nobody may know these."""
        for token in tokens:
            self._by_token[token].erased = True

    def leaked_to(self, user: str, answer: str, query: str) -> list[Secret]:
        """Those that the answer tells and `user` may not know. What they said themselves is no news."""
        tokens = set(_TOKEN.findall(answer)) - set(_TOKEN.findall(query))
        secrets = (self._by_token[one] for one in sorted(tokens) if one in self._by_token)
        return [one for one in secrets if not self.may_know(user, one)]

    def some(self) -> str:
        """Any token of the town."""
        return self.dice.choice(list(self._by_token))

    def __len__(self) -> int:
        return len(self._by_token)

    def may_know(self, user: str, secret: Secret) -> bool:
        if secret.erased:
            return False
        if user == secret.owner or (secret.lasting and user in secret.learnt):
            return True
        return user in self._readers(secret)

    def _learn(self, secret: Secret) -> None:
        if secret.lasting:
            secret.learnt |= self._readers(secret)

    def _readers(self, secret: Secret) -> set[str]:
        """Besides the owner. Whoever left the team has lost it, a guest has not."""
        if secret.team is None:
            return set(secret.guests)
        inside = set() if secret.high else self.members.get(secret.team, set())
        gone = self.left.get(secret.team, set()) - self.members.get(secret.team, set())
        return inside | (set(secret.guests) - gone)


NAMES: Final = ("Sam Reed", "Ana Costa", "Kim Lund", "Jo Vance", "Lee Park")
PLACES: Final = ("Oslo", "Bergen", "Hamar", "Lyon", "Porto")
PROJECT: Final = "Kestrel"
TEAM_NAME: Final = "Atlas"
ARC_DAYS: Final = 6  # so many sources about one project, on as many days, make a storyline

Tell = Callable[[str], None]


@dataclass(slots=True, kw_only=True)
class Town:
    memory: Memory
    clock: SteppedClock
    dice: random.Random
    secrets: Secrets
    users: list[str] = field(default_factory=list)
    teams: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)  # of anything, anybody's
    invitations: list[str] = field(default_factory=list)
    tokens_of: dict[str, tuple[str, str]] = field(default_factory=dict)  # by key of a source
    owner_of: dict[str, str] = field(default_factory=dict)
    numbers: int = 0
    moves: int = 0

    def me(self, user: str) -> UserMemory:
        """A user who is about to do something: a second later than all before, so that the order of what
        is done is one of times, and not of ids that are new in every run."""
        self.clock.advance(timedelta(seconds=1))
        return self.memory.user(user, create=False)

    def settle(self, users: int, teams: int, tell: Tell) -> None:
        """Everybody moves in, says what they have to say, and a night passes."""
        tell("users and teams")
        self._people(users)
        self._make_teams(teams)
        tell("sources, beliefs, artifacts and events")
        for user in self.users:
            self._life(user)
        self.memory.work()
        self._arcs()
        tell("a night")
        self.clock.advance(timedelta(days=4))
        self.memory.work()
        self.memory.sleep()
        self.memory.work()
        for user in self.users:
            self._note_keys(user)

    def _people(self, users: int) -> None:
        for number in range(users):
            user = f"u{number:02}"
            self.memory.user(user, name=NAMES[number % len(NAMES)])
            self.users.append(user)

    def _make_teams(self, teams: int) -> None:
        for number in range(teams):
            team, crew = f"t{number}", self.dice.sample(self.users, min(8, len(self.users)))
            boss = self.me(crew[0])
            boss.create_team(TEAM_NAME, team_id=team)
            self.teams.append(team)
            self.secrets.join(team, crew[0])
            for user in crew[1:]:
                self.admit(team, crew[0], user)

    def admit(self, team: str, boss: str, user: str) -> None:
        """Invited, and come."""
        invitation = self.me(boss).invite(team, user)
        self.me(user).accept(invitation.invitation_id)
        self.invitations.append(invitation.invitation_id)
        self.secrets.join(team, user)

    def _life(self, user: str) -> None:
        self.add_source(user)
        self.add_source(user, guests=[self.dice.choice(self.users)])
        for team in self.teams_of(user):
            self.add_source(user, team=team)
            self.add_source(user, team=team, high=True)
            self.add_source(user, team=team, guests=[self.dice.choice(self.users)])
        me = self.me(user)
        self.believe(user)
        output = self.secrets.make(user, "an artifact")
        self.keys.append(me.produce(self._own_source(user), "Draft", f"The draft says {output}."))
        secret = self.secrets.make(user, "an event")
        recorded = me.record(
            "message.sent",
            {"text": f"I told them {secret}"},
            agent_id="bot",
            session_id=f"s-{user}",
        )
        self.keys.append(recorded.key)
        kept = {"text": f"A program of mine keeps {self.secrets.make(user, 'an item')}."}
        me.shelf().put([Put(namespace=("notes",), key="one", value=kept)])
        told = me.instruct(f"Always say {self.secrets.make(user, 'an order')}.", agent_id="bot")
        self.keys.append(told.belief.key)
        me.define("KP", f"Kestrel {self.secrets.make(user, 'an abbreviation')}")

    def add_source(
        self,
        user: str,
        *,
        team: str | None = None,
        guests: list[str] | None = None,
        high: bool = False,
        days: int = 0,
    ) -> str:
        """One source, with a secret in its title and another in its text."""
        guests = [one for one in guests or () if one != user]
        asked = [one for one in guests if not set(self.teams_of(one)) & set(self.teams_of(user))]
        known = [one for one in guests if one not in asked]
        kind = f"{'a high ' if high else 'a '}{'team ' if team else ''}source"
        make, sort = self.secrets.make, {"team": team, "high": high}
        title = make(user, f"the title of {kind}", guests=guests, **sort)
        word = make(user, f"the text of {kind}", guests=known, lasting=True, **sort)
        self.numbers += 1
        one, other = self.dice.sample(NAMES, 2)
        place = self.dice.choice(PLACES)
        text = (
            f"{one} lives in {place} with {word} and works on Project {PROJECT}. "
            f"{other} said that {one} likes {word} more than tea. "
            f"The {PROJECT} launch of {one} depends on {word}, note {self.numbers}."
        )
        key = self.me(user).add(
            text,
            title=f"Notes {title}",
            team=team,
            participants=guests,
            sensitivity="high" if high else "normal",
            started_at=self.clock.now() - timedelta(days=days),
        )
        self.keys.append(key)
        self.owner_of[key] = user
        self.tokens_of[key] = (title, word)
        for guest in asked:  # till they accept they know the title, and no word of it
            if self.dice.random() < 0.5:
                self.accept(guest, key)
        return key

    def accept(self, user: str, key: str) -> object:
        """Somebody accepts a source; who was named in it may know it then, and nobody else."""
        told = self.me(user).accept_source(key)
        for title, word in [self.tokens_of[key]] if key in self.tokens_of else []:
            self.secrets.let_in(title, word, user)
        return told

    def believe(self, user: str) -> None:
        place = self.dice.choice(PLACES)
        settled = self.me(user).remember(
            f"I keep {self.secrets.make(user, 'a belief')} in my house in {place}"
        )
        self.keys.append(settled.belief.key)

    def _arcs(self) -> None:
        """Some have a story that is mostly their team's, with something of their own in it."""
        for team in self.teams:
            user = min(self.secrets.members[team])
            for day in range(ARC_DAYS):
                self.add_source(user, team=team, days=ARC_DAYS - day)
            self.add_source(user, days=1)

    def teams_of(self, user: str) -> list[str]:
        return [team for team in self.teams if user in self.secrets.members.get(team, ())]

    def _own_source(self, user: str) -> str:
        return next(key for key, owner in self.owner_of.items() if owner == user)

    def _note_keys(self, user: str) -> None:
        """What came of it all: anybody may try these keys."""
        me = self.me(user)
        self.keys += _first(4, me.anchors(), "name")
        self.keys += _first(3, me.beliefs(), "statement")
        self.keys += _first(3, me.stories(limit=100), "name")
        self.keys += _first(5, me.search(PROJECT, limit=50, touch=False), "text")

    def move(self) -> str:
        """Something changes: somebody leaves, comes back, says something, or is forgotten. One after the
        other at first, then as the dice fall."""
        kinds = (self._leave, self._return, self._talk, self._forget, self._talk)
        what = kinds[self.moves] if self.moves < len(kinds) else self.dice.choice(kinds)
        self.moves += 1
        try:
            return what()
        except RemanentError as refused:  # the last owner may not leave, and so on
            return f"refused: {type(refused).__name__}"

    def _leave(self) -> str:
        team = self.dice.choice(self.teams)
        user = self.dice.choice(sorted(self.secrets.members[team]))
        self.me(user).leave_team(team)
        self.secrets.leave(team, user)
        return "left"

    def _return(self) -> str:
        team = self.dice.choice(self.teams)
        away = sorted(self.secrets.left.get(team) or set(self.users) - self.secrets.members[team])
        if not away:
            return self._talk()
        boss = next(
            one.user_id
            for one in self.me(min(self.secrets.members[team])).members(team)
            if one.role.value != "member" and one.left_at is None
        )
        self.admit(team, boss, self.dice.choice(away))
        return "joined"

    def _talk(self) -> str:
        user = self.dice.choice(self.users)
        mine = self.teams_of(user)
        self.add_source(user, team=self.dice.choice(mine) if mine else None)
        self.believe(user)
        self.memory.work()
        return "talked"

    def _forget(self) -> str:
        key = self.dice.choice(sorted(self.tokens_of))
        self.me(self.owner_of[key]).erase(key)
        self.secrets.erase(self.tokens_of.pop(key))
        del self.owner_of[key]
        return "erased"


def _first(count: int, found: Iterable[Any], name: str) -> list[str]:
    """The keys of so many, in the order of what they say: that is the same for the same dice."""
    return [one.key for one in sorted(found, key=lambda one: str(getattr(one, name)))[:count]]
