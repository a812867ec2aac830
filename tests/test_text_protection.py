"""What must stay is found; what only looks like it is not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from growth import LINEAR, growth
from paraphrast.text import Span, protected_spans
from paraphrast.text.spans import merge_spans
from text_strategies import ANY_TEXT


def found(text, **options):
    spans = protected_spans(text, **options)
    return [(text[span.start : span.end], span.kind) for span in spans]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("url", "see https://a.org/x_(y)?z=1#q, ok", ["https://a.org/x_(y)?z=1#q"]),
        ("url", "(www.a.de/b.) example.com!", ["www.a.de/b", "example.com"]),
        ("url", "at t.co/Ab or sub.a-b.org:", ["t.co/Ab", "sub.a-b.org"]),
        ("email", "ask j.doe+x@mail.example.co.uk.", ["j.doe+x@mail.example.co.uk"]),
        ("mention", "hi @bob_1, @al.b", ["@bob_1", "@al.b"]),
        ("hashtag", "so #fun #l8r!", ["#fun", "#l8r"]),
        ("emoji", "ok 😀👍🏽 👨‍👩‍👧 🇬🇧 1️⃣", ["😀", "👍🏽", "👨‍👩‍👧", "🇬🇧", "1️⃣"]),
        ("emoji", "ok :) :-( ;D <3", [":)", ":-(", ";D", "<3"]),
        ("emoji", "ok xD ^_^ :'( =)", ["xD", "^_^", ":'(", "=)"]),
        ("number", "1,000.50 on 3rd at 10:30, $5", ["1,000.50", "3rd", "10:30", "$5"]),
        ("number", "50% of 5kg, -5 or .5 or ½", ["50%", "5kg", "-5", ".5", "½"]),
        ("number", "2020-01-31, 1/2/99, 1980s", ["2020-01-31", "1/2/99", "1980s"]),
        ("number", "call +1 (555) 123-4567", ["+1 (555) 123-4567"]),
        ("number", "call 020 7946 0958 (8)", ["020 7946 0958", "8"]),
        ("number", "#1 of COVID-19", ["#1", "19"]),
        ("code", "run `a = 1` and ``x`y``", ["`a = 1`", "``x`y``"]),
        ("code", "```\nx\n```", ["```\nx\n```"]),
        ("code", "use snake_case, go(), a.b() here", ["snake_case", "go()", "a.b()"]),
        ("code", "in /usr/lib, data.csv, C:\\x", ["/usr/lib", "data.csv", "C:\\x"]),
        ("markdown", '[a b](c/d "e") [f][g]', ['[a b](c/d "e")', "[f][g]"]),
        ("markdown", "![alt](i.png) text[^1]", ["![alt](i.png)", "[^1]"]),
        ("markdown", "a <b>c</b> &amp; <br/>", ["<b>", "</b>", "&amp;", "<br/>"]),
        ("markdown", "**b** and *i* ~~s~~", ["**", "**", "*", "*", "~~", "~~"]),
    ],
)
def test_each_kind_is_found(kind, text, expected):
    assert found(text) == [(part, kind) for part in expected]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Plain words, nothing else. And more!",
        "gr8 2nite l8r 4ever b4 m8",
        "fine.me too, e.g. this (and that)",
        "he said: no; she left - or stayed",
        "f*ck this sh** a * b < c > d",
        "rock & roll, A&B, it's [so] good",
        "a\u0301e\u0308 naïve “quotes” — and… ©",
    ],
)
def test_nothing_is_found_in_plain_text(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "terms", "expected"),
    [
        ("New York, new york, New Yorker", ["New York"], ["New York"]),
        ("C++ and C and C+", ["C", "C++"], ["C++", "C", "C"]),
        ("a.b axb", ["a.b"], ["a.b"]),
        ("nothing", ["", "no"], []),
        ("see the end", ["see the", "the end"], ["see the", " end"]),
    ],
)
def test_terms_are_found_letter_for_letter(text, terms, expected):
    assert [part for part, _ in found(text, terms=terms)] == expected


def test_a_term_that_runs_into_an_address_leaves_no_part_of_it_free():
    text = "ask at@x.org now"
    assert found(text, terms=["ask at"]) == [("ask at", "term"), ("@x.org", "email")]


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT, st.lists(st.text(min_size=1, max_size=3), max_size=3))
def test_spans_are_sorted_disjoint_and_inside_the_text(text, terms):
    end = 0
    for span in protected_spans(text, terms=terms):
        assert end <= span.start < span.end <= len(text)
        assert span.kind
        end = span.end


SPANS = st.builds(
    lambda start, length: Span(start, start + length),
    st.integers(0, 30),
    st.integers(1, 10),
)


@given(st.lists(SPANS))
def test_merging_covers_the_same_characters_once(spans):
    together = [i for span in merge_spans(spans) for i in range(span.start, span.end)]
    assert together == sorted({i for s in spans for i in range(s.start, s.end)})


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "a_",
            "`",
            "` ",
            "[",
            "[a",
            "<a ",
            "<!--",
            "a.",
            "a.b/",
            "/a",
            "http://",
            "@",
        ),
        *(
            "a@",
            "*a ",
            "1 ",
            "1-",
            "111 ",
            "(1",
            "+1 ",
            "#1",
            ":",
            "&a",
            "\\",
            "![",
            "](",
        ),
    ],
)
def test_long_lines_take_linear_time(unit):
    assert growth(lambda size: protected_spans(unit * size), 1_250) < LINEAR


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("20https://x.y/(z)", "https://x.y/(z)"),
        ("見てhttps://x.y/a", "https://x.y/a"),
        ("见www.x.org/a", "www.x.org/a"),
        ("看example.com/a", "example.com/a"),
    ],
)
def test_an_address_after_any_letter_is_found(text, address):
    assert (address, "url") in found(text)


def test_terms_are_found_as_words_of_their_own_however_many():
    terms = [f"term {n} of many" for n in range(5000)] + ["a", "a b", "+"]
    assert found("a b ab + term 77 of many", terms=terms) == [
        ("a b", "term"),
        ("+", "term"),
        ("term 77 of many", "term"),
    ]
