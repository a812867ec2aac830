r"""Does TERp agree with people better than TER, and what do fitted costs add?

Run    python -m benchmarks.terp FOLDER > benchmarks/results/terp.json
       (FOLDER is the mirror of the corpora)
Backs  docs/metrics.md.

The first sentence of each STS-B pair is scored against the second; figures are
Spearman's correlation with people on the development part. Costs are fitted by
`terp.tune_costs` on every sixth pair of the training part, most of the time taken.
The paraphrases are learnt from 24,000 pairs of captions (SMT, fast_align): that table
links "man" and "woman", and is worth nothing here once its costs are fitted, too.
"""

import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.report import report
from paraphrast.corpora.loaders import judged, paraphrases
from paraphrast.metrics.base import Metric, Segment
from paraphrast.metrics.correlation import spearman
from paraphrast.metrics.ter import Ter
from paraphrast.metrics.terp import COSTS, Terp, tune_costs

EVERY, CAPTIONS = 6, 12_000
WORDS, PHRASES = ("insert", "delete", "move", "stem"), ("log", "edit")


def main() -> None:
    mirror = Path(sys.argv[1])
    train, dev = (segments(mirror, part) for part in ("train", "dev"))
    train = (train[0][::EVERY], train[1][::EVERY])
    start = time.process_time()
    fitted = tune_costs(Terp(normalise=True, punctuation=False), *train, costs=WORDS)
    seconds = time.process_time() - start
    with TemporaryDirectory() as folder:
        table = learn_paraphrases(mirror, Path(folder))
        figures = {
            "ter": agreement(Ter(normalise=True, punctuation=False), dev),
            "terp": agreement(Terp(normalise=True, punctuation=False), dev),
            "terp, fitted": agreement(fitted, dev),
            "terp, table": agreement(
                Terp(table=table, normalise=True, punctuation=False), dev
            ),
            "terp, table, fitted": agreement(
                tune_costs(replace(fitted, table=table), *train, costs=PHRASES), dev
            ),
        }
    report(
        claim="Spearman of TERp with people on STS-B's development part, costs fitted",
        median=figures["terp, fitted"],
        figures=figures,
        costs={n: round(v, 3) for n, v in asdict(fitted).items() if n in COSTS},
        fitting_cpu_seconds=round(seconds),
        setting={
            "every": EVERY,
            "captions": CAPTIONS,
            "normalise": True,
            "punctuation": False,
        },
        versions=("sacrebleu",),
    )


def segments(mirror: Path, part: str) -> tuple[list[Segment], list[float]]:
    pairs = judged.stsb(mirror / "stsb", part)
    made = [Segment(pair.first, references=(pair.second,)) for pair in pairs]
    return made, [pair.score for pair in pairs]


def learn_paraphrases(mirror: Path, folder: Path) -> str:
    """Learn paraphrases from captions and return the file they were exported to."""
    texts, table, exported = (folder / n for n in ("in.tsv", "table", "out.tsv"))
    with texts.open("w", encoding="utf-8") as file:
        for row in list(paraphrases.captions(mirror / "paraphrase"))[:CAPTIONS]:
            file.write("".join("\t".join(row[i : i + 2]) + "\n" for i in (0, 2)))
    command = [sys.executable, "-m", "paraphrast", "paraphrases"]
    settings = ["--using", "fast-align", "--min-count", "3", "--longest", "4"]
    for arguments in (
        ["extract", str(texts), *settings, "-o", str(table)],
        ["export", str(table), "-o", str(exported)],
    ):
        subprocess.run([*command, *arguments], check=True, stdout=subprocess.DEVNULL)
    return str(exported)


def agreement(metric: Metric, judgments: tuple[list[Segment], list[float]]) -> float:
    values = metric.each(metric.statistics(judgments[0]))
    return round(spearman(-values, judgments[1]), 4)


if __name__ == "__main__":
    main()
