"""The paper's measures of a system's outputs, by judges that trained no system here.

Formality is -3 to 3. Fluency and meaning are the judge's scores, 0 to 1, mapped to the
scales of the paper's people (1 to 5, 1 to 6), so that the combined score is theirs; for
the way back, lower formality raises it. The overall ranking is that of the
combined score among the outputs for one sentence. BLEU, TERp and PINC are against all
references, and for REFERENCE against all but itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from paraphrast.comparison.significance import (
    approximate_randomisation,
    paired_bootstrap,
)
from paraphrast.estimators.bootstrap import mean_interval
from paraphrast.judges.evaluator import Accuracy, Fluency, Similarity, joint_rows
from paraphrast.judges.judge import Judge, load
from paraphrast.metrics import Segment, score
from paraphrast.metrics.base import CountingMetric, Matrix, Metric, mean_statistics
from paraphrast.metrics.bleu import Bleu, SentenceBleu
from paraphrast.metrics.defaults import RESAMPLES, SEED, TRIALS
from paraphrast.metrics.pinc import Pinc
from paraphrast.metrics.terp import Terp
from paraphrast.reproduce import Value
from paraphrast.study import criteria
from paraphrast.study.criteria import Mark

from .benchmark import Test
from .systems import COPY, REFERENCE, RULES

JUDGE = Path("small")  # the judge that ships
ANNOTATOR = "judge"
BY_CRITERIA = ("formality", "fluency", "meaning", "combined", "rank")
BY_REFERENCES = ("BLEU", "TERp", "PINC")
MEASURES = (*BY_CRITERIA, "J", *BY_REFERENCES)
_METRICS: dict[str, Metric] = {"BLEU": Bleu(), "TERp": Terp(), "PINC": Pinc()}


@dataclass(frozen=True, slots=True)
class Mean(CountingMetric):
    """The mean of values that are known already."""

    name = "mean"

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Values come from elsewhere."""
        raise NotImplementedError


# J's rows are products already; REFERENCE has other references than the systems.
TESTED: dict[str, Metric] = {"combined": Mean(), "J": Mean(), "BLEU": Bleu()}


@dataclass(frozen=True)
class Scored:
    """A test's figures by system and measure, and the data to test neighbours.

    ``rows`` are the statistics of each output, by the measures of `TESTED` and system.
    """

    figures: Mapping[str, Mapping[str, Value]]
    formality: Mapping[str, Matrix]
    rows: Mapping[str, Mapping[str, Matrix]]

    def neighbours(self, measure: str) -> dict[tuple[str, str], Value]:
        """Test each system against the next one on a measure, the best first."""
        metric, rows = TESTED[measure], self.rows[measure]
        order = sorted(
            rows, key=lambda name: -float(metric.total(rows[name].sum(axis=0)))
        )
        return {
            (better, worse): _compare_rows(metric, rows[worse], rows[better])
            for better, worse in zip(order, order[1:], strict=False)
        }


def score_outputs(test: Test, outputs: Mapping[str, Sequence[str]]) -> Scored:
    """Measure every system's outputs for a test."""
    judge = open_judge()
    sources = list(test.texts)
    marks: list[Mark] = []
    combined, formality = {}, {}
    direction = 1.0 if test.to == "formal" else -1.0
    for name, texts in outputs.items():
        values = _judge_texts(judge, sources, list(texts))
        formality[name] = values["formality"]
        combined[name] = np.array(
            [
                criteria.combine_marks(direction * f, fluency, meaning)
                for f, fluency, meaning in zip(*values.values(), strict=True)
            ]
        )
        marks += [
            Mark(name, str(at), ANNOTATOR, {k: float(v[at]) for k, v in values.items()})
            for at in range(len(sources))
        ]
    ranks = _rank_outputs(combined)
    by_people = criteria.make_report(marks, baseline=RULES)
    figures: dict[str, dict[str, Value]] = {}
    rows: dict[str, dict[str, Matrix]] = {measure: {} for measure in TESTED}
    for name, texts in outputs.items():
        own = {
            measure: Value(figure.value, figure.low, figure.high, _p_value(figure.p))
            for measure, figure in by_people.systems[name].items()
            if measure in ("formality", "fluency", "meaning")
        }
        own["combined"] = _mean_value(combined[name], combined[RULES])
        if name in ranks:
            own["rank"] = _mean_value(ranks[name], ranks[RULES])
        joint = _judge_joint(judge, test, texts)
        own["J"] = _mean_value(joint, None)
        rows["J"][name] = mean_statistics(joint)
        figures[name] = own | _score_references(test, name, texts)
        if name != REFERENCE:
            rows["BLEU"][name] = Bleu().statistics(_segments(test, texts))
    rows["combined"] = {n: mean_statistics(own) for n, own in combined.items()}
    return Scored(figures, formality, rows)


