"""How many wrong versions a checker finds at 5% false alarms, overall and by kind."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

ALARMS = 0.05


def find_threshold(right: Sequence[float], alarms: float = ALARMS) -> float:
    """Return the score below which the given share of right versions falls."""
    ordered = sorted(right)
    return ordered[min(len(ordered) - 1, int(alarms * len(ordered)))]


def report_recall(
    rows: Sequence[Mapping[str, Any]], scores: Sequence[float]
) -> dict[str, Any]:
    """Return recall of wrong versions at 5% false alarms on right ones."""
    right = [
        s
        for row, s in zip(rows, scores, strict=True)
        if row["same"] and row["kind"] != "copy"
    ]
    limit = find_threshold(right)
    result: dict[str, list[bool]] = defaultdict(list)
    alarms: dict[str, list[bool]] = defaultdict(list)
    for row, score in zip(rows, scores, strict=True):
        if row["same"]:
            alarms[row["kind"]].append(score < limit)
            alarms[f"style {row['style']}"].append(score < limit)
            continue
        result[row["kind"]].append(score < limit)
        group = "written" if row["kind"].startswith("written") else "mechanical"
        if row["kind"] == "similar text":
            group = "similar text"
        result[f"all {group}"].append(score < limit)
        result["all"].append(score < limit)
    return {
        "threshold": round(limit, 4),
        "auc": round(compute_area(rows, scores), 4),
        "recall": {
            k: [round(sum(v) / len(v), 3), len(v)] for k, v in sorted(result.items())
        },
        "false alarms": {
            k: [round(sum(v) / len(v), 3), len(v)] for k, v in sorted(alarms.items())
        },
    }


def compute_area(rows: Sequence[Mapping[str, Any]], scores: Sequence[float]) -> float:
    """Return the probability that a right version scores above a wrong one."""
    order = sorted(range(len(rows)), key=lambda at: scores[at])
    wrong = above = 0
    for at in order:
        if rows[at]["same"]:
            above += wrong
        else:
            wrong += 1
    right = len(rows) - wrong
    return above / max(1, right * wrong)
