"""Moses' tables as text: what a table becomes and back, strict errors."""

import gzip
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.phrase.building import from_options
from paraphrast.phrase.moses_tables import read, write
from paraphrast.phrase.table import STANDARD, Option

WAYS = (0.5, 0.25, 0.25, 0.125, 0.625, 0.25)
TEXT = """\
you are ||| thou art ||| 0.5 0.25 0.75 0.125 ||| 0-0 1-1 ||| 4 3 2 ||| |||
you ||| thou ||| 1 0.5 0.5 0.5 ||| 0-0 ||| 4 2 1
do ||| ||| 0.1 0.1 0.1 0.1 ||| ||| 2 2 2
"""


def saved(folder, text, name="table"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_is_read(tmp_path):
    table = read(saved(tmp_path, TEXT))
    assert table.names == STANDARD
    assert list(table) == [
        Option(("do",), (), (0.1,) * 4, count=2),
        Option(("you",), ("thou",), (1, 0.5, 0.5, 0.5), links=((0, 0),), count=1),
        Option(
            ("you", "are"),
            ("thou", "art"),
            (0.5, 0.25, 0.75, 0.125),
            links=((0, 0), (1, 1)),
            count=2,
        ),
    ]


def test_tables_are_written_in_the_format_of_moses(tmp_path):
    write(read(saved(tmp_path, TEXT)), tmp_path / "again")
    assert (tmp_path / "again").read_text().splitlines() == [
        "do |||  ||| 0.1 0.1 0.1 0.1 |||  ||| 2 2 2",
        "you ||| thou ||| 1 0.5 0.5 0.5 ||| 0-0 ||| 1 1 1",
        "you are ||| thou art ||| 0.5 0.25 0.75 0.125 ||| 0-0 1-1 ||| 2 2 2",
    ]


def test_packed_files_are_read_and_written_alike(tmp_path):
    (tmp_path / "table.gz").write_bytes(gzip.compress(TEXT.encode()))
    table = read(tmp_path / "table.gz")
    write(table, tmp_path / "one.gz")
    write(table, tmp_path / "two.gz")
    assert list(read(tmp_path / "one.gz")) == list(table)
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


def test_reordering_tables_are_converted_too(tmp_path):
    rows = [Option(("a",), ("b",), (0.5,) * 4, WAYS)]
    write(
        from_options(rows),
        tmp_path / "table",
        reordering=tmp_path / "ways",
    )
    again = read(tmp_path / "table", reordering=tmp_path / "ways")
    assert list(again) == rows
    saved(tmp_path, "a ||| c ||| 1 1 1 1 1 1\n", "ways")
    with pytest.raises(ParaphrastError, match="table:1: .*ways lacks this phrase pair"):
        read(tmp_path / "table", reordering=tmp_path / "ways")
    saved(tmp_path, "a ||| c ||| 1 1 1\n", "ways")
    with pytest.raises(ParaphrastError, match="ways:1: 3 scores"):
        read(tmp_path / "table", reordering=tmp_path / "ways")


def test_a_constant_penalty_is_left_to_the_decoder(tmp_path):
    old = read(saved(tmp_path, "a ||| b ||| 0.1 0.2 0.3 0.4 2.718\n"))
    assert old.names == STANDARD
    other = read(saved(tmp_path, "a ||| b ||| 0.1 0.2 0.3 0.4 0.5\n"))
    assert other.names == tuple(f"score {n}" for n in range(1, 6))
    named = read(saved(tmp_path, "a ||| b ||| 0.1 0.2\n"), scores=["x", "phrase"])
    assert named.names == ("x", "phrase")


def test_entities_are_decoded(tmp_path):
    text = "thou &apos;rt ||| &#124; &amp;lt; ||| 0.5\n"
    (option,) = read(saved(tmp_path, text))
    assert option.source == ("thou", "'rt")
    assert option.target == ("|", "&lt;")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("", "found 1 fields"),
        ("a ||| b", "found 2 fields"),
        (" ||| b ||| 0.5", "source phrase is empty"),
        ("a " * 16 + "||| b ||| 0.5", "more than 15 words"),
        ("a ||| b ||| ", "scores must be above 0"),
        ("a ||| b ||| 0", "scores must be above 0"),
        ("a ||| b ||| x", "are not numbers"),
        ("a ||| b ||| nan", "0 or above, and finite"),
        ("a ||| b ||| inf", "0 or above, and finite"),
        ("a ||| b ||| 0.5 0.5", "2 scores, but 1 in line 1"),
        ("a ||| b ||| 0.5 ||| 0:0", "is not a link"),
        ("a ||| b ||| 0.5 ||| 0-1", "is outside"),
        ("a ||| b ||| 0.5 ||| 0-0 ||| x", "are not numbers"),
        ("one ||| two ||| 0.5", "the same phrase pair as in line 1"),
    ],
)
def test_bad_rows_are_refused_by_line(tmp_path, line, problem):
    path = saved(tmp_path, f"one ||| two ||| 0.5\n{line}\n")
    with pytest.raises(ParaphrastError, match=f"table:2: .*{problem}"):
        read(path)


def test_bad_files_are_refused(tmp_path):
    with pytest.raises(ParaphrastError, match="is empty"):
        read(saved(tmp_path, ""))
    with pytest.raises(ParaphrastError, match="more than 2 rows"):
        read(saved(tmp_path, TEXT), most=2)
    (tmp_path / "cut.gz").write_bytes(gzip.compress(TEXT.encode())[:-9])
    with pytest.raises(ParaphrastError, match="cannot read .*cut.gz"):
        read(tmp_path / "cut.gz")
    with pytest.raises(ParaphrastError, match="missing"):
        read(tmp_path / "missing")
    with pytest.raises(ParaphrastError, match="no reordering scores"):
        table = read(saved(tmp_path, TEXT))
        write(table, tmp_path / "out", reordering=tmp_path / "ways")
    assert not (tmp_path / "out").exists()


def test_a_word_with_a_blank_is_not_written(tmp_path):
    table = from_options([Option(("a b",), ("c",), (0.5,) * 4)])
    with pytest.raises(ParaphrastError, match="'a b' contains a space"):
        write(table, tmp_path / "out")
    assert not (tmp_path / "out").exists()


# A byte order mark at the start of a file is not part of its first word.
words = st.text(
    st.characters(codec="utf-8", exclude_characters=" \n\ufeff"),
    min_size=1,
    max_size=4,
)
phrases = st.lists(words, min_size=1, max_size=3).map(tuple)


@settings(deadline=None, max_examples=100)
@given(st.dictionaries(st.tuples(phrases, phrases), st.integers(1, 999), min_size=1))
def test_any_words_survive_the_round_trip(tmp_path_factory, pairs):
    path = tmp_path_factory.mktemp("moses") / "table"
    rows = [Option(*pair, (n / 1000,) * 4, count=n) for pair, n in pairs.items()]
    table = from_options(rows)
    write(table, path)
    for one, two in zip(read(path), table, strict=True):
        assert (one.source, one.target, one.count) == (
            two.source,
            two.target,
            two.count,
        )
        assert all(map(math.isclose, one.probabilities, two.probabilities))
