"""The gaming panel: each kind, and only it, on lines written to show it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import LINEAR, growth
from paraphrast.comparison.gaming import KINDS, Corpus, inspect, prepare
from paraphrast.errors import ParaphrastError

CORPUS = [
    "Wherefore art thou so sad to-day?",
    "The slow old river runs down to the cold grey sea at night.",
]


def kinds(source, output, corpus=CORPUS, others=()):
    panel = inspect([output], prepare([source], others), Corpus(corpus))
    return {finding.kind for finding in panel.findings if finding.count}


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        ("the cat sat", "the cat sat", {"copies"}),
        ("the cat sat", " the cat sat\r", {"copies"}),  # a stray end is no change
        ("the cat sat", "The cat sat.", {"near copies"}),
        ("I don't know", "i do n't know !", {"near copies"}),  # spacing alone
        ("the cat sat", "the cat lay", set()),
        ("the cat sat", "", {"empty"}),
        ("the cat sat", " ... !", {"empty"}),  # no word left
        ("", "", set()),  # nothing was asked for
        ("!!!", "?", set()),
    ],
)
def test_copies_and_empty_outputs(source, output, expected):
    assert kinds(source, output) == expected


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("wherefore art thou so sad to-day", {"retrieved"}),  # case and signs aside
        # 11 words make 8 4-grams, all in the corpus's second line
        ("slow old river runs down to the cold grey sea at", {"near retrieved"}),
        ("the slow river", set()),
        ("art thou so sad", set()),  # one 4-gram is not enough to tell
    ],
)
def test_lines_of_the_target_corpus(output, expected):
    assert kinds("a b c d e f g", output) - {"length"} == expected


def test_a_source_that_stands_in_the_target_corpus_is_copied_and_not_retrieved():
    assert kinds(CORPUS[0], CORPUS[0]) == {"copies"}


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        ("a b c d", "v w x y z q r s t", {"length"}),  # 9 > 2 * 4, 5 more
        ("a b c d", "v w x y z q r s", set()),  # twice is allowed
        ("a", "v w x", set()),  # three times, but two words more only
        ("a b c d e f g h i", "v w x y", {"length"}),  # 4 < 9 / 2, 5 fewer
    ],
)
def test_outliers_of_length(source, output, expected):
    assert kinds(source, output) == expected


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        ("a b c d e f", "u v w x u v w", {"repetition"}),  # u v w twice
        ("a b c d e f", "u v x u v y u v", {"repetition"}),  # u v three times
        ("a b c d e f", "u v x u v y", set()),
        ("a b c d a b c", "u v w x u v w", set()),  # the source does it too
        ("say it now", "no no no no", {"repetition"}),
    ],
)
def test_repetition_within_a_line(source, output, expected):
    assert kinds(source, output) == expected


def test_one_output_for_three_different_sources():
    sources = ["a", "b", "c", "c", "d", "e"]
    outputs = ["yes", "Yes.", "yes", "yes", "no", "no"]  # "no" has two sources only
    assert inspect(outputs, prepare(sources))["same output"].lines == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("source", "output", "lost"),
    [
        ("I saw Juliet there", "I beheld juliet yonder", set()),
        ("I saw Juliet's ring", "I beheld the ring of Juliet", set()),
        ("I saw Juliet there", "I beheld her yonder", {"lost names"}),
        ("Juliet came early", "She arrived early", set()),  # a sentence's first word
        ("Stop. Juliet came", "Stop . She arrived", set()),
        ("then I said", "then said he", set()),
        ("I AM SO ANGRY NOW", "I am rather upset", set()),  # shouting is no name
        ("it took 12,500 men", "it took many men", {"lost numbers"}),
        ("it took 12,500 men", "12,500 men it took", set()),
        ("it took 3 men", "it took three men", set()),
        ("it took 3 men", "it took four men", {"lost numbers"}),
        (f"it took {'9' * 5000} men", "many", {"lost numbers"}),
    ],
)
def test_lost_names_and_numbers(source, output, lost):
    assert kinds(source, output) & {"lost names", "lost numbers"} == lost


def test_the_capitals_of_verse_are_not_names():
    source = "my love is set On the fair daughter of rich Capulet"
    output = "my heart loves the daughter of old capulet"
    assert kinds(source, output, others=["it lies on the table"]) == set()


def test_shares_of_lost_names_are_of_the_lines_that_have_one():
    sources = ["I saw Juliet", "I saw Romeo", "it rains", "it snows"]
    panel = inspect(["I saw her", "I saw Romeo", "rain", "snow"], prepare(sources))
    assert panel["lost names"].share == 50  # 1 of 2
    assert panel["copies"].share == 25  # 1 of 4


def test_lower_case_sources_hide_names_and_the_panel_says_so():
    panel = inspect(["i saw her"], prepare(["i saw juliet"]))
    assert "lower case" in panel.unchecked["lost names"]
    assert "lost names" not in {finding.kind for finding in panel.findings}


def test_without_a_target_corpus_retrieval_is_not_claimed_to_be_absent():
    panel = inspect(["a"], prepare(["b"]))
    assert set(panel.unchecked) >= {"retrieved", "near retrieved"}


def test_length_ratio_is_the_mean_over_lines():
    assert inspect(["a b", "a"], prepare(["a", "a b"])).length_ratio == 1.25


def test_unequal_lengths_are_refused_with_both_counts():
    with pytest.raises(ParaphrastError, match="1 outputs but 2 sources"):
        inspect(["a"], prepare(["a", "b"]))


@given(st.lists(st.tuples(st.text(), st.text()), max_size=8))
def test_any_text_gives_lines_that_exist(pairs):
    sources, outputs = [a for a, _ in pairs], [b for _, b in pairs]
    panel = inspect(outputs, prepare(sources), Corpus(sources))
    assert {finding.kind for finding in panel.findings} <= set(KINDS)
    for finding in panel.findings:
        assert set(finding.lines) <= set(range(1, len(pairs) + 1))
        assert finding.count <= finding.total


@given(st.text())
def test_copying_is_always_found(text):
    counted = inspect([text], prepare([text]))["copies"].count
    assert counted == bool(text.strip())


def test_a_line_of_a_hundred_thousand_words_takes_linear_time():
    def work(size):
        line = "word and " * size
        inspect([line + "x"], prepare([line]), Corpus([line]))

    assert growth(work, 6_000) < LINEAR
