"""docs/monolingual-aligner.md: scores, operating points, learning curve, ablation."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from paraphrast.align.base import PREFERENCES
from paraphrast.estimators.charts import COLOURS, Point
from recipes.charts import scatter
from recipes.markdown import ROOT, Record, fill_marked, read_json, table, with_interval

BENCHMARK = ROOT / "benchmarks/results/monolingual_aligner.json"
POINTS = ROOT / "benchmarks/results/operating_points.json"
HALF = "mt-reference, scoring half"


def pages(_: Record) -> dict[Path, str]:
    """Return the page, and its chart of precision and recall."""
    page = ROOT / "docs/monolingual-aligner.md"
    record = read_json(BENCHMARK)
    points = read_json(POINTS)
    few = record["setting"]["ablation_pairs"]
    parts = [
        _scores(record["figures"]),
        "All links, sure and possible, at each operating point (macro):",
        _points(points["points"]),
        f"Aligners trained without gold links, scored on all links of {HALF}:",
        _without_links(points["without_links"]),
        "![Precision against recall on mt-reference](aligner-points.svg)",
        "What the operating points mean for two uses: tracing each word to its origin, "
        "and links that annotators correct:",
        _uses(points["uses"]),
        f"{_speed(points)} {record['median']} pairs per second on one core, "
        f"{record['cold']} cold.",
        "Trained on fewer gold pairs, from random weights and from the weights "
        "distilled from the teachers:",
        _curve(record["learning_curve"]),
        "Ablation: one group of features removed, trained from random weights on "
        f"{few} pairs:",
        _ablation(record["ablation"]),
    ]
    return {
        page: fill_marked(page, "\n\n".join(parts)),
        ROOT / "docs/aligner-points.svg": _draw(points),
    }


def _scores(record: Mapping[str, Any]) -> str:
    rows = []
    for name, own in record.items():
        sure = own["sure"]
        different = sure["different_words_f1"], *sure["different_words_interval"]
        cells = (
            with_interval(sure["f1"], *sure["f1_interval"]),
            with_interval(*different),
        )
        rows.append([name, str(own["pairs"]), *cells])
    head = "gold set", "pairs", "sure", "different words"
    return table(head, rows, align="lrll")


def _speed(record: Mapping[str, Any]) -> str:
    """Return a sentence on whether recall costs time."""
    low, high = record["range"]
    verdict = "no difference" if low <= 1 <= high else "a difference"
    return (
        "All points run the same network. CPU time at *balance* over that at "
        f"*precision*: {record['median']:.2f} ({low:.2f} to {high:.2f}), {verdict}."
    )


def _points(record: Mapping[str, Any]) -> str:
    rows = [
        [name, point, *_three(own[point])]
        for name, own in record.items()
        for point in PREFERENCES
    ]
    head = "gold set", "prefer", "precision", "recall", "F1"
    return table(head, rows, align="lllll")


def _without_links(record: Mapping[str, Any]) -> str:
    rows = [[name, *_three(own)] for name, own in record.items()]
    return table(["aligner", "precision", "recall", "F1"], rows, align="llll")


def _three(own: Mapping[str, Any]) -> list[str]:
    names = "precision", "recall", "f1"
    return [with_interval(own[name], *own[f"{name}_interval"]) for name in names]


def _uses(record: Mapping[str, Any]) -> str:
    rows = [
        [
            name,
            point,
            *(
                f"{own[point][f'{kind}_origin']:.1f}"
                for kind in ("right", "wrong", "no")
            ),
            f"{own[point]['removed_per_pair']:.1f}",
            f"{own[point]['added_per_pair']:.1f}",
        ]
        for name, own in record.items()
        for point in PREFERENCES
    ]
    head = (
        "gold set",
        "prefer",
        "words with the right origin, %",
        "with a wrong origin, %",
        "with none, %",
        "links to remove per pair",
        "links to add per pair",
    )
    return table(head, rows, align="llrrrrr")


def _draw(record: Mapping[str, Any]) -> str:
    """Draw the curve of all thresholds, the points on it, and other aligners."""
    curve = [
        Point("", row["recall"], row["precision"], curve="monolingual")
        for row in record["curve"]
    ]
    own, others = record["points"][HALF], record["without_links"]
    dots = [
        Point(name, own[name]["recall"], own[name]["precision"], colour=COLOURS[0])
        for name in PREFERENCES
    ] + [
        Point(name, other["recall"], other["precision"], colour=COLOURS[1])
        for name, other in others.items()
    ]
    return scatter({HALF: [*curve, *dots]}, across="recall", up="precision")


def _curve(points: Sequence[Mapping[str, Any]]) -> str:
    sets = [name for name in points[0] if name not in ("start", "pairs")]
    rows = [[p["start"], str(p["pairs"]), *_two(p, sets)] for p in points]
    return table(
        ["start", "gold pairs", *_head(sets)], rows, align="lr" + "l" * len(sets)
    )


def _ablation(points: Mapping[str, Mapping[str, Any]]) -> str:
    sets = list(next(iter(points.values())))
    rows = [[name, *_two(point, sets)] for name, point in points.items()]
    return table(["", *_head(sets)], rows, align="l" + "l" * len(sets))


def _head(sets: Sequence[str]) -> list[str]:
    return [f"{name}: sure / different words" for name in sets]


def _two(point: Mapping[str, Any], sets: Sequence[str]) -> list[str]:
    both = (point[name] for name in sets)
    return [f"{own['f1']:.1f} / {own['different_words_f1']:.1f}" for own in both]
