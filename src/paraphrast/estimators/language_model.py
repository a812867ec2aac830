"""N-gram language models: train, save, load, query.

Estimation is interpolated modified Kneser-Ney as in KenLM's ``lmplz``; queries give the
same results as KenLM for the same ARPA file. Both are compiled (`paraphrast._native`).
A sentence is a line of words between ASCII spaces; ``<s>`` and ``</s>`` are put around
it. Logarithms are to base 10.

Array                      shape           what
text/starts                as `Strings`    words, sorted; word i has the number i + 3,
                                           after 0 <unk>, 1 <s>, 2 </s>
lookup         uint32      (2 * buckets,)  half of a word's hash, and its number
unigrams       float32     (words, 2)      log probability and back-off by number
ngrams2 …      uint64      (buckets, 2)    hash tables, see ``native/language_model.h``
ngramsN        uint32      (buckets, 3)    the longest n-grams
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast import _native
from paraphrast.errors import ParaphrastError
from paraphrast.storage import arrays as array_file
from paraphrast.storage.arrays import Arrays
from paraphrast.text.strings import Strings

UNKNOWN, START, END = SPECIAL = ("<unk>", "<s>", "</s>")
HIGHEST = 6
KIND = array_file.Kind(
    "language model", 1, "Train it again with `paraphrast phrase lm train`."
)
_BATCH = 10_000
_MOST = 10**9


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is estimated.

    ``prune`` drops n-grams of order i + 1 that occur ``prune[i]`` times or less; the
    last value applies to all higher orders. Words rarer than ``minimum_count``, and all
    but the ``most_words`` most frequent (0: no limit), count as ``<unk>``. ``memory``
    limits the memory of estimation, in megabytes (0: no limit): it needs 8 bytes per
    token and about 100 per distinct n-gram of the largest order.
    """

    order: int = 5
    prune: tuple[int, ...] = (0,)
    minimum_count: int = 1
    most_words: int = 0
    memory: int = 0

    def __post_init__(self) -> None:
        """Refuse invalid settings."""
        if not 1 <= self.order <= HIGHEST:
            raise ParaphrastError(f"order must be 1 to {HIGHEST}, not {self.order}.")
        if not self.prune or self.prune[0] != 0 or min(self.prune) < 0:
            raise ParaphrastError(
                f"prune must start with 0, as words are not pruned, not {self.prune}. "
                "Give minimum_count to drop rare words."
            )
        if list(self.prune) != sorted(self.prune):
            raise ParaphrastError(f"prune must not decrease, but is {self.prune}.")
        if len(self.prune) > self.order:
            raise ParaphrastError(
                f"prune has {len(self.prune)} values for order {self.order}."
            )
        numbers = {
            "prune": max(self.prune),
            "minimum_count": self.minimum_count,
            "most_words": self.most_words,
            "memory": self.memory,
        }
        for name, value in numbers.items():
            if not 0 <= value <= _MOST:
                raise ParaphrastError(f"{name} must be 0 to {_MOST:,}, not {value}.")


