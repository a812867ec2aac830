"""A judge's agreement with human judgments, corpus by corpus.

Each function takes a judge and a corpus's folder and returns agreements. STRAP's labels
are by other models rather than people, and the page says so. The judgments of XU12 are
by two people, correlated with each separately, as in the paper's Table 7.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.corpora.loaders import everyday as everyday_texts
from paraphrast.corpora.loaders import judged, plays, strap
from paraphrast.errors import ParaphrastError
from paraphrast.judges.evaluator import StyleClassifier
from paraphrast.judges.fluency import matthews
from paraphrast.judges.judge import Judge, train_judge
from paraphrast.judges.meaning_checks import CheckedSimilarity
from paraphrast.judges.style_grade import StyleSubset, grade_texts
from paraphrast.metrics.base import Matrix, Segment
from paraphrast.metrics.bleu import SentenceBleu
from paraphrast.metrics.correlation import Kind, correlate
from paraphrast.metrics.pinc import Pinc
from paraphrast.metrics.terp import Terp
from paraphrast.study.probes import remove_case, remove_punctuation

MODERN, SHAKESPEARE = "modern", "shakespeare"
STRAP_STYLES = {"modern": MODERN, "original": SHAKESPEARE}
_SEED = 1  # of the linear judge
_CRITERIA = {"semantic": "meaning", "style": "style", "overall": "overall"}


@dataclass(frozen=True, slots=True)
class Agreement:
    """An evaluator's agreement with human judgments, by one measure."""

    evaluator: str
    people: str
    measure: str
    value: float
    low: float | None
    high: float | None
    items: int


def default_judge(folders: Mapping[str, Path]) -> Judge:
    """Train the linear judge, if its corpus is among the folders."""
    if "jhamtani17" not in folders:
        raise ParaphrastError(
            "the linear judge is trained on jhamtani17, which was not found. Run "
            "`paraphrast corpora fetch jhamtani17`, or give a --judge."
        )
    return linear_judge(folders["jhamtani17"])


@lru_cache(maxsize=1)
def linear_judge(folder: Path) -> Judge:
    """Train the linear judge on the plays of jhamtani17; Twelfth Night calibrates."""
    return train_judge(
        _sides(folder, "train"), valid=_sides(folder, "valid"), seed=_SEED
    )


def _sides(folder: Path, split: str) -> dict[str, list[str]]:
    pairs = list(plays.pairs_of(folder, "jhamtani17", split))
    return {
        MODERN: [pair.source for pair in pairs],
        SHAKESPEARE: [pair.target for pair in pairs],
    }


def choose_two_styles(judge: Judge) -> StyleClassifier:
    """Return the judge's classifier, restricted to Shakespeare and modern English."""
    return StyleSubset(judge.accuracy, (MODERN, SHAKESPEARE))


def shakespeare(judge: Judge, texts: Sequence[str]) -> Matrix:
    """Return each text's probability of being Shakespeare, not modern English."""
    return np.asarray(choose_two_styles(judge).probabilities(texts)[:, 1])


def joint(judge: Judge, segments: Sequence[Segment]) -> Matrix:
    """Return style · meaning · fluency of rewrites as Shakespeare, as probabilities."""
    outputs = [segment.output for segment in segments]
    similar = judge.similarity(outputs, [segment.source for segment in segments])
    return np.asarray(
        shakespeare(judge, outputs) * similar * judge.fluency.probabilities(outputs)
    )


def xu12(judge: Judge, folder: Path) -> Iterator[Agreement]:
    """Compare with two people's ratings of 99 lines of three systems."""
    lines = list(plays.romeo_and_juliet(folder, form="tokenised"))
    by_annotator = groupby(plays.judgments(folder), lambda mark: mark.annotator)
    for number, (_, marks) in enumerate(by_annotator, start=1):
        judgments = list(marks)
        segments = [
            Segment(j.output, lines[j.line].sparknotes, (lines[j.line].original,))
            for j in judgments
        ]
        outputs = [segment.output for segment in segments]
        sources = [segment.source for segment in segments]
        similar = judge.similarity(outputs, sources)
        values = {
            ("accuracy", "style"): shakespeare(judge, outputs),
            ("style grade", "style"): grade_texts(choose_two_styles(judge), outputs)[
                :, 1
            ],
            ("similarity", "semantic"): similar,
            ("similarity with checks", "semantic"): _add_checks(judge)(
                outputs, sources
            ),
            ("J", "overall"): joint(judge, segments),
            **_plain_metrics(segments),
        }
        for (evaluator, criterion), column in values.items():
            people = f"xu12 {_CRITERIA[criterion]}, annotator {number}"
            given = [float(getattr(j, criterion)) for j in judgments]
            yield _correlate(evaluator, people, column, given, "pearson")


