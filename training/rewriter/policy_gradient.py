"""Policy gradient: a student learns from its own samples.

Each step samples some rewrites of each text, has them rated (`rewards`), and moves the
weights so that samples above the mean of their text become likelier and those below
less so (REINFORCE with the group's mean as baseline, in standard deviations). Two terms
hold the model to what it knew: a KL penalty towards the first weights, and a little
ordinary training on pairs. Samples are drawn with int8 weights, so what is rated is
what will ship.
"""

import copy
import random
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
import transformers
from torch.nn import functional

from paraphrast.neural.finetune.quantisation_aware import nearest
from paraphrast.neural.finetune.torch_engine import (
    IGNORED,
    collate,
    load_model,
    predict_logits,
)
from paraphrast.neural.models import folders
from training.rewriter.rewards import FIGURES, Asked, Rewards, Row, advantages
from training.sampler import Nucleus
from training.styles import STYLES

LONGEST = 96
Tokens = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Plan:
    """The settings for training a student by policy gradient."""

    seconds: float
    rate: float = 3e-4
    texts: int = 192  # per step
    each: int = 16  # samples per text
    top_p: float = 0.95
    moved: float = 0.03  # weight of the penalty on moving away
    anchor: float = 0.2  # weight of ordinary training
    pairs: int = 128  # per step, of ordinary training
    clip: float = 1.0
    longest: int = 64  # tokens of a text that is sampled from
    warmup: float = 0.05
    look_every: float = 120.0
    steps: int = 1_000_000  # at most
    seed: int = 1


