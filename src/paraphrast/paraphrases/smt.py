"""Paraphrases by monolingual translation (Quirk et al. 2004).

Monolingual sentence pairs are word-aligned, all phrase pairs are extracted (Och and Ney
2004), and p(e2 | e1) is the relative frequency of e2 as the counterpart of e1. Every
count is reduced by an absolute discount (Ney et al. 1994), so that rare pairs are not
as certain as frequent ones:

    p(e2 | e1) = (count(e1, e2) - D) / count(e1),   D = n1 / (n1 + 2 n2),

where n1 and n2 are the numbers of phrase pairs seen once and twice. The discounted mass
is left to unseen paraphrases. A phrase paired with itself counts in count(e1), but is
not a paraphrase.

Phrase pairs are counted on disk; memory grows only with the table.
"""

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from paraphrast.align.base import AlignedPair
from paraphrast.align.phrase_pairs import Boundaries, batch_spans
from paraphrast.paraphrases.coded_text import BATCH, Vocabulary
from paraphrast.paraphrases.phrase_book import (
    PhraseBook,
    assemble_table,
    check_longest,
    hash_phrases,
)
from paraphrast.paraphrases.spool import Spool, group_rows
from paraphrast.paraphrases.table import Table


@dataclass(frozen=True)
class Settings:
    """Settings of extraction.

    In direction ``both`` each pair also counts in reverse; in ``forward`` phrases are
    from the sources and paraphrases from the targets.
    """

    longest: int = 5
    boundaries: Boundaries = "loose"
    links: Literal["possible", "sure"] = "possible"
    direction: Literal["both", "forward"] = "both"
    case: Literal["lower", "mixed"] = "lower"
    smoothing: Literal["discount", "none"] = "discount"
    min_count: int = 1
    minimum: float = 0.01

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_longest(self.longest)


class _Counts:
    """Phrase pairs on disk, and what is needed to name them."""

    def __init__(self, folder: Path) -> None:
        self.book = PhraseBook(folder / "phrases")
        self.pairs = Spool(folder / "pairs", [("first", "<u8"), ("second", "<u8")])
        self.vocabulary = Vocabulary()
        self.words = folder / "words"
        self.sentences = 0
        self._begin = 0

    def add(
        self, batch: Sequence[AlignedPair], settings: Settings, row: BinaryIO
    ) -> None:
        """Count the phrase pairs of some sentence pairs; append their words."""
        lower = settings.case == "lower"
        source = self.vocabulary.side(_set_case(pair.source, lower) for pair in batch)
        target = self.vocabulary.side(_set_case(pair.target, lower) for pair in batch)
        links = np.array(
            [
                (
                    source.starts[number] + link.source,
                    target.starts[number] + link.target,
                )
                for number, pair in enumerate(batch)
                for link in pair.links
                if link.sure or settings.links == "possible"
            ],
            np.int64,
        ).reshape(-1, 2)
        first, first_ends, second, second_ends = batch_spans(
            (source.starts, target.starts),
            (links[:, 0].copy(), links[:, 1].copy()),
            longest=settings.longest,
            boundaries=settings.boundaries,
        )
        sides = (
            (source, first, first_ends - first),
            (target, second, second_ends - second),
        )
        hashes = self.vocabulary.hashes()
        phrases = [hash_phrases(side.words, hashes, *spans) for side, *spans in sides]
        self.pairs.add(*phrases)
        if settings.direction == "both":
            self.pairs.add(*reversed(phrases))
        for keys, (side, starts, lengths) in zip(phrases, sides, strict=True):
            self.book.add(keys, self._begin + starts, lengths)
            side.words.tofile(row)
            self._begin += len(side.words)
        self.sentences += len(batch)


def extract(
    pairs: Iterable[AlignedPair],
    *,
    settings: Settings | None = None,
    folder: Path | None = None,
) -> Table:
    """Return the paraphrases in aligned monolingual sentence pairs.

    Temporary data are in ``folder`` (or the system's own).
    """
    chosen = settings or Settings()
    with tempfile.TemporaryDirectory(dir=folder) as name:
        counts = _Counts(Path(name))
        waiting = iter(pairs)
        with counts.words.open("wb") as row:
            while batch := list(islice(waiting, BATCH)):
                counts.add(batch, chosen, row)
        return _table(counts, chosen)


def _table(counts: _Counts, settings: Settings) -> Table:
    parts, once, twice = [], 0, 0
    for part in counts.pairs:
        first, second, seen, total = _count_pairs(part)
        once, twice = once + int((seen == 1).sum()), twice + int((seen == 2).sum())
        # What is too rare without a discount will be too rare with it.
        kept = (first != second) & (seen >= settings.min_count)
        kept &= seen / total >= settings.minimum
        parts.append((first[kept], second[kept], seen[kept], total[kept]))
    first, second, seen, total = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    discount = _discount(once, twice) if settings.smoothing == "discount" else 0.0
    probability = (seen - discount) / total
    kept = probability >= settings.minimum
    return assemble_table(
        (first[kept], second[kept]),
        probability[kept],
        [(counts.book, counts.vocabulary, np.fromfile(counts.words, np.int32))],
        about={
            "method": "smt",
            "case": settings.case,
            "pairs": counts.sentences,
            "discount": discount,
            "settings": asdict(settings),
        },
    )


def _count_pairs(part: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Return distinct pairs, how often each was seen, and its first phrase."""
    order, starts = group_rows(part["first"], part["second"])
    seen = np.diff(np.append(starts, len(order)))
    first = part["first"][order][starts]
    _, index = np.unique(first, return_inverse=True)
    total = np.bincount(index, seen)[index] if len(index) else seen
    return first, part["second"][order][starts], seen, total


def _discount(once: int, twice: int) -> float:
    # Where nothing was seen twice the estimate would take all of every single count.
    return once / (once + 2 * twice) if twice else 0.5


def _set_case(words: Sequence[str], lower: bool) -> Sequence[str]:
    return [word.lower() for word in words] if lower else words
