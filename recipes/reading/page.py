"""docs/reading.md and the first rows of README: how many rewrites readers accept."""

from collections.abc import Sequence
from pathlib import Path

from paraphrast.corpora.loaders.everyday import STYLES
from recipes.markdown import ROOT, Record, Values, figures, fill_marked
from recipes.markdown import table as make_table

RIVAL = "untuned, few-shot"
SYSTEMS = {  # as they are named in the key, and what they are
    "copy": "COPY: the text itself",
    "pack 0.1": "the pack of version 0.1",
    "rules": "rules, formal and informal only",
    "phrase": "phrase-based, one pack per style, trained on everyday",
    "student 2": "`small` of the second run, no guards",
    "student 3": "`small` of the third run, no guards",
    "student 3, preferences": "`small` of the third run with preferences, no guards",
    "small, 8 bits": "`small` of the third run in 8 bits",
    "small 3": "`small` of the third run in 7 bits",
    "small 3 again": "`small` of the third run with later guards, read again",
    "student 4": "`small` of the fourth run, no guards",
    "small 4": "`small` of the fourth run",
    "small 4 again": "`small` of the fourth run, read again with the fifth run",
    "small 4, later guards": "`small` of the fourth run with later guards, read again",
    "small 4, third reading": "`small` of the fourth run, read with the last sheets",
    "small 7 at 0.45": "`small` of the seventh run, check at 0.45, no verse layout",
    "small 7, regrets": "`small` of the seventh run with regrets, check at 0.55",
    "small 7 at 0.6": "`small` of the seventh run, check at 0.6",
    "small": "`small`, the default pack",
    "learned, 200 sentences": "`small` of the fourth run, learned: a keeper, Joyce",
    "learned, 200 sentences, again": "`small` after `learn` (a keeper, Joyce)",
    "small for learned": "`small` for the same: prose-1890, joyce",
    "student 5": "`small` trained longer, no guards",
    "student 5, preferences": "`small` trained longer, with preferences, no guards",
    "student 6, preferences of meaning": "`small`, meaning preferences, no guards",
    "teacher 2": "`large` of the second run, no guards",
    "teacher 3, no preferences": "`large` of the third run before preferences",
    "teacher 3": "`large` of the third run, no guards",
    "teacher 4, no preferences": "`large` of the fourth run before preferences",
    "teacher 4, half-way": "`large` of the fourth run, mean of these two adapters",
    "teacher 4": "`large` of the fourth run, no guards",
    "teacher 5, no preferences": "`large` before preferences, no guards",
    "large, no guards": "`large`, no guards",
    "large": "`large`",
    "large again": "`large`, read again with the sixth run",
    "large, third reading": "`large`, read again with the seventh run",
    "teacher 6": "`large` of the sixth run (not shipped), no guards",
    "large 6": "`large` of the sixth run (not shipped), 4-bit base, guards",
    "teacher 7": "`large` of the seventh run (not shipped), no guards",
    RIVAL: "base of `large`, not fine-tuned, few-shot prompt, no guards",
    "untuned, few-shot, guards": "base of `large`, few-shot prompt, guards",
    "authored": "written by an author (ceiling)",
    "small, fresh": "260 further requests: `small`",
    "small, fresh again": "260 further requests: `small`, read with the last three",
    "small 8, fresh": "260 further requests: `small` trained on, not shipped",
    "small 8 bolder, fresh": "260 further requests: the same, bolder, not shipped",
    "half, fresh": "260 further requests: a tuned 0.5B, not shipped",
    "large at 0.4, fresh": "260 further requests: `large`, check at 0.4",
}

BY_STYLE = ("copy", "pack 0.1", "rules", "phrase", "small", "large", RIVAL, "authored")


def pages(record: Record) -> dict[Path, str]:
    """Return the page."""
    values = figures(record)
    page = ROOT / "docs/reading.md"
    shown = [name for name in SYSTEMS if f"{name}: acceptable" in values]
    parts = [
        _systems(values, shown),
        "Acceptable by style, in percent (results.json has the other systems):",
        _groups(values, [name for name in shown if name in BY_STYLE], STYLES[1:]),
        *_preferences(values, shown),
        "The readers' agreement (Krippendorff's alpha), and the correlation of "
        "automatic metrics with acceptance, per output:",
        _more(values),
    ]
    return {page: fill_marked(page, "\n\n".join(parts))}


def claims(record: Record) -> list[list[str]]:
    """Return README's rows: a name, the reference and our figure."""
    values = figures(record)
    references = {
        "small": f"pack of version 0.1: {_share(values, 'pack 0.1: acceptable')}",
        "large": "its base model, not fine-tuned: "
        + _share(values, f"{RIVAL}: acceptable"),
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
        "How often each system's output has better marks than that of the base model "
        "with a few-shot prompt, where one of the two is better:"
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