def stsb(judge: Judge, folder: Path) -> Iterator[Agreement]:
    """Compare with people's similarity of 1,500 pairs."""
    pairs = judged.stsb(folder, "dev")
    first, second = [p.first for p in pairs], [p.second for p in pairs]
    scores = [p.score for p in pairs]
    similar = judge.similarity(first, second)
    yield _correlate("similarity", "STS-B dev", similar, scores, "spearman")
    yield _correlate("similarity", "STS-B dev", similar, scores, "pearson")
    checked = _add_checks(judge)(first, second)
    name = "similarity with checks"
    yield _correlate(name, "STS-B dev", checked, scores, "spearman")


def cola(judge: Judge, folder: Path) -> Iterator[Agreement]:
    """Compare with linguists' acceptability."""
    result = judged.cola(folder, "dev")
    accepted = (
        judge.fluency.probabilities([sentence.text for sentence in result]) >= 0.5
    )
    right = np.array([sentence.score == 1 for sentence in result])
    value = matthews(accepted, right)
    yield Agreement("fluency", "CoLA dev", "Matthews", value, None, None, len(result))


def gug(judge: Judge, folder: Path) -> Iterator[Agreement]:
    """Compare with people's grammaticality of learners' sentences."""
    result = judged.gug(folder, "dev")
    values = judge.fluency.probabilities([sentence.text for sentence in result])
    scores = [sentence.score for sentence in result]
    yield _correlate("fluency", "GUG dev", values, scores, "pearson")


def pt16(judge: Judge, folder: Path) -> Iterator[Agreement]:
    """Compare with people's formality, with and without case and punctuation."""
    formality = _require_formality(judge)
    result = judged.pt16(folder, "tune")
    texts, scores = (
        [sentence.text for sentence in result],
        [sentence.score for sentence in result],
    )
    draw: Any = None
    bare = [remove_punctuation(remove_case(t, draw, ()), draw, ()) for t in texts]
    yield _correlate("formality", "PT16 tune", formality(texts), scores, "spearman")
    people = "PT16 tune without case and punctuation"
    yield _correlate("formality", people, formality(bare), scores, "spearman")


def squinky(judge: Judge, folder: Path) -> Iterator[Agreement]:
    """Compare with people's formality of sentences from blogs, news and forums."""
    formality = _require_formality(judge)
    result = judged.squinky(folder)
    values = formality([sentence.text for sentence in result])
    scores = [sentence.score for sentence in result]
    yield _correlate("formality", "SQUINKY", values, scores, "spearman")


def everyday(judge: Judge, folder: Path) -> Iterator[Agreement]:
    """Compare with the intended properties of everyday's texts, on its part `dev`.

    Formal versions must score above plain and plain above informal ones; a version with
    one error must be less similar to the plain text than the correct one in its style;
    each version must be assigned to its own style among those known.
    """
    texts = [t for t in everyday_texts.read_texts(folder) if t.split == "dev"]
    formality = formality_of(judge)
    if formality is not None:
        formal, plain, informal = (
            formality([text.versions[style] for text in texts])
            for style in ("formal", "plain", "informal")
        )
        right = np.concatenate([formal > plain, plain > informal])
        people = "everyday dev, formal over plain over informal"
        yield _share("formality", people, right, "order right")
    yield from _everyday_contrast(judge, folder)
    judged_as = {"plain": MODERN} | {style: style for style in judge.styles}
    rows = [
        (judged_as[style], text)
        for own in texts
        for style, text in own.versions.items()
        if judged_as.get(style) in judge.styles
    ]
    count = len({style for style, _ in rows})
    if count > 1:
        chosen = judge.accuracy.probabilities([text for _, text in rows]).argmax(1)
        wanted = [judge.styles.index(style) for style, _ in rows]
        people = f"everyday dev, {count} styles"
        yield _share("accuracy", people, chosen == np.array(wanted), "accuracy")


def _everyday_contrast(judge: Judge, folder: Path) -> Iterator[Agreement]:
    versions = {text.id: text.versions for text in everyday_texts.read_texts(folder)}
    lines = [
        line
        for line in everyday_texts.read_contrast(folder)
        if line.half == "guards" and line.kind != "same" and line.style != "plain"
    ]
    plain = [versions[line.id]["plain"] for line in lines]
    right = [versions[line.id][line.style] for line in lines]
    if lines:
        similar = judge.similarity(plain, right)
        less = judge.similarity(plain, [line.text for line in lines]) < similar
        people = "everyday, wrong versions below right ones"
        yield _share("similarity", people, less, "order right")


