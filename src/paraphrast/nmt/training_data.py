"""Pairs as word indices, with their vocabulary, in one file.

An unknown word has its own index beyond the vocabulary, the same wherever it occurs, so
that a model with a copy mechanism sees which source word an unknown target word is.
Reading such a file needs NumPy alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.nmt.vocabulary import SPECIAL, Vocabulary
from paraphrast.nmt.weights import round_rows
from paraphrast.storage import arrays as array_file
from paraphrast.storage.weights import pack_texts, unpack_texts

KIND = array_file.Kind("NMT training data", 1, "Prepare the pairs again.")
SIDES = ("source", "target")
SETS = ("train", "held")

WordPair: TypeAlias = tuple[Sequence[str], Sequence[str]]
IdPair: TypeAlias = tuple[list[int], list[int]]


@dataclass(frozen=True, eq=False)
class TrainingData:
    """A vocabulary, the training pairs and the held-out pairs, as word indices.

    ``vectors`` are pretrained embeddings, one row per word of the vocabulary; rows of
    zeros are words that have none.
    """

    vocabulary: Vocabulary
    train: list[IdPair]
    held: list[IdPair]
    vectors: NDArray[np.float32] | None = None

    def save(self, path: Path) -> None:
        """Write everything to one file, atomically."""
        arrays: array_file.Arrays = {"words": pack_texts(self.vocabulary.words)}
        for name, pairs in zip(SETS, (self.train, self.held), strict=True):
            for side, sentences in zip(SIDES, _split_sides(pairs), strict=True):
                flat = [number for sentence in sentences for number in sentence]
                starts = [0, *accumulate(map(len, sentences))]
                arrays[f"{name}.{side}"] = np.array(flat, np.int32)
                arrays[f"{name}.{side}.starts"] = np.array(starts, np.int64)
        if self.vectors is not None:
            whole, scale = round_rows(self.vectors)
            arrays |= {"vectors": whole.astype(np.int8), "vectors.scale": scale}
        array_file.write(path, KIND, arrays, {})

    @classmethod
    def load(cls, path: Path) -> "TrainingData":
        """Read what `save` wrote."""
        arrays, _ = array_file.read(path, KIND)
        try:
            words = unpack_texts(arrays["words"])
            train, held = (
                list(zip(*(_read_side(arrays, f"{n}.{s}") for s in SIDES), strict=True))
                for n in SETS
            )
        except (KeyError, ValueError) as error:
            raise ParaphrastError(f"{path} is damaged. {KIND.again}") from error
        vectors = None
        if "vectors" in arrays:
            vectors = arrays["vectors"] * arrays["vectors.scale"][:, None]
        return cls(Vocabulary(words), train, held, vectors)


def encode_pairs(
    vocabulary: Vocabulary, train: Sequence[WordPair], held: Sequence[WordPair]
) -> TrainingData:
    """Index the words of tokenised pairs."""
    numbers = dict(vocabulary.numbers)
    special = len(SPECIAL)

    def encode(words: Iterable[str]) -> list[int]:
        return [numbers.setdefault(word, len(numbers) + special) for word in words]

    def encode_all(pairs: Sequence[WordPair]) -> list[IdPair]:
        return [(encode(source), encode(target)) for source, target in pairs]

    return TrainingData(vocabulary, encode_all(train), encode_all(held))


def _split_sides(pairs: Sequence[IdPair]) -> tuple[list[list[int]], list[list[int]]]:
    return [source for source, _ in pairs], [target for _, target in pairs]


def _read_side(arrays: array_file.Arrays, name: str) -> list[list[int]]:
    flat, starts = arrays[name].tolist(), arrays[f"{name}.starts"].tolist()
    return [flat[a:b] for a, b in zip(starts, starts[1:], strict=False)]
