"""A pack's training summary: sizes, changed words, rewrites of new text."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from paraphrast import config
from paraphrast.corpora.samples import Sample, show_samples
from paraphrast.phrase.coded_corpus import CodedLinks, Corpus
from paraphrast.storage import atomic
from paraphrast.storage.sealed_folder import read_json

FILE = "summary.json"
WORDS = 12
REPLACEMENTS = 3


@dataclass(frozen=True)
class ChangedWord:
    """A source word, the count of links to other words, and those words."""

    word: str
    count: int
    replacements: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """A summary of the training data and result."""

    pairs: int
    dropped: dict[str, int]
    style_sentences: int
    source_words: int
    target_words: int
    phrases: int
    options: int
    ngrams: tuple[int, ...]
    changed: tuple[ChangedWord, ...] = ()
    samples: tuple[Sample, ...] = ()
    tuning: str = ""

    def save(self, path: Path) -> None:
        """Write the summary as JSON."""
        atomic.write_json(path, asdict(self))

    @classmethod
    def load(cls, path: Path) -> "Summary":
        """Read a summary that `save` wrote."""
        table = read_json(path, advice="Train the pack again.")
        return config.build(table, cls, where=str(path))

    def lines(self) -> Iterator[str]:
        """Format the summary as lines of text."""
        yield (
            f"{self.pairs:,} pairs ({self.source_words:,} and {self.target_words:,} "
            f"words) and {self.style_sentences:,} more sentences in the style"
        )
        if self.dropped:
            reasons = ", ".join(f"{why}: {n:,}" for why, n in self.dropped.items())
            yield f"left out: {reasons}"
        ngrams = " + ".join(f"{count:,}" for count in self.ngrams)
        yield f"{self.options:,} options of {self.phrases:,} phrases; n-grams: {ngrams}"
        if self.tuning:
            yield f"tuned: {self.tuning}"
        if self.changed:
            yield "most changed words:"
        for word in self.changed:
            yield f"  {word.word} -> {', '.join(word.replacements)}  ({word.count:,})"
        yield from show_samples(self.samples)


def changed_words(corpus: Corpus, links: CodedLinks) -> tuple[ChangedWord, ...]:
    """Return the words most often replaced one for one, with their replacements."""
    replacements: dict[str, Counter[str]] = {}
    for before, after, count in _word_pairs(corpus, links):
        if before != after and before.isalpha() and after.isalpha():
            replacements.setdefault(before, Counter())[after] = count
    # By name as well, so that equals come in the same order on every run.
    ranked = sorted(replacements.items(), key=lambda row: (-row[1].total(), row[0]))
    return tuple(
        ChangedWord(
            word,
            result.total(),
            tuple(sorted(result, key=lambda w: (-result[w], w))[:REPLACEMENTS]),  # noqa: B023
        )
        for word, result in ranked[:WORDS]
    )


def _word_pairs(corpus: Corpus, links: CodedLinks) -> Iterator[tuple[str, str, int]]:
    """Yield words that are linked to each other alone, and how often."""
    first = links.starts[: len(corpus) + 1]  # what the first aligner found
    pairs = np.repeat(np.arange(len(corpus)), np.diff(first))
    cells = links.cells[: first[-1]].astype(np.int64)
    rows = corpus.source.starts[pairs] + cells[:, 0]
    columns = corpus.target.starts[pairs] + cells[:, 1]
    alone = (np.bincount(rows)[rows] == 1) & (np.bincount(columns)[columns] == 1)
    before = corpus.source.words[rows[alone]].astype(np.uint64)
    after = corpus.target.words[columns[alone]].astype(np.uint64)
    keys, counts = np.unique(before << np.uint64(32) | after, return_counts=True)
    sources, targets = corpus.source.vocabulary.all(), corpus.target.vocabulary.all()
    for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
        yield sources[key >> 32], targets[key & 0xFFFFFFFF], count
