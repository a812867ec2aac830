"""The compiled part of paraphrast; the files in ``native/`` say how."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

class LanguageModelState:
    """What a model still needs of the past; equal ones score alike."""

    @property
    def words(self) -> tuple[int, ...]: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class LanguageModel:
    """Queries over the arrays of `paraphrast.estimators.language_model`."""

    def __init__(self, arrays: dict[str, NDArray[Any]], order: int) -> None: ...
    @property
    def order(self) -> int: ...
    @property
    def size(self) -> int: ...
    def find(self, word: str, /) -> int: ...
    def word(self, number: int, /) -> str: ...
    def start(self) -> LanguageModelState: ...
    def empty(self) -> LanguageModelState: ...
    def score(
        self, state: LanguageModelState, word: int, /
    ) -> tuple[float, LanguageModelState]: ...
    def score_sentence(
        self, words: list[str] | str, bos: bool = True, eos: bool = True
    ) -> tuple[float, int]: ...
    def full_scores(
        self, words: list[str] | str, bos: bool = True, eos: bool = True
    ) -> list[tuple[float, int, bool]]: ...
    def score_lines(
        self, lines: list[str], bos: bool = True, eos: bool = True
    ) -> NDArray[np.float64]: ...
    def ngrams(self, order: int) -> tuple[NDArray[np.uint32], NDArray[np.float32]]: ...

def language_model_tables(
    ngrams: list[NDArray[np.uint32]], values: list[NDArray[np.float32]]
) -> dict[str, NDArray[Any]]: ...
def first_duplicate(ngrams: NDArray[np.uint32]) -> int: ...
def arpa_rows(
    lines: list[bytes],
    first: int,
    order: int,
    text: NDArray[np.uint8],
    starts: NDArray[np.uint32],
    lookup: NDArray[np.uint32],
) -> tuple[NDArray[np.uint32], NDArray[np.float32]]: ...
def arpa_lines(
    words: NDArray[np.uint32],
    values: NDArray[np.float32],
    text: NDArray[np.uint8],
    starts: NDArray[np.uint32],
) -> bytes: ...
def vocabulary_table(
    text: NDArray[np.uint8], starts: NDArray[np.uint32]
) -> NDArray[np.uint32]: ...
def extract_phrases(
    source: NDArray[np.uint32],
    source_starts: NDArray[np.int64],
    target: NDArray[np.uint32],
    target_starts: NDArray[np.int64],
    links: NDArray[np.uint32],
    link_starts: NDArray[np.int64],
    *,
    longest: int,
    phrase_orientation: bool,
    shared_counts: bool,
    most: int,
) -> dict[str, NDArray[Any]]: ...
def phrase_spans(
    source_starts: NDArray[np.int64],
    target_starts: NDArray[np.int64],
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    *,
    longest: int,
    tight: bool,
) -> NDArray[np.int64]: ...
def cooccurrences(
    source: NDArray[np.uint32],
    source_starts: NDArray[np.int64],
    target: NDArray[np.uint32],
    target_starts: NDArray[np.int64],
    phrase_words: NDArray[np.uint32],
    phrase_starts: NDArray[np.int64],
    output_words: NDArray[np.uint32],
    output_starts: NDArray[np.int64],
    phrases: NDArray[np.uint32],
    outputs: NDArray[np.uint32],
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]: ...

class LanguageModelEstimator:
    """Counts n-grams of text and estimates a model of them."""

    def __init__(self, memory: int = 0) -> None: ...
    @property
    def sentences(self) -> int: ...
    @property
    def words(self) -> int: ...
    def add(self, lines: list[str]) -> None: ...
    def estimate(
        self,
        order: int,
        prune: list[int],
        minimum_count: int = 1,
        most_words: int = 0,
        vocabulary: list[str] | None = None,
    ) -> tuple[dict[str, NDArray[Any]], list[dict[str, Any]]]: ...

class PhraseTable:
    """A view of the arrays of `paraphrast.phrase.table`, all checked."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None: ...

class Decoder:
    """The search, see `paraphrast.phrase.decoder`."""

    def __init__(self, table: PhraseTable, models: list[LanguageModel]) -> None: ...
    @property
    def feature_count(self) -> int: ...
    def decode(
        self,
        sentences: list[list[str]],
        weights: list[float],
        *,
        forced: list[list[tuple[int, int, list[str]]]],
        pops: int,
        stack: int,
        beam: float,
        options: int,
        distortion: int,
        cube: bool,
        copy: float | None,
        alternatives: int,
        distinct: bool,
        threads: int,
    ) -> dict[str, Any]: ...

class Lists:
    """N-best lists: exact line search, and updates by hope and fear.

    ``features`` is (features, candidates) and C-contiguous, ``statistics``
    (candidates, columns), ``starts`` (lists + 1,). What is not finite or does not
    fit is refused with ValueError.
    """

    def __init__(
        self,
        features: NDArray[np.float32],
        starts: NDArray[np.int64],
        statistics: NDArray[np.float64],
    ) -> None: ...
    def __len__(self) -> int: ...
    def scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return each candidate's score."""

    def best(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return each list's best candidate, the first of equals; -1: empty list."""

    def line(
        self, scores: NDArray[np.float64], direction: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return where the best candidates change along weights + t * direction.

        The t's rise; row i of the sums is of the best candidates before the i-th t,
        the last row of those after all.
        """

    def mira(
        self,
        order: NDArray[np.int64],
        weights: NDArray[np.float64],
        gains: NDArray[np.float64],
        free: NDArray[np.float64],
        largest: float,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Return the weights after a pass, their sum over lists, and the hopes.

        Where ``free`` is 0 the weight stays; else it is 1.
        """

def ngram_counts(
    sentences: NDArray[np.int64],
    starts: NDArray[np.int64],
    words: NDArray[np.uint32],
    sentence_starts: NDArray[np.int64],
    reference_starts: NDArray[np.int64],
    reference_words: NDArray[np.uint32],
    order: int,
) -> NDArray[np.float64]:
    """Return BLEU's counts of each candidate: (candidates, 2 + 2 * order)."""

def candidate_keys(
    sentences: NDArray[np.int64],
    starts: NDArray[np.int64],
    words: NDArray[np.uint32],
    features: NDArray[np.float32],
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return a number of each output, and of each output with its features."""
