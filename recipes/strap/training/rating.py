"""What the larger teacher itself says of texts, once it was tuned to say it.

`Rater` was taught to answer ``rate: text`` by ``yes`` or ``no`` (natural or not) and by
``old`` or ``modern`` (a line of a play); how probable the answers are is read off at
once. `likelihoods` are those of a model of plain language. `Panel` joins a rater with
the guide and with `nearness`, and is a guide itself.
"""

# ruff: noqa: TID253
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import qwen
import teacher
import torch
from choosing import Guide
from nearness import Nearness

from paraphrast.neural.finetune.batches import plan
from paraphrast.neural.models.prompts import Request

QUESTION = "rate"
NATURAL, PLAYS = ("yes", "no"), ("old", "modern")
PIECES = {"cuda": 32_768, "cpu": 2048}  # read at a time


class Rater:
    """Says how probably texts are natural, and of Shakespeare's age."""

    def __init__(self, folder: Path, device: str) -> None:
        """Open the folder of a teacher that was tuned on rows of `rater_data`."""
        self._model = qwen.load(folder, device)
        self._cutter = teacher.Cutter(folder)
        words = [f" {word}" for word in (*NATURAL, *PLAYS)]
        first = [own[0] for own in self._cutter.numbers(words)]
        self._answers = torch.tensor(first, device=self._model.device)
        digest = hashlib.sha256((folder / qwen.WEIGHTS).read_bytes()).hexdigest()
        self.signature = digest
        self.forget()

    def forget(self) -> None:
        """Drop the texts that were read."""
        self._known: dict[str, tuple[float, float]] = {}

    def natural(self, texts: Sequence[str]) -> list[float]:
        """Return for each text how probably it is a natural sentence."""
        return [own[0] for own in self._read(texts)]

    def style(self, texts: Sequence[str], style: str) -> list[float]:
        """Return for each text how probably it is Shakespeare's, or modern."""
        old = [own[1] for own in self._read(texts)]
        return old if style == "shakespeare" else [1 - value for value in old]

    def _read(self, texts: Sequence[str]) -> list[tuple[float, float]]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        lowered = [Request(text.lower(), QUESTION) for text in new]
        pieces = [own[-teacher.LONGEST :] for own in self._cutter.sources(lowered)]
        for batch in _batches([len(own) for own in pieces], self._model):
            answers = self._ask([pieces[at] for at in batch])
            self._known |= {
                new[at]: own for at, own in zip(batch, answers, strict=True)
            }
        return [self._known[text] for text in texts]

    def _ask(self, pieces: Sequence[list[int]]) -> list[tuple[float, float]]:
        ids, wanted = teacher.collated([(own[:-1], own[-1:]) for own in pieces])
        device = self._model.device
        with torch.inference_mode():
            states = self._model.read(ids.to(device))[wanted.to(device)]
            logits = self._model.logits(states)[:, self._answers]
            first, second = logits[:, :2].softmax(1), logits[:, 2:].softmax(1)
        both = zip(first[:, 0].tolist(), second[:, 0].tolist(), strict=True)
        return list(both)


def likelihoods(asked: teacher.Teacher, texts: Sequence[str]) -> list[float]:
    """Return the mean logarithm of the probability of each text's pieces."""
    model, cutter = asked.model, asked.cutter
    pieces = cutter.numbers([f" {text}" for text in texts])
    pairs = [([cutter.stop], [*own[: teacher.LONGEST], cutter.stop]) for own in pieces]
    found = [0.0] * len(texts)
    for batch in _batches([len(own) + 2 for own in pieces], model):
        ids, wanted = teacher.collated([pairs[at] for at in batch])
        ids, wanted = ids.to(model.device), wanted.to(model.device)[:, 1:]
        with torch.inference_mode():
            logits = model.logits(model.read(ids)[:, :-1][wanted])
            own = logits.gather(1, ids[:, 1:][wanted][:, None])[:, 0]
            chances = torch.zeros(wanted.shape, device=model.device)
            chances[wanted] = own - logits.logsumexp(1)
            means = (chances.sum(1) / wanted.sum(1)).tolist()
        for at, mean in zip(batch, means, strict=True):
            found[at] = mean
    return found


def _batches(lengths: Sequence[int], model: qwen.Qwen) -> list[list[int]]:
    return plan(lengths, PIECES[model.device.type], seed=1, epoch=0)


class Panel:
    """A guide, nearness and perhaps a rater, who together are one guide."""

    def __init__(self, guide: Guide, near: Nearness, rater: Rater | None) -> None:
        """Take those who are asked."""
        self.near, self._guide, self._rater = near, guide, rater
        own = [rater.signature] if rater else []
        self.signatures = [guide.signature, near.signature, *own]
        self.signature = " ".join(self.signatures)

    @property
    def first(self) -> "Panel":
        """Return the panel without the rater."""
        return Panel(self._guide, self.near, None)

    @property
    def rater(self) -> Rater:
        """Return the rater, who must be there."""
        if self._rater is None:
            raise ValueError("this panel has no rater.")
        return self._rater

    def style(self, texts: Sequence[str], style: str) -> list[float]:
        """Return the mean of what guide and rater say of the style."""
        first = self._guide.style(texts, style)
        return _mean(first, self._rater.style(texts, style) if self._rater else first)

    def fluency(self, texts: Sequence[str]) -> list[float]:
        """Return the mean of what guide and rater say of fluency."""
        first = self._guide.fluency(texts)
        return _mean(first, self._rater.natural(texts) if self._rater else first)

    def meaning(self, sources: Sequence[str], texts: Sequence[str]) -> list[float]:
        """Return how near the texts are to their sources."""
        return self.near.similarity(sources, texts)

    def forget(self) -> None:
        """Let all of them forget what they read."""
        members: tuple[Any, ...] = (self._guide, self.near, self._rater)
        for member in members:
            if member is not None:
                member.forget()


def _mean(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [(a + b) / 2 for a, b in zip(one, other, strict=True)]
