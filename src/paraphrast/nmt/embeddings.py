"""Pretrained word vectors from a text file, as GloVe and word2vec write them.

A line has a word and its numbers, separated by spaces; word2vec's first line, which has
only two numbers, is skipped. A word that is missing in its own case gets the vector of
its lower-case form, as most such files are in lower case.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError
from paraphrast.nmt.vocabulary import SPECIAL, Vocabulary


def read_vectors(
    path: Path, vocabulary: Vocabulary, dimensions: int
) -> NDArray[np.float32]:
    """Return one row per word of the vocabulary; zeros where the file has none."""
    vectors = np.zeros((len(vocabulary), dimensions), np.float32)
    exact = np.zeros(len(vocabulary), bool)
    by_form: dict[str, list[int]] = {}
    for word, number in vocabulary.numbers.items():
        for form in {word, word.lower()}:
            by_form.setdefault(form, []).append(number)
    for line_number, line in enumerate(read_lines(path), start=1):
        word, *values = line.rstrip().split(" ")
        if line_number == 1 and len(values) == 1:
            continue
        if word not in by_form:
            continue
        vector = _parse_vector(path, line_number, values, dimensions)
        for number in by_form[word]:
            is_own = vocabulary.words[number] == word
            if is_own or not exact[number]:
                vectors[number] = vector
                exact[number] = is_own
    if not vectors[len(SPECIAL) :].any():
        raise ParaphrastError(
            f"{path} has no vector for any word of the pairs. Check the file: each "
            "line must have a word and its numbers, separated by spaces."
        )
    return vectors


def _parse_vector(
    path: Path, line_number: int, values: list[str], dimensions: int
) -> NDArray[np.float32]:
    if len(values) != dimensions:
        raise ParaphrastError(
            f"{path}:{line_number}: {len(values)} numbers, but embeddings have "
            f"{dimensions}. Set --embedding-size to the size of the vectors."
        )
    try:
        vector = np.array(values, np.float32)
    except ValueError as error:
        raise ParaphrastError(
            f"{path}:{line_number}: not a number: {error}."
        ) from error
    if not np.isfinite(vector).all():
        raise ParaphrastError(f"{path}:{line_number}: a number is not finite.")
    return vector
