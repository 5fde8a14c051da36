"""Training of the reader: judge, mentions, references, worth, relations and need on one trunk.

Usage: ``python -m training.train_reader --carry FOLDER --out FOLDER [--seed N] [--steps N]
[--heads judge,sources,names,need]``. The folder is what ``gather`` made. Writes the trained
weights (``reader.planes``, in parts) and prints the measures on the dev and test batches.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import json
import multiprocessing
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from training import crossed, heads, labels, planes, plans, reading, scoring, tasks, variety
from training.encoder import Encoder, load_weights, weights_of
from training.evaluate import report
from training.nodes import Edge, edges, thinned
from training.teacher import Trunk

MASK = 103
WORKERS = 5
NAMES_UNTIL = 0.7
"""Share of the steps after which the open sets of names rest, and our own labels decide."""
COPIED = 0.02
"""Share of pairs in which a statement meets a near copy of itself, which no batch has."""
CROSSED = 0.2
"""Share of pairs of updates that come with a belief of another area of life in the place of their own."""
ONE_NOTE, EVENTS = 0.1, 0.04
"""Shares of pairs in whose place two statements of one note come, and an event after a belief."""
LOWERED = 0.15
"""Share of examples that lose their capitals, since much chat has none."""
RICH = 0.1
"""Ties a word from which a batch is rich; dev has half of it."""
AFTER_ANOTHER = 0.25
"""Share of whole messages that are read after another that has nothing to do with them."""


class Draw:
    """Endless seeded draw of batches from a list, each item once before any comes again.

    With a `length`, what is about as long comes together, so that little of a batch is padding.
    """

    def __init__(
        self,
        items: Sequence[Any],
        size: int,
        rng: random.Random,
        length: Callable[[Any], int] | None = None,
    ) -> None:
        """Hold the items and the size of a batch."""
        self.items, self.size, self.rng, self.length = list(items), size, rng, length
        self.left: list[list[Any]] = []

    def __call__(self) -> list[Any]:
        """Give the next batch."""
        if not self.left:
            self.left = self._epoch()
        return self.left.pop()

    def _epoch(self) -> list[list[Any]]:
        fresh = self.rng.sample(self.items, len(self.items))
        if self.length:
            block = 16 * self.size
            blocks = [fresh[at : at + block] for at in range(0, len(fresh), block)]
            fresh = [one for held in blocks for one in sorted(held, key=self.length)]
        batches = [fresh[at : at + self.size] for at in range(0, len(fresh), self.size)]
        self.rng.shuffle(batches)
        return batches


class Pairs:
    """Batches of pairs for the judge, some of them changed so that the label is known."""

    def __init__(
        self, folder: Path, pairs: Sequence[tasks.Pair], names: Sequence[str], tok: Any
    ) -> None:
        """Hold the pairs and the first names that may take each other's place."""
        self.pairs, self.tok = list(pairs), tok
        self.names = sorted(set(names))
        self.known = set(names)
        self.beliefs = crossed.Beliefs(folder, self.known)
        self.of_one_note = crossed.of_one_note(folder)

    def varied(self, pair: tasks.Pair, rng: random.Random) -> tuple[str, str, tuple[str, ...]]:
        """Give a pair with its labels, or one made of it, or two statements of a note in its place."""
        if rng.random() < COPIED:
            return pair.old, variety.lightly(pair.old, rng), ("same",)
        if (roll := rng.random()) < ONE_NOTE:
            return *rng.choice(self.of_one_note), ("beside", "unrelated", "refine")
        if roll > 1 - EVENTS:
            return *self.beliefs.before_event(rng), ("beside", "unrelated")
        other = self.beliefs.other(pair, rng) if pair.label == "update" else None
        if other and rng.random() < CROSSED:
            return other, pair.new, ("beside", "unrelated")
        return self._retold(pair, rng)

    def _retold(self, pair: tasks.Pair, rng: random.Random) -> tuple[str, str, tuple[str, ...]]:
        """Give a pair as it is, or turned round, with other names, or with another's second."""
        old, new, label, roll = pair.old, pair.new, pair.label, rng.random()
        shared = set(re.findall(r"\w+", old)) & set(re.findall(r"\w+", new)) & self.known
        if shared and roll < 0.3:
            name, other = min(shared), rng.choice(self.names)
            turned = re.sub(rf"\b{name}\b", other, new)
            if roll < 0.12 and other != name and label != "unrelated":
                return old, turned, ("beside", "unrelated")
            return re.sub(rf"\b{name}\b", other, old), turned, (label,)
        if label == "same" and roll > 0.75:
            return new, old, ("same",)
        if roll > 0.97:
            return old, rng.choice(self.pairs).new, ("beside", "unrelated")
        return old, new, (label,)

    def plan(self, batch: Sequence[tasks.Pair], rng: random.Random) -> plans.Plan:
        """Give the plan of a batch."""
        told = [self.varied(pair, rng) for pair in batch]
        rows = [tasks.pair_tokens(self.tok, old, new) for old, new, _ in told]
        right = [[label in good for label in labels.JUDGE] for *_, good in told]
        return plans.texts([(ids, lowered(ks, rng)) for ids, ks in rows]) | {
            "right": np.array(right)
        }

    def loss(self, reader: heads.Reader, plan: heads.Tensors) -> Tensor:
        """Give the judge's loss on a batch."""
        states = reader.encoder(plan["numbers"], plan["mask"], plan["kinds"])
        logs = reader.judge(states, plan["mask"]).float().log_softmax(1)
        hit = -logs.masked_fill(~plan["right"], -1e4).logsumexp(1).mean()
        return 0.95 * hit - 0.05 * logs.mean()


