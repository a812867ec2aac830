"""XU12's people: how they agree with each other (Table 6) and with metrics (Table 7).

Two authors marked 99 lines of three systems. BLEU here is smoothed sentence BLEU
against the original line; PINC is against the modern line. The style scores are
trained on the plays other than Romeo and Juliet in both modern translations, modern
against original, and know nothing of the judgments. Their settings were chosen by how
well they tell the two sides of held-out plays apart (docs/judges.md).
"""

from collections.abc import Sequence

from paraphrast.corpora.loaders import plays
from paraphrast.metrics import Segment, correlate
from paraphrast.metrics.base import Metric
from paraphrast.metrics.bleu import SentenceBleu
from paraphrast.metrics.pinc import Pinc
from paraphrast.metrics.style_scores import (
    StyleModel,
    StyleScore,
    train_cosine,
    train_language_model,
    train_logistic,
)
from paraphrast.reproduce import Value, Workspace
from paraphrast.text.normalisation import join_apostrophes

ANNOTATORS = {"alan": 1, "wei": 2}
ROMEO_AND_JULIET = ("romeojuliet", "romeo-and-juliet")
CRITERIA = {
    "semantic": "semantic adequacy",
    "dissimilarity": "dissimilarity",
    "style": "style",
    "overall": "overall",
}


def agreement(workspace: Workspace) -> dict[str, Value]:
    first, second = both(workspace)
    return {
        f"agreement on {name}": correlation(
            [float(getattr(judgment, criterion)) for judgment in first],
            [float(getattr(judgment, criterion)) for judgment in second],
        )
        for criterion, name in CRITERIA.items()
    }


def overlap(workspace: Workspace) -> dict[str, Value]:
    bleu, pinc = SentenceBleu(tokenize="none"), Pinc(convention="xu12")
    questions = (
        ("semantic", "BLEU", bleu),
        ("dissimilarity", "PINC", pinc),
        ("style", "BLEU", bleu),
        ("style", "PINC", pinc),
    )
    values: dict[str, Value] = {}
    for criterion, name, metric in questions:
        values |= with_people(workspace, criterion, name, metric)
    return values


def style(workspace: Workspace) -> dict[str, Value]:
    modern, original = training_text(workspace)
    models: dict[str, StyleModel] = {
        "cosine": train_cosine(modern, original),
        "language model": train_language_model(
            modern, original, order=4, likelihood="word"
        ),
        "logistic regression": train_logistic(modern, original),
    }
    values: dict[str, Value] = {}
    for name, model in models.items():
        values |= with_people(workspace, "style", name, StyleScore(model))
    return values


def training_text(workspace: Workspace) -> tuple[list[str], list[str]]:
    folder = workspace.corpus("xu12")
    pairs = [
        pair
        for guide in ("sparknotes", "enotes")
        for play in plays.plays(folder, guide)
        if play not in ROMEO_AND_JULIET
        for pair in plays.read_aligned(folder, guide, play)
    ]
    # The modern side has curly apostrophes cut in two, which would give it away.
    return (
        [join_apostrophes(pair.source) for pair in pairs],
        [join_apostrophes(pair.target) for pair in pairs],
    )


def with_people(
    workspace: Workspace, criterion: str, name: str, metric: Metric
) -> dict[str, Value]:
    lines = list(plays.romeo_and_juliet(workspace.corpus("xu12"), form="tokenised"))
    values = {}
    for judgments in both(workspace):
        segments = [
            Segment(j.output, lines[j.line].sparknotes, (lines[j.line].original,))
            for j in judgments
        ]
        scores = metric.each(metric.statistics(segments))
        marks = [float(getattr(judgment, criterion)) for judgment in judgments]
        annotator = ANNOTATORS[judgments[0].annotator]
        key = f"{CRITERIA[criterion]} and {name}, annotator {annotator}"
        values[key] = correlation([float(score) for score in scores], marks)
    return values


def both(workspace: Workspace) -> tuple[list[plays.Judgment], list[plays.Judgment]]:
    """Return the two people's judgments of what both judged, in the same order."""
    every = plays.judgments(workspace.corpus("xu12"))
    first, second = (
        {(j.line, j.system): j for j in every if j.annotator == name}
        for name in ANNOTATORS
    )
    shared = sorted(first.keys() & second.keys())
    return [first[key] for key in shared], [second[key] for key in shared]


def correlation(x: Sequence[float], y: Sequence[float]) -> Value:
    result = correlate(x, y, kind="pearson")
    return Value(result.value, result.low, result.high, f"pearson|pairs:{result.pairs}")


STEPS = {"agreement": agreement, "overlap": overlap, "style": style}
