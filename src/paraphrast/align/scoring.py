"""Score one file of alignments against another, with intervals and a signature."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from paraphrast.align.base import AlignedPair
from paraphrast.align.measures import (
    Agreement,
    Average,
    Counts,
    Identical,
    Labels,
    Level,
    corpus_counts,
    macro,
    micro,
)
from paraphrast.errors import ParaphrastError


@dataclass(frozen=True)
class Score:
    """The agreement at one level, averaged one way, and the 95% interval of F1."""

    level: Level
    average: Average
    agreement: Agreement
    low: float
    high: float

    def as_dict(self) -> dict[str, object]:
        """Return the figures as JSON has them."""
        figures = {
            "precision": self.agreement.precision,
            "recall": self.agreement.recall,
            "f1": self.agreement.f1,
            "error_rate": self.agreement.error_rate,
        }
        return {
            "level": self.level,
            "average": self.average,
            **{name: round(value, 4) for name, value in figures.items()},
            "f1_interval": [round(self.low, 4), round(self.high, 4)],
        }


@dataclass(frozen=True)
class Scores:
    """All figures of a comparison, and the settings they depend on."""

    scores: tuple[Score, ...]
    signature: str

    def lines(self) -> Iterator[str]:
        """Lay the figures out as a table, the signature below it."""
        yield f"{'':16}{'P':>7}{'R':>7}{'F1':>7}  {'95% of F1':14}{'AER':>6}"
        for row in self.scores:
            a = row.agreement
            interval = f"{row.low:.1%}–{row.high:.1%}".replace("%", "")
            error = f"{100 * a.error_rate:6.1f}" if row.level == "words" else ""
            yield (
                f"{row.level:8}{row.average:8}{100 * a.precision:7.1f}"
                f"{100 * a.recall:7.1f}{100 * a.f1:7.1f}  {interval:14}{error}"
            )
        yield self.signature


def score(
    system: Sequence[AlignedPair],
    gold: Sequence[AlignedPair],
    *,
    labels: Labels = "asymmetric",
    identical: Identical = "ignored",
    resamples: int = 1000,
    seed: int = 1,
) -> Scores:
    """Compare words and phrase pairs, micro and macro."""
    check_same_words(system, gold)
    scores = []
    levels: tuple[Level, ...] = ("words", "phrases")
    averages: tuple[Average, ...] = ("micro", "macro")
    for level in levels:
        counts = corpus_counts(
            system, gold, level=level, labels=labels, identical=identical
        )
        for average in averages:
            result = (micro if average == "micro" else macro)(counts)
            low, high = f1_interval(counts, average, resamples=resamples, seed=seed)
            scores.append(Score(level, average, result, low, high))
    signature = (
        f"labels:{labels}|identical:{identical}|pairs:{len(gold)}|"
        f"resamples:{resamples}|seed:{seed}|paraphrast:{version('paraphrast')}"
    )
    return Scores(tuple(scores), signature)


def f1_interval(
    counts: Sequence[Counts], average: Average, *, resamples: int = 1000, seed: int = 1
) -> tuple[float, float]:
    """Return the 95% interval of F1 by resampling sentence pairs."""
    return intervals(counts, average, resamples=resamples, seed=seed)["f1"]


def intervals(
    counts: Sequence[Counts], average: Average, *, resamples: int = 1000, seed: int = 1
) -> dict[str, tuple[float, float]]:
    """Return the 95% intervals of precision, recall and F1 by resampling pairs.

    Its random numbers are not those of `estimators.bootstrap`, which would change the
    published intervals of alignments.
    """
    rows: list[tuple[float, ...]] = [
        (c.said_and_right, c.said, c.wanted_and_found, c.wanted)
        if average == "micro"
        else (c.precision, 1, c.recall, 1)
        for c in counts
    ]
    # How often each pair is drawn says all; the order of drawing does not matter.
    draw = np.random.default_rng(seed)
    times = draw.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), resamples)
    right, said, result, wanted = (times @ np.array(rows, dtype=np.float64)).T
    precision = np.divide(right, said, out=np.ones_like(said), where=said > 0)
    recall = np.divide(result, wanted, out=np.ones_like(wanted), where=wanted > 0)
    total = precision + recall
    f1 = np.divide(
        2 * precision * recall, total, out=np.zeros_like(total), where=total > 0
    )
    result = {}
    for name, values in (("precision", precision), ("recall", recall), ("f1", f1)):
        low, high = np.quantile(values, [0.025, 0.975])
        result[name] = float(low), float(high)
    return result


def check_same_words(
    system: Sequence[AlignedPair], gold: Sequence[AlignedPair]
) -> None:
    """Refuse alignments of other sentence pairs; case may differ."""
    if len(system) != len(gold):
        raise ParaphrastError(
            f"{len(system):,} pairs to score but {len(gold):,} in the gold standard. "
            "Check that the files belong together."
        )
    if not gold:
        raise ParaphrastError("there are no sentence pairs to score.")
    for number, (answer, other) in enumerate(zip(system, gold, strict=True), start=1):
        for side in ("source", "target"):
            words, wanted = getattr(answer, side), getattr(other, side)
            same = [w.lower() for w in words] == [w.lower() for w in wanted]
            if not same and (words or answer.links):
                raise ParaphrastError(
                    f"pair {number}: the {side} is {' '.join(words)[:40]!r} in one "
                    f"file and {' '.join(wanted)[:40]!r} in the other. Check that "
                    "they belong together and have the same tokens."
                )
