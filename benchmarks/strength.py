r"""Does more strength change more, in every style of the default pack?

Run    python -m benchmarks.strength [OUTPUTS.jsonl] > benchmarks/results/strength.json
       (a quarter of an hour on one core; the outputs are written to be read)
Backs  docs/neural.md.

Plain texts of everyday's development part are rewritten into the thirteen other styles
at five strengths; 0.5 is what is used without the option. *Changed* is the mean share
of words that differ from the source (100 less the F1 of words), *unchanged* the share
of texts that come back as they were, *similarity* the small judge's to the source, and
*nearest of fourteen* and *content* are those of `metrics.nearest_style`. A step from
one strength to the next falls where the 95% interval of the paired difference in
*changed* lies below zero. The judge only measures: it chooses nothing. What a search
finds does not depend on the strength, so every search is done once.
"""

import json
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import paraphrast
from benchmarks.report import report
from paraphrast.corpora.loaders import everyday
from paraphrast.estimators.bootstrap import mean_interval
from paraphrast.judges import judge
from paraphrast.metrics import Segment
from paraphrast.metrics.nearest_style import LEAST_WORDS, score_versions
from paraphrast.neural.models.ctranslate2_engine import Int8Engine
from paraphrast.neural.models.generation import Candidate, Decoding, Request
from paraphrast.text.overlap import unigram_overlap, words

SEED, MOST, RESAMPLES = 1, 60, 1000
STRENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0)
EVERYDAY = Path(__file__).parents[1] / "corpora/everyday"
PLAIN, *STYLES = everyday.STYLES


def main() -> None:
    texts = read_texts()
    small = judge.load(Path("small"))
    outputs: list[dict[str, Any]] = []
    styles = {}
    for style in STYLES:
        rewritten = rewrite(style, [text.versions[PLAIN] for text in texts])
        styles[style] = measure(small, style, texts, rewritten)
        outputs += [
            {"style": style, "strength": strength, "source": text.versions[PLAIN],
             "output": output}
            for strength, own in rewritten.items()
            for text, output in zip(texts, own, strict=True)
        ]  # fmt: skip
        print(style, styles[style]["changed"], file=sys.stderr)
    if sys.argv[1:]:
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in outputs)
        Path(sys.argv[1]).write_text("".join(lines), "utf-8")
    report(
        claim="share of words changed (%) by strength, in every style",
        styles=styles,
        falls=[style for style, own in styles.items() if own["falls"]],
        strengths=STRENGTHS,
        texts=len(texts),
        setting={"seed": SEED, "resamples": RESAMPLES, "texts": "everyday, dev, plain"},
        versions=("ctranslate2", "sacrebleu"),
    )


def read_texts() -> list[everyday.Text]:
    """Return texts of everyday's development part that have some words."""
    texts = [
        text
        for text in everyday.read_texts(EVERYDAY)
        if text.split == "dev" and len(text.versions[PLAIN].split()) >= LEAST_WORDS
    ]
    random.Random(SEED).shuffle(texts)
    return texts[:MOST]


def rewrite(style: str, sources: Sequence[str]) -> dict[float, list[str]]:
    """Return the rewrites into a style at each strength."""
    found: dict[object, list[Candidate]] = {}
    search = Int8Engine.candidates

    def search_once(
        self: Int8Engine,
        requests: Sequence[Request],
        decoding: Decoding,
        *,
        seed: int = 1,
    ) -> list[list[Candidate]]:
        keys = [(request, decoding, seed) for request in requests]
        new = [key for key in dict.fromkeys(keys) if key not in found]
        if new:
            own = search(self, [key[0] for key in new], decoding, seed=seed)
            found.update(zip(new, own, strict=True))
        return [found[key] for key in keys]

    with patch.object(Int8Engine, "candidates", search_once):
        rewriter = paraphrast.load(style, using="neural")
        return {
            strength: [
                rewritten.text
                for rewritten in rewriter.adjusted(strength=strength).rewrite(
                    sources, seed=SEED
                )
            ]
            for strength in STRENGTHS
        }


def measure(
    small: judge.Judge,
    style: str,
    texts: Sequence[everyday.Text],
    rewritten: Mapping[float, Sequence[str]],
) -> dict[str, Any]:
    """Return the figures of one style, each with a value per strength."""
    sources = [text.versions[PLAIN] for text in texts]
    changed = np.array([list(compare(sources, own)) for own in rewritten.values()])
    steps = [
        [
            round(100 * value, 1)
            for value in mean_interval(after - before, resamples=RESAMPLES, seed=SEED)
        ]
        for before, after in pairwise(changed)
    ]
    figures: dict[str, list[float]] = {
        "unchanged": [], "similarity": [], "nearest of fourteen": [], "content": []
    }  # fmt: skip
    for own in rewritten.values():
        # The corpus joins the lines of verse with " / ", as each text there is a line.
        segments = [
            Segment(
                output.replace("\n", " / "),
                references=tuple(text.versions[name] for name in everyday.STYLES),
            )
            for output, text in zip(own, texts, strict=True)
        ]
        versions = score_versions(segments)
        wanted = everyday.STYLES.index(style)
        same = [output == source for output, source in zip(own, sources, strict=True)]
        scores = {
            "unchanged": 100 * np.array(same),
            "similarity": 100 * small.similarity(own, sources),
            "nearest of fourteen": 100 * (versions.argmax(axis=1) == wanted),
            "content": versions.max(axis=1),
        }
        for name, values in scores.items():
            figures[name].append(round(float(np.mean(values)), 1))
    return {
        "changed": [round(100 * float(values.mean()), 1) for values in changed],
        "steps": steps,
        "falls": [
            f"{before:g} to {after:g}"
            for (before, after), (_, _, high) in zip(
                pairwise(STRENGTHS), steps, strict=True
            )
            if high < 0
        ],
        **figures,
    }


def compare(sources: Sequence[str], outputs: Sequence[str]) -> Iterable[float]:
    """Yield the share of words by which each output differs from its source."""
    for source, output in zip(sources, outputs, strict=True):
        yield 1 - unigram_overlap(words(source), words(output)).f1


if __name__ == "__main__":
    main()
