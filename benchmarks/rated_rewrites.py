"""Which automatic figures foretell readers' marks of rewrites, and which filters would?

Run    nice python -m benchmarks.rated_rewrites > benchmarks/results/rated_rewrites.json
       (three minutes on one core)
Backs  docs/metrics.md.

The rewrites are those of `corpora/everyday/rewrites.jsonl`, which readers marked for
meaning, style and fluency; corrections and copies are left out.

*Metrics*: of texts of the corpus, whose fourteen versions are known. Spearman's
correlation of each metric of the package with the number of marks that are 2
(``all``) and with each mark. BLEU and chrF++ have the version in the wanted style as
their reference.

*Filters*: of sources that are held out from all training, so the checker of the pack
has seen none. The area under the curve of each signal: does it tell apart what a
reader gives a 2 for meaning, or for fluency, and what is not 0 for meaning? *Word
coverage* is the smaller share, of both texts, of content words with a sure link;
*round trip* is the chrF++ between the source and what the default pack writes, without
guards, when it turns the rewrite into plain English; *language model* is the
probability per word by a model of order 3 of the style's versions in the training part;
*together* is a logistic regression on all of them with shared words, ten-fold by
source, beside one on the checker and shared words alone.
"""

import random
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import report
from paraphrast.align import choosing
from paraphrast.corpora.loaders import everyday
from paraphrast.estimators import language_model
from paraphrast.estimators.logistic_regression import fit_with_constant
from paraphrast.judges import judge as judges
from paraphrast.judges.rows import Counts, judge_rows
from paraphrast.judges.rows import Row as Judged
from paraphrast.language.words import SMALL_WORDS, find_words
from paraphrast.metrics import correlation
from paraphrast.metrics.base import Segment
from paraphrast.metrics.bleu import Bleu
from paraphrast.metrics.chrf import Chrf
from paraphrast.metrics.nearest_style import LEAST_WORDS, Content, NearestStyle
from paraphrast.neural.candidates.checker import FOLDER as CHECKER
from paraphrast.neural.candidates.checker import MeaningChecker
from paraphrast.neural.models.generation import Decoding, Request
from paraphrast.neural.models.pack import load_pack
from paraphrast.storage import packs
from paraphrast.text.overlap import unigram_overlap, words
from training.everyday.ratings import CORRECTED, is_held_out, read_ratings

EVERYDAY = Path(__file__).parents[1] / "corpora/everyday"
MARKS = ("meaning", "manner", "fluency")
SMALL = packs.BUNDLED / "small"
PLAIN = "plain"
MOST = 1500  # rewrites by which filters are compared
FOLDS, PENALTY = 10, 1.0
SEED = 1
Row = dict[str, Any]
Values = NDArray[np.float64]


def main() -> None:
    texts = everyday.read_texts(EVERYDAY)
    rows = [
        row
        for row in read_ratings(EVERYDAY / "rewrites.jsonl")
        if row["kind"] != CORRECTED and words(row["output"]) != words(row["source"])
    ]
    by_plain = {text.versions[PLAIN]: text for text in texts}
    of_corpus = [
        row
        for row in rows
        if row["source"] in by_plain and len(row["source"].split()) >= LEAST_WORDS
    ]
    held = [row for row in rows if is_held_out(row["source"])]
    random.Random(SEED).shuffle(held)
    held = held[:MOST]
    report(
        claim="correlation of metrics with readers' marks, and what filters tell apart",
        metrics=correlate_metrics(of_corpus, by_plain),
        filters=compare_filters(held, [t for t in texts if t.split == "train"]),
        setting={
            "metrics: rewrites": len(of_corpus),
            "metrics: texts": len({row["source"] for row in of_corpus}),
            "filters: rewrites": len(held),
            "filters: meaning 0, 1, 2": count_marks(held, "meaning"),
            "filters: fluency 0, 1, 2": count_marks(held, "fluency"),
        },
        versions=("ctranslate2", "numpy"),
    )


def count_marks(rows: Sequence[Row], mark: str) -> list[int]:
    return [sum(row[mark] == value for row in rows) for value in (0, 1, 2)]


def correlate_metrics(
    rows: Sequence[Row], by_plain: dict[str, everyday.Text]
) -> dict[str, dict[str, list[float]]]:
    """Return each metric's correlation with the marks: value, low, high."""
    marks = {mark: [float(row[mark]) for row in rows] for mark in MARKS}
    marks["all"] = [float(sum(row[mark] == 2 for mark in MARKS)) for row in rows]
    result: dict[str, dict[str, list[float]]] = {}
    for name, scores in score_metrics(rows, by_plain).items():
        told = ~np.isnan(scores)
        result[name] = {}
        for mark, values in marks.items():
            own = correlation.correlate(
                scores[told], np.array(values)[told], kind="spearman"
            )
            result[name][mark] = [round(v, 3) for v in (own.value, own.low, own.high)]
    return result


def score_metrics(
    rows: Sequence[Row], by_plain: dict[str, everyday.Text]
) -> dict[str, Values]:
    """Return the figures of every rewrite; NaN where the judge has none."""
    versions = [by_plain[row["source"]].versions for row in rows]
    outputs = [row["output"].replace("\n", " / ") for row in rows]
    fourteen = [
        Segment(
            output,
            references=tuple(own[style] for style in everyday.STYLES),
            target=row["style"],
        )
        for row, output, own in zip(rows, outputs, versions, strict=True)
    ]
    one = [
        Segment(output, references=(own[row["style"]],))
        for row, output, own in zip(rows, outputs, versions, strict=True)
    ]
    source = [
        Segment(output, references=(row["source"],))
        for row, output in zip(rows, outputs, strict=True)
    ]
    bleu, chrf = Bleu(), Chrf(word_order=2)
    nearest = NearestStyle(everyday.STYLES).values(fourteen)
    content = Content().values(fourteen)
    return {
        "nearest of fourteen": np.asarray(nearest, float),
        "content": np.asarray(content, float),
        "nearest, where content is 65 or more": np.where(
            content >= 65, nearest, 0.0
        ).astype(float),
        "BLEU": np.asarray(bleu.each(bleu.statistics(one)), float),
        "chrF++": np.asarray(chrf.each(chrf.statistics(one)), float),
        "chrF++ to the source": np.asarray(chrf.each(chrf.statistics(source)), float),
        **score_by_judge(rows, outputs),
    }


