"""The probability that a reader rates a candidate 2 for meaning, style, fluency.

Logistic regressions on the checkers' scores, on the teacher's log-probability per
token, on shared words and on length, fitted to held-out ratings.

Run    python -m training.everyday.checker.reward --scored FILE -o FILE
"""

import argparse
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.estimators.logistic_regression import fit_with_constant, logistic
from training.everyday import corpus
from training.everyday.checker.measure import compute_area

RATED = ("meaning", "manner", "fluency")
SCORES = ("same", "guard", "manner", "fluent")
PENALTY = 0.002  # for each row
_WORD = re.compile(r"[\w']+")
OLD = frozenset(("shakespeare", "bible", "poetry", "prose-1810", "prose-1890", "joyce"))


def describe_candidate(
    source: str, style: str, candidate: Mapping[str, Any]
) -> list[float]:
    """Return the features of a candidate."""
    before, after = cut_words(source), cut_words(candidate["text"])
    shared = set(before) & set(after)
    return [
        *(compute_logit(float(candidate.get(name, 0.5))) for name in SCORES),
        max(-4.0, candidate["logp"] / max(1, candidate["tokens"])),
        len(shared) / max(1, len(set(before) | set(after))),
        math.log((len(after) + 1) / (len(before) + 1)),
        float(bool(candidate.get("fault"))),
        float(style in OLD),
    ]


def cut_words(text: str) -> list[str]:
    """Return words in lower case; fast, for comparing many texts."""
    return _WORD.findall(text.lower())


def compute_logit(chance: float) -> float:
    chance = min(0.999, max(0.001, chance))
    return math.log(chance / (1 - chance))


class Reward:
    """Weights by rated quality, and the features' means and standard deviations."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        """Take what `fit` returned."""
        self.told = dict(told)
        self._middle, self._spread = (np.array(told[k]) for k in ("middle", "spread"))
        self._weights = np.array([told["weights"][name] for name in RATED])

    @classmethod
    def load(cls, path: Path) -> "Reward":
        """Read a file."""
        return cls(json.loads(path.read_text("utf-8")))

    @classmethod
    def fit(cls, features: Any, labels: Mapping[str, Any]) -> "Reward":
        """Fit to features and labels of 0 and 1, by rated quality."""
        middle, spread = features.mean(0), features.std(0) + 1e-6
        scaled, penalty = (features - middle) / spread, PENALTY * len(features)
        weights = {
            name: fit_with_constant(scaled, labels[name], penalty).tolist()
            for name in RATED
        }
        return cls({"middle": middle.tolist(), "spread": spread.tolist(),
                    "weights": weights})  # fmt: skip

    def estimate(self, features: Any) -> Any:
        """Return (rows, 3) probabilities of meaning, manner and fluency."""
        scaled = (np.asarray(features) - self._middle) / self._spread
        return logistic(scaled @ self._weights[:, :-1].T + self._weights[:, -1])


def add_worths(rows: Sequence[dict[str, Any]], reward: Reward) -> None:
    """Add the three probabilities and the worth to each candidate."""
    made = [(row, candidate) for row in rows for candidate in row["candidates"]]
    if not made:
        return
    features = np.array(
        [
            describe_candidate(row["text"], row["style"], candidate)
            for row, candidate in made
        ]
    )
    for (_, candidate), chances in zip(
        made, reward.estimate(features).tolist(), strict=True
    ):
        candidate["chances"] = [round(chance, 4) for chance in chances]
        candidate["worth"] = round(compute_worth(chances), 4)


def compute_worth(chances: Sequence[float]) -> float:
    """Return the worth of a candidate: meaning first, style and fluency after it."""
    meaning, manner, fluency = chances
    return meaning * (0.4 + 0.6 * manner) * (0.4 + 0.6 * fluency)


def measure_areas(features: Any, labels: Mapping[str, Any]) -> dict[str, float]:
    """Return areas under the curve, each half predicted by the other."""
    half = np.arange(len(features)) % 2 == 0
    result = {}
    for at, name in enumerate(RATED):
        areas = []
        for learnt in (half, ~half):
            reward = Reward.fit(
                features[learnt], {key: value[learnt] for key, value in labels.items()}
            )
            scores = reward.estimate(features[~learnt])[:, at]
            areas.append(find_area(labels[name][~learnt], scores))
        result[name] = round(sum(areas) / 2, 4)
    return result


def find_area(labels: Sequence[float], scores: Sequence[float]) -> float:
    rows = [{"same": bool(label)} for label in labels]
    return compute_area(rows, [float(score) for score in scores])


def report_scores(features: Any, labels: Mapping[str, Any]) -> dict[str, Any]:
    """Return the area of every feature alone for every rating."""
    names = (*SCORES, "logp", "overlap", "length", "fault", "old")
    return {
        rated: {
            name: round(find_area(labels[rated], features[:, at]), 3)
            for at, name in enumerate(names)
        }
        for rated in RATED
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scored", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    rows = corpus.read_rows(options.scored)
    features = np.array([
        describe_candidate(row["text"], row["style"], row["candidates"][0])
        for row in rows
    ])  # fmt: skip
    labels = {name: np.array([float(row[name] == 2) for row in rows]) for name in RATED}
    reward = Reward.fit(features, labels)
    areas = measure_areas(features, labels)
    chances = reward.estimate(features)[:, 0]
    kept = {}
    for limit in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        own = chances >= limit
        share, right = own.mean(), labels["meaning"][own].mean() if own.any() else 0
        kept[str(limit)] = [round(float(share), 3), round(float(right), 3)]
    reward.told |= {
        "areas, two-fold": areas, "areas alone": report_scores(features, labels),
        "meaning kept at": kept, "rows": len(rows),
    }  # fmt: skip
    options.output.write_text(json.dumps(reward.told, indent=1), "utf-8")
    print(
        json.dumps({k: v for k, v in reward.told.items() if "area" in k or "kept" in k})
    )


if __name__ == "__main__":
    main()
