"""Placeholders hide spans from a rewriter, survive it, and are put back."""

from hypothesis import given, settings

from paraphrast.text import (
    detokenise,
    mask,
    protected_spans,
    tokenise,
    unmask,
)
from paraphrast.text.spans import Span
from text_strategies import ANY_TEXT


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT)
def test_unmask_undoes_mask(text):
    masked, table = mask(text, protected_spans(text))
    assert unmask(masked, table).text == text
    assert unmask(masked, table).lost == ()


@settings(deadline=None)
@given(ANY_TEXT)
def test_every_placeholder_is_one_token(text):
    masked, table = mask(text, protected_spans(text))
    tokens = tokenise(masked)
    assert all(tokens.count(placeholder) == 1 for placeholder in table)


def test_originals_return_after_tokenising_and_shouting():
    text = "**Pay** $5 at http://a.b/c."
    masked, table = mask(text, protected_spans(text))
    written = detokenise(tokenise(masked)).upper()
    assert unmask(written, table).text == "**PAY** $5 AT http://a.b/c."


def test_lost_placeholders_are_reported():
    text = "call 555 or 777 or 999"
    masked, table = mask(text, protected_spans(text))
    first, _, last = table
    result = unmask(f"ring {last} or {first}", table)
    assert result.text == "ring 999 or 555"
    assert result.lost == ("777",)


def test_a_text_may_hold_what_looks_like_a_placeholder():
    text = "zqx0q ZQXX1q 5"
    masked, table = mask(text, protected_spans(text))
    assert list(table) == ["zqxxx0q"]
    assert unmask(masked, table).text == text


def test_a_span_before_punctuation_does_not_stick_to_a_moved_word():
    masked, table = mask("I am now on 96.", [Span(12, 14)])
    (placeholder,) = table
    assert unmask(f"I'm on {placeholder} now.", table).text == "I'm on 96 now."
    assert unmask(f"I'm on {placeholder} .", table).text == "I'm on 96."
    masked, table = mask("the 96th day", [Span(4, 6)])
    assert unmask(f"day {[*table][0]} th", table).text == "day 96th"
