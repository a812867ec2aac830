"""Tables 2 and 3 and the figures of §3.2 for the corpus at hand."""

from collections.abc import Iterator, Sequence
from itertools import product
from statistics import mean, pstdev

from paraphrast.corpora.formality import STYLES
from paraphrast.corpora.loaders import formality as loader
from paraphrast.corpora.loaders import gyafc
from paraphrast.metrics import Segment
from paraphrast.metrics.edit_distance import EditDistance
from paraphrast.reproduce import Value, Workspace

from .benchmark import read_corpus
from .scoring import open_judge

SAMPLE = 400  # texts whose formality is measured, per source
BINS = tuple(range(-3, 4))  # the whole numbers nearest to a formality


def describe_corpus(workspace: Workspace) -> dict[str, Value]:
    """Return sizes by source and split, and what changes from informal to formal."""
    values = dict(_describe_sources(workspace))
    if workspace.data is None:
        values |= _describe_unlabelled(workspace)
    return values


def share_by_bin(formality: Sequence[float]) -> list[float]:
    """Return the share of texts whose formality rounds to each of `BINS`."""
    nearest = [min(3, max(-3, round(value))) for value in formality]
    return [nearest.count(number) / max(1, len(nearest)) for number in BINS]


def _describe_sources(workspace: Workspace) -> Iterator[tuple[str, Value]]:
    corpus = read_corpus(workspace)
    if corpus is None and workspace.data is not None:
        for domain in gyafc.DOMAINS:
            pairs = list(gyafc.train(workspace.data, domain))
            yield f"corpus {domain}: train", Value(len(pairs))
            for split, to in product(("tune", "test"), STYLES):
                count = len(gyafc.evaluation(workspace.data, domain, split, to=to))
                name = split if to == "formal" else f"{split}, to informal"
                yield f"corpus {domain}: {name}", Value(count)
            sides = [(pair.source, pair.target) for pair in pairs]
            yield from _describe_pairs(domain, sides)
        return
    if corpus is None:
        return
    for source in dict.fromkeys(row.source for row in corpus.rows):
        for split in ("train", "tune", "test"):
            count = len(corpus.select("formal", split, source=source))
            yield f"corpus {source}: {split}", Value(count)
        train = corpus.select("formal", "train", source=source)
        sides = [(row.text, row.references[0]) for row in train]
        yield from _describe_pairs(source, sides)


def _describe_pairs(
    name: str, pairs: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, Value]]:
    distances = EditDistance().values(
        [Segment(after, before) for before, after in pairs]
    )
    yield f"corpus {name}: edit distance", Value(mean(distances))
    yield f"corpus {name}: edit distance, σ", Value(pstdev(distances))
    drawn = pairs[:: max(1, len(pairs) // SAMPLE)][:SAMPLE]
    for side, label in enumerate(("informal", "formal")):
        words = mean(len(pair[side].split()) for pair in pairs)
        yield f"corpus {name}: words, {label}", Value(words)
        measured = _measure([pair[side] for pair in drawn])
        yield f"corpus {name}: formality, {label}", Value(mean(measured))


def _describe_unlabelled(workspace: Workspace) -> dict[str, Value]:
    values = {}
    for name in loader.UNLABELLED:
        texts = list(loader.texts_of(workspace.corpus("formality"), "formality", name))
        drawn = texts[:: max(1, len(texts) // SAMPLE)][:SAMPLE]
        measured = _measure(drawn)
        values[f"unlabelled {name}: texts"] = Value(len(texts))
        below = 100 * sum(value < 0 for value in measured) / len(measured)
        values[f"unlabelled {name}: informal, per cent"] = Value(below)
    return values


def _measure(texts: Sequence[str]) -> list[float]:
    judge = open_judge()
    if judge.formality is None:
        raise TypeError("the judge that ships measures formality")
    values = judge.formality.values(list(texts))
    return [float(value) for value in values if value == value]  # without words: none