def lowered(kinds: list[int], rng: random.Random) -> list[int]:
    """Give the kinds of a text's tokens, of some texts without the case."""
    return [k - k % 4 for k in kinds] if rng.random() < LOWERED else kinds


class Sources:
    """Batches of notes and talks for all heads that read a source."""

    def __init__(self, sources: Sequence[tasks.Source], chosen: argparse.Namespace) -> None:
        """Hold the sources with the pairs of nodes of each."""
        self.weight, self.tie_weight = chosen.source_weight, chosen.tie_weight
        self.hidden, self.told = chosen.hidden, chosen.told
        self.teachers: Sequence[heads.Reader] = ()
        self.held: list[tuple[tasks.Source, list[Edge]]] = [(s, edges(s)) for s in sources]

    def plan(self, batch: Sequence[Any], rng: random.Random) -> plans.Plan:
        """Give the plan of a batch."""
        found = [[thinned(edge, rng) for edge in edges] for _, edges in batch]
        cased = [rng.random() >= LOWERED for _ in batch]
        return plans.planned([source for source, _ in batch], found, cased)

    def loss(self, reader: heads.Reader, plan: heads.Tensors) -> Tensor:
        """Give the sum of the heads' losses on a batch."""
        numbers, mask, kinds = plan["numbers"], plan["mask"], plan["kinds"]
        hidden = torch.rand(numbers.shape, device=numbers.device) < self.hidden
        states = reader.encoder(
            numbers.masked_fill(hidden & (numbers > tasks.SEP), MASK), mask, kinds
        )
        with torch.no_grad():  # a teacher sees every word
            taught = [(one, one.encoder(numbers, mask, kinds)) for one in self.teachers]
        return self.weight * self.total(heads.source_loss(reader, states, plan, taught))

    def total(self, lost: dict[str, Tensor]) -> Tensor:
        """Give the sum of the labels' losses and of the teachers' word by the share of each."""
        labelled = lost["tags"] + self.tie_weight * lost["relations"]
        told = lost["tags told"] + self.tie_weight * lost["relations told"]
        share = self.told if self.teachers else 0.0
        return (1 - share) * labelled + share * told + 0.5 * (lost["refs"] + lost["who"])


