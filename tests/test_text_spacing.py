"""Detokenising: the Moses rules, and the three cases where we do better."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacremoses import MosesDetokenizer

from paraphrast.text import detokenise, tokenise

MOSES = MosesDetokenizer(lang="en")
# Sacremoses also joins Chinese and Japanese; curly quotes and n't are our own.
SHARED = st.text(st.characters(max_codepoint=0x024F), max_size=6).filter(
    lambda t: not set("«»") & set(t) and t.lower() != "n't"
)
TOKENS = st.sampled_from(
    [*"a'\"`()[],.$5%!?:;„-\\¿", "dogs", "''", "``", "...", "'s", "'ll", "@-@", "'é"]
)


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("", ""),
        ("i 'll go , he said .", "i'll go, he said."),
        ("he wasn 't there ; he turn 'd back", "he wasn't there; he turn'd back"),
        ('he said , " go ! "', 'he said, "go!"'),
        ("the dogs ' bones ( 5 )", "the dogs' bones (5)"),
        ("it cost $ 5 , or 50 %", "it cost $5, or 50%"),
        ("well @-@ known", "well-known"),
    ],
)
def test_golden_texts(tokens, expected):
    given_tokens = tokens.split()
    assert detokenise(given_tokens) == expected
    assert MOSES.detokenize(given_tokens, unescape=False) == expected


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("“ go , ” he said , “ now . ”", "“go,” he said, “now.”"),
        ("don ’ t , he ’ s fine", "don’t, he’s fine"),
        ("the dogs ’ bones", "the dogs’ bones"),
        ("i do n't", "i don't"),
    ],
)
def test_better_than_moses(tokens, expected):
    assert detokenise(tokens.split()) == expected
    assert MOSES.detokenize(tokens.split(), unescape=False) != expected


@settings(deadline=None)
@given(st.lists(TOKENS | SHARED))
def test_any_tokens_are_spaced_as_moses_does(tokens):
    assert detokenise(tokens) == MOSES.detokenize(tokens, unescape=False)


@pytest.mark.parametrize(
    "text",
    [
        "I don't know, Mr. Smith.",
        "She said: \"It's 10 o'clock!\"",
        "The (very) old man's $5 [sic] bet; 50% won.",
        "Wait... what?",
        "“It’s,” he said, “over.”",
    ],
)
def test_usual_text_survives_the_round_trip(text):
    assert detokenise(tokenise(text)) == text
