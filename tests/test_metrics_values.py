"""Each metric against values by hand, and properties common to all of them."""

import csv
import math
import os
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.metrics.base import Segment, mean_statistics, ratio, rows, signature
from paraphrast.metrics.bleu import Bleu, SentenceBleu
from paraphrast.metrics.chrf import Chrf
from paraphrast.metrics.copies import CopyRate
from paraphrast.metrics.diversity import (
    LengthRatio,
    LexicalOverlap,
    Repetition,
    WordOrder,
)
from paraphrast.metrics.edit_distance import EditDistance
from paraphrast.metrics.pinc import Pinc
from paraphrast.metrics.scoring import score
from paraphrast.metrics.ter import Ter

ALL = [
    Bleu(),
    SentenceBleu(),
    Chrf(),
    Ter(),
    Pinc(),
    Pinc(convention="xu12"),
    EditDistance(),
    EditDistance(unit="words"),
    CopyRate(),
    CopyRate(ignoring="case-and-punctuation"),
    LexicalOverlap(),
    WordOrder(),
    LengthRatio(),
    Repetition(),
]
AGAINST_REFERENCES = [m for m in ALL if "references" in m.needs]

TEXT = st.one_of(
    st.text(max_size=12),
    st.lists(st.sampled_from(["to", "be", "or", "not", ",", "sea"]), max_size=9).map(
        " ".join
    ),
)
SEGMENTS = st.lists(
    st.builds(
        Segment,
        output=TEXT,
        source=TEXT,
        references=st.lists(TEXT, min_size=1, max_size=3).map(tuple),
    ),
    min_size=1,
    max_size=6,
).map(lambda found: [*found, Segment("a b", "b a", ("b",))])

each_metric = pytest.mark.parametrize("metric", ALL, ids=str)
any_metric = st.sampled_from(ALL)
many = settings(max_examples=80, deadline=None)


def value(metric, output, source="", references=()):
    segment = Segment(output, source, tuple(references))
    return float(metric.total(metric.statistics([segment]).sum(axis=0)))


@many
@given(metric=any_metric, segments=SEGMENTS)
def test_every_value_is_finite(metric, segments):
    statistics = rows(metric, segments)
    each = metric.each(statistics)
    result = score(metric, segments, resamples=30)
    assert each.shape == (len(segments),)
    assert np.isfinite(each).all()
    assert math.isfinite(result.value)
    assert result.low <= result.value <= result.high
    assert result.segments == len(segments)


@many
@given(metric=any_metric, segments=SEGMENTS, shuffle=st.randoms(use_true_random=False))
def test_order_of_segments_does_not_matter(metric, segments, shuffle):
    moved = list(segments)
    shuffle.shuffle(moved)
    there, back = (metric.total(rows(metric, s).sum(axis=0)) for s in (segments, moved))
    assert float(there) == pytest.approx(float(back), abs=1e-9)


@many
@given(metric=any_metric, segments=SEGMENTS)
def test_duplicating_all_segments_does_not_change_the_score(metric, segments):
    once = score(metric, segments, resamples=0)
    twice = score(metric, segments * 2, resamples=0)
    # Without a full match, smoothing counts half an n-gram however many there are.
    if metric != Bleu():
        assert once.value == pytest.approx(twice.value, abs=1e-9)
    assert once.low == once.value == once.high


@many
@given(metric=any_metric, segments=SEGMENTS)
def test_total_accepts_stacked_sums(metric, segments):
    statistics = rows(metric, segments)
    stack = np.stack([statistics, statistics * 2])
    totals = metric.total(stack)
    assert totals.shape == stack.shape[:2]
    for row, total in zip(statistics, totals[0], strict=True):
        assert float(metric.total(row)) == pytest.approx(float(total), abs=1e-9)


@each_metric
def test_one_segment_has_an_interval_without_width(metric):
    result = score(metric, [Segment("to be", "or not", ("to bee",))])
    assert result.low == result.value == result.high


@each_metric
def test_empty_strings_have_values(metric):
    for output, source, reference in [("", "a", "a"), ("a", "b", ""), ("", "", "")]:
        each = metric.each(metric.statistics([Segment(output, source, (reference,))]))
        assert np.isfinite(each).all()


@each_metric
def test_the_same_seed_gives_the_same_interval(metric):
    segments = [Segment(w * n, w, (w,)) for n, w in enumerate(["a b", "c d e", "f"])]
    assert score(metric, segments) == score(metric, segments)


