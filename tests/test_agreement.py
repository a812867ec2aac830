"""Coefficients of agreement: the literature's examples, parity, missing values."""

import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import interval_distance
from sklearn.metrics import cohen_kappa_score

from paraphrast.errors import ParaphrastError
from paraphrast.metrics.defaults import Resampling
from paraphrast.study.agreement import compute_agreement, compute_coefficient
from paraphrast.study.judgments import Judgment, tabulate

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": 4 observers, 12
# units, missing judgments as ".".
KRIPPENDORFF = {
    "A": "1 2 3 3 2 1 4 1 2 . . .",
    "B": "1 2 3 3 2 2 4 1 2 5 . 3",
    "C": ". 3 3 3 2 3 4 2 2 5 1 .",
    "D": "1 2 3 3 2 4 4 1 2 5 1 .",
}
# Fleiss (1971): how many of 14 psychiatrists gave each of 10 patients each label.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def columns(**annotators):
    """Make a table of columns written as labels with blanks between; "." is skipped."""
    return [
        Judgment(str(number), name, "" if label == "." else label)
        for name, text in annotators.items()
        for number, label in enumerate(text.split())
    ]


def two(table, *, scale=None):
    """Make a table of two annotators from the counts of their pairs of labels."""
    pairs = [
        (str(i), str(j))
        for i, row in enumerate(table)
        for j, count in enumerate(row)
        for _ in range(count)
    ]
    first, second = (" ".join(side) for side in zip(*pairs, strict=True))
    return tabulate(columns(A=first, B=second), scale=scale)


@pytest.mark.parametrize(
    ("scale", "expected"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)],
)
def test_krippendorff_s_own_example(scale, expected):
    found = compute_coefficient(
        tabulate(columns(**KRIPPENDORFF)), f"krippendorff alpha {scale}"
    )
    assert found.value == pytest.approx(expected, abs=5e-4)
    assert found.low <= found.value <= found.high
    assert found.items == 11  # the last but one unit has two judgments, the last one


def test_fleiss_s_own_example():
    judgments = []
    for item, row in enumerate(FLEISS):
        labels = [str(k) for k, count in enumerate(row) for _ in range(count)]
        judgments += [
            Judgment(str(item), f"rater {n}", label) for n, label in enumerate(labels)
        ]
    found = compute_coefficient(tabulate(judgments, scale="nominal"), "fleiss kappa")
    assert found.value == pytest.approx(0.210, abs=5e-4)


def test_the_textbook_example_of_cohen_s_kappa():
    # Observed 0.7, by chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5.
    found = compute_coefficient(
        two([[20, 5], [10, 15]], scale="nominal"), "cohen kappa"
    )
    assert found.value == pytest.approx(0.4)


def test_scott_s_pi_pools_the_annotators_habits():
    # Pooled shares 0.55 and 0.45, so chance is 0.505.
    found = compute_coefficient(two([[20, 5], [10, 15]], scale="nominal"), "scott pi")
    assert found.value == pytest.approx((0.7 - 0.505) / (1 - 0.505))


def test_fleiss_s_kappa_of_two_is_scott_s_pi():
    table = two([[20, 5, 3], [10, 15, 1], [0, 4, 8]], scale="nominal")
    fleiss, scott = (
        compute_coefficient(table, "fleiss kappa"),
        compute_coefficient(table, "scott pi"),
    )
    assert fleiss.value == pytest.approx(scott.value)


def test_weighted_kappa_of_cohen_1968_by_hand():
    # Observed (1 + 1) / 4; by chance every label of A meets every label of B:
    # (3 + 3 + 5 + 5) / 16.
    table = tabulate(columns(A="0 1 2 2", B="0 0 2 1"))
    assert compute_coefficient(table, "cohen kappa linear").value == pytest.approx(
        1 - 0.5
    )


ratings = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)),
    min_size=4,
    max_size=25,
).filter(lambda rows: all(len(set(c)) > 1 for c in zip(*rows, strict=True)))


def table_of(rows):
    names = "ABC"
    return {
        names[k]: " ".join(str(row[k]) for row in rows) for k in range(len(rows[0]))
    }


