"""The teacher as a rater of texts, and the panel that chooses among its samples.

`Rater` was fine-tuned to answer ``rate: text`` by ``yes`` or ``no`` (natural or not)
and by ``old`` or ``modern`` (a line of a play); the probabilities of the answers are
read off one forward pass. `log_likelihoods` are those of the base model. `Panel` joins
a rater with the guide and sentence similarity, and is a guide itself.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from paraphrast.neural.finetune.batches import plan
from training.rewriter.rejection_sampling import Guide
from training.rewriter.similarity import Similarity
from training.sampler import Sampler

QUESTION = "rate"
NATURAL, PLAYS = ("yes", "no"), ("old", "modern")
TOKENS = {"cuda": 32_768, "cpu": 2048}  # read at a time


class Rater:
    """Rates how probably texts are natural, and from Shakespeare's plays."""

    def __init__(self, folder: Path, device: str) -> None:
        """Load a teacher that was fine-tuned on rows of `rater_data`."""
        self._model = Sampler(folder, device)
        encode = self._model.tokenizer.encode
        first = [
            encode(f" {word}", add_special_tokens=False).ids[0]
            for word in (*NATURAL, *PLAYS)
        ]
        self._answers = torch.tensor(first, device=device)
        weights = (folder / "model.safetensors").read_bytes()
        self.signature = hashlib.sha256(weights).hexdigest()
        self.forget()

    def forget(self) -> None:
        """Forget the texts read so far."""
        self._known: dict[str, tuple[float, float]] = {}

    def natural(self, texts: Sequence[str]) -> list[float]:
        """Return the probability that each text is a natural sentence."""
        return [own[0] for own in self._read(texts)]

    def style(self, texts: Sequence[str], style: str) -> list[float]:
        """Return the probability that each text is Shakespeare's, or modern."""
        old = [own[1] for own in self._read(texts)]
        return old if style == "shakespeare" else [1 - value for value in old]

    def _read(self, texts: Sequence[str]) -> list[tuple[float, float]]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        ids = self._model.encode([(text.lower(), QUESTION) for text in new])
        for batch in _batches(ids, self._model.device):
            answers = self._ask([ids[index] for index in batch])
            for index, own in zip(batch, answers, strict=True):
                self._known[new[index]] = own
        return [self._known[text] for text in texts]

    def _ask(self, rows: Sequence[Sequence[int]]) -> list[tuple[float, float]]:
        logits = _logits(self._model, rows)
        last = torch.tensor([len(row) - 1 for row in rows], device=logits.device)
        own = logits[torch.arange(len(rows), device=logits.device), last]
        own = own[:, self._answers]
        first, second = own[:, :2].softmax(1), own[:, 2:].softmax(1)
        return list(zip(first[:, 0].tolist(), second[:, 0].tolist(), strict=True))


def log_likelihoods(model: Sampler, texts: Sequence[str]) -> list[float]:
    """Return the mean log-probability per token of each text."""
    encode = model.tokenizer.encode_batch
    stop = model.after
    encoded = encode([f" {text}" for text in texts], add_special_tokens=False)
    ids = [[*stop, *encoding.ids, *stop] for encoding in encoded]
    means = [0.0] * len(texts)
    for batch in _batches(ids, model.device):
        rows = [ids[index] for index in batch]
        log_probabilities = _logits(model, rows).log_softmax(-1)
        for position, (index, row) in enumerate(zip(batch, rows, strict=True)):
            targets = torch.tensor(row[1:], device=log_probabilities.device)
            own = log_probabilities[position, : len(row) - 1].gather(
                1, targets[:, None]
            )
            means[index] = float(own.mean())
    return means


def _logits(model: Sampler, rows: Sequence[Sequence[int]]) -> Any:
    """Return the logits of texts that are padded on the right."""
    width = max(map(len, rows))
    ids = torch.tensor([[*row, *[model.padding] * (width - len(row))] for row in rows])
    with torch.inference_mode():
        return model.model(input_ids=ids.to(model.device)).logits.float()


def _batches(ids: Sequence[Sequence[int]], device: str) -> list[list[int]]:
    return plan([len(row) for row in ids], TOKENS[device], seed=1, epoch=0)


class Panel:
    """The guide, sentence similarity and perhaps a rater, as one guide."""

    def __init__(self, guide: Guide, near: Similarity, rater: Rater | None) -> None:
        """Take the members of the panel."""
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
        """Return the rater, which must be present."""
        if self._rater is None:
            raise ValueError("this panel has no rater.")
        return self._rater

    def style(self, texts: Sequence[str], style: str) -> list[float]:
        """Return the mean style score of guide and rater."""
        first = self._guide.style(texts, style)
        return _mean(first, self._rater.style(texts, style) if self._rater else first)

    def fluency(self, texts: Sequence[str]) -> list[float]:
        """Return the mean fluency score of guide and rater."""
        first = self._guide.fluency(texts)
        return _mean(first, self._rater.natural(texts) if self._rater else first)

    def meaning(self, sources: Sequence[str], texts: Sequence[str]) -> list[float]:
        """Return the similarity of the texts to their sources."""
        return self.near.cosines(sources, texts)

    def forget(self) -> None:
        """Let all of them forget the texts read so far."""
        for member in (self._guide, self.near, self._rater):
            if member is not None:
                member.forget()


def _mean(first: Sequence[float], other: Sequence[float]) -> list[float]:
    return [(a + b) / 2 for a, b in zip(first, other, strict=True)]