def strap_labels(judge: Judge, folder: Path) -> Iterator[Agreement]:
    """Compare with the labels of the STRAP authors' models for each sentence."""
    rows = [
        row for system in strap.LABELLED for row in strap.read_judged(folder, system)
    ]
    outputs = [row.sentence.output for row in rows]
    wanted = [STRAP_STYLES[row.sentence.target_style] for row in rows]
    style = np.where(shakespeare(judge, outputs) >= 0.5, SHAKESPEARE, MODERN)
    reached = np.array(style == wanted)
    same = reached == [row.accurate for row in rows]
    yield _share("accuracy", "STRAP's model of accuracy", same)
    fluent = judge.fluency.probabilities(outputs) >= 0.5
    same = fluent == [row.fluent for row in rows]
    yield _share("fluency", "STRAP's model of fluency", same)
    similar = judge.similarity(outputs, [row.sentence.gold for row in rows])
    theirs = [row.similarity for row in rows]
    people = "STRAP's model of similarity"
    yield _correlate("similarity", people, similar, theirs, "pearson")


def jhamtani17(judge: Judge, folder: Path) -> Iterator[Agreement]:
    """Return the share of lines of Romeo and Juliet assigned to their own style."""
    pairs = list(plays.pairs_of(folder, "jhamtani17", "test"))
    old = shakespeare(judge, [pair.target for pair in pairs]) >= 0.5
    new = shakespeare(judge, [pair.source for pair in pairs]) < 0.5
    right = np.concatenate([old, new])
    value = float(right.mean())
    people = "Romeo and Juliet, both sides"
    yield Agreement("accuracy", people, "accuracy", value, None, None, len(right))


def _require_formality(judge: Judge) -> Callable[[Sequence[str]], Matrix]:
    formality = formality_of(judge)
    if formality is None:
        raise ParaphrastError("the judge has no formality model.")
    return formality


def formality_of(judge: Judge) -> Callable[[Sequence[str]], Matrix] | None:
    """Return the judge's formality of texts, if it has a model of it.

    A text that the model cannot read counts as neither formal nor informal.
    """
    model = getattr(judge, "formality", None)
    if model is None:
        return None
    return lambda texts: np.nan_to_num(np.asarray(model.values(texts)), nan=0.0)


COMPARISONS: Mapping[str, Callable[[Judge, Path], Iterator[Agreement]]] = {
    "jhamtani17": jhamtani17,
    "xu12": xu12,
    "stsb": stsb,
    "cola": cola,
    "gug": gug,
    "pt16": pt16,
    "squinky": squinky,
    "everyday": everyday,
    "strap": strap_labels,
}


def _add_checks(judge: Judge) -> CheckedSimilarity:
    return CheckedSimilarity(judge.similarity)


def _plain_metrics(segments: Sequence[Segment]) -> dict[tuple[str, str], Matrix]:
    """Return metrics without a model, for comparison, with TERp negated."""
    bleu, terp = SentenceBleu(tokenize="none"), Terp()
    pinc = Pinc(convention="xu12", tokenize="none")
    each = {
        "BLEU": bleu.each(bleu.statistics(segments)),
        "TERp, negated": -terp.each(terp.statistics(segments)),
        "PINC": pinc.each(pinc.statistics(segments)),
    }
    return {
        (name, criterion): values
        for name, values in each.items()
        for criterion in ("semantic", "style", "overall")
    }


def _correlate(
    evaluator: str,
    people: str,
    values: Matrix,
    given: Sequence[float],
    kind: Kind,
) -> Agreement:
    names = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall"}
    if len(set(values.tolist())) < 2:
        return Agreement(evaluator, people, names[kind], 0.0, None, None, len(given))
    result = correlate(values, list(given), kind=kind, resamples=0)
    return Agreement(
        evaluator,
        people,
        names[kind],
        result.value,
        result.low,
        result.high,
        result.pairs,
    )


def _share(
    evaluator: str, people: str, same: Any, measure: str = "same answer"
) -> Agreement:
    value, items = float(np.mean(same)), len(same)
    half = 1.96 * float(np.sqrt(value * (1 - value) / items))
    return Agreement(
        evaluator, people, measure, value, value - half, value + half, items
    )
