"""STRAP's NAIVE system (§3.2): copy, or answer with any sentence of the target style.

It transfers no style at all, and yet does well by GM when the share of copies is
right; a metric on which it beats a real system can be gamed.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.metrics.base import Metric, Segment, rows

GRID = tuple(step / 10 for step in range(11))


@dataclass(frozen=True, slots=True)
class Tuned:
    """The best share of copies, and what every share on the grid scored."""

    copies: float
    scores: Mapping[float, float]


def make_naive_outputs(
    segments: Sequence[Segment],
    target_corpus: Mapping[str, Sequence[str]],
    *,
    copies: float,
    seed: int,
) -> list[str]:
    """Return an output a segment: its source with probability ``copies``, or a
    random sentence of its target style.
    """
    if not 0 <= copies <= 1:
        raise ParaphrastError(f"the share of copies must be 0 to 1, not {copies}.")
    for segment in segments:
        if not target_corpus.get(segment.target):
            raise unknown("style to retrieve from", segment.target, target_corpus)
    draw = random.Random(seed)
    # Both are drawn for every segment, so that another share changes only the copies.
    drawn = [(draw.random(), draw.random()) for _ in segments]
    return [
        s.source if chance < copies else _pick(target_corpus[s.target], place)
        for s, (chance, place) in zip(segments, drawn, strict=True)
    ]


def tune_copies(
    segments: Sequence[Segment],
    target_corpus: Mapping[str, Sequence[str]],
    *,
    metric: Metric,
    seed: int,
) -> Tuned:
    """Choose the share of copies that scores best on validation segments.

    The paper's metric is GM. Of equals the smallest share is taken.
    """
    scores = {}
    for copies in GRID:
        outputs = make_naive_outputs(segments, target_corpus, copies=copies, seed=seed)
        answered = [
            replace(segment, output=output)
            for segment, output in zip(segments, outputs, strict=True)
        ]
        scores[copies] = float(metric.total(rows(metric, answered).sum(axis=0)))
    return Tuned(max(scores, key=lambda copies: scores[copies]), scores)


def _pick(texts: Sequence[str], place: float) -> str:
    return texts[int(place * len(texts))]
