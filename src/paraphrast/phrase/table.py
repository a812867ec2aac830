"""A phrase table: which target phrases may stand for a source phrase, and how well.

Source phrases are sorted by word indices, so that the phrases that begin at a word of a
sentence are found by narrowing a range; the options of each are in order of decreasing
probability. Everything is an array and can be memory-mapped from a file, which the
decoder (`paraphrast._native`) reads in place.

Array                     shape              what
source_text/_starts       as `Strings`       source words, sorted
target_text/_starts       as `Strings`       target words, sorted
phrase_starts  uint32     (phrases + 1,)     source phrase i is
phrase_words   uint32                        phrase_words[starts[i]:starts[i + 1]]
option_starts  uint32     (phrases + 1,)     its options: rows starts[i]:starts[i + 1]
output_starts  uint32     (outputs + 1,)     target phrase j is
output_words   uint32                        output_words[starts[j]:starts[j + 1]]
outputs        uint32     (options,)         the option's target phrase
scores         float32    (options, scores)  natural logarithms, named in ``about``
reordering     float32    (options, 6 or 0)  natural logarithms: `features.REORDERING`
link_starts    uint32     (options + 1,)     word links inside the option:
links          uint8      (links, 2)         source index, target index in the phrases
counts         float32    (options,)         how often it was seen (0: not in a corpus)
examples       uint32     (options,)         number of a training pair that shows it;
                                             4294967295 if there is none

``about["scores"]`` names the columns of ``scores``; the five standard ones are "inverse
phrase", "inverse words", "phrase", "words" (p(f|e), lex(f|e), p(e|f), lex(e|f); the
fifth, Moses' phrase penalty, is the decoder's feature "phrases"). A target phrase may
be empty (a deletion); a source phrase never is. No phrase is longer than `LONGEST`
words. The most probable option has the highest score "phrase", or the highest last
score if there is none of that name; ties are in the order of their target phrases'
words.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.storage import arrays as array_file
from paraphrast.text.runs import Runs, lengths_of
from paraphrast.text.strings import Strings

LONGEST = 15
NO_EXAMPLE = 0xFFFFFFFF
_BLOCK = 10_000
STANDARD = ("inverse phrase", "inverse words", "phrase", "words")
KIND = array_file.Kind("phrase table", 1, "Train one with `paraphrast phrase train`.")
# Of each array the type and the number of dimensions.
LAYOUT = {
    "source_text": (np.uint8, 1),
    "source_starts": (np.uint32, 1),
    "target_text": (np.uint8, 1),
    "target_starts": (np.uint32, 1),
    "phrase_starts": (np.uint32, 1),
    "phrase_words": (np.uint32, 1),
    "option_starts": (np.uint32, 1),
    "output_starts": (np.uint32, 1),
    "output_words": (np.uint32, 1),
    "outputs": (np.uint32, 1),
    "scores": (np.float32, 2),
    "reordering": (np.float32, 2),
    "link_starts": (np.uint32, 1),
    "links": (np.uint8, 2),
    "counts": (np.float32, 1),
    "examples": (np.uint32, 1),
}


@dataclass(frozen=True, slots=True)
class Option:
    """A row of a table: a phrase pair with probabilities rather than logarithms."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    probabilities: tuple[float, ...]
    reordering: tuple[float, ...] = ()
    links: tuple[tuple[int, int], ...] = ()
    count: float = 0.0
    example: int | None = None


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """Options of many phrases; made by `scoring`, `building` or `open`."""

    source: Strings
    target: Strings
    phrase_starts: NDArray[np.uint32]
    phrase_words: NDArray[np.uint32]
    option_starts: NDArray[np.uint32]
    output_starts: NDArray[np.uint32]
    output_words: NDArray[np.uint32]
    outputs: NDArray[np.uint32]
    scores: NDArray[np.float32]
    reordering: NDArray[np.float32]
    link_starts: NDArray[np.uint32]
    links: NDArray[np.uint8]
    counts: NDArray[np.float32]
    examples: NDArray[np.uint32]
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path) -> "PhraseTable":
        """Open a saved table; its arrays are mapped, not read."""
        arrays, about = array_file.read(path, KIND)
        check(arrays, about, str(path))
        own = {name: arrays[name] for name in LAYOUT if not name.endswith("_text")}
        source = Strings(arrays["source_text"], own.pop("source_starts"))
        target = Strings(arrays["target_text"], own.pop("target_starts"))
        return cls(source, target, **own, about=about)

    def __len__(self) -> int:
        """Return the number of options."""
        return len(self.outputs)

    @property
    def phrases(self) -> int:
        """Return the number of source phrases."""
        return len(self.phrase_starts) - 1

    @property
    def sources(self) -> Runs:
        """Return the source phrases."""
        return Runs(self.phrase_starts, self.phrase_words)

    @property
    def targets(self) -> Runs:
        """Return the target phrases."""
        return Runs(self.output_starts, self.output_words)

    def phrase_numbers(self) -> NDArray[np.uint32]:
        """Return the number of each option's source phrase."""
        numbers = np.arange(self.phrases, dtype=np.uint32)
        return np.repeat(numbers, lengths_of(self.option_starts))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the scores, in the order of their columns."""
        return tuple(self.about["scores"])

    @property
    def has_reordering(self) -> bool:
        """Say whether the options have reordering scores."""
        return bool(self.reordering.shape[1])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by the names of the layout above."""
        vocabularies: dict[str, NDArray[Any]] = {
            "source_text": self.source.text,
            "source_starts": self.source.starts,
            "target_text": self.target.text,
            "target_starts": self.target.starts,
        }
        own = {name: getattr(self, name) for name in LAYOUT if name not in vocabularies}
        return vocabularies | own

    def of(self, words: Sequence[str], *, limit: int | None = None) -> list[Option]:
        """Return the options of a source phrase, the most probable first."""
        number = self.sources.find(words, self.source)
        if number is None:
            return []
        first, end = self.option_starts[number : number + 2].tolist()
        if limit is not None:
            end = min(end, first + limit)
        return list(self._rows([tuple(words)] * (end - first), first, end))

    def option(self, row: int) -> Option:
        """Return one row, by its number among all options."""
        if not 0 <= row < len(self):
            raise IndexError(f"option {row} of {len(self)}")
        phrase = int(np.searchsorted(self.option_starts, row, side="right")) - 1
        source = tuple(self.source[word] for word in self.sources[phrase])
        return next(self._rows([source], row, row + 1))

    def __iter__(self) -> Iterator[Option]:
        """Yield all options, phrase by phrase."""
        words, targets = self.source.all(), self.target.all()
        for first in range(0, self.phrases, _BLOCK):
            starts = self.option_starts[first : first + _BLOCK + 1].tolist()
            sources: list[tuple[str, ...]] = []
            for index in range(len(starts) - 1):
                source = tuple(words[word] for word in self.sources[first + index])
                sources += [source] * (starts[index + 1] - starts[index])
            yield from self._rows(sources, starts[0], starts[-1], targets)

    def save(self, path: Path) -> None:
        """Write the table; the file appears whole or not at all."""
        array_file.write(path, KIND, self.arrays(), self.about)

    def _rows(
        self,
        sources: Sequence[tuple[str, ...]],
        first: int,
        end: int,
        words: Sequence[str] | Strings | None = None,
    ) -> Iterator[Option]:
        """Yield options ``first`` to ``end``, whose source phrases are given."""
        words = words or self.target
        scores, ways = (
            _round_scores(self.scores[first:end]),
            _round_scores(self.reordering[first:end]),
        )
        links = self.link_starts[first : end + 1].tolist()
        outputs = self.outputs[first:end].tolist()
        counts, examples = (a[first:end].tolist() for a in (self.counts, self.examples))
        for row, source in enumerate(sources):
            run = self.targets[outputs[row]]
            cells = self.links[links[row] : links[row + 1]].tolist()
            yield Option(
                source,
                tuple(words[word] for word in run),
                scores[row],
                ways[row],
                tuple((i, j) for i, j in cells),
                counts[row],
                None if examples[row] == NO_EXAMPLE else examples[row],
            )


