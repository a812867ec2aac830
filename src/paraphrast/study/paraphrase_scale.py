"""STRAP's human evaluation (appendix A.10): is the output a paraphrase, and English?

Three people label each output 0 (not a paraphrase), 1 (an ungrammatical paraphrase) or
2 (a grammatical paraphrase), and the label that at least two chose counts. Together
with a classifier's decision on the style, sentence by sentence:

SIM          share of outputs marked 1 or 2
J(ACC,SIM)   share of outputs in the target style and marked 1 or 2
J(A,S,F)     share of outputs in the target style and marked 2

FL alone cannot be computed from this scale, as the grammaticality of texts that are not
paraphrases was not rated. An output that copies its source, ignoring case and
punctuation, is a 2 and need not be judged. An output without a majority needs one more
judgment; until then it is counted and left out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from paraphrast.errors import ParaphrastError
from paraphrast.estimators.bootstrap import mean_interval
from paraphrast.metrics.base import Matrix
from paraphrast.metrics.defaults import RESAMPLING, Resampling
from paraphrast.study import agreement, reading
from paraphrast.study.judgments import Judgment, tabulate
from paraphrast.text.normalisation import keep_letters

NO, BROKEN, GOOD = "0", "1", "2"
LABELS = (NO, BROKEN, GOOD)
_YES = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
# Landis and Koch (1977), whose words STRAP uses.
_BANDS = (
    (0.0, "poor"),
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)


@dataclass(frozen=True)
class Output:
    """One output with everybody's labels; ``accurate`` is None if not given."""

    item: str
    labels: tuple[str, ...]
    accurate: bool | None
    copied: bool = False

    @property
    def majority(self) -> str | None:
        """Return the label that two or more gave, and more than any other; a copy is 2.

        None if there is none.
        """
        if self.copied:
            return GOOD
        counts = Counter(self.labels).most_common(2)
        if not counts or counts[0][1] < 2:
            return None
        tied = len(counts) > 1 and counts[1][1] == counts[0][1]
        return None if tied else counts[0][0]


@dataclass(frozen=True, slots=True)
class Share:
    """A share of outputs in percent, with its 95% interval."""

    value: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Report:
    """The ratings of one system; shares that need ACC are absent without it."""

    system: str
    outputs: int
    undecided: tuple[str, ...]
    copied: int
    labels: Mapping[str, int]
    shares: Mapping[str, Share]
    kappa: agreement.Agreement | None
    band: str = field(default="")


def read_outputs(paths: Iterable[Path]) -> dict[str, list[Output]]:
    """Read rows of item, annotator and label, by system, with optional columns.

    ``system`` names the system (without it there is only one), ``accurate`` is the
    classifier's decision, 1 or 0, and ``source`` and ``output`` identify copies.
    """
    rows: dict[tuple[str, str], list[tuple[str, Mapping[str, str]]]] = {}
    for path in paths:
        for where, row in reading.read_rows(path):
            key = row.get("system", "") or path.name.partition(".")[0]
            item = reading.read_column(row, reading.ITEM, where)
            rows.setdefault((key, item), []).append((where, row))
    result: dict[str, list[Output]] = {}
    for (system, item), judged in rows.items():
        result.setdefault(system, []).append(_output(item, judged))
    return result


def make_report(
    system: str, outputs: Sequence[Output], resampling: Resampling = RESAMPLING
) -> Report:
    """Compute the shares of one system and its annotators' agreement."""
    decided = [output for output in outputs if output.majority is not None]
    undecided = tuple(output.item for output in outputs if output.majority is None)
    if not decided:
        raise ParaphrastError(
            f"{system}: no output has a label that two people chose. "
            "Collect more judgments."
        )
    kappa = _kappa(outputs, resampling)
    shares = {
        name: _share(column, resampling) for name, column in _columns(decided).items()
    }
    counts = Counter(output.majority for output in decided)
    return Report(
        system=system,
        outputs=len(outputs),
        undecided=undecided,
        copied=sum(output.copied for output in outputs),
        labels={label: counts[label] for label in LABELS},
        shares=shares,
        kappa=kappa,
        band=name_band(kappa.value) if kappa else "",
    )


def name_band(kappa: float) -> str:
    """Return Landis and Koch's term for a kappa; none if it is undefined."""
    if not np.isfinite(kappa):
        return ""
    for most, word in _BANDS:
        if kappa <= most:
            return word
    return _BANDS[-1][1]


def _columns(outputs: Sequence[Output]) -> dict[str, Matrix]:
    similar = np.array([output.majority != NO for output in outputs], dtype=float)
    good = np.array([output.majority == GOOD for output in outputs], dtype=float)
    columns = {"SIM": similar}
    if all(output.accurate is not None for output in outputs):
        accurate = np.array([bool(output.accurate) for output in outputs], dtype=float)
        columns = {
            "ACC": accurate,
            **columns,
            "J(ACC,SIM)": accurate * similar,
            "J(ACC,SIM,FL)": accurate * good,
        }
    return columns


def _share(column: Matrix, resampling: Resampling) -> Share:
    mean = mean_interval(100 * column, **asdict(resampling))
    return Share(*mean, int(column.sum()))


def _kappa(
    outputs: Sequence[Output], resampling: Resampling
) -> agreement.Agreement | None:
    """Return Fleiss's kappa of what people judged; the k-th judgment is a column."""
    judged = [output for output in outputs if len(output.labels) >= 2]
    if not judged:
        return None
    table = tabulate(
        (
            Judgment(output.item, str(number), label)
            for output in judged
            for number, label in enumerate(output.labels)
        ),
        scale="nominal",
    )
    return agreement.compute_coefficient(table, "fleiss kappa", resampling)


def _output(item: str, judged: Sequence[tuple[str, Mapping[str, str]]]) -> Output:
    accurate: set[bool] = set()
    annotators: set[str] = set()
    labels: list[str] = []
    copied = False
    for where, row in judged:
        label = row.get(reading.LABEL, "")
        annotator = row.get(reading.ANNOTATOR, "")
        if annotator and annotator in annotators:
            raise ParaphrastError(
                f"{where}: annotator {annotator!r} judged item {item!r} twice. "
                "Keep one of the two."
            )
        annotators.add(annotator)
        labels += _label(label, where)
        accurate.update(_accurate(row, where))
        copied |= _is_copy(row)
    if len(accurate) > 1:
        raise ParaphrastError(
            f"{judged[-1][0]}: item {item!r} is accurate in one row and not in "
            "another. Give the classifier's word once for each output."
        )
    return Output(item, tuple(labels), next(iter(accurate), None), copied)


def _label(label: str, where: str) -> Iterator[str]:
    if label == "":
        return
    if label not in LABELS:
        raise ParaphrastError(
            f"{where}: label {label!r} is not 0 (no paraphrase), 1 (an ungrammatical "
            "one) or 2 (a grammatical one)."
        )
    yield label


def _accurate(row: Mapping[str, str], where: str) -> Iterator[bool]:
    said = row.get("accurate", "").lower()
    if not said:
        return
    if said not in _YES:
        raise ParaphrastError(f"{where}: accurate is {said!r}. Write 1 or 0.")
    yield _YES[said]


def _is_copy(row: Mapping[str, str]) -> bool:
    source, output = row.get("source", ""), row.get("output", "")
    return bool(keep_letters(source)) and keep_letters(source) == keep_letters(output)
