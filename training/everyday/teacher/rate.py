"""Rate rewrites as readers would, by the base with the rater's adapter.

Of rows with ``text``, ``style`` and ``candidates`` each candidate that breaks no fact
gets ``chances``, the probabilities of a mark of 2 for meaning, for style and for
fluency, each given those before it; ``worth``, their product, the probability of 2 in
everything; and ``same``, the expected mark of meaning as a share. Where a row has
``original``, the style that its text was really written in, a candidate is the source
and the text is rated as its rewrite into that style. ``--held`` measures the rater on
rated rewrites. Files are waited for until ``--until`` exists.

Run    python -m training.everyday.teacher.rate --base FOLDER --rater FILE
              --outputs FILE... -o FOLDER [--held FILE]
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from training.everyday import corpus
from training.everyday.checker.candidates import wait_for
from training.everyday.checker.reward import find_area
from training.everyday.ratings import RATED
from training.everyday.teacher import qwen
from training.everyday.teacher.prompts import MARKS, PromptTokenizer
from training.everyday.teacher.rewrite import read_in_batches
from training.everyday.teacher.tune import log

Row = dict[str, Any]
READ = 60_000  # tokens that are read at a time
BEST = len(MARKS) - 1


class Rater:
    """The base with an adapter that gives marks."""

    def __init__(self, model: qwen.Qwen, tokenizer: PromptTokenizer) -> None:
        """Take a model whose adapter is merged."""
        self.model, self.tokenizer = model, tokenizer

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def rate(self, rewrites: Sequence[tuple[str, str, str]]) -> list[list[float]]:
        """Return the three chances of 2 and the expected meaning of each rewrite."""
        best = self.tokenizer.marks[BEST]
        prompts = [
            [*own, best, best] for own in self.tokenizer.encode_ratings(rewrites)
        ]
        return read_in_batches(prompts, READ, self._rate_batch)

    def _rate_batch(self, rows: Sequence[list[int]], width: int) -> list[list[float]]:
        device = self.model.device
        ids = torch.tensor([r + [0] * (width - len(r)) for r in rows], device=device)
        ends = torch.tensor([len(row) for row in rows], device=device)
        spots = ends[:, None] + torch.arange(-3, 0, device=device)
        states = self.model.read(ids)[
            torch.arange(len(rows), device=device)[:, None], spots
        ]
        marks = torch.tensor(self.tokenizer.marks, device=device)
        chances = self.model.compute_logits(states)[..., marks].softmax(-1)
        expected = (
            chances[:, 0] @ torch.arange(len(MARKS), device=device).float() / BEST
        )
        made = torch.cat([chances[..., BEST], expected[:, None]], 1)
        values: list[list[float]] = made.tolist()
        return values


def rate_rows(rows: Sequence[Row], rater: Rater) -> None:
    """Add the marks' chances to the candidates that break no fact."""
    asked = [
        (_order_texts(row, option), option)
        for row in rows
        for option in row["candidates"]
        if not option.get("fault")
    ]
    values = rater.rate([texts for texts, _ in asked])
    for (_, option), (*chances, expected) in zip(asked, values, strict=True):
        option["chances"] = [round(chance, 4) for chance in chances]
        option["worth"] = round(chances[0] * chances[1] * chances[2], 4)
        option["same"] = round(expected, 4)


def _order_texts(row: Row, option: Row) -> tuple[str, str, str]:
    if "original" in row:
        return option["text"], row["original"], row["text"]
    return row["text"], row["style"], option["text"]


def measure(rows: Sequence[Row], rater: Rater) -> dict[str, Any]:
    """Return areas under the curve on rated rewrites, and how far chances are right."""
    values = rater.rate([(row["source"], row["style"], row["output"]) for row in rows])
    result: dict[str, Any] = {"rows": len(rows)}
    for at, name in enumerate(RATED):
        labels = [float(row["marks"][at] == BEST) for row in rows]
        result[name] = round(find_area(labels, [value[at] for value in values]), 4)
    kept = [float(row["marks"][0] > 0) for row in rows]
    result["meaning not 0"] = round(find_area(kept, [v[3] for v in values]), 4)
    worth = [chances[0] * chances[1] * chances[2] for chances in values]
    gold = [float(min(row["marks"]) == BEST) for row in rows]
    result["2 in everything"] = round(find_area(gold, worth), 4)
    order = sorted(range(len(rows)), key=lambda at: -worth[at])
    for share in (0.1, 0.2, 0.3, 0.5):
        own = order[: max(1, int(share * len(order)))]
        right = sum(gold[at] for at in own) / max(1, len(own))
        changed = sum(1 - kept[at] for at in own) / max(1, len(own))
        result[f"best {share:.0%}"] = [round(right, 3), round(changed, 3)]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--rater", type=Path, required=True)
    parser.add_argument("--held", type=Path)
    parser.add_argument("--outputs", type=Path, nargs="*", default=[])
    parser.add_argument("--until", type=Path, help="is there when no more will come")
    parser.add_argument("--most", type=int, default=20_000, help="rows at a time")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    adapter = qwen.Adapter.load(options.rater, options.device)
    model = qwen.load(options.base, options.device).merge(adapter)
    rater = Rater(model, PromptTokenizer(options.base))
    if options.held:
        rows = corpus.read_rows(options.held)
        own = [row for row in rows if "student" in row.get("systems", ())]
        result = {"all": measure(rows, rater), "student": measure(own, rater)}
        text = json.dumps(result, indent=1)
        (options.output / "held-report.json").write_text(text, "utf-8")
        log(json.dumps(result))
    for path in options.outputs:
        if (options.output / path.name).exists():
            continue
        if not wait_for(path, options.until):
            log(f"{path.name} never came")
            continue
        rows = corpus.read_rows(path)
        for start in range(0, len(rows), options.most):
            rate_rows(rows[start : start + options.most], rater)
            log(f"{path.name}: {min(start + options.most, len(rows))} of {len(rows)}")
        corpus.write_rows(options.output / path.name, rows)


if __name__ == "__main__":
    main()
