"""Which of many samples is the rewrite: weighed on Twelfth Night, never on the test.

`rate` records the signals of every sample: style by the guide and by the rater, fluency
by both, nearness to the source, nearness to the other samples (minimum Bayes risk), how
probable it is under the teacher, and how likely it is as plain language. `Weights`
predict a judge's scores from these, and the sample with the best product is taken.

They are fitted to a stand-in for the judge on Twelfth Night: a linear classifier of the
plays' training lines for style, MiniLM's nearness to the reference for meaning. For
fluency no independent model is available; so each of guide, rater and likelihood is
predicted from the other two, a pass being membership of the better three fifths, and
the mean of the three is used. The weight of each factor is chosen on held-out lines;
among equally good weights, those that stay nearest to the source are taken.

Run    python -m training.teacher.reranking VERB, where VERB is
       inputs --mirror FOLDER -o twelfth.tsv
       earlier --chosen chosen/*.tsv --plays styles/plays --minilm MODEL
              -o earlier.tsv                     (of another run: what is still good)
       weigh --rated rated/twelfth.tsv --mirror FOLDER --plays styles/plays
              --minilm MODEL -o weights.json
       write --rated rated/strap.tsv --tests additions/strap.tsv
              --weights weights.json --evaluator SIGNATURE... -o outputs
Needs  scikit-learn, torch and transformers for `earlier` and `weigh`
"""

import argparse
import hashlib
import json
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paraphrast.corpora import read_texts
from paraphrast.estimators.logistic_regression import fit_with_constant
from paraphrast.storage.sealed_folder import sha256
from paraphrast.text.overlap import words
from training.rewriter import rejection_sampling
from training.rewriter.rejection_sampling import Rated as GuideRated
from training.rewriter.rejection_sampling import Task
from training.rewriter.workspace import read_rows, write_rows
from training.styles import PLAYS

if TYPE_CHECKING:
    from training.sampler import Sampler
    from training.teacher.rater import Panel

FEW = 24  # samples per text that the larger models rate
CHUNK = 400  # texts whose samples are read together
NAME, MADE = "teacher-reranked", "the large teacher's best of 64 samples, see weights"
SEED = 1
NEAR, STYLED = 0.5, 0.5  # minimum scores of an earlier rewrite
NOISE = 0.01  # by which powers may be worse than the best
FAILING, FOLDS = 0.4, 5  # share of samples that do not pass as fluent
POWERS = tuple(
    (meaning, style, 1.0)
    for meaning in (1.0, 1.5, 2.0, 3.0)
    for style in (1.0, 1.5, 2.0)
)


@dataclass(frozen=True)
class Rated:
    """A sample and its signals."""

    style: str
    source: str
    text: str
    guide: float  # of the style
    rater: float
    fluent: float  # by the guide
    natural: float  # by the rater
    near: float  # to the source
    agreed: float  # with other samples
    likely: float  # mean log-probability under the base model


@dataclass(frozen=True)
class Weights:
    """Weights to predict nearness to a reference, style and fluency, and combine them.

    Signals of style and fluency are logits; ``likely``, ``near`` and ``agreed`` count
    by how far they are from the mean of a text's samples.
    """

    level: float = 0.57
    meaning: tuple[float, ...] = (0.25, 0.27)  # near, agreed
    style: tuple[float, ...] = (0.25, 0.35, 0.5)  # guide, rater, 1
    fluency: tuple[tuple[float, ...], ...] = ((0.5, 0.5, 1.0, -1.0),)  # FLUENCY, 1
    powers: tuple[float, ...] = (1.5, 1.5, 1.0)  # of meaning, style and fluency


def utilities(own: Sequence[Rated], how: Weights) -> Any:
    """Return the weighted log of the predictions for each sample of a text."""
    signals = Signals.of(own)
    meaning = np.clip(how.level + signals.meaning @ how.meaning, 0.05, 1)
    style = signals.style @ how.style
    chances = [_chance(signals.fluency @ weights) for weights in how.fluency]
    return (
        how.powers[0] * np.log(meaning)
        + how.powers[1] * np.log(_chance(style))
        + how.powers[2] * np.log(np.mean(chances, 0))
    )


@dataclass(frozen=True)
class Signals:
    """The signals of samples as rows of numbers; the last column of two is always 1."""

    meaning: Any
    style: Any
    fluency: Any

    @classmethod
    def of(cls, own: Sequence[Rated]) -> "Signals":
        """Return the signals of one text's samples."""
        ones = np.ones(len(own))
        columns = np.array([astuple(rated)[3:] for rated in own], float).T
        guide, rater, fluent, natural, near, agreed, likely = columns
        return cls(
            np.array([near - near.mean(), agreed - agreed.mean()]).T,
            np.array([_logit(guide), _logit(rater), ones]).T,
            np.array([_logit(fluent), _logit(natural), likely - likely.mean(), ones]).T,
        )