def score_each(test: Test, outputs: Sequence[str]) -> dict[str, list[float]]:
    """Return each output's automatic measures, for the sheet that readers fill in."""
    segments = _segments(test, outputs)
    metrics: dict[str, Metric] = {
        "bleu": SentenceBleu(),
        "terp": Terp(),
        "pinc": Pinc(),
    }
    values = {
        name: metric.each(metric.statistics(segments)).tolist()
        for name, metric in metrics.items()
    }
    judged = _judge_texts(open_judge(), list(test.texts), list(outputs))
    return values | {f"auto_{name}": own.tolist() for name, own in judged.items()}


@lru_cache(maxsize=1)
def open_judge() -> Judge:
    """Return the judge."""
    return load(JUDGE)


def _judge_texts(
    judge: Judge, sources: list[str], texts: list[str]
) -> dict[str, Matrix]:
    if judge.formality is None:
        raise TypeError("the judge that ships measures formality")
    return {
        "formality": np.nan_to_num(judge.formality.values(texts)),
        "fluency": 1 + 4 * judge.fluency.probabilities(texts),
        "meaning": 1 + 5 * judge.similarity(sources, texts),
    }


def _rank_outputs(combined: Mapping[str, Matrix]) -> dict[str, Matrix]:
    """Return each output's rank among those for its sentence; ties share the mean.

    The source itself is not ranked, as in the paper.
    """
    names = [name for name in combined if name != COPY]
    scores = np.stack([combined[name] for name in names])
    better = (scores[None] > scores[:, None] + 1e-9).sum(axis=1)
    equal = (np.abs(scores[None] - scores[:, None]) <= 1e-9).sum(axis=1)
    return dict(zip(names, better + (1 + equal) / 2, strict=True))


def _judge_joint(judge: Judge, test: Test, texts: Sequence[str]) -> Matrix:
    """Return J of each output in per cent, with the similarity to the source."""
    segments = [
        Segment(output, source, target=test.to)
        for output, source in zip(texts, test.texts, strict=True)
    ]
    parts = (
        Accuracy(judge.accuracy).values(segments),
        Similarity(judge.similarity).values(segments),
        Fluency(judge.fluency).values(segments),
    )
    return 100 * joint_rows(*parts)[:, 3]


def _score_references(test: Test, name: str, texts: Sequence[str]) -> dict[str, Value]:
    if name == REFERENCE and len(test.references[0]) < 2:
        return {}
    segments = _segments(test, texts, skip=name == REFERENCE)
    values = {}
    for label, metric in _METRICS.items():
        result = score(metric, segments)
        values[label] = Value(result.value, result.low, result.high, result.signature)
    return values


def _segments(test: Test, texts: Sequence[str], *, skip: bool = False) -> list[Segment]:
    rows = zip(texts, test.texts, test.references, strict=True)
    return [
        Segment(output, source, references[1:] if skip else references, test.to)
        for output, source, references in rows
    ]


def _mean_value(values: Matrix, base: Matrix | None) -> Value:
    """Return a mean with its interval, and p of its difference from a baseline."""
    mean, low, high = mean_interval(values, resamples=RESAMPLES, seed=SEED)
    if base is None or values is base:
        return Value(mean, low, high, "" if base is None else "baseline")
    rows = mean_statistics(base), mean_statistics(values)
    (p,) = approximate_randomisation(Mean(), rows[0], [rows[1]])
    return Value(mean, low, high, _p_value(p))


def _compare_rows(metric: Metric, worse: Matrix, better: Matrix) -> Value:
    """Return how far a system leads, with its interval and a p-value."""
    (lead,) = paired_bootstrap(metric, worse, [better])
    (p,) = approximate_randomisation(metric, worse, [better])
    test = f"approximate randomisation|p:{p:.4f}|trials:{TRIALS}"
    return Value(lead.value, lead.low, lead.high, test)


def _p_value(p: float | None) -> str:
    return "baseline" if p is None else f"p:{p:.4f}|against {RULES}"
