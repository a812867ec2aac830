"""Evaluate a newly learned style, on held-out sentences.

Versions of the held-out sentences are rewritten and scored. Style is scored by a new
classifier that was not used in training or reranking and is trained on one half of the
sentences. The evaluated rewriter uses a guide trained on the other half; the pack's own
is trained on both, and is at least as good. Meaning and fluency are scored by a judge.
The same scores are computed for the versions themselves (plain), for the output of the
old pack's nearest style (before), and for the user's own sentences, which are the upper
bound. Judge and classifier are passed as arguments, since no rewriter imports a judge.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from paraphrast.neural.learn.teach import HeldOut, Measured
from paraphrast.neural.rewriter import NeuralRewriter
from paraphrast.rewriter import Sentence
from paraphrast.storage.packs import Score
from paraphrast.text.protection import protected_spans

IN, OUT = "in the style", "another version"
MOST = 200  # sentences rewritten
SAMPLES = 8
FLUENT = 0.5
LEAST_GAIN = 5.0  # points of J that a lesson must gain to be worth trying
LEAST_USED = 0.5  # share of the sentences that must have a plain version


class Classifier(Protocol):
    """Classifies texts of the style against others."""

    @property
    def styles(self) -> Sequence[str]:
        """Return the names of the two classes."""
        ...

    @property
    def signature(self) -> str:
        """Return what identifies the classifier."""
        ...

    def probabilities(self, texts: Sequence[str]) -> Any:
        """Return probabilities: (texts, classes)."""
        ...


class Fluency(Protocol):
    """Scores the fluency of sentences."""

    def probabilities(self, texts: Sequence[str]) -> Any:
        """Return the probability that each text is natural."""
        ...


class Judge(Protocol):
    """Scores meaning and fluency."""

    @property
    def fluency(self) -> Fluency:
        """Return the fluency model."""
        ...

    @property
    def similarity(self) -> Callable[[Sequence[str], Sequence[str]], Any]:
        """Return the similarity of texts to their sources."""
        ...

    def hashes(self) -> Mapping[str, str]:
        """Return what identifies the judge's models."""
        ...


TrainClassifier: TypeAlias = Callable[[Mapping[str, Sequence[str]]], Classifier]


@dataclass(frozen=True)
class Reporter:
    """Evaluates with a judge and a classifier; ``seed`` is that of the rewriting."""

    judge: Judge
    train_classifier: TrainClassifier
    seed: int = 1

    def __call__(
        self, before: NeuralRewriter, after: NeuralRewriter, held: HeldOut
    ) -> Measured:
        """Return the figures of a new style and a report with samples."""
        plain, originals = list(held.versions[:MOST]), list(held.originals[:MOST])
        sentences = [Sentence(text, tuple(protected_spans(text))) for text in plain]
        candidates = [
            rewriter(sentences, alternatives=1, seed=self.seed)
            for rewriter in (before, after)
        ]
        nearest, outputs = (
            [rewrites[0].text for rewrites in many] for many in candidates
        )
        fresh = self._classifier(held)
        rows = {
            name: self._row(fresh, texts, plain, originals)
            for name, texts in (
                ("plain", plain),
                ("before", nearest),
                ("after", outputs),
                ("own", originals),
            )
        }
        report: dict[str, Any] = {
            "style": held.style,
            "nearest": held.nearest,
            "sentences": len(set(originals)),
            "versions": len(plain),
            "figures": rows,
            "unchanged": sum(bool(options[0].why) for options in candidates[1]),
            "samples": _samples(plain, nearest, outputs, originals),
            "signatures": self._signatures(fresh),
        }
        return Measured(self._scores(rows["after"], fresh), report)

    def _classifier(self, held: HeldOut) -> Classifier:
        """Return a classifier of the style against as many other versions."""
        number = min(len(held.learned), len(held.others))
        draw = random.Random(self.seed)
        inside = draw.sample(list(held.learned), number)
        outside = draw.sample(list(held.others), number)
        return self.train_classifier({IN: inside, OUT: outside})

    def _row(
        self,
        fresh: Classifier,
        outputs: Sequence[str],
        sources: Sequence[str],
        references: Sequence[str],
    ) -> dict[str, float]:
        inside = fresh.probabilities(outputs)[:, fresh.styles.index(IN)]
        in_style = inside > FLUENT
        similar = self.judge.similarity(sources, outputs)
        fluent = self.judge.fluency.probabilities(outputs) > FLUENT
        values = {
            "ACC": in_style,
            "SIM": similar,
            "FL": fluent,
            "J": in_style * similar * fluent,
            "SIM to own": self.judge.similarity(references, outputs),
        }
        return {
            name: round(100 * float(np.mean(np.asarray(v, dtype=float))), 1)
            for name, v in values.items()
        }

    def _signatures(self, fresh: Classifier) -> dict[str, str]:
        hashes = self.judge.hashes()
        return {
            "ACC": f"fresh linear-style {fresh.signature}",
            "SIM": f"small judge {hashes['similarity']}",
            "FL": f"small judge {hashes['fluency']}",
        }

    def _scores(self, row: Mapping[str, float], fresh: Classifier) -> tuple[Score, ...]:
        signatures = self._signatures(fresh)
        joined = "|".join(signatures.values())
        return tuple(
            Score(f"held-out {name}", row[name], signatures.get(name, joined))
            for name in ("ACC", "SIM", "FL", "J")
        )


