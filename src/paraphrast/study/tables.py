"""Lay out what was found on agreement as lines of text."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from paraphrast.align.measures import Level
from paraphrast.study.agreement import Agreement, Report
from paraphrast.study.alignments import Annotations, Comparison
from paraphrast.study.alignments import Report as LinkReport
from paraphrast.study.chance_corrected import ChanceCorrected
from paraphrast.study.judgments import Judgments

LEVELS: dict[Level, str] = {"words": "words", "phrases": "atomic phrases"}


def judgment_lines(table: Judgments, report: Report) -> Iterator[str]:
    """Yield the report of a table of judgments."""
    yield (
        f"{len(table.items)} items, {len(table.annotators)} annotators, "
        f"{len(table.labels)} labels on a scale that is {table.scale}"
    )
    yield from _skipped(table.skipped, len(table.items), "items")
    alone = int((table.judged.sum(axis=1) < 2).sum())
    if alone:
        yield f"{alone} items have fewer than two judgments and count nowhere"
    yield from _coefficients("all annotators", report.overall)
    for names in dict.fromkeys(one.annotators for one in report.pairwise):
        rows = [one for one in report.pairwise if one.annotators == names]
        yield from _coefficients(" and ".join(names), rows)


def link_lines(annotations: Annotations, report: LinkReport) -> Iterator[str]:
    """Yield the report of annotators who linked words."""
    total = len(annotations.pairs)
    yield f"{total} sentence pairs, {len(annotations.annotators)} annotators"
    yield from _skipped(annotations.skipped, total, "pairs")
    for name, count in annotations.without_links.items():
        if count:
            yield f"{name} linked nothing in {count} pairs"
    for comparison in report.comparisons:
        first, second = comparison.annotators
        yield ""
        yield (
            f"{first} against {second}, {comparison.pairs} pairs; identical words and "
            "phrases left out"
        )
        yield from _table(comparison)
    if len(report.comparisons) > 1:
        yield ""
        yield f"all annotators{'':<6}{'π':>6}{'π₀':>6}{'Ĉ':>8}"
        for level, name in LEVELS.items():
            yield f"  {name:<18}{_corrected(report.overall[level])}"


def link_record(annotations: Annotations, report: LinkReport) -> dict[str, object]:
    """Return the report of annotators who linked words, for JSON."""
    return {
        "pairs": len(annotations.pairs),
        "annotators": list(annotations.annotators),
        "skipped": annotations.skipped,
        "without links": annotations.without_links,
        "overall": {level: asdict(one) for level, one in report.overall.items()},
        "pairwise": [asdict(comparison) for comparison in report.comparisons],
    }


def judgment_record(table: Judgments, report: Report) -> dict[str, object]:
    """Return the report of a table of judgments, for JSON."""
    return {
        "items": len(table.items),
        "annotators": list(table.annotators),
        "labels": list(table.labels),
        "scale": table.scale,
        "skipped": table.skipped,
        "judged by fewer than two": int((table.judged.sum(axis=1) < 2).sum()),
        "overall": [asdict(one) for one in report.overall],
        "pairwise": [asdict(one) for one in report.pairwise],
    }


def _skipped(skipped: Mapping[str, int], total: int, things: str) -> Iterator[str]:
    for name, count in skipped.items():
        if count:
            yield f"{name} skipped {count} of {total} {things}"


def _coefficients(title: str, rows: Sequence[Agreement]) -> Iterator[str]:
    yield ""
    yield title
    width = max((len(row.coefficient) for row in rows), default=0)
    for row in rows:
        shown = _interval(row.value, row.low, row.high)
        yield f"  {row.coefficient:<{width}}  {shown}  {row.items} items"


def _table(comparison: Comparison) -> Iterator[str]:
    yield (
        f"{'':<18}{'precision':>12}{'recall':>14}\n"
        f"{'':<18}{'Poss':>6}{'Sure':>6}{'Poss':>8}{'Sure':>6}{'F1':>8}{'':<16}"
        f"{'π':>8}{'π₀':>6}{'Ĉ':>8}"
    )
    for level, name in LEVELS.items():
        one = comparison.tables[level]
        yield (
            f"  {name:<16}{one.precision_possible:>6.2f}{one.precision_sure:>6.2f}"
            f"{one.recall_possible:>8.2f}{one.recall_sure:>6.2f}  "
            f"{_interval(one.f1, one.f1_low, one.f1_high)}  "
            f"{_corrected(comparison.corrected[level])}"
        )


def _corrected(one: ChanceCorrected) -> str:
    shown = _interval(one.value, one.low, one.high)
    return f"{one.observed:>6.2f}{one.expected:>6.2f}  {shown}"


def _interval(value: float, low: float, high: float) -> str:
    if not math.isfinite(value):
        return f"{'undefined':<22}"
    shown = (f"{round(number, 3) + 0.0:.3f}" for number in (value, low, high))
    middle, left, right = shown
    return f"{middle:>6} [{left}, {right}]".ljust(22)
