"""Merged trees, word lattices, and the paraphrases they hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.paraphrases.syntax.acquisition import UNSEEN, acquire
from paraphrast.paraphrases.syntax.lattice import (
    FIRST,
    LAST,
    MOST_WAYS,
    alternatives,
    lattice,
)
from paraphrast.paraphrases.syntax.trees import Tree, flat, parse_tree
from recipes.parametric.alignment import align_by_merging, path_of

# PARAMETRIC Figure 2.
KILLED = parse_tree("(S (NP (NNS persons)) (VP (AUX were) (VP (VB killed))))")
DIED = parse_tree("(S (NP (NNS people)) (VP (VB died)))")


def said_of(merged, length=9):
    """Return all sentences of a lattice by walking it."""
    result, waiting = set(), [((), FIRST)]
    while waiting:
        words, state = waiting.pop()
        if state == LAST:
            result.add(" ".join(words))
        elif len(words) < length:
            for word, end in merged.edges[state]:
                waiting.append(((*words, word), end))
    return result


def paraphrases(merged):
    """Return the pairs of different phrases between the same two states."""
    return {
        (phrase, other)
        for phrases in alternatives(merged)
        for phrase in phrases
        for other in phrases
        if phrase != other
    }


def cells(source, target):
    links = align_by_merging(parse_tree(source), parse_tree(target))
    return {(link.source, link.target) for link in links}


def test_figure_2_of_parametric_gives_four_paraphrases():
    merged = lattice([KILLED, DIED])
    said = ["people were killed", "persons died", "persons were killed", "people died"]
    assert said_of(merged) == set(said)
    pairs = paraphrases(merged)
    for one in said:
        for other in said:
            pair = tuple(one.split()), tuple(other.split())
            assert (pair in pairs) == (one != other)
    assert (("were", "killed"), ("died",)) in pairs
    assert (("people",), ("persons",)) in pairs
    assert (("people",), ("died",)) not in pairs


def test_a_keyword_at_another_position_inhibits_a_merge():
    there = "(S (NP (NNP Ann)) (VP (VB beat) (NP (NNP Bob))))"
    back = "(S (NP (NNP Bob)) (VP (VB fought) (NP (NNP Ann))))"
    merged = lattice([parse_tree(there), parse_tree(back)])
    assert said_of(merged) == {"Ann beat Bob", "Bob fought Ann"}


def test_a_function_word_at_another_position_does_not_inhibit_a_merge():
    one = "(S (NP (DT the) (NN plan)) (VP (VB failed)))"
    other = "(S (NP (DT a) (NN plan)) (VP (VB collapsed)))"
    merged = lattice([parse_tree(one), parse_tree(other)])
    assert len(said_of(merged)) == 4


def test_roots_of_different_categories_stand_side_by_side():
    merged = lattice([parse_tree("(NP (NN snow))"), parse_tree("(S (VB snows))")])
    assert said_of(merged) == {"snow", "snows"}


def test_squeezing_merges_the_same_words_at_both_ends():
    merged = lattice(
        [flat(["he", "left", "town", "at", "noon"]), flat(["he", "went", "at", "noon"])]
    )
    assert said_of(merged) == {"he left town at noon", "he went at noon"}
    assert (("left", "town"), ("went",)) in paraphrases(merged)
    assert sum(map(len, merged.edges.values())) == 6  # he, left, town, went, at, noon


def test_squeezing_never_makes_a_loop():
    merged = lattice([flat(["no", "no", "no"]), flat(["no"]), flat(["no", "no"])])
    assert {"no", "no no", "no no no"} <= said_of(merged)


SENTENCES = st.lists(st.sampled_from("abc"), min_size=1, max_size=6).map(tuple)


@given(st.lists(SENTENCES, min_size=1, max_size=5))
def test_a_lattice_contains_every_sentence_it_was_built_from(sentences):
    merged = lattice([flat(sentence) for sentence in sentences])
    for number, sentence in enumerate(sentences):
        assert tuple(word for word, _ in path_of(merged, number)) == sentence


@given(SENTENCES, SENTENCES)
def test_every_word_is_linked_and_links_do_not_cross(source, target):
    links = align_by_merging(flat(source), flat(target))
    assert {link.source for link in links} == set(range(len(source)))
    assert {link.target for link in links} == set(range(len(target)))
    blocks = {}
    for link in links:
        blocks.setdefault(link.source, set()).add(link.target)
    for i in range(len(source) - 1):
        assert blocks[i] == blocks[i + 1] or max(blocks[i]) < min(blocks[i + 1])


def test_words_are_linked_in_merged_trees_and_spans_elsewhere():
    links = align_by_merging(KILLED, DIED)
    assert [(k.source, k.target, k.probability) for k in links] == [
        (0, 0, 1.0),
        (1, 1, 0.5),
        (2, 1, 0.5),
    ]


def test_many_sentences_of_one_shape_stay_bounded():
    trees = [
        Tree("S", tuple(Tree(f"T{n}", word=f"w{n}.{k}") for n in range(5)))
        for k in range(60)
    ]
    # 60 ** 5 sentences; between any two states no more than MOST_WAYS per length.
    assert max(map(len, alternatives(lattice(trees)))) == MOST_WAYS


def test_the_alternatives_at_a_position_share_its_probability():
    table = acquire([[KILLED, DIED, DIED]])
    result = {row.paraphrase: row.probability for row in table.of("were killed")}
    # Two sentences of three say so, in one place besides the unseen ones.
    assert result == {"died": pytest.approx(2 / 3 / (1 + UNSEEN))}
    assert table.about["method"] == "syntax"


def test_a_phrase_keeps_what_no_other_phrase_shares():
    # "died" has half of the first place, and all of the second.
    table = acquire([[KILLED, DIED], [DIED]])
    (row,) = table.of("died")
    assert row.paraphrase == "were killed"
    assert row.probability == pytest.approx(1 / 2 / (2 + UNSEEN))


def test_case_does_not_make_paraphrases():
    one, other = (
        parse_tree(f"(S (NN {word}) (VB falls))") for word in ("Snow", "snow")
    )
    assert len(acquire([[one, other]])) == 0
