"""Train a small encoder-decoder to rewrite, and let it rewrite requests.

It reads ``style: text``. The rate falls in a line with the time that is spent.

Run    python -m training.everyday.student.train --base FOLDER --pairs FILE...
              --seconds 240 -o FOLDER [--requests FILE...]
"""

import argparse
import json
import random
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tokenizers
import torch
import transformers

from training.everyday import corpus

LONGEST = 160
Encoded = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Settings:
    """How the student is trained."""

    rate: float = 8e-4
    seconds: float = 240.0
    epochs: int = 3
    tokens: int = 24_000
    warmup: int = 100
    seed: int = 1


class Student:
    """A T5 whose output layer is its own, and its tokenizer."""

    def __init__(self, folder: Path, device: str) -> None:
        """Open a folder."""
        transformers.logging.set_verbosity_error()
        model: Any = transformers.T5ForConditionalGeneration.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32
        )
        model.config.scale_decoder_outputs = False
        self.model, self.device = model.to(device), device
        self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.end = int(model.config.eos_token_id)

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of texts, with an end."""
        result = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [[*one.ids[: LONGEST - 1], self.end] for one in result]

    def encode_sources(self, requests: Sequence[tuple[str, str]]) -> list[list[int]]:
        """Return what is read for texts and styles."""
        return self.encode([f"{style}: {text}" for text, style in requests])

    def compute_loss(self, pairs: Sequence[Encoded]) -> Any:
        """Return the mean loss of a batch."""
        ids, mask = pad([left for left, _ in pairs], 0)
        labels, _ = pad([right for _, right in pairs], -100)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            return self.model(
                input_ids=ids.to(self.device), attention_mask=mask.to(self.device),
                labels=labels.to(self.device),
            ).loss  # fmt: skip

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def generate(self, requests: Sequence[tuple[str, str]], beam: int = 1) -> list[str]:
        """Return an output for each request."""
        self.model.eval()
        rows = self.encode_sources(requests)
        order = sorted(range(len(rows)), key=lambda at: -len(rows[at]))
        result = [""] * len(rows)
        for start in range(0, len(order), 512):
            batch = order[start : start + 512]
            ids, mask = pad([rows[at] for at in batch], 0)
            with torch.autocast(
                self.device, torch.bfloat16, enabled=self.device == "cuda"
            ):
                made = self.model.generate(
                    input_ids=ids.to(self.device), attention_mask=mask.to(self.device),
                    max_new_tokens=min(LONGEST, int(1.7 * ids.shape[1]) + 12),
                    num_beams=beam, do_sample=False,
                )  # fmt: skip
            texts = self.tokenizer.decode_batch(made.tolist(), skip_special_tokens=True)
            for at, text in zip(batch, texts, strict=True):
                result[at] = " ".join(text.split())
        return result


def pad(rows: Sequence[Sequence[int]], fill: int) -> tuple[Any, Any]:
    """Return rows of one width, and where they are filled."""
    width = -(-max(map(len, rows)) // 8) * 8
    ids = torch.full((len(rows), width), fill)
    mask = torch.zeros((len(rows), width), dtype=torch.long)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = torch.tensor(row)
        mask[at, : len(row)] = 1
    return ids, mask


def plan_batches(
    pairs: Sequence[Encoded], tokens: int, seed: int
) -> Iterator[list[Encoded]]:
    """Yield batches of like length, in random order."""
    draw = random.Random(seed)
    sizes = [max(len(left), len(right)) for left, right in pairs]
    order = sorted(range(len(pairs)), key=lambda at: sizes[at] + draw.random() * 4)
    result: list[list[int]] = [[]]
    for at in order:
        if result[-1] and (len(result[-1]) + 1) * 2 * sizes[at] > tokens:
            result.append([])
        result[-1].append(at)
    draw.shuffle(result)
    for batch in result:
        yield [pairs[at] for at in batch]


def train(
    student: Student, epochs: Sequence[Sequence[Encoded]], held: Sequence[Encoded],
    settings: Settings,
) -> dict[str, Any]:  # fmt: skip
    """Train as long as there is time; return a record of it."""
    planned = [
        b for n, e in enumerate(epochs) for b in plan_batches(e, settings.tokens, n)
    ]
    optimizer = torch.optim.AdamW(
        student.model.parameters(), lr=settings.rate, weight_decay=0.01,
        betas=(0.9, 0.98),
        fused=student.device == "cuda",
    )  # fmt: skip
    curve = [(0, 0.0, evaluate_held_out(student, held))]
    began = looked = time.monotonic()
    rows = step = 0
    student.model.train()
    for step, batch in enumerate(planned, start=1):
        gone = time.monotonic() - began
        done = max(gone / settings.seconds, step / len(planned))
        if done >= 1 and step > 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = (
                settings.rate * min(1.0, step / settings.warmup) * max(0.02, 1 - done)
            )
        loss = student.compute_loss(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(student.model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        rows += len(batch)
        if time.monotonic() - looked > settings.seconds / 6:
            looked = time.monotonic()
            curve.append((step, round(gone, 1), evaluate_held_out(student, held)))
            print(f"step {step} of {len(planned)}: {curve[-1]}", flush=True)
            student.model.train()
    curve.append(
        (step, round(time.monotonic() - began, 1), evaluate_held_out(student, held))
    )
    return {
        "settings": vars(settings),
        "steps": step,
        "of": len(planned),
        "pairs": rows,
        "curve": curve,
    }


@torch.no_grad()  # type: ignore[untyped-decorator]
def evaluate_held_out(student: Student, pairs: Sequence[Encoded]) -> float:
    """Return the mean loss of a token of held-out pairs."""
    student.model.eval()
    total = count = 0.0
    for batch in plan_batches(pairs, 24_000, 0):
        size = sum(len(right) for _, right in batch)
        total += float(student.compute_loss(batch)) * size
        count += size
    return round(total / max(1.0, count), 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, nargs="+", required=True)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--requests", type=Path, nargs="*", default=[])
    parser.add_argument("--device", default="cuda")
    for name, value in vars(Settings()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    settings = Settings(**{name: getattr(options, name) for name in vars(Settings())})
    student = Student(options.base, options.device)

    def pairs(rows: Sequence[dict[str, Any]]) -> list[Encoded]:
        left = student.encode_sources([(row["source"], row["style"]) for row in rows])
        return list(zip(left, student.encode([r["target"] for r in rows]), strict=True))

    epochs = [
        pairs(corpus.read_rows(path)) for path in options.pairs[: settings.epochs]
    ]
    held = pairs([
        {"source": t.plain, "style": s, "target": v}
        for t in corpus.read_texts(options.texts) if t.split == "dev"
        for s, v in t.versions.items() if s != "plain"
    ])  # fmt: skip
    record = train(student, epochs, held, settings)
    unfinished = options.output.with_name(f"{options.output.name}.unfinished")
    student.model.save_pretrained(unfinished)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(options.base / name, unfinished / name)
    (unfinished / "training.json").write_text(json.dumps(record, indent=1), "utf-8")
    for path in options.requests:
        rows = corpus.read_rows(path)
        for beam in (1, 4):
            texts = student.generate(
                [(row["text"], row["style"]) for row in rows], beam
            )
            written = zip(rows, texts, strict=True)
            corpus.write_rows(
                unfinished / f"{path.stem}-beam{beam}.jsonl",
                [row | {"output": text} for row, text in written],
            )
    unfinished.replace(options.output)
    print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