def score_by_judge(rows: Sequence[Row], outputs: Sequence[str]) -> dict[str, Values]:
    judge = judges.load(Path("small"))
    names = ("style", "sim_source", "fluency")
    result = {name: np.full(len(rows), np.nan) for name in names}
    for style in sorted({row["style"] for row in rows}):
        own = [at for at, row in enumerate(rows) if row["style"] == style]
        to = style if style in judge.styles else ""
        asked = [Judged(outputs[at], rows[at]["source"]) for at in own]
        records = judge_rows(judge, asked, Counts(), to=to)
        for at, record in zip(own, records, strict=True):
            for name in names:
                if record[name] is not None:
                    result[name][at] = record[name]
    result["J"] = np.prod([result[name] for name in names], axis=0)
    return result


def compare_filters(
    rows: Sequence[Row], texts: Sequence[everyday.Text]
) -> dict[str, dict[str, float]]:
    """Return the areas under the curve of each signal, and of all together."""
    sources = [row["source"] for row in rows]
    outputs = [row["output"] for row in rows]
    checker = MeaningChecker(SMALL / CHECKER)
    signals: dict[str, Values] = {
        "checker": np.array(checker.compute_logits(sources, outputs)),
        "shared words": np.array(
            [
                unigram_overlap(words(a), words(b)).f1
                for a, b in zip(sources, outputs, strict=True)
            ]
        ),
        "word coverage": cover_words(sources, outputs),
        "round trip": go_back(sources, outputs),
        "language model": score_fluency(rows, texts),
    }
    signals["checker and shared words"] = predict(
        [signals["checker"], signals["shared words"]], rows
    )
    signals["together"] = predict(
        [own for name, own in signals.items() if name != "checker and shared words"],
        rows,
    )
    labels = {
        "meaning 2": [row["meaning"] == 2 for row in rows],
        "meaning not 0": [row["meaning"] > 0 for row in rows],
        "fluency 2": [row["fluency"] == 2 for row in rows],
    }
    return {
        name: {
            label: round(compute_area(own, right), 3) for label, right in labels.items()
        }
        for name, own in signals.items()
    }


def cover_words(sources: Sequence[str], outputs: Sequence[str]) -> Values:
    """Return the smaller share of content words with a sure link, of both texts."""
    pairs = [
        (tuple(find_words(source)), tuple(find_words(output)))
        for source, output in zip(sources, outputs, strict=True)
    ]
    links = choosing.load()(pairs)
    return np.array(
        [
            min(
                _share(source, {link.source for link in own if link.sure}),
                _share(output, {link.target for link in own if link.sure}),
            )
            for (source, output), own in zip(pairs, links, strict=True)
        ]
    )


def _share(text: Sequence[str], linked: set[int]) -> float:
    content = [at for at, word in enumerate(text) if word.lower() not in SMALL_WORDS]
    return sum(at in linked for at in content) / len(content) if content else 1.0


def go_back(sources: Sequence[str], outputs: Sequence[str]) -> Values:
    """Return the chrF++ of each source and its rewrite turned into plain English."""
    model = load_pack(SMALL, PLAIN)
    asked = [Request(" ".join(output.split()), PLAIN) for output in outputs]
    back = [own[0].text for own in model.steps[-1].engine.candidates(asked, Decoding())]
    chrf = Chrf(word_order=2)
    segments = [
        Segment(text, references=(source,))
        for text, source in zip(back, sources, strict=True)
    ]
    return np.asarray(chrf.each(chrf.statistics(segments)), float)


def score_fluency(rows: Sequence[Row], texts: Sequence[everyday.Text]) -> Values:
    """Return each rewrite's log-probability per word, by a model of its style."""
    result = np.zeros(len(rows))
    for style in sorted({row["style"] for row in rows}):
        model = language_model.train(
            [" ".join(words(text.versions[style])) for text in texts],
            language_model.Settings(order=3),
        )
        own = [at for at, row in enumerate(rows) if row["style"] == style]
        scores = model.score_lines(" ".join(words(rows[at]["output"])) for at in own)
        result[own] = scores[:, 0] / scores[:, 2]
    return result


def predict(columns: Sequence[Values], rows: Sequence[Row]) -> Values:
    """Return the ten-fold log-odds of a 2 for meaning; a source lies in one fold."""
    raw = np.column_stack(columns)
    design = (raw - raw.mean(0)) / raw.std(0)
    labels = np.array([float(row["meaning"] == 2) for row in rows])
    folds = np.array([zlib.crc32(row["source"].encode()) % FOLDS for row in rows])
    result = np.zeros(len(rows))
    for fold in range(FOLDS):
        held = folds == fold
        weights = fit_with_constant(design[~held], labels[~held], PENALTY)
        result[held] = design[held] @ weights[:-1] + weights[-1]
    return result


def compute_area(scores: Values, right: Sequence[bool]) -> float:
    """Return the probability that a right one scores above a wrong one."""
    chosen = np.array(right)
    good, bad = scores[chosen], scores[~chosen]
    above = (good[:, None] > bad).mean() + (good[:, None] == bad).mean() / 2
    return float(above)


if __name__ == "__main__":
    main()
