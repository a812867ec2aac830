"""Format agreement and human judgments of systems as lines of text."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from paraphrast.align.measures import Level
from paraphrast.study.acceptance import Report as AcceptanceReport
from paraphrast.study.acceptance import Share as AcceptedShare
from paraphrast.study.agreement import Agreement, Report
from paraphrast.study.alignments import Annotations, Comparison
from paraphrast.study.alignments import Report as LinkReport
from paraphrast.study.chance_corrected import ChanceCorrected
from paraphrast.study.criteria import RANK, Figure
from paraphrast.study.criteria import Report as CriteriaReport
from paraphrast.study.judgments import Judgments
from paraphrast.study.paraphrase_scale import Report as ScaleReport

SIGNIFICANT = 0.001  # where the paper's stars begin
LEVELS: dict[Level, str] = {"words": "words", "phrases": "atomic phrases"}


def judgment_lines(table: Judgments, report: Report) -> Iterator[str]:
    """Yield the report of a table of judgments."""
    yield (
        f"{len(table.items)} items, {len(table.annotators)} annotators, "
        f"{len(table.labels)} labels on a scale that is {table.scale}"
    )
    yield from _skipped_lines(table.skipped, len(table.items), "items")
    alone = int((table.judged.sum(axis=1) < 2).sum())
    if alone:
        yield f"{alone} items have fewer than two judgments and count nowhere"
    yield from _coefficients("all annotators", report.overall)
    for names in dict.fromkeys(agreement.annotators for agreement in report.pairwise):
        rows = [
            agreement for agreement in report.pairwise if agreement.annotators == names
        ]
        yield from _coefficients(" and ".join(names), rows)


def link_lines(annotations: Annotations, report: LinkReport) -> Iterator[str]:
    """Yield the report of annotators who linked words."""
    total = len(annotations.pairs)
    yield f"{total} sentence pairs, {len(annotations.annotators)} annotators"
    yield from _skipped_lines(annotations.skipped, total, "pairs")
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
            yield f"  {name:<18}{_format_corrected(report.overall[level])}"


def link_record(annotations: Annotations, report: LinkReport) -> dict[str, object]:
    """Return the report of annotators who linked words, for JSON."""
    return {
        "pairs": len(annotations.pairs),
        "annotators": list(annotations.annotators),
        "skipped": annotations.skipped,
        "without links": annotations.without_links,
        "overall": {
            level: asdict(corrected) for level, corrected in report.overall.items()
        },
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
        "overall": [asdict(agreement) for agreement in report.overall],
        "pairwise": [asdict(agreement) for agreement in report.pairwise],
    }


def scale_lines(reports: Sequence[ScaleReport]) -> Iterator[str]:
    """Yield STRAP's Table 2: one row per system, then notes."""
    names = list(dict.fromkeys(name for report in reports for name in report.shares))
    width = max(6, *(len(report.system) for report in reports))
    yield f"{'':<{width}}" + "".join(f"  {name:<20}" for name in names)
    for report in reports:
        cells = []
        for name in names:
            share = report.shares.get(name)
            shown = "-"
            if share:
                shown = f"{share.value:.1f} [{share.low:.1f}, {share.high:.1f}]"
            cells.append(f"  {shown:<20}")
        yield f"{report.system:<{width}}{''.join(cells)}"
    for report in reports:
        yield ""
        yield from _describe_outputs(report)


def criteria_lines(report: CriteriaReport) -> Iterator[str]:
    """Yield the systems' means by criterion, agreement, and metrics against people."""
    names = list(dict.fromkeys(name for row in report.systems.values() for name in row))
    width = max(6, *map(len, report.systems))
    yield f"{'':<{width}}" + "".join(f"  {name:<22}" for name in names)
    for system, row in _order_systems(report.systems):
        cells = (_figure(row.get(name)) for name in names)
        yield f"{system:<{width}}" + "".join(f"  {cell:<22}" for cell in cells)
    yield f"* differs from {report.baseline} (p < {SIGNIFICANT}); rank: lower is better"
    for name, rows in report.agreement.items():
        yield ""
        yield f"agreement on {name}"
        for result in rows:
            yield (
                f"  {result.coefficient:<30}{result.value:.3f} "
                f"[{result.low:.3f}, {result.high:.3f}]  {result.items} outputs"
            )
    for metric, values in report.correlations.items():
        yield ""
        yield f"{metric} and people, Spearman"
        for name, value in values.items():
            yield (
                f"  {name:<30}{value.value:+.3f} [{value.low:+.3f}, "
                f"{value.high:+.3f}]  {value.pairs} outputs"
            )