def check(
    arrays: Mapping[str, NDArray[Any]], about: Mapping[str, Any], where: str
) -> None:
    """Refuse arrays with a wrong layout; their contents are not checked."""
    for name, (dtype, dimensions) in LAYOUT.items():
        array = arrays.get(name)
        if array is None or array.dtype != dtype or array.ndim != dimensions:
            raise ParaphrastError(f"{where} has no proper array {name!r}. {KIND.again}")
    names = about.get("scores")
    columns = arrays["scores"].shape[1]
    if not isinstance(names, list | tuple) or len(names) != columns:
        raise ParaphrastError(f"{where} does not name its scores. {KIND.again}")
    options, phrases = len(arrays["outputs"]), len(arrays["phrase_starts"])
    lengths = {
        "scores": options,
        "reordering": options,
        "link_starts": options + 1,
        "counts": options,
        "examples": options,
        "option_starts": phrases,
    }
    wrong = [name for name, length in lengths.items() if len(arrays[name]) != length]
    if not (phrases and len(arrays["output_starts"])):
        wrong.append("phrase_starts")
    if arrays["reordering"].shape[1] not in (0, 6):
        wrong.append("reordering")
    if arrays["links"].shape[1] != 2:
        wrong.append("links")
    if wrong:
        raise ParaphrastError(f"{where}: array {wrong[0]!r} is too short. {KIND.again}")


def ranking(names: Sequence[str]) -> int | None:
    """Return the column for ranking options, if there is any."""
    if "phrase" in names:
        return list(names).index("phrase")
    return len(names) - 1 if names else None


def _round_scores(scores: NDArray[np.float32]) -> list[tuple[float, ...]]:
    # Six digits are what a logarithm of four bytes keeps: 0.25, not 0.2500000089.
    rows = np.exp(scores.astype(np.float64)).tolist()
    return [tuple(float(f"{value:.6g}") for value in row) for row in rows]
