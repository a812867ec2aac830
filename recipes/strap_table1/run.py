"""STRAP's Table 1 (Shakespeare) from the authors' per-sentence labels.

NAIVE copies its input with probability one half, as the paper tuned it, and otherwise
returns a random gold line of the target style. Its ACC and FL are the authors'
labels of the lines it returns; its SIM is theirs for a copy, and our lexical similarity
for a retrieved line, for which none was published.
"""

from collections.abc import Sequence

from paraphrast.comparison.baselines import make_naive_outputs
from paraphrast.corpora.loaders import strap
from paraphrast.judges.evaluator import GeometricMean, Given, Joint
from paraphrast.metrics import Segment, score
from paraphrast.reproduce import Value, Workspace
from paraphrast.text.similarity import HashedSimilarity

COPIES, SEED = 0.5, 1


def score_published(workspace: Workspace) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for system in strap.LABELLED:
        values |= figures(system, strap.read_judged(workspace.corpus("strap"), system))
    return values


def baseline(workspace: Workspace) -> dict[str, Value]:
    folder = workspace.corpus("strap")
    copied = strap.read_judged(folder, "COPY")
    gold = strap.read_judged(folder, "REFERENCE")
    corpus: dict[str, list[str]] = {}
    labels = {}
    for line in gold:
        corpus.setdefault(line.sentence.target_style, []).append(line.sentence.gold)
        labels[line.sentence.target_style, line.sentence.gold] = line
    segments = [
        Segment("", c.sentence.source, (c.sentence.gold,), c.sentence.target_style)
        for c in copied
    ]
    similar = HashedSimilarity.fit(line.sentence.gold for line in gold)
    rows = []
    outputs = make_naive_outputs(segments, corpus, copies=COPIES, seed=SEED)
    for copy, output in zip(copied, outputs, strict=True):
        if output == copy.sentence.source:
            rows.append(copy)
            continue
        result = labels[copy.sentence.target_style, output]
        meaning = float(similar([output], [copy.sentence.gold])[0])
        rows.append(
            strap.Judged(copy.sentence, result.accurate, meaning, result.fluent)
        )
    values = figures("NAIVE", rows)
    unmt = figures("UNMT", strap.read_judged(folder, "UNMT"))["UNMT GM"]
    gap = values["NAIVE GM"].value - unmt.value
    return values | {"NAIVE GM above UNMT GM by": Value(gap)}


def figures(system: str, lines: Sequence[strap.Judged]) -> dict[str, Value]:
    parts = (
        Given(tuple(float(line.accurate) for line in lines)),
        Given(tuple(line.similarity for line in lines)),
        Given(tuple(float(line.fluent) for line in lines)),
    )
    segments = [Segment(line.sentence.output) for line in lines]
    joint = Joint(*parts)
    rows = joint.statistics(segments)
    values = {
        f"{system} {name}": Value(float(100 * column.mean()))
        for name, column in zip(("ACC", "SIM", "FL"), rows.T, strict=False)
    }
    for name, metric in (("GM", GeometricMean(*parts)), ("J", joint)):
        result = score(metric, segments)
        values[f"{system} {name}"] = Value(
            result.value, result.low, result.high, result.signature
        )
    return values


STEPS = {"published": score_published, "naive": baseline}
