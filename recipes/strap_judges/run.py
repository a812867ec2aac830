"""STRAP's Table 1 (Shakespeare) with our own judges, and how they agree with people.

Every judge scores the published outputs: ACC asks its classifier about Shakespeare and
modern English, SIM is to the gold rewrite, J is the mean of the sentences' products.
Then each judge is compared with the authors' own labels of the same sentences, and
with the two people of XU12 on style, meaning and overall. Table 12 uses BLEU for SIM:
the authors' labels reproduce it as printed when a rejected output counts as one unknown
word and BLEU is the corpus's, so our labels are treated the same way.

No judge was trained or chosen on any of this: not on Romeo and Juliet, not on these
outputs, not on XU12's marks.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np

from paraphrast.corpora.loaders import strap
from paraphrast.errors import ParaphrastError
from paraphrast.judges.judge import Judge, load
from paraphrast.metrics import Segment, score
from paraphrast.metrics.base import Matrix
from paraphrast.metrics.bleu import Bleu
from paraphrast.reproduce import Value, Workspace
from paraphrast.study import trust_people
from paraphrast.study.trust_people import linear_judge
from recipes.missing import report_large_judge
from recipes.strap.scoring import two_way

# Table 1; TDRG's from the authors' labels, as `reproduce strap-table1` has it.
PUBLISHED = {
    "COPY": 7.2,
    "REFERENCE": 70.5,
    "UNMT": 14.6,
    "DLSM": 16.3,
    "TDRG": 18.5,
    "STRAP p=0.0": 34.7,
    "STRAP p=0.6": 33.5,
}
UNKNOWN = "␀"  # stands for a rejected output in Table 12


def find_missing(workspace: Workspace) -> Iterator[str]:
    """Report whether the large judge is missing."""
    yield from report_large_judge()


def judges(workspace: Workspace) -> dict[str, Judge]:
    """Return the available judges, by their names in the figures."""
    result = {"linear": linear_judge(workspace.corpus("jhamtani17"))}
    for name in ("small", "large"):
        # The large one must have been built; its figures are optional.
        with suppress(ParaphrastError):
            result[name] = load_judge(name)
    return result


@cache
def load_judge(name: str) -> Judge:
    return load(Path(name))


def table_1(workspace: Workspace) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for name, judge in judges(workspace).items():
        means = {}
        for system in strap.systems():
            segments = lines(workspace, system)
            for metric in two_way(judge).metrics():
                result = score(metric, segments)
                label = f"{name}: {system} {metric.name.upper()}"
                values[label] = Value(
                    result.value, result.low, result.high, result.signature
                )
            means[system] = values[f"{name}: {system} J"].value
        values |= count_order(name, means)
    return values


def count_order(name: str, means: Mapping[str, float]) -> dict[str, Value]:
    """Return how many pairs of systems keep the paper's order, and the largest gap."""
    pairs = list(combinations(PUBLISHED, 2))
    same = [(means[a] > means[b]) == (PUBLISHED[a] > PUBLISHED[b]) for a, b in pairs]
    gaps = [abs(means[s] - PUBLISHED[s]) for s in PUBLISHED if s != "REFERENCE"]
    return {
        f"{name}: pairs of systems in the paper's order, of {len(pairs)}": Value(
            float(sum(same))
        ),
        f"{name}: largest gap of J, REFERENCE aside": Value(max(gaps)),
    }


def table_12(workspace: Workspace) -> dict[str, Value]:
    values = {}
    for system in strap.systems():
        segments = lines(workspace, system)
        values[f"{system} BLEU"] = bleu(segments)
        if system in strap.LABELLED:
            rows = strap.read_judged(workspace.corpus("strap"), system)
            kept = np.array([row.accurate and row.fluent for row in rows])
            values[f"{system} J with BLEU, authors' labels"] = bleu(segments, kept)
    for name, judge in judges(workspace).items():
        for system in strap.systems():
            segments = lines(workspace, system)
            accuracy, _, fluency = each(judge, segments)
            kept = (accuracy > 0) & (fluency > 0)
            values[f"{name}: {system} J with BLEU"] = bleu(segments, kept)
    return values


def labels(workspace: Workspace) -> dict[str, Value]:
    """Compare every judge with the authors' labels, sentence by sentence."""
    values = {}
    for name, judge in judges(workspace).items():
        rows = [
            row
            for system in strap.LABELLED
            for row in strap.read_judged(workspace.corpus("strap"), system)
        ]
        theirs = {
            "ACC": np.array([float(row.accurate) for row in rows]),
            "SIM": np.array([row.similarity for row in rows]),
            "FL": np.array([float(row.fluent) for row in rows]),
        }
        result = [each(judge, lines(workspace, system)) for system in strap.LABELLED]
        ours = dict(zip(theirs, np.concatenate(result, axis=1), strict=True))
        for part in theirs:
            correlation = float(np.corrcoef(ours[part], theirs[part])[0, 1])
            values[f"{name}: correlation with the authors' {part}"] = Value(correlation)
            if part != "SIM":
                same = float(np.mean((ours[part] > 0) == (theirs[part] > 0)))
                values[f"{name}: same {part} as the authors"] = Value(same)
    return values


def people(workspace: Workspace) -> dict[str, Value]:
    values = {}
    for name, judge in judges(workspace).items():
        for row in trust_people.xu12(judge, workspace.corpus("xu12")):
            criterion = row.people.removeprefix("xu12 ")
            if row.evaluator == "style grade":
                criterion = criterion.replace("style", "style by grade")
            if row.evaluator in ("accuracy", "style grade", "similarity", "J"):
                values[f"{name}: {criterion}"] = Value(row.value, row.low, row.high)
    return values


def each(judge: Judge, segments: Sequence[Segment]) -> Matrix:
    """Return ACC, SIM and FL of every sentence, 0 to 1: (3, segments)."""
    metrics = two_way(judge).metrics()[:3]
    return np.stack([m.each(m.statistics(segments)) / 100 for m in metrics])


def lines(workspace: Workspace, system: str) -> list[Segment]:
    return [segment(s) for s in strap.outputs(workspace.corpus("strap"), system)]


def segment(sentence: strap.Sentence) -> Segment:
    target = trust_people.STRAP_STYLES[sentence.target_style]
    return Segment(sentence.output, sentence.source, (sentence.gold,), target)


def bleu(segments: Sequence[Segment], kept: Matrix | None = None) -> Value:
    if kept is not None:
        segments = [
            result if keep else replace(result, output=UNKNOWN)
            for result, keep in zip(segments, kept, strict=True)
        ]
    result = score(Bleu(tokenize="none"), segments)
    return Value(result.value, result.low, result.high, result.signature)


STEPS = {
    "table-1": table_1,
    "table-12": table_12,
    "labels": labels,
    "people": people,
}
