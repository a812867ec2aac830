"""How much of a model's output is copied from the text that it was trained on?

Two rates, for all outputs and for each style: whole sentences of the training text that
are no rewrite of their source, and outputs with a run of eight words or more that the
training text has and the source has not. Case and punctuation do not count. Short
sentences and common runs may occur anywhere, so both are upper bounds.

Run    python copied.py OUTPUTS.tsv TRAINING.txt... [-o RATES.json]
       python copied.py --add PACK TRAINING.txt...
Reads  rows of source and output; of source, output and style; or of the source's style,
       style, source and output; or outputs alone. Training text is one sentence per
       line, or rows whose columns are each one sentence.
Writes the rates as JSON. With --add the pack gets digests of the training text, so that
       rewriting refuses to recite it.
"""

# ruff: noqa: T201
import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paraphrast.corpora.lines import read_lines
from paraphrast.neural.candidates import memorisation
from paraphrast.storage import packs
from paraphrast.text.overlap import words

RUN = 8  # words
EXAMPLES = 5


@dataclass(frozen=True)
class Row:
    """An output, and its source and the requested style, where they are known."""

    output: str
    source: str = ""
    style: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=Path, help="outputs, or the pack for --add")
    parser.add_argument("training", type=Path, nargs="+")
    parser.add_argument("--add", action="store_true")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    if options.add:
        number = add(options.first, sentences(options.training))
        print(f"{number:,} sentences -> {options.first / memorisation.FILE}")
        return
    result = measure(rows(options.first), list(sentences(options.training)))
    text = json.dumps(result, indent=1, ensure_ascii=False)
    print(text)
    if options.output:
        options.output.write_text(text + "\n", encoding="utf-8")


def rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a file of outputs."""
    for line in read_lines(path):
        columns = line.split("\t")
        if len(columns) == 4:
            yield Row(columns[3], columns[2], columns[1])
        elif len(columns) > 1:
            yield Row(columns[1], columns[0], "".join(columns[2:3]))
        else:
            yield Row(line)


def sentences(paths: Iterable[Path]) -> Iterator[str]:
    """Yield the sentences of training files."""
    for path in paths:
        for line in read_lines(path):
            yield from filter(str.strip, line.split("\t"))


def measure(outputs: Iterable[Row], training: Sequence[str]) -> dict[str, object]:
    """Return the rates of copied outputs, over all and by style."""
    whole = memorisation.of(training)
    learned = _runs_of(training)
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    examples: list[dict[str, str]] = []
    for row in outputs:
        is_whole = bool(whole.check(row.source, row.output))
        has_run = bool((_runs(row.output) - _runs(row.source)) & learned)
        for name in {"all", row.style or "all"}:
            for index, hit in enumerate((True, is_whole, has_run)):
                counts[name][index] += hit
        if is_whole and len(examples) < EXAMPLES:
            examples.append({"source": row.source, "output": row.output})
    rates = {
        name: {
            "outputs": number,
            "whole sentences": round(sentence / number, 5),
            f"runs of {RUN} words": round(run / number, 5),
        }
        for name, (number, sentence, run) in sorted(counts.items())
    }
    return {"training sentences": len(training), "rates": rates, "examples": examples}


def _runs_of(texts: Iterable[str]) -> set[int]:
    result: set[int] = set()
    for text in texts:
        result |= _runs(text)
    return result


def _runs(text: str) -> set[int]:
    side = words(text)
    return {
        hash(" ".join(side[start : start + RUN]))
        for start in range(len(side) - RUN + 1)
    }


def add(folder: Path, texts: Iterable[str]) -> int:
    """Add digests of texts to those of a pack; return the number of all."""
    path = folder / memorisation.FILE
    before = (
        memorisation.load(path).digests if path.is_file() else np.zeros(0, np.uint64)
    )
    made = memorisation.TrainingText(
        np.union1d(np.array(before), memorisation.of(texts).digests)
    )
    with tempfile.TemporaryDirectory() as scratch:
        new = Path(scratch) / memorisation.FILE
        memorisation.save(made, new)
        packs.update(packs.read(folder), folder, added=[new])
    return len(made.digests)


if __name__ == "__main__":
    main()
