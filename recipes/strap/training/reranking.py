"""Which of many samples is the rewrite: weighed on Twelfth Night, never on the test.

`rate` notes what is known of every sample: style by the guide and by the rater, fluency
by both, nearness to the source, nearness to the other samples (minimum Bayes risk), how
probable the teacher held it, and how likely it is as plain language. `utility` weighs
all that. The weights are those under which Twelfth Night's rewrites are best by a
stand-in of the judge: a linear classifier of the plays' training lines, MiniLM's
nearness to the reference, and fluency by that of guide and rater which did not choose.

Run    python reranking.py inputs --mirror FOLDER -o twelfth.tsv
       python reranking.py earlier --chosen chosen/*.tsv --plays styles/plays
              --minilm MODEL -o earlier.tsv      (of another run: what is still good)
       python reranking.py weigh --rated rated/twelfth.tsv --mirror FOLDER
              --plays styles/plays --minilm MODEL -o weights.json
       python reranking.py write --rated rated/strap.tsv --tests additions/strap.tsv
              --weights weights.json --evaluator SIGNATURE... -o outputs
Needs  scikit-learn, torch and transformers for `earlier` and `weigh`
"""

# ruff: noqa: T201
import argparse
import hashlib
import json
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import choosing
import numpy as np
from choosing import Task
from work import PLAYS, lines, write

from paraphrast.corpora import read_texts
from paraphrast.packs import sha256
from paraphrast.text.overlap import words

if TYPE_CHECKING:
    import rating
    import teacher

FEW = 24  # samples of a text that the larger models rate
CHUNK = 400  # texts whose samples are read together
NAME, MADE = "teacher-reranked", "the large teacher's best of 64 samples, see weights"
SEED = 1
NEAR, STYLED = 0.5, 0.5  # what an earlier rewrite must reach
STEP = 5e-4  # by which the stand-in's J must grow
Found = dict[tuple[str, str], dict[str, float]]


@dataclass(frozen=True)
class Rated:
    """A sample, and what is known of it."""

    style: str
    source: str
    text: str
    guide: float  # of the style
    rater: float
    fluent: float  # by the guide
    natural: float  # by the rater
    near: float  # to the source
    agreed: float  # with other samples
    own: float  # mean logarithms: of the teacher's probability
    likely: float  # and of that as plain language


@dataclass(frozen=True)
class Weights:
    """How much each counts; ``steep``: how sharp the step at one half is."""

    style: float = 1.0
    fluency: float = 1.0
    meaning: float = 2.0
    mix: float = 0.3  # of the agreement in the meaning
    steep: float = 1.0
    own: float = 0.1
    likely: float = 0.2
    guide: float = 0.5  # of the guide in the fluency, else the rater


def utility(one: Rated, how: Weights) -> float:
    """Return the weighed logarithm of style, fluency and meaning."""
    fluency = how.guide * one.fluent + (1 - how.guide) * one.natural
    meaning = (1 - how.mix) * one.near + how.mix * one.agreed
    return (
        how.style * _log_step((one.guide + one.rater) / 2, how.steep)
        + how.fluency * _log_step(fluency, how.steep)
        + how.meaning * math.log(max(0.01, meaning))
        + how.own * one.own
        + how.likely * one.likely
    )


def _log_step(chance: float, steep: float) -> float:
    """Return the logarithm of a chance whose odds were raised to a power."""
    odds = max(1e-4, chance) / max(1e-4, 1 - chance)
    return -math.log1p(odds**-steep)


def gathered(path: Path) -> Found:
    """Return the samples of each text and style, with their mean logarithm."""
    found: Found = {}
    for row in lines(path):
        _, style, _, source, text, total, pieces = row.split("\t")
        own = found.setdefault((source, style), {})
        if text:
            own[text] = max(own.get(text, -99.0), float(total) / int(pieces))
    return found


def kept(found: Found, pool: Any, *, everything: bool) -> list[Task]:
    """Return the samples that keep names and numbers; all of a text that has none."""
    tasks = [Task(source, style, list(own)) for (source, style), own in found.items()]
    passed = choosing.all_accepted(tasks, pool, everything=everything)
    return [p if p.texts else t for p, t in zip(passed, tasks, strict=True) if t.texts]


