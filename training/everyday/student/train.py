"""Train a small model to rewrite, and let it rewrite requests.

It is an encoder-decoder, or a causal language model (`student.causal`)
where the base is one. It reads ``style: text``. An epoch is one of the files of
``--pairs``, in turn, with all of ``--taught``, whose sources are spelled anew, and with
the files of ``--later`` that exist by then. The learning rate falls linearly with the
time spent.

Run    python -m training.everyday.student.train --base FOLDER --pairs FILE...
              --seconds 240 -o FOLDER [--requests FILE...]
"""

import argparse
import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
import transformers
from torch.nn import functional

from paraphrast.neural.finetune import batches
from training.everyday import corpus
from training.everyday.descent import Descent, add_settings, read_settings
from training.everyday.noise import spell_some
from training.everyday.student.causal import CausalStudent

LONGEST = 160
Encoded = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Settings:
    """The settings for training the student."""

    rate: float = 8e-4
    seconds: float = 240.0
    epochs: int = 3
    tokens: int = 24_000
    warmup: int = 100
    seed: int = 1
    clean: float = 0.0  # the last part of the time, without later pairs


class Student:
    """A T5 with an untied output layer, and its tokenizer."""

    def __init__(self, folder: Path, device: str) -> None:
        """Open a folder."""
        transformers.logging.set_verbosity_error()
        model: Any = transformers.T5ForConditionalGeneration.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32
        )
        model.config.scale_decoder_outputs = False
        self.model, self.device = model.to(device), device
        self.bfloat16 = device == "cuda"  # computes in 16 bits
        self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.end = int(model.config.eos_token_id)
        self.folder = folder

    def parameters(self) -> list[Any]:
        """Return all weights."""
        return list(self.model.parameters())

    def set_learning(self, learning: bool) -> None:
        """Return whether what follows is learnt."""
        self.model.train(learning)

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of texts, with an end token."""
        result = self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [[*encoding.ids, self.end] for encoding in result]

    def encode_pairs(self, rows: Sequence[Mapping[str, Any]]) -> list[Encoded]:
        """Return the tokens of pairs of texts that are not too long."""
        left = self.encode_sources([(row["source"], row["style"]) for row in rows])
        right = self.encode([row["target"] for row in rows])
        pairs = zip(left, right, strict=True)
        return [pair for pair in pairs if max(map(len, pair)) <= LONGEST]

    def encode_sources(self, requests: Sequence[tuple[str, str]]) -> list[list[int]]:
        """Return the encoder's input for texts and styles."""
        return self.encode([f"{style}: {text}" for text, style in requests])

    def compute_loss(self, pairs: Sequence[Encoded]) -> Any:
        """Return the mean loss of a batch."""
        with torch.autocast(self.device, torch.bfloat16, enabled=self.bfloat16):
            return self.model(**self.collate(pairs)).loss

    def sum_chances(self, pairs: Sequence[Encoded]) -> Any:
        """Return the log-probability of each target."""
        given = self.collate(pairs)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.bfloat16):
            logits = self.model(**given).logits
        losses = functional.cross_entropy(
            logits.float().transpose(1, 2), given["labels"], reduction="none"
        )  # zero where the target has ended
        return -losses.sum(1)

    def collate(self, pairs: Sequence[Encoded]) -> dict[str, Any]:
        """Return the model's inputs for a batch."""
        ids, mask = pad([left for left, _ in pairs], 0)
        labels, _ = pad([right for _, right in pairs], -100)
        given = {"input_ids": ids, "attention_mask": mask, "labels": labels}
        return {name: value.to(self.device) for name, value in given.items()}

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def generate(self, requests: Sequence[tuple[str, str]]) -> list[str]:
        """Return the greedy output for each request."""
        self.model.eval()
        rows = [row[-LONGEST:] for row in self.encode_sources(requests)]
        order = sorted(range(len(rows)), key=lambda at: -len(rows[at]))
        result = [""] * len(rows)
        for start in range(0, len(order), 4096):
            batch = order[start : start + 4096]
            ids, mask = pad([rows[at] for at in batch], 0)
            with torch.autocast(self.device, torch.bfloat16, enabled=self.bfloat16):
                made = self.model.generate(
                    input_ids=ids.to(self.device), attention_mask=mask.to(self.device),
                    max_new_tokens=min(LONGEST, int(1.7 * ids.shape[1]) + 12),
                    num_beams=1, do_sample=False,
                )  # fmt: skip
            texts = self.tokenizer.decode_batch(made.tolist(), skip_special_tokens=True)
            for at, text in zip(batch, texts, strict=True):
                result[at] = " ".join(text.split())
        return result

    def write(self, folder: Path) -> None:
        """Write a folder that can be opened again."""
        self.model.save_pretrained(folder)
        for name in ("tokenizer.json", "tokenizer_config.json"):
            shutil.copy(self.folder / name, folder / name)