def acceptance_lines(report: AcceptanceReport) -> Iterator[str]:
    """Yield what readers accepted, by system and by style, agreement, preferences."""
    width = max(6, *map(len, report.systems))
    head = "acceptable", "meaning changed", "meaning", "style", "fluency", "outputs"
    yield f"{'':<{width}}  {head[0]:<18}{head[1]:<18}" + "".join(
        f"{name:>9}" for name in head[2:]
    )
    for system, own in report.systems.items():
        yield (
            f"{system:<{width}}  {_format_share(own.acceptable):<18}"
            f"{_format_share(own.changed):<18}{own.meaning:>9.2f}{own.style:>9.2f}"
            f"{own.fluency:>9.2f}{own.outputs:>9}"
        )
    yield f"readers: {', '.join(report.readers)}; Wilson's 95% intervals"
    for title, groups in (("target", report.by_target), ("kind", report.by_kind)):
        yield ""
        yield f"acceptable by {title}"
        for system, own_groups in groups.items():
            cells = (
                f"{name or '-'} {own.acceptable.value:.0f}% of {own.outputs}"
                for name, own in own_groups.items()
            )
            yield f"  {system:<{width}}  {', '.join(cells)}"
    yield ""
    yield "faults of what was not acceptable"
    for system, faults in report.faults.items():
        counts = ", ".join(f"{name} {count}" for name, count in faults.items())
        yield f"  {system:<{width}}  {counts or 'none'}"
    if report.preferences:
        yield ""
        yield "preferred by the marks (better : worse, ties; share where one is better)"
    for pair in report.preferences:
        share = f"; {_format_share(pair.share)}" if pair.share else ""
        yield (
            f"  {pair.first} against {pair.second}: {pair.better} : {pair.worse}, "
            f"{pair.ties}{share}"
        )
    for name, rows in report.agreement.items():
        yield from _coefficients(f"agreement on {name}", rows)


def _format_share(share: AcceptedShare) -> str:
    return f"{share.value:.0f}% [{share.low:.0f}, {share.high:.0f}]"


def _skipped_lines(
    skipped: Mapping[str, int], total: int, things: str
) -> Iterator[str]:
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
        table = comparison.tables[level]
        yield (
            f"  {name:<16}{table.precision_possible:>6.2f}{table.precision_sure:>6.2f}"
            f"{table.recall_possible:>8.2f}{table.recall_sure:>6.2f}  "
            f"{_interval(table.f1, table.f1_low, table.f1_high)}  "
            f"{_format_corrected(comparison.corrected[level])}"
        )


def _format_corrected(corrected: ChanceCorrected) -> str:
    shown = _interval(corrected.value, corrected.low, corrected.high)
    return f"{corrected.observed:>6.2f}{corrected.expected:>6.2f}  {shown}"


def _interval(value: float, low: float, high: float) -> str:
    if not math.isfinite(value):
        return f"{'undefined':<22}"
    shown = (f"{round(number, 3) + 0.0:.3f}" for number in (value, low, high))
    middle, left, right = shown
    return f"{middle:>6} [{left}, {right}]".ljust(22)


def _describe_outputs(report: ScaleReport) -> Iterator[str]:
    counts = ", ".join(f"{count} of {label}" for label, count in report.labels.items())
    yield f"{report.system}: {report.outputs} outputs; by majority {counts}"
    if report.copied:
        yield f"  {report.copied} copy their source and count as 2"
    if report.undecided:
        yield (
            f"  {len(report.undecided)} have no majority and are left out; one more "
            f"judgment each: {', '.join(report.undecided[:5])}"
            f"{', …' if len(report.undecided) > 5 else ''}"
        )
    if report.kappa:
        band = f" ({report.band})" if report.band else ""
        yield (
            f"  Fleiss's kappa {report.kappa.value:.3f} [{report.kappa.low:.3f}, "
            f"{report.kappa.high:.3f}]{band}"
        )
    if "ACC" not in report.shares:
        yield "  no J: give each output's style as the column accurate, 1 or 0"


def _order_systems(
    systems: Mapping[str, Mapping[str, Figure]],
) -> list[tuple[str, Mapping[str, Figure]]]:
    """Return systems from best to worst rank, if all were ranked."""
    if all(RANK in row for row in systems.values()):
        return sorted(systems.items(), key=lambda pair: pair[1][RANK].value)
    return list(systems.items())


def _figure(figure: Figure | None) -> str:
    if figure is None:
        return "-"
    star = "*" if figure.p is not None and figure.p < SIGNIFICANT else ""
    return f"{figure.value:.2f}{star} [{figure.low:.2f}, {figure.high:.2f}]"
