r"""What J does the default pack get on STRAP's test, beside published systems?

Run    python -m benchmarks.strap_default_pack FOLDER \
           > benchmarks/results/strap_default_pack.json
       (some five minutes on one core; FOLDER is the mirror of the corpora)
Backs  docs/strap.md.

The recipe `strap` keeps the pack of version 0.1; this is the pack that ships, with its
guards, judged by the small judge as the recipe does: 1,462 sentences to Shakespeare,
and as many to modern English, which is `plain` for this pack. J chooses nothing.
"""

import sys
import tempfile
from pathlib import Path

from benchmarks.report import report
from paraphrast.corpora.catalogue import locate
from paraphrast.judges.judge import load
from paraphrast.reproduce import Value, Workspace
from paraphrast.storage import packs
from recipes.strap import run, scoring, texts

PACK = "small"
NAMES = ("COPY", "TDRG", run.BASELINE)
FIGURES = ("J", "ACC", "SIM", "FL")


def main() -> None:
    mirror = Path(sys.argv[1])
    corpora = {name: locate(name, mirror=mirror) for name in ("strap", "jhamtani17")}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workspace = Workspace(corpora, folder, packs.BUNDLED)
        rows = {
            system: run.Row(texts.read_published(corpora["strap"], system))
            for system in NAMES
        }
        rows[PACK] = run.pack_row(workspace, packs.read(packs.BUNDLED / PACK))
        scorer = scoring.Scorer("small", load(Path("small")), folder / "said")
        values = run.judged_rows(scorer.two_way(), rows)
        for system, row in rows.items():
            values |= scoring.plain(f"{scorer.prefix}{system}", row.segments)
    lines = rows[PACK].segments
    report(
        claim="J of the default pack on STRAP's test by the small judge",
        systems={system: describe(values, scorer.prefix + system) for system in rows},
        setting={"sentences": len(lines), "judge": "small", "pack": PACK},
        versions=("ctranslate2",),
    )


def describe(values: dict[str, Value], label: str) -> dict[str, list[float | None]]:
    """Return a system's figures, each with its interval."""
    names = [
        *FIGURES,
        *(f"to {style}: J" for style in texts.DIRECTIONS),
        "copies",
        "BLEU",
    ]
    result = {}
    for name in names:
        key = f"{label}, {name}" if name.startswith("to ") else f"{label}: {name}"
        value = values[key]
        result[name] = [
            None if part is None else round(part, 1)
            for part in (value.value, value.low, value.high)
        ]
    return result


if __name__ == "__main__":
    main()
