"""PARAMETRIC's Tables 2 and 3 for our methods, and a combination of the four.

Tables are made from the training half of mt-reference and from Edinburgh++'s training
pairs (SMT, co-training, syntax), and from Europarl with French and German (pivot).
Everything is scored on the other half of mt-reference, which nothing is trained or
chosen on. As in §7.1, all sentences of one cluster are paired with each other.

The combination is learnt on the training half in four parts: the tables it learns to
weigh for a part are made without that part.

The steps leave their tables in the output folder, to be queried with `paraphrast
paraphrases of`, with the tables as text and the curves as a plot.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from paraphrast import registry
from paraphrast.align import choosing
from paraphrast.align.base import AlignedPair, Aligner
from paraphrast.align.links import from_gold
from paraphrast.corpora.loaders import paraphrases as bilingual
from paraphrast.corpora.loaders.alignments import edinburgh, mt_reference_half
from paraphrast.estimators.charts import Point
from paraphrast.paraphrases import (
    Table,
    cotraining,
    merge,
    open_table,
    pivot,
    smt,
)
from paraphrast.paraphrases import parametric as scoring
from paraphrast.paraphrases.parametric_shares import Share
from paraphrast.paraphrases.syntax import acquisition, treebank
from paraphrast.reproduce import Value, Workspace
from recipes.charts import scatter

from . import combination as combining
from .alignment import align_by_merging, alignment_rows
from .curves import Curve, compare, curve
from .linking import link_by_table

ALIGNER = "hmm"
# Chosen on a quarter of the training half: the first finds phrase pairs best (F1 38.5
# of up to 5 words, intersection 20.7), the second gives the most precise table.
FOR_ALIGNING, FOR_TABLES = "grow-diag-final", "grow-diag"
PARTS = 4
POINTS_DRAWN = 200
FIRST_DRAWN = 100  # a precision over fewer proposals is noise
SHARES = {0.25: "a quarter", 0.5: "half", 0.75: "three quarters", 1.0: "all"}
METHODS = ("SMT", "pivot", "syntax", "co-training")
MEAN = "mean of the four"  # what a combination that learns nothing would give
# Table 3: for each length, parallel corpora, syntactic alignment, monolingual SMT.
PAPER = {
    "AlignPrec": ((54, 48, 64), (56, 56, 69), (59, 60, 71), (60, 63, 72), (62, 65, 73)),
    "AlignRecall": (
        (24, 18, 56),
        (19, 13, 52),
        (14, 12, 49),
        (12, 11, 48),
        (11, 10, 46),
    ),
    "LB-Precision": (
        (15, 25, 59),
        (15, 31, 66),
        (15, 32, 66),
        (14, 33, 68),
        (14, 33, 68),
    ),
    "Rel-Recall": ((20, 16, 2), (18, 10, 3), (13, 6, 2), (9, 4, 1), (7, 3, 1)),
}
PAPERS_METHODS = ("pivot", "syntax", "SMT")

Rows = Mapping[str, Sequence[scoring.Row]]


def europarl(workspace: Workspace) -> dict[str, Value]:
    folder = workspace.corpus("europarl")
    texts = [
        list(bilingual.pairs_of(folder, "europarl", part))
        for part in ("en-fr", "en-de")
    ]
    table = pivot.extract(texts, processes=len(texts))
    table.save(workspace.folder / "pivot.table")
    return {"rows of the pivot table": Value(len(table))}


def trees(workspace: Workspace) -> dict[str, Value]:
    every = [*training(workspace), *held_out(workspace)]
    bank = treebank.parse_pairs(every, cache=workspace.folder / "parses.jsonl")
    return {"sentences without a parse": Value(bank.flat)}


def measure_acquisition(workspace: Workspace) -> dict[str, Value]:
    values = {}
    for name, table in tables_of(workspace, training(workspace)).items():
        table.save(workspace.folder / f"{name}.table")
        values[f"rows of the {name} table"] = Value(len(table))
    return values


def measure_combination(workspace: Workspace) -> dict[str, Value]:
    every = training(workspace)
    divisions = []
    for part in range(PARTS):
        rest = [pair for pair in every if part_of(pair) != part]
        tables = {**tables_of(workspace, rest), "pivot": load_table(workspace, "pivot")}
        groups = scoring.groups(
            [pair for pair in references(workspace) if part_of(pair) == part]
        )
        divisions.append(({name: tables[name] for name in METHODS}, groups))
    learnt = combining.train(divisions)
    groups = scoring.groups(held_out(workspace))
    tables = {name: load_table(workspace, name) for name in METHODS}
    # The table is made for the phrases of the sentences to be scored; which of them
    # paraphrase each other is not looked at.
    table = learnt(tables, list(combining.phrases_of(groups)))
    table.save(workspace.folder / "combined.table")
    return {"rows of the combined table": Value(len(table))}


def scores(workspace: Workspace) -> dict[str, Value]:
    gold = held_out(workspace)
    tables = {name: load_table(workspace, name) for name in (*METHODS, "combined")}
    judged = judgments(gold, tables)
    result = {name: scoring.rows(rows) for name, rows in judged.items() if name != MEAN}
    reworded = {
        f"{name}, reworded places": scoring.rows(judged[name], places="reworded")
        for name in result
    }
    aligned = alignments(workspace, gold, tables)
    workspace.write("tables.md", "".join(sheets(aligned, result, reworded)))
    curves = {name: curve(rows) for name, rows in judged.items()}
    workspace.write("curves.svg", draw_curves(curves))
    return {
        **figures(("AlignPrec", "AlignRecall"), aligned),
        **figures(("LB-Precision", "Rel-Recall"), {**result, **reworded}),
        **leads(judged),
    }


def judgments(
    gold: Sequence[AlignedPair], tables: Mapping[str, Table]
) -> dict[str, scoring.Judged]:
    """Judge the proposals of each method at 1% or more, and two ways to combine them.

    Every candidate is in both the mean and the combination, whatever its probability.
    """
    groups = scoring.groups(gold)
    least = {**dict.fromkeys(METHODS, scoring.LEAST), "combined": 0.0}
    # A candidate with 1% in one method has at least a quarter of that in the mean.
    least[MEAN] = scoring.LEAST / len(METHODS)
    every = {**tables, MEAN: merge([tables[name] for name in METHODS])}
    return {
        name: scoring.judge(groups, scoring.of_table(every[name])).at(
            longest=scoring.LONGEST, least=smallest
        )
        for name, smallest in least.items()
    }


def alignments(
    workspace: Workspace, gold: Sequence[AlignedPair], tables: Mapping[str, Table]
) -> dict[str, list[scoring.Row]]:
    bank = treebank.parse_pairs(gold, cache=workspace.folder / "parses.jsonl")
    merged = [
        AlignedPair(
            parsed.pair.source,
            parsed.pair.target,
            align_by_merging(parsed.source, parsed.target),
            parsed.pair.name,
        )
        for parsed in bank.pairs
    ]
    systems = {
        "SMT": aligned_by(FOR_ALIGNING, training(workspace), gold),
        "syntax": merged,
        **{
            name: link_by_table(
                gold, scoring.of_table(tables[name]), least=scoring.LEAST
            )
            for name in ("pivot", "co-training", "combined")
        },
        "equal words": link_by_table(gold, lambda *index: ()),
        "default aligner": with_links(gold, choosing.load()),
    }
    order = (*METHODS, "combined", "equal words", "default aligner")
    return {name: alignment_rows(systems[name], gold) for name in order}


def draw_curves(curves: Mapping[str, Curve]) -> str:
    """Draw each method as a line from its likeliest paraphrases to all of them."""
    points = []
    for name, drawn in curves.items():
        if not len(drawn.recall):
            continue
        enough = drawn.proposed >= min(FIRST_DRAWN, drawn.proposed[-1])
        recall, precision = drawn.recall[enough], drawn.precision[enough]
        wanted = np.linspace(recall[0], recall[-1], POINTS_DRAWN)
        chosen = np.unique(np.minimum(np.searchsorted(recall, wanted), len(recall) - 1))
        *bends, last = zip(recall[chosen], precision[chosen], strict=True)
        points += [Point("", *bend, name) for bend in bends]
        points.append(Point(name, *last, name))
    panel = {"Phrases of up to 5 words": points}
    return scatter(panel, across="Rel-Recall", up="LB-Precision")


def leads(judged: Mapping[str, scoring.Judged]) -> dict[str, Value]:
    values, lowest = {}, 1.0
    for name in (*METHODS, MEAN):
        result = compare(judged["combined"], judged[name], shares=tuple(SHARES))
        for share, point in zip(SHARES.values(), result, strict=True):
            key = f"lead over {name} at {share} of its Rel-Recall"
            values[key] = Value(100 * point.lead, 100 * point.low, 100 * point.high)
            lowest = lowest if name == MEAN else min(lowest, point.low)
    return {**values, "lowest bound of the leads over the four": Value(100 * lowest)}


def figures(measures: tuple[str, str], rows: Rows) -> dict[str, Value]:
    values = {}
    for method, table in rows.items():
        for row in table:
            for measure, share in zip(
                measures, (row.precision, row.recall), strict=True
            ):
                values[f"{measure}, {method}, {words(row.longest)}"] = value(share)
    return values


def value(share: Share) -> Value:
    signature = f"{share.part} of {share.whole}|bootstrap over clusters"
    return Value(100 * share.value, 100 * share.low, 100 * share.high, signature)


def words(longest: int) -> str:
    return "1 word" if longest == 1 else f"up to {longest} words"


def sheets(aligned: Rows, result: Rows, reworded: Rows) -> Iterator[str]:
    """Yield Tables 2 and 3 as Markdown, the paper's figures in brackets."""
    yield "# ParaMetric: ours, and the paper's in brackets\n\nIn per cent.\n"
    yield "\n## Table 2: phrases of up to 5 words\n\n"
    yield "| method | AlignPrec | AlignRecall | LB-Precision | Rel-Recall |\n"
    yield "|---|---|---|---|---|\n"
    for method in result:
        cells = [
            cell(measure, method, rows[method][-1])
            for measure, rows in zip(
                PAPER, (aligned, aligned, result, result), strict=True
            )
        ]
        yield f"| {method} | {' | '.join(cells)} |\n"
    for measure, rows in zip(PAPER, (aligned, aligned, result, result), strict=True):
        yield f"\n## Table 3: {measure}\n\n| | {' | '.join(rows)} |\n"
        yield "|---|" + "---|" * len(rows) + "\n"
        for length in range(scoring.LONGEST):
            cells = [cell(measure, name, rows[name][length]) for name in rows]
            yield f"| {words(length + 1)} | {' | '.join(cells)} |\n"
    yield "\n## LB-Precision where a translation says something else\n\n"
    yield f"| | {' | '.join(result)} |\n|---|" + "---|" * len(result) + "\n"
    for length in range(scoring.LONGEST):
        cells = [
            f"{100 * rows[length].precision.value:.1f}" for rows in reworded.values()
        ]
        yield f"| {words(length + 1)} | {' | '.join(cells)} |\n"