class Student:
    """A T5 that samples and learns."""

    def __init__(self, folder: Path, device: str, plan: Plan) -> None:
        """Open a model's folder."""
        self.base, self.device, self.plan = folders.read(folder), device, plan
        self.cut = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.cut.no_padding()
        self.cut.enable_truncation(LONGEST)
        self.half = device == "cuda"
        self.model = load_model(self.base, seed=plan.seed).to(device).eval()
        self.room = 1024 if self.half else 64  # samples per training batch
        self.first = self._copy_model()
        self.writer = self._copy_model()
        self.refresh()
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=plan.rate, betas=(0.9, 0.98), weight_decay=0.0
        )
        self.end = int(self.model.config.eos_token_id)
        self.padding = int(self.model.config.pad_token_id)

    def _copy_model(self) -> Any:
        kind = torch.bfloat16 if self.half else torch.float32
        return copy.deepcopy(self.model).to(kind).requires_grad_(False)

    def refresh(self) -> None:
        """Update the writer to the current weights, in 8 bits."""
        layers = {
            f"{name}.weight"
            for name, layer in self.model.named_modules()
            if isinstance(layer, torch.nn.Linear)
        }
        with torch.no_grad():
            for (name, own), new in zip(
                self.writer.named_parameters(), self.model.parameters(), strict=True
            ):
                own.copy_(nearest(new) if name in layers else new)

    def read(self, requests: Sequence[tuple[str, str]]) -> list[list[int]]:
        """Return the model's input tokens for texts and styles."""
        return self.numbers([f"{style}: {text}" for text, style in requests])

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of texts, with an end token."""
        bare = [" ".join(text.split()) for text in texts]
        encoded = self.cut.encode_batch(bare, add_special_tokens=False)
        return [[*item.ids, self.end] for item in encoded]

    def encode_pairs(self, rows: Sequence[Row]) -> list[Tokens]:
        """Return pairs as tokens."""
        sources = self.read([(source, style) for source, _, style in rows])
        targets = self.numbers([target for _, target, _ in rows])
        return list(zip(sources, targets, strict=True))

    def draw(self, rows: Sequence[Sequence[int]], *, each: int) -> Any:
        """Return samples, or greedy outputs if ``each`` is 1: (rows x each, width)."""
        given = self._pad_rows(rows)
        options: dict[str, Any] = {"do_sample": False, "num_beams": 1}
        if each > 1:
            nucleus = transformers.LogitsProcessorList([Nucleus(self.plan.top_p)])
            options = {
                "do_sample": True, "num_return_sequences": each, "top_k": 0,
                "top_p": 1.0, "temperature": 1.0, "logits_processor": nucleus,
            }  # fmt: skip
        with torch.inference_mode():
            made = self.writer.generate(
                input_ids=given,
                attention_mask=(given != self.padding).long(),
                max_new_tokens=min(80, int(1.2 * given.shape[1]) + 4),
                max_length=None,
                eos_token_id=self.end,
                pad_token_id=self.padding,
                **options,
            )
        return made[:, 1:].clone()

    def texts(self, made: Any) -> list[str]:
        """Return the texts of samples."""
        result = self.cut.decode_batch(made.tolist(), skip_special_tokens=True)
        return [" ".join(text.split()) for text in result]

    def _pad_rows(self, rows: Sequence[Sequence[int]]) -> Any:
        width = max(map(len, rows))
        table = np.full((len(rows), width), self.padding, np.int64)
        for index, row in enumerate(rows):
            table[index, : len(row)] = row
        return torch.from_numpy(table).to(self.device)

    def learn(
        self,
        rows: Sequence[Sequence[int]],
        made: Any,
        better: Any,
        pairs: Sequence[Tokens],
        rate: float,
    ) -> tuple[float, float]:
        """Take a step; return the change of the samples' probability, and the norm."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        while True:
            try:
                moved = self._gradients(rows, made, better, pairs)
                break
            except torch.OutOfMemoryError:  # others share the GPU
                self.optimizer.zero_grad(set_to_none=True)
                torch.cuda.empty_cache()
                self.room //= 2
                if not self.room:
                    raise
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.plan.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.refresh()
        return moved, float(norm)

    def _gradients(
        self,
        rows: Sequence[Sequence[int]],
        made: Any,
        better: Any,
        pairs: Sequence[Tokens],
    ) -> float:
        each = len(made) // len(rows)
        counted = self._mask_samples(made)
        total = counted.sum()
        moved = 0.0
        for part in self._parts(len(rows), each):
            own = slice(part.start * each, part.stop * each)
            loss, far = self._loss(
                rows[part], made[own], better[own], counted[own], each
            )
            (loss / total).backward()
            moved += float(far / total)
        if pairs and self.plan.anchor:
            (self.plan.anchor * self._anchor(pairs)).backward()
        return moved

    def _parts(self, number: int, each: int) -> list[slice]:
        size = max(1, self.room // each)
        return [slice(at, min(number, at + size)) for at in range(0, number, size)]

    def _mask_samples(self, made: Any) -> Any:
        """Return the mask of the samples' own tokens: all up to the end token."""
        ends = (made == self.end).cumsum(1)
        return (ends == 0) | ((ends == 1) & (made == self.end))

    def _loss(
        self,
        rows: Sequence[Sequence[int]],
        made: Any,
        better: Any,
        counted: Any,
        each: int,
    ) -> tuple[Any, Any]:
        given = self._pad_rows(rows)
        width = int(counted.sum(1).max())
        made, counted = made[:, :width], counted[:, :width]
        now = self._chances(self.model, given, made, each)
        with torch.no_grad():
            before = self._chances(self.first, given, made, each)
        off = before - now
        far = ((off.clamp(max=8).exp() - off - 1) * counted).sum()
        gain = (now * better[:, None] * counted).sum()
        return self.plan.moved * far - gain, far.detach()

    def _chances(self, model: Any, given: Any, made: Any, each: int) -> Any:
        """Return the log-probabilities of the samples' tokens."""
        mask = (given != self.padding).long()
        start = torch.full_like(made[:, :1], model.config.decoder_start_token_id)
        shifted = torch.cat([start, made[:, :-1]], 1)
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.half):
            states = model.encoder(input_ids=given, attention_mask=mask)[0]
            logits = model(
                encoder_outputs=(states.repeat_interleave(each, 0),),
                attention_mask=mask.repeat_interleave(each, 0),
                decoder_input_ids=shifted,
                use_cache=False,
            ).logits
        flat = functional.cross_entropy(
            logits.float().flatten(0, 1), made.flatten(), reduction="none"
        )
        return -flat.view_as(made)

    def _anchor(self, pairs: Sequence[Tokens]) -> Any:
        table = collate(pairs, self.base.shape, self.base.padding, multiple=8)
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.half):
            logits, labels = predict_logits(self.model, table, self.device)
        return functional.cross_entropy(
            logits.float().flatten(0, 1), labels.flatten(), ignore_index=IGNORED
        )

    def save(self, folder: Path) -> None:
        """Write the model as a folder like the one it came from."""
        partly = folder.with_name(f"{folder.name}.partly")
        shutil.rmtree(partly, ignore_errors=True)
        shutil.copytree(self.base.path, partly)
        self.model.save_pretrained(partly)
        shutil.rmtree(folder, ignore_errors=True)
        partly.rename(folder)


