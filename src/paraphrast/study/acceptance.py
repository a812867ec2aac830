"""Blind reading: would a demanding reader use this rewrite as it is?

Every reader rates every output of a blind sheet (`study.sheets`): acceptable as it is
(1 or 0), meaning, style and fluency (0 to 2) and, if it is not acceptable, its worst
fault in one word. A system's acceptance is the mean over readers of the share that each
accepts, with Wilson's interval for as many trials as there are outputs, since readings
of one output are not independent.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from paraphrast.errors import ParaphrastError
from paraphrast.estimators.proportion import wilson_interval
from paraphrast.metrics.defaults import RESAMPLING, Resampling
from paraphrast.study import agreement, reading
from paraphrast.study.judgments import Judgment
from paraphrast.study.sheets import Output, read_filled

FAULT = "fault"
SCALES = {"acceptable": 1, "meaning": 2, "style": 2, "fluency": 2}  # from 0 to this
COLUMNS = (*SCALES, FAULT)  # that readers fill in
NONE = "-"


@dataclass(frozen=True, slots=True)
class Mark:
    """One reader's ratings of one output; ``values`` by criterion."""

    number: int
    annotator: str
    values: Mapping[str, int]
    fault: str


@dataclass(frozen=True, slots=True)
class Share:
    """A share in percent with Wilson's 95% interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Figures:
    """The readers' ratings of some outputs of one system.

    ``changed`` is the share whose meaning a reader rated 0, averaged over readers.
    """

    outputs: int
    acceptable: Share
    changed: Share
    meaning: float
    style: float
    fluency: float


@dataclass(frozen=True, slots=True)
class Preference:
    """How often one system's output is rated above another's for the same text.

    The readers were not asked to compare: the output acceptable to more of them wins,
    then the one with the higher sum of other ratings. Identical outputs are ties.
    ``share`` is how often the first won, excluding ties.
    """

    first: str
    second: str
    better: int
    worse: int
    ties: int
    share: Share | None

    def reverse(self) -> "Preference":
        """Return the same comparison, seen from the second system."""
        share = self.share and Share(
            100 - self.share.value, 100 - self.share.high, 100 - self.share.low
        )
        return Preference(
            self.second, self.first, self.worse, self.better, self.ties, share
        )


@dataclass(frozen=True, slots=True)
class Report:
    """The systems' figures, overall and by target style and kind of text."""

    systems: Mapping[str, Figures]
    by_target: Mapping[str, Mapping[str, Figures]]
    by_kind: Mapping[str, Mapping[str, Figures]]
    faults: Mapping[str, Mapping[str, int]]
    preferences: tuple[Preference, ...]
    agreement: Mapping[str, tuple[agreement.Agreement, ...]]
    readers: tuple[str, ...]


def read_marks(paths: Iterable[Path]) -> list[Mark]:
    """Read completed sheets, or rows of number, annotator and ratings."""
    return [
        Mark(
            filled.number,
            filled.annotator,
            {
                name: _read_value(filled.row, name, filled.where, most)
                for name, most in SCALES.items()
            },
            filled.row.get(FAULT) or "",
        )
        for filled in read_filled(paths)
    ]


def make_report(
    outputs: Sequence[Output],
    marks: Sequence[Mark],
    *,
    resampling: Resampling = RESAMPLING,
) -> Report:
    """Compute all figures; every output of the key must have been rated."""
    by_number: dict[int, list[Mark]] = {output.number: [] for output in outputs}
    for mark in marks:
        if mark.number not in by_number:
            raise ParaphrastError(
                f"{mark.annotator} marked output {mark.number}, which is not in the "
                "key. Give the key of these sheets."
            )
        by_number[mark.number].append(mark)
    if missing := [number for number, given in by_number.items() if not given]:
        raise ParaphrastError(
            f"{len(missing)} of {len(outputs)} outputs have no marks, the first is "
            f"{missing[0]}. Give all filled-in sheets."
        )
    systems = sorted({system for output in outputs for system in output.systems})
    own = {
        system: [output for output in outputs if system in output.systems]
        for system in systems
    }
    return Report(
        systems={name: _compute_figures(own[name], by_number) for name in systems},
        by_target=_group(own, by_number, "target"),
        by_kind=_group(own, by_number, "kind"),
        faults={name: _count_faults(own[name], by_number) for name in systems},
        preferences=tuple(
            _compare(first, second, own, by_number)
            for first, second in combinations(systems, 2)
        ),
        agreement=agreement.compare_marks(
            {
                name: [
                    Judgment(str(mark.number), mark.annotator, str(mark.values[name]))
                    for mark in marks
                ]
                for name in SCALES
            },
            resampling,
        ),
        readers=tuple(sorted({mark.annotator for mark in marks})),
    )


def _read_value(row: Mapping[str, str], name: str, where: str, most: int) -> int:
    text = reading.read_column(row, name, where)
    text = {"true": "1", "false": "0"}.get(text.lower(), text)
    if not text.isdecimal() or int(text) > most:
        raise ParaphrastError(f"{where}: {name} is {text!r}, not 0 to {most}.")
    return int(text)


def _compute_figures(
    outputs: Sequence[Output], marks: Mapping[int, Sequence[Mark]]
) -> Figures:
    means = {
        name: _mean(
            _mean(mark.values[name] for mark in marks[output.number])
            for output in outputs
        )
        for name in SCALES
    }
    changed = _mean(
        _mean(mark.values["meaning"] == 0 for mark in marks[output.number])
        for output in outputs
    )
    return Figures(
        len(outputs),
        _make_share(means["acceptable"], len(outputs)),
        _make_share(changed, len(outputs)),
        *(means[name] for name in ("meaning", "style", "fluency")),
    )


def _make_share(share: float, trials: int) -> Share:
    low, high = wilson_interval(share, trials)
    return Share(100 * share, 100 * low, 100 * high)


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


def _group(
    own: Mapping[str, Sequence[Output]],
    marks: Mapping[int, Sequence[Mark]],
    name: str,
) -> dict[str, dict[str, Figures]]:
    """Return the systems' figures for the outputs of each target or kind."""
    result: dict[str, dict[str, Figures]] = {}
    for system, outputs in own.items():
        groups: dict[str, list[Output]] = {}
        for output in outputs:
            groups.setdefault(getattr(output, name), []).append(output)
        result[system] = {
            group: _compute_figures(groups[group], marks) for group in sorted(groups)
        }
    return result


def _count_faults(
    outputs: Sequence[Output], marks: Mapping[int, Sequence[Mark]]
) -> dict[str, int]:
    """Count the faults that readers named, the most frequent first."""
    counts = Counter(
        mark.fault or NONE
        for output in outputs
        for mark in marks[output.number]
        if not mark.values["acceptable"]
    )
    return dict(counts.most_common())


def _compare(
    first: str,
    second: str,
    own: Mapping[str, Sequence[Output]],
    marks: Mapping[int, Sequence[Mark]],
) -> Preference:
    def rank(outputs: Sequence[Output]) -> dict[tuple[str, str], tuple[float, float]]:
        return {
            (output.item, output.target): (
                _mean(mark.values["acceptable"] for mark in marks[output.number]),
                _mean(sum(mark.values.values()) for mark in marks[output.number]),
            )
            for output in outputs
        }

    left, right = rank(own[first]), rank(own[second])
    shared = left.keys() & right.keys()
    better = sum(left[key] > right[key] for key in shared)
    worse = sum(left[key] < right[key] for key in shared)
    decided = better + worse
    share = _make_share(better / decided, decided) if decided else None
    return Preference(first, second, better, worse, len(shared) - decided, share)
