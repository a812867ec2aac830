"""The combination of tables, alignments by a table, and the plot."""

import random
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, strategies
from sklearn.linear_model import LogisticRegression

from paraphrast.align.base import AlignedPair, Link
from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases import Paraphrase, from_rows
from paraphrast.paraphrases.parametric import Group, judge, of_table
from recipes.parametric import combination, linking, run
from recipes.parametric import combination_features as candidates
from recipes.parametric.curves import compare, curve

WORDS = strategies.lists(strategies.sampled_from("abc"), min_size=1, max_size=5)


def table(*rows):
    made = [
        Paraphrase(phrase, other, p, *context) for phrase, other, p, *context in rows
    ]
    return from_rows(made, about={})


def words(text):
    return tuple(text.split())


FIRST = table(
    ("old", "aged", 0.5),
    ("old", "cold", 0.2),
    ("aged", "old", 0.25),
    ("the old", "the aged", 0.1),
)
SECOND = table(
    ("old", "aged", 0.02, "NP"), ("old", "aged", 0.02, "AP"), ("old", "bold", 0.009)
)


def columns(found, phrase, other):
    pairs = list(zip(found.phrases, found.paraphrases, strict=True))
    row = found.features[pairs.index((words(phrase), words(other)))]
    return dict(zip(candidates.names(("first", "second")), row.tolist(), strict=True))


def test_candidates_have_the_probabilities_of_each_table():
    tables = {"first": FIRST, "second": SECOND}
    result = candidates.candidates(
        tables, [words("old"), words("the old"), words("no")], least=0.01
    )
    assert sorted(zip(result.phrases, result.paraphrases, strict=True)) == [
        (("old",), ("aged",)),
        (("old",), ("cold",)),
        (("the", "old"), ("the", "aged")),
    ]
    aged = columns(result, "old", "aged")
    # 0 stands for a probability of 0.0001 and below, 1 for certainty.
    assert aged["first: probability"] == pytest.approx(1 + np.log10(0.5) / 4, abs=1e-6)
    # Two contexts in the second table are one candidate.
    assert aged["second: probability"] == pytest.approx(
        1 + np.log10(0.04) / 4, abs=1e-6
    )
    assert aged["first: probability of the way back"] == pytest.approx(
        1 + np.log10(0.25) / 4, abs=1e-6
    )
    assert aged["first: probability left"] == pytest.approx(0.3)
    assert aged["in how many tables"] == 2
    cold = columns(result, "old", "cold")
    assert (cold["first: is in it"], cold["second: is in it"]) == (1, 0)
    assert (aged["first: rank"], cold["first: rank"]) == (1, 0.5)
    long = columns(result, "the old", "the aged")
    assert long["first: probability of the core"] == aged["first: probability"]
    assert (long["same first word"], long["same last word"]) == (1, 0)


@given(WORDS, WORDS)
def test_core_is_the_part_that_differs(left, right):
    left, right = tuple(left), tuple(right)
    here, there = candidates.core(left, right)
    before = next(
        n for n in range(6) if left[: n + 1] != right[: n + 1] or n == len(left)
    )
    assert left[:before] + here + left[before + len(here) :] == left
    assert left[:before] + there + left[before + len(here) :] == right
    assert not (here and there) or here[0] != there[0] and here[-1] != there[-1]


def test_regression_finds_scikit_learns_weights():
    draw = np.random.default_rng(1)
    features = draw.normal(size=(400, 3)).astype(np.float32)
    features[:, 2] = 7  # a column without information gets no weight
    times = draw.integers(1, 5, 400)
    chance = 1 / (1 + np.exp(-(features[:, 0] - 2 * features[:, 1] - 1)))
    right = draw.binomial(times, chance)
    ours = combination.fit(features, right, times, penalty=1.0)
    mean = np.average(features, axis=0, weights=times)
    scale = np.sqrt(np.average((features - mean) ** 2, axis=0, weights=times))
    scaled = ((features - mean) / np.where(scale > 0, scale, 1))[:, :2]
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(
        np.concatenate([scaled, scaled]),
        np.repeat([1, 0], 400),
        np.concatenate([right, times - right]),
    )
    expected = theirs.predict_proba(scaled)[:, 1]
    assert ours.probabilities(features) == pytest.approx(expected, abs=1e-5)
    assert ours.weights[2] == 0


