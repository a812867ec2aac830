"""The grid: each link at its place, and nothing that breaks terminal or browser."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alignments import annotators
from paraphrast.align.base import AlignedPair, Link
from paraphrast.align.formats import read_alignments
from paraphrast.align.picture import CELL, POSSIBLE, SURE, svg, text
from paraphrast.errors import ParaphrastError

ROOT = Path(__file__).parents[1]
SVG = "{http://www.w3.org/2000/svg}"
A, B = annotators()
SMALL = AlignedPair(("a", "cat"), ("two", "cats"), (Link(0, 0, sure=False), Link(1, 1)))


def squares(picture):
    root = ElementTree.fromstring(picture)
    return [r for r in root.iter(f"{SVG}rect") if r.get("width") == str(CELL)]


def test_sure_is_black_and_possible_is_grey():
    fills = [square.get("fill") for square in squares(svg([A]))]
    assert fills.count(SURE) == sum(link.sure for link in A.links) == 8
    assert fills.count(POSSIBLE) == sum(not link.sure for link in A.links) == 7


def test_squares_stand_where_source_row_and_target_column_meet():
    first, second = squares(svg([SMALL]))
    assert float(second.get("x")) - float(first.get("x")) == CELL
    assert float(second.get("y")) - float(first.get("y")) == CELL
    assert first.find(f"{SVG}title").text == "a – two (possible, 1.00)"


def test_all_words_stand_on_both_axes():
    root = ElementTree.fromstring(svg([A]))
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert words == [*A.source, *A.target]


def test_two_annotators_stand_side_by_side():
    picture = svg([A, B], titles=["A", "B"])
    root = ElementTree.fromstring(picture)
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert words == [*A.source, "A", *A.target, "B", *A.target]
    assert len(squares(picture)) == len(A.links) + len(B.links)


def test_different_sentence_pairs_cannot_be_drawn_side_by_side():
    with pytest.raises(ParaphrastError, match="different sentence pairs"):
        svg([A, SMALL])


def test_the_terminal_shows_words_above_and_before_the_grid():
    assert text(SMALL) == "\n".join(
        [
            "      c",
            "    t a",
            "    w t",
            "    o s",
            "  a ▒▒·",
            "cat · ██",
        ]
    )


def test_a_wide_grid_is_cut():
    parts = text(A, width=20).split("\n\n")
    assert len(parts) == 3  # 13 target words, 5 fit beside the longest source word
    assert all(len(line) <= 20 for part in parts for line in part.splitlines())
    assert sum(part.count("██") for part in parts) == 8


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4))
def test_any_word_can_be_drawn(words):
    pair = AlignedPair(tuple(words), tuple(words), (Link(0, 0),))
    ElementTree.fromstring(svg([pair]))
    shown = text(pair)
    assert "\x1b" not in shown
    assert all(line.isprintable() for line in shown.split("\n"))


def test_wide_letters_keep_the_columns():
    pair = AlignedPair(("猫", "ab"), ("猫", "x"), (Link(0, 0), Link(1, 1)))
    assert text(pair).split("\n") == ["   猫x", "猫 ██·", "ab · ██"]


def test_sentences_without_words_give_an_empty_grid():
    ElementTree.fromstring(svg([AlignedPair((), ())]))
    assert text(AlignedPair((), ())) == ""


def test_the_picture_in_the_docs_is_the_one_that_is_drawn():
    [pair] = read_alignments(ROOT / "examples/alignment.jsonl")
    assert (ROOT / "docs/alignment.svg").read_text("utf-8") == svg([pair])
