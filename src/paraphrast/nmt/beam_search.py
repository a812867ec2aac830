"""Beam search over a model's steps, for many sentences at once.

Sentences of similar length are searched together; the result for a sentence does not
depend on the others. Finished outputs are compared by log-probability over a length
penalty (Wu et al. 2016). A model with a copy mechanism also writes source words that
its vocabulary lacks. One without writes "unknown" instead, which is replaced by the
source word with the most attention (Rao & Tetreault 2018).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.nmt.inference import Decoding, Encoded, Network
from paraphrast.nmt.threads import map_batches
from paraphrast.nmt.vocabulary import BEGIN, END, PAD, UNKNOWN, Vocabulary
from paraphrast.nmt.weights import Floats

TOGETHER = 16  # sentences searched at once
TINY = np.float32(1e-30)  # keeps logarithms finite

Words: TypeAlias = Sequence[str]


@dataclass(frozen=True)
class Search:
    """Settings of the search: the beam size, and the length normalisation.

    ``length_penalty`` is Wu et al.'s alpha: 0 compares log-probabilities as they are,
    which favours short outputs. An output may have ``longest`` times the source's words
    and `EXTRA_WORDS` more.
    """

    beam: int = 5
    length_penalty: float = 0.8
    longest: float = 1.5

    def __post_init__(self) -> None:
        """Refuse invalid settings."""
        if not 1 <= self.beam <= 64:
            raise ValueError(f"beam must be from 1 to 64, not {self.beam}.")
        if self.length_penalty < 0 or self.longest <= 0:
            raise ValueError("length_penalty and longest cannot be below 0.")

    def normalise(self, score: float, words: int) -> float:
        """Return a length-normalised log-probability, counting END as a word."""
        return score / float(((5 + words) / 6) ** self.length_penalty)


EXTRA_WORDS = 10


@dataclass(frozen=True, slots=True)
class Output:
    """An output for a sentence.

    ``origins[i]`` is the source word with the most attention for ``words[i]``, and
    ``probabilities[i]`` the model's probability. ``score`` is normalised.
    """

    words: tuple[str, ...]
    origins: tuple[int, ...]
    probabilities: tuple[float, ...]
    score: float


@dataclass(frozen=True, slots=True)
class _Hypothesis:
    """The words so far, as indices, with their origins and probabilities."""

    numbers: tuple[int, ...] = ()
    origins: tuple[int, ...] = ()
    probabilities: tuple[float, ...] = ()
    score: float = 0.0


@dataclass(eq=False)
class _Search:
    """The search for one sentence."""

    words: Words
    encoded: Encoded
    extended: "_Extended"
    most: int
    live: list[_Hypothesis] = field(default_factory=lambda: [_Hypothesis()])
    finished: list[_Hypothesis] = field(default_factory=list)

    def is_done(self, beam: int) -> bool:
        """Say whether the search is over."""
        return len(self.finished) >= beam or not self.live


class _Extended:
    """The vocabulary extended by the unknown words of one source."""

    def __init__(self, vocabulary: Vocabulary, words: Words) -> None:
        """Index the unknown words after the end of the vocabulary."""
        first = len(vocabulary)
        unknown = [word for word in words if word not in vocabulary.numbers]
        self.added = list(dict.fromkeys(unknown))
        numbers = dict(zip(self.added, range(first, first + len(words)), strict=False))
        self.source = [vocabulary.numbers.get(w, numbers.get(w, -1)) for w in words]
        self.distinct = np.array(sorted(set(self.source)))
        # One row per source word, to add up the copies of each distinct word.
        same = np.array(self.source)[:, None] == self.distinct[None, :]
        self.sums = same.astype(np.float32)


def search(
    network: Network, sentences: Sequence[Words], settings: Search, number: int = 1
) -> list[list[Output]]:
    """Return 1 to ``number`` distinct outputs per sentence, best first.

    Sentences must have words. The beam is at least as large as ``number``.
    """
    beam = max(settings.beam, number)
    order = sorted(range(len(sentences)), key=lambda index: len(sentences[index]))
    batches = [order[at : at + TOGETHER] for at in range(0, len(order), TOGETHER)]

    def search_batch(batch: Sequence[int]) -> list[list[Output]]:
        searches = _begin(network, [sentences[i] for i in batch], settings)
        _run(network, searches, beam)
        return [_rank(network, done, settings)[:number] for done in searches]

    outputs: dict[int, list[Output]] = {}
    for batch, ranked in zip(batches, map_batches(search_batch, batches), strict=True):
        outputs |= zip(batch, ranked, strict=True)
    return [outputs[index] for index in range(len(sentences))]


def score(network: Network, source: Words, target: Words) -> float:
    """Return a model's log-probability of a target, including its end."""
    vocabulary = network.model.vocabulary
    extended = _Extended(vocabulary, source)
    encoded = network.encode([vocabulary.encode(source)])
    decoding = network.begin(encoded)
    copied = dict(zip(source, extended.source, strict=True)) if network.copies else {}
    numbers = [vocabulary.numbers.get(w, copied.get(w, UNKNOWN)) for w in target]
    total, last = 0.0, BEGIN
    for wanted in (*numbers, END):
        step = network.step(encoded, decoding, np.array([last]))
        chances = _extend(step.words, step.copies, [extended])
        total += float(np.log(chances[0, wanted] + TINY))
        last = wanted
    return total


