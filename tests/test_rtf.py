"""RTF: the same bytes, or the same looks on other words; what is hostile is refused."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast import load
from paraphrast.errors import ParaphrastError
from paraphrast.rewriting.formats import format_named
from paraphrast.rewriting.formats.rewriting import rewrite_document
from paraphrast.rewriting.formats.segments import Role
from tests.test_document_formats import SAME, SHUFFLED, rewriting

HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0\deflang1033"
    r"{\fonttbl{\f0\fcharset0 A;}{\f1\fmodern C;}{\f2\fcharset204 B;}{\f3\fcharset2 S;}"
    r"{\f4\fcharset128 J;}}"
    r"{\stylesheet{\s0 Normal;}{\s1\b heading 1;}{\s2 Source Code;}{\*\cs9 Do not "
    r"translate;}}"
)
EXAMPLES = sorted((Path(__file__).parents[1] / "examples/documents").glob("*.rtf"))


def read(body):
    body = body if isinstance(body, bytes) else body.encode("latin-1")
    return format_named("rtf").read(HEAD.encode() + body + b"}", "a file")


def texts(body):
    return [segment.text for segment in read(body).segments]


def rewritten(body, rewriter):
    """Return what becomes of the body."""
    document = read(body)
    new = document.write(rewrite_document(rewriter, document)).decode("latin-1")
    assert new.startswith(HEAD)
    return new[len(HEAD) : -1]


SHOUT = rewriting(lambda text: text.upper())
LINK = r'{\field{\*\fldinst{HYPERLINK "x"}}{\fldrslt{\ul '

TOKENS = st.sampled_from(
    [
        *(
            "{",
            "}",
            "\\b ",
            "\\b0 ",
            "{\\i ",
            "\\par\n",
            "\\plain ",
            "\\'e9",
            "\\u233?",
        ),
        *(
            "\\u-10179?\\u-8704?",
            "\\uc0 ",
            "\\uc2\\u8364 xy",
            "\\\\",
            "\\{",
            "\\~",
            "\r\n",
        ),
        *(
            "{\\*\\x y}",
            "{\\pict 00}",
            "\\bin3 {}}",
            "\\cell ",
            "\\f2 ",
            "\\f4\\'8a",
            "\\'bf",
        ),
        *(
            LINK,
            "}}}",
            "We saw a dog. ",
            "the ",
            "big ",
            "\\pard",
            "\\foo1 ",
            "\\rquote ",
        ),
        *("\\v ", "\\tab ", "{\\header ", "\\'", "\\", "\\u", "\xe9", "\0", "\\chftn"),
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(TOKENS).map("".join))
def test_without_changes_the_bytes_are_the_same(body):
    data = (HEAD + body + "}").encode("latin-1")
    try:
        document = format_named("rtf").read(data, "a file")
    except ParaphrastError:
        return  # a group is broken
    assert document.write(rewrite_document(SAME, document)) == data
    # What is written with other words is sound, and says these words.
    shouted = rewrite_document(SHOUT, document)
    again = format_named("rtf").read(document.write(shouted), "again")
    assert [s.text for s in again.segments] == [new.text for new in shouted]


def looks(body):
    """Return each word with its formatting, as an independent reader finds it."""
    tokens = re.findall(r"\\([a-z]+)(-?\d*) ?|([{}])|(\w+|\.)|\\'..|\s", body)
    found, groups, own, links = [], [], {}, []
    for word, number, brace, text in tokens:
        if brace == "{":
            groups.append(own)
        elif brace:
            own = groups.pop()
            while links and links[-1] > len(groups):
                links.pop()
        elif word == "fldrslt":
            links.append(len(groups))
        elif word == "plain":
            own = {}
        elif word in ("b", "i", "ul", "cf"):
            own = {k: v for k, v in own.items() if k != word}
            own |= {} if number == "0" else {word: number}
        elif text and not (groups and "fldinst" in own):
            found.append((text, tuple(sorted(own.items())), bool(links)))
        own = own | {"fldinst": ""} if word == "fldinst" else own
    return sorted(found)


WORDS = st.lists(
    st.sampled_from(["the", "big", "dog", "saw", "we", "Romeo", "cats."]), min_size=1
).map(" ".join)
FORMATTED = st.recursive(
    WORDS,
    lambda inner: st.builds(
        lambda around, before, own, after: (
            f"{before} {around[0]}{own}{around[1]} {after}"
        ),
        st.sampled_from([("{\\b ", "}"), ("\\i ", "\\i0 "), ("{\\cf2\\b0 ", "}")]),
        inner,
        inner,
        inner,
    ),
    max_leaves=5,
)
PARAGRAPHS = st.builds(
    lambda around, own, more: f"{around[0]}{own}{more} end.{around[1]}\n",
    st.sampled_from(
        [
            ("\\pard\\plain ", "\\par"),
            ("{\\pard\\b ", "\\par}"),
            ("{\\i {", "}\\cf1  More.}\\par"),
            ("{\\i {the} ", "\\b  big dog. }\\par"),
            ("\\b ", "\\b0\\par"),
        ]
    ),
    FORMATTED,
    st.sampled_from(["", f" {LINK}big dog}}}}}}", " {\\*\\bkmkstart a}", " \\chftn "]),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(PARAGRAPHS, min_size=1, max_size=3).map("".join))
def test_shuffled_words_keep_their_formatting(body):
    new = rewritten(body, SHUFFLED)
    before, after = looks(body), looks(new)
    assert [word for word, *_ in after] == [word for word, *_ in before]
    assert {word[1:] for word in after} == {word[1:] for word in before}
    for mark in ("{\\*\\bkmkstart a}", "\\chftn ", "\\par"):
        assert new.count(mark) == body.count(mark)


def test_words_keep_the_formatting_of_the_words_they_replace():
    formal = load("formal", using="rules")
    body = r"{\pard We {\b gotta} go, {\cf2 cuz} it's {\i not\b0  late}.\par}"
    new = looks(rewritten(body, formal))
    assert [word for word, *look in new if look == [(("b", ""),), False]] == [
        *("have", "to")
    ]
    assert ("because", (("cf", "2"),), False) in new
    assert ("not", (("i", ""),), False) in new


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"a \'e9 \u233\'3f \~ \emdash \rquote x.", ["a é é \xa0 —’x."]),
        (r"caf\u233?\u-10179?\u-8704?!", ["café😀!"]),
        (r"{\uc0 caf\u233} and \uc2\u8364 xyz.", ["café and €z."]),
        (r"\f2 \'c4\'e0 \f4 \'8a\'bf\'8e\'9a.", ["Да 漢字."]),
        (
            r"one\tab two\par three\line four\cell five",
            ["one", "two", "three", "four", "five"],
        ),
        (r"one {\v hidden }two {\deleted gone }three", ["one two three"]),
        ("a\r\nb \\\r\nc", ["ab", "c"]),
        (
            r"a{\pict 00ff}b{\object x}{\footnote \pard c}d{\field{\*\fldinst PAGE}}",
            ["abd"],
        ),
        ("a{\\pict\\bin4 }{}{}b", ["ab"]),
        (r"{\header Above}{\*\generator x}{\info{\title y}}below", ["Above", "below"]),
        (r"a\'g b\par c\u-10179?d\par e\foo f\par g", ["g"]),  # not known: left alone
    ],
)
def test_text_is_read_as_an_editor_shows_it(body, expected):
    assert texts(body) == expected


def test_written_text_is_readable_in_any_context():
    for body in (
        r"\b\'c9 a.",
        r"a\emdash\'e9 a.",
        r"{\uc0 caf\u233} a.",
        r"x\rquote s a.",
        r"\f2 \'c4 a \f0 b.",
    ):
        turned = rewriting(lambda text: "(" + text.replace("a", "{é–😀\\}") + " q")
        document = read(body)
        (new,) = rewrite_document(turned, document)
        data = document.write([new])
        (again,) = format_named("rtf").read(data, "again").segments
        assert again.text == new.text != document.segments[0].text
        assert data.isascii()


def test_headings_cells_code_and_other_languages_stay():
    body = (
        r"\pard\s1 Gonna go.\par\pard\plain\s2 gonna().\par\pard\plain\intbl Gonna"
        r"\cell \pard We {\f1 gonna()} go, {\f3 abc} {\cs9 u}. {\lang1031 Wanna.}\par"
    )
    title, cell, prose = read(body).segments
    assert [title.role, cell.role, prose.role] == [Role.HEADING, Role.LABEL, Role.PROSE]
    kept = [prose.text[span.start : span.end] for span in prose.kept]
    assert kept == ["gonna()", "abc", "u", "Wanna."]
    new = rewritten(body, load("formal", using="rules"))
    assert "Gonna go" in new
    assert "gonna()." in new


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "does not begin"),
        (b"%PDF-1.7", "does not begin"),
        (rb"{\rtf1 a", "a group is not closed"),
        (rb"{\rtf1 {\pict 00", "extends beyond the end"),
        (rb"{\rtf1 \bin99 a}", "extends beyond the end"),
        (rb"{\rtf1 {\*\x \bin9999999999 a}}", "extends beyond the end"),
        (rb"{\rtf1 " + b"{" * 100_000 + b"a" + b"}" * 100_001, "1,000 nested groups"),
    ],
)
def test_a_damaged_document_is_refused_in_one_line(data, why):
    with pytest.raises(ParaphrastError) as caught:
        format_named("rtf").read(data, "a.rtf")
    assert str(caught.value).startswith("a.rtf: broken (")
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        "{\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt a}" * 900 + "}" * 900,
        "{\\b a}" * 30_000,
        "\\b \\i0 " * 30_000 + "a.",
        "{\\*\\x" * 20_000 + "}" * 20_000 + "a",
        "\\u-10179?" * 30_000,
        "{\\fldinst {\\field" * 400 + "}}" * 400,
    ],
    ids=["links", "groups", "switches", "destinations", "halves", "fields"],
)
def test_a_hostile_document_is_processed_quickly(body):
    assert rewritten(body, SAME) == body


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_example_keeps_its_pictures_notes_and_links(path):
    document = format_named("rtf").read(path.read_bytes(), path.name)
    new = document.write(rewrite_document(SHUFFLED, document)).decode()
    old = path.read_text()
    for group in (
        r"{\\pict[^{}]*}",
        r"{\\footnote.*?\.}",
        r"\\bkmk\w+ \w+",
        r"HYPER.*?}",
    ):
        assert set(re.findall(group, new)) == set(re.findall(group, old)) != set()
