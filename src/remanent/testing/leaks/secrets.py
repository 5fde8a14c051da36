"""Secrets, and who may know them: SPEC 9 told once more, in another way than the rule under test."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

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

    def make(
        self,
        owner: str,
        where: str,
        *,
        team: str | None = None,
        guests: Iterable[str] = (),
        high: bool = False,
        lasting: bool = False,
    ) -> str:
        """A new secret; the token to be said."""
        token = "zq" + "".join(self.dice.choices(_LETTERS, k=12))
        self._by_token[token] = one = Secret(
            token=token,
            owner=owner,
            where=where,
            team=team,
            guests=frozenset(guests),
            high=high,
            lasting=lasting,
        )
        self._learn(one)
        return token

    def join(self, team: str, user: str) -> None:
        self.members.setdefault(team, set()).add(user)
        self.left.setdefault(team, set()).discard(user)
        for one in self._by_token.values():
            if one.team == team:
                self._learn(one)

    def leave(self, team: str, user: str) -> None:
        self.members[team].discard(user)
        self.left.setdefault(team, set()).add(user)

    def erase(self, tokens: Iterable[str]) -> None:
        """From now on nobody may know these."""
        for token in tokens:
            self._by_token[token].erased = True

    def heard(self, user: str, answer: str, asked: str) -> list[Secret]:
        """Those that the answer tells and `user` may not know. What they said themselves is no news."""
        tokens = set(_TOKEN.findall(answer)) - set(_TOKEN.findall(asked))
        found = (self._by_token[one] for one in sorted(tokens) if one in self._by_token)
        return [one for one in found if not self.may_know(user, one)]

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
