"""Teach the student to prefer what readers accept to what it wrote itself.

Direct preference optimisation on preferences (`training.everyday.preferences`), with
pairs of the first training as examples between.

Run    python -m training.everyday.student.prefer --base FOLDER --pairs FILE
              --examples FILE... -o FOLDER [--seconds 60]
"""

import argparse
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from training.everyday import corpus
from training.everyday.student import train
from training.everyday.student.train import Encoded, Student

Pair = tuple[Encoded, Encoded]


@dataclass(frozen=True)
class Settings:
    """How preferences are learnt."""

    rate: float = 4e-5
    seconds: float = 60.0
    epochs: int = 2
    tokens: int = 20_000
    strength: float = 0.1  # beta: how far the probabilities may move
    example: float = 0.5  # weight of the better one's own loss
    own: int = 2  # after so many batches of preferences one of examples


def plan_pairs(
    pairs: Sequence[Pair], tokens: int, draw: random.Random
) -> list[list[int]]:
    """Return batches of pairs of like length, indices, in random order."""
    sizes = [max(len(side) for one in pair for side in one) for pair in pairs]
    order = sorted(range(len(pairs)), key=lambda at: sizes[at] + draw.random() * 4)
    result: list[list[int]] = [[]]
    for at in order:
        if result[-1] and (len(result[-1]) + 1) * 4 * sizes[at] > tokens:
            result.append([])
        result[-1].append(at)
    draw.shuffle(result)
    return result


def learn(
    student: Student, pairs: Sequence[Pair], examples: Sequence[Encoded],
    held: Sequence[Encoded], settings: Settings,
) -> dict[str, Any]:  # fmt: skip
    """Learn the preferences as long as there is time; return a record."""
    planned = plan_pairs(pairs, settings.tokens, random.Random(1))

    def score(batch: Sequence[int]) -> Any:
        rows = [pairs[at][side] for side in (0, 1) for at in batch]
        return student.sum_chances(rows).view(2, -1)

    curve = [(0, 0.0, train.evaluate_held_out(student, held))]
    student.model.eval()  # without dropout, so that both measure alike
    with torch.no_grad():
        known = [score(batch) for batch in planned]
    optimizer = torch.optim.AdamW(
        student.model.parameters(), lr=settings.rate, weight_decay=0.0,
        fused=student.device == "cuda",
    )  # fmt: skip
    order = [at for _ in range(settings.epochs) for at in range(len(planned))]
    extra = train.plan_batches(examples, 24_000, 7)
    began, recent = time.monotonic(), []
    for step, number in enumerate(order):
        gone = time.monotonic() - began
        done = max(gone / settings.seconds, step / len(order))
        if done >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = (
                settings.rate * min(1.0, (step + 1) / 10) * max(0.02, 1 - done)
            )
        chances = score(planned[number])
        gained = chances - known[number]
        margin = gained[0] - gained[1]
        length = sum(len(pairs[at][0][1]) for at in planned[number])
        loss = -functional.logsigmoid(settings.strength * margin).mean()
        loss = loss - settings.example * chances[0].sum() / length
        recent.append(float((margin > 0).float().mean()))
        follow(student, optimizer, loss)
        if step % settings.own == settings.own - 1 and (batch := next(extra, None)):
            follow(student, optimizer, student.compute_loss(batch))
        if step % 25 == 24:
            print(
                f"step {step + 1}, {gone:.0f} s, gains {sum(recent) / 25:.3f}",
                flush=True,
            )
            recent = []
    curve.append((len(order), round(time.monotonic() - began, 1),
                  train.evaluate_held_out(student, held)))  # fmt: skip
    return {"settings": vars(settings), "pairs": len(pairs), "curve": curve}


def follow(student: Student, optimizer: torch.optim.Optimizer, loss: Any) -> None:
    """Take a step."""
    loss.backward()
    torch.nn.utils.clip_grad_norm_(student.model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def encode_preferences(student: Student, rows: Sequence[dict[str, Any]]) -> list[Pair]:
    """Return preferences as numbers."""
    left = student.encode_sources([(row["source"], row["style"]) for row in rows])
    good = student.encode([row["chosen"] for row in rows])
    bad = student.encode([row["rejected"] for row in rows])
    return [
        ((source, first), (source, second))
        for source, first, second in zip(left, good, bad, strict=True)
        if max(len(source), len(first), len(second)) <= train.LONGEST
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--requests", type=Path, nargs="*", default=[])
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--examples", type=Path, nargs="*", default=[])
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--device", default="cuda")
    for name, value in vars(Settings()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    student = Student(options.base, options.device)
    settings = Settings(**{name: getattr(options, name) for name in vars(Settings())})
    pairs = encode_preferences(student, corpus.read_rows(options.pairs))
    rows = [row for path in options.examples for row in corpus.read_rows(path)[:60_000]]
    held = student.encode_pairs(train.read_held_out(options.texts))
    record = learn(student, pairs, student.encode_pairs(rows), held, settings)
    train.save(student, options.base, options.output, record, options.requests)
    print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
