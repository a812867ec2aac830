"""An encoder with heads, as a torch module: what `fitting` trains.

The encoder is any Hugging Face one that gives states of shape (batch, tokens, hidden).
A head reads the mean state and the first state (and surface features, if any); the
meaning vector is a projection of the mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

Kind = Literal["classes", "flag", "score"]


@dataclass(frozen=True)
class Head:
    """An output for a text: one of ``size`` classes, a binary label, or a number.

    ``features`` is the number of surface features that it reads besides the states.
    """

    name: str
    kind: Kind
    size: int = 1
    features: int = 0


@dataclass(frozen=True)
class Marks:
    """The token ids of an encoder: special tokens, padding, and a shift.

    MPNet's vocabulary is BERT's after other special tokens, hence ``shift``.
    """

    start: int
    end: int
    padding: int
    shift: int = 0


class Network(nn.Module):  # type: ignore[misc]
    """The encoder, its heads and the projection for meaning vectors."""

    def __init__(
        self, encoder: Any, heads: Sequence[Head], *, marks: Marks, vector: int = 0
    ) -> None:
        """Add new heads; with ``vector`` 0 the meaning vector is the mean itself."""
        super().__init__()
        hidden = encoder.config.hidden_size
        self.encoder = encoder
        self.specification = {head.name: head for head in heads}
        self.marks = marks
        self.heads = nn.ModuleDict(
            {h.name: nn.Linear(2 * hidden + h.features, h.size) for h in heads}
        )
        self.dropout = nn.Dropout(0.1)
        self.meaning = nn.Linear(hidden, vector, bias=False) if vector else None
        if self.meaning is not None and vector == hidden:
            nn.init.eye_(self.meaning.weight)

    def pool(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mean of a text's states and its first state."""
        result = self.encoder(input_ids=ids, attention_mask=mask)
        states = result.last_hidden_state.float()
        weights = mask[:, :, None].float()
        mean = (states * weights).sum(1) / weights.sum(1)
        return mean, states[:, 0]

    def read(
        self, name: str, mean: Tensor, first: Tensor, features: Tensor | None = None
    ) -> Tensor:
        """Return a head's logits: (batch, size)."""
        parts = [self.dropout(torch.cat([mean, first], 1))]
        if features is not None:
            parts.append(features)
        result: Tensor = self.heads[name](torch.cat(parts, 1))
        return result

    def vectors(self, mean: Tensor) -> Tensor:
        """Return meaning vectors, of length 1."""
        result = mean if self.meaning is None else self.meaning(mean)
        return nn.functional.normalize(result, dim=1)

    def batch(
        self, texts: Sequence[NDArray[np.int64]], device: str
    ) -> tuple[Tensor, Tensor]:
        """Return padded tokens with special tokens, and their mask."""
        longest = max(map(len, texts)) + 2
        longest += -longest % 8
        ids = np.full((len(texts), longest), self.marks.padding)
        mask = np.zeros((len(texts), longest), np.int64)
        for row, text in enumerate(texts):
            end = len(text) + 1
            ids[row, 0] = self.marks.start
            ids[row, 1:end] = text + self.marks.shift
            ids[row, end] = self.marks.end
            mask[row, : end + 1] = 1
        return (
            torch.from_numpy(ids).to(device, non_blocking=True),
            torch.from_numpy(mask).to(device, non_blocking=True),
        )


def use_half_precision(device: str) -> Any:
    """Return a half-precision context on a GPU; on a CPU it would be slower."""
    return torch.autocast(device, torch.bfloat16, enabled=device == "cuda")