class Unlabelled(Sources):
    """Batches of texts that nobody labelled: the teachers' word is all there is."""

    def __init__(
        self, texts: Sequence[tasks.Source], reader: heads.Reader, chosen: argparse.Namespace
    ) -> None:
        """Hold the texts with the nodes that a reader finds in them."""
        for at in range(0, len(texts), 256):
            rows = [(text.text.numbers, text.text.cases) for text in texts[at : at + 256]]
            plan = [torch.from_numpy(v).to(chosen.device) for v in plans.texts(rows).values()]
            with torch.no_grad(), torch.autocast(chosen.device, dtype=torch.bfloat16):
                logits = reader.tags(reader.encoder(*plan))
            best = logits[..., : len(labels.MENTION_TAGS)].argmax(2).tolist()
            for text, row in zip(texts[at : at + 256], best, strict=True):
                _take_nodes(text, row)
        super().__init__(texts, chosen)

    def total(self, lost: dict[str, Tensor]) -> Tensor:
        """Give the loss of the teachers' word."""
        return 0.5 * (lost["tags told"] + self.tie_weight * lost["relations told"])


def _take_nodes(text: tasks.Source, tags: Sequence[int]) -> None:
    """Add the mentions that a reader's tags say to the nodes of a text."""
    known = zip(text.mentions, tags, strict=False)
    text.mentions = [old if old == tasks.IGNORED else new for old, new in known]
    for span, kind in sorted(scoring.gold_mentions(text)):
        if kind != "date":
            text.spans.append((span, reading.surface(text.words, text.text, span)))


class Names:
    """Batches of open sets of names and dates, whose labels are known in part."""

    def __init__(self, tok: Any) -> None:
        """Hold the tokenizer."""
        self.tok = tok

    def plan(self, batch: Sequence[Any], rng: random.Random) -> plans.Plan:
        """Give the plan of a batch."""
        told = [tasks.tokens(self.tok, row["text"]) for row in batch]
        rows = [
            ([tasks.CLS, *ids[:100], tasks.SEP], lowered([0, *cases[:100], 0], rng))
            for ids, cases, _ in told
        ]
        out = plans.texts(rows)
        offsets = [found for *_, found in told]
        return out | {"allowed": plans.allowed_tags(batch, offsets, out["numbers"].shape[1])}

    def loss(self, reader: heads.Reader, plan: heads.Tensors) -> Tensor:
        """Give the loss of the mention head on a batch."""
        states = reader.encoder(plan["numbers"], plan["mask"], plan["kinds"])
        logits = reader.tags(states)[..., : len(labels.MENTION_TAGS)]
        return 0.4 * heads.partial_loss(logits, plan["allowed"])


class Needs:
    """Batches of messages: do they call for memory?"""

    def __init__(self, tok: Any) -> None:
        """Hold the tokenizer."""
        self.tok = tok

    def plan(self, batch: Sequence[Any], rng: random.Random) -> plans.Plan:
        """Give the plan of a batch; a whole question may follow on anything."""
        told = []
        for row in batch:
            before = row.get("before", [])
            if not before and len(row["text"].split()) > 5 and rng.random() < AFTER_ANOTHER:
                before = [rng.choice(batch)["text"]]
            ids, ks = tasks.message_tokens(self.tok, row["text"], before)
            told.append((ids, lowered(ks, rng)))
        wanted = np.array([float(row["needs"]) for row in batch], np.float32)
        return plans.texts(told) | {"wanted": wanted}

    def loss(self, reader: heads.Reader, plan: heads.Tensors) -> Tensor:
        """Give the loss of the need head on a batch."""
        states = reader.encoder(plan["numbers"], plan["mask"], plan["kinds"])
        logits = reader.needs(states, plan["mask"])
        return 0.3 * functional.binary_cross_entropy_with_logits(logits, plan["wanted"])


def first_names(sources: Sequence[tasks.Source]) -> list[str]:
    """Give the single-word names of people that the notes and talks label."""
    found: set[str] = set()
    others: set[str] = set()
    for source in sources:
        for i, tag in enumerate(source.mentions):
            ends = i + 1 >= len(source.mentions) or source.mentions[i + 1] <= 0
            single = tag in {1, 3, 5} and ends
            turn = source.text.turns[i]
            if single and turn >= 0:
                start, end = source.text.offsets[i]
                (found if tag == 1 else others).add(source.words[turn][start:end])
    return sorted(n for n in found - others if n.isalpha() and n.istitle() and len(n) > 2)