@dataclass(frozen=True, slots=True)
class Perplexity:
    """How well a model predicts a text; ``</s>`` counts as a word of each line."""

    lines: int
    words: int
    unknown: int
    log_probability: float
    log_probability_known: float

    @property
    def value(self) -> float:
        """Return the perplexity per word, including unknown words."""
        return _power(-self.log_probability / self.words)

    @property
    def without_unknown(self) -> float:
        """Return the perplexity per known word, including words after unknown ones."""
        return _power(-self.log_probability_known / (self.words - self.unknown))


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """A model in memory or mapped; make one with `train`, `load` or `arpa.read`."""

    arrays: Arrays
    order: int
    about: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def native(self) -> _native.LanguageModel:
        """Return the compiled model, for the decoder."""
        return _native.LanguageModel(self.arrays, self.order)

    @property
    def size(self) -> int:
        """Return how many words there are, with ``<unk>``, ``<s>`` and ``</s>``."""
        return self.native.size

    @property
    def vocabulary(self) -> list[str]:
        """Return all words by index."""
        words = Strings(self.arrays["text"], self.arrays["starts"])
        return [*SPECIAL, *words.all()]

    def score(
        self, words: str | Sequence[str], *, start: bool = True, end: bool = True
    ) -> float:
        """Return the log probability of a sentence, or of a part of one.

        A string is a line of words separated by spaces.
        """
        return self.native.score_sentence(_as_list(words), start, end)[0]

    def full_scores(
        self, words: str | Sequence[str], *, start: bool = True, end: bool = True
    ) -> list[tuple[float, int, bool]]:
        """Return each word's log probability, n-gram length, and if it is unknown.

        The length is that of the longest n-gram found, 1 for an unknown word.
        """
        return self.native.full_scores(_as_list(words), start, end)

    def score_lines(self, lines: Iterable[str]) -> NDArray[np.float64]:
        """Return four numbers per line.

        Its log probability, that of its unknown words, how many words it has with
        ``</s>``, and how many of them are unknown.
        """
        result = [self.native.score_lines(batch) for batch in _batches(lines)]
        return np.concatenate([np.zeros((0, 4)), *result])

    def perplexity(self, lines: Iterable[str]) -> Perplexity:
        """Return the perplexity of the lines."""
        total, count = np.zeros(4), 0
        for batch in _batches(lines):
            total += self.native.score_lines(batch).sum(axis=0)
            count += len(batch)
        if not count:
            raise ParaphrastError("no text to score. Give at least one line.")
        log_probability, unknown, words, out = total.tolist()
        return Perplexity(
            count, int(words), int(out), log_probability, log_probability - unknown
        )

    def save(self, path: Path) -> None:
        """Write the model; the file appears whole or not at all."""
        about = {**self.about, "order": self.order}
        array_file.write(path, KIND, self.arrays, about)


def load(path: Path) -> LanguageModel:
    """Map a model that `LanguageModel.save` wrote; this takes milliseconds."""
    arrays, about = array_file.read(path, KIND)
    order = about.pop("order", None)
    try:
        if not isinstance(order, int):
            raise ValueError("no order")
        model = LanguageModel(arrays, order, about)
        _ = model.native
    except ValueError as error:
        raise ParaphrastError(f"{path} is damaged: {error}. {KIND.again}") from error
    return model


def train(
    lines: Iterable[str],
    settings: Settings | None = None,
    *,
    vocabulary: Iterable[str] | None = None,
    progress: Callable[[int], None] = lambda lines: None,
) -> LanguageModel:
    """Estimate a model on lines of words; lines without words are skipped.

    With a ``vocabulary``, only these words are known. ``progress`` is called with the
    number of lines read. The model's ``about`` has the counts, and says whether some
    order had too few n-grams for its own discounts ("fallback").
    """
    chosen = settings or Settings()
    words = None if vocabulary is None else list(vocabulary)
    if words is not None:
        _check_words(words)
    try:
        estimator = _native.LanguageModelEstimator(chosen.memory * 1_000_000)
        read = 0
        for batch in _batches(lines):
            estimator.add([line for line in batch if line.strip(_SPACES)])
            read += len(batch)
            progress(read)
        about = {"lines": estimator.sentences, "words": estimator.words}
        if not estimator.words:
            raise ParaphrastError("no words to train a language model on.")
        arrays, orders = estimator.estimate(
            chosen.order,
            list(chosen.prune),
            chosen.minimum_count,
            chosen.most_words,
            words,
        )
    except MemoryError as error:
        bound = f"{chosen.memory} MB" if chosen.memory else "there is"
        raise ParaphrastError(
            f"a model of order {chosen.order} needs more memory than {bound}. "
            "Give less text, a lower order or a higher bound."
        ) from error
    return LanguageModel(arrays, chosen.order, {**about, "orders": orders})


def _check_words(words: Iterable[str]) -> None:
    for word in words:
        if not word or any(letter in _SPACES for letter in word):
            raise ParaphrastError(f"{word!r} is not a word: it is empty or has spaces.")
        _check_line(word)


_SPACES = " \t\n\v\f\r\0"


def _power(exponent: float) -> float:
    return 10**exponent if exponent < 300 else float("inf")


def _as_list(words: str | Sequence[str]) -> list[str] | str:
    if isinstance(words, str):
        _check_line(words)
        return words
    return words if isinstance(words, list) else list(words)


def _batches(lines: Iterable[str]) -> Iterator[list[str]]:
    waiting = iter(lines)
    while batch := list(islice(waiting, _BATCH)):
        for line in batch:
            _check_line(line)
        yield batch


def _check_line(line: str) -> None:
    if not line.isascii():
        try:
            line.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ParaphrastError(
                f"a line is not valid text: {line[:60]!r}. Clean the text with "
                "`paraphrast corpora clean`."
            ) from error
