"""A judge's behaviour on minimal pairs.

Each probe changes one thing in lines of Romeo and Juliet. *Should* says what the
evaluator must do, and *does* in what share of the pairs it does: for style and fluency
the decision must *stay* or turn (*refuse*) where it was right before; the similarity to
the line's counterpart in the other style must *stay* within 0.05 or *fall* by more;
formality must *stay* within half a point on its scale of six, or *fall* by more where
case is removed, as it does for people (SQUINKY's take off 0.7 for a small first letter
alone). "Copy" gives the
line itself for a rewrite, "other sentence" a random line of the target style.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paraphrast.corpora.loaders import plays
from paraphrast.errors import ParaphrastError
from paraphrast.judges.evaluator import SimilarityModel
from paraphrast.judges.fluency import Flags
from paraphrast.judges.judge import Judge
from paraphrast.judges.meaning_checks import CheckedSimilarity
from paraphrast.metrics.base import Matrix
from paraphrast.study.probes import Probe, make_probes
from paraphrast.study.trust_people import formality_of, shakespeare

_FELT = 0.05  # of a similarity
_HALF_A_POINT = 0.5
_SEED, _PAIRS = 1, 300
_COPY = "copy"

# What each evaluator should do when a probe is put to it.
STYLE: Mapping[str, str] = {
    "case removed": "stay",
    "punctuation removed": "stay",
    "negation inserted": "stay",
    "name swapped": "stay",
    "number changed": "stay",
    "roles swapped": "stay",
    _COPY: "refuse",
    "other sentence": "stay",
}
FORMALITY: Mapping[str, str] = {
    "case removed": "fall",
    "punctuation removed": "stay",
    "name swapped": "stay",
    "number changed": "stay",
}
FLUENCY: Mapping[str, str] = {
    **FORMALITY,
    "case removed": "stay",
    "word salad": "refuse",
    "other sentence": "stay",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """An evaluator's result on one probe: the ``share`` of pairs answered correctly."""

    evaluator: str
    probe: str
    should: str
    share: float
    before: float
    after: float
    pairs: int


def answer_probes(judge: Judge, folder: Path) -> Iterator[Answer]:
    """Run every probe on every evaluator of a judge."""
    pairs = list(plays.pairs_of(folder, "jhamtani17", "test"))
    modern = [pair.source for pair in pairs]
    original = [pair.target for pair in pairs]
    made = make_probes(original, others=original[::-1], seed=_SEED, most=_PAIRS)
    # A judge that cannot tell these styles is said to be so by `trust_people`.
    with suppress(ParaphrastError):
        yield from _style(judge, made, modern)
    yield from _similarity("similarity", judge.similarity, made, original, modern)
    checked = CheckedSimilarity(judge.similarity)
    yield from _similarity("similarity with checks", checked, made, original, modern)
    for name, should in FLUENCY.items():
        probe = made[name]
        values = (judge.fluency.probabilities(side) for side in _sides(probe))
        yield from _answer_decisions("fluency", probe, should, *values)
    yield from _formality(judge, made)


def _style(
    judge: Judge, made: Mapping[str, Probe], modern: Sequence[str]
) -> Iterator[Answer]:
    for name, should in STYLE.items():
        if name == _COPY:
            copied = shakespeare(judge, modern[:_PAIRS])
            yield _answer("accuracy", name, should, copied < 0.5, copied, copied)
            continue
        values = [shakespeare(judge, side) for side in _sides(made[name])]
        yield from _answer_decisions("accuracy", made[name], should, *values)


def _similarity(
    evaluator: str,
    model: SimilarityModel,
    made: Mapping[str, Probe],
    texts: Sequence[str],
    others: Sequence[str],
) -> Iterator[Answer]:
    counterpart = dict(zip(texts, others, strict=True))
    for probe in made.values():
        if probe.means is None or not probe.pairs:
            continue
        first, second = _sides(probe)
        against = [counterpart[text] for text in first]
        before, after = model(first, against), model(second, against)
        if probe.means:
            right = before - after > _FELT
        else:
            right = np.abs(before - after) <= _FELT
        should = "fall" if probe.means else "stay"
        yield _answer(evaluator, probe.name, should, right, before, after)


def _formality(judge: Judge, made: Mapping[str, Probe]) -> Iterator[Answer]:
    scores = formality_of(judge)
    if scores is None:
        return
    for name, should in FORMALITY.items():
        if made[name].pairs:
            before, after = (scores(side) for side in _sides(made[name]))
            right = np.abs(before - after) <= _HALF_A_POINT
            if should == "fall":
                right = before - after > _HALF_A_POINT
            yield _answer("formality", name, should, right, before, after)


def _answer_decisions(
    evaluator: str, probe: Probe, should: str, before: Matrix, after: Matrix
) -> Iterator[Answer]:
    """Score the pairs whose first text was accepted, as it should be."""
    accepted = before >= 0.5
    if not accepted.any():
        return
    before, after = before[accepted], after[accepted]
    right = after >= 0.5 if should == "stay" else after < 0.5
    yield _answer(evaluator, probe.name, should, right, before, after)


def _answer(
    evaluator: str,
    probe: str,
    should: str,
    right: Flags,
    before: Matrix,
    after: Matrix,
) -> Answer:
    return Answer(
        evaluator,
        probe,
        should,
        float(np.mean(right)),
        float(before.mean()),
        float(after.mean()),
        len(before),
    )


def _sides(probe: Probe) -> tuple[list[str], list[str]]:
    return [first for first, _ in probe.pairs], [second for _, second in probe.pairs]
