"""The memorisation filter: digests of the sentences that a model was trained on.

A model may recite a memorised sentence instead of rewriting. A pack with ``known.bin``
rejects such outputs: whole sentences of some length that were in the training text,
ignoring case and punctuation, and that have little in common with the source. A digest
has eight bytes per sentence, from which the sentence cannot be recovered.
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
        """Say whether a text is one of the sentences; short texts never are."""
        if len(words(text)) < FEWEST_WORDS or not len(self.digests):
            return False
        wanted = np.uint64(digest(text))
        index = int(np.searchsorted(self.digests, wanted))
        return index < len(self.digests) and bool(self.digests[index] == wanted)

    def check(self, source: str, text: str) -> str:
        """Reject a training sentence that is not a rewrite of its source."""
        near = unigram_overlap(words(source), words(text)).f1 >= NEAR
        return "" if near or not self.has(text) else "recited a training sentence"


def digest(text: str) -> int:
    """Return an eight-byte digest of the words of a text."""
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
