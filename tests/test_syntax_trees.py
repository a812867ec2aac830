"""Bracketed trees: what is written is what is read, and mistakes name their place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases.syntax.trees import (
    DEEPEST,
    Tree,
    constituents,
    flat,
    from_spans,
    parse_tree,
    read_trees,
)

TRAIN = "(S (NP (DT the) (NN train)) (VP (VBD left)))"

LABELS = st.sampled_from(["S", "NP", "VP", "-LRB-", "PRP$", ","])
WORDS = st.text(
    st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=4
).filter(lambda word: "-LRB-" not in word and "-RRB-" not in word)
TREES = st.recursive(
    st.builds(Tree, LABELS, word=WORDS),
    lambda trees: st.builds(
        Tree, LABELS, st.lists(trees, min_size=1, max_size=4).map(tuple)
    ),
    max_leaves=12,
)


def test_a_tree_knows_its_words_and_the_spans_of_its_nodes():
    tree = parse_tree(TRAIN)
    assert tree.words() == ("the", "train", "left")
    assert [(c.tree.label, c.start, c.end) for c in constituents(tree)] == [
        ("S", 0, 3),
        ("NP", 0, 2),
        ("DT", 0, 1),
        ("NN", 1, 2),
        ("VP", 2, 3),
        ("VBD", 2, 3),
    ]


@given(TREES)
def test_reading_undoes_writing(tree):
    assert parse_tree(str(tree)) == tree


@given(TREES)
def test_a_tree_can_be_built_again_from_its_spans(tree):
    root = Tree("TOP", (tree, Tree(".", word=".")))
    inner = [c for c in constituents(root) if c.tree.children][1:]
    spans = [(c.tree.label, c.start, c.end) for c in inner]
    assert from_spans(root.leaves(), spans, root="TOP") == root


def test_words_between_spans_come_under_the_node_around_them():
    leaves = flat(["a", "b", "c", "d"]).leaves()
    assert str(from_spans(leaves, [("S", 0, 4), ("NP", 1, 3)])) == (
        "(S (X a) (NP (X b) (X c)) (X d))"
    )


def test_brackets_in_the_text_are_written_as_in_the_penn_treebank():
    tree = Tree("NP", (Tree("SYM", word="("), Tree("NN", word="f(x)")))
    assert str(tree) == "(NP (SYM -LRB-) (NN f-LRB-x-RRB-))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"( {TRAIN} )", TRAIN),  # the Penn Treebank's extra brackets
        (TRAIN.replace(" (", "\n  ("), TRAIN),  # over several lines
        ("(NP the (NN train) now)", "(NP (X the) (NN train) (X now))"),
        ("(NP the old train)", "(NP (X the) (X old) (X train))"),
    ],
)
def test_other_ways_of_writing_a_tree_are_understood(text, expected):
    assert str(parse_tree(text)) == expected


def test_a_file_of_trees_is_read_in_order(tmp_path):
    path = tmp_path / "some.trees"
    trees = [parse_tree(TRAIN), parse_tree("(NP (NN snow))")]
    path.write_text("".join(f"{tree}\n" for tree in trees), "utf-8")
    assert list(read_trees(path)) == trees


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("(S (NP (NN snow))", 1, "never closed"),
        ("(S (NN snow))\n)", 2, "outside any bracket"),
        ("(S (NN snow))\nsnow", 2, "'snow' is outside"),
        ("(S\n()\n)", 2, "has no label"),
        ("(S\n(NP)\n)", 2, "'NP' is empty"),
        ("((NN a) (NN b))", 1, "has no label"),
        ("(S " * (DEEPEST + 1) + "x" + ")" * (DEEPEST + 1), 1, "nested brackets"),
    ],
)
def test_a_broken_tree_is_refused_with_its_location(tmp_path, text, place, said):
    path = tmp_path / "broken.trees"
    path.write_text(text, "utf-8")
    with pytest.raises(ParaphrastError) as error:
        list(read_trees(path))
    assert str(error.value).startswith(f"{path}:{place}: ")
    assert said in str(error.value)


def test_exactly_one_tree_is_required():
    for text in ("", TRAIN + TRAIN):
        with pytest.raises(ParaphrastError, match="expected 1 tree"):
            parse_tree(text)
