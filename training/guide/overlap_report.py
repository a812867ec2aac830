"""Count the sentences that judge, guide, rewriter and test sets have in common.

Sentences are the same if their letters and digits are. Sentences of one or two words
are not counted, nor the guide's broken ones, which may by chance be somebody's.

Run    python -m training.guide.overlap_report --mirror FOLDER --judge judge.npz \\
           --guide guide.npz --vocabulary vocab.txt --tokenizer tokenizer.json \\
           [--rewriter NAME=FILE,FILE...] -o overlap.json
Needs  the corpora, tokenizers; a minute of a CPU.
"""

import json
from pathlib import Path

import numpy as np

from training.guide.data import Smol, arguments, lines, plain, read_by_judge
from training.judge.data import find_test_sentences
from training.judge.tables import load

NATURAL = ("style", "plays", "natural", "pairs")


def main() -> None:
    parser = arguments()
    parser.add_argument("--guide", type=Path, required=True)
    parser.add_argument(
        "--rewriter", nargs="*", default=[], help="what it learns from: NAME=FILE,FILE"
    )
    options = parser.parse_args()
    tests = {plain(text) for text in find_test_sentences(options.mirror)}
    sides = {
        "judge": read_by_judge(options.judge, options.vocabulary, learnt=True),
        "guide": read_by_guide(options.guide, options.tokenizer),
    }
    for given in options.rewriter:
        name, _, paths = given.partition("=")
        texts = [
            part
            for path in paths.split(",")
            for line in lines(Path(path))
            for part in line.split("\t")[:2]
        ]
        sides[f"rewriter, {name}"] = keys(texts)
    report: dict[str, dict[str, int]] = {}
    for name, own in sides.items():
        report[name] = {"sentences": len(own), "in a test": len(own & tests)}
        for other in ("judge", "guide"):
            if name != other:
                report[name][f"with the {other}"] = len(own & sides[other])
        print(name, report[name], flush=True)
    options.output.write_text(json.dumps(report, indent=1) + "\n", "utf-8")


def keys(texts: list[str]) -> set[str]:
    """Return the letters of the texts that have more than two words."""
    return {plain(text) for text in texts if len(text.split()) > 2}


def read_by_guide(path: Path, tokenizer: Path) -> set[str]:
    """Return the letters of the natural sentences that the guide learns from."""
    cut = Smol(tokenizer)
    result: set[str] = set()
    tables = load(path)
    for name in NATURAL:
        table = tables[name]
        numbers = np.arange(len(table.texts))
        kept = numbers % 3 < 2 if name == "pairs" else np.ones(len(numbers), bool)
        if name == "natural":
            kept = table.labels > 0.5
        texts = [table.texts[i].tolist() for i in np.flatnonzero(kept)]
        result |= keys(cut.texts(texts))
    return result


if __name__ == "__main__":
    main()
