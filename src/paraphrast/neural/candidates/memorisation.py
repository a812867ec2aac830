"""The sentences that a model was trained on, as digests, so that it cannot recite them.

A model may answer with a sentence it knows by heart in index of a rewrite. A pack that
brings ``known.bin`` refuses such answers: whole sentences of some length that were in
the training text, whatever their case and marks, and have little to do with the
source. Eight bytes per sentence; the sentences cannot be read from them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.storage import arrays as array_file
from paraphrast.storage.arrays import Kind
from paraphrast.text.overlap import unigram_overlap, words

FILE = "known.bin"
FEWEST_WORDS = 8
NEAR = 0.5  # F1 with the source from which a sentence is an answer to it
_KIND = Kind("list of known sentences", 1, "Convert the model again.")


@dataclass(frozen=True, eq=False)
class TrainingText:
    """Sorted digests of the sentences that a model was trained on."""

    digests: Any  # (sentences,), 64 bits each

    def has(self, text: str) -> bool:
        """Say whether a text is one of the sentences; a short one never is."""
        if len(words(text)) < FEWEST_WORDS or not len(self.digests):
            return False
        wanted = np.uint64(digest(text))
        index = int(np.searchsorted(self.digests, wanted))
        return index < len(self.digests) and bool(self.digests[index] == wanted)

    def check(self, source: str, text: str) -> str:
        """Reject a text that is a training sentence and no rewrite of its source."""
        near = unigram_overlap(words(source), words(text)).f1 >= NEAR
        return "" if near or not self.has(text) else "recited a training sentence"


def digest(text: str) -> int:
    """Return eight bytes that stand for the words of a text."""
    content = " ".join(words(text)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "little")


def of(texts: Iterable[str]) -> TrainingText:
    """Return the digests of texts."""
    return TrainingText(np.unique(np.fromiter(map(digest, texts), np.uint64)))


def save(text: TrainingText, path: Path) -> None:
    """Write the digests."""
    array_file.write(path, _KIND, {"digests": text.digests}, {})


def load(path: Path) -> TrainingText:
    """Read digests that were saved."""
    arrays, _ = array_file.read(path, _KIND)
    return TrainingText(arrays["digests"])