def retold(folder: Path, tok: Any, spare: dict[str, Any], copies: int) -> list[tasks.Source]:
    """Give the training sources, and copies of them with other names."""
    rng = random.Random(5)
    rows = [(b, r) for kind in ("notes", "talks") for b, r in tasks.rows(folder, kind, "train")]
    pools = variety.pools_of([row for _, row in rows], spare["names"])
    told, rich = list(rows), rich_batches(rows)
    for number in range(copies):
        copied = [(b, row) for b, row in rows if number == 0 or b not in rich]
        told += [(batch, variety.renamed(row, pools, rng)) for batch, row in copied]
    if copies:
        told += [(batch, one) for batch, row in rows for one in variety.alone(row, rng)]
    return labelled(told, tok)


def rich_batches(rows: Sequence[tuple[str, dict[str, Any]]]) -> set[str]:
    """Give the batches with more ties than people write: they teach to guess, so they are copied less."""
    ties: Counter[str] = Counter()
    size: Counter[str] = Counter()
    for batch, row in rows:
        turns = [words for _, words in row["turns"]] if "turns" in row else [row["text"]]
        size[batch] += sum(len(words.split()) for words in turns)
        ties[batch] += len(row.get("rels", []))
    return {batch for batch in size if ties[batch] > RICH * size[batch]}


def unlabelled(folder: Path, tok: Any, spare: dict[str, Any], size: int) -> list[tasks.Source]:
    """Give texts without labels: statements of our pairs and open sentences, one to five together."""
    rng = random.Random(6)
    told = [text for pair in tasks.pairs(folder, "train") for text in (pair.old, pair.new)]
    pools = (told, spare["sentences"])
    rows = []
    for number in range(size):
        pool, some = pools[number % 2], rng.choice((1, 2, 3, 4, 5))
        at = rng.randrange(len(pool) - some)
        rows.append(("", {"text": " ".join(pool[at : at + some]), "owner": ""}))
    return labelled(rows, tok)


def labelled(rows: Sequence[tuple[str, dict[str, Any]]], tok: Any) -> list[tasks.Source]:
    """Give rows as sources, by several processes."""
    with multiprocessing.get_context("fork").Pool(WORKERS, _take, (tok,)) as pool:
        return pool.starmap(_labelled, rows, chunksize=200)


def _take(tok: Any) -> None:
    """Hold the tokenizer in a process that labels rows."""
    global _tok
    _tok = tok


def _labelled(batch: str, row: dict[str, Any]) -> tasks.Source:
    return tasks.source(row, batch, _tok)


def length(held: tuple[tasks.Source, list[Edge]]) -> int:
    """Give the tokens of a source."""
    return len(held[0].text.numbers)


def prepared(chosen: argparse.Namespace) -> tuple[list[Held], list[tasks.Source]]:
    """Give the tasks that were asked for, and the texts without labels."""
    tok = tasks.tokenizer(chosen.carry / "tokenizer.json")
    extra = json.loads((chosen.carry / "extra.json").read_text("utf-8"))
    with gzip.open(chosen.carry / "open.json.gz", "rt", encoding="utf-8") as file:
        spare = json.load(file)
    folder = chosen.carry / "data"
    wanted = chosen.heads.split(",")
    sources = retold(folder, tok, spare, chosen.copies if "sources" in wanted else 0)
    pairs = tasks.pairs(folder, "train")
    pairs += [tasks.Pair(p["old"], p["new"], p["label"], "old") for p in extra["pairs"]]
    labelled = tasks.messages(folder, "train") + extra["need"]
    print(f"{len(pairs)} pairs, {len(sources)} sources, {len(labelled)} messages", flush=True)
    held = Sources(sources if "sources" in wanted else sources[:1], chosen)
    names, need = Names(tok), Needs(tok)
    judge, spoken = (
        Pairs(folder, pairs, first_names(sources), tok),
        messages(labelled, spare["needs_none"]),
    )
    seed = chosen.seed
    made: dict[str, Callable[[], Held]] = {
        "judge": lambda: (judge, ahead(judge, pairs, chosen.batch, seed), chosen.judge_every),
        "sources": lambda: (held, ahead(held, held.held, chosen.source_batch, seed, 4), 1),
        "names": lambda: (
            names,
            ahead(names, spare["names"] + spare["dates"] * 3, 24, seed, 1),
            2,
        ),
        "need": lambda: (need, ahead(need, spoken, 16, seed, 1), 3),
    }
    texts = unlabelled(folder, tok, spare, chosen.unlabelled) if chosen.teachers else []
    return [made[name]() for name in wanted], texts


