"""Nearest of fourteen and content, by style, of outputs on everyday's held-out texts.

The two are metrics of the package (`paraphrast.metrics.nearest_style`).

Run    python -m training.everyday.teacher.measure --outputs FILE [-o FILE]
Needs  sacrebleu, the extra `research`
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from paraphrast.corpora.loaders.everyday import STYLES
from paraphrast.metrics.base import Segment
from paraphrast.metrics.nearest_style import LEAST_WORDS, Content, NearestStyle
from training.everyday import corpus, facts


def measure_outputs(
    texts: dict[str, corpus.Text], outputs: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    """Return the figures over all outputs and by style."""
    rows = [
        row
        for row in outputs
        if len(texts[row["name"]].plain.split()) >= LEAST_WORDS
        and row["style"] != "plain"
    ]
    segments = [
        Segment(
            row["output"],
            references=tuple(texts[row["name"]].versions[s] for s in STYLES),
            target=row["style"],
        )
        for row in rows
    ]
    nearest = NearestStyle(STYLES).values(segments)
    content = Content().values(segments)
    broken = [
        100.0 * bool(facts.find_fault(texts[row["name"]].plain, row["output"]))
        for row in rows
    ]
    result = {}
    for style in ("all", *STYLES):
        own = [at for at, row in enumerate(rows) if style in ("all", row["style"])]
        if own:
            result[style] = {
                "outputs": len(own),
                "nearest": round(sum(nearest[at] for at in own) / len(own), 1),
                "content": round(sum(content[at] for at in own) / len(own), 1),
                "facts broken": round(sum(broken[at] for at in own) / len(own), 1),
            }
    return result


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
                made = sorted(
                    made, key=lambda candidate: -(candidate.get("same") or 0.0)
                )
            row["output"] = made[0]["text"]
        if "name" in row:
            rows.append(row)
    result = measure_outputs(texts, rows)
    print(json.dumps(result, indent=1))
    if options.output:
        options.output.write_text(json.dumps(result, indent=1), "utf-8")


if __name__ == "__main__":
    main()
