"""A guide of formality: ridge regression on words, letters and a few habits of writing.

It chooses training pairs, so it is no judge and shares no weights with one. It learns
from people's ratings: PT16's train part (-3 to 3) and SQUINKY (1 to 7, put on the same
scale).

Run    python -m training.formality.guide --mirror FOLDER
       prints its Spearman correlation with people on PT16's tune part
"""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paraphrast.corpora.lines import read_lines
from paraphrast.corpora.loaders import judged
from paraphrast.errors import ParaphrastError
from paraphrast.estimators.matrix import Matrix
from paraphrast.estimators.ngram_features import (
    NgramKinds,
    Sparse,
    Vocabulary,
    beside,
    dense,
    occurrences,
    vocabulary,
)
from paraphrast.metrics import correlation

KINDS = NgramKinds(words=(1, 2), characters=(2, 4))
LEAST, LENGTH = 3, 3.0  # minimum document frequency of an n-gram; the norm of a row
PENALTY, STEPS = 1.0, 200
_CONTRACTION = re.compile(r"\w['’](?:s|re|ve|ll|d|m|t)\b", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Guide:
    """Rates the formality of texts, from about -3 to 3."""

    vocabulary: Vocabulary
    weights: Matrix
    constant: float

    def values(self, texts: Sequence[str]) -> list[float]:
        """Return each text's formality."""
        rows = _features(self.vocabulary, texts)
        values = rows.times(self.weights) + self.constant
        return [float(value) for value in np.clip(values, -3, 3)]


def train(rated: Sequence[judged.Judged]) -> Guide:
    """Fit a guide to rated texts."""
    if not rated:
        raise ParaphrastError("no rated text to learn formality from. Give pt16.")
    texts = [row.text for row in rated]
    scores = np.array([row.score for row in rated])
    counted = vocabulary(occurrences(texts, KINDS), KINDS, minimum=LEAST)
    counted = Vocabulary(counted.hashes, counted.worth, KINDS, LENGTH)
    rows, constant = _features(counted, texts), float(scores.mean())
    return Guide(counted, _fit_ridge(rows, scores - constant), constant)


def read_ratings(mirror: Path) -> list[judged.Judged]:
    """Return PT16's train part and SQUINKY on one scale."""
    squinky = (
        line.split("\t", 1)
        for line in read_lines(mirror / "formality/squinky/train.tsv")
    )
    return [
        *judged.pt16(mirror / "pt16", "train"),
        *(judged.Judged(text, float(score) - 4) for score, text in squinky),
    ]


def _features(counted: Vocabulary, texts: Sequence[str]) -> Sparse:
    ngrams = counted.matrix(occurrences(texts, KINDS))
    return beside(ngrams, dense(np.array([_habits(text) for text in texts])))


def _habits(text: str) -> list[float]:
    words = text.split() or [""]
    letters = sum(map(len, words)) / len(words)
    return [
        float(text[:1].isupper()),
        float(text.rstrip()[-1:] in (".", "?", '"')),
        float(text.count("!") > 0),
        len(_CONTRACTION.findall(text)) / len(words) * 5,
        np.log(len(words)) / 2,
        letters / 3,
        float(sum(word.isupper() and len(word) > 1 for word in words) / len(words)),
        float(" i " in f" {text} "),
    ]


def _fit_ridge(rows: Sparse, wanted: Matrix) -> Matrix:
    """Return weights of least squares with an L2 penalty, by conjugate gradients."""

    def apply(vector: Matrix) -> Matrix:
        return rows.transposed_times(rows.times(vector)) + PENALTY * vector

    weights = np.zeros(rows.width)
    residual = rows.transposed_times(wanted)
    direction, size = residual, float(residual @ residual)
    for _ in range(STEPS):
        if size < 1e-10:
            break
        applied = apply(direction)
        step = size / float(direction @ applied)
        weights = weights + step * direction
        residual = residual - step * applied
        new = float(residual @ residual)
        direction, size = residual + new / size * direction, new
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    options = parser.parse_args()
    guide = train(read_ratings(options.mirror))
    tune = judged.pt16(options.mirror / "pt16", "tune")
    values = guide.values([row.text for row in tune])
    result = correlation.correlate(values, [row.score for row in tune], kind="spearman")
    print(f"PT16 tune: {result.value:.3f} [{result.low:.3f}, {result.high:.3f}]")


if __name__ == "__main__":
    main()
