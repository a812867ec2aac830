r"""Do the checks of meaning find changes, and leave good rewriting alone?

Run    python -m benchmarks.meaning_checks FOLDER \
           > benchmarks/results/meaning_checks.json
       (FOLDER is the mirror of the corpora)
Backs  docs/judges.md.

Found: the share of minimal pairs (make_probes) on which a check speaks; the pairs are
made from Romeo and Juliet and from STS-B's development part, which chose nothing. False
alarms: the share of pairs that people wrote as paraphrases on which a check speaks,
and the mean of what it leaves of their similarity; these pairs do differ in names and
numbers now and then. Correlation with people: STS-B's development part, Spearman, for
the lexical similarity and the same with checks. The rules and values were chosen on
Twelfth Night and STS-B's training part.
"""

import random
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.report import report
from paraphrast.corpora import Pair
from paraphrast.corpora.loaders import bibles, judged, paraphrases, plays
from paraphrast.judges.meaning_checks import CheckedSimilarity, findings
from paraphrast.metrics.correlation import spearman
from paraphrast.study.probes import make_probes
from paraphrast.text.similarity import HashedSimilarity

SEED, PAIRS = 1, 1_000


def main() -> None:
    mirror = Path(sys.argv[1])
    texts = {
        "Romeo and Juliet, modern": [p.source for p in play(mirror)],
        "Romeo and Juliet, original": [p.target for p in play(mirror)],
        "STS-B dev": list(
            dict.fromkeys(pair.first for pair in judged.stsb(mirror / "stsb", "dev"))
        ),
    }
    train, dev = (judged.stsb(mirror / "stsb", part) for part in ("train", "dev"))
    similar = HashedSimilarity.fit(t for p in train for t in (p.first, p.second))
    checked = CheckedSimilarity(similar)
    first, second = [p.first for p in dev], [p.second for p in dev]
    scores = [p.score for p in dev]
    start = time.process_time()
    factors = checked.factors(first, second)
    seconds = time.process_time() - start
    report(
        claim="Spearman with people on STS-B's development part, checks added",
        median=round(spearman(similar(first, second) * factors, scores), 4),
        without_checks=round(spearman(similar(first, second), scores), 4),
        found={
            name: count_findings(checked, sentences)
            for name, sentences in texts.items()
        },
        false_alarms={
            name: alarms(checked, pairs) for name, pairs in rewrites(mirror).items()
        },
        pairs_per_second=round(len(dev) / seconds),
        setting={"seed": SEED, "pairs": PAIRS},
        versions=("numpy",),
    )


def play(mirror: Path) -> list[Pair]:
    return list(plays.pairs_of(mirror / "jhamtani17", "jhamtani17", "test"))


def count_findings(model: CheckedSimilarity, texts: list[str]) -> dict[str, object]:
    result: dict[str, object] = {}
    for name, probe in make_probes(texts, seed=SEED).items():
        if probe.means and name != "other sentence" and probe.pairs:
            left = np.array([model.factor(*pair) for pair in probe.pairs])
            result[name] = {
                "pairs": len(left),
                "found": round(float(np.mean(left < 1)), 3),
                "left": round(float(left.mean()), 3),
            }
    return result


def rewrites(mirror: Path) -> dict[str, list[tuple[str, str]]]:
    draw = random.Random(SEED)
    verses = list(bibles.pairs_of(mirror / "bibles", "bibles", "KJV-WEB"))
    captions = list(paraphrases.captions(mirror / "paraphrase"))
    return {
        "Romeo and Juliet, modern and original": [
            (p.source, p.target) for p in play(mirror)
        ],
        "Bible, KJV and WEB": [
            (p.source, p.target) for p in draw.sample(verses, PAIRS)
        ],
        "captions of one picture": [
            (first, second) for first, second, *_ in draw.sample(captions, PAIRS)
        ],
        "STS-B dev, 4.5 and more": [
            (p.first, p.second)
            for p in judged.stsb(mirror / "stsb", "dev")
            if p.score >= 4.5
        ],
    }


def alarms(model: CheckedSimilarity, pairs: list[tuple[str, str]]) -> dict[str, object]:
    kinds = Counter(finding.kind for pair in pairs for finding in findings(*pair))
    left = np.array([model.factor(*pair) for pair in pairs])
    return {
        "pairs": len(pairs),
        "any": round(float(np.mean(left < 1)), 3),
        "left": round(float(left.mean()), 3),
        **{kind: round(count / len(pairs), 3) for kind, count in kinds.most_common()},
    }


if __name__ == "__main__":
    main()