def _begin(
    network: Network, sentences: Sequence[Words], settings: Search
) -> list[_Search]:
    vocabulary = network.model.vocabulary
    encoded = network.encode([vocabulary.encode(words) for words in sentences])
    return [
        _Search(
            words,
            source,
            _Extended(vocabulary, words),
            int(settings.longest * len(words)) + EXTRA_WORDS,
        )
        for words, source in zip(sentences, encoded, strict=True)
    ]


def _run(network: Network, searches: Sequence[_Search], beam: int) -> None:
    """Search until every sentence has enough finished outputs."""
    running = list(searches)
    decoding = network.begin([search.encoded for search in running])
    while running:
        decoding = _advance(network, running, decoding, beam)
        width = len(decoding.fed) // len(running)
        going = [not search.is_done(beam) for search in running]
        rows = np.flatnonzero(np.repeat(going, width))
        running = [search for search in running if not search.is_done(beam)]
        decoding = decoding.select(rows)


def _advance(
    network: Network, searches: Sequence[_Search], decoding: Decoding, beam: int
) -> Decoding:
    """Add a word to every hypothesis; return the rows of those that go on."""
    width = len(decoding.fed) // len(searches)
    last = [_last_words(search, width) for search in searches]
    sources = [search.encoded for search in searches]
    step = network.step(sources, decoding, np.concatenate(last))
    step.words[:, [PAD, BEGIN]] = 0
    if network.copies:
        step.words[:, UNKNOWN] = 0
    chances = _extend(step.words, step.copies, [search.extended for search in searches])
    best, numbers = _find_best(chances, beam + 1)
    rows: list[int] = []
    for index, search in enumerate(searches):
        own = slice(index * width, (index + 1) * width)
        parents = _grow(search, best[own], numbers[own], step.attention[index], beam)
        # A beam that is not full goes on with copies of its first row.
        rows += [own.start + p for p in parents] + [own.start] * (beam - len(parents))
    return decoding.select(np.array(rows))


def _last_words(search: _Search, width: int) -> NDArray[np.int64]:
    numbers = [h.numbers[-1] if h.numbers else BEGIN for h in search.live]
    return np.array([*numbers, *[END] * (width - len(numbers))], np.int64)


def _grow(
    search: _Search,
    best: Floats,
    numbers: NDArray[np.int64],
    attention: Floats,
    beam: int,
) -> list[int]:
    """Take the best next words of a sentence; return the row that each grew from."""
    alive = len(search.live)
    scores = np.array([h.score for h in search.live])[:, None] + np.log(best[:alive])
    flat = scores.ravel()
    origins = attention.argmax(axis=1)
    live: list[_Hypothesis] = []
    parents: list[int] = []
    for index in np.argsort(-flat, kind="stable")[: 2 * beam]:
        row, column = divmod(int(index), scores.shape[1])
        if best[row, column] <= TINY:
            break
        old, number = search.live[row], int(numbers[row, column])
        new = _Hypothesis(
            (*old.numbers, number),
            (*old.origins, int(origins[row])),
            (*old.probabilities, float(best[row, column])),
            float(flat[index]),
        )
        if number == END:
            search.finished.append(new)
        elif len(live) < beam:
            live.append(new)
            parents.append(row)
    search.live = live
    if live and len(live[0].numbers) >= search.most:
        # The longest allowed: what there is counts as finished, if nothing else does.
        search.finished = search.finished or live
        search.live, parents = [], []
    return parents


def _extend(
    words: Floats, copies: Sequence[Floats], extended: Sequence[_Extended]
) -> Floats:
    """Return the probabilities of all words, with those of each source added."""
    if not copies:
        return np.maximum(words, TINY)
    most = max(len(own.added) for own in extended)
    chances = np.zeros((len(words), words.shape[1] + most), np.float32)
    chances[:, : words.shape[1]] = words
    width = len(words) // len(extended)
    for index, (own, copied) in enumerate(zip(extended, copies, strict=True)):
        rows = slice(index * width, (index + 1) * width)
        chances[rows, own.distinct] += copied @ own.sums
    return np.maximum(chances, TINY)


def _find_best(chances: Floats, number: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return the best probabilities of each row and their columns; changes them."""
    rows = np.arange(len(chances))
    best = np.zeros((len(chances), number), np.float32)
    columns = np.zeros((len(chances), number), np.int64)
    for rank in range(number):
        columns[:, rank] = chances.argmax(axis=1)
        best[:, rank] = chances[rows, columns[:, rank]]
        chances[rows, columns[:, rank]] = 0
    return np.maximum(best, TINY), columns


def _rank(network: Network, search: _Search, settings: Search) -> list[Output]:
    """Return the distinct finished outputs, best first."""
    outputs = [_write(network, search, h, settings) for h in search.finished]
    outputs.sort(key=lambda output: (-output.score, output.words))
    return list({output.words: output for output in reversed(outputs)}.values())[::-1]


def _write(
    network: Network, search: _Search, hypothesis: _Hypothesis, settings: Search
) -> Output:
    vocabulary = network.model.vocabulary.words
    ended = hypothesis.numbers[-1:] == (END,)
    numbers = hypothesis.numbers[:-1] if ended else hypothesis.numbers
    words = tuple(
        search.words[origin]
        if number == UNKNOWN
        else vocabulary[number]
        if number < len(vocabulary)
        else search.extended.added[number - len(vocabulary)]
        for number, origin in zip(numbers, hypothesis.origins, strict=False)
    )
    score = settings.normalise(hypothesis.score, len(hypothesis.numbers))
    size = len(words)
    return Output(
        words, hypothesis.origins[:size], hypothesis.probabilities[:size], score
    )
