"""Count the edits of parallel texts or of systems, beside the paper's percentages."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from paraphrast.align.base import Aligner
from paraphrast.errors import ParaphrastError
from paraphrast.estimators.charts import (
    COLOURS,
    Axis,
    escape_markup,
    shorten,
    standalone,
    text,
    vertical_grid,
)
from paraphrast.estimators.proportion import wilson_interval
from paraphrast.study.edits import CATEGORIES, Edit, find_edits, list_categories

BATCH = 256
# Rao and Tetreault (2018), Table 8, in percent of sentences: counted by people in 50
# rewrites of each domain, and automatically in the training split.
PAPER = dict(zip(CATEGORIES, (47, 46, 40, 26, 15, 14, 12, 10, 7, 4, 2), strict=True))
PAPER_COUNTED = {
    "capitalization": 51,
    "punctuation": 69,
    "contractions": 8,
    "normalization": 61,
    "lowercase": 8,
    "repetitions": 5,
}
_NAMES = 150.0  # width of the categories' names
_WIDTH, _BAR, _SPACE, _TOP = 420.0, 9.0, 10.0, 34.0


@dataclass(frozen=True, slots=True)
class Share:
    """The percentage of pairs with a category, with Wilson's 95% interval."""

    category: str
    pairs: int
    percent: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Report:
    """The categories of one file; ``unchanged`` pairs have no edit of any."""

    name: str
    pairs: int
    unchanged: int
    categories_per_pair: float
    shares: tuple[Share, ...]


def find_all_edits(
    pairs: Iterable[tuple[str, str]],
    aligner: Aligner,
    progress: Callable[[int], None] = lambda amount: None,
) -> Iterator[tuple[tuple[str, str], list[Edit]]]:
    """Yield each pair and its edits, a batch at a time."""
    waiting = iter(pairs)
    while batch := list(islice(waiting, BATCH)):
        yield from zip(batch, find_edits(batch, aligner), strict=True)
        progress(len(batch))


def make_report(name: str, edits: Iterable[Sequence[Edit]]) -> Report:
    """Count the categories of pairs."""
    counts: Counter[str] = Counter()
    pairs = unchanged = 0
    for edits_of_pair in edits:
        categories = list_categories(edits_of_pair)
        counts.update(categories)
        pairs += 1
        unchanged += not categories
    if not pairs:
        raise ParaphrastError(f"{name}: no pairs to count. Give a file with some.")
    shares = []
    for category in CATEGORIES:
        low, high = wilson_interval(counts[category] / pairs, pairs)
        percent = 100 * counts[category] / pairs
        shares.append(Share(category, counts[category], percent, 100 * low, 100 * high))
    return Report(name, pairs, unchanged, counts.total() / pairs, tuple(shares))


def make_record(pair: tuple[str, str], edits: Sequence[Edit]) -> dict[str, Any]:
    """Return a pair with its edits, for a line of JSON."""
    source, output = pair
    listed = [
        {"category": e.category, "start": e.start, "end": e.end, "before": e.before,
         "after": e.after}
        for e in edits
    ]  # fmt: skip
    return {
        "source": source,
        "output": output,
        "categories": list_categories(edits),
        "edits": listed,
    }


def as_record(reports: Sequence[Report]) -> dict[str, Any]:
    """Return reports beside the paper's percentages, for JSON."""
    return {
        "paper": {"people": PAPER, "counted": PAPER_COUNTED},
        "files": [asdict(report) for report in reports],
    }


def list_rows(reports: Sequence[Report]) -> list[list[str]]:
    """Return one row per category: the paper's percentages, then each file's."""
    rows = []
    for index, category in enumerate(CATEGORIES):
        counted = PAPER_COUNTED.get(category)
        shares = [report.shares[index] for report in reports]
        rows.append(
            [
                category,
                f"{PAPER[category]}",
                "" if counted is None else f"{counted}",
                *(f"{s.percent:.0f} [{s.low:.0f}, {s.high:.0f}]" for s in shares),
            ]
        )
    return rows


def draw_chart(reports: Sequence[Report]) -> str:
    """Draw bars per category: the paper's count by people, then each file's."""
    series: dict[str, Mapping[str, float]] = {"Rao and Tetreault 2018 (people)": PAPER}
    for number, report in enumerate(reports, start=1):
        name = report.name if report.name not in series else f"{report.name} {number}"
        series[name] = {share.category: share.percent for share in report.shares}
    step = len(series) * _BAR + _SPACE
    bottom = _TOP + len(CATEGORIES) * step
    across = Axis(0.0, 100.0, _NAMES, _NAMES + _WIDTH)
    parts = [
        text(
            "percentage of pairs with an edit in the category", _NAMES, 18, kind="title"
        ),
        *vertical_grid(across, _TOP, bottom),
    ]
    for row, category in enumerate(CATEGORIES):
        top = _TOP + row * step + _SPACE / 2
        middle = top + len(series) * _BAR / 2 + 4
        parts.append(text(category, _NAMES - 8, middle, anchor="end"))
        for index, (name, percents) in enumerate(series.items()):
            parts.append(_draw_bar(across, top + index * _BAR, index, name, category,
                                   percents[category]))  # fmt: skip
    for index, name in enumerate(series):
        y = bottom + 34 + 16 * index
        colour = COLOURS[index % len(COLOURS)]
        parts.append(
            f'<rect x="{_NAMES:g}" y="{y - 9:g}" width="10" height="10" '
            f'fill="{colour}"/>' + text(shorten(name, 60), _NAMES + 16, y)
        )
    height = bottom + 34 + 16 * len(series)
    return standalone(_NAMES + _WIDTH + 30, height, "edits by category", parts)


def _draw_bar(
    across: Axis, y: float, index: int, name: str, category: str, percent: float
) -> str:
    told = escape_markup(f"{name}, {category}: {percent:.1f}%")
    width = across.at(percent) - across.start
    return (
        f'<rect x="{across.start:g}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{_BAR - 1:g}" fill="{COLOURS[index % len(COLOURS)]}">'
        f"<title>{told}</title></rect>"
    )
