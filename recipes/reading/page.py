"""docs/reading.md, and what README says first: how many rewrites readers accept."""

from collections.abc import Sequence
from pathlib import Path

from paraphrast.corpora.loaders.everyday import STYLES
from recipes.markdown import ROOT, Record, Values, between, figures
from recipes.markdown import table as make_table

RIVAL = "untuned, few-shot"
SYSTEMS = {  # as they are named in the key, and what they are
    "copy": "the text as it is",
    "pack 0.1": "the pack of version 0.1",
    "rules": "rules, formal and informal alone",
    "phrase": "phrase-based, a pack per style, trained on everyday",
    "student 2": "`small` of the second run, no guards",
    "student 3": "`small` of the third run, no guards",
    "student 3, preferences": "the same, taught preferences",
    "small, 8 bits": "`small` of the third run before rounding to 7 bits",
    "small 3": "`small` of the third run",
    "small 3 again": "the same with later guards, in the fourth run's sheets",
    "student 4": "`small`, no guards",
    "small": "`small`, the default pack",
    "small again": "the same in the fifth run's sheets",
    "learned, 200 sentences": "`small` after `learn`: a keeper's log, Joyce",
    "student 5": "a student that went on from it, no guards",
    "student 5, preferences": "the same, taught preferences",
    "student 6, preferences of meaning": "`small` taught those of meaning, no guards",
    "teacher 2": "`large` of the second run, no guards",
    "teacher 3, no preferences": "`large` of the third run before preferences",
    "teacher 3": "`large` of the third run, no guards",
    "teacher 4, no preferences": "`large` of the fourth run before preferences",
    "teacher 4, half-way": "half-way between that and the next",
    "teacher 4": "`large` of the fourth run, no guards",
    "teacher 5, no preferences": "`large` before preferences, no guards",
    "large, no guards": "`large`, no guards",
    "large": "`large`",
    "large again": "the same in the sixth run's sheets",
    "teacher 6": "an adapter that went on from it, no guards",
    "large 6": "the same as a pack, with guards",
    RIVAL: "its base, untuned, asked as `--using llm` asks, no guards",
    "untuned, few-shot, guards": "the same with guards",
    "authored": "written by an author (ceiling)",
}

BY_STYLE = ("copy", "pack 0.1", "rules", "phrase", "small", "large", RIVAL, "authored")


def pages(record: Record) -> dict[Path, str]:
    """Return the page."""
    values = figures(record)
    page = ROOT / "docs/reading.md"
    shown = [name for name in SYSTEMS if f"{name}: acceptable" in values]
    parts = [
        _systems(values, shown),
        "Acceptable by style, in per cent (results.json has the other systems):",
        _groups(values, [name for name in shown if name in BY_STYLE], STYLES[1:]),
        *_preferences(values, shown),
        "The readers' agreement (Krippendorff's alpha), and the correlation of "
        "automatic figures with acceptance, output by output:",
        _more(values),
    ]
    return {page: between(page, "\n\n".join(parts))}


def claims(record: Record) -> list[list[str]]:
    """Return README's rows: a name, the reference and our figure."""
    values = figures(record)
    references = {
        "small": f"pack of version 0.1: {_share(values, 'pack 0.1: acceptable')}",
        "large": f"its base, untuned: {_share(values, f'{RIVAL}: acceptable')}",
    }
    return [
        [
            f"Rewrites that readers would use as they are: {SYSTEMS[name]}",
            reference,
            _share(values, f"{name}: acceptable"),
        ]
        for name, reference in references.items()
    ]


def _systems(values: Values, shown: Sequence[str]) -> str:
    rows = [
        [
            SYSTEMS[name],
            values[f"{name}: acceptable"]["signature"].partition(" ")[0],
            _share(values, f"{name}: acceptable"),
            _share(values, f"{name}: changed"),
            *(
                f"{values[f'{name}: {part}']['value']:.2f}"
                for part in ("meaning", "style", "fluency")
            ),
        ]
        for name in shown
    ]
    head = "", "outputs", "acceptable", "meaning changed", "meaning", "style", "fluency"
    return make_table(head, rows, align="lrrrrrr")


def _groups(values: Values, shown: Sequence[str], groups: Sequence[str]) -> str:
    rows = []
    for group in groups:
        keys = [f"{name}, {group}: acceptable" for name in shown]
        cells = [f"{values[key]['value']:.0f}" if key in values else "" for key in keys]
        rows.append([group, *cells])
    return make_table(["", *shown], rows, align="l" + "r" * len(shown))


def _preferences(values: Values, shown: Sequence[str]) -> list[str]:
    """Return how often each system is preferred to the untuned model."""
    end = ": preferred to the untuned model"
    rows = [
        [SYSTEMS[name], values[name + end]["signature"].partition(";")[0],
         _share(values, name + end)]
        for name in shown
        if name + end in values
    ]  # fmt: skip
    head = "", "better : worse", "preferred"
    about = (
        "Preferred to the untuned model, by the marks, where one of the two is better:"
    )
    return [about, make_table(head, rows, align="lrr")] if rows else []


def _more(values: Values) -> str:
    rows = [
        [name, f"{value['value']:.2f} [{value['low']:.2f}, {value['high']:.2f}]"]
        for name, value in values.items()
        if name.endswith(("krippendorff alpha ordinal", "Spearman"))
    ]
    return make_table(["", "value"], rows, align="lr")


def _share(values: Values, name: str) -> str:
    value = values[name]
    return f"{value['value']:.0f}% [{value['low']:.0f}, {value['high']:.0f}]"
