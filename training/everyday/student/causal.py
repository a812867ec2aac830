"""A student that is a causal language model: it continues a request.

It reads ``style: text`` between the markers of a chat turn, and learns only the
target's tokens. All weights are learnt, in 32 bits; on a GPU it computes in
16. It has the methods of `training.everyday.student.train.Student`.
"""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional

from training.everyday.teacher import qwen
from training.everyday.teacher.prompts import PromptTokenizer
from training.everyday.teacher.rewrite import Decoding, Writer
from training.everyday.teacher.tune import collate, sum_chances

LONGEST = 320
FILES = ("config.json", "tokenizer.json")
Encoded = tuple[list[int], list[int]]


class TagTokenizer(PromptTokenizer):
    """Encodes requests in few tokens: a tag in place of an instruction."""

    def encode_requests(self, requests: Sequence[tuple[str, str]]) -> list[list[int]]:
        """Return prompts for texts and styles."""
        said = self.encode([f"{style}: {text}" for text, style in requests])
        return [[self.start, *own, self.end] for own in said]


class CausalStudent:
    """A small language model and its tokenizer."""

    def __init__(self, folder: Path, device: str) -> None:
        """Open a folder that `training.everyday.teacher.build` or `write` wrote."""
        self.folder, self.device = folder, device
        self.bfloat16 = device == "cuda"  # computes in 16 bits
        self.tokenizer = TagTokenizer(folder)
        weights = load_file(folder / qwen.WEIGHTS, device=device)
        self.model = qwen.Qwen(
            qwen.read_shape(folder),
            {name: value.float().requires_grad_() for name, value in weights.items()},
        )

    def parameters(self) -> list[Any]:
        """Return all weights."""
        return list(self.model.weights.values())

    def set_learning(self, learning: bool) -> None:
        """Return whether what follows is learnt."""
        self.model.learning = learning

    def encode_pairs(self, rows: Sequence[Mapping[str, Any]]) -> list[Encoded]:
        """Return the tokens of pairs of texts that are not too long."""
        left = self.tokenizer.encode_requests(
            [(row["source"], row["style"]) for row in rows]
        )
        right = self.tokenizer.encode_answers([row["target"] for row in rows])
        pairs = zip(left, right, strict=True)
        return [pair for pair in pairs if sum(map(len, pair)) <= LONGEST]

    def compute_loss(self, pairs: Sequence[Encoded]) -> Any:
        """Return the mean loss per target token in a batch."""
        ids, wanted = collate(pairs)
        ids, wanted = ids.to(self.device), wanted.to(self.device)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.bfloat16):
            states = self.model.read(ids)[:, :-1][wanted[:, 1:]]
            logits = self.model.compute_logits(states)
        return functional.cross_entropy(logits, ids[:, 1:][wanted[:, 1:]])

    def sum_chances(self, pairs: Sequence[Encoded]) -> Any:
        """Return the log-probability of each target."""
        with torch.autocast(self.device, torch.bfloat16, enabled=self.bfloat16):
            return sum_chances(self.model, pairs)

    def generate(self, requests: Sequence[tuple[str, str]]) -> list[str]:
        """Return the greedy output for each request."""
        kind = torch.bfloat16 if self.device == "cuda" else torch.float32
        weights = {n: w.detach().to(kind) for n, w in self.model.weights.items()}
        writer = Writer(qwen.Qwen(self.model.shape, weights), self.tokenizer)
        result = [""] * len(requests)
        for batch, rows in writer.generate(requests, Decoding(1, 0.0, prompt=4)):
            for at, row in zip(batch, rows, strict=True):
                result[at] = row[0].text
        return result

    def write(self, folder: Path) -> None:
        """Write a folder that can be opened again, in 16 bits."""
        folder.mkdir(parents=True, exist_ok=True)
        weights = {
            name: value.detach().half().cpu().contiguous()
            for name, value in self.model.weights.items()
        }
        save_file(weights, folder / qwen.WEIGHTS, metadata={"format": "pt"})
        for name in FILES:
            shutil.copy(self.folder / name, folder / name)
