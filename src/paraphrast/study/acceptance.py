"""Blind reading: would a demanding reader use this rewrite as it is?

Outputs of several systems for the same texts are shuffled into a sheet that names no
system; equal outputs for a text stand in it once. Every reader marks every output:
acceptable as it is (1 or 0), meaning, style and fluency (0 to 2) and, where it is not
acceptable, its worst fault in one word. The key, kept apart, says whose outputs they
were. A system's acceptance is the mean over readers of the share that each accepts,
with Wilson's interval for as many trials as there are outputs, since readings of one
output are not independent.
"""

import csv
import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

from paraphrast.errors import ParaphrastError
from paraphrast.estimators.proportion import wilson_interval
from paraphrast.metrics.defaults import RESAMPLING, Resampling
from paraphrast.storage import atomic
from paraphrast.study import agreement, reading
from paraphrast.study.judgments import Judgment

NUMBER, FAULT = "number", "fault"
SCALES = {"acceptable": 1, "meaning": 2, "style": 2, "fluency": 2}  # from 0 to this
KEY = "key.jsonl"
NONE = "-"


@dataclass(frozen=True, slots=True)
class Output:
    """What some systems made of the text ``item``; it is ``number`` in the sheets."""

    number: int
    item: str
    kind: str
    target: str
    source: str
    output: str
    systems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """What one reader said of one output; ``values`` by criterion."""

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
    """How the readers took some outputs of one system.

    ``changed`` is the share whose meaning a reader marked 0, mean over readers.
    """

    outputs: int
    acceptable: Share
    changed: Share
    meaning: float
    style: float
    fluency: float


@dataclass(frozen=True, slots=True)
class Preference:
    """How often the marks put one system's output above another's for a text.

    The readers were not asked to compare: what is acceptable to more of them comes
    first, then the higher sum of the other marks. Equal outputs are ties.
    """

    first: str
    second: str
    better: int
    worse: int
    ties: int


@dataclass(frozen=True, slots=True)
class Report:
    """The systems' figures, over all and by target style and kind of text."""

    systems: Mapping[str, Figures]
    by_target: Mapping[str, Mapping[str, Figures]]
    by_kind: Mapping[str, Mapping[str, Figures]]
    faults: Mapping[str, Mapping[str, int]]
    preferences: tuple[Preference, ...]
    agreement: Mapping[str, tuple[agreement.Agreement, ...]]
    readers: tuple[str, ...]


def gather_outputs(paths: Iterable[Path], *, seed: int) -> list[Output]:
    """Read rows of item, system, target, source and output, and shuffle them.

    Rows may have a ``kind``. Equal outputs for one text and target become one.
    """
    systems: dict[tuple[str, str, str, str, str], dict[str, str]] = {}
    for path in paths:
        for where, row in reading.read_rows(path):
            names = (reading.ITEM, "target", "source", "output")
            item, target, source, output = (
                reading.read_column(row, name, where) for name in names
            )
            key = (item, row.get("kind", ""), target, source, " ".join(output.split()))
            made_by = systems.setdefault(key, {})
            system = reading.read_column(row, "system", where)
            if system in made_by:
                raise ParaphrastError(
                    f"{where}: system {system!r} has this output for item {item!r} "
                    f"twice (first at {made_by[system]}). Keep one of the two."
                )
            made_by[system] = where
    keys = sorted(systems)
    random.Random(seed).shuffle(keys)
    return [
        Output(number, *key, tuple(sorted(systems[key])))
        for number, key in enumerate(keys, start=1)
    ]


def write_sheets(outputs: Sequence[Output], folder: Path, *, rows: int) -> list[str]:
    """Write blind sheets and the key into a new folder; return the sheets' names."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ParaphrastError(f"{folder}: already exists. Name a new folder.")
    shown = (NUMBER, "target", "source", "output")
    names = []
    with atomic.new_folder(folder) as new:
        for start in range(0, len(outputs), rows):
            names.append(f"sheet-{start // rows + 1:02}.tsv")
            with atomic.writer(new / names[-1]) as file:
                table = csv.writer(file, delimiter="\t", lineterminator="\n")
                table.writerow([*shown, *SCALES, FAULT])
                for output in outputs[start : start + rows]:
                    cells = [getattr(output, name) for name in shown]
                    table.writerow([*cells, *("" for _ in (*SCALES, FAULT))])
        with atomic.writer(new / KEY) as file:
            for output in outputs:
                file.write(json.dumps(asdict(output), ensure_ascii=False) + "\n")
    return names


def read_key(path: Path) -> list[Output]:
    """Read the key of sheets."""
    outputs = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            outputs.append(Output(**{**row, "systems": tuple(row["systems"])}))
        except (ValueError, TypeError, KeyError) as error:
            raise ParaphrastError(
                f"{path}:{number}: not a row of a key ({error}). Give the {KEY} that "
                "`paraphrast study sheet` wrote."
            ) from error
    return outputs


def read_marks(paths: Iterable[Path]) -> list[Mark]:
    """Read filled-in sheets, or rows of number, annotator and marks.

    Without a column ``annotator`` the reader is the file's name up to its first dot.
    """
    marks: dict[tuple[str, int], Mark] = {}
    for path in paths:
        for where, row in reading.read_rows(path):
            annotator = row.get(reading.ANNOTATOR) or path.name.partition(".")[0]
            values = {
                name: _read_value(row, name, where, most)
                for name, most in SCALES.items()
            }
            number = _read_value(row, NUMBER, where, None)
            if (annotator, number) in marks:
                raise ParaphrastError(
                    f"{where}: annotator {annotator!r} marked output {number} twice. "
                    "Keep one of the two."
                )
            fault = row.get(FAULT) or ""
            marks[annotator, number] = Mark(number, annotator, values, fault)
    return list(marks.values())


def make_report(
    outputs: Sequence[Output],
    marks: Sequence[Mark],
    *,
    resampling: Resampling = RESAMPLING,
) -> Report:
    """Compute all figures; every output of the key must have been marked."""
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


def _read_value(row: Mapping[str, str], name: str, where: str, most: int | None) -> int:
    text = reading.read_column(row, name, where)
    text = {"true": "1", "false": "0"}.get(text.lower(), text)
    if not text.isdecimal() or (most is not None and int(text) > most):
        scale = "a number" if most is None else f"0 to {most}"
        raise ParaphrastError(f"{where}: {name} is {text!r}, not {scale}.")
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
    return Preference(first, second, better, worse, len(shared) - better - worse)
