"""TERp: TER when nothing is added, and cheaper edits when something is."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.metrics import terp_table
from paraphrast.metrics.base import Segment, signature
from paraphrast.metrics.choosing import choose
from paraphrast.metrics.ter import Ter
from paraphrast.metrics.terp import Terp, tune_costs

PLAIN = Terp(stems=False, shifts="exact")
ROWS = [
    ("big", "large", 0.1),
    ("kick the bucket", "die", 0.01),
    ("at once", "immediately", 1.0),
]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text("".join(f"{a}\t{b}\t{p}\tX\n" for a, b, p in ROWS), "utf-8")
    return str(path)


def price(metric, output, reference):
    return metric.statistics([Segment(output, references=(reference,))])[0, 0]


WORDS = st.lists(st.sampled_from("abcde"), max_size=12).map(" ".join)


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
@settings(max_examples=60)
def test_without_its_extras_it_is_ter(output, references):
    segments = [Segment(output, references=tuple(references))]
    assert PLAIN.statistics(segments).tolist() == Ter().statistics(segments).tolist()


def test_without_its_extras_it_is_ter_on_long_and_unequal_texts():
    draw = random.Random(1)
    words = [f"w{draw.randrange(60)}" for _ in range(64)]
    moved = words[40:55] + words[:35] + words[60:]
    for output in (moved, words[:2], words[::-1][:12], words[:30] * 2):
        segments = [Segment(" ".join(output), references=(" ".join(words),))]
        assert PLAIN.statistics(segments).tolist() == (
            Ter().statistics(segments).tolist()
        )


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("he loves dogs", "he loved a dog", 1.5),  # two stems and a word
        ("he hates dogs", "he loved a dog", 2.25),
        ("The cat", "the cat", 0.0),
        ("", "the cat", 2.0),
        ("the cat", "", 2.0),
        ("", "", 0.0),
        ("dogs he saw", "he saw a dog", 2.25),  # a move, a stem, a word
    ],
)
def test_words_of_one_stem_cost_a_quarter(output, reference, expected):
    assert price(Terp(), output, reference) == pytest.approx(expected)


def test_paraphrases_cost_by_their_probability(table):
    metric = Terp(table=table)
    # one edit · (0.1 · 1 + 0.25); three edits · (0.1 · 2 + 0.25); two edits · 0.25
    assert price(metric, "a big house", "a large house") == pytest.approx(0.35)
    assert price(metric, "they die now", "they kick the bucket now") == (
        pytest.approx(1.35)
    )
    assert price(metric, "go immediately", "go at once") == pytest.approx(0.5)
    assert price(metric, "go at once", "go immediately") == pytest.approx(0.5)


def test_a_paraphrase_never_costs_more_than_the_plain_edits(table):
    dear = Terp(table=table, edit=5.0)
    plain = Terp()
    pair = ("they die now", "they kick the bucket now")
    assert price(dear, *pair) == price(plain, *pair)


def test_a_block_of_function_words_alone_is_not_shifted():
    pair = ("of it the sea speaks", "the sea speaks of it")
    assert price(PLAIN, *pair) == 1
    assert price(Terp(stems=False), "it is the sea", "the sea it is") == 1  # "the sea"
    assert price(Terp(stems=False), "of to by in", "in of to by") == 2


def test_a_block_is_shifted_to_words_with_matching_stems():
    output, reference = "yesterday he walks home slowly", "he walked home slowly y"
    exact = Terp(shifts="exact", stems=False)
    assert price(Terp(), output, reference) < price(exact, output, reference)


def test_it_is_chosen_by_name_and_signed_by_the_tables_contents(table, tmp_path):
    metric = choose(f"terp:table={table},stem=0.5")
    assert metric.stem == 0.5
    assert terp_table.read(tmp_path / "table.tsv").signature in signature(metric)
    assert table not in signature(metric)
    assert "table:none" in signature(Terp())


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("one\ttwo\n", "expected phrase, paraphrase and probability"),
        ("one\ttwo\t1.5\n", "not between 0 and 1"),
        ("one\ttwo\tmany\n", "expected phrase"),
    ],
)
def test_a_bad_table_is_refused_with_its_line(tmp_path, content, complaint):
    path = tmp_path / "bad.tsv"
    path.write_text(content, "utf-8")
    with pytest.raises(ParaphrastError, match=complaint):
        terp_table.read(path)


def test_bad_settings_and_missing_tables_are_refused(tmp_path):
    with pytest.raises(ParaphrastError, match="move must be 0 or more"):
        choose("terp:move=-1")
    with pytest.raises(ParaphrastError, match="paraphrases export"):
        price(Terp(table=str(tmp_path / "none.tsv")), "a", "b")
    book = Segment("a " * 3_000, references=("b",))
    with pytest.raises(ParaphrastError, match="terp: segment 1"):
        Terp().statistics([book])


def test_costs_are_fitted_to_judgments():
    # People here forgive what was left out and punish what was added.
    pairs = [("a b", "a b c d", 4), ("a b c d", "a b", 1), ("a", "a b", 4)]
    pairs += [("a b c", "a b", 2), ("a b", "a b", 5), ("a b c d e", "a b", 0)]
    segments = [Segment(output, references=(ref,)) for output, ref, _ in pairs]
    judgments = [float(mark) for *_, mark in pairs]
    found = tune_costs(PLAIN, segments, judgments, costs=("insert", "delete"))
    assert found.insert < found.delete
    with pytest.raises(ParaphrastError, match="one judgment per segment"):
        tune_costs(PLAIN, segments, judgments[1:])