@given(ratings)
@settings(max_examples=60, deadline=None)
def test_kappas_equal_those_of_scikit_learn(rows):
    table = tabulate(columns(**table_of(rows)))
    first, second, _ = zip(*rows, strict=True)
    known = sorted({value for row in rows for value in row})
    pair = table.of(0, 1)
    for name, weights in [
        ("", None),
        (" linear", "linear"),
        (" quadratic", "quadratic"),
    ]:
        expected = cohen_kappa_score(first, second, labels=known, weights=weights)
        found = compute_coefficient(pair, f"cohen kappa{name}", Resampling(0)).value
        assert found == pytest.approx(expected, nan_ok=True)


@given(ratings)
@settings(max_examples=60, deadline=None)
def test_coefficients_of_many_annotators_equal_those_of_nltk(rows):
    table = tabulate(columns(**table_of(rows)))
    data = [
        (name, str(item), row[column])
        for item, row in enumerate(rows)
        for column, name in enumerate("ABC")
    ]
    report = compute_agreement(table, Resampling(0))
    found = {one.coefficient: one.value for one in report.overall}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nominal = AnnotationTask(data=data)
        interval = AnnotationTask(data=data, distance=interval_distance)
        assert found["krippendorff alpha nominal"] == pytest.approx(nominal.alpha())
        assert found["krippendorff alpha interval"] == pytest.approx(interval.alpha())
        assert found["mean cohen kappa"] == pytest.approx(nominal.kappa())
        # NLTK's pi of several annotators is Fleiss's kappa.
        assert found["fleiss kappa"] == pytest.approx(nominal.pi())