Held = tuple[Any, plans.Ahead, int]
"""Task, the plans of its batches, and how many steps lie between two."""


def ahead(task: Any, items: Sequence[Any], size: int, seed: int, workers: int = 2) -> plans.Ahead:
    """Give the plans of a task's batches; those of sources are of about one length."""
    by = length if isinstance(task, Sources) else None

    def drawn(rng: random.Random) -> Callable[[], plans.Plan]:
        draw = Draw(items, size, rng, by)
        return lambda: task.plan(draw(), rng)

    return plans.Ahead(drawn, seed, workers)


def messages(labelled: Sequence[dict[str, Any]], none: Sequence[str]) -> list[dict[str, Any]]:
    """Give the messages of the need head, with some plain ones beside the labelled."""
    some = len(labelled) // 4
    return [*labelled, *({"text": text, "needs": False} for text in none[:some])]


def optimizer(reader: heads.Reader, rate: float) -> torch.optim.Optimizer:
    """Give the optimizer: the trunk slowly, lower layers slower still, the heads fast."""
    groups: dict[tuple[float, float], list[torch.nn.Parameter]] = defaultdict(list)
    for name, parameter in reader.named_parameters():
        if not name.startswith("encoder"):
            speed = 8 * rate
        elif found := re.match(r"encoder\.layers\.(\d+)", name):
            speed = rate * 0.93 ** (11 - int(found.group(1)))
        else:
            speed = rate * (4 if name == "encoder.kind" else 0.4)
        groups[speed, 0.01 if parameter.ndim > 1 else 0.0].append(parameter)
    return torch.optim.AdamW(
        [{"params": g, "lr": lr, "weight_decay": decay} for (lr, decay), g in groups.items()],
        fused=reader.need.weight.is_cuda,
    )


def warmth(done: float) -> float:
    """Give the share of the learning rate when so much is done: a short rise, then down to nothing."""
    return min((done + 1e-3) * 12, max(0.0, (1 - done) * 12 / 11))


def fresh(chosen: argparse.Namespace) -> heads.Reader:
    """Give the reader to train: of our base, of a teacher's trunk, or one trained before."""
    torch.manual_seed(0)  # all seeds start from the same heads, so that their means make sense
    if chosen.trunk and not chosen.teachers:
        return heads.Reader(Trunk(planes.read(chosen.trunk), dropout=chosen.dropout)).to(
            chosen.device
        )
    base = planes.read(chosen.carry / "base.planes")
    reader = heads.Reader(Encoder(base, range(12), dropout=chosen.dropout)).to(chosen.device)
    if chosen.start:
        load_weights(reader, planes.read(chosen.start))
    return reader


def teachers(chosen: argparse.Namespace) -> list[heads.Reader]:
    """Load the teachers."""
    base, found = planes.read(chosen.trunk), []
    for path in chosen.teachers.split(","):
        one = heads.Reader(Trunk(base)).to(chosen.device).eval().requires_grad_(False)
        one.load_state_dict(torch.load(path, map_location=chosen.device))
        found.append(one)
    return found