@many
@given(metric=st.sampled_from(AGAINST_REFERENCES), segments=SEGMENTS)
def test_a_reference_scores_full_marks(metric, segments):
    copied = [Segment(s.references[0], references=s.references) for s in segments]
    copied.append(Segment("so long lives this", references=("so long lives this",)))
    result = score(metric, copied, resamples=0)
    if isinstance(metric, SentenceBleu):  # an empty sentence has no n-gram to match
        copied = [s for s in copied if s.output.strip()]
        result = score(metric, copied, resamples=0)
    assert result.value == pytest.approx(100.0 if metric.higher_is_better else 0.0)


@pytest.mark.parametrize(
    ("output", "source", "standard", "xu12"),
    [
        ("a b c d", "a b c d", 0.0, 0.0),
        ("e f g h", "a b c d", 100.0, 100.0),
        # 1 of 4 words, 2 of 3 pairs, 2 of 2 triples, 1 of 1 quadruple are new.
        ("a b x d", "a b c d", 100 * (1 / 4 + 2 / 3 + 1 + 1) / 4, 100 * 35 / 48),
        ("x", "y", 100.0, 25.0),  # XU12 divides one order by four
        ("a x", "a b", 100 * (1 / 2 + 1) / 2, 100 * (1 / 2 + 1) / 4),
        ("a a a a", "a", 75.0, 75.0),  # n-grams are a set: 'a' is not new
        ("", "a b", 0.0, 0.0),
        ("a", "", 100.0, 25.0),
    ],
)
def test_pinc_by_hand(output, source, standard, xu12):
    assert value(Pinc(), output, source) == pytest.approx(standard)
    assert value(Pinc(convention="xu12"), output, source) == pytest.approx(xu12)


def test_pinc_of_a_corpus_is_the_mean_of_its_sentences():
    segments = [Segment("a b c d", "a b c d"), Segment("x", "y")]
    assert score(Pinc(), segments).value == 50.0


@pytest.mark.parametrize(
    ("source", "output", "characters", "words"),
    [
        ("kitten", "sitting", 3, 1),
        ("what u doin", "What are you doing?", 9, 4),
        ("same", " same ", 0, 0),
        ("", "new text", 8, 2),
        ("", "", 0, 0),
    ],
)
def test_edit_distance_by_hand(source, output, characters, words):
    assert value(EditDistance(), output, source) == characters
    assert value(EditDistance(unit="words"), output, source) == words


@pytest.mark.parametrize(
    ("output", "nothing", "case", "letters"),
    [
        ("I am, sir.", 100, 100, 100),
        ("I am, sir. ", 100, 100, 100),
        ("i am, sir.", 0, 100, 100),
        ("I am sir!", 0, 0, 100),
        ("I am, Sire.", 0, 0, 0),
    ],
)
def test_copies_by_hand(output, nothing, case, letters):
    source = "I am, sir."
    assert value(CopyRate(), output, source) == nothing
    assert value(CopyRate(ignoring="case"), output, source) == case
    assert value(CopyRate(ignoring="case-and-punctuation"), output, source) == letters


def test_diversity_by_hand():
    source, output = "The cat sat on a mat.", "On the mat sat it, the cat"
    # Without articles: cat sat on mat / on mat sat it cat; 4 shared of 4 and 5.
    assert value(LexicalOverlap(), output, source) == pytest.approx(100 * 8 / 9)
    # Shared, in the source's order, stand at 4 3 1 2 of the output: 5 of 6 swapped.
    assert value(WordOrder(), output, source) == pytest.approx(1 - 2 * 5 / 6)


@pytest.mark.parametrize(
    ("output", "source", "expected"),
    [("a b c", "a b", 1.5), ("", "a b", 0.0), ("", "", 1.0), ("a b", "", 2.0)],
)
def test_length_ratio_by_hand(output, source, expected):
    assert value(LengthRatio(), output, source) == expected


@pytest.mark.parametrize(
    ("output", "expected"),
    [("go go go go", 100 * 2 / 3), ("to be or not", 0.0), ("one", 0.0), ("", 0.0)],
)
def test_repetition_by_hand(output, expected):
    assert value(Repetition(), output) == pytest.approx(expected)


