"""Agreement of annotators on alignments: precision, recall, F1 and Ĉ (COHN08 §3).

Annotators' files are matched by the names of the sentence pairs. Pairs that only some
of them aligned are counted, and two annotators are compared on the pairs of both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from paraphrast.align import choosing
from paraphrast.align.base import AlignedPair, Link
from paraphrast.align.formats import read_alignments, read_words
from paraphrast.align.measures import Counts, Level, corpus_counts, micro
from paraphrast.errors import ParaphrastError
from paraphrast.estimators.bootstrap import bootstrap_counts, percentiles
from paraphrast.metrics.defaults import RESAMPLING, Resampling
from paraphrast.study.chance_corrected import (
    SAMPLES,
    ChanceCorrected,
    Concordances,
    concordances,
)
from paraphrast.study.unit_sets import Kind

KINDS: dict[Level, Kind] = {"words": "words", "phrases": "atomic phrases"}


@dataclass(frozen=True, slots=True)
class Table:
    """One of the paper's Tables 3 to 5, for two alignments of the same pairs.

    The second is the reference. ``possible`` and ``sure`` say which of its links are
    used: precision against all or the sure ones, recall of all or of the sure ones. F1
    is that of ``precision_possible`` and ``recall_sure``, the paper's equations (2) and
    (3).
    """

    precision_possible: float
    precision_sure: float
    recall_possible: float
    recall_sure: float
    f1: float
    f1_low: float
    f1_high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The agreement of two annotators on the sentence pairs that both aligned.

    ``tables`` and ``corrected``, which is Ĉ, are by level: words, and atomic phrases.
    """

    annotators: tuple[str, str]
    pairs: int
    tables: dict[Level, Table]
    corrected: dict[Level, ChanceCorrected]


@dataclass(frozen=True, slots=True)
class Report:
    """Every two annotators, and Ĉ of all, averaged over them per sentence pair."""

    comparisons: tuple[Comparison, ...]
    overall: dict[Level, ChanceCorrected]


@dataclass(frozen=True)
class Annotations:
    """The sentence pairs of several annotators by name.

    ``pairs`` has the names of all, in order of first occurrence; ``skipped`` counts, by
    annotator, those that were not aligned.
    """

    pairs: tuple[str, ...]
    by_annotator: Mapping[str, Mapping[str, AlignedPair]]

    @property
    def annotators(self) -> tuple[str, ...]:
        """Return the annotators' names."""
        return tuple(self.by_annotator)

    @property
    def skipped(self) -> dict[str, int]:
        """Return how many pairs each annotator did not align."""
        return {
            name: len(self.pairs) - len(aligned)
            for name, aligned in self.by_annotator.items()
        }

    @property
    def without_links(self) -> dict[str, int]:
        """Return the number of pairs in which each annotator linked nothing."""
        return {
            name: sum(not pair.links for pair in aligned.values())
            for name, aligned in self.by_annotator.items()
        }

    def sentences(self, name: str) -> AlignedPair:
        """Return a sentence pair from the first annotator who aligned it."""
        return next(
            aligned[name] for aligned in self.by_annotator.values() if name in aligned
        )

    def of(self, annotator: str, names: Sequence[str]) -> list[AlignedPair]:
        """Return one annotator's pairs of these names, in their order."""
        return [self.by_annotator[annotator][name] for name in names]

    def find_shared(self, first: str, second: str) -> list[str]:
        """Return the names of the pairs that both annotators aligned."""
        mine, theirs = self.by_annotator[first], self.by_annotator[second]
        return [name for name in self.pairs if name in mine and name in theirs]


def gather_annotations(files: Mapping[str, Sequence[AlignedPair]]) -> Annotations:
    """Match the annotators' pairs by name; pairs without a name by position."""
    by_annotator = {
        annotator: _name_pairs(annotator, pairs) for annotator, pairs in files.items()
    }
    if len(by_annotator) < 2:
        raise ParaphrastError(
            f"agreement needs at least two annotators, not {len(by_annotator)}. "
            "Give a file for each."
        )
    names = dict.fromkeys(name for pairs in by_annotator.values() for name in pairs)
    result = Annotations(tuple(names), by_annotator)
    for annotator, aligned in by_annotator.items():
        for name, pair in aligned.items():
            _check_same(annotator, pair, result.sentences(name), name)
    return result


def align_automatically(
    aligner: str, pairs: Sequence[AlignedPair], *, more: Sequence[AlignedPair] = ()
) -> list[tuple[Link, ...]]:
    """Align the pairs automatically, ignoring their links.

    The aligner is the built-in one of that name, or one trained on these pairs and
    ``more``.
    """
    try:
        align = choosing.load(aligner)
    except ParaphrastError:  # there is none built in
        unlinked = [replace(pair, links=()) for pair in (*pairs, *more)]
        align = choosing.family(aligner).train(unlinked)
    return align([(pair.source, pair.target) for pair in pairs])


