"""Word vectors from plain text: PPMI and a truncated SVD (Levy & Goldberg 2014).

They stand in for the GloVe vectors that Rao & Tetreault (2018) train on Yahoo Answers:
pretrained embeddings for `paraphrast nmt train --embeddings`, from text that is free.
Words are in lower case, tokenised as NMT training does.

Run    python -m training.formality.word_vectors TEXT... -o vectors.txt
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.lines import read_texts
from paraphrast.nmt.surface import prepare_text
from paraphrast.storage import atomic

WINDOW = 5  # words on either side, weighted by nearness
SMOOTHING = 0.75  # of the contexts' frequencies
EXTRA, ITERATIONS = 20, 4  # of the randomised SVD


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--words", type=int, default=12_000)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    sentences = [*_read(options.texts)]
    counts = Counter(word for sentence in sentences for word in sentence)
    words = [word for word, _ in counts.most_common(options.words)]
    vectors = factorise(
        find_association(count_contexts(sentences, words)), options.dimensions
    )
    with atomic.writer(options.output) as file:
        for word, vector in zip(words, vectors, strict=True):
            file.write(f"{word} {' '.join(f'{v:.4f}' for v in vector)}\n")
    print(f"{len(words):,} words -> {options.output}")


def _read(paths: list[Path]) -> Iterator[list[str]]:
    for path in paths:
        for text in read_texts(path):
            words = [word.lower() for word in prepare_text(text)]
            yield [word for word in words if not any(map(str.isspace, word))]


def count_contexts(sentences: list[list[str]], words: list[str]) -> NDArray[np.float32]:
    """Return co-occurrence counts of words, each weighted by 1 / distance."""
    numbers = {word: number for number, word in enumerate(words)}
    gap = [-1] * WINDOW
    flat = np.array(
        [n for s in sentences for n in (*(numbers.get(w, -1) for w in s), *gap)]
    )
    near = np.zeros((len(words), len(words)), np.float32)
    for distance in range(1, WINDOW + 1):
        left, right = flat[:-distance], flat[distance:]
        both = (left >= 0) & (right >= 0)
        cells, times = np.unique(
            left[both] * len(words) + right[both], return_counts=True
        )
        near.ravel()[cells] += times / distance
    near += near.T.copy()
    return near


def find_association(near: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return positive pointwise mutual information, in place of the counts."""
    words = near.sum(1) + 1e-9
    contexts = words**SMOOTHING
    near *= contexts.sum() / contexts[None, :]
    near /= words[:, None]
    np.log(np.maximum(near, 1), out=near)
    return near


def factorise(matrix: NDArray[np.float32], dimensions: int) -> NDArray[np.float32]:
    """Return rows of ``dimensions`` numbers by randomised SVD (Halko et al. 2011)."""
    size = min(dimensions + EXTRA, len(matrix))
    start = np.random.default_rng(1).standard_normal((len(matrix), size))
    basis = matrix @ start.astype(np.float32)
    for _ in range(ITERATIONS):
        basis = np.linalg.qr(basis)[0]
        basis = matrix @ (matrix.T @ basis)
    basis = np.linalg.qr(basis)[0]
    left, values, _ = np.linalg.svd(basis.T @ matrix, full_matrices=False)
    vectors = (basis @ left) * np.sqrt(values)
    padded = np.zeros((len(matrix), dimensions), np.float32)
    padded[:, : min(size, dimensions)] = vectors[:, :dimensions]
    return padded


if __name__ == "__main__":
    main()