def test_a_corpus_score_sums_counts_and_does_not_average_sentences():
    segments = [Segment("a", "a"), Segment("b b b b b b", "b b")]
    assert score(LengthRatio(), segments).value == pytest.approx(7 / 3)  # not 2


@pytest.mark.parametrize("metric", ALL, ids=str)
def test_signature_names_every_setting(metric):
    text = signature(metric)
    assert text.startswith(f"{metric.name}|")
    for field in fields(metric):
        assert f"|{field.name}:" in text
    assert text.count("|sacrebleu:") == (getattr(metric, "library", "") == "sacrebleu")


@pytest.mark.parametrize(
    ("metric", "segments", "complaint"),
    [
        (Bleu(), [], "bleu: nothing to score"),
        (Bleu(), [Segment("a")], "bleu needs references"),
        (Bleu(), [Segment("a", "", ("b",)), Segment("a")], "bleu needs references"),
        (Pinc(), [Segment("a")], "pinc needs sources"),
    ],
)
def test_unscorable_segments_are_refused(metric, segments, complaint):
    with pytest.raises(ParaphrastError, match=complaint):
        score(metric, segments)


@pytest.mark.parametrize("metric", [m for m in ALL if m != EditDistance()], ids=str)
def test_a_book_on_one_line_is_scored_or_refused_in_time(metric):
    book = "to be or not to be " * 3_500  # 21,000 words
    segment = Segment(book + "end", book, (book,))
    if isinstance(metric, Ter):
        with pytest.raises(
            ParaphrastError, match="segment 1 has a line of 21,001 words"
        ):
            score(metric, [segment])
    else:
        assert math.isfinite(score(metric, [segment]).value)


class Broken:
    """A plugin's metric that breaks its contract."""

    name, needs, higher_is_better = "broken", frozenset(), True

    def __init__(self, statistics):
        self.found = statistics

    def statistics(self, segments):
        return self.found


def test_a_metric_without_a_value_is_named_with_the_segment():
    with pytest.raises(ParaphrastError, match="broken: segment 2 has no value"):
        rows(Broken(mean_statistics([1.0, math.nan])), [Segment("a"), Segment("b")])


def test_a_metric_that_loses_a_segment_is_a_bug():
    with pytest.raises(TypeError, match="2 segments gave statistics of shape"):
        rows(Broken(mean_statistics([1.0])), [Segment("a"), Segment("b")])


def test_an_empty_ratio_takes_the_given_value():
    assert ratio(np.zeros((2, 2)), empty=7.0).tolist() == [7.0, 7.0]


@pytest.mark.parametrize("kind", [Bleu, SentenceBleu, Pinc, Repetition])
def test_an_order_without_ngrams_is_refused(kind):
    with pytest.raises(ValueError, match="order must be at least 1, not 0"):
        kind(order=0)


# The table of XU12's Figure 1. 26.58 is printed as 16.58 in the published file.
PUBLISHED_TYPO = {("16and7plays_16LM_mert", "1"): 26.58}
OUTPUTS = {
    "Dictionary": "phrase2",
    "modern (no change)": "ascii.romeojuliet_tokenized_lower_modern",
}


@pytest.mark.data
def test_published_bleu_and_pinc_of_xu12():
    folder = Path(os.environ["PARAPHRAST_MIRROR"]) / "xu12"

    def lines(name):
        return (
            (folder / "eval" / name).read_text("utf-8").removesuffix("\n").split("\n")
        )

    original = lines("ascii.romeojuliet_tokenized_lower_original")
    with (folder / "paper" / "bleupinc.csv").open(encoding="utf-8") as file:
        published = list(csv.DictReader(file, delimiter="\t"))
    assert len(published) == 18
    for row in published:
        name, side = row["system"], row["corpus"]
        modern = lines(f"ascii.romeojuliet_tokenized_lower_modern.{side}")
        outputs = lines(f"{OUTPUTS.get(name, name)}.{side}")
        segments = [
            Segment(output, source, (reference,))
            for output, source, reference in zip(outputs, modern, original, strict=True)
        ]
        bleu = score(Bleu(tokenize="none", smoothing="none"), segments, resamples=0)
        pinc = score(Pinc(tokenize="none", convention="xu12"), segments, resamples=0)
        wanted = PUBLISHED_TYPO.get((name, side), float(row["PINC"]))
        assert bleu.value == pytest.approx(float(row["BLEU"]), abs=0.01)
        assert pinc.value == pytest.approx(wanted, abs=0.06)
