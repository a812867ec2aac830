"""docs/monolingual-aligner.md: scores, learning curve and ablation of the aligner."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recipes.markdown import ROOT, Record, between, read_json, table, with_interval

BENCHMARK = ROOT / "benchmarks/results/monolingual_aligner.json"


def pages(_: Record) -> dict[Path, str]:
    """Return the page."""
    page = ROOT / "docs/monolingual-aligner.md"
    record = read_json(BENCHMARK)
    few = record["setting"]["ablation_pairs"]
    parts = [
        _scores(record["figures"]),
        f"{record['median']} pairs per second on one core, {record['cold']} cold.",
        "Trained on fewer gold pairs, from random weights and from those that the "
        "teacher taught:",
        _curve(record["learning_curve"]),
        f"Ablation: one kind of feature less, from random weights with {few} pairs:",
        _ablation(record["ablation"]),
    ]
    return {page: between(page, "\n\n".join(parts))}


def _scores(record: Mapping[str, Any]) -> str:
    rows = []
    for name, own in record.items():
        sure, every = own["sure"], own["sure_or_possible"]
        different = sure["different_words_f1"], *sure["different_words_interval"]
        cells = (
            with_interval(sure["f1"], *sure["f1_interval"]),
            with_interval(*different),
            with_interval(every["f1"], *every["f1_interval"]),
        )
        rows.append([name, str(own["pairs"]), *cells])
    head = "gold set", "pairs", "sure", "different words", "all"
    return table(head, rows, align="lrlll")


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
