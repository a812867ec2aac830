"""The rows that need no system: COPY, REFERENCE and NAIVE.

They put a score into perspective: what doing nothing scores, what a person scores, and
what STRAP's naive system (§3.2) scores by copying or retrieving at random. It transfers
no style at all, and yet does well on GM with the right share of copies; a metric on
which it beats a real system can be gamed.

NAIVE retrieves from the corpus of a line's target style. For a style without one, the
references of the lines with that target are used, which favours NAIVE slightly: they
are from the test's own domain.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.metrics.base import Metric, Segment, rows, set_outputs

COPY, REFERENCE, NAIVE = "COPY", "REFERENCE", "NAIVE"
CONTROLS = (COPY, REFERENCE, NAIVE)
UNTUNED = 0.5
GRID = tuple(step / 10 for step in range(11))  # of the shares of copies


@dataclass(frozen=True, slots=True)
class Controls:
    """The rows that could be made, with notes, and why others could not."""

    rows: Mapping[str, Sequence[Segment]]
    notes: Mapping[str, str]
    missing: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Tuned:
    """The best share of copies, and what every share on the grid scored."""

    copies: float
    scores: Mapping[float, float]


def make_controls(
    segments: Sequence[Segment],
    target_corpus: Mapping[str, Sequence[str]],
    *,
    validation: Sequence[Segment] = (),
    tuning: Metric | None = None,
    seed: int,
) -> Controls:
    """Make the three rows from any system's segments, whose outputs are ignored.

    NAIVE's share of copies is the best by ``tuning`` on the validation segments.
    """
    made: dict[str, Sequence[Segment]] = {
        COPY: [replace(segment, output=segment.source) for segment in segments]
    }
    notes, missing = {COPY: "the sources, unchanged."}, {}
    if all(segment.references for segment in segments):
        made[REFERENCE], notes[REFERENCE] = _make_reference(segments)
    else:
        missing[REFERENCE] = "no references were given."
    pools, origin = _find_pools(segments, target_corpus)
    lacking = [s.target for s in segments if not pools.get(s.target)]
    if lacking:
        style = f"of {lacking[0]!r} " if lacking[0] else ""
        missing[NAIVE] = (
            f"neither target corpus nor references {style}to retrieve from."
        )
    else:
        copies, how = _choose_share(validation, pools, tuning, seed=seed)
        outputs = make_naive_outputs(segments, pools, copies=copies, seed=seed)
        made[NAIVE] = set_outputs(segments, outputs)
        notes[NAIVE] = (
            f"a copy with p = {copies:g} ({how}), else a random line of {origin}."
        )
    return Controls(made, notes, missing)


def make_naive_outputs(
    segments: Sequence[Segment],
    target_corpus: Mapping[str, Sequence[str]],
    *,
    copies: float,
    seed: int,
) -> list[str]:
    """Return an output per segment: its source with probability ``copies``, or a
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
        s.source if chance < copies else _draw(target_corpus[s.target], share)
        for s, (chance, share) in zip(segments, drawn, strict=True)
    ]


def tune_copies(
    segments: Sequence[Segment],
    target_corpus: Mapping[str, Sequence[str]],
    *,
    metric: Metric,
    seed: int,
) -> Tuned:
    """Choose the share of copies that scores best on validation segments.

    The paper's metric is GM. Of equally good shares the smallest is used.
    """
    scores = {}
    for copies in GRID:
        outputs = make_naive_outputs(segments, target_corpus, copies=copies, seed=seed)
        answered = set_outputs(segments, outputs)
        scores[copies] = float(metric.total(rows(metric, answered).sum(axis=0)))
    return Tuned(max(scores, key=lambda copies: scores[copies]), scores)


def _make_reference(segments: Sequence[Segment]) -> tuple[Sequence[Segment], str]:
    row = set_outputs(segments, [segment.references[0] for segment in segments])
    if any(len(segment.references) == 1 for segment in segments):
        return row, "the first reference against itself: the maximum score."
    return [replace(segment, references=segment.references[1:]) for segment in row], (
        "the first reference against the others; systems are scored against all."
    )


def _find_pools(
    segments: Sequence[Segment], target_corpus: Mapping[str, Sequence[str]]
) -> tuple[dict[str, list[str]], str]:
    """Return what NAIVE retrieves from for each style, and its name."""
    pools: dict[str, list[str]] = {}
    for segment in segments:
        if not target_corpus.get(segment.target):
            pools.setdefault(segment.target, []).extend(segment.references)
    given = {style: list(texts) for style, texts in target_corpus.items() if texts}
    names = ["the target corpus"] * bool(given) + ["the references"] * bool(pools)
    return pools | given, " or ".join(names)


def _choose_share(
    validation: Sequence[Segment],
    pools: Mapping[str, Sequence[str]],
    tuning: Metric | None,
    *,
    seed: int,
) -> tuple[float, str]:
    if not validation:
        return UNTUNED, "not tuned: no validation text was given"
    if tuning is None:
        return UNTUNED, "not tuned: there is no GM to tune it by"
    return tune_copies(validation, pools, metric=tuning, seed=seed).copies, (
        f"tuned by {tuning.name} on {len(validation):,} validation lines"
    )


def _draw(texts: Sequence[str], share: float) -> str:
    return texts[int(share * len(texts))]