def world(seed, places=60):
    """Make places of 20 words: two tables know of each one right and one wrong answer.

    What only one of the tables has is wrong; each gives wrong answers the higher
    probability, so neither can tell on its own.
    """
    draw = random.Random(seed)
    groups, rows = [], ([], [])
    for number in range(20):
        word, right = f"w{number}", f"r{number}"
        for side in (0, 1):
            rows[side].append((word, right, draw.uniform(0.1, 0.4)))
            rows[side].append((word, f"x{side}{number}", draw.uniform(0.2, 0.5)))
    for position in range(places):
        word = draw.randrange(20)
        group = Group(f"c{position}", (f"w{word}",), {(0, 1): {(f"r{word}",)}})
        groups.append(group)
    return {"one": table(*rows[0]), "two": table(*rows[1])}, groups


def test_the_combination_beats_its_parts_at_equal_recall():
    tables, groups = world(1)
    learnt = combination.train([world(2), world(3)])
    combined = learnt(tables, list(combination.phrases_of(groups)))
    ours = judge(groups, of_table(combined))
    for part in tables.values():
        theirs = judge(groups, of_table(part))
        for result in compare(ours, theirs, resamples=50):
            assert result.low > 0.2
    assert learnt.weights()["in how many tables"] > 0
    assert max(row.probability for row in combined) <= 1


def test_the_combination_requires_the_methods_it_was_trained_on():
    tables, groups = world(1)
    learnt = combination.train([world(2)])
    with pytest.raises(
        ParaphrastError, match="learnt for one, two, but the tables are"
    ):
        learnt(
            {"two": tables["two"], "one": tables["one"]},
            list(combination.phrases_of(groups)),
        )
    with pytest.raises(ParaphrastError, match="same methods"):
        combination.train([world(2), ({"three": tables["one"]}, groups)])


def test_empty_tables_give_an_empty_combination():
    tables, groups = world(1)
    learnt = combination.train([world(2)])
    none = {"one": table(), "two": table()}
    assert len(learnt(none, list(combination.phrases_of(groups)))) == 0


def test_links_by_a_table():
    pair = (words("the old man left home ."), words("the aged man went away home ."))
    known = of_table(table(("old", "aged", 0.5), ("man left", "man went away", 0.1)))
    # "left" and "went away" are left over between equal words.
    cells = {(result.source, result.target) for result in linking.link(pair, known)}
    assert cells == {(0, 0), (1, 1), (2, 2), (3, 3), (3, 4), (4, 5), (5, 6)}
    crossed = (words("old a b"), words("c d b aged"))
    assert set(linking.link(crossed, known)) == {Link(0, 3), Link(2, 2)}
    # Without that paraphrase "old a" and "c d" are left over before "b".
    cells = [
        (result.source, result.target)
        for result in linking.link(crossed, known, least=0.6)
    ]
    assert cells == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2)]
    (again,) = linking.link_by_table([AlignedPair(*pair, name="x.1")], known)
    assert (again.links, again.name) == (linking.link(pair, known), "x.1")


def test_equal_ends_of_paraphrases_are_linked_word_by_word():
    pair = (words("b a c"), words("b x y c"))
    known = of_table(table(("a", "x y", 0.5)))
    cells = [(result.source, result.target) for result in linking.link(pair, known)]
    assert cells == [(0, 0), (1, 1), (1, 2), (2, 3)]


def test_plot_is_an_image_with_one_line_per_method():
    tables, groups = world(1)
    curves = {
        f"<{name}>": curve(judge(groups, of_table(part)))
        for name, part in tables.items()
    }
    curves["nothing"] = curve(judge(groups, lambda *place: []))
    root = ElementTree.fromstring(run.draw_curves(curves))
    titles = [node.text for node in root.iter() if node.tag.endswith("title")]
    assert [title.partition(":")[0] for title in titles] == ["<one>", "<two>"]
    assert "LB-Precision 0.50" in titles[0]
