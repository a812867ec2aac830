"""Phrase tables: rows in, arrays in order, rows out; files; refusals."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.phrase.building import from_options, select_options
from paraphrast.phrase.table import LAYOUT, NO_EXAMPLE, Option, PhraseTable

HALF, QUARTER = (0.5,) * 4, (0.25,) * 4
ROWS = [
    Option(("you",), ("thou",), QUARTER, links=((0, 0),), count=3, example=7),
    Option(("you",), ("thee",), HALF, links=((0, 0),), count=6, example=0),
    Option(("you", "are"), ("thou", "art"), HALF, links=((0, 0), (1, 1))),
    Option(("are",), (), QUARTER),
]


def table():
    return from_options(ROWS)


def test_source_phrases_are_in_order_of_their_words():
    made = table()
    assert made.source.all() == ["are", "you"]
    assert made.phrase_starts.tolist() == [0, 1, 2, 4]
    assert made.phrase_words.tolist() == [0, 1, 1, 0]  # are; you; you are
    assert made.option_starts.tolist() == [0, 1, 3, 4]


def test_the_likeliest_option_comes_first():
    assert [option.target for option in table().of(["you"])] == [("thee",), ("thou",)]


def test_options_come_back_as_they_were_given():
    assert sorted(table(), key=str) == sorted(ROWS, key=str)
    assert table().of(["you", "are"]) == [ROWS[2]]
    assert [table().option(row) for row in range(4)] == list(table())


def test_a_limit_takes_the_likeliest():
    assert table().of(["you"], limit=1) == [ROWS[1]]


@pytest.mark.parametrize("words", [[], ["thou"], ["are", "you"], ["you"] * 3])
def test_an_unknown_phrase_has_no_options(words):
    assert table().of(words) == []


def test_equally_likely_options_are_in_the_order_of_their_words():
    rows = [Option(("a",), (word,), HALF) for word in "cab"]
    made = from_options(rows)
    assert [option.target for option in made] == [("a",), ("b",), ("c",)]


def test_without_a_score_called_phrase_the_last_ranks():
    rows = [Option(("a",), ("b",), (0.9, 0.1)), Option(("a",), ("c",), (0.1, 0.9))]
    made = from_options(rows, scores=["x", "y"])
    assert [option.target for option in made] == [("c",), ("b",)]


def test_arrays_have_the_types_of_the_layout():
    arrays = table().arrays()
    assert list(arrays) == list(LAYOUT)
    for name, (dtype, dimensions) in LAYOUT.items():
        assert (arrays[name].dtype, arrays[name].ndim) == (dtype, dimensions)
    assert arrays["reordering"].shape == (4, 0)
    assert arrays["examples"].tolist() == [NO_EXAMPLE, 0, 7, NO_EXAMPLE]


def test_a_saved_table_opens_as_it_was(tmp_path):
    made = from_options(ROWS, about={"made": "by hand"})
    made.save(tmp_path / "table")
    opened = PhraseTable.open(tmp_path / "table")
    assert list(opened) == list(made)
    assert opened.names == made.names
    assert opened.about["made"] == "by hand"


def test_an_empty_table_is_a_table(tmp_path):
    made = from_options([])
    made.save(tmp_path / "table")
    assert list(PhraseTable.open(tmp_path / "table")) == []


def test_choosing_options_drops_what_they_no_longer_need():
    made = table()
    fewer = select_options(made, np.array([False, True, False, False]))
    assert list(fewer) == [ROWS[1]]
    assert fewer.source.all() == ["you"]
    assert fewer.target.all() == ["thee"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (Option((), ("a",), HALF), "the source phrase is empty"),
        (Option(("a",) * 16, ("a",), HALF), "more than 15 words"),
        (Option(("a",), ("a",), (0.5,)), "1 scores where 4"),
        (Option(("a",), ("a",), (0.5, 0.5, 0.5, 0.0)), "not above 0"),
        (Option(("a",), ("a",), (0.5, 0.5, 0.5, np.nan)), "not above 0"),
        (Option(("a",), ("a",), HALF, (0.5,)), "1 reordering scores"),
        (Option(("a",), ("b",), HALF, links=((0, 1),)), "is outside"),
        (Option(("a",), ("b",), HALF, count=-1), "count"),
        (Option(("a",), ("b",), HALF, example=NO_EXAMPLE), "example"),
        (Option(("",), ("b",), HALF), "not a word"),
        (Option(("\ud800",), ("b",), HALF), "not a word"),
    ],
)
def test_rows_that_no_table_can_hold_are_refused(row, problem):
    with pytest.raises(ParaphrastError, match=problem):
        from_options([row])


def test_a_phrase_pair_given_twice_is_refused():
    with pytest.raises(ParaphrastError, match="'you' -> 'thou' is given twice"):
        from_options([*ROWS, ROWS[0]])


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "table"
    path.write_text("you ||| thou ||| 0.5\n")
    with pytest.raises(ParaphrastError, match="is not a phrase table"):
        PhraseTable.open(path)


def test_a_truncated_file_is_refused(tmp_path):
    path = tmp_path / "table"
    table().save(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ParaphrastError, match="damaged or truncated"):
        PhraseTable.open(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"outputs"', '"0utputs"'),
        ('"counts": ["<f4"', '"counts": ["<u4"'),
        ('"scores": ["inverse phrase", ', '"scores": ['),
    ],
)
def test_a_file_with_another_layout_is_refused(tmp_path, old, new):
    path = tmp_path / "table"
    table().save(path)
    first, header, rest = path.read_bytes().split(b"\n", 2)
    changed = header.replace(old.encode(), new.encode())
    assert changed != header
    json.loads(changed)
    changed = changed.ljust(len(header))  # so that the arrays stay where they are
    path.write_bytes(b"\n".join((first, changed, rest)))
    with pytest.raises(ParaphrastError, match="Train one with"):
        PhraseTable.open(path)


phrases = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(tuple)


@settings(deadline=None)
@given(st.dictionaries(st.tuples(phrases, phrases), st.integers(1, 99), max_size=30))
def test_every_row_is_found_under_its_phrase(pairs):
    rows = [Option(*pair, (n / 100,) * 4, count=n) for pair, n in pairs.items()]
    made = from_options(rows)
    for row in rows:
        assert row in made.of(row.source)
    assert len(made) == len(rows)
    sources = [option.source for option in made]
    assert sources == sorted(sources)
