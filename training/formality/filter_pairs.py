"""Filter the formal versions that a teacher wrote of real informal text.

Input is JSONL as `training.everyday.teacher.rewrite` writes it: ``from`` (goemotions or
topical-chat), ``text``, and ``candidates``, each with its ``text``. Kept are pairs that
pass every stage of `paraphrast.corpora.formality.synthetic`. Meaning is scored by the
checker of the pack that ships and must reach a percentile of pairs that people wrote,
a higher one where a content word is exchanged for another; formality by
`training.formality.guide`. No judge takes part.

Run    python -m training.formality.filter_pairs outputs*.jsonl --mirror FOLDER \\
           -o synthetic.jsonl [--rejected rejected.jsonl] [--report report.json]
Needs  pt16, formality; a minute per 10,000 rows on two cores.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.corpora import catalogue
from paraphrast.corpora.formality import assemble
from paraphrast.corpora.formality.sources import SYNTHETIC
from paraphrast.corpora.formality.synthetic import (
    Candidate,
    Filtered,
    Meaning,
    Settings,
    filter_candidates,
)
from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError
from paraphrast.neural.candidates import checker
from paraphrast.rewriter import Sentence
from paraphrast.rules.formal import Formal
from paraphrast.storage import atomic, packs
from training.formality import guide

PERCENTILE = 10  # of the meaning scores of human pairs
EXCHANGED = 75  # if a content word is replaced
SAMPLE = 1000
_NAMES = {source.name.removesuffix("-synthetic"): source.name for source in SYNTHETIC}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--percentile", type=float, default=PERCENTILE)
    parser.add_argument("--exchanged", type=float, default=EXCHANGED)
    parser.add_argument("--gain", type=float, default=Settings.least_gain)
    parser.add_argument("--formality", type=float, default=Settings.least_formality)
    parser.add_argument("--rejected", type=Path)
    parser.add_argument("--report", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    meaning = load_meaning()
    shares = (options.percentile, options.exchanged)
    least, exchanged = find_thresholds(meaning, options.mirror, shares)
    formality = guide.train(guide.read_ratings(options.mirror))
    result = filter_candidates(
        read_candidates(options.files),
        Settings(
            least,
            exchanged,
            least_gain=options.gain,
            least_formality=options.formality,
        ),
        meaning=meaning,
        formality=formality.values,
        spell=spell_out,
    )
    write_result(result, options.output, options.rejected)
    print("\n".join(result.lines()), file=sys.stderr)
    if options.report:
        thresholds = {"least_meaning": least, "least_meaning_exchanged": exchanged}
        record = thresholds | {"kept": len(result.kept)}
        _write_json(options.report, record | {"dropped": result.counts()})


def read_candidates(paths: Sequence[Path]) -> Iterator[Candidate]:
    """Yield the candidates of a teacher's outputs; other sources are left out."""
    for path in paths:
        for number, line in enumerate(read_lines(path), start=1):
            try:
                record = json.loads(line)
                name, text = record["from"], record["text"]
                outputs = [candidate["text"] for candidate in record["candidates"]]
            except (ValueError, KeyError, TypeError) as error:
                raise ParaphrastError(
                    f"{path}:{number}: expected from, text and candidates ({error})."
                ) from error
            if name in _NAMES:
                yield from (Candidate(_NAMES[name], text, own) for own in outputs)


def load_meaning() -> Meaning:
    """Return the checker of the shipped pack as a function of two lists of texts."""
    (pack,) = packs.list_installed(packs.BUNDLED)
    loaded = checker.MeaningChecker(pack.folder / checker.FOLDER, threads=2)

    def score(sources: Sequence[str], texts: Sequence[str]) -> list[float]:
        return [float(x) for x in loaded.compute_logits(list(sources), list(texts))]

    return score


def spell_out(texts: Sequence[str]) -> list[str]:
    """Return texts rewritten by the rules at their most formal."""
    rules = Formal("very-formal")
    sentences = [Sentence(text) for text in texts]
    return [best.text for best, *_ in rules(sentences, alternatives=1, seed=1)]


def find_thresholds(
    meaning: Meaning, mirror: Path, percentiles: Sequence[float]
) -> list[float]:
    """Return the meaning at percentiles of pairs that people wrote."""
    corpus = assemble(catalogue.locate("everyday"), mirror / "formality")
    rows = [row for row in corpus.select("formal", "train") if row.source != "everyday"]
    rows = rows[:: max(1, len(rows) // SAMPLE)]
    scores = meaning([row.text for row in rows], [row.references[0] for row in rows])
    return [float(np.percentile(scores, share)) for share in percentiles]


def write_result(result: Filtered, output: Path, rejected: Path | None) -> None:
    """Write the accepted pairs, and the rejected ones with the rejecting stage."""
    _write_rows(output, [_record(candidate) for candidate in result.kept])
    if rejected:
        rows = [{"stage": s} | _record(candidate) for s, candidate in result.rejected]
        _write_rows(rejected, rows)


def _record(candidate: Candidate) -> dict[str, Any]:
    return {
        "source": candidate.source,
        "informal": candidate.informal,
        "formal": candidate.formal,
    }


def _write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    with atomic.writer(path) as file:
        file.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _write_json(path: Path, record: dict[str, Any]) -> None:
    with atomic.writer(path) as file:
        json.dump(record, file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    main()
