"""Sentence pairs and their links as integer arrays, for compiled code.

Words are indexed in alphabetical order of code points, one vocabulary per side, so that
phrases sorted by indices are in the order of a phrase table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.align.base import Link, WordPair
from paraphrast.align.links import out_of_range
from paraphrast.errors import ParaphrastError
from paraphrast.estimators.matrix import mark_changes
from paraphrast.phrase.building import vocabulary
from paraphrast.text.runs import Runs, starts_of
from paraphrast.text.strings import Strings

# The links of each pair of a corpus, by one aligner.
Alignment: TypeAlias = Sequence[Sequence[Link]]
UNKNOWN = 0xFFFFFFFF


@dataclass(frozen=True, eq=False)
class Side(Runs):
    """The sentences of one side as word indices, and their vocabulary."""

    vocabulary: Strings

    def with_vocabulary(self, vocabulary: Strings) -> "Side":
        """Return the words as numbers of another vocabulary, or `UNKNOWN`."""
        ids = [vocabulary.find(word) for word in self.vocabulary.all()]
        numbers = np.array([UNKNOWN if n is None else n for n in ids], np.uint32)
        return Side(self.starts, numbers[self.words], vocabulary)


@dataclass(frozen=True, eq=False)
class Corpus:
    """Sentence pairs: sentence i of one side belongs to sentence i of the other."""

    source: Side
    target: Side

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.source)


@dataclass(frozen=True, eq=False)
class CodedLinks:
    """Links of all pairs by one aligner, then by the next, and so on.

    Of pair p, aligner a drew ``cells[starts[n]:starts[n + 1]]`` with n = a * pairs +
    p: source index and target index, in order, none twice.
    """

    cells: NDArray[np.uint32]
    starts: NDArray[np.int64]


def encode_pairs(pairs: Sequence[WordPair]) -> Corpus:
    """Return sentence pairs as numbers; a side may be empty, the corpus not."""
    if not pairs:
        raise ParaphrastError("the corpus is empty. Give at least one sentence pair.")
    return Corpus(
        _side([pair[0] for pair in pairs]), _side([pair[1] for pair in pairs])
    )


def encode_links(corpus: Corpus, alignments: Sequence[Alignment]) -> CodedLinks:
    """Return links as arrays, sure and possible alike; a link given twice counts once.

    Links that do not fit their sentences are refused.
    """
    if not alignments:
        raise ParaphrastError("no alignment was given. Align the corpus first.")
    for alignment in alignments:
        if len(alignment) != len(corpus):
            raise ParaphrastError(
                f"{len(corpus)} sentence pairs, but links for {len(alignment)}. "
                "Give the links of every pair."
            )
    lengths = [len(links) for alignment in alignments for links in alignment]
    cells = np.array(
        [
            (link.source, link.target)
            for links in chain.from_iterable(alignments)
            for link in links
        ],
        np.int64,
    ).reshape(-1, 2)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    _check_cells(corpus, cells, rows % len(corpus))
    order = np.lexsort((cells[:, 1], cells[:, 0], rows))
    cells, rows = cells[order], rows[order]
    new = mark_changes(cells[:, 0], cells[:, 1], rows)
    counts = np.bincount(rows[new], minlength=len(lengths))
    return CodedLinks(cells[new].astype(np.uint32), starts_of(counts))


def _side(sentences: list[tuple[str, ...]]) -> Side:
    words, numbers = vocabulary(sentences)
    flat = np.fromiter(
        (numbers[word] for sentence in sentences for word in sentence), np.uint32
    )
    return Side(starts_of(map(len, sentences)), flat, words)


def _check_cells(
    corpus: Corpus, cells: NDArray[np.int64], pairs: NDArray[np.int64]
) -> None:
    rows, columns = corpus.source.lengths()[pairs], corpus.target.lengths()[pairs]
    inside = (cells >= 0).all(axis=1) & (cells[:, 0] < rows) & (cells[:, 1] < columns)
    if not inside.all():
        first = int(np.argmin(inside))
        source, target = cells[first].tolist()
        where = f"sentence pair {pairs[first] + 1}"
        raise out_of_range(where, (source, target), rows[first], columns[first])