@given(ratings, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_alpha_with_skipped_items_equals_that_of_nltk(rows, draw):
    kept = [[value if draw.random() < 0.8 else None for value in row] for row in rows]
    data = [
        (name, str(item), row[column])
        for item, row in enumerate(kept)
        for column, name in enumerate("ABC")
        if row[column] is not None and sum(v is not None for v in row) > 1
    ]
    if len({value for _, _, value in data}) < 2:
        return
    table = tabulate(
        Judgment(str(item), name, "" if row[c] is None else str(row[c]))
        for item, row in enumerate(kept)
        for c, name in enumerate("ABC")
    )
    expected = AnnotationTask(data=data).alpha()
    found = compute_coefficient(table, "krippendorff alpha nominal", Resampling(0))
    assert found.value == pytest.approx(expected)


@given(ratings)
@settings(max_examples=30, deadline=None)
def test_the_order_of_annotators_and_items_does_not_matter(rows):
    there = compute_agreement(tabulate(columns(**table_of(rows))), Resampling(0))
    turned = [row[::-1] for row in rows[::-1]]
    back = compute_agreement(tabulate(columns(**table_of(turned))), Resampling(0))
    for one, other in zip(there.overall, back.overall, strict=True):
        assert one.value == pytest.approx(other.value, nan_ok=True)


def test_full_agreement_is_one_and_labels_by_chance_are_near_zero():
    draw = np.random.default_rng(1)
    first, second = draw.integers(1, 5, size=(2, 2_000)).astype(str)
    same = compute_agreement(tabulate(columns(A=" ".join(first), B=" ".join(first))))
    chance = compute_agreement(tabulate(columns(A=" ".join(first), B=" ".join(second))))
    for one in same.pairwise + same.overall:
        assert one.value == pytest.approx(1.0)
    for one in chance.pairwise + chance.overall:
        assert abs(one.value) < 0.06
        assert one.low < 0 < one.high


def test_one_label_only_leaves_a_coefficient_undefined():
    report = compute_agreement(tabulate(columns(A="1 1 1", B="1 1 1")))
    assert report.pairwise
    assert all(np.isnan(one.value) for one in report.pairwise + report.overall)


def test_annotators_without_a_shared_item_have_no_coefficient():
    table = tabulate(columns(A="1 2 . .", B=". . 1 2", C="1 2 2 1"))
    report = compute_agreement(table)
    alone = [one for one in report.pairwise if one.annotators == ("A", "B")]
    assert all(np.isnan(one.value) and one.items == 0 for one in alone)
    # The mean is over those that have one: A with C agree fully, B with C not at all.
    mean = {one.coefficient: one.value for one in report.overall}
    assert mean["mean cohen kappa"] == pytest.approx((1 + -1) / 2)


def test_numbers_with_many_values_are_not_treated_as_categories():
    values = " ".join(str(n / 3) for n in range(30))
    table = tabulate(columns(A=values, B=values))
    names = {one.coefficient for one in compute_agreement(table).overall}
    assert names == {"krippendorff alpha ordinal", "krippendorff alpha interval"}
    assert {one.coefficient for one in compute_agreement(table).pairwise} == {
        "pearson",
        "spearman",
    }


def test_only_coefficients_that_suit_the_labels_are_computed():
    words = compute_agreement(tabulate(columns(A="yes no yes", B="yes no no")))
    assert {one.coefficient for one in words.pairwise} == {"cohen kappa", "scott pi"}
    ranked = tabulate(
        columns(A="low high mid", B="low mid mid"), order=("low", "mid", "high")
    )
    names = {one.coefficient for one in compute_agreement(ranked).overall}
    assert "krippendorff alpha ordinal" in names
    assert "krippendorff alpha interval" not in names


def test_interval_coverage_is_close_to_nominal():
    # Two annotators who agree on 0.8 of coin tosses: kappa is 0.6.
    draw = np.random.default_rng(3)
    covered = 0
    for _ in range(100):
        first = draw.integers(0, 2, 150)
        second = np.where(draw.random(150) < 0.8, first, 1 - first)
        table = tabulate(
            columns(A=" ".join(map(str, first)), B=" ".join(map(str, second))),
            scale="nominal",
        )
        found = compute_coefficient(table, "cohen kappa", Resampling(300))
        covered += found.low <= 0.6 <= found.high
    assert 88 <= covered <= 100


def test_equal_seeds_give_equal_intervals():
    table = tabulate(columns(**KRIPPENDORFF))
    assert compute_agreement(table, Resampling(seed=5)) == compute_agreement(
        table, Resampling(seed=5)
    )
    assert compute_agreement(table, Resampling(seed=5)) != compute_agreement(
        table, Resampling(seed=6)
    )


def test_many_annotators_are_not_compared_pairwise():
    table = tabulate(columns(**{f"annotator{n}": "1 2 1 2" for n in range(13)}))
    report = compute_agreement(table, Resampling(0))
    assert not report.pairwise
    assert "fleiss kappa" in {one.coefficient for one in report.overall}


def test_many_items_and_labels_take_little_memory():
    draw = np.random.default_rng(1)
    first = draw.normal(size=8_000)
    second = first + draw.normal(size=8_000)
    numbers = tabulate(
        Judgment(str(item), name, repr(float(value)))
        for name, column in (("A", first), ("B", second))
        for item, value in enumerate(column)
    )
    tracemalloc.start()
    found = compute_agreement(numbers, Resampling(100))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 250e6  # a table of items by labels would take 1 gigabyte
    values = {one.coefficient: one.value for one in found.overall + found.pairwise}
    assert values["pearson"] == pytest.approx(0.5**0.5, abs=0.01)


def test_spellings_of_one_number_are_one_label():
    table = tabulate(columns(A="1 2.0", B="1.0 2"))
    assert table.labels == ("1", "2")
    assert (table.codes[:, 0] == table.codes[:, 1]).all()


def test_numbers_keep_all_their_digits():
    table = tabulate(columns(A="0.12345678901 1e300", B="0.12345678902 1e300"))
    assert list(table.numbers) == [0.12345678901, 0.12345678902, 1e300]


def test_skipped_items_are_counted():
    table = tabulate(columns(**KRIPPENDORFF))
    assert table.skipped == {"A": 3, "B": 1, "C": 2, "D": 1}


@pytest.mark.parametrize(
    ("judgments", "options", "complaint"),
    [
        (columns(A="1 2"), {}, "two annotators"),
        ([], {}, "two annotators"),
        (columns(A="1 2", B="1 x"), {"scale": "interval"}, "'x' is not a number"),
        (columns(A="b a", B="a a"), {"scale": "ordinal"}, "needs their order"),
        (columns(A="b a", B="a a"), {"order": ("a", "c")}, "unknown label 'b'"),
        (columns(A="b a", B="a a"), {"scale": "ratio"}, "unknown scale"),
        (columns(A="b", B="a") + columns(A="b"), {}, "judged item '0' twice"),
    ],
)
def test_an_invalid_table_is_refused(judgments, options, complaint):
    with pytest.raises(ParaphrastError, match=complaint):
        tabulate(judgments, **options)
