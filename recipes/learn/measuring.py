"""Measure a pack's rewrites by a classifier trained for the purpose.

The classifier tells a writer's sentences from plain versions of them and from other
people's sentences. It has read neither the sentences learned from nor those that are
rewritten. SIM (to the source) and FL are the small judge's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from paraphrast.comparison.significance import (
    approximate_randomisation,
    paired_bootstrap,
)
from paraphrast.judges import accuracy
from paraphrast.judges.judge import Judge, load
from paraphrast.metrics import Segment
from paraphrast.metrics.base import Matrix
from paraphrast.metrics.scoring import score_rows
from paraphrast.neural.family import family
from paraphrast.neural.learn import back_paraphrase
from paraphrast.neural.models.generation import Engine
from paraphrast.neural.models.pack import load_pack
from paraphrast.reproduce import Value
from paraphrast.rewriter import Rewriter, Sentence
from paraphrast.storage import packs
from paraphrast.text.protection import protected_spans

from .texts import Others, Writer

PLAIN, OTHER = "plain versions", "others' sentences"
SEED = 1
NAMES = ("ACC", "SIM", "FL", "J")


def shipped_pack() -> Path:
    """Return the folder of the pack that comes with paraphrast."""
    return packs.BUNDLED / "small"


@dataclass(frozen=True)
class Bench:
    """A judge of one writer, and the texts to rewrite, by kind."""

    writer: Writer
    judge: Judge
    inputs: Mapping[str, Sequence[str]]
    originals: Sequence[str]  # of the plain versions


@dataclass(frozen=True)
class Measured:
    """Outputs for one kind of input, their figures and the rows of their J."""

    outputs: Sequence[str]
    figures: Mapping[str, Value]
    rows: Matrix


def bench(writer: Writer, others: Others) -> Bench:
    """Make plain versions and a classifier; a version must differ from its text."""
    engine = _engine()
    plain = list(zip(_plain(engine, writer.tested), writer.tested, strict=True))
    kept = [
        (version, text)
        for version, text in plain
        if back_paraphrase.fits(version, text)
    ]
    half = len(writer.unread) // 2
    versions = [
        version
        for version, text in zip(
            _plain(engine, writer.unread), writer.unread, strict=True
        )
        if back_paraphrase.fits(version, text)
    ]
    outside = [*versions[:half], *others.unread[: len(writer.unread) - half]]
    fresh = accuracy.train({writer.name: writer.unread, "not": outside}, valid={})
    inputs = {PLAIN: [version for version, _ in kept], OTHER: list(others.tested)}
    judge = replace(load(Path("small")), accuracy=fresh)
    return Bench(writer, judge, inputs, [text for _, text in kept])


def rewrite_texts(rewriter: Rewriter, texts: Sequence[str]) -> list[str]:
    """Return a rewriter's outputs for texts, called as `paraphrast rewrite` does."""
    sentences = [Sentence(text, tuple(protected_spans(text))) for text in texts]
    return [result[0].text for result in rewriter(sentences, alternatives=1, seed=SEED)]


def load_shipped(style: str) -> Rewriter:
    """Return the built-in pack's rewriter into one of its styles."""
    return family.load_pack(shipped_pack(), style)


def load_learned(folder: Path) -> Rewriter:
    """Return a learned pack's rewriter, with its guide."""
    return family.load_pack(folder, folder.name)


def measure(bench: Bench, inputs: Sequence[str], outputs: Sequence[str]) -> Measured:
    """Return the figures of outputs with their intervals."""
    segments = [
        Segment(output, source, (), bench.writer.name)
        for output, source in zip(outputs, inputs, strict=True)
    ]
    metrics = dict(zip(NAMES, bench.judge.metrics(), strict=False))
    figures = {}
    for name, metric in metrics.items():
        rows = metric.statistics(segments)
        result = score_rows(metric, segments, rows)
        figures[name] = Value(result.value, result.low, result.high, result.signature)
    return Measured(outputs, figures, rows)


def lead(bench: Bench, before: Measured, after: Measured) -> Value:
    """Return the lead in J, with the interval and p-value of paired tests."""
    joint = bench.judge.metrics()[3]
    result = paired_bootstrap(joint, before.rows, [after.rows])[0]
    p = approximate_randomisation(joint, before.rows, [after.rows])[0]
    test = f"p:{p:.4f}|approximate randomisation, interval by paired bootstrap"
    return Value(result.value, result.low, result.high, test)


def _plain(engine: Engine, texts: Sequence[str]) -> list[str]:
    return back_paraphrase.plain(engine, texts, back_paraphrase.PLAIN[0])


def _engine() -> Engine:
    return load_pack(shipped_pack(), back_paraphrase.PLAIN[0]).steps[-1].engine