def reinforce(
    student: Student,
    asked: Sequence[Asked],
    pairs: Sequence[Row],
    rewards: Rewards,
    held: Sequence[Asked],
    output: Path,
) -> None:
    """Train a student for as long as its plan says, and write it."""
    plan = student.plan
    draw = random.Random(plan.seed)
    torch.manual_seed(plan.seed)
    began = looked = time.time()
    step, history = 0, np.zeros((0, len(FIGURES)))
    rows: list[Asked] = []
    print_held_out(student, held, rewards, 0.0)
    while (done := max((time.time() - began) / plan.seconds, step / plan.steps)) < 1:
        if len(rows) < plan.texts:
            rows = make_batches(asked, student, draw)
        batch, rows = rows[: plan.texts], rows[plan.texts :]
        numbers = student.read([(item.source, item.style) for item in batch])
        made = student.draw(numbers, each=plan.each)
        texts = student.texts(made)
        grouped = [texts[i : i + plan.each] for i in range(0, len(texts), plan.each)]
        rated = rewards.rate(batch, grouped)
        better = torch.from_numpy(advantages(rated[:, 0], plan.each)).to(student.device)
        anchor = student.encode_pairs(draw.sample(pairs, min(plan.pairs, len(pairs))))
        share = min(1.0, done / plan.warmup) * (1 - 0.9 * done)
        moved, norm = student.learn(numbers, made, better, anchor, plan.rate * share)
        history = np.concatenate([history, rated.mean(0, keepdims=True)])
        step += 1
        if step % 10 == 0:
            shown = " ".join(f"{value:.3f}" for value in history[-10:].mean(0))
            past = time.time() - began
            print(f"{output.name} {step} {past:.0f} s {', '.join(FIGURES)} "
                  f"{shown} moved {moved:.3f} norm {norm:.2f}", flush=True)  # fmt: skip
        if time.time() - looked > plan.look_every:
            looked = time.time()
            print_held_out(student, held, rewards, looked - began)
            student.save(output.with_name(f"{output.name}-so-far"))
    print_held_out(student, held, rewards, time.time() - began)
    student.save(output)


def make_batches(
    asked: Sequence[Asked], student: Student, draw: random.Random
) -> list[Asked]:
    """Return texts in random order, in batches of similar length."""
    size = student.plan.texts
    chosen = draw.sample(asked, min(len(asked), 16 * size))
    rows = student.read([(item.source, item.style) for item in chosen])
    sized = [
        (len(row), index)
        for index, row in enumerate(rows)
        if len(row) <= student.plan.longest
    ]
    chosen = [chosen[index] for _, index in sorted(sized)]
    groups = [chosen[i : i + size] for i in range(0, len(chosen), size)]
    draw.shuffle(groups)
    return [item for group in groups for item in group]


def print_held_out(
    student: Student, held: Sequence[Asked], rewards: Rewards, seconds: float
) -> None:
    """Print the rewards of greedy rewrites of held-out texts, by style."""
    texts: list[str] = []
    for start in range(0, len(held), 512):
        part = held[start : start + 512]
        rows = student.read([(item.source, item.style) for item in part])
        texts += student.texts(student.draw(rows, each=1))
    rated = rewards.rate(held, [[text] for text in texts], count_ngrams=False)
    styles = list(dict.fromkeys(item.style for item in held))
    print(f"== {seconds:.0f} s", flush=True)
    for style in styles:
        own = [i for i, item in enumerate(held) if item.style == style]
        shown = " ".join(f"{value:.3f}" for value in rated[own].mean(0))
        print(f"{style:13} {shown}  {held[own[0]].source} | {texts[own[0]]}")
        if style in STYLES:
            print(f"{'':13} overused: {'; '.join(rewards.overused.worst(style))}")
