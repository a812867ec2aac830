"""Ĉ: agreement on alignments, corrected for chance (COHN08 §3).

π̂ is the mean over sentence pairs of |A ∩ B| / min(|A|, |B|), A and B being the units
of the two annotators: linked words, atomic phrase pairs, or all phrase pairs, without
identical ones. π̂₀ is the agreement expected by chance. Annotators are assumed to start
from an automatic alignment and to change its cells at random, as often as that
annotator did in pairs of that length: the number of changed cells of a pair is binomial
with a probability linear in the combined length of its sides, fitted by maximum
likelihood. A thousand such alignments are sampled for each annotator and every sentence
pair, and compared in the same way::

    Ĉ = (π̂ - π̂₀) / (1 - π̂₀)                                               (5) to (7)

Both means are over the corpus, and Ĉ is computed from them, not averaged over pairs.
The paper does not define the agreement of empty sets; here two empty sets agree fully
and an empty set does not agree with any other, in π̂ and in π̂₀ alike. Then annotators
who give the same alignment with probability c, and otherwise one by chance, have a Ĉ of
c.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np

from paraphrast.align.base import AlignedPair, Link
from paraphrast.align.links import possible_cells
from paraphrast.errors import ParaphrastError
from paraphrast.estimators.bootstrap import bootstrap_counts, percentiles
from paraphrast.metrics.base import Matrix
from paraphrast.metrics.defaults import RESAMPLING, SEED, Resampling
from paraphrast.study.unit_sets import KINDS, Grid, Kind, concordance, unit_sets

SAMPLES = 1_000

_BLOCK = 4_000_000  # cells or phrases held at once
_STEPS = 50  # of fitting, at most
_CLOSE = 1e-12

Two: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ChanceCorrected:
    """Ĉ with its 95% interval and components."""

    value: float
    low: float
    high: float
    observed: float
    expected: float
    pairs: int


@dataclass(frozen=True)
class Concordances:
    """Observed and expected agreement of two annotators, one per sentence pair."""

    observed: Matrix
    expected: Matrix

    def total(
        self,
        rows: Sequence[int] | None = None,
        resampling: Resampling = RESAMPLING,
    ) -> ChanceCorrected:
        """Return Ĉ over all sentence pairs or a subset, with a bootstrap interval."""
        both = np.stack([self.observed, self.expected], axis=1)
        both = both if rows is None else both[list(rows)]
        if not len(both):
            raise ParaphrastError("agreement on no sentence pair is not defined.")
        observed, expected = (float(mean) for mean in both.mean(axis=0))
        value = correct_for_chance(observed, expected)
        means = [
            counts @ both / len(both)
            for counts in bootstrap_counts(len(both), **asdict(resampling))
        ]
        drawn = [
            correct_for_chance(*mean) for block in means for mean in block.tolist()
        ]
        low, high = percentiles(np.array([*drawn, value]))
        return ChanceCorrected(
            value, min(low, value), max(high, value), observed, expected, len(both)
        )


@dataclass(frozen=True, slots=True)
class EditLine:
    """The probability that a cell is changed, as a line over the combined length."""

    intercept: float
    slope: float

    def __call__(self, source_words: int, target_words: int) -> float:
        """Return the probability of changing a cell in a pair of these lengths."""
        line = self.intercept + self.slope * (source_words + target_words)
        return min(max(line, 0.0), 1.0)


def correct_for_chance(observed: float, expected: float) -> float:
    """Correct an observed agreement for the one expected by chance.

    If chance agreement is 1, the result is minus infinity, as in the paper.
    """
    if expected >= 1.0:
        return -np.inf
    return (observed - expected) / (1 - expected)


def concordances(
    annotations: Mapping[str, Sequence[AlignedPair]],
    initial: Sequence[Sequence[Link]],
    *,
    kinds: tuple[Kind, ...] = KINDS,
    samples: int = SAMPLES,
    seed: int = SEED,
) -> dict[Kind, dict[Two, Concordances]]:
    """Compare every two annotators of the same sentence pairs, in every kind of unit.

    ``initial`` has the links of an automatic alignment of each sentence pair.
    """
    _check(annotations, initial, samples)
    lines = edit_lines(annotations, initial)
    twos = list(combinations(annotations, 2))
    size = len(initial)
    result: dict[Kind, dict[Two, Concordances]] = {
        kind: {two: Concordances(np.zeros(size), np.zeros(size)) for two in twos}
        for kind in kinds
    }
    for row, links in enumerate(initial):
        pairs = {name: given[row] for name, given in annotations.items()}
        observed = {name: _grid(pair, pair.links)[None] for name, pair in pairs.items()}
        for kind, two, values in _compare_sets(observed, pairs, kinds):
            result[kind][two].observed[row] = values[0]
        draw = np.random.default_rng([seed, row])
        for block in _draw_alignments(pairs, links, lines, samples=samples, draw=draw):
            for kind, two, values in _compare_sets(block, pairs, kinds):
                result[kind][two].expected[row] += values.sum() / samples
    return result


def edit_lines(
    annotations: Mapping[str, Sequence[AlignedPair]], initial: Sequence[Sequence[Link]]
) -> dict[str, EditLine]:
    """Fit each annotator's rate of changes to the initial alignment."""
    starts = [possible_cells(links) for links in initial]
    lines = {}
    for name, pairs in annotations.items():
        changed = [
            len(possible_cells(pair.links) ^ start)
            for pair, start in zip(pairs, starts, strict=True)
        ]
        sizes = [(len(pair.source), len(pair.target)) for pair in pairs]
        lines[name] = fit_edits(sizes, changed)
    return lines