def _logit(chance: Any) -> Any:
    return np.log(np.maximum(chance, 1e-4) / np.maximum(1 - chance, 1e-4))


def _chance(logit: Any) -> Any:
    return np.maximum(1e-6, 1 / (1 + np.exp(-logit)))


def filter_samples(tasks: Sequence[Task], pool: Any, *, everything: bool) -> list[Task]:
    """Return the samples that keep names and numbers; all of a text that has none."""
    passed = rejection_sampling.filter_tasks(tasks, pool, everything=everything)
    return [p if p.texts else t for p, t in zip(passed, tasks, strict=True) if t.texts]


def rate(tasks: Sequence[Task], panel: "Panel", base: "Sampler") -> list[Rated]:
    """Return the best samples of each task by guide and nearness, fully rated."""
    from training.teacher.rater import log_likelihoods

    rows: list[Rated] = []
    for start in range(0, len(tasks), CHUNK):
        part = tasks[start : start + CHUNK]
        panel.near.vectors([text for task in part for text in task.texts])
        agreed = [agreement(panel.near.vectors(task.texts)) for task in part]
        for index, own in enumerate(rejection_sampling.rate(part, panel.first)):
            rows += _rate_candidates(part[index], own, agreed[index])
    rows = best(rows, FEW)
    texts = [candidate.text for candidate in rows]
    old = panel.rater.style(texts, "shakespeare")
    natural, likely = panel.rater.natural(texts), log_likelihoods(base, texts)
    return [
        replace(
            candidate,
            rater=old[at] if candidate.style == "shakespeare" else 1 - old[at],
            natural=natural[at],
            likely=likely[at],
        )
        for at, candidate in enumerate(rows)
    ]


def _rate_candidates(
    task: Task,
    own: Sequence[GuideRated],
    agreed: Sequence[float],
) -> Iterator[Rated]:
    for (text, style, near, fluent), shared in zip(own, agreed, strict=True):
        figures = style, 0.0, fluent, 0.0, near, float(shared), 0.0
        yield Rated(task.style, task.source, text, *figures)


def agreement(vectors: Any) -> Any:
    """Return the mean cosine of each sample with all others; 1 for a single one."""
    if len(vectors) == 1:
        return np.ones(1)
    return ((vectors @ vectors.T).sum(1) - 1) / (len(vectors) - 1)


def best(rows: Iterable[Rated], number: int) -> list[Rated]:
    """Return a number of samples per text, the best by guide and nearness."""
    how = rejection_sampling.Thresholds()

    def value(candidate: Rated) -> float:
        return rejection_sampling.utility(
            GuideRated(
                candidate.text, candidate.guide, candidate.near, candidate.fluent
            ),
            how,
        )

    result = []
    for own in group_rated(rows).values():
        result += sorted(own, key=value, reverse=True)[:number]
    return result


def group_rated(rows: Iterable[Rated]) -> dict[tuple[str, str], list[Rated]]:
    """Return the samples of each source and style."""
    result: dict[tuple[str, str], list[Rated]] = {}
    for candidate in rows:
        result.setdefault((candidate.source, candidate.style), []).append(candidate)
    return result


def keep_questions(rows: Iterable[Rated]) -> list[Rated]:
    """Return samples that are questions if their source is; all of a text with none."""
    result = []
    for own in group_rated(rows).values():
        same = [
            candidate
            for candidate in own
            if _asks(candidate.source) == _asks(candidate.text)
        ]
        result += same or own
    return result


def _asks(text: str) -> bool:
    return text.rstrip(" \"'").endswith("?")


def save(path: Path, rows: Iterable[Rated]) -> None:
    """Write samples with their ratings."""
    write_rows(
        path,
        (
            "\t".join(
                v if isinstance(v, str) else f"{v:.4f}" for v in astuple(candidate)
            )
            for candidate in rows
        ),
    )


def load(path: Path) -> list[Rated]:
    """Read what `save` wrote."""
    split = (row.split("\t") for row in read_rows(path))
    return [
        Rated(style, source, text, *map(float, values))
        for style, source, text, *values in split
    ]


