"""Trees for aligned pairs: from files, from the parser, and in groups."""

import pytest

from paraphrast.align.base import AlignedPair
from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases.syntax.treebank import (
    ParsedPair,
    Treebank,
    parse_pairs,
    read_parsed,
)
from paraphrast.paraphrases.syntax.trees import flat, parse_tree

LEFT = AlignedPair(("she", "left"), ("she", "went"))
TREES = "(S (NP (PRP she)) (VP (VB left)))\n", "(S (NP (PRP she)) (VP (VB went)))\n"


@pytest.fixture
def files(tmp_path):
    def write(source, target):
        paths = tmp_path / "source.trees", tmp_path / "target.trees"
        for path, text in zip(paths, (source, target), strict=True):
            path.write_text(text, "utf-8")
        return paths

    return write


def test_trees_are_read_for_both_sides(files):
    bank = read_parsed([LEFT], *files(*TREES))
    trees = (parse_tree(text) for text in TREES)
    assert bank == Treebank((ParsedPair(LEFT, *trees),))


@pytest.mark.parametrize(
    ("pairs", "source", "target", "said"),
    [
        ([LEFT], TREES[0], TREES[0], "target.trees: tree 1 is of 'she left'"),
        ([LEFT], TREES[0], "", "target.trees end before number 1"),
        ([LEFT], *(text * 2 for text in TREES), "the pairs end before number 2"),
    ],
)
def test_trees_that_do_not_fit_the_pairs_are_refused(
    files, pairs, source, target, said
):
    with pytest.raises(ParaphrastError, match=said):
        read_parsed(pairs, *files(source, target))


def parsed(source, target, name):
    pair = AlignedPair(tuple(source), tuple(target), name=name)
    return ParsedPair(pair, flat(source), flat(target))


def test_a_group_has_each_of_its_sentences_once():
    bank = Treebank((parsed("a", "b", "7.1"), parsed("a", "c", "7.2")))
    assert bank.groups() == [[flat("a"), flat("b"), flat("c")]]


def test_pairs_without_a_name_are_groups_of_their_own():
    bank = Treebank((parsed("a", "b", ""), parsed("a", "c", "")))
    assert bank.groups() == [[flat("a"), flat("b")], [flat("a"), flat("c")]]


@pytest.mark.parser
def test_pairs_are_parsed_on_both_sides():
    bank = parse_pairs([LEFT])
    assert bank.flat == 0
    assert bank.pairs[0].source.words() == LEFT.source
    assert bank.pairs[0].target.words() == LEFT.target
