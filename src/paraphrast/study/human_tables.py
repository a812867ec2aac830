"""Lay out people's judgments of systems as lines of text and as records."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from paraphrast.study import criteria
from paraphrast.study.criteria import RANK, Figure
from paraphrast.study.paraphrase_scale import Report

LEVEL = 0.001  # where the paper's stars begin


def scale_lines(reports: Sequence[Report]) -> Iterator[str]:
    """Yield STRAP's Table 2: a row a system, then what to know about it."""
    names = list(dict.fromkeys(name for one in reports for name in one.shares))
    width = max(6, *(len(one.system) for one in reports))
    yield f"{'':<{width}}" + "".join(f"  {name:<20}" for name in names)
    for one in reports:
        cells = []
        for name in names:
            share = one.shares.get(name)
            shown = "-"
            if share:
                shown = f"{share.value:.1f} [{share.low:.1f}, {share.high:.1f}]"
            cells.append(f"  {shown:<20}")
        yield f"{one.system:<{width}}{''.join(cells)}"
    for one in reports:
        yield ""
        yield from _about(one)


def scale_record(reports: Sequence[Report]) -> dict[str, object]:
    """Return the same for JSON."""
    return {"systems": [asdict(one) for one in reports]}


def criteria_lines(found: criteria.Report) -> Iterator[str]:
    """Yield the systems' means by criterion, agreement, and metrics against people."""
    names = list(dict.fromkeys(name for row in found.systems.values() for name in row))
    width = max(6, *map(len, found.systems))
    yield f"{'':<{width}}" + "".join(f"  {name:<22}" for name in names)
    for system, row in _ordered(found.systems):
        cells = (_figure(row.get(name)) for name in names)
        yield f"{system:<{width}}" + "".join(f"  {cell:<22}" for cell in cells)
    yield f"* differs from {found.baseline} (p < {LEVEL}); rank: lower is better"
    for name, rows in found.agreement.items():
        yield ""
        yield f"agreement on {name}"
        for one in rows:
            yield (
                f"  {one.coefficient:<30}{one.value:.3f} "
                f"[{one.low:.3f}, {one.high:.3f}]  {one.items} outputs"
            )
    for metric, values in found.correlations.items():
        yield ""
        yield f"{metric} and people, Spearman"
        for name, value in values.items():
            yield (
                f"  {name:<30}{value.value:+.3f} [{value.low:+.3f}, "
                f"{value.high:+.3f}]  {value.pairs} outputs"
            )


def criteria_record(found: criteria.Report) -> dict[str, object]:
    """Return the same for JSON."""
    return asdict(found)


def _about(one: Report) -> Iterator[str]:
    counts = ", ".join(f"{count} of {label}" for label, count in one.labels.items())
    yield f"{one.system}: {one.outputs} outputs; by majority {counts}"
    if one.copied:
        yield f"  {one.copied} copy their source and count as 2"
    if one.undecided:
        yield (
            f"  {len(one.undecided)} have no majority and are left out; one more "
            f"judgment each: {', '.join(one.undecided[:5])}"
            f"{', …' if len(one.undecided) > 5 else ''}"
        )
    if one.kappa:
        band = f" ({one.band})" if one.band else ""
        yield (
            f"  Fleiss's kappa {one.kappa.value:.3f} [{one.kappa.low:.3f}, "
            f"{one.kappa.high:.3f}]{band}"
        )
    if "ACC" not in one.shares:
        yield "  no J: give each output's style as the column accurate, 1 or 0"


def _ordered(
    systems: Mapping[str, Mapping[str, Figure]],
) -> list[tuple[str, Mapping[str, Figure]]]:
    """Return systems from best to worst rank, if all were ranked."""
    if all(RANK in row for row in systems.values()):
        return sorted(systems.items(), key=lambda pair: pair[1][RANK].value)
    return list(systems.items())


def _figure(figure: Figure | None) -> str:
    if figure is None:
        return "-"
    star = "*" if figure.p is not None and figure.p < LEVEL else ""
    return f"{figure.value:.2f}{star} [{figure.low:.2f}, {figure.high:.2f}]"
