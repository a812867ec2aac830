"""On the gold corpora themselves: formats agree, and known figures come out."""

import os
from pathlib import Path

import pytest

from paraphrast.align.formats import read_alignments, write_alignments
from paraphrast.align.links import from_gold
from paraphrast.align.measures import corpus_counts, macro
from paraphrast.align.phrase_pairs import divide_pairs
from paraphrast.corpora.loaders.alignments import edinburgh

pytestmark = pytest.mark.data


@pytest.fixture
def folder():
    return Path(os.environ["PARAPHRAST_MIRROR"]) / "edinburgh"


def test_meteor_scores_as_it_did_for_others(folder):
    gold = [from_gold(pair) for pair in edinburgh(folder, "test")]
    path = folder / "baselines/meteor/edinburgh-meteor.macacc.json"
    counts = corpus_counts(
        list(read_alignments(path)), gold, labels="sure", identical="kept"
    )
    assert round(100 * macro(counts).f1, 1) == 84.2


@pytest.mark.parametrize("format", ["jsonl", "jacana", "multimwa"])
def test_the_corpus_survives_every_format_with_labels(format, folder, tmp_path):
    gold = [from_gold(pair) for pair in edinburgh(folder, "train")]
    write_alignments(gold, tmp_path / "file", format=format)
    assert list(read_alignments(tmp_path / "file", format=format)) == gold


def test_every_link_is_in_an_atomic_pair(folder):
    for pair in edinburgh(folder, "test"):
        covered = {
            (i, j)
            for a, b, c, d in divide_pairs(pair.sure).atomic
            for i in range(a, b)
            for j in range(c, d)
        }
        assert pair.sure <= covered
