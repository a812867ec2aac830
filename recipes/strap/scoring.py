"""Judges' scores of outputs, and the figures computed from them.

A model's scores of a system's outputs are cached on disk under the hash of the model
and of the texts, so that an interrupted run can resume and unchanged texts are scored
once.
"""

import hashlib
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import ClassVar, TypeAlias

import numpy as np

from paraphrast.comparison.significance import (
    approximate_randomisation,
    paired_bootstrap,
)
from paraphrast.corpora.filtering.preservation import find_lost
from paraphrast.errors import ParaphrastError
from paraphrast.judges.evaluator import Accuracy, Fluency, Similarity, joint_rows
from paraphrast.judges.judge import Judge, load
from paraphrast.metrics import Segment
from paraphrast.metrics.base import Matrix, Metric, Need, mean_statistics, ratio
from paraphrast.metrics.bleu import Bleu
from paraphrast.metrics.copies import CopyRate
from paraphrast.metrics.scoring import score, score_rows
from paraphrast.reproduce import Value, Workspace
from paraphrast.study import trust_people
from paraphrast.study.trust_people import linear_judge

BLEU = Bleu(tokenize="none")
COPIES = CopyRate(ignoring="case-and-punctuation")
SIGNIFICANT = 0.01

Figures: TypeAlias = dict[str, Value]


@dataclass(frozen=True)
class Said:
    """A judge's scores of each output, 0 to 1; ``reference`` where there is one."""

    accuracy: Matrix
    source: Matrix
    fluency: Matrix
    reference: Matrix

    def of(self, chosen: Matrix) -> "Said":
        """Return the scores of some of the outputs."""
        return Said(*(part[chosen] for part in self._parts()))

    def rows(self) -> Matrix:
        """Return the rows of J, against the reference."""
        return joint_rows(self.accuracy, self.reference, self.fluency)

    def _parts(self) -> tuple[Matrix, ...]:
        return (self.accuracy, self.source, self.fluency, self.reference)


@dataclass(frozen=True, eq=False)
class Scorer:
    """A judge with a cache; ``store`` is where it keeps its scores."""

    name: str
    judge: Judge
    store: Path

    @property
    def prefix(self) -> str:
        """Return the prefix of its figures' names; the large judge's name no judge."""
        return "" if self.name == "large" else f"by {self.name}, "

    def two_way(self) -> "Scorer":
        """Return the scorer that tells Shakespeare from modern English only."""
        return replace(self, judge=two_way(self.judge))

    def ask_judge(self, segments: Sequence[Segment]) -> Said:
        """Return the judge's scores of outputs, computed now or cached."""
        outputs = [segment.output for segment in segments]
        sources = [segment.source for segment in segments]
        golds = [(*segment.references, segment.source)[0] for segment in segments]
        targets = [segment.target for segment in segments]
        judge = self.judge
        return Said(
            self._ask_cached(
                [judge.accuracy.signature, outputs, targets],
                lambda: Accuracy(judge.accuracy).values(segments),
            ),
            self._similar(outputs, sources),
            self._ask_cached(
                [judge.fluency.signature, outputs],
                lambda: Fluency(judge.fluency).values(segments),
            ),
            self._similar(outputs, golds),
        )

    def figures(self, label: str, said: Said, segments: Sequence[Segment]) -> Figures:
        """Return J and its components, with intervals and signatures."""
        rows = self._statistics(said)
        meant = rows["SIM"][0]
        if any(segment.references for segment in segments):
            rows["SIM to source"] = (meant, mean_statistics(100 * said.source))
        values = {}
        for name, (metric, statistics) in rows.items():
            result = score_rows(metric, segments, statistics)
            values[f"{label}: {name}"] = Value(
                result.value, result.low, result.high, result.signature
            )
        return values

    def changes(self, label: str, whole: Said, without: Said) -> Figures:
        """Return how J, ACC, SIM and FL change without a part, paired by sentence."""
        values: Figures = {}
        before, after = self._statistics(whole), self._statistics(without)
        for name in ("J", "ACC", "SIM", "FL"):
            metric, theirs = before[name]
            change = f"{label}: {name} beside the whole"
            values |= lead(change, metric, theirs, after[name][1])[0]
        return values

    def _statistics(self, said: Said) -> dict[str, tuple[Metric, Matrix]]:
        """Return J and its components, each with the rows it is summed from."""
        parts = self.judge.metrics()
        return {
            "ACC": (parts[0], mean_statistics(100 * said.accuracy)),
            "SIM": (
                Similarity(self.judge.similarity),
                mean_statistics(100 * said.reference),
            ),
            "FL": (parts[2], mean_statistics(100 * said.fluency)),
            "J": (parts[3], said.rows()),
            "GM": (parts[4], said.rows()),
        }

    def _similar(self, outputs: Sequence[str], others: Sequence[str]) -> Matrix:
        model = self.judge.similarity
        asked = [model.signature, outputs, others]
        return self._ask_cached(asked, lambda: model(outputs, others))

    def _ask_cached(self, asked: object, ask: Callable[[], Matrix]) -> Matrix:
        key = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:20]
        path = self.store / f"{self.name}-{key}.npy"
        if path.exists():
            return np.asarray(np.load(path))
        result = ask()
        self.store.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self.store, delete=False) as file:
            np.save(file, result)
        Path(file.name).replace(path)
        return result