def rate(
    tasks: Sequence[Task], found: Found, panel: "rating.Panel", base: "teacher.Teacher"
) -> list[Rated]:
    """Return the best samples of each task by guide and nearness, fully rated."""
    import rating

    rows = []
    for start in range(0, len(tasks), CHUNK):
        part = tasks[start : start + CHUNK]
        panel.near.vectors([text for task in part for text in task.texts])
        agreed = [agreement(panel.near.vectors(task.texts)) for task in part]
        for place, own in enumerate(choosing.rate(part, panel.first)):
            rows += _rated(part[place], own, agreed[place], found)
    rows = best(rows, FEW)
    texts = [one.text for one in rows]
    old = panel.rater.style(texts, "shakespeare")
    natural, likely = panel.rater.natural(texts), rating.likelihoods(base, texts)
    return [
        replace(
            one,
            rater=old[at] if one.style == "shakespeare" else 1 - old[at],
            natural=natural[at],
            likely=likely[at],
        )
        for at, one in enumerate(rows)
    ]


def _rated(
    task: Task,
    own: Sequence[tuple[str, float, float, float]],
    agreed: Sequence[float],
    found: Found,
) -> Iterator[Rated]:
    for (text, style, near, fluent), shared in zip(own, agreed, strict=True):
        mean = found[task.source, task.style][text]
        figures = style, 0.0, fluent, 0.0, near, float(shared), mean, 0.0
        yield Rated(task.style, task.source, text, *figures)


def agreement(vectors: Any) -> Any:
    """Return the mean cosine of each with all others; 1 for one alone."""
    if len(vectors) == 1:
        return np.ones(1)
    return ((vectors @ vectors.T).sum(1) - 1) / (len(vectors) - 1)


def best(rows: Iterable[Rated], number: int) -> list[Rated]:
    """Return so many of each text by what guide and nearness say."""
    how = Weights(likely=0, guide=1.0)
    found = []
    for own in by_text(rows).values():
        known = [replace(one, rater=one.guide) for one in own]
        order = sorted(range(len(own)), key=lambda at: -utility(known[at], how))
        found += [own[at] for at in order[:number]]
    return found


def by_text(rows: Iterable[Rated]) -> dict[tuple[str, str], list[Rated]]:
    """Return the samples of each source and style."""
    found: dict[tuple[str, str], list[Rated]] = {}
    for one in rows:
        found.setdefault((one.source, one.style), []).append(one)
    return found


def save(path: Path, rows: Iterable[Rated]) -> None:
    """Write samples with their ratings."""
    write(
        path,
        (
            "\t".join(v if isinstance(v, str) else f"{v:.4f}" for v in astuple(one))
            for one in rows
        ),
    )


def load(path: Path) -> list[Rated]:
    """Read what `save` wrote."""
    split = (row.split("\t") for row in lines(path))
    return [Rated(*row[:3], *map(float, row[3:])) for row in split]