def record(
    folder: Path,
    tests: Sequence[tuple[str, str]],
    rated: Path,
    how: Mapping[str, Weights],
    evaluators: Sequence[str],
) -> None:
    """Write rows style, input, output, and the models behind them, by style."""
    chosen = {
        (source, style): match_case(own[int(np.argmax(utilities(own, how[style])))])
        for (source, style), own in group_rated(keep_questions(load(rated))).items()
    }
    folder.mkdir(parents=True, exist_ok=True)
    table = {
        "signature": sha256(rated), "made": MADE, "evaluators": list(evaluators),
        "weights": {style: asdict(own) for style, own in how.items()},
    }  # fmt: skip
    (folder / f"{NAME}.json").write_text(json.dumps(table), "utf-8")
    rows = [
        f"{style}\t{text}\t{chosen.get((text, style), text)}" for style, text in tests
    ]
    write_rows(folder / f"{NAME}.tsv", rows)
    print(f"{NAME}: {len(rows)} outputs, {len(chosen)} texts had samples", flush=True)


def match_case(candidate: Rated) -> str:
    """Return a sample that begins with a capital if its source does."""
    return (
        candidate.text[:1].upper() + candidate.text[1:]
        if candidate.source[:1].isupper()
        else candidate.text
    )


def twelfth_night(mirror: Path) -> list[tuple[str, str, str]]:
    """Return style, input and reference of lines of fair length, in random order."""
    from training.rewriter.style_texts import (
        detokenise,  # needs packages that a GPU machine may lack
    )

    sides = {
        style: [
            detokenise(t)
            for t in read_texts(mirror / f"jhamtani17/valid.{name}.nltktok")
        ]
        for style, name in PLAYS.items()
    }
    rows = [
        (style, source, reference)
        for style, other in (("modern", "shakespeare"), ("shakespeare", "modern"))
        for source, reference in zip(sides[other], sides[style], strict=True)
        if 3 <= len(source.split()) <= 30
    ]
    random.Random(SEED).shuffle(rows)
    return list({row[:2]: row for row in rows}.values())


class StandIn:
    """A stand-in for the judge on Twelfth Night."""

    def __init__(self, rows: Sequence[Rated], options: argparse.Namespace) -> None:
        """Compute whether each sample is in style, and how near its reference it is."""
        from training.rewriter.development_scores import classifier
        from training.rewriter.similarity import Similarity

        references = {(r[1], r[0]): r[2] for r in twelfth_night(options.mirror)}
        near = Similarity(options.minilm, device="cpu")
        tell = classifier(options.plays)
        learnt = [
            (options.plays / f"{name}.txt").read_bytes() for name in PLAYS.values()
        ]
        digest = hashlib.sha256(b"".join(learnt)).hexdigest()
        self.evaluators = [near.signature, f"linear-{digest}"]
        right = tell.predict([candidate.text for candidate in rows])
        wanted = [references[candidate.source, candidate.style] for candidate in rows]
        nearness = near.cosines(wanted, [candidate.text for candidate in rows])
        self.said: Mapping[Rated, tuple[float, float]] = {
            candidate: (float(right[index] == candidate.style), nearness[index])
            for index, candidate in enumerate(rows)
        }

    def figures(self, rows: Sequence[Rated]) -> Any:
        """Return whether each sample is in style, and its nearness to the reference."""
        return np.array([self.said[candidate] for candidate in rows])


def fit_weights(rows: Sequence[Rated], said: Any, powers: tuple[float, ...]) -> Weights:
    """Fit all predictions to the stand-in's scores of samples of one style."""
    groups, places = group_by_text(rows)
    near = said[:, 1].copy()
    for own in places:
        near[own] -= near[own].mean()
    signals = [Signals.of(own) for own in groups]
    order = np.concatenate(places)
    meaning = np.concatenate([own.meaning for own in signals])
    style = np.concatenate([own.style for own in signals])
    fluency = np.concatenate([own.fluency for own in signals])
    return Weights(
        level=float(said[:, 1].mean()),
        meaning=_floats(np.linalg.lstsq(meaning, near[order], rcond=None)[0]),
        style=_logistic(style, said[order, 0] > 0.5),
        fluency=tuple(_fluency(fluency, left) for left in range(3)),
        powers=powers,
    )


def _fluency(signals: Any, left: int) -> tuple[float, ...]:
    """Predict whether a text passes by one of three signals, from the other two."""
    passed = signals[:, left] > np.quantile(signals[:, left], FAILING)
    others = signals.copy()
    others[:, left] = 0
    return _logistic(others, passed)


def _logistic(signals: Any, right: Any) -> tuple[float, ...]:
    return _floats(fit_with_constant(signals[:, :-1], right.astype(float), 1.0))


