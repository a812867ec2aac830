"""Where sentences end, and where they only seem to."""

import random

import pytest
from hypothesis import given, settings

from growth import LINEAR, growth
from paraphrast.text import split_sentences
from text_strategies import ANY_TEXT, HARD


def sentences(text):
    return [text[span.start : span.end] for span in split_sentences(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["I came.", "I saw.", "I won!"],
        ["hey.", "how r u?", "fine"],
        ["Mr. and Mrs. Smith met Dr. Jones on Jan. 5.", "It rained."],
        ["J. R. R. Tolkien wrote it.", "So did I.", "Then we slept."],
        ["He lives in the U.S. today.", "I left the U.S.", "He stayed."],
        ["The U.S. Navy came.", "They left at 5 p.m. on Monday."],
        ["See No. 5.", "No.", "I will not."],
        ["It cost 3.50, i.e. nothing.", "Really?!", "Yes!!!"],
        ["Look at www.example.com.", "Or https://a.b/c?d=e.", "ok"],
        ["Wait... what?", "So... I left.", "Hmm...", "Then she came."],
        ['"Why?" he asked.', '"No!"', 'She said: "Go."', "He went."],
        ["He left (in a hurry!) and fell.", "(It hurt.)", "“Oh.”", "Yes."],
        ["Great! :)", "See you.", "thanks :)", "What now?", "nothing ;) bye"],
        ["Love it. 😀", "Me too!!👍🏽", "Bye"],
        ["one line\ngoes on here.", "two"],
        ["1. Buy milk.", "2. Go home."],
        ["Cats, dogs, etc. are here.", "Birds, etc.", "The end."],
        ["It ended .", 'He said, " Go . "'],
        ["He left .", '" I know , " she said .'],  # a quote with space on both sides
        ["Calif. , as we say, is far.", "Ok."],
        ["Fish et al. (2008) say so.", "Ok."],
    ],
    ids=lambda expected: expected[0],
)
def test_sentences_are_found(expected):
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize("blank", ["\n\n", "\n \t\n", "\r\n\r\n", "\n\n\n\n"])
def test_a_blank_line_ends_a_sentence(blank):
    assert sentences(f"no stop here{blank}and here") == ["no stop here", "and here"]


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "\u2028"])
def test_nothing_has_no_sentences(text):
    assert split_sentences(text) == []


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT)
def test_sentences_cover_everything_but_white_space(text):
    end = 0
    for span in split_sentences(text):
        assert end <= span.start < span.end
        assert not text[end : span.start].strip()
        assert text[span.start : span.end].strip() == text[span.start : span.end]
        end = span.end
    assert not text[end:].strip()


@pytest.mark.parametrize(
    "unit",
    ["word ", "A. ", "X A. ", "a.b ", ". ", "\n", ":) ", "😀 ", '."', "'", "!"],
)
def test_long_lines_take_linear_time(unit):
    assert growth(lambda size: split_sentences(unit * size), 2_500) < LINEAR


def test_every_sentence_of_a_line_of_100_000_words_is_found():
    assert len(split_sentences("oh well, here we go again. " * 16_667)) == 16_667


@pytest.mark.slow
def test_fuzz_sentences():
    draw = random.Random(7)
    for _ in range(100_000):
        text = "".join(draw.choices([*HARD, " ", ". ", "? "], k=draw.randint(1, 20)))
        joined = "".join(text[s.start : s.end] for s in split_sentences(text))
        assert "".join(joined.split()) == "".join(text.split())
