"""A table of judgments: which annotator gave which item which label.

Any kind of judgment is supported: categories, ranks on a scale, numbers. An annotator
may skip items. The labels are indexed in order (numbers by size, other labels in the
given or alphabetical order), and the coefficients work on these codes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.metrics.base import Matrix
from paraphrast.metrics.number_tables import is_number

Codes: TypeAlias = NDArray[np.intp]
Scale: TypeAlias = Literal["nominal", "ordinal", "interval"]

SCALES: tuple[Scale, ...] = get_args(Scale)
SKIPPED = -1


@dataclass(frozen=True, slots=True)
class Judgment:
    """One annotator's label of one item; an empty label says that it was skipped."""

    item: str
    annotator: str
    label: str
    where: str = ""

    @property
    def prefix(self) -> str:
        """Return the prefix of an error about it: its location, if known."""
        return f"{self.where}: " if self.where else ""


@dataclass(frozen=True)
class Judgments:
    """A table, items by annotators; ``codes`` index ``labels`` or say `SKIPPED`.

    ``scale`` is the highest scale that the labels allow.
    """

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    codes: Codes
    scale: Scale

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Say who judged what: (items, annotators)."""
        judged: NDArray[np.bool_] = self.codes != SKIPPED
        return judged

    @property
    def skipped(self) -> dict[str, int]:
        """Return how many items each annotator skipped."""
        counts = (~self.judged).sum(axis=0)
        return dict(zip(self.annotators, counts.tolist(), strict=True))

    @property
    def numbers(self) -> Matrix:
        """Return each label as a number: its own, or its index in the order."""
        if self.scale == "interval":
            return np.array([float(label) for label in self.labels])
        return np.arange(len(self.labels), dtype=np.float64)

    def of(self, *annotators: int) -> "Judgments":
        """Return the table of some annotators, by their columns."""
        names = tuple(self.annotators[column] for column in annotators)
        codes = self.codes[:, annotators]
        return Judgments(self.items, names, self.labels, codes, self.scale)


def tabulate(
    judgments: Iterable[Judgment],
    *,
    scale: Scale | None = None,
    order: Sequence[str] = (),
) -> Judgments:
    """Put judgments into a table; items and annotators keep the order they come in.

    Without a scale, labels that are all numbers are on an interval scale, labels with
    an ``order`` (lowest first) on an ordinal one, and all others are categories.
    """
    cells = _cells(judgments)
    items = tuple(dict.fromkeys(item for item, _ in cells))
    annotators = tuple(dict.fromkeys(annotator for _, annotator in cells))
    if len(annotators) < 2:
        raise ParaphrastError(
            f"agreement needs at least two annotators, and there "
            f"{'is only ' + repr(annotators[0]) if annotators else 'is none'}."
        )
    result = _scale({j.label for j in cells.values() if j.label}, scale, order)
    labels, code = _code_labels(cells.values(), result, order)
    codes = np.full((len(items), len(annotators)), SKIPPED, np.intp)
    rows = {item: row for row, item in enumerate(items)}
    columns = {annotator: column for column, annotator in enumerate(annotators)}
    for (item, annotator), judgment in cells.items():
        if judgment.label:
            codes[rows[item], columns[annotator]] = code[judgment.label]
    return Judgments(items, annotators, labels, codes, result)


def _cells(judgments: Iterable[Judgment]) -> dict[tuple[str, str], Judgment]:
    cells: dict[tuple[str, str], Judgment] = {}
    for judgment in judgments:
        key = (judgment.item, judgment.annotator)
        if key in cells:
            before = f" (first at {cells[key].where})" if cells[key].where else ""
            raise ParaphrastError(
                f"{judgment.prefix}annotator {judgment.annotator!r} judged item "
                f"{judgment.item!r} twice{before}. Keep one of the two."
            )
        cells[key] = judgment
    return cells


def _scale(labels: set[str], scale: Scale | None, order: Sequence[str]) -> Scale:
    if scale is not None and scale not in SCALES:
        raise unknown("scale", scale, SCALES)
    numeric = all(is_number(label) for label in labels)
    if scale == "interval" and not numeric:
        odd = min(label for label in labels if not is_number(label))
        raise ParaphrastError(
            f"label {odd!r} is not a number, and an interval scale has only numbers. "
            "Choose the scale nominal, or give the labels' order."
        )
    if scale == "ordinal" and not (numeric or order):
        raise ParaphrastError(
            "an ordinal scale of labels that are not numbers needs their order, "
            "lowest first."
        )
    if scale is not None:
        return scale
    if order:
        return "ordinal"
    return "interval" if numeric else "nominal"


def _code_labels(
    judgments: Iterable[Judgment], scale: Scale, order: Sequence[str]
) -> tuple[tuple[str, ...], dict[str, int]]:
    """Return the labels in order and the code of every spelling of one."""
    spellings: dict[str, Judgment] = {}
    for judgment in judgments:
        if judgment.label:
            spellings.setdefault(judgment.label, judgment)
    if order:
        for label, judgment in spellings.items():
            if label not in order:
                error = unknown("label", label, order)
                raise ParaphrastError(f"{judgment.prefix}{error}")
        return tuple(order), {label: order.index(label) for label in spellings}
    if all(is_number(label) for label in spellings):
        # "1" and "1.0" are one label.
        values = sorted({float(label) for label in spellings})
        code_of = {value: code for code, value in enumerate(values)}
        codes = {label: code_of[float(label)] for label in spellings}
        return tuple(repr(value).removesuffix(".0") for value in values), codes
    labels = sorted(spellings)
    return tuple(labels), {label: code for code, label in enumerate(labels)}
