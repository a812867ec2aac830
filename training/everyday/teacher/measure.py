"""Nearest of fourteen and content, by style, for outputs on everyday's held-out texts.

Of a text's fourteen references the one nearest to an output by chrF++ is found.
`nearest` is how often that is the one in the wanted style, `content` the mean chrF++
to it, whichever it is. Texts of four words and more count.

Run    python -m training.everyday.teacher.measure --outputs FILE [-o FILE]
Needs  sacrebleu, the extra `research`
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from paraphrast.metrics.base import Segment
from paraphrast.metrics.chrf import Chrf
from training.everyday import corpus, facts

LEAST = 4


def measure_outputs(
    texts: dict[str, corpus.Text], outputs: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    """Return the figures over all outputs and by style."""
    own: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for row in outputs:
        text = texts[row["name"]]
        if len(text.plain.split()) < LEAST or row["style"] == "plain":
            continue
        near = score_versions(text, row["output"])
        best = max(near, key=near.__getitem__)
        broken = bool(facts.find_fault(text.plain, row["output"]))
        for key in ("all", row["style"]):
            own[key].append((float(best == row["style"]), near[best], float(broken)))
    return {
        key: {
            "outputs": len(values),
            "nearest": round(100 * sum(v[0] for v in values) / len(values), 1),
            "content": round(sum(v[1] for v in values) / len(values), 1),
            "facts broken": round(100 * sum(v[2] for v in values) / len(values), 1),
        }
        for key, values in own.items()
    }


def score_versions(text: corpus.Text, output: str) -> dict[str, float]:
    """Return the chrF++ of an output to each version of its text, by style."""
    metric = Chrf(word_order=2)
    versions = text.versions.values()
    segments = [Segment(output, references=(version,)) for version in versions]
    scores = metric.each(metric.statistics(segments)).tolist()
    return dict(zip(text.versions, scores, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--outputs", type=Path, required=True)
    parser.add_argument(
        "--best",
        action="store_true",
        help="measure the candidate that is most probably the same",
    )
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    texts = {text.name: text for text in corpus.read_texts(options.texts)}
    rows = []
    for row in corpus.read_rows(options.outputs):
        if "output" not in row:
            made = row["candidates"]
            if options.best:
                made = sorted(made, key=lambda one: -(one.get("same") or 0.0))
            row["output"] = made[0]["text"]
        if "name" in row:
            rows.append(row)
    result = measure_outputs(texts, rows)
    print(json.dumps(result, indent=1))
    if options.output:
        options.output.write_text(json.dumps(result, indent=1), "utf-8")


if __name__ == "__main__":
    main()
