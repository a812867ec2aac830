"""Scores of phrase pairs: by hand, and against plain Python over dictionaries."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from paraphrast.align.base import Link
from paraphrast.errors import ParaphrastError
from paraphrast.phrase.coded_corpus import encode_links, encode_pairs
from paraphrast.phrase.extraction import Settings, extract
from paraphrast.phrase.scoring import discounts, good_turing, score

STRAIGHT = [(0, 0), (1, 1)]
TOY = [
    ("you go", "thou goest", STRAIGHT),
    ("you go", "thee go", STRAIGHT),
    ("you", "thou", [(0, 0)]),
    ("do go", "go", [(1, 0)]),
]


def table(corpus, **options):
    pairs = encode_pairs(
        [(tuple(one.split()), tuple(two.split())) for one, two, _ in corpus]
    )
    links = encode_links(pairs, [[[Link(*cell) for cell in row[2]] for row in corpus]])
    result = extract(pairs, links, settings=Settings(longest=7))
    return score(pairs, links, result, **options)


def scores(made, source, target):
    (option,) = [
        o for o in made.of(source.split()) if o.target == tuple(target.split())
    ]
    return option.probabilities


# In the order p(f|e), lex(f|e), p(e|f), lex(e|f).
@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        # "you" was seen 3 times, as "thou" 2 times; "thou" always came from it.
        ("you", "thou", (1, 1, 2 / 3, 2 / 3)),
        ("you", "thee", (1, 1, 1 / 3, 1 / 3)),
        # "go" stands for "go" 2 times and for "do go" once; by word only for "go".
        ("go", "go", (2 / 3, 1, 2 / 3, 2 / 3)),
        # "do" is the only word linked to nothing: w(do|nothing) = 1.
        ("do go", "go", (1 / 3, 1, 1, 2 / 3)),
        ("you go", "thou goest", (1, 1, 1 / 2, 2 / 3 * 1 / 3)),
    ],
)
def test_the_standard_scores_by_hand(source, target, expected):
    assert scores(table(TOY), source, target) == pytest.approx(expected, abs=1e-5)


def test_a_word_with_several_links_gets_their_mean():
    corpus = [("a b", "x", [(0, 0), (1, 0)]), ("a", "y", [(0, 0)])]
    # w(x|a) = 1/2 and w(x|b) = 1; the other way w(a|x) = w(b|x) = 1/2.
    assert scores(table(corpus), "a b", "x") == pytest.approx((1, 1 / 4, 1, 3 / 4))


def test_reordering_is_smoothed_by_a_half():
    (option,) = [o for o in table(TOY).of(["you"]) if o.target == ("thou",)]
    # 2 occurrences, both at the start of both sentences, followed in order.
    both = (2.5 / 3.5, 0.5 / 3.5, 0.5 / 3.5)
    assert option.reordering == pytest.approx((*both, *both), abs=1e-5)


def test_a_table_without_reordering():
    made = table(TOY, reordering=False)
    assert not made.has_reordering
    assert made.of(["you"])[0].reordering == ()


def test_good_turing_by_hand():
    # Four pairs seen once, one seen twice, one seen 3 times, one seen 40 times.
    counts = np.array([1, 1, 1, 1, 2, 3, 40.0])
    ratios = good_turing(counts)
    assert ratios[0] == pytest.approx(2 * 1 / (1 * 4))
    assert ratios[4] == 1  # 3 * 1 / (2 * 1) would be above 1
    assert ratios[5] == 1  # no pair was seen 4 times
    assert ratios[6] == 1


def test_kneser_ney_discounts_by_hand():
    counts = np.array([1.0] * 8 + [2.0] * 4 + [3.0] * 2 + [4.0])
    share = 8 / (8 + 2 * 4)
    taken = discounts(counts)
    assert taken[0] == pytest.approx(1 - 2 * share * 4 / 8)
    assert taken[8] == pytest.approx(2 - 3 * share * 2 / 4)
    assert taken[12] == taken[14] == pytest.approx(3 - 4 * share * 1 / 2)


def test_kneser_ney_adds_up_to_one_over_all_phrases():
    # 3 words of one source each seen with x once, y twice, z: p(.|a) of all of them.
    corpus = [("a", "x", [(0, 0)]), ("a", "y", [(0, 0)]), ("b", "x", [(0, 0)])] * 2
    corpus += [("b", "z", [(0, 0)])]
    made = table(corpus, smoothing="kneser-ney")
    counts = np.array([2.0, 2, 2, 1])  # a-x a-y b-x b-z
    taken = discounts(counts)
    backing = (taken[0] + taken[1]) / 4
    for target, kept, sources in (("x", 2 - taken[0], 2), ("y", 2 - taken[1], 1)):
        expected = kept / 4 + backing * sources / 4
        assert scores(made, "a", target)[2] == pytest.approx(expected, abs=1e-5)
    total = sum(option.probabilities[2] for option in made.of(["a"]))
    assert total + backing * 1 / 4 == pytest.approx(1, abs=1e-5)  # and z


def test_an_unknown_smoothing_is_refused():
    with pytest.raises(ParaphrastError, match="Did you mean 'kneser-ney'"):
        table(TOY, smoothing="kneser-nay")


def plain_scores(corpus, made):
    """The definitions, word by word, over dictionaries."""
    links, left, right = Counter(), Counter(), Counter()
    for one, two, cells in corpus:
        f, e = one.split(), two.split()
        pairs = [(f[i], e[j]) for i, j in cells]
        pairs += [(f[i], None) for i in range(len(f)) if i not in {c[0] for c in cells}]
        pairs += [(None, e[j]) for j in range(len(e)) if j not in {c[1] for c in cells}]
        links.update(pairs)
        left.update(a for a, _ in pairs)
        right.update(b for _, b in pairs)
    by_source, by_target = Counter(), Counter()
    for option in made:
        by_source[option.source] += option.count
        by_target[option.target] += option.count
    for o in made:
        reached, reaching = defaultdict(list), defaultdict(list)
        for i, j in o.links:
            reached[j].append(o.source[i])
            reaching[i].append(o.target[j])
        direct = inverse = 1.0
        for j, word in enumerate(o.target):
            froms = reached[j] or [None]
            direct *= sum(links[a, word] / left[a] for a in froms) / len(froms)
        for i, word in enumerate(o.source):
            tos = reaching[i] or [None]
            inverse *= sum(links[word, b] / right[b] for b in tos) / len(tos)
        yield (
            o.count / by_target[o.target],
            inverse,
            o.count / by_source[o.source],
            direct,
        )


sentences = st.lists(st.sampled_from("abcd"), min_size=1, max_size=5).map(" ".join)
cells = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=6)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(sentences, sentences, cells), min_size=1, max_size=6))
def test_scores_are_those_of_plain_python(drawn):
    corpus = [
        (
            one,
            two,
            sorted((i, j) for i, j in cells if 2 * i < len(one) and 2 * j < len(two)),
        )
        for one, two, cells in drawn
    ]
    assume(any(cells for *_, cells in corpus))
    made = table(corpus)
    for option, expected in zip(made, plain_scores(corpus, made), strict=True):
        assert option.probabilities == pytest.approx(expected, rel=1e-4)
    for smoothing in ("good-turing", "kneser-ney"):
        smoothed = table(corpus, smoothing=smoothing)
        assert np.isfinite(smoothed.scores).all()
        assert (smoothed.scores < 1e-6).all()


def test_every_option_names_its_example():
    made = table(TOY)
    assert {o.example for o in made.of(["you"])} == {1, 2}
    assert math.isclose(sum(made.counts), 9)
