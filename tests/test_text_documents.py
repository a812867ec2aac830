"""Documents fall into prose and the rest, and come back whole."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.text import parse
from text_strategies import ANY_TEXT, HARD


def prose(text, *, markdown):
    return [piece.text for piece in parse(text, markdown=markdown) if piece.prose]


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT, st.booleans())
def test_pieces_join_to_the_document(text, markdown):
    pieces = parse(text, markdown=markdown)
    assert "".join(piece.text for piece in pieces) == text
    for piece in pieces:
        assert piece.text
        assert not piece.prose or piece.text == piece.text.strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n \n\t\n", []),
        ("One.\nTwo.\n", ["One.", "Two."]),
        ("  One.  \r\n\r\nTwo.\r\n", ["One.", "Two."]),
        ("- one\n* two\n\t• three\n", ["one", "two", "three"]),
        ("1. one\n(b) two\n – three", ["one", "two", "three"]),
        ("> quoted\n>> twice", ["quoted", "twice"]),
        ("a\u2028b\x0bc\n", ["a\u2028b\x0bc"]),
        ("# not a heading", ["# not a heading"]),
        ("1999. A year", ["1999. A year"]),
    ],
)
def test_plain_text_is_prose_line_by_line(text, expected):
    assert prose(text, markdown=False) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One\ntwo.\n\nThree.\n", ["One\ntwo.", "Three."]),
        ("hard  \nbreak\\\nhere\n", ["hard", "break", "here"]),
        ("# Head #\ntext\n", ["Head", "text"]),
        ("Head\n====\n\nHead\n---\ntext", ["Head", "Head", "text"]),
        ("#tag is text", ["#tag is text"]),
        ("- one\n  goes on\n- [ ] two\n", ["one\n  goes on", "two"]),
        ("- one\n\n    its second paragraph\n", ["one", "its second paragraph"]),
        ("1. one\n2) two\n   - three", ["one", "two", "three"]),
        ("> one\n> two\n", ["one", "two"]),
        ("- > # deep", ["deep"]),
        ("---\ntitle: x\n---\ntext", ["text"]),
        ("text\n\n```py\ncode\n\nmore\n```\nafter", ["text", "after"]),
        ("~~~\n```\n~~~\nafter", ["after"]),
        ("```\nnever closed\n", []),
        ("text\n\n    code\n\ttoo\n\nafter", ["text", "after"]),
        ("> quoted\n\n    code", ["quoted"]),
        ("| a | b |\n|---|:-:|\n| c | d |\n\nafter", ["after"]),
        ("a | b is text", ["a | b is text"]),
        ("<div>\nx\n</div>\n\nafter", ["after"]),
        ("<!-- x\n\ny -->\nafter", ["after"]),
        ("<b>bold</b> text", ["<b>bold</b> text"]),
        ("[a]: http://b.c\n[^1]: A note.\n", ["A note."]),
        ("***\n- - -\n___\n", []),
        ("**bold** start\n*i* too", ["**bold** start\n*i* too"]),
        ("one\r\ntwo\r\n\r\nthree\r\n", ["one\r\ntwo", "three"]),
    ],
)
def test_markdown_prose_is_what_a_reader_reads(text, expected):
    assert prose(text, markdown=True) == expected


@pytest.mark.parametrize(
    "unit",
    ["- ", "> ", "a\n", "a  \n", "<!--\n", "~~~\n", "a|\n", "# ", "|-", "[a"],
)
@pytest.mark.parametrize("markdown", [True, False])
def test_long_documents_take_linear_time(unit, markdown):
    began = time.process_time()
    parse(unit * 15_000, markdown=markdown)
    assert time.process_time() - began < 3


@pytest.mark.slow
def test_fuzz_documents():
    draw = random.Random(7)
    for _ in range(100_000):
        text = "".join(draw.choices([*HARD, "\n", "\n"], k=draw.randint(1, 30)))
        for markdown in (True, False):
            pieces = parse(text, markdown=markdown)
            assert "".join(piece.text for piece in pieces) == text
