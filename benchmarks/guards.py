r"""How often do the neural rewriter's repairs and guards act, and is it for the good?

Run    python -m benchmarks.guards FILE... > benchmarks/results/guards.json
       (plain texts, one per line; a line "plain: TEXT" of a corpus of styles counts,
       its other lines do not; about ten minutes on one core for 150 lines)
Backs  docs/neural.md.

Every line is rewritten into every style of the default pack. A repair acts where the
text would differ without it; its gain is the fluency with it less the fluency without,
and "saved" counts the candidates that pass the guards only because of it. A guard acts
where it rejects a candidate; "shown" counts the sentences whose answer would differ
without it, and its gain is that of meaning times fluency in these answers, where
meaning is the small judge's similarity to the source times the meaning checks. Where
the source comes back its meaning is 1. The judge only measures: it chooses nothing.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.report import report
from paraphrast.judges import judge
from paraphrast.judges import rows as judged_rows
from paraphrast.judges.meaning_checks import CheckedSimilarity
from paraphrast.neural.candidates import guards, repairs, search, surface
from paraphrast.neural.family import family
from paraphrast.neural.rewriter import GUARD_NAMES, NeuralRewriter
from paraphrast.rewriter import Rewrite, Sentence
from paraphrast.text.protection import protected_spans
from paraphrast.text.sentences import split_sentences

SEED, MOST = 1, 150


def main() -> None:
    texts = read_texts([Path(name) for name in sys.argv[1:]])
    small = judge.load(Path("small"))
    seen: list[tuple[str, str]] = []
    acted: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    differing: dict[str, list[tuple[str, str, str]]] = {n: [] for n in GUARD_NAMES}
    styles = list(family.styles())
    for style in styles:
        rewriter = family.load(style)
        assert isinstance(rewriter, NeuralRewriter)
        rewritten = rewrite(rewriter, texts, seen, answered)
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
        candidates=len(seen),
        repairs=count_repairs(small, seen),
        guards={
            name: {"acted": acted[name], **compare(small, differing[name])}
            for name in GUARD_NAMES
        },
        attempts=dict(answered),
        setting={"seed": SEED, "files": [Path(name).name for name in sys.argv[1:]]},
        versions=("ctranslate2",),
    )


def read_texts(paths: Sequence[Path]) -> list[Sentence]:
    """Return sentences of the files, as many from each."""
    draw = random.Random(SEED)
    chosen = []
    for path in paths:
        lines = path.read_text("utf-8").split("\n")
        plain = [line[7:] for line in lines if line.startswith("plain: ")] or lines
        own = [s for line in plain for s in cut(line) if len(s.text.split()) > 2]
        draw.shuffle(own)
        chosen += own[: -(-MOST // len(paths))]
    return chosen


def cut(line: str) -> Iterator[Sentence]:
    for span in split_sentences(line):
        text = line[span.start : span.end]
        yield Sentence(text, tuple(protected_spans(text)))


def rewrite(
    rewriter: NeuralRewriter,
    texts: Sequence[Sentence],
    seen: list[tuple[str, str]] | None = None,
    answered: Counter[str] | None = None,
) -> list[Rewrite]:
    """Rewrite texts; note the candidates before repairs, and which attempt answered."""

    def note_repair(source: str, text: str) -> str:
        if seen is not None:
            seen.append((source, text))
        return repairs.repair(source, text)

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
    with (
        patch.object(surface, "repair", note_repair),
        patch.object(NeuralRewriter, "_try", note_attempt),
    ):
        return [own[0] for own in rewriter(texts, alternatives=1, seed=SEED)]


def count_repairs(
    small: judge.Judge, seen: Sequence[tuple[str, str]]
) -> dict[str, dict[str, float]]:
    """Count where the candidates would differ without each repair."""
    table = {}
    for entry in repairs.REPAIRS:
        rest = [other for other in repairs.REPAIRS if other is not entry]
        rows = [
            (source, repairs.repair(source, text), repairs.repair(source, text, rest))
            for source, text in dict.fromkeys(seen)
        ]
        rows = [row for row in rows if row[1] != row[2]]
        passed = [
            [
                not guards.find_rejection(row[0], row[side], guards.GUARDS)
                for row in rows
            ]
            for side in (1, 2)
        ]
        saved = sum(new and not old for new, old in zip(*passed, strict=True))
        lost = sum(old and not new for new, old in zip(*passed, strict=True))
        table[entry.name] = {
            "acted": len(rows),
            "saved": saved,
            "lost": lost,
            "fluency": gain([values(small, rows, side)[1] for side in (1, 2)]),
        }
    return table


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