def fit_edits(sizes: Sequence[tuple[int, int]], changed: Sequence[int]) -> EditLine:
    """Fit the line to the number of cells changed in pairs of these sizes.

    Fisher scoring: least squares of the shares, each weighted by its inverse variance
    under the current line, until convergence.
    """
    lengths = np.array([sum(size) for size in sizes], np.float64)
    cells = np.array([rows * columns for rows, columns in sizes], np.float64)
    shares = np.asarray(changed, np.float64) / cells
    middle = float(np.average(lengths, weights=cells))
    level, slope = float(np.average(shares, weights=cells)), 0.0
    # A line may pass below zero at some length; its variance there is kept above
    # zero by less than one change in the whole corpus.
    least = 0.5 / cells.sum()
    for _ in range(_STEPS):
        expected = np.clip(level + slope * (lengths - middle), least, 1 - least)
        weights = cells / (expected * (1 - expected))
        before = (level, slope)
        level, slope = _weighted_line(lengths - middle, shares, weights)
        if np.allclose(before, (level, slope), rtol=0, atol=_CLOSE):
            break
    return EditLine(level - slope * middle, slope)


def _weighted_line(x: Matrix, y: Matrix, weights: Matrix) -> tuple[float, float]:
    """Return the intercept and the slope of the line of least squares."""
    total = weights.sum()
    x_mean, y_mean = (weights @ x) / total, (weights @ y) / total
    spread = weights @ (x - x_mean) ** 2
    if spread <= _CLOSE * total:  # all lengths are the same
        return float(y_mean), 0.0
    slope = weights @ ((x - x_mean) * (y - y_mean)) / spread
    return float(y_mean - slope * x_mean), float(slope)


def _draw_alignments(
    pairs: Mapping[str, AlignedPair],
    links: Sequence[Link],
    lines: Mapping[str, EditLine],
    *,
    samples: int,
    draw: np.random.Generator,
) -> Iterator[dict[str, Grid]]:
    """Yield blocks of chance alignments for each annotator."""
    pair = next(iter(pairs.values()))
    start = _grid(pair, links)
    shorter = min(start.shape)
    step = max(1, _BLOCK // max(start.size, shorter * shorter))
    for done in range(0, samples, step):
        shape = (min(step, samples - done), *start.shape)
        yield {
            name: start ^ (draw.random(shape, np.float32) < lines[name](*start.shape))
            for name in pairs
        }


def _compare_sets(
    cells: Mapping[str, Grid],
    pairs: Mapping[str, AlignedPair],
    kinds: tuple[Kind, ...],
) -> Iterator[tuple[Kind, Two, Matrix]]:
    sets = {
        name: unit_sets(grid, pairs[name].source, pairs[name].target, kinds)
        for name, grid in cells.items()
    }
    for first, second in combinations(sets, 2):
        for kind in kinds:
            agreed = concordance(sets[first][kind], sets[second][kind])
            yield kind, (first, second), agreed


def _grid(pair: AlignedPair, links: Sequence[Link]) -> Grid:
    grid = np.zeros((len(pair.source), len(pair.target)), bool)
    for link in links:
        grid[link.source, link.target] = True
    return grid


def _check(
    annotations: Mapping[str, Sequence[AlignedPair]],
    initial: Sequence[Sequence[Link]],
    samples: int,
) -> None:
    if len(annotations) < 2:
        raise ParaphrastError(
            f"agreement needs at least two annotators, not {len(annotations)}."
        )
    if samples < 1:
        raise ParaphrastError(f"samples must be at least 1, not {samples}.")
    for name, pairs in annotations.items():
        if len(pairs) != len(initial):
            raise ParaphrastError(
                f"annotator {name!r} aligned {len(pairs)} sentence pairs, but "
                f"{len(initial)} have an initial alignment. Give the same pairs."
            )
    for row, same in enumerate(zip(*annotations.values(), strict=True), start=1):
        if len({(pair.source, pair.target) for pair in same}) > 1:
            raise ParaphrastError(
                f"sentence pair {same[0].name or row} differs between annotators."
            )
        if not (same[0].source and same[0].target):
            raise ParaphrastError(
                f"sentence pair {same[0].name or row} has an empty side. Drop it."
            )
