"""A cross-encoder that reads two texts at once and says whether they say the same.

Run    python -m training.everyday.checker.encoder --base FOLDER --pairs FILE...
              --held FILE... -o FOLDER [--seconds 90] [--rate 1e-4]
"""

import argparse
import json
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
import transformers
from torch.nn import functional

from paraphrast.neural.finetune.batches import plan
from training.everyday import corpus
from training.everyday.checker.measure import report_recall
from training.everyday.descent import Descent, add_settings, read_settings

LONGEST = 160


class CrossEncoder:
    """A model with one output, and the tokenizer that joins pairs for it."""

    def __init__(self, folder: Path, device: str) -> None:
        """Open a folder; a base without an output layer gets a new one."""
        transformers.logging.set_verbosity_error()
        torch.manual_seed(1)
        model: Any = transformers.AutoModelForSequenceClassification.from_pretrained(
            folder, num_labels=1, local_files_only=True, dtype=torch.float32
        )
        self.model = model.to(device)
        self.device = device
        self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LONGEST)
        self.padding = int(self.model.config.pad_token_id or 0)
        self.kinds = "type_vocab_size" in self.model.config.to_dict()

    def encode(
        self, pairs: Sequence[tuple[str, str]]
    ) -> list[tuple[list[int], list[int]]]:
        """Return the tokens of pairs and which text each belongs to."""
        return [
            (encoding.ids, encoding.type_ids)
            for encoding in self.tokenizer.encode_batch_fast(list(pairs))
        ]

    def compute_logits(self, rows: Sequence[tuple[list[int], list[int]]]) -> Any:
        """Return the model's output for rows of tokens."""
        width = -(-max(len(ids) for ids, _ in rows) // 8) * 8
        ids = np.full((len(rows), width), self.padding)
        kinds, mask = np.zeros_like(ids), np.zeros_like(ids)
        for row, (own, types) in enumerate(rows):
            ids[row, : len(own)] = own
            kinds[row, : len(own)] = types
            mask[row, : len(own)] = 1
        arrays = {"input_ids": ids, "attention_mask": mask}
        if self.kinds:
            arrays["token_type_ids"] = kinds
        given = {
            name: torch.from_numpy(value).to(self.device)
            for name, value in arrays.items()
        }
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            return self.model(**given).logits[:, 0].float()

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def score_pairs(
        self, pairs: Sequence[tuple[str, str]], room: int = 40_000
    ) -> list[float]:
        """Return for each pair the probability that both texts say the same."""
        self.model.eval()
        rows = self.encode(pairs)
        result = [0.0] * len(rows)
        order = sorted(range(len(rows)), key=lambda at: -len(rows[at][0]))
        while order:
            size = max(1, room // len(rows[order[0]][0]))
            batch, order = order[:size], order[size:]
            values = self.compute_logits([rows[at] for at in batch]).sigmoid().tolist()
            for at, value in zip(batch, values, strict=True):
                result[at] = value
        return result


@dataclass(frozen=True)
class Settings:
    """The settings for training a cross-encoder."""

    rate: float = 1e-4
    seconds: float = 90.0
    epochs: int = 3
    tokens: int = 16_384
    seed: int = 1


def target_score(row: Mapping[str, Any]) -> float:
    """Return the score of an example if it has one, otherwise a smoothed label."""
    if "target" in row:
        return float(row["target"])
    return 0.98 if row["same"] else 0.02


def train(
    encoder: CrossEncoder, rows: Sequence[dict[str, Any]], settings: Settings
) -> int:
    """Train the encoder until time runs out; return the number of steps."""
    tokens = encoder.encode([(row["first"], row["second"]) for row in rows])
    labels = torch.tensor([target_score(row) for row in rows])
    sizes = [len(ids) for ids, _ in tokens]
    planned = [
        batch
        for epoch in range(settings.epochs)
        for batch in plan(sizes, settings.tokens, seed=settings.seed, epoch=epoch)
    ]
    weights = list(encoder.model.parameters())
    descent = Descent(weights, settings.rate, warmup=50, betas=(0.9, 0.999))
    encoder.model.train()
    began, total = time.monotonic(), 0.0
    for step, batch in enumerate(planned, start=1):
        done = max((time.monotonic() - began) / settings.seconds, step / len(planned))
        if done >= 1 and step > 1:
            return step
        logits = encoder.compute_logits([tokens[at] for at in batch])
        wanted = labels[batch].to(logits.device)
        loss = functional.binary_cross_entropy_with_logits(logits, wanted)
        loss.backward()
        descent.follow(step, done)
        if step % 50 == 0:
            total = float(loss.detach())
            gone = time.monotonic() - began
            print(
                f"step {step} of {len(planned)}, {gone:.0f} s, loss {total:.3f}",
                flush=True,
            )
    return len(planned)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, nargs="+", required=True)
    parser.add_argument("--held", type=Path, nargs="+", required=True)
    parser.add_argument("--device", default="cuda")
    add_settings(parser, Settings())
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    settings = read_settings(options, Settings)
    encoder = CrossEncoder(options.base, options.device)
    rows = [row for path in options.pairs for row in corpus.read_rows(path)]
    steps = train(encoder, rows, settings)
    unfinished = options.output.with_name(f"{options.output.name}.unfinished")
    encoder.model.half().save_pretrained(unfinished)
    encoder.model.float()
    shutil.copy(options.base / "tokenizer.json", unfinished / "tokenizer.json")
    result: dict[str, Any] = {"steps": steps, "settings": vars(settings)}
    for path in options.held:
        held = corpus.read_rows(path)
        values = encoder.score_pairs([(row["first"], row["second"]) for row in held])
        result[path.stem] = report_recall(held, values)
        scored = [
            row | {"score": round(value, 4)}
            for row, value in zip(held, values, strict=True)
        ]
        corpus.write_rows(unfinished / f"scores-{path.stem}.jsonl", scored)
    (unfinished / "report.json").write_text(json.dumps(result, indent=1), "utf-8")
    unfinished.replace(options.output)
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
