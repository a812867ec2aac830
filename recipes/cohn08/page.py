"""The figure of docs/agreement.md: Figure 4 of Cohn et al. (2008)."""

from pathlib import Path

from recipes.charts import columns
from recipes.markdown import ROOT, Record


def pages(record: Record) -> dict[Path, str]:
    """Draw agreement by length, for all annotators together."""
    values = {
        figure["name"].removeprefix("length ").rpartition(", "): figure["ours"]["value"]
        for figure in record["figures"]
        if figure["name"].startswith("length ")
    }
    groups = list(dict.fromkeys(group for group, _, _ in values))
    series = {
        name: [values[group, ", ", name] for group in groups]
        for name in ("π", "π₀", "Ĉ")
    }
    axis = "words of the shorter sentence"
    picture = columns({"all annotators": series}, groups=groups, axis=axis)
    return {ROOT / "docs/agreement_length.svg": picture}
