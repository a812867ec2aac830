"""Paraphrases by pivoting through another language (Bannard and Callison-Burch 2005).

Two English phrases that translate the same foreign phrase f are likely to mean the
same:

    p(e2 | e1) = sum over f of p(f | e1) p(e2 | f),   e2 other than e1,

with both probabilities from the counts of phrase pairs in word-aligned text. Over
several texts the mean over those in which e1 occurs is used, so that it remains a
probability (the paper sums them, which gives the same ranking).

Memory does not grow with the text. Phrase pairs are written to disk in partitions by f,
which join the pairs of each f; as the count of e1 divides the whole sum, it is applied
after the products, in partitions by e1, are summed:

    p(e2 | e1) = 1 / count(e1) * sum over f of count(e1, f) p(e2 | f).
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.align.base import AlignedPair
from paraphrast.align.phrase_pairs import Boundaries, batch_spans
from paraphrast.corpora.pairs import Pair
from paraphrast.errors import ParaphrastError
from paraphrast.estimators.matrix import mark_changes, sum_groups
from paraphrast.paraphrases.coded_text import CodedText, LinkFile, Sentence
from paraphrast.paraphrases.diagonal import Diagonal
from paraphrast.paraphrases.phrase_book import (
    PhraseBook,
    assemble_table,
    check_longest,
    hash_phrases,
)
from paraphrast.paraphrases.spool import Spool, group_rows
from paraphrast.paraphrases.table import Table
from paraphrast.paraphrases.words import english_words, foreign_words
from paraphrast.text.runs import Integers, Runs

MOST_SLOTS = 1 << 25
MOST_PRODUCTS = 2_000_000


@dataclass(frozen=True)
class Settings:
    """How phrases are found and which paraphrases are kept.

    Sentence pairs longer than ``max_words`` on a side are left out, phrase pairs seen
    fewer than ``min_count`` times only contribute to the counts of their phrases, and
    paraphrases below ``minimum`` are dropped (PARAMETRIC §7.2 keeps 1%). Terms with
    p(e2 | f) below ``floor``, which sum to at most ``floor``, are left out.
    """

    longest: int = 5
    max_words: int = 60
    min_count: int = 2
    minimum: float = 0.01
    floor: float = 0.001
    boundaries: Boundaries = "loose"

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_longest(self.longest)


@dataclass(frozen=True)
class Counted:
    """The counts of one text: its English phrases, and products of pairs."""

    text: CodedText
    read: int
    book: PhraseBook
    products: Spool


def extract(
    texts: Sequence[Iterable[Pair]],
    *,
    settings: Settings | None = None,
    processes: int = 1,
    folder: Path | None = None,
    progress: Callable[[str], None] = lambda stage: None,
) -> Table:
    """Return the paraphrases of English phrases in texts with translations.

    The source of each pair is English, and all pairs of a text have one other language.
    Texts are processed in parallel in ``processes``. Temporary data are in ``folder``
    (or the system's own).
    """
    chosen = settings or Settings()
    if not texts:
        raise ParaphrastError("there is no text to extract from. Give at least one.")
    with tempfile.TemporaryDirectory(dir=folder) as name:
        jobs = [
            (text, Path(name) / str(number), chosen)
            for number, text in enumerate(texts)
        ]
        progress(f"aligning {len(jobs)} texts and counting phrase pairs")
        if processes > 1 and len(jobs) > 1:
            with ProcessPoolExecutor(min(processes, len(jobs))) as pool:
                counted = list(pool.map(count, *zip(*jobs, strict=True)))
        else:
            counted = [count(*job) for job in jobs]
        progress("summing over the texts")
        return _table(counted, chosen)


def count(text: Iterable[Pair], folder: Path, settings: Settings) -> Counted:
    """Align one text, and pair the English phrases that share translations."""
    coded = CodedText(folder / "text")
    read = 0

    def count_read() -> Iterator[Pair]:
        nonlocal read
        for pair in text:
            read += 1
            yield pair

    coded.write(_sentences(count_read(), settings))
    model = Diagonal(*map(len, coded.vocabularies), slots=_count_slots(coded))
    model.train(lambda: ((source, target) for _, source, target in coded.batches()))
    linked = (
        (begin, source, target, model.align(source, target))
        for begin, source, target in coded.batches()
    )
    return _count_phrases(coded, read, linked, folder, settings)


def extract_aligned(
    pairs: Iterable[AlignedPair],
    *,
    settings: Settings | None = None,
    folder: Path | None = None,
) -> Table:
    """Return the paraphrases in one text whose words are aligned already."""
    chosen = settings or Settings()
    with tempfile.TemporaryDirectory(dir=folder) as name:
        return _table([_count_aligned(pairs, Path(name), chosen)], chosen)


def _count_aligned(
    pairs: Iterable[AlignedPair], folder: Path, settings: Settings
) -> Counted:
    coded = CodedText(folder / "text")
    read = 0

    def fitting() -> Iterator[tuple[Sentence, Sentence]]:
        nonlocal read
        for pair in pairs:
            read += 1
            if all(
                0 < len(s) <= settings.max_words for s in (pair.source, pair.target)
            ):
                links.add([(link.source, link.target) for link in pair.links])
                yield list(pair.source), list(pair.target)

    with LinkFile(folder / "links") as links:
        coded.write(fitting())
    linked = (
        (begin, source, target, own.positions(source, target))
        for (begin, source, target), own in zip(
            coded.batches(), links.batches(), strict=True
        )
    )
    return _count_phrases(coded, read, linked, folder, settings)


def _count_phrases(
    coded: CodedText,
    read: int,
    linked: Iterable[tuple[int, Runs, Runs, tuple[Integers, Integers]]],
    folder: Path,
    settings: Settings,
) -> Counted:
    """Pair the phrases of batches of aligned sentences."""
    book = PhraseBook(folder / "phrases")
    pairs = Spool(folder / "pairs", [("foreign", "<u8"), ("english", "<u8")])
    hashes = [vocabulary.hashes() for vocabulary in coded.vocabularies]
    for begin, source, target, links in linked:
        starts, ends, target_starts, target_ends = batch_spans(
            (source.starts, target.starts),
            links,
            longest=settings.longest,
            boundaries=settings.boundaries,
        )
        lengths = ends - starts
        english = hash_phrases(source.words, hashes[0], starts, lengths)
        foreign = hash_phrases(
            target.words, hashes[1], target_starts, target_ends - target_starts
        )
        pairs.add(foreign, english)
        book.add(english, begin + starts, lengths)
    products = Spool(
        folder / "products", [("first", "<u8"), ("second", "<u8"), ("weight", "<f4")]
    )
    for part in pairs:
        for columns in pair_phrases(part["foreign"], part["english"], settings):
            products.add(*columns)
    pairs.delete()
    return Counted(coded, read, book, products)


def pair_phrases(
    foreign: NDArray[np.uint64], english: NDArray[np.uint64], settings: Settings
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float64]]]:
    """Yield e1, e2 and count(e1, f) p(e2 | f) for all that share an f.

    The rows are the phrase pairs of a text, once for every time they occur, with all
    pairs of each foreign phrase.
    """
    order, starts = group_rows(foreign, english)
    counts = np.diff(np.append(starts, len(order))).astype(np.int64)
    english, foreign = english[order][starts], foreign[order][starts]
    group = np.cumsum(mark_changes(foreign)) - 1
    given = counts / np.bincount(group, counts)[group] if len(group) else counts / 1
    first = np.flatnonzero(counts >= settings.min_count)
    second = first[given[first] >= settings.floor]
    sizes = np.bincount(group[second], minlength=len(group))
    begins = np.cumsum(sizes) - sizes
    times = sizes[group[first]]
    cuts = np.searchsorted(
        np.cumsum(times), np.arange(1, times.sum() // MOST_PRODUCTS + 1) * MOST_PRODUCTS
    )
    for some in np.split(np.arange(len(first)), cuts):
        repeats = times[some]
        left = np.repeat(first[some], repeats)
        steps = np.arange(len(left)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        right = second[np.repeat(begins[group[first[some]]], repeats) + steps]
        other = left != right
        left, right = left[other], right[other]
        yield english[left], english[right], counts[left] * given[right]


def _table(counted: Sequence[Counted], settings: Settings) -> Table:
    parts = [
        _sum_products(partition, settings.minimum)
        for partition in zip(
            *(
                zip(counts.book.spool, counts.products, strict=True)
                for counts in counted
            ),
            strict=True,
        )
    ]
    first, second, probability = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    return assemble_table(
        (first, second),
        probability,
        [
            (counts.book, counts.text.vocabularies[0], counts.text.source_words())
            for counts in counted
        ],
        about={
            "method": "pivot",
            "case": "lower",
            "pairs": sum(counts.text.pairs for counts in counted),
            "pairs_read": sum(counts.read for counts in counted),
            "texts": len(counted),
            "settings": asdict(settings),
        },
    )


def _sum_products(
    texts: Sequence[tuple[NDArray[Any], NDArray[Any]]], minimum: float
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float64]]:
    """Sum the products of one partition and divide by the counts of phrases."""
    columns: list[tuple[NDArray[Any], ...]] = []
    seen: list[NDArray[np.uint64]] = []
    for phrases, products in texts:
        distinct, index = np.unique(phrases["phrase"], return_inverse=True)
        totals = np.bincount(index, phrases["count"])
        seen.append(distinct)
        given = totals[np.searchsorted(distinct, products["first"])]
        columns.append(
            (products["first"], products["second"], products["weight"] / given)
        )
    first, second, weight = (
        np.concatenate(column) for column in zip(*columns, strict=True)
    )
    order, starts = group_rows(first, second)
    first, second = first[order][starts], second[order][starts]
    weight = sum_groups(weight[order], starts)
    distinct, texts_with = np.unique(np.concatenate(seen), return_counts=True)
    weight = weight / texts_with[np.searchsorted(distinct, first)]
    kept = weight >= minimum
    return first[kept], second[kept], weight[kept]


def _sentences(
    text: Iterable[Pair], settings: Settings
) -> Iterator[tuple[Sentence, Sentence]]:
    for pair in text:
        source, target = english_words(pair.source), foreign_words(pair.target)
        if 0 < len(source) <= settings.max_words and (
            0 < len(target) <= settings.max_words
        ):
            yield source, target


def _count_slots(text: CodedText) -> int:
    """Return one slot per few cells of a small text, at most `MOST_SLOTS`."""
    cells = sum(
        int((source.lengths() * target.lengths()).sum())
        for _, source, target in text.batches()
    )
    return min(MOST_SLOTS, 1 << max(cells, 2).bit_length())
