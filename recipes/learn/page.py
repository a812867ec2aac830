"""docs/learn.md: the cost of a lesson, and rewrites before and after it."""

from collections.abc import Sequence
from pathlib import Path

from recipes.markdown import ROOT, Record, Values, figures, fill_marked, interval, lead
from recipes.markdown import table as make_table

MINUTES = ": minutes of one core"
TRAINED = ": sentences that the pack was trained on"


def pages(record: Record) -> dict[Path, str]:
    """Return the page."""
    page = ROOT / "docs/learn.md"
    values = figures(record)
    lessons = [name.removesuffix(MINUTES) for name in values if name.endswith(MINUTES)]
    learned = [
        f"{name.removesuffix(TRAINED)} {value['value']:.0f} ({value['signature']})"
        for name, value in values.items()
        if name.endswith(TRAINED)
    ]
    what = "Sentences of eight words or more that the pack was trained on"
    examples = Path(__file__).with_name("examples.md").read_text("utf-8").strip()
    parts = [
        _cost(values, lessons),
        *([f"{what}: {'; '.join(learned)}."] if learned else []),
        _scores(values, lessons),
        examples,
    ]
    return {page: fill_marked(page, "\n\n".join(parts))}


def _cost(values: Values, lessons: Sequence[str]) -> str:
    rows = []
    for lesson in lessons:
        start = f"{lesson}: nearest is "
        nearest = next(name for name in values if name.startswith(start))
        minutes, megabytes = (
            values[f"{lesson}{part}"]["value"]
            for part in (MINUTES, ": megabytes of memory")
        )
        nearest = nearest.removeprefix(start)
        rows.append([lesson, f"{minutes:.1f}", f"{megabytes:,.0f}", nearest])
    head = "lesson", "minutes of one core", "MB of memory", "nearest style"
    return make_table(head, rows, align="lrrl")


def _scores(values: Values, lessons: Sequence[str]) -> str:
    rows = []
    for lesson in lessons:
        for kind in ("plain versions", "others' sentences"):
            for row in ("COPY", "nearest", "learned", "OWN"):
                label = f"{lesson}, {kind}, {row}"
                if f"{label}: J" in values:
                    scores = (
                        f"{values[f'{label}: {part}']['value']:.1f}"
                        for part in ("ACC", "SIM", "FL")
                    )
                    gain = values.get(f"{lesson}, {kind}: lead in J over {row}")
                    j = interval(values[f"{label}: J"])
                    rows.append([f"{lesson}, {kind}", row, *scores, j, lead(gain)])
    head = (
        "lesson and input",
        "row",
        "ACC",
        "SIM",
        "FL",
        "J",
        "learned ahead of it in J",
    )
    return make_table(head, rows, align="llrrrll")
