r"""Which evidence tells Shakespeare from modern English, and how should it be graded?

Run    python -m benchmarks.style_evidence FOLDER \
           > benchmarks/results/style_evidence.json
       (FOLDER is the mirror of the corpora; the large judge must have been built)
Backs  the large judge's combination and ``style-grade`` in docs/judges.md.

Three questions. Accuracy on Twelfth Night of each kind of evidence and of all subsets
weighed together, by ten-fold cross-validation. Leaning: how far the log-odds of a ratio
of language models must be shifted to part the two sides of a play best, for fifteen
plays left out in turn; if a shift were the same for all, a constant would be worth
fitting. Grade: the correlation of several forms of the same log-odds with how much of a
line of Twelfth Night is Shakespeare's, when a random part of the differences is taken
from him (as in style_settings.py). XU12's judgments chose no form; their correlations
are printed beside it.
"""

import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import report
from benchmarks.style_settings import mixtures
from paraphrast.corpora.loaders import plays
from paraphrast.judges.judge import load
from paraphrast.judges.style_grade import StyleSubset
from paraphrast.metrics.style_scores import train_language_model
from paraphrast.text.model_words import words
from training.judge.combination import cross_validate, read

STYLES = ("modern", "shakespeare")
FOLDS = 4
SHIFTS = np.linspace(-4, 4, 81)
HELD_OUT = ("romeojuliet", "twelfthnight")
Odds = Callable[[Sequence[str]], Any]


def main() -> None:
    mirror = Path(sys.argv[1])
    valid = read(mirror / "jhamtani17", "valid")
    kinds = evidence()
    small = StyleSubset(load(Path("small")).accuracy, STYLES)
    best = combination(kinds, valid)
    shifts = leanings(mirror / "xu12")
    report(
        claim="accuracy (%) on Twelfth Night of all evidence weighed together",
        median=max(best.values()),
        accuracy=best,
        leaning={
            "shift by play": shifts,
            "mean": round(float(np.mean(list(shifts.values()))), 2),
            "spread": round(float(np.std(list(shifts.values()))), 2),
        },
        graded=grade_styles(mirror, valid, kinds | {"small judge": logit(small)}),
        setting={"folds": FOLDS, "lines": len(valid["modern"])},
        versions=("ctranslate2", "numpy"),
    )


def evidence() -> dict[str, Odds]:
    """Return the large judge's kinds of evidence, each calibrated by itself."""
    model: Any = load(Path("large"))
    names = ("encoders", "language model", "linear")
    result = model.accuracy.among(STYLES).evidence

    def weigh(odds: Any) -> Odds:
        return lambda texts: odds.sharpness * odds.kind.odds(texts)

    return {name: weigh(one) for name, one in zip(names, result, strict=True)}


def logit(classifier: StyleSubset) -> Odds:
    def odds(texts: Sequence[str]) -> Any:
        result = np.clip(classifier.probabilities(texts), 1e-12, 1)
        return np.log(result[:, 1] / result[:, 0])

    return odds


def combination(kinds: dict[str, Odds], valid: dict[str, list[str]]) -> dict[str, Any]:
    texts = [text for result in valid.values() for text in result]
    labels = np.repeat([0.0, 1.0], [len(result) for result in valid.values()])
    columns = {name: odds(texts) for name, odds in kinds.items()}
    result = {}
    for count in range(1, len(kinds) + 1):
        for names in combinations(kinds, count):
            matrix = np.stack([columns[name] for name in names], axis=1)
            value = round(100 * cross_validate(matrix, labels), 2)
            result[" + ".join(names)] = value
    return result


def leanings(folder: Path) -> dict[str, float]:
    names = sorted(set(plays.plays(folder, "sparknotes")) - set(HELD_OUT))
    result = {}
    for fold in range(FOLDS):
        left_out = names[fold::FOLDS]
        rest = [
            pair
            for name in names
            if name not in left_out
            for pair in plays.read_aligned(folder, "sparknotes", name)
        ]
        model = train_language_model(
            [pair.source for pair in rest], [pair.target for pair in rest]
        )
        for name in left_out:
            pairs = list(plays.read_aligned(folder, "sparknotes", name))
            modern = model.odds([pair.source for pair in pairs])
            original = model.odds([pair.target for pair in pairs])
            right = [
                np.mean(modern + s <= 0) + np.mean(original + s > 0) for s in SHIFTS
            ]
            result[name] = round(float(SHIFTS[int(np.argmax(right))]), 1)
    return result


def forms(odds: Any, texts: Sequence[str]) -> dict[str, Any]:
    lengths = np.array([len(words(text)) + 1 for text in texts], np.float64)

    def squash(values: Any) -> Any:
        return 1 / (1 + np.exp(-np.clip(values, -30, 30)))

    return {
        "probability": squash(odds),
        "log-odds": odds,
        "log-odds a word": odds / lengths,
        "a quarter of the odds, squashed": squash(odds / 4),
        "odds by the root of the words, squashed": squash(odds / np.sqrt(lengths)),
    }


def grade_styles(
    mirror: Path, valid: dict[str, list[str]], kinds: dict[str, Odds]
) -> dict[str, Any]:
    mixed, shares = mixtures(valid["modern"], valid["shakespeare"])
    people = plays.judgments(mirror / "xu12")
    outputs = [judgment.output for judgment in people]
    here = {name: forms(odds(mixed), mixed) for name, odds in kinds.items()}
    there = {name: forms(odds(outputs), outputs) for name, odds in kinds.items()}
    for result in (here, there):
        three = [result[n] for n in ("encoders", "language model", "linear")]
        result["the three, alike"] = {
            form: np.mean([means[form] for means in three], axis=0) for form in three[0]
        }
    return {
        name: {
            form: {
                "mixtures": correlation(values, shares),
                "people": [
                    correlation(
                        there[name][form][[j.annotator == who for j in people]],
                        [float(j.style) for j in people if j.annotator == who],
                    )
                    for who in ("alan", "wei")
                ],
            }
            for form, values in result.items()
        }
        for name, result in here.items()
    }


def correlation(values: Any, others: Sequence[float]) -> float:
    return round(float(np.corrcoef(values, others)[0, 1]), 3)


if __name__ == "__main__":
    main()
