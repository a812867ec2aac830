"""How alike two sentences are, by all-MiniLM-L6-v2: a similarity of training alone.

It chooses what the system learns from, so it must never be the judge; a pack that was
trained with it names `signature`. int8 by CTranslate2 on a CPU.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

LONGEST = 96


class MiniLM:
    """The cosine of two sentences' mean vectors."""

    def __init__(self, model: Path, *, threads: int = 2) -> None:
        """Load a CTranslate2 folder that has tokenizer.json beside it."""
        import ctranslate2
        import tokenizers

        self._encoder = ctranslate2.Encoder(str(model), intra_threads=threads)
        self._tokenizer = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(LONGEST)
        digest = hashlib.sha256((model / "model.bin").read_bytes()).hexdigest()
        self.signature = f"all-MiniLM-L6-v2-{digest[:12]}"

    def vectors(self, texts: Sequence[str], *, batch: int = 256) -> Any:
        """Return unit vectors of the texts: (texts, 384)."""
        ids = [one.ids for one in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        found = np.zeros((len(ids), 384), np.float32)
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            states = np.array(
                self._encoder.forward_batch([ids[at] for at in rows]).last_hidden_state
            )
            for place, at in enumerate(rows):
                mean = states[place, : len(ids[at])].mean(0)
                found[at] = mean / max(1e-9, float(np.linalg.norm(mean)))
        return found

    def __call__(self, sources: Sequence[str], targets: Sequence[str]) -> Any:
        """Return the cosine of each pair: (pairs,)."""
        distinct = {
            text: at for at, text in enumerate(dict.fromkeys([*sources, *targets]))
        }
        vectors = self.vectors(list(distinct))
        here = vectors[[distinct[text] for text in sources]]
        there = vectors[[distinct[text] for text in targets]]
        return (here * there).sum(1)
