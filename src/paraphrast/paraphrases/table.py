"""A paraphrase table: phrase, paraphrase, probability, context.

The probability is p(paraphrase, context | phrase): over all contexts of a paraphrase it
sums to p(paraphrase | phrase), and over all paraphrases to at most 1, since a method
may reserve some of it for the phrase itself and for unseen paraphrases. A context says
where the paraphrase is valid, in the notation of the method; most methods leave it
empty.

A phrase is a run of tokens, written with single blanks between them. Phrases are in
alphabetical order of their words, and the paraphrases of each from the likeliest on,
so that a query is a binary search and a slice, on disk as in memory. (`phrase.table`
has what a decoder needs instead: several scores, links, reordering; no contexts.)
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.storage import arrays as array_file
from paraphrast.storage import atomic
from paraphrast.text.runs import Runs, lengths_of
from paraphrast.text.strings import Strings

KIND = array_file.Kind(
    "paraphrase table", 2, "Build one with `paraphrast paraphrases extract`."
)
_COLUMNS = (
    *("starts", "tokens", "rows"),
    *("paraphrases", "probabilities", "context_numbers"),
)


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """One row of a table."""

    phrase: str
    paraphrase: str
    probability: float
    context: str = ""


@dataclass(frozen=True, eq=False)
class Table:
    """Paraphrases of many phrases; made by a method, `from_rows` or `open_table`.

    Phrase i is the words ``tokens[starts[i]:starts[i + 1]]``, and its paraphrases are
    the rows from ``rows[i]`` to ``rows[i + 1]``: the number of a phrase, a probability
    and the number of a context each.
    """

    words: Strings
    contexts: Strings
    starts: NDArray[np.uint32]
    tokens: NDArray[np.uint32]
    rows: NDArray[np.uint32]
    paraphrases: NDArray[np.uint32]
    probabilities: NDArray[np.float32]
    context_numbers: NDArray[np.uint32]
    about: Mapping[str, object] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.paraphrases)

    def of(self, phrase: str, *, limit: int | None = None) -> list[Paraphrase]:
        """Return the paraphrases of a phrase, the likeliest first."""
        number = self._runs.find(phrase.split(), self.words)
        if number is None:
            return []
        first, end = int(self.rows[number]), int(self.rows[number + 1])
        if limit is not None:
            end = min(end, first + limit)
        return [
            Paraphrase(
                self._phrase(number),
                self._phrase(int(self.paraphrases[row])),
                _round(self.probabilities[row]),
                self.contexts[int(self.context_numbers[row])],
            )
            for row in range(first, end)
        ]

    def __iter__(self) -> Iterator[Paraphrase]:
        """Yield all rows, phrase by phrase."""
        words, contexts = self.words.all(), self.contexts.all()
        texts = [" ".join(words[word] for word in run) for run in self._runs]
        phrases = np.repeat(np.arange(len(texts)), lengths_of(self.rows))
        for row, number in enumerate(phrases):
            yield Paraphrase(
                texts[number],
                texts[self.paraphrases[row]],
                _round(self.probabilities[row]),
                contexts[self.context_numbers[row]],
            )

    def phrases(self) -> int:
        """Return how many phrases have paraphrases."""
        return int(np.count_nonzero(lengths_of(self.rows)))

    def save(self, path: Path) -> None:
        """Write the table to one file, which appears whole or not at all."""
        arrays = {
            "word_text": self.words.text,
            "word_starts": self.words.starts,
            "context_text": self.contexts.text,
            "context_starts": self.contexts.starts,
            **{name: getattr(self, name) for name in _COLUMNS},
        }
        if len(self.contexts) == 1:  # then all numbers are 0 and need no space
            arrays["context_numbers"] = self.context_numbers[:0]
        array_file.write(path, KIND, arrays, self.about)

    def _phrase(self, number: int) -> str:
        return " ".join(self.words[word] for word in self._runs[number])

    @property
    def _runs(self) -> Runs:
        return Runs(self.starts, self.tokens)


def open_table(path: Path) -> Table:
    """Open a saved table; nothing but its header is read before it is asked for."""
    arrays, about = array_file.read(path, KIND)
    try:
        words = Strings(arrays["word_text"], arrays["word_starts"])
        contexts = Strings(arrays["context_text"], arrays["context_starts"])
        columns = {name: arrays[name] for name in _COLUMNS}
    except KeyError as error:
        raise ParaphrastError(f"{path} has no {error}. {KIND.again}") from error
    if not len(columns["context_numbers"]):
        shape = columns["paraphrases"].shape
        columns["context_numbers"] = np.broadcast_to(np.uint32(0), shape)
    return Table(words, contexts, **columns, about=about)


def export(table: Table, path: Path) -> None:
    """Write all rows to a new .tsv or .jsonl file, one per line."""
    if path.suffix not in (".tsv", ".jsonl"):
        raise ParaphrastError(
            f"{path}: cannot tell the format. End the name in .tsv or .jsonl."
        )
    with atomic.writer(path) as file:
        for row in table:
            if path.suffix == ".jsonl":
                line = json.dumps(asdict(row), ensure_ascii=False)
            else:
                probability = f"{row.probability:.7g}"
                line = "\t".join((row.phrase, row.paraphrase, probability, row.context))
            file.write(f"{line}\n")


def _round(probability: np.float32) -> float:
    # Seven digits are what is stored: 0.01, not 0.009999999776482582.
    return float(f"{probability:.7g}")
