r"""How often do the neural rewriter's guards act, and do they help?

Run    python -m benchmarks.guards > benchmarks/results/guards.json
       (some minutes on one core)
Backs  docs/neural.md.

Plain texts of everyday's development part are rewritten into every style of the default
pack. A guard acts where it rejects a candidate; "shown" counts the texts whose answer
would differ without it, "kept" those of them that now stay unchanged, and its gain is
that in meaning times fluency of these answers, where meaning is the small judge's
similarity to the source times the meaning checks. Where the source comes back its
meaning is 1. The judge only measures: it chooses nothing.
"""

import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.report import report
from paraphrast.corpora.loaders import everyday
from paraphrast.judges import judge
from paraphrast.judges import rows as judged_rows
from paraphrast.judges.meaning_checks import CheckedSimilarity
from paraphrast.neural.candidates import search
from paraphrast.neural.family import family
from paraphrast.neural.rewriter import GUARD_NAMES, NeuralRewriter
from paraphrast.rewriter import Rewrite, Sentence
from paraphrast.text.protection import protected_spans

SEED, MOST = 1, 40
EVERYDAY = Path(__file__).parents[1] / "corpora/everyday"


def main() -> None:
    texts = read_texts()
    small = judge.load(Path("small"))
    acted: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    differing: dict[str, list[tuple[str, str, str]]] = {n: [] for n in GUARD_NAMES}
    styles = list(family.styles())
    for style in styles:
        rewriter = family.load(style)
        assert isinstance(rewriter, NeuralRewriter)
        rewritten = rewrite(rewriter, texts, answered)
        for name in GUARD_NAMES:
            own = [
                (text, answer)
                for text, answer in zip(texts, rewritten, strict=True)
                if name in answer.guards
            ]
            acted[name] += len(own)
            others = rewrite(rewriter.without_guards([name]), [t for t, _ in own])
            differing[name] += [
                (text.text, answer.text, other.text)
                for (text, answer), other in zip(own, others, strict=True)
                if answer.text != other.text
            ]
        print(style, file=sys.stderr)
    report(
        claim="candidates that a guard rejected, and what would be shown without it",
        sentences=len(texts),
        styles=styles,
        guards={
            name: {"acted": acted[name], **compare(small, differing[name])}
            for name in GUARD_NAMES
        },
        attempts=dict(answered),
        setting={"seed": SEED, "texts": "everyday, dev, plain"},
        versions=("ctranslate2",),
    )


def read_texts() -> list[Sentence]:
    """Return plain texts of everyday's development part."""
    texts = [
        text.versions["plain"]
        for text in everyday.read_texts(EVERYDAY)
        if text.split == "dev"
    ]
    random.Random(SEED).shuffle(texts)
    return [Sentence(text, tuple(protected_spans(text))) for text in texts[:MOST]]


def rewrite(
    rewriter: NeuralRewriter,
    texts: Sequence[Sentence],
    answered: Counter[str] | None = None,
) -> list[Rewrite]:
    """Rewrite texts, and note which attempt answered."""

    def note_attempt(
        self: NeuralRewriter,
        parts: Sequence[Sentence],
        attempt: search.Attempt,
        searcher: search.Searcher,
    ) -> list[object]:
        answers = original(self, parts, attempt, searcher)
        if answered is not None:
            answered[attempt.name] += sum(bool(answer.choices) for answer in answers)
        return list(answers)

    original = NeuralRewriter._try
    with patch.object(NeuralRewriter, "_try", note_attempt):
        return [own[0] for own in rewriter(texts, alternatives=1, seed=SEED)]


def compare(
    small: judge.Judge, rows: Sequence[tuple[str, str, str]]
) -> dict[str, float]:
    """Return the gain of the answers with a guard over those without it."""
    sides = [values(small, rows, side) for side in (1, 2)]
    return {
        "shown": len(rows),
        "kept": sum(source == answer for source, answer, _ in rows),
        "meaning": gain([meaning for meaning, _ in sides]),
        "fluency": gain([fluency for _, fluency in sides]),
        "both": gain([meaning * fluency for meaning, fluency in sides]),
    }


def values(
    small: judge.Judge, rows: Sequence[tuple[str, str, str]], side: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return meaning and fluency of one of the two texts of each row."""
    asked = [judged_rows.Row(row[side], row[0]) for row in rows]
    records = list(judged_rows.judge_rows(small, asked, judged_rows.Counts()))
    factor = CheckedSimilarity(small.similarity).factor
    meaning = [
        record["sim_source"] * factor(row[0], row[side])
        for record, row in zip(records, rows, strict=True)
    ]
    return np.array(meaning), np.array([record["fluency"] for record in records])


def gain(sides: Sequence[np.ndarray]) -> float:
    """Return the mean difference in points."""
    with_it, without = sides
    return round(100 * float(np.mean(with_it - without)), 1) if len(with_it) else 0.0


if __name__ == "__main__":
    main()