def taught(
    held: Sequence[Held],
    texts: Sequence[tasks.Source],
    reader: heads.Reader,
    chosen: argparse.Namespace,
) -> list[Held]:
    """Give the teachers to the task of sources, and a task of texts without labels."""
    known = teachers(chosen)
    open_texts = Unlabelled(texts, reader.eval(), chosen)
    for task, *_ in held:
        if isinstance(task, Sources):
            task.teachers = known
    open_texts.teachers = known
    size = chosen.source_batch
    return [(open_texts, ahead(open_texts, open_texts.held, size, chosen.seed, 3), 1)]


def train(chosen: argparse.Namespace) -> heads.Reader:
    """Train a reader; the weights returned are a moving average over the steps."""
    held, texts = prepared(chosen)  # before the device is touched, since it forks
    reader = fresh(chosen)
    if chosen.teachers:
        held += taught(held, texts, reader, chosen)
    torch.manual_seed(chosen.seed)
    opt = optimizer(reader, chosen.rate)
    slow = copy.deepcopy(reader)
    started, done = time.perf_counter(), 0.0
    plan = torch.optim.lr_scheduler.LambdaLR(opt, lambda _: warmth(done))
    reader.train()
    for step in range(chosen.steps):
        spent = time.perf_counter() - started
        done = max(step / chosen.steps, spent / chosen.seconds)
        if done >= 1:
            break
        opt.zero_grad(set_to_none=True)
        seen = []
        for task, draw, every in held:
            if step % every or (isinstance(task, Names) and done > NAMES_UNTIL):
                continue
            with torch.autocast(chosen.device, dtype=torch.bfloat16):
                lost = task.loss(reader, draw(chosen.device))
            lost.backward()
            seen.append(lost.detach())
        size = torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        if torch.isfinite(size):
            opt.step()
        plan.step()
        follow(slow, reader, min(0.995, step / (step + 10)))
        if step % 100 == 0:
            print(f"step {step} {spent:.0f} s", [f"{x.item():.3f}" for x in seen], flush=True)
    return slow


@torch.no_grad()
def follow(slow: torch.nn.Module, fast: torch.nn.Module, share: float) -> None:
    """Move the averaged weights towards the trained ones."""
    ours, theirs = list(slow.parameters()), list(fast.parameters())
    torch._foreach_lerp_(ours, theirs, 1 - share)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--carry", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="a trained reader to go on from")
    parser.add_argument("--heads", default="judge,sources,names,need")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--source-batch", type=int, default=16)
    parser.add_argument("--source-weight", type=float, default=0.5)
    parser.add_argument("--tie-weight", type=float, default=1.0, help="of relations among these")
    parser.add_argument(
        "--hidden", type=float, default=0.0, help="share of words hidden in sources"
    )
    parser.add_argument(
        "--seconds", type=float, default=1e9, help="end after these, whatever the step"
    )
    parser.add_argument("--trunk", type=Path, help="packed trunk of a teacher (training.teacher)")
    parser.add_argument("--teachers", help="weights of teachers to learn from, with --trunk")
    parser.add_argument("--told", type=float, default=0.5, help="share of their word in a loss")
    parser.add_argument("--unlabelled", type=int, default=12_000, help="texts with it alone")
    parser.add_argument("--judge-every", type=int, default=1, help="steps between two of its own")
    parser.add_argument("--copies", type=int, default=3, help="copies of sources, other names")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--name", default="reader")
    parser.add_argument("--most", type=int, default=100_000, help="examples measured at most")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--no-weights", action="store_true", help="measure only")
    return parser.parse_args()


def main() -> None:
    """Train, write and measure."""
    chosen = arguments()
    chosen.out.mkdir(parents=True, exist_ok=True)
    fused = chosen.device != "cpu"  # fused attention is slow backwards on a CPU
    with nullcontext() if fused else sdpa_kernel(SDPBackend.MATH):
        reader = train(chosen)
    if chosen.trunk and not chosen.teachers:
        torch.save(reader.half().state_dict(), chosen.out / f"{chosen.name}.pt")
        reader.float()
    elif not chosen.no_weights:
        planes.write(chosen.out / f"{chosen.name}.planes", weights_of(reader), in_parts=True)
    reader.eval()
    report(reader, chosen)


if __name__ == "__main__":
    main()