def _floats(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def group_by_text(rows: Sequence[Rated]) -> tuple[list[list[Rated]], list[list[int]]]:
    """Return the samples of each text, and their indices."""
    places: dict[tuple[str, str], list[int]] = {}
    for index, candidate in enumerate(rows):
        places.setdefault((candidate.source, candidate.style), []).append(index)
    return [[rows[index] for index in own] for own in places.values()], list(
        places.values()
    )


def cross_validate(rows: Sequence[Rated], said: Any, powers: tuple[float, ...]) -> Any:
    """Return style, nearness, fluency and product for each line, when it is left out.

    Fluency is told by each of the three signals in turn, which then does not choose.
    """
    _, places = group_by_text(rows)
    folds = np.random.default_rng(SEED).integers(0, FOLDS, len(places))
    signal = np.array(
        [(candidate.fluent, candidate.natural, candidate.likely) for candidate in rows]
    )
    for own in places:
        signal[own, 2] -= signal[own, 2].mean()
    passing = signal > np.quantile(signal, FAILING, axis=0)
    result = np.zeros((len(places), 4))
    for fold in range(FOLDS):
        learnt = [at for own, f in zip(places, folds, strict=True) if f != fold
                  for at in own]  # fmt: skip
        how = fit_weights([rows[at] for at in learnt], said[learnt], powers)
        for line in np.flatnonzero(folds == fold):
            own = places[line]
            for left in range(3):
                alone = replace(how, fluency=how.fluency[left : left + 1])
                chosen = own[int(np.argmax(utilities([rows[at] for at in own], alone)))]
                values = *said[chosen], float(passing[chosen, left])
                result[line] += np.array([*values, math.prod(values)]) / 3
    return result


def weigh(rows: Sequence[Rated], said: Any) -> Weights:
    """Return the weights whose powers choose well on lines left out.

    Of those that are within a hundredth of the best, the one that counts meaning
    most, and then the best, is taken.
    """
    tried = {powers: cross_validate(rows, said, powers) for powers in POWERS}
    for powers, figures in tried.items():
        print(powers, *(f"{100 * v:.1f}" for v in figures.mean(0)), flush=True)
    means = {powers: float(figures[:, 3].mean()) for powers, figures in tried.items()}
    good = [p for p in POWERS if means[p] >= (1 - NOISE) * max(means.values())]
    chosen = max(good, key=lambda powers: (powers[0], means[powers]))
    print("taken:", chosen, flush=True)
    return fit_weights(rows, said, chosen)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=("inputs", "earlier", "weigh", "write"))
    parser.add_argument("--chosen", type=Path, nargs="+", default=[])
    for name in ("--mirror", "--rated", "--plays", "--minilm", "--tests", "--weights"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--evaluator", action="append", default=[])
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    if options.verb == "inputs":
        rows = twelfth_night(options.mirror)
        write_rows(options.output, [f"{style}\t{text}" for style, text, _ in rows])
    elif options.verb == "earlier":
        write_rows(options.output, earlier(options))
    elif options.verb == "weigh":
        learn(options)
    else:
        table = json.loads(options.weights.read_text("utf-8"))
        tests = [row.split("\t") for row in read_rows(options.tests)]
        evaluators = [*options.evaluator, *table.pop("evaluators")]
        how = {style: Weights(**own) for style, own in table.items()}
        record(
            options.output,
            [(style, text) for style, text in tests],
            options.rated,
            how,
            evaluators,
        )


def earlier(options: argparse.Namespace) -> list[str]:
    """Return rows source, text, style that are near and in style, and no copies."""
    from training.rewriter.development_scores import classifier
    from training.rewriter.similarity import Similarity

    rows = [row.split("\t") for path in options.chosen for row in read_rows(path)]
    rows = [row for row in rows if row[2] in PLAYS and words(row[0]) != words(row[1])]
    tell, texts = classifier(options.plays), [row[1] for row in rows]
    chances = tell.predict_proba(texts)
    near = Similarity(options.minilm, device="cpu").cosines(
        [row[0] for row in rows], texts
    )
    index = {style: at for at, style in enumerate(tell.classes_)}
    return [
        "\t".join(row)
        for row, chance, own in zip(rows, chances, near, strict=True)
        if own >= NEAR and chance[index[row[2]]] >= STYLED
    ]


def learn(options: argparse.Namespace) -> None:
    """Write the weights of each style."""
    rows = keep_questions(load(options.rated))
    stand_in = StandIn(rows, options)
    table: dict[str, Any] = {"evaluators": stand_in.evaluators}
    for style in PLAYS:
        own = [candidate for candidate in rows if candidate.style == style]
        print(f"{style}: powers of meaning, style, fluency; style, meaning, fluency, J")
        table[style] = asdict(weigh(own, stand_in.figures(own)))
    options.output.write_text(json.dumps(table, indent=1), "utf-8")
    print(json.dumps(table))


if __name__ == "__main__":
    main()