def cell(measure: str, method: str, row: scoring.Row) -> str:
    share = row.precision if measure.endswith(("Prec", "Precision")) else row.recall
    ours = f"{100 * share.value:.1f}"
    if method not in PAPERS_METHODS:
        return ours
    paper = PAPER[measure][row.longest - 1][PAPERS_METHODS.index(method)]
    return f"{ours} ({paper})"


def tables_of(workspace: Workspace, pairs: Sequence[AlignedPair]) -> dict[str, Table]:
    """Make the tables of the three methods that learn from equivalent sentences."""
    bank = treebank.parse_pairs(pairs, cache=workspace.folder / "parses.jsonl")
    return {
        "SMT": smt.extract(aligned_by(FOR_TABLES, pairs, pairs)),
        "syntax": acquisition.acquire(bank.groups()),
        "co-training": cotraining.extract([(p.source, p.target) for p in pairs]),
    }


def aligned_by(
    symmetrisation: str, training: Sequence[AlignedPair], pairs: Sequence[AlignedPair]
) -> list[AlignedPair]:
    """Train the aligner on some pairs and return other pairs with its links."""
    family = registry.find("aligners", ALIGNER)
    settings = replace(family.settings, symmetrisation=symmetrisation)
    align = replace(family, settings=settings).train(training)
    return with_links(pairs, align)