def record(
    folder: Path,
    tests: Sequence[tuple[str, str]],
    rated: Path,
    how: Mapping[str, Weights],
    evaluators: Sequence[str],
) -> None:
    """Write rows style, input, output, and what made and chose them, by style."""
    chosen = {
        key: max(own, key=lambda one: utility(one, how[one.style])).text
        for key, own in by_text(load(rated)).items()
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
    write(folder / f"{NAME}.tsv", rows)
    print(f"{NAME}: {len(rows)} outputs, {len(chosen)} texts had samples", flush=True)


def twelfth_night(mirror: Path) -> list[tuple[str, str, str]]:
    """Return style, input and reference of lines of fair length, in random order."""
    from styles import spaced  # needs more than a GPU's machine has

    sides = {
        style: [
            spaced(t) for t in read_texts(mirror / f"jhamtani17/valid.{name}.nltktok")
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
    """What stands for the judge on Twelfth Night."""

    def __init__(self, rows: Sequence[Rated], options: argparse.Namespace) -> None:
        """Say of every sample whether it is in style, and how near its reference."""
        from nearness import Nearness
        from strength import classifier

        references = {(r[1], r[0]): r[2] for r in twelfth_night(options.mirror)}
        near = Nearness(options.minilm, device="cpu")
        tell = classifier(options.plays)
        learnt = [
            (options.plays / f"{name}.txt").read_bytes() for name in PLAYS.values()
        ]
        digest = hashlib.sha256(b"".join(learnt)).hexdigest()
        self.evaluators = [near.signature, f"linear-{digest}"]
        right = tell.predict([one.text for one in rows])
        wanted = [references[one.source, one.style] for one in rows]
        nearness = near.similarity(wanted, [one.text for one in rows])
        self.said: Mapping[Rated, tuple[float, float]] = {
            one: (float(right[at] == one.style), nearness[at])
            for at, one in enumerate(rows)
        }

    def joint(self, chosen: Sequence[Rated], how: Weights) -> Any:
        """Return style, nearness, fluency and their product, for each choice."""
        found = []
        for one in chosen:
            style, near = self.said[one]
            other = one.natural if how.guide > 0.5 else one.fluent
            fluent = float(other > 0.5)
            found.append((style, near, fluent, style * near * fluent))
        return np.array(found)


GRID: dict[str, tuple[float, ...]] = {
    "meaning": (0.5, 1, 1.5, 2, 3, 4, 6),
    "mix": (0, 0.2, 0.4, 0.6, 0.8),
    "steep": (0.5, 1, 2, 4),
    "style": (0.5, 1, 2, 3),
    "fluency": (0.25, 0.5, 1, 2, 3),
    "own": (0, 0.1, 0.25, 0.5, 1),
    "likely": (0, 0.1, 0.25, 0.5, 1),
}


def weigh(rows: Sequence[Rated], stand_in: StandIn, guide: float) -> Weights:
    """Climb: change one weight at a time as long as the stand-in's J grows."""
    groups = list(by_text(rows).values())

    def value(how: Weights) -> float:
        chosen = [max(own, key=lambda one: utility(one, how)) for own in groups]
        return float(stand_in.joint(chosen, how)[:, 3].mean())

    how = Weights(guide=guide)
    reached = value(how)
    grown = True
    while grown:
        grown = False
        for name, values in GRID.items():
            for given in values:
                other = replace(how, **{name: given})
                if (found := value(other)) > reached + STEP:
                    how, reached, grown = other, found, True
    print(f"{reached:.4f} {how}", flush=True)
    return how


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
        write(options.output, [f"{style}\t{text}" for style, text, _ in rows])
    elif options.verb == "earlier":
        write(options.output, earlier(options))
    elif options.verb == "weigh":
        learn(options)
    else:
        table = json.loads(options.weights.read_text("utf-8"))
        rows = [tuple(row.split("\t")) for row in lines(options.tests)]
        evaluators = [*options.evaluator, *table.pop("evaluators")]
        how = {style: Weights(**own) for style, own in table.items()}
        record(options.output, rows, options.rated, how, evaluators)


def earlier(options: argparse.Namespace) -> list[str]:
    """Return rows source, text, style that are near and in style, and no copies."""
    from nearness import Nearness
    from strength import classifier

    rows = [row.split("\t") for path in options.chosen for row in lines(path)]
    rows = [row for row in rows if row[2] in PLAYS and words(row[0]) != words(row[1])]
    tell, texts = classifier(options.plays), [row[1] for row in rows]
    chances = tell.predict_proba(texts)
    near = Nearness(options.minilm, device="cpu").similarity(
        [row[0] for row in rows], texts
    )
    place = {style: at for at, style in enumerate(tell.classes_)}
    return [
        "\t".join(row)
        for row, chance, own in zip(rows, chances, near, strict=True)
        if own >= NEAR and chance[place[row[2]]] >= STYLED
    ]


def learn(options: argparse.Namespace) -> None:
    """Weigh with the rater's fluency by the guide's, and turned round: the mean."""
    rows = load(options.rated)
    stand_in = StandIn(rows, options)
    table: dict[str, Any] = {"evaluators": stand_in.evaluators}
    for style in PLAYS:
        own = [one for one in rows if one.style == style]
        both = [asdict(weigh(own, stand_in, guide)) for guide in (0.0, 1.0)]
        table[style] = {name: (both[0][name] + both[1][name]) / 2 for name in both[0]}
    options.output.write_text(json.dumps(table, indent=1), "utf-8")
    print(json.dumps(table))


if __name__ == "__main__":
    main()