def open_student(folder: Path, device: str) -> Student | CausalStudent:
    """Open a student of the kind that its configuration names."""
    kind = json.loads((folder / "config.json").read_text("utf-8"))["model_type"]
    return Student(folder, device) if kind == "t5" else CausalStudent(folder, device)


def pad(rows: Sequence[Sequence[int]], fill: int) -> tuple[Any, Any]:
    """Return rows padded to one width, and their mask."""
    width = -(-max(map(len, rows)) // 8) * 8
    ids = np.full((len(rows), width), fill)
    mask = np.zeros((len(rows), width), np.int64)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = row
        mask[at, : len(row)] = 1
    return torch.from_numpy(ids), torch.from_numpy(mask)


def plan_batches(
    pairs: Sequence[Encoded], tokens: int, epoch: int
) -> Iterator[list[Encoded]]:
    """Yield batches of similar length with a limited number of tokens on both sides."""
    sizes = [max(len(left), len(right)) for left, right in pairs]
    for batch in batches.plan(sizes, tokens // 2, seed=1, epoch=epoch):
        yield [pairs[at] for at in batch]


class Examples:
    """Batches of examples, epoch after epoch; pairs that come later join the others."""

    def __init__(
        self, own: Sequence[Sequence[Encoded]], taught: Sequence[Sequence[Encoded]],
        read_later: Callable[[], list[Encoded]], tokens: int,
    ) -> None:  # fmt: skip
        """Take epochs of pairs, and a function that returns pairs added meanwhile."""
        self.own, self.taught, self.tokens = own, taught, tokens
        self._read_later, self._later = read_later, list[Encoded]()
        self.epoch, self.clean = 0, False

    def plan(self) -> Iterator[list[Encoded]]:
        """Yield batches endlessly."""
        while True:
            pairs = [
                *self.own[self.epoch % len(self.own)],
                *self.taught[self.epoch % len(self.taught)],
                *self._later,
            ]
            for number, batch in enumerate(
                plan_batches(pairs, self.tokens, self.epoch)
            ):
                yield batch
                if number % 50 == 49 and self._has_changed():
                    break
            self.epoch += 1

    def _has_changed(self) -> bool:
        """Take later pairs that have come, or leave them out at the end."""
        if self.clean:
            had, self._later = bool(self._later), []
            return had
        later = self._read_later()
        self._later += later
        if later:
            print(f"{len(later)} later pairs", flush=True)
        return bool(later)


def train(
    student: Student | CausalStudent, examples: Examples, held: Sequence[Encoded],
    settings: Settings,
) -> dict[str, Any]:  # fmt: skip
    """Train until time runs out; return a record."""
    descent = Descent(student.parameters(), settings.rate, warmup=settings.warmup)
    curve = [(0, 0.0, evaluate_held_out(student, held))]
    began = looked = time.monotonic()
    rows = step = 0
    student.set_learning(True)
    for step, batch in enumerate(examples.plan(), start=1):
        gone = time.monotonic() - began
        done = max(gone / settings.seconds, examples.epoch / settings.epochs)
        if done >= 1 and step > 1:
            break
        examples.clean = gone >= (1 - settings.clean) * settings.seconds
        add_gradients(student, batch)
        descent.follow(step, gone / settings.seconds)
        rows += len(batch)
        if time.monotonic() - looked > settings.seconds / 8:
            looked = time.monotonic()
            curve.append((step, round(gone, 1), evaluate_held_out(student, held)))
            print(f"step {step}: {curve[-1]}", flush=True)
            student.set_learning(True)
    curve.append(
        (step, round(time.monotonic() - began, 1), evaluate_held_out(student, held))
    )
    return {
        "settings": vars(settings), "steps": step, "epochs": examples.epoch,
        "pairs": rows, "curve": curve,
    }  # fmt: skip


def add_gradients(
    student: Student | CausalStudent, batch: Sequence[Encoded], share: float = 1.0
) -> None:
    """Add a batch's gradients; in two halves if memory is short."""
    try:
        (share * student.compute_loss(batch)).backward()
        return
    except torch.OutOfMemoryError:
        if len(batch) == 1:
            raise
    torch.cuda.empty_cache()
    half = len(batch) // 2
    for part in (batch[:half], batch[half:]):
        add_gradients(student, part, share * len(part) / len(batch))


@torch.no_grad()  # type: ignore[untyped-decorator]
def evaluate_held_out(
    student: Student | CausalStudent, pairs: Sequence[Encoded]
) -> float:
    """Return the mean loss per token of held-out pairs."""
    student.set_learning(False)
    total = count = 0.0
    for batch in plan_batches(pairs, 24_000, 0):
        size = sum(len(right) for _, right in batch)
        total += float(student.compute_loss(batch)) * size
        count += size
    return round(total / max(1.0, count), 4)


def read_held_out(path: Path) -> list[dict[str, Any]]:
    """Return the pairs of held-out texts, from plain to every style."""
    return [
        {"source": text.plain, "style": style, "target": said}
        for text in corpus.read_texts(path) if text.split == "dev"
        for style, said in text.versions.items() if style != "plain"
    ]  # fmt: skip


def save(
    student: Student | CausalStudent, output: Path, record: Mapping[str, Any],
    requests: Sequence[Path],
) -> None:  # fmt: skip
    """Write the student and its outputs; the folder appears when it is complete."""
    unfinished = output.with_name(f"{output.name}.unfinished")
    student.write(unfinished)
    (unfinished / "training.json").write_text(json.dumps(record, indent=1), "utf-8")
    for path in requests:
        rows = corpus.read_rows(path)
        texts = student.generate([(row["text"], row["style"]) for row in rows])
        written = zip(rows, texts, strict=True)
        corpus.write_rows(
            unfinished / f"{path.stem}.jsonl",
            [row | {"output": text} for row, text in written],
        )
    unfinished.replace(output)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, nargs="+", required=True)
    parser.add_argument("--taught", type=Path, nargs="*", help="waited for")
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--requests", type=Path, nargs="*", default=[])
    parser.add_argument(
        "--later", type=Path, nargs="*", default=[], help="joins when it is there"
    )
    parser.add_argument("--held", type=int, help="held-out pairs that are measured")
    parser.add_argument("--until", type=float, help="time to end, instead of --seconds")
    parser.add_argument("--device", default="cuda")
    parser.add_argument(
        "--bfloat16", action="store_true",
        help="compute in 16 bits on a CPU, too: twice as fast where it can",
    )  # fmt: skip
    add_settings(parser, Settings())
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    student = open_student(options.base, options.device)
    student.bfloat16 |= options.bfloat16
    own = [student.encode_pairs(corpus.read_rows(path)) for path in options.pairs]
    taught: list[list[Encoded]] = [[]]
    if options.taught:
        while not all(path.exists() for path in options.taught):
            time.sleep(0.5)
        rows = [row for path in options.taught for row in corpus.read_rows(path)]
        taught = [student.encode_pairs(spell_some(rows, seed)) for seed in range(3)]
    print(f"{len(own[0])} own pairs, {len(taught[0])} taught", flush=True)
    waiting = list(options.later)

    def read_later() -> list[Encoded]:
        there = [path for path in waiting if path.exists()]
        for path in there:
            waiting.remove(path)
        rows = [row for path in there for row in corpus.read_rows(path)]
        return student.encode_pairs(spell_some(rows, 9))

    held = student.encode_pairs(read_held_out(options.texts)[: options.held])
    if options.until:
        options.seconds = max(20.0, options.until - time.time())
    settings = read_settings(options, Settings)
    examples = Examples(own, taught, read_later, settings.tokens)
    record = train(student, examples, held, settings)
    save(student, options.output, record, options.requests)
    print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
