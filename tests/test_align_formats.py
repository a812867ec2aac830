"""Formats of alignments: they round-trip, and errors name their location."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.align.base import AlignedPair, Link
from paraphrast.align.formats import (
    FORMATS,
    format_of,
    has_words,
    read_alignments,
    read_words,
    write_alignments,
)
from paraphrast.errors import ParaphrastError

PAIR = AlignedPair(
    ("a", "black", "cat"), ("cats", "in", "black"), (Link(1, 2), Link(2, 0)), "1"
)
POSSIBLE = AlignedPair(
    PAIR.source, PAIR.target, (*PAIR.links[:1], Link(2, 0, sure=False)), "1"
)


def word():
    return st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=4)


@st.composite
def aligned(draw, *, possible=True, words=None):
    words = word() if words is None else words
    source = tuple(draw(st.lists(words, min_size=1, max_size=5)))
    target = tuple(draw(st.lists(words, min_size=1, max_size=5)))
    cells = draw(
        st.dictionaries(
            st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1)),
            st.booleans() if possible else st.just(True),
        )
    )
    links = tuple(Link(i, j, sure=sure) for (i, j), sure in sorted(cells.items()))
    return AlignedPair(source, target, links)


def named(pairs):
    return [
        AlignedPair(pair.source, pair.target, pair.links, str(number))
        for number, pair in enumerate(pairs, start=1)
    ]


@pytest.mark.parametrize("format", sorted(FORMATS))
@settings(max_examples=25)
@given(data=st.data())
def test_what_is_written_is_read_back(format, data, tmp_path_factory):
    possible = format != "giza"
    pairs = named(data.draw(st.lists(aligned(possible=possible), max_size=4)))
    path = tmp_path_factory.mktemp("formats") / "file"
    assert write_alignments(pairs, path, format=format) == len(pairs)
    words = None if FORMATS[format].HAS_WORDS else [(p.source, p.target) for p in pairs]
    result = list(read_alignments(path, format=format, words=words))
    if FORMATS[format].HAS_WORDS:
        assert result == pairs
    else:
        assert [p.links for p in result] == [p.links for p in pairs]


@given(aligned(words=st.text()), st.floats(0, 1))
def test_our_own_format_keeps_any_word_and_probabilities(pair, probability):
    if any("\ud800" <= c <= "\udfff" for w in (*pair.source, *pair.target) for c in w):
        return
    links = tuple(
        Link(k.source, k.target, round(probability, 4), k.sure) for k in pair.links
    )
    jsonl = FORMATS["jsonl"]
    [line] = jsonl.write([AlignedPair(pair.source, pair.target, links)])
    again = jsonl.parse_record(json.loads(line), "here")
    assert again == AlignedPair(pair.source, pair.target, links)


def test_our_own_format_is_the_documented_one():
    [line] = FORMATS["jsonl"].write([AlignedPair(("a",), ("b",), (Link(0, 0, 0.5),))])
    assert json.loads(line) == {
        "source": ["a"],
        "target": ["b"],
        "links": [[0, 0, 0.5, "sure"]],
    }


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("pharaoh", "1-2 2p0\n"),
        ("pharaoh", "2?0 1-2\n"),
        ("naacl", "1 2 3 S\n\n0001 3 1 P 0.5\n1 1 0\n"),
        ("multimwa", "1\ta black cat\t-\tcats in black\t-\t0\t0\t1-2\t1-2 2-0\tmore\n"),
        (
            "jacana",
            '[{"id": "1", "source": "a black cat", "target": "cats in black", '
            '"sureAlign": "1-2", "possibleAlign": "2-0"}]',
        ),
        (
            "jsonl",
            '{"id": "1", "source": ["a", "black", "cat"], "target": ["cats", "in", '
            '"black"], "links": [[2, 0, 1, "possible"], [1, 2]]}\n',
        ),
    ],
)
def test_files_of_others_are_read(format, text, tmp_path):
    path = tmp_path / "file"
    path.write_text(text, "utf-8")
    words = None if FORMATS[format].HAS_WORDS else [(PAIR.source, PAIR.target)]
    [pair] = read_alignments(path, format=format, words=words)
    assert pair.links == POSSIBLE.links
    assert (pair.source, pair.target) == (PAIR.source, PAIR.target)


A3 = """# Sentence pair (1) source length 3 target length 3 alignment score : 3.1e-05
cats in black
NULL ({ 2 }) a ({ }) black ({ 3 }) cat ({ 1 })
"""


def test_giza_is_read_and_written(tmp_path):
    path = tmp_path / "en-en.A3.final"
    path.write_text(A3, "utf-8")
    assert list(read_alignments(path)) == [PAIR]
    write_alignments([PAIR], path)
    assert path.read_text("utf-8") == A3.replace("3.1e-05", "1")


def test_giza_words_may_look_like_lists(tmp_path):
    pair = AlignedPair(("({", "})", "1"), ("({", "})"), (Link(0, 1), Link(2, 0)), "1")
    write_alignments([pair], tmp_path / "x.A3")
    assert list(read_alignments(tmp_path / "x.A3")) == [pair]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.jsonl", "jsonl"),
        ("a.json", "jacana"),
        ("a.tsv.gz", "multimwa"),
        ("a.A3.final", "giza"),
        ("a.align", "pharaoh"),
        ("a.wa", "naacl"),
    ],
)
def test_the_format_is_known_by_its_ending(name, expected, tmp_path):
    assert format_of(tmp_path / name) == expected


def test_formats_without_words_are_marked_as_such(tmp_path):
    assert [name for name in FORMATS if not has_words(tmp_path, name)] == [
        "naacl",
        "pharaoh",
    ]


LINE = '{"source": ["a"], "target": ["b"], "links": %s}\n'
TSV = "%s\ta b\t-\t%s\t-\t1\t1\t%s\t\n"


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("x.jsonl", LINE % "[[1, 0]]", "x.jsonl:1: link 1-0 is out of range for 1 sou"),
        ("x.jsonl", LINE % "[[0, -1]]", "x.jsonl:1: link 0--1 is out of range"),
        ("x.jsonl", LINE % "[[0, 0], [0, 0]]", "x.jsonl:1: link 0-0 is given twice"),
        ("x.jsonl", LINE % '[[0, 0, 1, "?"]]', 'x.jsonl:1: [0, 0, 1, "?"] is not a'),
        ("x.jsonl", LINE % "[[0, 0, 2]]", "x.jsonl:1: [0, 0, 2] is not a link"),
        ("x.jsonl", LINE % "7", "x.jsonl:1: 'links' must be a list"),
        ("x.jsonl", "[]\n", "x.jsonl:1: expected a JSON object"),
        ("x.jsonl", "{\n", "x.jsonl:1: not valid JSON"),
        ("x.jsonl", '{"source": "a"}\n', "x.jsonl:1: 'source' must be a list of words"),
        ("x.jsonl", '{"source": [], "target": ["b"]}\n', "x.jsonl:1: the source side"),
        ("x.tsv", TSV % (1, "b", "0-1"), "x.tsv:1: link 0-1 is out of range"),
        ("x.tsv", TSV % (1, "b", "0:0"), "x.tsv:1: '0:0' is not a link"),
        ("x.tsv", TSV % (1, "", ""), "x.tsv:1: the target side is empty"),
        ("x.tsv", TSV % (1, "b", "") * 2, "x.tsv:2: the name '1' already occurs at"),
        (
            "x.tsv",
            "a\tb\n",
            "x.tsv:1: expected 9 tab-separated columns or more, found 2",
        ),
        ("x.json", "{}", "x.json: expected a JSON list"),
        ("x.json", "[1]", "x.json: pair 1: expected the texts source, target"),
        ("x.json", "[", "x.json: not valid JSON"),
        ("x.A3", "# Sentence pair (1)\na\n", "x.A3:1: expected '# Sentence pair (1)"),
        ("x.A3", "# Sentence pair (1)\na\nNULL ({ 1\n", "x.A3:3: expected words with"),
        ("x.A3", "# Sentence pair (1)\na\nb ({ 1 })\n", "x.A3:3: the first list must"),
        (
            "x.align",
            "0-0\n0-0\n",
            "x.align has links for 2 pairs, but there are words f",
        ),
        ("x.align", "", "x.align has links for 0 pairs, but there are words for 1"),
        ("x.align", "0-7\n", "x.align:1: link 0-7 is out of range"),
        ("x.align", "0_0\n", "x.align:1: '0_0' is not a link"),
        ("x.wa", "2 1 1\n", "x.wa:1: there is no pair 2 among 1"),
        ("x.wa", "1 1 1 X\n", "x.wa:1: '1 1 1 X' is not a link"),
        ("x.wa", "1 1\n", "x.wa:1: '1 1' is not a link"),
        ("x.wa", "1 1 1\n1 9 1\n", "x.wa:1: link 8-0 is out of range"),
    ],
)
def test_a_mistake_is_refused_in_one_line_with_its_location(
    name, text, complaint, tmp_path
):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    with pytest.raises(ParaphrastError) as caught:
        list(
            read_alignments(
                path,
                words=[(("a",), ("b",))] if "w" in name or "align" in name else None,
            )
        )
    message = str(caught.value).replace(f"{tmp_path}/", "")
    assert message.startswith(complaint)
    assert "\n" not in message


def test_a_row_with_an_error_may_be_empty(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"source": [], "target": [], "links": [], "error": "no"}\n')
    assert list(read_alignments(path)) == [AlignedPair((), ())]


def test_bare_links_need_words(tmp_path):
    with pytest.raises(ParaphrastError, match="no words. Add the words with --source"):
        read_alignments(tmp_path / "x.align")


def test_word_files_must_have_equal_length(tmp_path):
    for name, text in (("a", "x\ny\n"), ("b", "x\n")):
        (tmp_path / name).write_text(text)
    with pytest.raises(ParaphrastError, match="a has 2, .*b has 1"):
        read_words(tmp_path / "a", tmp_path / "b")


@pytest.mark.parametrize("format", ["giza", "jacana", "multimwa"])
def test_a_word_with_a_blank_is_refused(format, tmp_path):
    pair = AlignedPair(("a b",), ("c",))
    with pytest.raises(ParaphrastError, match="pair 1: the word 'a b'"):
        write_alignments([pair], tmp_path / "file", format=format)
    assert not (tmp_path / "file").exists()


def test_possible_links_do_not_fit_into_a3(tmp_path):
    with pytest.raises(ParaphrastError, match="A3 cannot represent possible links"):
        write_alignments([POSSIBLE], tmp_path / "x.A3")


def test_unknown_formats_are_refused(tmp_path):
    with pytest.raises(ParaphrastError, match="Did you mean 'pharaoh'"):
        format_of(tmp_path / "x", "pharoah")
    with pytest.raises(ParaphrastError, match="Name it with --format"):
        format_of(tmp_path / "x.dat")
