"""The meaning checker: a small cross-encoder that reads source and rewrite.

A pack with a folder ``checker`` has one: an int8 BERT that CTranslate2 runs, its
vocabulary, and the weights of its last layer in ``head.npz``. It was trained on
rewrites that a reader rated, so it knows the errors of models; it is not told the
style. Its output is combined with the rewriter's log-probability, the share of words
from the source, and the length of the source: `FEATURES`, with weights that were also
fitted to a reader's ratings of the rewriter's own outputs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.errors import ParaphrastError
from paraphrast.neural.models.generation import Candidate
from paraphrast.storage.ctranslate2_model import (
    is_stale,
    make_batches,
    open_model,
    read_tokens,
)
from paraphrast.text.overlap import unigram_overlap, words
from paraphrast.text.wordpiece import WordPiece

FOLDER = "checker"
HEAD = "head.npz"
VOCABULARY = "vocabulary.json"
LONGEST = 250  # tokens of both texts; what is beyond is not read
MOST_LOGIT = 7.0  # beyond which the encoder is not believed
MOST_TOKENS = 4096  # of a batch
PADDED_TO = 16  # tokens: a pair's score does not depend on the pairs beside it


FEATURES = ("encoder", "log-probability", "shared words", "length")


def find_features(
    sources: Sequence[str], candidates: Sequence[Candidate], logits: Sequence[float]
) -> Any:
    """Return the rows of `FEATURES` for candidates, with the encoder's output."""
    return np.array(
        [
            (
                max(-MOST_LOGIT, min(MOST_LOGIT, logit)),
                candidate.mean,
                unigram_overlap(words(source), words(candidate.text)).f1,
                math.log(1 + len(source.split())),
            )
            for source, candidate, logit in zip(
                sources, candidates, logits, strict=True
            )
        ],
        np.float64,
    ).reshape(len(logits), len(FEATURES))


@dataclass(eq=False)
class MeaningChecker:
    """Scores whether candidates keep the meaning, on ``threads`` cores."""

    folder: Path
    threads: int = 1
    _opened: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Open the model, and read its vocabulary and its last layer."""
        self._opened = self._open()
        self._words = WordPiece(read_tokens(self.folder))
        self._first, self._end = self._words.id("[CLS]"), self._words.id("[SEP]")
        try:
            with np.load(self.folder / HEAD) as arrays:
                self._weight, self._bias = arrays["weight"], float(arrays["bias"][0])
                self._combined = arrays["combined"]  # a weight per feature, a constant
        except (OSError, ValueError, KeyError) as error:
            raise ParaphrastError(
                f"cannot read {self.folder / HEAD}: {error}. Re-download the pack."
            ) from error

    def score(
        self, sources: Sequence[str], candidates: Sequence[Candidate]
    ) -> list[float]:
        """Return each candidate's probability of keeping its source's meaning."""
        logits = self.compute_logits(sources, [c.text for c in candidates])
        features = find_features(sources, candidates, logits)
        odds = features @ self._combined[:-1] + self._combined[-1]
        return [float(value) for value in 1 / (1 + np.exp(-odds))]

    def compute_logits(
        self, sources: Sequence[str], texts: Sequence[str]
    ) -> list[float]:
        """Return the encoder's output alone, as log-odds."""
        rows = list(map(self._encode, sources, texts))
        scores = [0.0] * len(rows)
        shapes = [(-(-len(ids) // PADDED_TO) * PADDED_TO,) for ids, _ in rows]
        for (length,), batch in make_batches(shapes, MOST_TOKENS):
            filling = ([self._end] * length, [0] * length)
            own = [*(rows[index] for index in batch), filling]
            output = self._model.forward_batch(
                [ids for ids, _ in own], token_type_ids=[kinds for _, kinds in own]
            )
            pooled = np.asarray(output.pooler_output, np.float32)[: len(batch)]
            logits = pooled @ self._weight + self._bias
            for index, logit in zip(batch, logits.tolist(), strict=True):
                scores[index] = logit
        return scores

    def _encode(self, source: str, text: str) -> tuple[list[int], list[int]]:
        """Return the tokens of both texts, and which text each belongs to."""
        sides = [self._words.ids(source), self._words.ids(text)]
        over = sum(map(len, sides)) + 3 - LONGEST
        if over > 0:  # from the longer one first, then from both
            longer = 0 if len(sides[0]) > len(sides[1]) else 1
            first = min(over, abs(len(sides[0]) - len(sides[1])))
            rest = over - first
            cuts = [rest // 2, rest // 2]
            cuts[longer] += first + rest % 2
            sides = [side[: len(side) - cut] for side, cut in zip(sides, cuts)]  # noqa: B905
        left = [self._first, *sides[0], self._end]
        right = [*sides[1], self._end]
        return [*left, *right], [0] * len(left) + [1] * len(right)

    @property
    def _model(self) -> Any:
        if is_stale(self._opened):  # in a forked process
            self._opened = self._open()
        return self._opened

    def _open(self) -> Any:
        return open_model(
            "Encoder", self.folder, compute_type="int8", intra_threads=self.threads
        )


@dataclass(frozen=True, eq=False)
class EncoderAlone:
    """Uses only the encoder: for rewrites by models other than the pack's."""

    checker: MeaningChecker

    def score(
        self, sources: Sequence[str], candidates: Sequence[Candidate]
    ) -> list[float]:
        """Return each candidate's probability of keeping its source's meaning."""
        logits = self.checker.compute_logits(sources, [c.text for c in candidates])
        return [float(value) for value in 1 / (1 + np.exp(-np.array(logits)))]


@lru_cache(maxsize=2)
def load(folder: Path, sha256: str, threads: int) -> MeaningChecker | None:
    """Return the checker in a pack's folder, if it has one.

    ``sha256`` is the pack's: the checker is read again if its files change.
    """
    path = folder / FOLDER
    return MeaningChecker(path, threads) if path.is_dir() else None
