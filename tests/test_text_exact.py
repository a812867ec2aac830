"""Tokens give their text back, whole or with what a rewriter changed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.text import tokenise, tokenise_exactly
from text_strategies import ANY_TEXT


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT)
def test_any_text_comes_back(text):
    tokens = tokenise_exactly(text)
    assert tokens.restore() == text
    assert tokens.restore(list(tokens.words)) == text
    assert tokens.restore([word.lower() for word in tokens.words]) == text


@settings(deadline=None)
@given(ANY_TEXT)
def test_spans_are_the_tokens_places(text):
    tokens = tokenise_exactly(text)
    assert list(tokens.words) == tokenise(text)
    end = 0
    for word, (start, stop) in zip(tokens.words, tokens.spans, strict=True):
        assert end <= start < stop <= len(text)
        assert "".join(c for c in text[start:stop] if not c < " ") == word
        end = stop


@settings(deadline=None)
@given(ANY_TEXT, st.lists(st.sampled_from(["a", "the", ",", "'s", "Romeo", '"', "."])))
def test_new_tokens_all_arrive_in_order(text, words):
    restored = tokenise_exactly(text).restore(words)
    assert list("".join(words).lower()) == [
        c for c in restored.lower() if not c.isspace() and not c < " "
    ]


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        # A changed word takes the place of the old one, its neighbours stay.
        ("Hello,  dear  Romeo!", "hello , sweet romeo !", "Hello,  sweet  Romeo!"),
        # New spacing where the kind of token changes.
        ("I'll go.", "i will go .", "I will go."),
        ("I will go.", "i 'll go .", "I'll go."),
        # The text's own habits are kept where it does not follow the rules.
        ("“Hi,” he said", "“ good day , ” he said", "“good day,” he said"),
        ("and/or both", "and / nor both", "and/nor both"),
        ("one\ntwo three", "one 2 three", "one\n2 three"),
        # What is put in or left out.
        ("He left", "then he left", "then He left"),
        ("Well, he left.", "He left .", "He left."),
        ("(yes) no", "( yes , sir ) no", "(yes, sir) no"),
        ("  edges stay \n", "corners stay", "  corners stay \n"),
        ("all goes", "", ""),
        ("", "all new .", "all new."),
    ],
)
def test_changed_tokens_are_put_into_the_text(text, words, expected):
    assert tokenise_exactly(text).restore(words.split()) == expected


def test_a_token_in_capitals_is_not_overruled_by_the_text():
    assert tokenise_exactly("go home").restore(["Go", "HOME"]) == "Go HOME"
