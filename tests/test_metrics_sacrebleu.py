"""Our totals, intervals and p-values against sacrebleu's own."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

from paraphrast.comparison.significance import (
    approximate_randomisation,
    paired_bootstrap,
)
from paraphrast.metrics.base import Segment, rows
from paraphrast.metrics.bleu import Bleu, SentenceBleu
from paraphrast.metrics.chrf import Chrf
from paraphrast.metrics.scoring import interval, score
from paraphrast.metrics.ter import Ter
from paraphrast.metrics.tokens import tokenise_text

PAIRS = [
    (Bleu(), BLEU(force=True)),
    (Bleu(lowercase=True), BLEU(force=True, lowercase=True)),
    (Bleu(tokenize="none"), BLEU(force=True, tokenize="none")),
    (Bleu(tokenize="char", order=6), BLEU(tokenize="char", max_ngram_order=6)),
    (Bleu(tokenize="intl"), BLEU(force=True, tokenize="intl")),
    (Bleu(smoothing="none"), BLEU(force=True, smooth_method="none")),
    (Bleu(smoothing="floor"), BLEU(force=True, smooth_method="floor")),
    (Bleu(smoothing="add-k"), BLEU(force=True, smooth_method="add-k")),
    (Chrf(), CHRF()),
    (Chrf(word_order=2), CHRF(word_order=2)),
    (Chrf(beta=1, lowercase=True), CHRF(beta=1, lowercase=True)),
    (Ter(), TER()),
    (Ter(lowercase=False, normalise=True), TER(case_sensitive=True, normalized=True)),
    (Ter(punctuation=False), TER(no_punct=True)),
]
IDS = [f"{ours}" for ours, _ in PAIRS]

WORDS = st.sampled_from(["a", "b", "C", "don't", "sea,", "sea", "...", "(x)", "é", ""])
TEXT = st.lists(WORDS, max_size=9).map(" ".join)


def corpora(references):
    return st.lists(
        st.tuples(TEXT, st.lists(TEXT, min_size=references, max_size=references)),
        min_size=1,
        max_size=5,
    )


def segments_of(corpus):
    return [Segment(output, references=tuple(known)) for output, known in corpus]


def columns(segments):
    return [
        list(column) for column in zip(*(s.references for s in segments), strict=True)
    ]


def outputs(segments):
    return [s.output for s in segments]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=IDS)
@settings(max_examples=30, deadline=None)
@given(corpus=st.one_of(corpora(1), corpora(3)))
def test_total_equals_the_corpus_score_of_sacrebleu(ours, theirs, corpus):
    segments = segments_of(corpus)
    total = ours.total(rows(ours, segments).sum(axis=0))
    expected = theirs.corpus_score(outputs(segments), columns(segments)).score
    assert float(total) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Bleu(), BLEU(effective_order=True)),
        (SentenceBleu(), BLEU(effective_order=True)),
        (
            SentenceBleu(smoothing="floor"),
            BLEU(effective_order=True, smooth_method="floor"),
        ),
        (Chrf(), CHRF()),
        (Ter(), TER()),
    ],
)
@settings(max_examples=30, deadline=None)
@given(corpus=st.one_of(corpora(1), corpora(2)))
def test_each_value_equals_the_sentence_score_of_sacrebleu(ours, theirs, corpus):
    segments = segments_of(corpus)
    expected = [theirs.sentence_score(s.output, s.references).score for s in segments]
    each = ours.each(rows(ours, segments))
    assert each.tolist() == pytest.approx(expected, abs=1e-9)


def test_segments_may_have_different_numbers_of_references():
    segments = [
        Segment("the sea is calm", references=("the sea is still", "a calm sea")),
        Segment("to night", references=("tonight",)),
    ]
    theirs = BLEU().corpus_score(
        outputs(segments), [["the sea is still", "tonight"], ["a calm sea", None]]
    )
    result = score(Bleu(), segments)
    assert result.value == pytest.approx(theirs.score, abs=1e-9)
    assert "|references:1-2|" in result.signature


def noisy(text, draw, rate):
    words = [w if draw.random() > rate else draw.choice("abcdefgh") for w in text]
    return " ".join(words)


@pytest.fixture(scope="module")
def systems():
    """Return four systems, the last the worst, on sixty segments each."""
    draw = random.Random(7)
    texts = [draw.choices("abcdefghijklm", k=draw.randint(1, 12)) for _ in range(60)]
    known = [(" ".join(text), noisy(text, draw, 0.2)) for text in texts]
    return [
        [
            Segment(noisy(text, draw, rate), references=references)
            for text, references in zip(texts, known, strict=True)
        ]
        for rate in (0.3, 0.3, 0.35, 0.6)
    ]


def paired(theirs, systems, *, test, samples, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "21")
    named = [(str(i), outputs(s)) for i, s in enumerate(systems)]
    test = PairedTest(named, {"m": theirs}, columns(systems[0]), test, samples)
    _, found = test()
    (results,) = (column for name, column in found.items() if name != "System")
    return results


THREE = [(Bleu(), BLEU(force=True)), (Chrf(), CHRF()), (Ter(), TER())]


@pytest.mark.parametrize(("ours", "theirs"), THREE, ids=["bleu", "chrf", "ter"])
def test_paired_bootstrap_has_sacrebleus_p_values(ours, theirs, systems, monkeypatch):
    results = paired(theirs, systems, test="bs", samples=400, monkeypatch=monkeypatch)
    first, *others = [rows(ours, segments) for segments in systems]
    found = paired_bootstrap(ours, first, others, resamples=400, seed=21)
    assert [d.p for d in found] == [r.p_value for r in results[1:]]
    assert any(0.01 < d.p < 0.99 for d in found)  # the test can tell p-values apart


@pytest.mark.parametrize(("ours", "theirs"), THREE, ids=["bleu", "chrf", "ter"])
def test_randomisation_has_sacrebleus_p_values(ours, theirs, systems, monkeypatch):
    results = paired(theirs, systems, test="ar", samples=500, monkeypatch=monkeypatch)
    first, *others = [rows(ours, segments) for segments in systems]
    found = approximate_randomisation(
        ours, first, others, trials=500, seed=21, ties="ignored"
    )
    assert found == pytest.approx([r.p_value for r in results[1:]], abs=1e-9)
    assert any(0.01 < p < 0.99 for p in found)  # the test can tell p-values apart
    if not isinstance(ours, Ter):  # edits are few and whole, so TER often ties
        assert found == approximate_randomisation(
            ours, first, others, trials=500, seed=21
        )


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_a_system_equal_to_the_baseline_is_not_significant(test, systems, monkeypatch):
    twice = [systems[0], systems[0]]
    theirs = paired(BLEU(), twice, test=test, samples=99, monkeypatch=monkeypatch)
    assert theirs[1].p_value == 0.01  # the least that 99 samples can give
    matrix = rows(Bleu(), systems[0])
    for ties, expected in (("counted", 1.0), ("ignored", 0.01)):
        if test == "ar":
            (p,) = approximate_randomisation(
                Bleu(), matrix, [matrix], trials=99, seed=21, ties=ties
            )
        else:
            (found,) = paired_bootstrap(
                Bleu(), matrix, [matrix], resamples=99, seed=21, ties=ties
            )
            p = found.p
        assert p == expected


@pytest.mark.parametrize(("ours", "theirs"), THREE, ids=["bleu", "chrf", "ter"])
def test_interval_is_as_wide_as_sacrebleus(ours, theirs, systems, monkeypatch):
    results = paired(
        theirs, systems[:2], test="bs", samples=400, monkeypatch=monkeypatch
    )
    low, high = interval(ours, rows(ours, systems[0]), resamples=400, seed=21)
    assert (high - low) / 2 == pytest.approx(results[0].ci, rel=1e-5)  # float32 there


def test_statistics_are_those_of_sacrebleu(systems):
    theirs = BLEU()._extract_corpus_statistics(outputs(systems[0]), columns(systems[0]))
    assert np.array_equal(rows(Bleu(), systems[0]), np.array(theirs))


MARKS = st.text(
    st.sampled_from("a1.,-&;<>'\" \t\u00a0\u2028\nquotampskied"), max_size=30
)


@pytest.mark.parametrize("tokenize", ["13a", "intl", "char", "none"])
@settings(max_examples=150, deadline=None)
@given(text=st.one_of(MARKS, st.text(max_size=20)), lowercase=st.booleans())
def test_tokens_equal_those_of_sacrebleu(tokenize, text, lowercase):
    theirs = BLEU(tokenize=tokenize, lowercase=lowercase)._preprocess_segment(text)
    assert tokenise_text(text, tokenize=tokenize, lowercase=lowercase) == theirs.split()


@pytest.mark.parametrize(
    "text",
    ["<skipped>a.b", "1,000-2 3-.", "a<skip ped>", "&amp;quot;x", "a-\nb", "5. ."],
)
def test_tokens_of_odd_text_equal_those_of_sacrebleu(text):
    assert tokenise_text(text, tokenize="13a", lowercase=False) == (
        BLEU()._preprocess_segment(text).split()
    )
