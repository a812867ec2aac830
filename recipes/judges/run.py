"""How well the encoder judges agree with people, and do on a held-out play.

None of this was used for training, selection or calibration: Romeo and Juliet of
Jhamtani et al. (2017), CoLA's in-domain development part, GUG's dev rows, PT16's tune
rows and STS-B's development part.
"""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.corpora import read_lines, read_texts
from paraphrast.errors import ParaphrastError
from paraphrast.judges.encoder.surface import strip_surface
from paraphrast.judges.fluency import matthews, read_judgments
from paraphrast.judges.judge import Judge, load
from paraphrast.judges.meaning_checks import CheckedSimilarity
from paraphrast.judges.style_grade import StyleSubset
from paraphrast.metrics.correlation import pearson, spearman
from paraphrast.reproduce import Value, Workspace
from paraphrast.study.trust_people import formality_of
from recipes.missing import report_large_judge

STYLES = ("modern", "shakespeare")


def find_missing(workspace: Workspace) -> Iterator[str]:
    """Report whether the large judge is missing."""
    yield from report_large_judge()


def small(workspace: Workspace) -> dict[str, Value]:
    return measure("small", load(Path("small")), workspace)


def large(workspace: Workspace) -> dict[str, Value]:
    try:
        judge = load(Path("large"))
    except ParaphrastError:  # it was not built here; its figures are optional
        return {}
    return measure("large", judge, workspace)


def measure(name: str, judge: Judge, workspace: Workspace) -> dict[str, Value]:
    parts = {
        "accuracy": style(judge, workspace.corpus("jhamtani17")),
        "similarity": similarity(judge, workspace.corpus("stsb")),
        "fluency": fluency(judge, workspace.corpus("cola"), workspace.corpus("gug")),
        "formality": formality(judge, workspace.corpus("pt16")),
    }
    return {
        f"{name}: {figure}": Value(float(value), signature=judge.hashes()[part])
        for part, figures in parts.items()
        for figure, value in figures.items()
    }


def style(judge: Judge, folder: Path) -> dict[str, float]:
    two = StyleSubset(judge.accuracy, STYLES)
    chances: list[float] = []
    for label, side in enumerate(("modern", "original")):
        texts = list(read_texts(folder / f"test.{side}.nltktok"))
        chances += two.probabilities(texts)[:, label].tolist()
    right = np.array(chances) >= 0.5
    sure = np.maximum(chances, 1 - np.array(chances))
    return {
        "Romeo and Juliet, accuracy": 100 * float(right.mean()),
        "Romeo and Juliet, confidence less accuracy": 100
        * float(sure.mean() - right.mean()),
    }


def fluency(judge: Judge, cola: Path, gug: Path) -> dict[str, float]:
    path = cola / "in_domain_dev.tsv"
    judged = read_judgments(read_lines(path), where=str(path))
    result = judge.fluency.probabilities([text for text, _ in judged])
    lines = read_lines(gug / "gug_annotations.train_dev.tsv")
    table = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    rows = [row for row in table if row["Dataset"] == "dev"]
    texts = [row["Sentence"] for row in rows]
    scores = [float(row["Average"]) for row in rows]
    reader: Any = judge.fluency.reader  # type: ignore[attr-defined]
    head = reader.heads.logits("grammatical", reader.pool(texts))[:, 0]
    return {
        "CoLA dev, Matthews": matthews(
            result >= 0.5, np.array([ok for _, ok in judged])
        ),
        "GUG dev, Pearson of fluency": pearson(
            judge.fluency.probabilities(texts), scores
        ),
        "GUG dev, Pearson of the head trained on GUG": pearson(head, scores),
    }


def formality(judge: Judge, folder: Path) -> dict[str, float]:
    with (folder / "tune.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["sentence"], float(row["label"])) for row in csv.DictReader(file)]
    texts, labels = [text for text, _ in rows], [label for _, label in rows]
    bare = [strip_surface(text) for text in texts]
    robust = formality_of(judge.without_surface_features())
    model = formality_of(judge)
    if robust is None or model is None:
        return {}
    return {
        "PT16 tune, Spearman": spearman(model(texts), labels),
        "PT16 tune without case and punctuation, Spearman": spearman(
            model(bare), labels
        ),
        "PT16 tune without case and punctuation, Spearman of the robust variant": (
            spearman(robust(bare), labels)
        ),
    }


def similarity(judge: Judge, folder: Path) -> dict[str, float]:
    with (folder / "stsb-en-dev.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    ones, others = [row[0] for row in rows], [row[1] for row in rows]
    scores = [float(row[2]) for row in rows]
    result = judge.similarity(ones, others)
    checked = CheckedSimilarity(judge.similarity)(ones, others)
    return {
        "STS-B dev, Spearman": spearman(result, scores),
        "STS-B dev, Spearman with checks": spearman(checked, scores),
    }


STEPS = {"small": small, "large": large}
