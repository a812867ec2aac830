"""COHN08 §3: how far people agree on alignments, and aligners agree with people.

The example of Figure 2 is the paper's own and must come out as printed.
Tables 3 and 4 and Figure 4 are computed for the three annotators of msr-rte; the
paper's own doubly annotated pairs were never published separately. As in the paper,
chance starts from an HMM aligner, intersected and trained on the pairs with a
word-identity lexicon. Table 5 is for every available aligner, on the Edinburgh++ test
set by part; those that must be trained learn from the words, not the links, of all
1,020 pairs.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from paraphrast import registry
from paraphrast.align.base import AlignedPair, Link
from paraphrast.align.links import from_gold, links_of
from paraphrast.corpora.loaders import alignments
from paraphrast.reproduce import Value, Workspace
from paraphrast.study.alignments import KINDS, Table, align_automatically, make_table
from paraphrast.study.chance_corrected import (
    ChanceCorrected,
    Concordances,
    concordances,
    correct_for_chance,
)
from recipes.charts import columns

ANNOTATORS = "ABC"
INITIAL = "hmm"
# Figure 4 puts the pairs into bins by their shorter sentence.
BINS = {"to 5": 5, "6–10": 10, "11–15": 15, "16–20": 20, "21 on": 10**6}
PARTS = ("mtc", "novels", "news")
GIZA = "baselines/giza/edinburgh.align.giza.intersect.json"
# Figure 2 and Table 1: a word of either side, A's and B's label of their link.
SOURCE = "they discussed the aspects in detail and reached an extensive agreement ."
TARGET = (
    "both parties discussed the specific issues and arrived at a general consensus ."
)
LINKS = (
    "they both - P, they parties P P, discussed discussed S S, the the S S, "
    "aspects specific P -, in specific P P, detail specific P P, aspects issues P S, "
    "in issues P -, detail issues P -, and and S S, reached arrived S S, "
    "reached at - S, an a S S, extensive general S P, agreement consensus S S, . . S S"
)


def example(_: Workspace) -> dict[str, Value]:
    """Measure the agreement of the two annotators of Figure 2."""
    first, second = _annotator(2), _annotator(3)
    words = make_table([first], [second], level="words")
    # Table 2 extracts the example's phrase pairs from all links, sure or not.
    phrases = make_table([_all_sure(first)], [_all_sure(second)], level="phrases")
    return {
        "Figure 2, words, precision": Value(words.precision_possible),
        "Figure 2, words, recall": Value(words.recall_sure),
        "Figure 2, words, F1": Value(words.f1),
        "Figure 2, phrases, precision": Value(phrases.precision_possible),
        "Figure 2, phrases, recall": Value(phrases.recall_sure),
        "Figure 2, Ĉ of the printed π and π₀": Value(correct_for_chance(4 / 7, 0.147)),
    }


def _annotator(column: int) -> AlignedPair:
    source, target = tuple(SOURCE.split()), tuple(TARGET.split())
    links = [
        Link(source.index(words[0]), target.index(words[1]), sure=words[column] == "S")
        for words in (link.split() for link in LINKS.split(", "))
        if words[column] != "-"
    ]
    return AlignedPair(source, target, tuple(links))


def _all_sure(pair: AlignedPair) -> AlignedPair:
    links = links_of((link.source, link.target) for link in pair.links)
    return AlignedPair(pair.source, pair.target, links)


def agreement(workspace: Workspace) -> dict[str, Value]:
    """Compute Tables 3 and 4 and draw Figure 4."""
    folder = workspace.corpus("msr-rte")
    annotations = {
        name: [from_gold(pair) for pair in alignments.msr_rte(folder, name)]
        for name in ANNOTATORS
    }
    pairs = annotations["A"]
    result = concordances(annotations, align_automatically(INITIAL, pairs))
    values: dict[str, Value] = {}
    for level, kind in KINDS.items():
        for (first, second), pair in result[kind].items():
            compared = make_table(annotations[first], annotations[second], level=level)
            values |= _table(f"{level}, {first} and {second}", compared)
            values[f"{level}, {first} and {second}, Ĉ"] = _correct_value(pair.total())
        for name in ("F1", "Ĉ"):
            three = [values[f"{level}, {a} and {b}, {name}"] for a, b in result[kind]]
            values[f"{level}, mean, {name}"] = Value(
                sum(value.value for value in three) / len(three)
            )
    return values | _figure_4(workspace, _bins(pairs), result["phrases"])


def _figure_4(
    workspace: Workspace,
    bins: dict[str, list[int]],
    result: Mapping[tuple[str, str], Concordances],
) -> dict[str, Value]:
    """Draw agreement by length per pair of annotators; return that of all pairs."""
    panels = {}
    for two, pair in result.items():
        totals = [pair.total(rows) for rows in bins.values()]
        panels[" and ".join(two)] = {
            "π, observed": [total.observed for total in totals],
            "π₀, by chance": [total.expected for total in totals],
            "Ĉ": [total.value for total in totals],
        }
    axis = "words of the shorter sentence"
    workspace.write("figure4.svg", columns(panels, groups=list(bins), axis=axis))
    every = _mean_of(list(result.values()))
    values: dict[str, Value] = {}
    for name, rows in bins.items():
        total = every.total(rows)
        values[f"length {name}, π"] = Value(total.observed)
        values[f"length {name}, π₀"] = Value(total.expected)
        values[f"length {name}, Ĉ"] = _correct_value(total)
    return values


def automatic(workspace: Workspace, *, name: str) -> dict[str, Value]:
    """Compute Table 5 for one aligner."""
    folder = workspace.corpus("edinburgh")
    train, test = (
        [from_gold(pair) for pair in alignments.edinburgh(folder, split)]
        for split in ("train", "test")
    )
    given = align_automatically(name, test, more=train)
    result = [
        replace(pair, links=links) for pair, links in zip(test, given, strict=True)
    ]
    return _by_part(name, result, test)


def giza(workspace: Workspace) -> dict[str, Value]:
    """Compute Table 5 for the published output of GIZA++, intersected."""
    folder = workspace.corpus("edinburgh")
    test = [from_gold(pair) for pair in alignments.edinburgh(folder, "test")]
    # That file is in lower case and numbers the pairs in the order of the gold.
    result = [
        replace(gold, links=from_gold(pair).links)
        for pair, gold in zip(alignments.read_links(folder / GIZA), test, strict=True)
    ]
    return _by_part("giza++", result, test)


def _by_part(
    name: str, result: list[AlignedPair], gold: list[AlignedPair]
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for part in PARTS:
        rows = [row for row, pair in enumerate(gold) if pair.name.startswith(part)]
        compared = make_table(
            [result[row] for row in rows], [gold[row] for row in rows], level="phrases"
        )
        values |= _table(f"{name}, {part}", compared)
    return values


def _table(name: str, table: Table) -> dict[str, Value]:
    return {
        f"{name}, precision Poss": Value(table.precision_possible),
        f"{name}, precision Sure": Value(table.precision_sure),
        f"{name}, recall Poss": Value(table.recall_possible),
        f"{name}, recall Sure": Value(table.recall_sure),
        f"{name}, F1": Value(table.f1, table.f1_low, table.f1_high),
    }


def _correct_value(corrected: ChanceCorrected) -> Value:
    observed, expected = corrected.observed, corrected.expected
    signature = f"π {observed:.4f}, π₀ {expected:.4f}, pairs {corrected.pairs}"
    return Value(corrected.value, corrected.low, corrected.high, signature)


def _bins(pairs: list[AlignedPair]) -> dict[str, list[int]]:
    result = defaultdict(list)
    for row, pair in enumerate(pairs):
        shorter = min(len(pair.source), len(pair.target))
        name = next(name for name, most in BINS.items() if shorter <= most)
        result[name].append(row)
    return {name: result[name] for name in BINS}


STEPS = {
    "example": example,
    "agreement": agreement,
    "giza": giza,
    **{
        f"automatic-{name}": partial(automatic, name=name)
        for name in registry.names("aligners")
    },
}


def _mean_of(concordances_of_twos: Sequence[Concordances]) -> Concordances:
    """Average the values of each sentence pair over several pairs of annotators."""
    return Concordances(
        np.mean([two.observed for two in concordances_of_twos], axis=0),
        np.mean([two.expected for two in concordances_of_twos], axis=0),
    )
