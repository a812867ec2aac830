"""The report of a filter: what each stage kept and dropped (STRAP's Table 8)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paraphrast.corpora.filtering.stages import STAGES, Pipeline

UNREADABLE = "unreadable"


@dataclass(frozen=True)
class Row:
    """A stage: what it kept and dropped of the pairs that reached it."""

    stage: str
    title: str
    kept: int
    dropped: int

    @property
    def share(self) -> float:
        """Return the dropped share of the pairs that reached the stage."""
        reached = self.kept + self.dropped
        return self.dropped / reached if reached else 0.0


@dataclass(frozen=True)
class Report:
    """How many records were read, and how many each reason dropped."""

    read: int
    dropped: Mapping[str, int]
    pipeline: Pipeline
    similarity: str = ""

    @property
    def kept(self) -> int:
        """Return how many pairs passed every stage."""
        return self.read - sum(self.dropped.values())

    @property
    def rows(self) -> list[Row]:
        """Return one row per stage that ran, in order, after unreadable records."""
        titles = {UNREADABLE: UNREADABLE} | {
            name: stage.title for name, stage in self.pipeline.stages.items()
        }
        left, rows = self.read, []
        for name, title in titles.items():
            dropped = self.dropped.get(name, 0)
            left -= dropped
            rows.append(Row(name, title, left, dropped))
        return rows

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        settings = {name: vars(stage) for name, stage in self.pipeline.stages.items()}
        return {
            "read": self.read,
            "kept": self.kept,
            "stages": [
                {
                    "stage": row.stage,
                    "kept": row.kept,
                    "dropped": row.dropped,
                    "share": round(row.share, 6),
                }
                for row in self.rows
            ],
            "settings": settings,
            "similarity": self.similarity,
        }

    def __str__(self) -> str:
        """Lay the report out as a table."""
        lines = [f"{'stage':<24}{'kept':>12}{'dropped':>12}{'share':>9}"]
        lines.append(f"{'read':<24}{self.read:>12,}")
        lines += [
            f"{row.title:<24}{row.kept:>12,}{row.dropped:>12,}{row.share:>9.1%}"
            for row in self.rows
        ]
        return "\n".join(lines)


def tally(reasons: Mapping[str, int] | None = None) -> Counter[str]:
    """Return a counter of reasons, starting from ``reasons``."""
    return Counter({name: 0 for name in (UNREADABLE, *STAGES)} | dict(reasons or {}))
