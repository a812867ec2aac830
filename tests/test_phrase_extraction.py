"""Extraction: the toy corpus by hand, parity with plain Python, refusals."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.align.base import Link
from paraphrast.align.phrase_pairs import loose_phrase_pairs
from paraphrast.errors import ParaphrastError
from paraphrast.phrase.coded_corpus import encode_links, encode_pairs
from paraphrast.phrase.extraction import Settings, extract


def found(pairs, *alignments, **options):
    corpus = encode_pairs(
        [(tuple(one.split()), tuple(two.split())) for one, two in pairs]
    )
    linked = [[[Link(*cell) for cell in cells] for cells in one] for one in alignments]
    links = encode_links(corpus, linked)
    made = extract(corpus, links, settings=Settings(**options))
    return {row[:2]: row[2:] for row in rows(corpus, made)}


def rows(corpus, made):
    source, target = corpus.source.vocabulary, corpus.target.vocabulary
    for row in range(len(made)):
        links = made.links[made.link_starts[row] : made.link_starts[row + 1]]
        yield (
            words(source, made.sources, made.phrases[row]),
            words(target, made.targets, made.outputs[row]),
            float(made.counts[row]),
            made.orientations[row].tolist(),
            [tuple(link) for link in links.tolist()],
            int(made.examples[row]),
        )


def words(vocabulary, runs, number):
    run = runs.words[runs.starts[number] : runs.starts[number + 1]]
    return " ".join(vocabulary[word] for word in run)


# Koehn's "michael geht davon aus, dass er im haus bleibt", in short: a phrase with
# an unlinked word (b) between two linked ones.
def test_unlinked_words_join_either_neighbour():
    made = found([("a b c", "x y")], [[(0, 0), (2, 1)]])
    assert sorted(made) == [
        ("a", "x"),
        ("a b", "x"),
        ("a b c", "x y"),
        ("b c", "y"),
        ("c", "y"),
    ]


def test_a_pair_with_words_linked_outside_it_is_not_extracted():
    made = found([("a b", "x y z")], [[(0, 0), (1, 1), (0, 2)]])
    # a reaches over b, so neither "a" nor "a b" without all of x y z is consistent.
    assert sorted(made) == [("a b", "x y z"), ("b", "y")]


def test_occurrences_add_up_and_the_shortest_pair_is_the_example():
    made = found([("a b", "x y"), ("a", "x")], [[(0, 0), (1, 1)], [(0, 0)]])
    assert made["a", "x"][0] == 2
    assert made["a", "x"][3] == 1
    assert made["a b", "x y"][0] == 1


# Two sentences of the same words, crossed and straight, by hand:
#   straight  a-x b-y: a x starts the sentences (monotone) and b follows (monotone)
#   crossed   a-y b-x: x is the first target word but b is not the first source word
ORIENTATIONS = {
    ("a", "x"): [1, 0, 0, 1, 0, 0],
    ("b", "y"): [1, 0, 0, 1, 0, 0],
    ("a b", "x y"): [1, 0, 0, 1, 0, 0],
    ("a", "y"): [0, 1, 0, 0, 0, 1],  # b, after it in the source, was said before it
    ("b", "x"): [0, 0, 1, 0, 1, 0],  # a, before it in the source, is said after it
}


def test_orientations_by_word():
    pairs = [("a b", "x y"), ("a b", "x y")]
    made = found(pairs, [[(0, 0), (1, 1)], [(0, 1), (1, 0)]])
    both = made.pop(("a b", "x y"))
    assert both[1] == [2, 0, 0, 2, 0, 0]
    for pair, (_, orientations, *_) in made.items():
        assert orientations == ORIENTATIONS[pair]


def test_orientation_by_phrase_sees_what_no_single_link_shows():
    # "c d" follows "a b", whose last words are b-x and a-y: b before c is not linked
    # to y before z, but the phrase pair "a b", "x y" ends in that corner.
    pairs, links = [("a b c", "x y z")], [[(0, 1), (1, 0), (2, 2)]]
    assert found(pairs, links)["c", "z"][1][:3] == [0, 0, 1]
    by_phrase = found(pairs, links, orientation="phrase")
    assert by_phrase["c", "z"][1][:3] == [1, 0, 0]
    assert by_phrase["a", "y"][1] == [0, 1, 0, 0, 0, 1]
    assert by_phrase["a b", "x y"][1][3:] == [1, 0, 0]


def test_a_swap_by_phrase_is_seen_on_both_sides():
    # a is said after "b c", which is said crossed: b-y c-x a-z.
    pairs, links = [("a b c", "x y z")], [[(0, 2), (1, 1), (2, 0)]]
    made = found(pairs, links, orientation="phrase")
    assert made["a", "z"][1][:3] == [0, 1, 0]
    assert made["b c", "x y"][1][3:] == [0, 1, 0]


def test_the_commonest_links_are_kept():
    pairs = [("a b", "x y")] * 3
    crossed, straight = [(0, 1), (1, 0)], [(0, 0), (1, 1)]
    made = found(pairs, [crossed, straight, straight])
    assert made["a b", "x y"][2] == straight
    assert found(pairs[:2], [crossed, straight])["a b", "x y"][2] == crossed


def test_several_alignments_add_up():
    pairs = [("a b", "x y")]
    made = found(pairs, [[(0, 0), (1, 1)]], [[(0, 0)]])
    assert made["a", "x"][0] == 2
    assert made["a", "x y"][0] == 1  # only where b and y are unlinked
    assert made["b", "y"][0] == 1


def test_shared_counts_sum_to_one_per_tight_pair():
    made = found([("a b", "x y")], [[(0, 0)]], counting="shared")
    assert {pair: row[0] for pair, row in made.items()} == {
        ("a", "x"): 0.25,
        ("a b", "x"): 0.25,
        ("a", "x y"): 0.25,
        ("a b", "x y"): 0.25,
    }


sentences = st.lists(st.sampled_from("abc"), max_size=9)
cells = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=12)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(sentences, sentences, cells), min_size=1, max_size=3),
    st.integers(1, 9),
)
def test_the_pairs_are_those_of_plain_python(corpus, longest):
    expected, pairs, links = Counter(), [], []
    for source, target, drawn in corpus:
        fitting = {(i, j) for i, j in drawn if i < len(source) and j < len(target)}
        pairs.append((" ".join(source), " ".join(target)))
        links.append(sorted(fitting))
        for a, b, c, d in loose_phrase_pairs(
            fitting, len(source), len(target), longest=longest
        ):
            expected[" ".join(source[a:b]), " ".join(target[c:d])] += 1
    if not expected:
        with pytest.raises(ParaphrastError, match="no phrase pairs"):
            found(pairs, links, longest=longest)
        return
    made = found(pairs, links, longest=longest)
    assert {pair: row[0] for pair, row in made.items()} == expected
    assert list(made) == sorted(made, key=lambda p: (p[0].split(), p[1].split()))
    for count, orientations, *_ in made.values():
        assert sum(orientations[:3]) == sum(orientations[3:]) == count


def test_a_very_long_sentence_is_handled():
    length = 30_000
    corpus = encode_pairs([(("a",) * length, ("b",) * length)])
    links = encode_links(corpus, [[[Link(i, i) for i in range(length)]]])
    made = extract(corpus, links, settings=Settings(longest=15))
    assert made.counts.tolist() == [length - n for n in range(15)]


def test_a_corpus_without_links_is_refused():
    with pytest.raises(ParaphrastError, match="no words are linked"):
        found([("a", "x")], [[]])


def test_an_empty_corpus_is_refused():
    with pytest.raises(ParaphrastError, match="the corpus is empty"):
        encode_pairs([])


def test_links_for_other_pairs_are_refused():
    with pytest.raises(ParaphrastError, match="1 sentence pairs, but links for 2"):
        found([("a", "x")], [[], []])
    with pytest.raises(ParaphrastError, match="no alignment was given"):
        encode_links(encode_pairs([(("a",), ("x",))]), [])


@pytest.mark.parametrize("cell", [(0, 2), (1, 0), (-1, 0), (0, 2**40)])
def test_links_out_of_range_are_refused(cell):
    with pytest.raises(ParaphrastError, match="sentence pair 2: link"):
        found([("a b", "x"), ("a", "x y")], [[(1, 0)], [cell]])


def test_more_phrase_pairs_than_allowed_are_refused():
    with pytest.raises(ParaphrastError, match="more than 2 phrase pairs"):
        found([("a b", "x y")], [[(0, 0), (1, 1)]], most=2)


@pytest.mark.parametrize(
    "options",
    [{"longest": 0}, {"longest": 16}, {"orientation": "x"}, {"counting": "x"}],
)
def test_settings_out_of_range_are_refused(options):
    with pytest.raises(ParaphrastError, match="must be"):
        Settings(**options)


def test_compiled_code_checks_its_arrays_too():
    from paraphrast import _native

    words, starts = np.zeros(2, np.uint32), np.array([0, 2])
    good = {"longest": 7, "phrase_orientation": False, "shared_counts": False}
    for wrong in ([0, 3], [0, 1], [1, 2], [0, 3, 2], []):
        with pytest.raises(ValueError):
            _native.extract_phrases(
                words, np.array(wrong, np.int64), words, starts,
                np.zeros((0, 2), np.uint32), np.array([0, 0]),
                most=9, **good,
            )  # fmt: skip
    nothing, none = np.zeros(0, np.uint32), np.zeros(1, np.int64)
    cells = np.zeros((0, 2), np.uint32)
    with pytest.raises(ValueError, match="differ in number"):
        _native.extract_phrases(
            nothing, none, nothing, none, cells, np.array([0, 0]), most=9, **good
        )
    for cells in ([[2, 0]], [[0, 2]], [[0, 0], [0, 0]]):
        with pytest.raises(ValueError):
            _native.extract_phrases(
                words, starts, words, starts, np.array(cells, np.uint32),
                np.array([0, len(cells)]), most=9, **good,
            )  # fmt: skip