def _samples(*columns: Sequence[str]) -> list[dict[str, str]]:
    names = ("plain", "before", "after", "own")
    rows = list(zip(*columns, strict=True))[:SAMPLES]
    return [dict(zip(names, row, strict=True)) for row in rows]


def find_warnings(report: Mapping[str, Any]) -> list[str]:
    """Return warnings about the learned style for the user."""
    rows, lesson = report["figures"], report["lesson"]
    warnings = []
    gain = rows["after"]["J"] - max(rows["before"]["J"], rows["plain"]["J"])
    if gain < LEAST_GAIN:
        warnings.append(
            f"the learned style gains only {gain:.1f} points of J. Give more text, or "
            "train for longer with --minutes."
        )
    if lesson["steps"] < lesson["planned_steps"] and lesson["stopped_by_time"]:
        warnings.append(
            f"--minutes ended training after {lesson['steps']} of "
            f"{lesson['planned_steps']} steps."
        )
    used, given = lesson["paraphrased_sentences"], lesson["training_sentences"]
    if used < LEAST_USED * given:
        warnings.append(
            f"only {used} of {given} sentences have a plain version that keeps their "
            "meaning; spelling and dialect of the others are not learned."
        )
    return warnings


def format_report(report: Mapping[str, Any]) -> list[str]:
    """Format a report as text."""
    rows = report["figures"]
    named = {
        "plain": "the versions",
        "before": f"before: rewritten to {report['nearest']}",
        "after": f"after: rewritten to {report['style']}",
        "own": "your own sentences",
    }
    head = "".join(f"{name:>7}" for name in ("ACC", "SIM", "FL", "J"))
    counts = f"{report['versions']} versions of {report['sentences']}"
    lines = [f"{counts} held-out sentences:", f"{'':<34}{head}"]
    for key, name in named.items():
        cells = "".join(f"{rows[key][m]:>7.1f}" for m in ("ACC", "SIM", "FL", "J"))
        lines.append(f"{name:<34}{cells}")
    lines.append(
        "ACC by a newly trained classifier; SIM (to the version) and FL by the small "
        "judge."
    )
    for sample in report["samples"]:
        lines += ["", f"plain   {sample['plain']}", f"before  {sample['before']}"]
        lines += [f"after   {sample['after']}", f"yours   {sample['own']}"]
    return lines
