"""How natural a text is beside real text of its style, by SmolLM2's probabilities.

A text is natural if its surprisal under SmolLM2, which is not fine-tuned, is no higher
than that of real text of the style and length; a text some standard deviations above it
is broken, or full of odd words. A source of high surprisal is an excuse. A model that
was trained with this must name `Naturalness.signature`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
import transformers
from torch.nn import functional

LONGEST, START = 80, 0  # tokens; <|endoftext|>
TOKENS = {"cuda": 16_384, "cpu": 1024}  # at a time
FROM, SLOPE = -1.0, 1.5  # deviations below real text that halve it; slope


@dataclass(frozen=True)
class Level:
    """The surprisal of a style: ``level + short / tokens``, and its deviation."""

    level: float
    short: float
    spread: float

    def deviations(self, surprisal: Any, tokens: Any) -> Any:
        """Return how many standard deviations texts are below the level."""
        return (self.level + self.short / tokens - surprisal) / self.spread


class Naturalness:
    """Rates texts beside real text of their styles."""

    def __init__(
        self,
        folder: Path,
        texts_of: Mapping[str, Sequence[str]],
        *,
        device: str = "cuda",
    ) -> None:
        """Open the model and look at real text of every style."""
        self._device = device
        torch.backends.cuda.enable_cudnn_sdp(enabled=False)  # fails on some shapes
        kind = torch.bfloat16 if device == "cuda" else torch.float32
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=kind)
        self._model = model.eval().to(device)
        self._cut = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._cut.enable_truncation(LONGEST)
        self._cut.no_padding()
        weights = (folder / "model.safetensors").read_bytes()
        self.signature = hashlib.sha256(weights).hexdigest()
        self._levels = {
            style: fit_level(*self.surprisal(texts))
            for style, texts in texts_of.items()
        }

    def score(
        self, texts: Sequence[str], styles: Sequence[str], sources: Sequence[str],
        origins: Sequence[str],
    ) -> Any:  # fmt: skip
        """Return a score from 0 to 1 for each text; 1 in a style without real text."""
        own = self._above(texts, styles)
        excuse = np.minimum(0, self._above(sources, origins))
        return 1 / (1 + np.exp(-SLOPE * (own - excuse - FROM)))

    def _above(self, texts: Sequence[str], styles: Sequence[str]) -> Any:
        surprisal, tokens = self.surprisal(texts)
        result = np.full(len(texts), 3.0)
        for style in set(styles) & set(self._levels):
            rows = np.array([own == style for own in styles])
            above = self._levels[style].deviations(surprisal[rows], tokens[rows])
            result[rows] = above
        return result

    def surprisal(self, texts: Sequence[str]) -> tuple[Any, Any]:
        """Return the mean surprisal of each text's tokens, and their number."""
        distinct = list(dict.fromkeys(texts))
        cut = [encoding.ids for encoding in self._cut.encode_batch(distinct)]
        order = sorted(range(len(cut)), key=lambda index: len(cut[index]))
        result = np.zeros(len(cut))
        at = 0
        while at < len(order):
            rows = max(1, TOKENS[self._device] // (len(cut[order[at]]) + 16))
            part = order[at : at + rows]
            result[part] = self._read([cut[index] for index in part])
            at += rows
        places = {text: index for index, text in enumerate(distinct)}
        each = [places[text] for text in texts]
        return result[each], np.array([len(cut[index]) + 1 for index in each])

    def _read(self, rows: Sequence[Sequence[int]]) -> Any:
        width = max(map(len, rows)) + 2
        table = np.full((len(rows), width), START, np.int64)
        for index, row in enumerate(rows):
            table[index, 1 : 1 + len(row)] = row
        ids = torch.from_numpy(table).to(self._device)
        lengths = torch.tensor([len(row) + 1 for row in rows], device=self._device)
        counted = torch.arange(width - 1, device=self._device) < lengths[:, None]
        with torch.inference_mode():
            logits = self._model(ids[:, :-1], attention_mask=counted.long()).logits
            each = functional.cross_entropy(
                logits.flatten(0, 1).float(), ids[:, 1:].flatten(), reduction="none"
            ).view(len(rows), -1)
            return ((each * counted).sum(1) / lengths).cpu().numpy()


def fit_level(surprisal: Any, tokens: Any) -> Level:
    """Fit the usual level of texts with these surprisals and numbers of tokens."""
    sides = np.stack([np.ones(len(tokens)), 1 / tokens], 1)
    (level, short), *_ = np.linalg.lstsq(sides, surprisal, rcond=None)
    spread = (surprisal - level - short / tokens).std()
    return Level(float(level), float(short), max(float(spread), 0.05))
