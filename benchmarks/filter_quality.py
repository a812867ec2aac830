r"""How far can the filter's lexical similarity be trusted, and what does it drop?

Run    python -m benchmarks.filter_quality FOLDER \
           > benchmarks/results/filter_quality.json
       (FOLDER is the mirror of the corpora)
Backs  docs/filtering.md.

The similarity is compared with people's scores on the STS benchmark's development part,
fitted once on the training part and once on another domain (Quora). Its threshold
was chosen on the training part; here are its precision and recall for pairs that
people call at least roughly equivalent (3 of 5), on all pairs and on those that the
unigram stage would keep, which are the ones that matter. Then every stage is run
over real paraphrases: questions of Quora, and verses of two Bibles.
"""

import csv
import lzma
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from benchmarks.report import report
from paraphrast.corpora.filtering import Pipeline, filter_files
from paraphrast.text.overlap import unigram_overlap, words
from paraphrast.text.similarity import HashedSimilarity

SEED, RESAMPLES = 1, 1000
THRESHOLD = Pipeline().content.minimum


def main() -> None:
    mirror = Path(sys.argv[1])
    train, dev = (
        read_judgments(mirror / f"stsb/stsb-en-{p}.csv") for p in ("train", "dev")
    )
    quora = [line.split("\t") for line in read_packed(mirror, "paraphrase/quora")]
    near = HashedSimilarity.fit(text for row in train for text in row[:2])
    far = HashedSimilarity.fit(text for pair in quora for text in pair)
    people = np.array([row[2] for row in dev])
    scores = near([row[0] for row in dev], [row[1] for row in dev])
    others = far([row[0] for row in dev], [row[1] for row in dev])
    report(
        claim="Spearman correlation of the lexical similarity with people, STS-B dev",
        spearman=correlation(scores, people),
        range=interval(scores, people),
        fitted_on_another_domain=correlation(others, people),
        unweighted=correlation(
            HashedSimilarity()([row[0] for row in dev], [row[1] for row in dev]), people
        ),
        threshold=THRESHOLD,
        all_pairs=count_kept(scores, people, np.ones(len(dev), dtype=bool)),
        pairs_the_unigram_stage_keeps=count_kept(scores, people, diverse(dev)),
        quora=table(["\t".join(pair) for pair in quora]),
        bibles_basic_english_and_king_james=table(verses(mirror)),
        setting={"pairs": len(dev), "resamples": RESAMPLES, "seed": SEED},
        versions=("numpy", "scipy", "py3langid"),
    )


def read_judgments(path: Path) -> list[tuple[str, str, float]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [(one, other, float(score)) for one, other, score in csv.reader(file)]


def read_packed(mirror: Path, name: str) -> list[str]:
    path = mirror / f"{name}.tsv.xz"
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


def correlation(scores: np.ndarray, people: np.ndarray) -> float:
    return round(float(spearmanr(scores, people).statistic), 3)


def interval(scores: np.ndarray, people: np.ndarray) -> list[float]:
    draw = np.random.default_rng(SEED)
    rows = draw.integers(0, len(people), (RESAMPLES, len(people)))
    samples = [correlation(scores[row], people[row]) for row in rows]
    return [float(value) for value in np.percentile(samples, [2.5, 97.5]).round(3)]


def count_kept(
    scores: np.ndarray, people: np.ndarray, among: np.ndarray
) -> dict[str, Any]:
    equivalent, passed = people[among] >= 3, scores[among] >= THRESHOLD
    both = (equivalent & passed).sum()
    return {
        "equivalent": round(float(equivalent.mean()), 3),
        "passed": round(float(passed.mean()), 3),
        "precision": round(float(both / passed.sum()), 3),
        "recall": round(float(both / equivalent.sum()), 3),
    }


def diverse(rows: list[tuple[str, str, float]]) -> np.ndarray:
    most = Pipeline().unigrams.maximum
    return np.array(
        [
            unigram_overlap(words(one), words(other)).precision <= most
            for one, other, _ in rows
        ]
    )


def verses(mirror: Path) -> list[str]:
    """Return the verses that both Bibles have, Basic English before King James."""
    basic, king_james = (
        {index: text for index, _, text in (row.rpartition("\t") for row in rows)}
        for rows in (read_packed(mirror, f"bibles/{name}") for name in ("BBE", "KJV"))
    )
    shared = [index for index in king_james if index in basic]
    return [f"{basic[index]}\t{king_james[index]}" for index in shared]


def table(lines: list[str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.tsv"
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        result = filter_files([path])
    return {"read": result.read} | {row.stage: row.kept for row in result.rows}


if __name__ == "__main__":
    main()