@cache
def two_way(judge: Judge) -> Judge:
    """Return one shared scorer for two styles, so that it scores a text once."""
    return replace(judge, accuracy=trust_people.choose_two_styles(judge))


@cache
def scorers(store: Path, plays: Path) -> dict[str, Scorer]:
    """Return the available judges, the one to plot first."""
    result = {}
    for name in ("large", "small"):
        # The large one must have been built.
        with suppress(ParaphrastError):
            result[name] = Scorer(name, load(Path(name)), store)
    result["linear"] = Scorer("linear", linear_judge(plays), store)
    return result


def scorers_of(workspace: Workspace) -> dict[str, Scorer]:
    """Return the judges for a workspace, the one to plot first."""
    return scorers(workspace.folder / "said", workspace.corpus("jhamtani17"))


def plain(label: str, segments: Sequence[Segment]) -> Figures:
    """Return the figures that need no judge: BLEU, copies, names and numbers kept."""
    values = {}
    if all(segment.references for segment in segments):
        values[f"{label}: BLEU"] = measure_segments(BLEU, segments)
    values[f"{label}: copies"] = measure_segments(COPIES, segments)
    values[f"{label}: names and numbers kept"] = measure_segments(Kept(), segments)
    return values


def measure_segments(metric: Metric, segments: Sequence[Segment]) -> Value:
    result = score(metric, segments)
    return Value(result.value, result.low, result.high, result.signature)


@dataclass(frozen=True, slots=True)
class Kept:
    """Share of outputs that have every name and number of their source."""

    name: ClassVar[str] = "kept"
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})
    higher_is_better: ClassVar[bool] = True

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Return 100 where nothing was lost, else 0, and 1."""
        return mean_statistics(
            [100.0 * (not find_lost(s.source, s.output)) for s in segments]
        )

    def total(self, statistics: Matrix) -> Matrix:
        """Return the share in percent."""
        return ratio(statistics)

    def each(self, statistics: Matrix) -> Matrix:
        """Return 100 or 0."""
        return ratio(statistics)


def lead(
    label: str, metric: Metric, theirs: Matrix, ours: Matrix
) -> tuple[Figures, bool]:
    """Return our lead with its p-value, and whether it is significant."""
    result = paired_bootstrap(metric, theirs, [ours])[0]
    p = approximate_randomisation(metric, theirs, [ours])[0]
    test = f"p:{p:.4f}|approximate randomisation, interval by paired bootstrap"
    values = {label: Value(result.value, result.low, result.high, test)}
    return values, result.value > 0 and p < SIGNIFICANT


def times(ours: Mapping[str, Value], first: str, other: str) -> Value:
    """Return one figure as a multiple of another."""
    below = ours[other].value
    return Value(ours[first].value / below if below else 0.0)