def with_links(pairs: Sequence[AlignedPair], align: Aligner) -> list[AlignedPair]:
    """Return pairs with an aligner's links instead of their own."""
    result = align([(pair.source, pair.target) for pair in pairs])
    return [
        AlignedPair(pair.source, pair.target, links, pair.name)
        for pair, links in zip(pairs, result, strict=True)
    ]


def references(workspace: Workspace) -> list[AlignedPair]:
    folder = workspace.corpus("mt-reference")
    return [from_gold(pair) for pair in mt_reference_half(folder, "train")]


def held_out(workspace: Workspace) -> list[AlignedPair]:
    folder = workspace.corpus("mt-reference")
    return [from_gold(pair) for pair in mt_reference_half(folder, "score")]


def training(workspace: Workspace) -> list[AlignedPair]:
    """Return all pairs of the training half's sentences, and Edinburgh++'s."""
    more = [
        from_gold(pair) for pair in edinburgh(workspace.corpus("edinburgh"), "train")
    ]
    return [*all_ways(references(workspace)), *map(lower_pair, more)]


def all_ways(pairs: Iterable[AlignedPair]) -> list[AlignedPair]:
    """Pair the different sentences of each cluster in all ways, without links."""
    clusters: dict[str, dict[tuple[str, ...], None]] = {}
    for pair in pairs:
        sentences = clusters.setdefault(scoring.cluster_of(pair), {})
        sentences.update({pair.source: None, pair.target: None})
    return [
        AlignedPair(source, target, name=f"{cluster}.{number}")
        for cluster, sentences in clusters.items()
        for number, (source, target) in enumerate(combinations(sentences, 2))
    ]


def lower_pair(pair: AlignedPair) -> AlignedPair:
    source, target = (
        tuple(word.lower() for word in side) for side in (pair.source, pair.target)
    )
    return AlignedPair(source, target, name=pair.name)


def part_of(pair: AlignedPair) -> int:
    """Return the part of the training half that a pair's cluster is in.

    Edinburgh++ is in none: nothing of it is scored.
    """
    if "." not in pair.name:
        return PARTS
    name = scoring.cluster_of(pair)
    return hashlib.sha256(name.encode()).digest()[1] % PARTS


def load_table(workspace: Workspace, name: str) -> Table:
    return open_table(workspace.folder / f"{name}.table")


STEPS: dict[str, Callable[[Workspace], Mapping[str, Value]]] = {
    "europarl": europarl,
    "trees": trees,
    "tables": measure_acquisition,
    "combination": measure_combination,
    "scores": scores,
}
