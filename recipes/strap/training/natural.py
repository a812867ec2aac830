"""How natural a text is beside real text of its style, by SmolLM2's probabilities.

A text is as natural as it should be if SmolLM2, untuned, is no more surprised by it
than by text of the style of that length; what surprises it by some standard deviations
more is broken, or full of odd words. A source that surprises it too is an excuse. What
was learnt from this must name `Natural.signature`.

The weights are a file of recipes/judges/training/smollm2.py, with all 30 layers.
"""

# ruff: noqa: TID253
import hashlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
from torch.nn import functional

sys.path.append(str(Path(__file__).parents[2] / "judges" / "training"))
import smollm2

LONGEST, START = 80, 0  # pieces; <|endoftext|>
PIECES = {"cuda": 16_384, "cpu": 1024}  # at a time
FROM, SLOPE = -1.0, 1.5  # deviations below real text that halve it, and how sharply


@dataclass(frozen=True)
class Usual:
    """How surprising text of a style is: ``level + short / pieces``, give or take."""

    level: float
    short: float
    spread: float

    def above(self, surprise: Any, pieces: Any) -> Any:
        """Return how far texts lie on the natural side, in standard deviations."""
        return (self.level + self.short / pieces - surprise) / self.spread


class Natural:
    """Rates texts beside real text of their styles."""

    def __init__(
        self,
        weights: Path,
        tokenizer: Path,
        known: Mapping[str, Sequence[str]],
        *,
        device: str = "cuda",
    ) -> None:
        """Open the model and look at real text of every style."""
        self._device = device
        torch.backends.cuda.enable_cudnn_sdp(enabled=False)  # fails on some shapes
        kind = torch.bfloat16 if device == "cuda" else torch.float32
        self._model = smollm2.load(weights).eval().to(device, kind)
        self._cut = tokenizers.Tokenizer.from_file(str(tokenizer))
        self._cut.enable_truncation(LONGEST)
        self._cut.no_padding()
        self.signature = hashlib.sha256(weights.read_bytes()).hexdigest()
        self._usual = {
            style: usual(*self.surprise(texts)) for style, texts in known.items()
        }

    def of(
        self, texts: Sequence[str], styles: Sequence[str], sources: Sequence[str],
        origins: Sequence[str],
    ) -> Any:  # fmt: skip
        """Return a figure from 0 to 1 for each text; 1 in a style without real text."""
        own = self._above(texts, styles)
        excuse = np.minimum(0, self._above(sources, origins))
        return 1 / (1 + np.exp(-SLOPE * (own - excuse - FROM)))

    def _above(self, texts: Sequence[str], styles: Sequence[str]) -> Any:
        surprise, pieces = self.surprise(texts)
        found = np.full(len(texts), 3.0)
        for style in set(styles) & set(self._usual):
            rows = np.array([one == style for one in styles])
            above = self._usual[style].above(surprise[rows], pieces[rows])
            found[rows] = above
        return found

    def surprise(self, texts: Sequence[str]) -> tuple[Any, Any]:
        """Return the mean surprise of each text's pieces, and how many there are."""
        distinct = list(dict.fromkeys(texts))
        cut = [one.ids for one in self._cut.encode_batch(distinct)]
        order = sorted(range(len(cut)), key=lambda place: len(cut[place]))
        found = np.zeros(len(cut))
        at = 0
        while at < len(order):
            rows = max(1, PIECES[self._device] // (len(cut[order[at]]) + 16))
            part = order[at : at + rows]
            found[part] = self._read([cut[place] for place in part])
            at += rows
        places = {text: place for place, text in enumerate(distinct)}
        each = [places[text] for text in texts]
        return found[each], np.array([len(cut[place]) + 1 for place in each])

    def _read(self, rows: Sequence[Sequence[int]]) -> Any:
        width = max(map(len, rows)) + 2
        table = np.full((len(rows), width), START, np.int64)
        for place, row in enumerate(rows):
            table[place, 1 : 1 + len(row)] = row
        ids = torch.from_numpy(table).to(self._device)
        lengths = torch.tensor([len(row) + 1 for row in rows], device=self._device)
        counted = torch.arange(width - 1, device=self._device) < lengths[:, None]
        with torch.inference_mode():
            states = self._model(ids[:, :-1], counted).last_hidden_state
            logits = functional.linear(states, self._model.words.weight)
            each = functional.cross_entropy(
                logits.flatten(0, 1).float(), ids[:, 1:].flatten(), reduction="none"
            ).view(len(rows), -1)
            return ((each * counted).sum(1) / lengths).cpu().numpy()


def usual(surprise: Any, pieces: Any) -> Usual:
    """Return what is usual among texts of these surprises and numbers of pieces."""
    sides = np.stack([np.ones(len(pieces)), 1 / pieces], 1)
    (level, short), *_ = np.linalg.lstsq(sides, surprise, rcond=None)
    spread = (surprise - level - short / pieces).std()
    return Usual(float(level), float(short), max(float(spread), 0.05))
