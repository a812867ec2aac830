"""Sentence similarity by all-MiniLM-L6-v2 in torch, on a GPU or a CPU.

A text's vector is the normalised mean of its states, as in sentence-transformers. What
is learnt from or chosen by it must name `Similarity.signature`, so that the model is
never the judge.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
import transformers

LONGEST = 256  # tokens of a text that are read
ROWS = {"cuda": 2048, "cpu": 64}  # texts at a time
REMEMBERED = 200_000
WEIGHTS = "model.safetensors"


class Similarity:
    """Turns texts into vectors; a text is read once, until too many are known."""

    def __init__(self, folder: Path, *, device: str = "cuda") -> None:
        """Open a folder of transformers; half precision on a GPU."""
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        kind = torch.float16 if device == "cuda" else torch.float32
        model = transformers.BertModel.from_pretrained(folder, add_pooling_layer=False)
        self._model = model.eval().to(device, kind)
        self._cut = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._cut.enable_truncation(LONGEST)
        self._cut.no_padding()
        self._device = device
        self.signature = hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()
        self.forget()

    def cosines(self, sources: Sequence[str], texts: Sequence[str]) -> list[float]:
        """Return the cosine of each source and its text; below 0 counts as 0."""
        both = self.vectors([*sources, *texts])
        cosines = (both[: len(sources)] * both[len(sources) :]).sum(1)
        return [float(value) for value in cosines.clip(0, 1)]

    def vectors(self, texts: Sequence[str]) -> Any:
        """Return the texts' vectors of length 1: (texts, size)."""
        if len(self._known) > REMEMBERED:
            self.forget()
        self._remember([t for t in dict.fromkeys(texts) if t not in self._known])
        size = self._model.config.hidden_size
        result = [self._known[text] for text in texts]
        return np.array(result, np.float32).reshape(-1, size)

    def forget(self) -> None:
        """Clear the cache of texts, to free memory."""
        self._known: dict[str, Any] = {}

    def _remember(self, texts: Sequence[str]) -> None:
        cut = self._cut.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda at: len(cut[at].ids))
        rows = ROWS["cuda" if self._device == "cuda" else "cpu"]
        for start in range(0, len(order), rows):
            batch = order[start : start + rows]
            result = self._read([cut[at].ids for at in batch])
            self._known |= {texts[at]: result[i] for i, at in enumerate(batch)}

    def _read(self, tokens: Sequence[Sequence[int]]) -> Any:
        """Return the vectors of texts of similar length."""
        longest = max(map(len, tokens))
        filled = [[*own, *[0] * (longest - len(own))] for own in tokens]
        ids = torch.tensor(filled, device=self._device)
        lengths = torch.tensor([len(own) for own in tokens], device=self._device)
        mask = torch.arange(longest, device=self._device) < lengths[:, None]
        with torch.inference_mode():
            states = self._model(input_ids=ids, attention_mask=mask.long())[0].float()
            mean = (states * mask[..., None]).sum(1) / lengths[:, None]
            return torch.nn.functional.normalize(mean, dim=1).cpu().numpy()
