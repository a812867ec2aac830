"""Write the model card of a pack: training data, scores, examples, limits.

The scores of a style are of held-out text of the ten other styles, rewritten with the
rewriter's repairs and guards (a text that comes back unchanged counts as it is), by a
judge not used in training; meaning is against the source, as there is no reference.
Examples are the first of each style whose source has a fair length; nobody chose them.

Run    python -m training.rewriter.model_card PACK --styles FOLDER \\
           --limits limits.md -o CARD.md
Needs  STYLE.dev.txt of style_texts.py, styles.json beside this script
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paraphrast.corpora.filtering.preservation import find_lost
from paraphrast.judges.evaluator import Accuracy, Fluency
from paraphrast.judges.judge import Judge, load, refuse_if_used
from paraphrast.metrics import Segment
from paraphrast.neural.family import Neural
from paraphrast.rewriter import Sentence
from paraphrast.storage import packs
from paraphrast.storage.packs import Pack
from paraphrast.text.overlap import words
from training.rewriter.workspace import read_rows
from training.styles import STYLES

EACH, SHOWN = 20, 3


@dataclass(frozen=True)
class Row:
    """A rewrite with its source style and its target style."""

    before: str
    style: str
    source: str
    output: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack", type=Path)
    parser.add_argument("--styles", type=Path, required=True)
    parser.add_argument("--limits", type=Path, help="what fails, in Markdown")
    parser.add_argument("--judge", type=Path, default=Path("small"))
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    pack = packs.read(options.pack)
    judge = load(options.judge)
    refuse_if_used(judge, pack.about.evaluators, system=pack.about.name)
    rows = rewrite_held_out(options.pack, options.styles)
    limits = options.limits.read_text("utf-8") if options.limits else ""
    parts = [*header(pack), *figures(rows, judge, options.judge.name), *data()]
    parts += [*examples(rows), "## Limits", "", limits]
    options.output.write_text("\n".join(parts).strip() + "\n", "utf-8")
    print(f"{options.output}: {len(rows)} rewrites")


def rewrite_held_out(pack: Path, styles: Path) -> list[Row]:
    """Return the pack's rewrites of held-out text of every other style."""
    result = []
    for style in STYLES:
        rewriter = Neural().load_pack(pack, style)
        asked = [
            (other, style, text)
            for other in STYLES
            if other != style
            for text in read_rows(styles / f"{other}.dev.txt")[:EACH]
        ]
        sentences = [Sentence(text) for _, _, text in asked]
        answers = rewriter(sentences, alternatives=1, seed=1)
        result += [
            Row(*given, own[0].text) for given, own in zip(asked, answers, strict=True)
        ]
    return result


def header(pack: Pack) -> Iterator[str]:
    size = sum(path.stat().st_size for path in pack.folder.iterdir()) / 1e6
    yield f"# {pack.about.name}"
    yield ""
    yield f"One model of {size:.0f} MB in 8 bits for {len(pack.about.styles)} styles."
    yield (
        "Evaluators that took part in making it, and must not score it: "
        + (", ".join(f"`{name}`" for name in pack.about.evaluators) or "none")
        + "."
    )
    yield "Licences: " + "; ".join(pack.about.licences) + "."
    yield ""


def figures(rows: Sequence[Row], judge: Judge, name: str) -> Iterator[str]:
    """Yield the table of styles."""
    yield "## How it does"
    yield ""
    yield f"Judge `{name}`; {EACH} held-out sentences of each of ten styles per row."
    yield (
        '"Names kept" is counted with the word lists that the rewriter\'s guards use, '
        "so it is not independent of them."
    )
    yield ""
    yield "| to | ACC | SIM to source | FL | J | J of COPY | names kept | copies |"
    yield "|---|---|---|---|---|---|---|---|"
    for style in STYLES:
        own = [row for row in rows if row.style == style]
        made = scores(own, [row.output for row in own], judge)
        copied = scores(own, [row.source for row in own], judge)
        kept = np.mean([not find_lost(row.source, row.output) for row in own])
        same = np.mean([words(row.source) == words(row.output) for row in own])
        cells = [*made, copied[3], 100 * kept, 100 * same]
        yield f"| {style} | " + " | ".join(f"{value:.1f}" for value in cells) + " |"
    yield ""


def scores(rows: Sequence[Row], texts: Sequence[str], judge: Judge) -> list[float]:
    """Return ACC, SIM, FL and J of texts in percent."""
    segments = [
        Segment(text, row.source, (), row.style)
        for row, text in zip(rows, texts, strict=True)
    ]
    parts = [
        Accuracy(judge.accuracy).values(segments),
        judge.similarity(list(texts), [row.source for row in rows]),
        Fluency(judge.fluency).values(segments),
    ]
    means = [100 * float(np.mean(part)) for part in parts]
    return [*means, 100 * float(np.mean(parts[0] * parts[1] * parts[2]))]


def data() -> Iterator[str]:
    """Yield the training data of each style."""
    table = json.loads(Path(__file__).with_name("styles.json").read_text("utf-8"))
    yield "## What it learnt from"
    yield ""
    yield "| style | sentences | sources and licences |"
    yield "|---|---|---|"
    for style, about in table.items():
        if "source" in about:
            yield f"| {style} | {about['train']} | {about['source']} |"
    yield ""


def examples(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the first rewrites of fair length into every style."""
    yield "## Examples"
    yield ""
    yield "| from | to | source | rewrite |"
    yield "|---|---|---|---|"
    for style in STYLES:
        fair = [
            r for r in rows if r.style == style and 6 <= len(r.source.split()) <= 16
        ]
        step = max(1, len(fair) // SHOWN)
        for row in fair[::step][:SHOWN]:
            cells = (row.before, row.style, row.source, row.output)
            yield "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"
    yield ""


if __name__ == "__main__":
    main()
