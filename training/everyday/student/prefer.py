"""Teach the student to prefer faithful rewrites in style to what it writes itself.

By direct preference optimisation (`training.everyday.dpo`) from a trained student,
interleaved with everyday's own pairs. ``--held`` has preferences of held-out
sources: the weights with the least loss on them are kept, those of the start included.
That loss is no substitute for readers: it favoured a worse student (training/LOG.md).
There is no dropout, so that a rewrite's initial probability is the one that it is
measured against.

Run    python -m training.everyday.student.prefer --base FOLDER --preferences FILE...
              --held FILE --pairs FILE... --seconds 100 -o FOLDER [--requests FILE...]
"""

import argparse
import json
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from paraphrast.neural.finetune.batches import plan
from training.everyday import corpus, dpo
from training.everyday.descent import Descent, add_settings, read_settings
from training.everyday.dpo import Preference
from training.everyday.student import train
from training.everyday.student.causal import CausalStudent
from training.everyday.student.train import Encoded, Settings, Student

Pair = tuple[Encoded, Encoded]  # the better one, the worse one


def encode_preferences(
    student: Student | CausalStudent, rows: Sequence[dict[str, Any]]
) -> list[Pair]:
    """Return the tokens of preferences neither side of which is too long."""
    made = []
    for row in rows:
        sides = student.encode_pairs(
            [row | {"target": row[side]} for side in ("chosen", "rejected")]
        )
        if len(sides) == 2:
            made.append((sides[0], sides[1]))
    return made


def plan_pairs(pairs: Sequence[Pair], tokens: int, epoch: int) -> list[list[int]]:
    """Return batches of pairs of similar length, as indices."""
    sizes = [sum(max(len(left), len(right)) for left, right in pair) for pair in pairs]
    return plan(sizes, tokens // 2, seed=1, epoch=epoch)


class Preferences:
    """Pairs of rewrites, and the probability of each when training began."""

    def __init__(
        self, student: Student | CausalStudent, pairs: Sequence[Pair], tokens: int
    ) -> None:
        """Score all pairs with the student as it is."""
        self.student, self.pairs, self.tokens = student, pairs, tokens
        self.known = torch.zeros(2, len(pairs))
        with torch.no_grad():
            for batch in plan_pairs(pairs, tokens, 0):
                self.known[:, batch] = self._score(batch).cpu()

    def _score(self, batch: Sequence[int]) -> Any:
        """Return log-probabilities: (2, pairs), the better ones first."""
        rows = [self.pairs[at][side] for side in (0, 1) for at in batch]
        return self.student.sum_chances(rows).view(2, -1)

    def compute_loss(
        self, batch: Sequence[int], preference: Preference
    ) -> tuple[Any, Any]:
        """Return a batch's loss, and how often the better one gains more."""
        chances = self._score(batch)
        tokens = sum(len(self.pairs[at][0][1]) for at in batch)
        reference = self.known[:, list(batch)].to(chances.device)
        return dpo.compute_loss(chances, reference, tokens, preference)

    def plan(self, epochs: int) -> Iterator[list[int]]:
        """Yield batches of all pairs, once per epoch."""
        for epoch in range(epochs):
            yield from plan_pairs(self.pairs, self.tokens, 1 + epoch)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def evaluate(self, preference: Preference) -> tuple[float, float]:
        """Return the mean loss of all pairs, and how often the better one gains."""
        total = torch.zeros(2)
        for batch in plan_pairs(self.pairs, self.tokens, 0):
            total += (
                len(batch) * torch.stack(self.compute_loss(batch, preference)).cpu()
            )
        loss, right = (total / max(1, len(self.pairs))).tolist()
        return round(loss, 4), round(right, 4)


class Best:
    """The weights with the least held-out loss; initially those of the start."""

    def __init__(self, held: Preferences, preference: Preference) -> None:
        """Measure the student as it is."""
        self.held, self.preference = held, preference
        self.curve: list[tuple[float, ...]] = []
        self._least = math.inf
        self.look(0, 0.0)

    def look(self, *told: float) -> None:
        """Measure the student, record the figures, and keep it if it is the best."""
        evaluated = self.held.evaluate(self.preference)
        self.curve.append((*told, *evaluated))
        print(f"step {told[0]}: {self.curve[-1]}", flush=True)
        if evaluated[0] < self._least:
            self._least = evaluated[0]
            self._kept = [w.detach().clone() for w in self.held.student.parameters()]

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def restore(self) -> None:
        """Give the student its best weights again."""
        weights = self.held.student.parameters()
        for weight, kept in zip(weights, self._kept, strict=True):
            weight.copy_(kept)


def learn(
    preferences: Preferences, held: Preferences, own: Sequence[Sequence[Encoded]],
    settings: Settings, preference: Preference,
) -> dict[str, Any]:  # fmt: skip
    """Train until time runs out; restore the best weights; return a record."""
    student = preferences.student
    best = Best(held, preference)
    descent = Descent(student.parameters(), settings.rate, warmup=settings.warmup)
    extra = train.Examples(own, [[]], list, settings.tokens).plan()
    began = looked = time.monotonic()
    step, gone, right = 0, 0.0, torch.zeros(())
    for step, batch in enumerate(preferences.plan(settings.epochs), start=1):
        gone = round(time.monotonic() - began, 1)
        if gone >= settings.seconds:
            break
        loss, right = preferences.compute_loss(batch, preference)
        loss.backward()
        if step % preference.own == 0:
            student.compute_loss(next(extra)).backward()
        descent.follow(step, gone / settings.seconds)
        if time.monotonic() - looked > settings.seconds / 8:
            looked = time.monotonic()
            best.look(step, gone, round(float(right), 4))
    best.look(step, gone, round(float(right), 4))
    best.restore()
    return {
        "settings": vars(settings), "preference": vars(preference),
        "pairs": len(preferences.pairs), "held": len(held.pairs), "curve": best.curve,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--preferences", type=Path, nargs="+", required=True)
    parser.add_argument("--held", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, nargs="+", required=True)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--requests", type=Path, nargs="*", default=[])
    parser.add_argument("--device", default="cuda")
    settings = Settings(rate=5e-5, seconds=100.0, tokens=16_000, warmup=20)
    preference = Preference(example=1.0)
    add_settings(parser, settings, preference)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    settings = read_settings(options, Settings)
    preference = read_settings(options, Preference)
    student = train.open_student(options.base, options.device)
    student.set_learning(False)
    own = [student.encode_pairs(corpus.read_rows(path)) for path in options.pairs]
    everyday = student.encode_pairs(train.read_held_out(options.texts))
    before = train.evaluate_held_out(student, everyday)
    learnt, held = (
        Preferences(student, encode_preferences(student, rows), settings.tokens)
        for rows in (
            [row for path in options.preferences for row in corpus.read_rows(path)],
            corpus.read_rows(options.held),
        )
    )
    print(f"{len(learnt.pairs)} preferences, {len(held.pairs)} held out", flush=True)
    record = learn(learnt, held, own, settings, preference)
    record["held-out loss"] = [before, train.evaluate_held_out(student, everyday)]
    train.save(student, options.output, record, options.requests)
    print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
