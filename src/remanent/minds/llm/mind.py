"""The LLM mind: every intent of the port as one question, with the offline mind to fall back on."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from remanent.core.model.mind_types import (
    SETTLING,
    BeliefDraft,
    Candidate,
    Judgement,
    OnBehalf,
    Reading,
    StoryText,
    Topics,
)
from remanent.core.model.node import Kind
from remanent.core.model.search import Need, Rephrased
from remanent.core.model.source import ContentType, ContextType, Turn
from remanent.core.ports.mind import Mind, Tools
from remanent.core.settings import TASKS, MindRules
from remanent.errors import BudgetSpent, MindError, MindRefused, MindTooLong, MindUnreadable
from remanent.minds.llm import grounding, tasks
from remanent.minds.llm import tools as agents
from remanent.minds.llm.chat import RecentAnswers
from remanent.minds.llm.grounding import Grounds, belief, is_borne_out, sentences
from remanent.minds.llm.prompts import prompts_digest
from remanent.minds.llm.request import Ask, Chat
from remanent.minds.llm.tools import Desk

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())

T = TypeVar("T")
Shape = TypeVar("Shape", bound=BaseModel)

_SPOKEN = frozenset({ContentType.CONVERSATION, ContentType.MEETING})
# Somebody waits for these: with the day's budget spent, the offline mind answers. Jobs can wait.
_AT_ONCE = frozenset({"believe", "judge", "need", "rephrase"})
_UNUSABLE = (MindUnreadable, MindRefused, MindTooLong)


class LlmMind:
    """Asks a chat on behalf of one user. Without an errand that names the user, and on a private one,
    not a word is sent: the offline mind does it all.

    An answer that cannot be read, repaired or not, is replaced by the offline mind's, task by task;
    `fallbacks` counts these. A provider that cannot be reached is a `MindError`: what waits can wait.
    """

    def __init__(
        self,
        chat: Chat,
        offline: Mind,
        rules: MindRules | None = None,
        *,
        errand: OnBehalf | None = None,
    ) -> None:
        self._chat = chat
        self._offline = offline
        self._rules = rules or MindRules()
        self._errand = errand
        self._recent = RecentAnswers()
        self.fallbacks: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """Its models, with what they are told: `openai:gpt-x#1a2b3c4d`."""
        asked = [self._chat.model(task) for task in TASKS if task != "clean"]
        return f"{'+'.join(dict.fromkeys(asked))}#{prompts_digest()}"

    @property
    def chat(self) -> Chat:
        """Whom it asks."""
        return self._chat

    def on(self, errand: OnBehalf) -> Mind:
        """At work for one user; on a private errand, the offline mind."""
        if errand.private:
            return self._offline.on(errand)
        bound = LlmMind(self._chat, self._offline, self._rules, errand=errand)
        bound._recent, bound.fallbacks = self._recent, self.fallbacks
        return bound

    def forget(self) -> None:
        """Keep nothing at hand any more of what was asked and answered."""
        self._recent.clear()
        forget = getattr(self._offline, "forget", None)
        if forget is not None:
            forget()

    def clean(self, pieces: Sequence[str], content_type: ContentType) -> list[str]:
        """By rules; written texts by a model if one is named for it. No word is added."""
        plain = self._offline.clean(pieces, content_type)
        if not self._rules.clean or content_type in _SPOKEN or not pieces:
            return plain
        found = self._answer(tasks.clean(pieces), grounding.Pieces)
        return plain if found is None else tasks.tidied(pieces, plain, found)

    def summarize(self, reading: Reading) -> str:
        """One or two sentences; asked together with the topics."""
        found = self._digest(reading)
        text = "" if found is None else sentences(found.summary, 2, 600)
        return text or self._offline.summarize(reading)

    def topics(self, reading: Reading) -> Topics:
        """Keywords and tags; asked together with the summary."""
        found = self._digest(reading)
        if found is None:
            return self._offline.topics(reading)
        purposes = {one.value: one for one in ContextType}
        return Topics(
            keywords=tasks.terms(found.keywords, 10, 60) or self._offline.topics(reading).keywords,
            tags=tasks.terms(found.tags, 5, 30),
            context=purposes.get(found.purpose.casefold()),
        )

    def extract(self, reading: Reading) -> list[Candidate]:
        """Whom and what the text speaks of; asked together with the beliefs."""
        found = self._extracted(reading)
        if found is None:
            return self._offline.extract(reading)
        return Grounds(reading).candidates(found.things, self._rules.most_candidates)

    def beliefs(self, reading: Reading) -> list[BeliefDraft]:
        """What is worth holding true; asked together with the candidates."""
        found = self._extracted(reading)
        if found is None:
            return self._offline.beliefs(reading)
        return Grounds(reading).beliefs(found.beliefs, self._rules.most_beliefs)

    def relate(self, reading: Reading, about: Kind, tools: Tools) -> None:
        """An agent with these tools. What it writes is written when all of it is done, or not at all:
        then the offline mind does it."""
        if not any(one.kind is about for one in tools.anchors):
            return
        if self._errand is None or not self._agent(reading, about, tools, self._errand):
            self._offline.relate(reading, about, tools)

    def believe(self, text: str, *, owner_names: Sequence[str]) -> list[BeliefDraft]:
        """The belief in each of its statements, as the offline mind cuts them: a model may leave one out.
        Somebody waits: a provider that fails is not waited for here."""
        drafts = self._offline.believe(text, owner_names=owner_names)
        told = [text] if len(drafts) == 1 else [one.statement for one in drafts]
        try:
            for place, words in enumerate(told):
                found = self._answer(tasks.believe(words, owner_names), grounding.Statement)
                drafts[place] = (found and belief(found, words)) or drafts[place]
        except MindError as problem:
            self._instead("believe", problem)
        return drafts

    def judge(self, statement: str, believed: Sequence[str]) -> list[Judgement]:
        """All of them at once. What the rules see to be the same is no contradiction, and statements
        that could be taken for orders are judged by the rules alone. Of what a source says, only a
        contradiction, or what may be one, is asked about at once: what is missed is gone over at night."""
        if not believed:
            return []
        plain = self._offline.judge(statement, believed)
        if not tasks.is_plain(statement, believed) or self._may_wait(plain):
            return plain
        found = self._answer(tasks.judge(statement, believed), grounding.Verdicts)
        said = None if found is None else tasks.judged(found, statement, believed, plain)
        return plain if said is None else said

    def _may_wait(self, plain: Sequence[Judgement]) -> bool:
        settling = self._errand is not None and self._errand.job == SETTLING
        return settling and {Judgement.CONTRADICTS, Judgement.DOUBTFUL}.isdisjoint(plain)

    def principle(self, statements: Sequence[str], subject: str) -> str:
        """What the statements have in common; "" if nothing."""
        found = self._answer(tasks.principle(statements, subject), grounding.Sentence)
        text = None if found is None else sentences(found.sentence, 1, 300)
        if text is None or not is_borne_out(text, [subject, *statements]):
            return self._offline.principle(statements, subject)
        return text

    def gist(self, reading: Reading) -> str:
        """What a conversation leaves behind; "" if nothing."""
        found = self._answer(tasks.gist(reading, self._rules.digest_tokens), grounding.MaybeText)
        return self._offline.gist(reading) if found is None else sentences(found.text, 3, 600)

    def need_chance(self, message: str, before: Sequence[Turn]) -> float:
        """As the offline mind says: no model is asked."""
        return self._offline.need_chance(message, before)

    def need(self, message: str, before: Sequence[Turn]) -> Need | None:
        """Whether memory is called for; None where the answer is unsure."""
        found = self._answer(tasks.need(message, before), grounding.Needed)
        if found is None:
            return self._offline.need(message, before)
        reason = sentences(found.reason, 1, 120)
        return Need(
            needs_search=found.needs_memory,
            reasons=(reason,) if reason else (),
            is_sure=found.is_sure,
        )

    def rephrase(self, question: str, before: Sequence[Turn]) -> Rephrased:
        """Other words for the question, and a wider one."""
        found = self._answer(tasks.rephrase(question, before), grounding.Wordings)
        if found is None:
            return self._offline.rephrase(question, before)
        return tasks.reworded(question, found)

    def tell(self, tale: StoryText) -> str:
        """The story anew, in as many sentences as it asks for at most."""
        found = self._answer(tasks.tell(tale), grounding.Text)
        text = "" if found is None else sentences(found.text, tale.most, 1200)
        given = [tale.name, tale.told, *(one.text for one in tale.chapters)]
        return text if text and is_borne_out(text, given) else self._offline.tell(tale)

    def describe(self, name: str, description: str, notes: Sequence[str]) -> str:
        """The description, brought up to date by the notes; without any, as it is."""
        if not notes:
            return description
        found = self._answer(tasks.describe(name, description, notes), grounding.Text)
        text = "" if found is None else sentences(found.text, 3, 800)
        if text and is_borne_out(text, [name, description, *notes]):
            return text
        return self._offline.describe(name, description, notes)

    def _digest(self, reading: Reading) -> grounding.Digest | None:
        ask = tasks.digest(reading, self._rules.digest_tokens)
        return self._answer(ask, grounding.Digest)

    def _extracted(self, reading: Reading) -> grounding.Found | None:
        """All that was found, window by window; None if any window could not be read."""
        whole = grounding.Found()
        for ask in tasks.extract(reading, self._rules.extract_tokens):
            part = self._answer(ask, grounding.Found)
            if part is None:
                return None
            whole.things += part.things
            whole.beliefs += part.beliefs
        return whole

    def _agent(self, reading: Reading, about: Kind, tools: Tools, errand: OnBehalf) -> bool:
        """Whether its writing could be used; then it is written."""
        ask = agents.agent_ask(
            reading, about, tools.anchors, self.extract(reading), self._rules.agent_tokens
        )
        desk = Desk(tools.anchors, about)
        if not self._try(ask, lambda: self._chat.work(ask, desk, errand)):
            return False
        desk.hand_over(tools)
        return True

    def _answer(self, ask: Ask, shape: type[Shape]) -> Shape | None:
        """The answer; None where the offline mind has to give it."""
        errand = self._errand
        if errand is None:
            return None
        digest = ask.digest(self._chat.model(ask.task))
        try:
            value = self._recent.answer(
                (errand.user_id, digest),
                lambda: self._try(ask, lambda: _read(shape, self._chat(ask, errand).value)),
            )
        except BudgetSpent:
            if ask.prompt not in _AT_ONCE:
                raise
            self.fallbacks[ask.prompt] += 1
            return None
        return value if isinstance(value, shape) else None

    def _try(self, ask: Ask, put: Callable[[], T]) -> T | None:
        try:
            return put()
        except _UNUSABLE as problem:
            self._instead(ask.prompt, problem)
            return None

    def _instead(self, name: str, problem: MindError) -> None:
        self.fallbacks[name] += 1
        told = {"task": name, "problem": type(problem).__name__}
        log.warning("the offline mind answers instead", extra=told)


def _read(shape: type[Shape], value: Mapping[str, object]) -> Shape:
    try:
        return shape.model_validate(value)
    except ValidationError as problem:
        raise MindUnreadable(f"its answer has {problem.error_count()} faults") from None
