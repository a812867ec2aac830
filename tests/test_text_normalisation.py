"""Text is cleaned once and for all, and never gains or loses a line."""

import unicodedata

import pytest
from hypothesis import given, settings

from paraphrast.text import normalise, straighten
from paraphrast.text.normalisation import join_apostrophes, keep_letters
from text_strategies import ANY_TEXT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain", "plain"),
        ("  two\t spaces \r\n next\u00a0line ", "two spaces\nnext line"),
        ("donâ€™t cafÃ©", "don’t café"),  # UTF-8 read as Windows-1252
        ("cafe\u0301", "café"),
        ("a\x00b\x07c\u200bd\ufeff\u00ade", "abcde"),
        ("a\u2028b\x0bc\x1cd\re", "a b c d e"),
        ("ﬁne “quotes” stay", "fine “quotes” stay"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("&amp; <b>", "&amp; <b>"),
        ("bad \udcff byte", "bad \ufffd byte"),
    ],
)
def test_golden_normalisation(text, expected):
    assert normalise(text) == expected


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT)
def test_normalised_text_is_clean(text):
    clean = normalise(text)
    assert clean.count("\n") == text.count("\n")
    assert "  " not in clean
    assert unicodedata.is_normalized("NFC", clean)
    assert all(line == line.strip() for line in clean.split("\n"))
    clean.encode("utf-8")


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT)
def test_normalising_twice_changes_nothing_more(text):
    once = normalise(text)
    assert normalise(once) == once


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“It’s ‘so’—good…” – he", "\"It's 'so'--good...\" - he"),
        ("`code` stays", "`code` stays"),
        ("café", "café"),
    ],
)
def test_golden_straightening(text, expected):
    assert straighten(text) == expected


def test_the_em_dash_can_be_written_as_in_the_corpora_of_2012():
    assert straighten("pilgrim—they", em_dash="-") == "pilgrim-they"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("he ’ s here", "he 's here"),
        ("don ’ t , i ’ ll , we ’ re", "don 't , i 'll , we 're"),
        ("turn ’ d o ’ er", "turn 'd o 'er"),
        ("he’ s", "he's"),
        ("let ' s go", "let 's go"),
        ("the dogs ’ bones", "the dogs ’ bones"),
        ("he ’ says", "he ’ says"),
        ("’ tis", "’ tis"),
    ],
)
def test_cut_apostrophes_are_joined(text, expected):
    assert join_apostrophes(text) == expected


def test_letters_ignore_case_signs_and_spaces():
    assert keep_letters("Do n't_ STOP!") == keep_letters("don’t stop") == "dontstop"
