"""Learn an adapter that rewrites, compares two texts, or rates rewrites as readers do.

The frozen weights are in 16 bits; the adapter's matrices are learnt in 32. Batches hold
a set number of tokens, of texts of similar length. The learning rate rises for a few
steps and falls linearly with the time or the steps spent. The loss of held-out examples
is measured at intervals; the adapter with the least loss is kept.

Run    python -m training.everyday.teacher.tune rewrite --base FOLDER -o FILE
              --seconds 300 [--epochs 3] [--rank 16] [--rate 2e-4]
       python -m training.everyday.teacher.tune same|rate --base FOLDER --pairs FILE
              --held FILE -o FILE
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from paraphrast.neural.finetune import batches
from training.everyday import corpus
from training.everyday.descent import Descent, add_settings, read_settings
from training.everyday.teacher import examples, qwen
from training.everyday.teacher.prompts import NO, YES, PromptTokenizer

Encoded = tuple[list[int], list[int]]
LONGEST = 448


@dataclass(frozen=True)
class Settings:
    """The settings for training an adapter."""

    rank: int = 16
    alpha: float = 32.0
    dropout: float = 0.05
    rate: float = 2e-4
    warmup: int = 30
    tokens: int = 12_000
    epochs: int = 3
    seconds: float = 300.0
    interval: float = 60.0
    seed: int = 1
    last: int = 0  # 1: keep the last adapter, not the one of the least held-out loss


class Trainer:
    """Trains an adapter of a model whose weights are frozen."""

    def __init__(
        self, model: qwen.Qwen, settings: Settings, start: Path | None = None
    ) -> None:
        """Begin with a new adapter, which changes nothing, or with a trained one."""
        torch.manual_seed(settings.seed)
        self.model, self.settings, self.steps = model, settings, 0
        if start:
            self.adapter = qwen.Adapter.load(start, model.device.type)
            self.adapter.dropout = settings.dropout
            for matrix in self.adapter.parameters():
                matrix.requires_grad_()
        else:
            self.adapter = qwen.Adapter.make_fresh(
                model, settings.rank, settings.alpha, settings.dropout
            )
        model.adapter = self.adapter
        self.descent = Descent(
            self.adapter.parameters(), settings.rate,
            warmup=settings.warmup, floor=0.03, betas=(0.9, 0.95),
        )  # fmt: skip

    def step(self, pairs: Sequence[Encoded], done: float) -> float:
        """Train on a batch; return its loss."""
        self.model.learning = True
        return self.follow(self.compute_loss(pairs), done)

    def follow(self, loss: torch.Tensor, done: float) -> float:
        """Take a gradient step on a loss; return the loss."""
        self.steps += 1
        loss.backward()
        self.descent.follow(self.steps, done)
        return float(loss.detach())

    def compute_loss(self, pairs: Sequence[Encoded], *, whole: bool = False) -> Any:
        """Return the mean (or the summed) loss of the target tokens."""
        ids, wanted = collate(pairs)
        ids, wanted = ids.to(self.model.device), wanted.to(self.model.device)
        states = self.model.read(ids)[:, :-1][wanted[:, 1:]]
        return functional.cross_entropy(
            self.model.compute_logits(states), ids[:, 1:][wanted[:, 1:]],
            reduction="sum" if whole else "mean",
        )  # fmt: skip

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def evaluate_held_out(self, pairs: Sequence[Encoded]) -> float:
        """Return the mean loss per token of held-out examples."""
        self.model.learning = False
        total = count = 0.0
        for batch in plan_batches(pairs, self.settings.tokens, 0):
            total += float(self.compute_loss(batch, whole=True))
            count += sum(len(right) for _, right in batch)
        return total / max(1.0, count)


def collate(pairs: Sequence[Encoded]) -> tuple[Any, Any]:
    """Return tokens, padded on the right, and which of them are targets."""
    width = max(len(left) + len(right) for left, right in pairs)
    width = -(-width // qwen.EVEN) * qwen.EVEN
    ids = torch.zeros((len(pairs), width), dtype=torch.long)
    wanted = torch.zeros((len(pairs), width), dtype=torch.bool)
    for row, (left, right) in enumerate(pairs):
        ids[row, : len(left) + len(right)] = torch.tensor([*left, *right])
        wanted[row, len(left) : len(left) + len(right)] = True
    return ids, wanted


def sum_chances(model: qwen.Qwen, pairs: Sequence[Encoded]) -> Any:
    """Return the log-probability of each target."""
    ids, wanted = collate(pairs)
    ids, wanted = ids.to(model.device), wanted.to(model.device)
    shown = wanted[:, 1:]
    states = model.read(ids)[:, :-1][shown]
    losses = functional.cross_entropy(
        model.compute_logits(states), ids[:, 1:][shown], reduction="none"
    )
    total = torch.zeros(len(pairs), device=losses.device)
    return total.index_add(0, shown.nonzero()[:, 0], -losses)


def plan_batches(
    pairs: Sequence[Encoded], tokens: int, epoch: int
) -> Iterator[list[Encoded]]:
    """Yield batches of similar length with about a given number of tokens."""
    sizes = [len(left) + len(right) for left, right in pairs]
    for batch in batches.plan(sizes, tokens, seed=1, epoch=epoch):
        yield [pairs[at] for at in batch]


def train(
    trainer: Trainer,
    epochs: Sequence[Sequence[Encoded]],
    held: Sequence[Encoded],
    output: Path,
) -> dict[str, Any]:
    """Train until epochs or time end; write the best adapter and a record."""
    settings = trainer.settings
    planned = [list(plan_batches(e, settings.tokens, n)) for n, e in enumerate(epochs)]
    steps = sum(map(len, planned))
    first = trainer.evaluate_held_out(held)
    curve, best, began = [(0, 0.0, 0.0, first)], first, time.monotonic()
    looked, recent, rows = began, [0.0], 0
    log(f"{steps} steps; held out {first:.4f}")
    for batch in (batch for epoch in planned for batch in epoch):
        gone = time.monotonic() - began
        done = max(gone / settings.seconds, trainer.steps / steps)
        if done >= 1:
            break
        recent.append(trainer.step(batch, done))
        rows += len(batch)
        if time.monotonic() - looked > settings.interval:
            looked = time.monotonic()
            best = evaluate(trainer, held, curve, recent, best, began, output)
            recent = []
    evaluate(trainer, held, curve, recent or [0.0], best, began, output)
    record = {
        "settings": vars(settings), "steps": trainer.steps, "of": steps,
        "examples": rows, "seconds": round(time.monotonic() - began), "curve": curve,
    }  # fmt: skip
    output.with_suffix(".json").write_text(json.dumps(record, indent=1), "utf-8")
    return record


def evaluate(
    trainer: Trainer, held: Sequence[Encoded],
    curve: list[tuple[int, float, float, float]], recent: Sequence[float], best: float,
    began: float, output: Path,
) -> float:  # fmt: skip
    """Measure the held-out loss; write the adapter if it is the best so far."""
    loss: float = trainer.evaluate_held_out(held)
    gone = time.monotonic() - began
    mean = sum(recent) / len(recent)
    curve.append((trainer.steps, round(gone, 1), round(mean, 4), round(loss, 4)))
    log(f"step {trainer.steps}, {gone:.0f} s, loss {mean:.4f}, held out {loss:.4f}")
    if loss < best or trainer.settings.last:
        unfinished = output.with_name(f"{output.name}.unfinished")
        qwen.save_adapter(trainer.adapter, unfinished)
        unfinished.replace(output)
    return min(best, loss)


def log(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def drop_long(pairs: Sequence[Encoded]) -> list[Encoded]:
    """Return the examples that are not too long."""
    return [pair for pair in pairs if len(pair[0]) + len(pair[1]) <= LONGEST]


def encode_rewrites(
    tokenizer: PromptTokenizer, rows: Sequence[examples.Example]
) -> list[Encoded]:
    """Return examples of rewriting as token ids."""
    prompts = tokenizer.encode_requests([(source, style) for source, style, _ in rows])
    return drop_long(
        list(zip(prompts, tokenizer.encode_answers([r[2] for r in rows]), strict=True))
    )


def encode_held_out(
    tokenizer: PromptTokenizer, texts: Sequence[corpus.Text]
) -> list[Encoded]:
    """Return examples of the development part, from plain into every other style."""
    held = [text for text in texts if text.split == "dev"]
    rows = [
        (t.plain, s, v) for t in held for s, v in t.versions.items() if s != "plain"
    ]
    return encode_rewrites(tokenizer, rows)


def encode_comparisons(tokenizer: PromptTokenizer, path: Path) -> list[Encoded]:
    """Return the pairs of a file of checker examples as token ids."""
    rows = corpus.read_rows(path)
    prompts = tokenizer.encode_comparisons(
        [(row["first"], row["second"]) for row in rows]
    )
    answers = [[tokenizer.yes if row["same"] else tokenizer.no] for row in rows]
    return drop_long(list(zip(prompts, answers, strict=True)))


def encode_ratings(tokenizer: PromptTokenizer, path: Path) -> list[Encoded]:
    """Return rated rewrites as token ids; a mark that is missing ends the answer."""
    rows = corpus.read_rows(path)
    prompts = tokenizer.encode_ratings(
        [(row["source"], row["style"], row["output"]) for row in rows]
    )
    answers = [[tokenizer.marks[mark] for mark in row["marks"]] for row in rows]
    return drop_long(list(zip(prompts, answers, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("rewrite", "same", "rate"))
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--documents", type=Path)
    parser.add_argument(
        "--more", type=Path, help="further pairs: source, style, target"
    )
    parser.add_argument("--own", type=int, help="most of everyday's pairs per epoch")
    parser.add_argument("--start", type=Path, help="adapter to go on from")
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--held", type=Path)
    parser.add_argument("--device", default="cuda")
    add_settings(parser, Settings())
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    settings = read_settings(options, Settings)
    tokenizer = PromptTokenizer(options.base)
    log(f"{YES} {tokenizer.yes}, {NO} {tokenizer.no}")
    if options.task == "rewrite":
        texts = corpus.read_texts(options.texts)
        if options.documents:
            texts += corpus.read_documents(options.documents)
        own = [text for text in texts if text.split == "train"]
        epochs = [
            encode_rewrites(tokenizer, examples.make_epoch(own, seed))
            for seed in range(settings.epochs)
        ]
        kept = encode_held_out(tokenizer, texts)
        size = len(epochs[0])
        log(f"{len(own)} texts, {len(kept)} held-out pairs, {size} examples per epoch")
        if options.own:
            epochs = [epoch[: options.own] for epoch in epochs]
    else:
        encode = encode_comparisons if options.task == "same" else encode_ratings
        epochs = [encode(tokenizer, options.pairs)] * settings.epochs
        kept = encode(tokenizer, options.held)
    if options.more:
        rows = corpus.read_rows(options.more)
        more = encode_rewrites(
            tokenizer, [(r["source"], r["style"], r["target"]) for r in rows]
        )
        epochs = [[*epoch, *more] for epoch in epochs]
    model = qwen.load(options.base, options.device)
    trainer = Trainer(model, settings, options.start)
    record = train(trainer, epochs, kept, options.output)
    log(f"done: {record['steps']} steps, {record['examples']} examples")


if __name__ == "__main__":
    main()
