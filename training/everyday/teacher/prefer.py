"""Teach the teacher to prefer its own faithful rewrites to its unfaithful ones.

By direct preference optimisation (`training.everyday.dpo`), interleaved with everyday's
own pairs, so that language and style stay.

Run    python -m training.everyday.teacher.prefer --base FOLDER --start FILE
              --pairs FILE -o FILE [--seconds 70]
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from paraphrast.neural.finetune.batches import plan
from training.everyday import corpus, dpo
from training.everyday.descent import add_settings, read_settings
from training.everyday.dpo import Preference
from training.everyday.teacher import examples, qwen, tune
from training.everyday.teacher.prompts import PromptTokenizer
from training.everyday.teacher.tune import Encoded, Trainer, log, sum_chances

Pair = tuple[Encoded, Encoded]  # the better one, the worse one


class Learner:
    """Learns preferences; holds every pair's initial log-probabilities."""

    def __init__(
        self, trainer: Trainer, pairs: Sequence[Pair], settings: Preference
    ) -> None:
        """Score all pairs with the adapter as it is."""
        self.trainer, self.pairs, self.settings = trainer, pairs, settings
        sizes = [sum(len(ids) for side in pair for ids in side) for pair in pairs]
        self.batches = plan(sizes, trainer.settings.tokens, seed=1, epoch=0)
        self.known: list[Any] = []
        trainer.model.learning = False
        with torch.no_grad():
            self.known = [self._score(batch) for batch in self.batches]

    def _score(self, batch: Sequence[int]) -> Any:
        """Return log-probabilities: (2, pairs), the better ones first."""
        rows = [self.pairs[at][side] for side in (0, 1) for at in batch]
        return sum_chances(self.trainer.model, rows).view(2, -1)

    def learn(self, number: int, done: float) -> tuple[float, float]:
        """Train on a batch; return its loss and how often the better rewrite gains."""
        batch = self.batches[number]
        self.trainer.model.learning = True
        tokens = sum(len(self.pairs[at][0][1]) for at in batch)
        loss, right = dpo.compute_loss(
            self._score(batch), self.known[number], tokens, self.settings
        )
        return self.trainer.follow(loss, done), float(right)


def train(
    learner: Learner, own: Sequence[Encoded], held: Sequence[Encoded], output: Path
) -> dict[str, Any]:
    """Train on all pairs once if there is time; write the last adapter and a record."""
    trainer, settings = learner.trainer, learner.trainer.settings
    extra = tune.plan_batches(own, settings.tokens, 1)
    first, began = trainer.evaluate_held_out(held), time.monotonic()
    log(f"{len(learner.batches)} batches; held out {first:.4f}")
    curve, recent = [(0, 0.0, 0.0, round(first, 4))], []
    for number in range(len(learner.batches)):
        gone = time.monotonic() - began
        done = max(gone / settings.seconds, number / len(learner.batches))
        if done >= 1:
            break
        recent.append(learner.learn(number, done))
        if number % learner.settings.own == learner.settings.own - 1:
            trainer.step(next(extra), done)
        if number % 20 == 19:
            loss, right = (sum(v) / len(recent) for v in zip(*recent, strict=True))
            log(f"batch {number + 1}, {gone:.0f} s, loss {loss:.4f}, gains {right:.3f}")
            curve.append((number + 1, round(gone, 1), round(loss, 4), round(right, 4)))
            recent = []
    last = trainer.evaluate_held_out(held)
    log(f"held out {last:.4f}")
    qwen.save_adapter(trainer.adapter, output)
    record = {
        "settings": vars(settings), "preference": vars(learner.settings),
        "pairs": len(learner.pairs), "curve": curve, "held out": [first, last],
    }  # fmt: skip
    output.with_suffix(".json").write_text(json.dumps(record, indent=1), "utf-8")
    return record


def encode_pairs(
    tokenizer: PromptTokenizer, rows: Sequence[dict[str, Any]]
) -> list[Pair]:
    """Return preferences as token ids."""
    prompts = tokenizer.encode_requests([(row["source"], row["style"]) for row in rows])
    sides = [
        tokenizer.encode_answers([row[key] for row in rows])
        for key in ("chosen", "rejected")
    ]
    made = [((p, a), (p, b)) for p, a, b in zip(prompts, *sides, strict=True)]
    return [
        (good, bad)
        for good, bad in made
        if len(good[0]) + max(len(good[1]), len(bad[1])) <= tune.LONGEST
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--device", default="cuda")
    settings, preference = (
        tune.Settings(rate=4e-5, warmup=10, tokens=8000),
        Preference(),
    )
    add_settings(parser, settings, preference)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    settings = read_settings(options, tune.Settings)
    preference = read_settings(options, Preference)
    tokenizer = PromptTokenizer(options.base)
    texts = corpus.read_texts(options.texts)
    train_texts = [text for text in texts if text.split == "train"]
    held = [
        (text.plain, style, said)
        for text in texts if text.split == "dev"
        for style, said in text.versions.items() if style != "plain"
    ]  # fmt: skip
    own = tune.encode_rewrites(
        tokenizer, examples.make_epoch(train_texts, 900)[:40_000]
    )
    pairs = encode_pairs(tokenizer, corpus.read_rows(options.pairs))
    trainer = Trainer(qwen.load(options.base, options.device), settings, options.start)
    log(f"{len(pairs)} pairs")
    learner = Learner(trainer, pairs, preference)
    train(learner, own, tune.encode_rewrites(tokenizer, held), options.output)


if __name__ == "__main__":
    main()