def compare_annotators(
    annotations: Annotations,
    initial: Mapping[str, Sequence[Link]],
    *,
    samples: int = SAMPLES,
    resampling: Resampling = RESAMPLING,
) -> Report:
    """Compare every two annotators; ``initial`` has each pair's automatic links."""
    comparisons = []
    result: dict[Level, list[dict[str, tuple[float, float]]]] = {
        level: [] for level in KINDS
    }
    for two in combinations(annotations.annotators, 2):
        names = annotations.find_shared(*two)
        values = _concordances(
            annotations, two, initial, samples=samples, seed=resampling.seed
        )
        sides = [annotations.of(who, names) for who in two]
        totals, tables = {}, {}
        for level, concordances_of_two in values.items():
            totals[level] = concordances_of_two.total(resampling=resampling)
            tables[level] = make_table(*sides, level=level, resampling=resampling)
            both = zip(
                concordances_of_two.observed.tolist(),
                concordances_of_two.expected.tolist(),
                strict=True,
            )
            result[level].append(dict(zip(names, both, strict=True)))
        comparisons.append(Comparison(two, len(names), tables, totals))
    overall = {
        level: _pool_pairs(by_two).total(resampling=resampling)
        for level, by_two in result.items()
    }
    return Report(tuple(comparisons), overall)


def compare_files(
    paths: Mapping[str, Path],
    *,
    format: str | None = None,
    source: Path | None = None,
    target: Path | None = None,
    initial: str = "hmm",
    samples: int = SAMPLES,
    resampling: Resampling = RESAMPLING,
) -> tuple[Annotations, Report]:
    """Compare the files of annotators, given by name.

    ``source`` and ``target`` have the words for formats without any; ``initial`` is the
    aligner for the initial links.
    """
    if (source is None) != (target is None):
        raise ParaphrastError("--source and --target belong together; give both.")
    words = read_words(source, target) if source and target else None
    annotations = gather_annotations(
        {
            name: list(read_alignments(path, format=format, words=words))
            for name, path in paths.items()
        }
    )
    pairs = [annotations.sentences(name) for name in annotations.pairs]
    links = dict(
        zip(annotations.pairs, align_automatically(initial, pairs), strict=True)
    )
    report = compare_annotators(
        annotations, links, samples=samples, resampling=resampling
    )
    return annotations, report


def make_table(
    system: Sequence[AlignedPair],
    gold: Sequence[AlignedPair],
    *,
    level: Level,
    resampling: Resampling = RESAMPLING,
) -> Table:
    """Compare alignments with a reference as the paper's tables do."""
    counts = corpus_counts(system, gold, level=level)
    generous = micro(counts)
    sure = micro(corpus_counts(system, gold, level=level, labels="sure"))
    possible = micro(corpus_counts(system, gold, level=level, labels="possible"))
    low, high = _f1_interval(counts, resampling)
    return Table(
        precision_possible=generous.precision,
        precision_sure=sure.precision,
        recall_possible=possible.recall,
        recall_sure=generous.recall,
        f1=generous.f1,
        f1_low=min(low, generous.f1),
        f1_high=max(high, generous.f1),
    )


def _concordances(
    annotations: Annotations,
    two: tuple[str, str],
    initial: Mapping[str, Sequence[Link]],
    *,
    samples: int,
    seed: int,
) -> dict[Level, Concordances]:
    names = annotations.find_shared(*two)
    if not names:
        raise ParaphrastError(
            f"annotators {two[0]!r} and {two[1]!r} aligned no sentence pair in "
            "common. Leave one of them out."
        )
    result = concordances(
        {who: annotations.of(who, names) for who in two},
        [initial[name] for name in names],
        kinds=tuple(KINDS.values()),
        samples=samples,
        seed=seed,
    )
    return {level: result[kind][two] for level, kind in KINDS.items()}


def _pool_pairs(by_two: Sequence[Mapping[str, tuple[float, float]]]) -> Concordances:
    """Average each sentence pair over the pairs of annotators who aligned it."""
    names = dict.fromkeys(name for result in by_two for name in result)
    means = np.array(
        [
            np.mean([result[name] for result in by_two if name in result], axis=0)
            for name in names
        ]
    )
    return Concordances(means[:, 0], means[:, 1])


def _f1_interval(
    counts: Sequence[Counts], resampling: Resampling
) -> tuple[float, float]:
    """Resample sentence pairs; 0 / 0 is 1, as in the measures."""
    rows = np.array(
        [[c.said_and_right, c.said, c.wanted_and_found, c.wanted] for c in counts],
        np.float64,
    )
    blocks = bootstrap_counts(len(rows), **asdict(resampling))
    sums = np.concatenate([rows.sum(axis=0)[None], *(block @ rows for block in blocks)])
    shares = np.ones((2, len(sums)))
    for share, right in zip(shares, (0, 2), strict=True):
        np.divide(
            sums[:, right], sums[:, right + 1], out=share, where=sums[:, right + 1] > 0
        )
    total = shares.sum(axis=0)
    f1 = np.zeros(len(sums))
    np.divide(2 * shares[0] * shares[1], total, out=f1, where=total > 0)
    return percentiles(f1)


def _name_pairs(annotator: str, pairs: Sequence[AlignedPair]) -> dict[str, AlignedPair]:
    named: dict[str, AlignedPair] = {}
    for number, pair in enumerate(pairs, start=1):
        name = pair.name or str(number)
        if name in named:
            raise ParaphrastError(
                f"{annotator}: sentence pair {name!r} comes twice. Keep one of the two."
            )
        named[name] = pair
    return named


def _check_same(
    annotator: str, pair: AlignedPair, first: AlignedPair, name: str
) -> None:
    if (pair.source, pair.target) != (first.source, first.target):
        raise ParaphrastError(
            f"{annotator}: sentence pair {name!r} has other words than another "
            "annotator's. Check that the files belong together."
        )
