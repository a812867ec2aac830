"""Documents fall into prose and the rest, and come back whole."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from growth import LINEAR, growth
from paraphrast.text import parse
from text_strategies import ANY_TEXT, HARD


def prose(text, *, markdown, headings=True):
    pieces = parse(text, markdown=markdown, headings=headings)
    return [piece.text for piece in pieces if piece.prose]


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
    assert growth(lambda size: parse(unit * size, markdown=markdown), 2_000) < LINEAR


@pytest.mark.slow
def test_fuzz_documents():
    draw = random.Random(7)
    for _ in range(100_000):
        text = "".join(draw.choices([*HARD, "\n", "\n"], k=draw.randint(1, 30)))
        for markdown in (True, False):
            pieces = parse(text, markdown=markdown)
            assert "".join(piece.text for piece in pieces) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Head\n\ntext\n", ["text"]),
        ("Head\nof two lines\n====\n\nHead\n---\ntext", ["text"]),
        ("- the red one\n- It is red.\n* so?\n", ["It is red.", "so?"]),
        ("> quoted\n\n---\n\ntext\n", ["quoted", "text"]),
    ],
)
def test_headings_and_items_that_are_not_sentences_stay(text, expected):
    assert prose(text, markdown=True, headings=False) == expected


@pytest.mark.parametrize(
    "line",
    [
        "Subject: Meeting on Thursday",
        "To: anna@example.org",
        "Dear Mr. Smith,",
        "Hi Tom,",
        "Good morning everybody,",
        "To whom it may concern",
        "Best regards,",
        "Yours sincerely, Anna",
        "Cheers, Anna",
        "Anna Maria O'Neill",
    ],
)
def test_the_frame_of_an_email_is_not_prose(line):
    assert prose(f"{line}\r\n", markdown=False) == []


@pytest.mark.parametrize(
    "line",
    [
        "hello.",
        "Dear me, that is late.",
        "hey john,im gonna b l8!!",
        "Thanks for your letter.",
        "GONNA GO",
        "Thank You",
        "Best of all, it is free.",
        "Subjective: that is all",
    ],
)
def test_text_that_only_begins_like_an_email_is_prose(line):
    assert prose(line, markdown=False) == [line]


@pytest.mark.parametrize("markdown", [False, True])
@pytest.mark.parametrize(
    "ending",
    [
        "Best regards,\nAnna\n",
        "Best regards,\n\nAnna\n",
        "With kind regards,\nDr. Anna van der Berg, PhD\nHead of Sales\nAcme Ltd.\n",
        "Thanks,\nTom\n",
        "Thanks!\nTom\n",
        "thanks,\ntom x\n",
        "Cheers\nJ.\n",
        "All the best\n- Anna & Tom\n",
        "Yours sincerely\nThe Team at Acme\n+44 20 7946 0958\nwww.example.org\n",
        "Thank you very much,\nMary-Jane O'Neill (she/her)\n",
        "-- \nAnna\nTel.: 020 7946\n",
        "--\nACME Support\n",
        "Sent from my phone\n",
        "Sent from my iPhone\n",
        "Best,\nAnna\n\nSent from my phone\n",
        "Get Outlook for iOS",
    ],
)
def test_a_sign_off_is_not_prose(ending, markdown):
    text = f"we came late.\n\n{ending}"
    assert prose(text, markdown=markdown, headings=False) == ["we came late."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Cheers\nthey were loud.", ["Cheers", "they were loud."]),
        ("Thanks,\nwe won the game.", ["we won the game."]),
        ("Best,\nAnna\nwe won the game.", ["we won the game."]),
        ("Best,\nAnna\nP.S. Bring the map", ["P.S. Bring the map"]),
        ("Best,\nAnna\n\nIt rained", ["It rained"]),
        ("thanks", ["thanks"]),
        ("Hello there\nyou", ["Hello there", "you"]),
        ("Hello there\n\nyou", ["you"]),
        ("it rained\n\nHello there\n\nyou", ["it rained", "Hello there", "you"]),
        ("On Monday, 3 May 2021, Tom Smith wrote:\n> it rains", ["it rains"]),
        ("> On 2 May, Anna wrote:\n> > it rains\n>\n> Best,\n> Tom", ["it rains"]),
        ("---- Original Message ----\nit rains", ["it rains"]),
    ],
)
def test_text_beside_a_sign_off_or_greeting_is_prose(text, expected):
    assert prose(text, markdown=False) == expected


def test_a_wrapped_paragraph_may_contain_words_of_an_email():
    text = "we sent our\nbest wishes,\nand we met\nAnna Smith\nin the park"
    assert prose(text, markdown=True) == [text]
    text = "we came late.\nThanks,\nTom\n"
    assert prose(text, markdown=True) == ["we came late."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The House on the Hill\n\nit rained\n", ["it rained"]),
        ("it rained\n\nPART TWO\n\nit rained\n", ["it rained", "it rained"]),
        ("what we did\n===========\nit rained\n", ["it rained"]),
        ("Agenda:\nNext steps:\n- the red one\n1) Coffee\n", []),
        ("- it is red.\n> > we go\n", ["it is red.", "we go"]),
        ("Total: $1,250.00\nNext meeting: 9 April 2024.\n", []),
        ("Present: Anna, Tom\nWARNING: do not go", None),
        ("GONNA GO\nbad Idea", None),
        ("It rained\n\nOh!\n\nSo, It Goes,\n\n", None),
        ("Tom: Did You Go At 5?", None),
        ("— a user\n", []),
        ("Trip to Lisbon next summer\n\nit rained\n", ["it rained"]),
        ("\nHow to bake better bread\n\nit rained\n", ["it rained"]),
        ("it rained\n\nTrip to Lisbon next summer\n\nit rained\n", None),
        ("Trip to Lisbon next summer\nit rained\n", None),
        ("Trip to Lisbon next summer", None),
        ("trip to Lisbon next summer\n\nit rained\n", None),
        ("Meet me at the old library\n\nit rained\n", None),
        ("The club's going to the lake\n\nit rained\n", None),
        ("Trip to Lisbon next summer.\n\nit rained\n", None),
    ],
)
def test_headings_labels_and_items_of_plain_text_stay(text, expected):
    lines = [line for line in text.split("\n") if line]
    expected = lines if expected is None else expected
    assert prose(text, markdown=False, headings=False) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Trip to Lisbon next summer\n\nit rained\n", ["it rained"]),
        ("it rained\n\n**What we saw there**\n\nit rained\n", ["it rained"] * 2),
        ("__What we saw__\n", []),
        ("**we saw it**\n", ["**we saw it**"]),
        ("**What we saw.**\n", ["**What we saw.**"]),
        ("**What** we **saw**\n", ["**What** we **saw**"]),
        ("Trip to Lisbon\nnext summer\n\nit rained\n", None),
    ],
)
def test_titles_and_bold_lines_of_markdown_stay(text, expected):
    if expected is None:
        expected = text.rstrip().split("\n\n")
    assert prose(text, markdown=True, headings=False) == expected
    assert prose(text, markdown=True, headings=True) == text.rstrip().split("\n\n")


def test_an_attribution_below_a_quotation_stays():
    text = "> it is good.\n> — a happy user\n"
    assert prose(text, markdown=True, headings=False) == ["it is good."]
