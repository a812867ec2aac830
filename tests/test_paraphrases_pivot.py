"""Paraphrases by way of another language: the parts, and a text worked by hand."""

import math
import os
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from paraphrast.corpora import Pair, catalogue
from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases import pivot
from paraphrast.paraphrases.coded_text import CodedText, Vocabulary
from paraphrast.paraphrases.diagonal import Diagonal, symmetrise
from paraphrast.paraphrases.words import english_words, foreign_words

# Two people and a thing, each said in two ways; the links follow from the order.
TOY = [
    Pair(f"{english} {verb}", f"{foreign} {acts}")
    for english, foreign in [
        ("doctor", "arzt"),
        ("physician", "arzt"),
        ("doctor", "doktor"),
        ("tree", "baum"),
    ]
    for verb, acts in [
        ("sleeps", "schläft"),
        ("eats", "isst"),
        ("sings", "singt"),
    ]
] * 3


def products(pairs, **settings):
    """Pair off English phrases, given as (foreign, english) letters."""
    foreign, english = (
        np.array([ord(pair[side]) for pair in pairs], np.uint64) for side in (0, 1)
    )
    result = {}
    for first, second, weight in pivot.pair_phrases(
        foreign, english, pivot.Settings(**settings)
    ):
        for one, two, value in zip(first, second, weight, strict=True):
            key = chr(one) + chr(two)
            result[key] = result.get(key, 0) + value
    return result


def test_products_are_counts_times_probabilities():
    # f: a a b, so p(a | f) = 2/3 and p(b | f) = 1/3; g: b alone.
    pairs = [("f", "a"), ("f", "b"), ("f", "a"), ("g", "b")]
    result = products(pairs, min_count=1)
    assert result == pytest.approx({"ab": 2 * (1 / 3), "ba": 1 * (2 / 3)})


def test_rare_pairs_take_part_only_in_the_counts():
    pairs = [("f", "a")] * 2 + [("f", "b")] * 2 + [("f", "c")]
    assert products(pairs) == pytest.approx({"ab": 2 * 2 / 5, "ba": 2 * 2 / 5})
    assert products(pairs, floor=0.5) == {}


def test_many_products_come_in_pieces(monkeypatch):
    pairs = [("f", chr(97 + number)) for number in range(20)] * 2
    whole = products(pairs)
    monkeypatch.setattr(pivot, "MOST_PRODUCTS", 50)
    assert products(pairs) == whole
    assert len(whole) == 20 * 19


def test_a_table_from_a_text_worked_out_by_hand():
    settings = pivot.Settings(longest=1, min_count=1, minimum=0.0)
    table = pivot.extract([TOY], settings=settings)
    result = {row.paraphrase: row.probability for row in table.of("doctor")}
    # doctor is arzt in 9 of 18 pairs, and arzt is physician in 9 of 18.
    assert result == pytest.approx({"physician": 0.5 * 0.5})
    # physician is always arzt, and arzt is doctor in half of the cases.
    assert [row.probability for row in table.of("physician")] == [0.5]
    assert table.of("tree") == table.of("sleeps") == []
    assert table.about["pairs"] == len(TOY)


def test_the_mean_is_over_texts_that_have_the_phrase():
    settings = pivot.Settings(longest=1, min_count=1, minimum=0.0)
    other = [
        Pair(pair.source.replace("physician", "doctor"), pair.target) for pair in TOY
    ]
    third = [pair for pair in TOY if "tree" in pair.source] * 2
    table = pivot.extract([TOY, other, third], settings=settings)
    # The second text has doctor, but no other word for arzt; the third lacks it.
    assert [row.probability for row in table.of("doctor")] == [0.125]
    assert [row.probability for row in table.of("physician")] == [0.5]


def test_two_processes_give_the_same_table():
    settings = pivot.Settings(longest=2, min_count=1)
    alone = pivot.extract([TOY, TOY[:20]], settings=settings)
    together = pivot.extract([TOY, TOY[:20]], settings=settings, processes=2)
    assert list(alone) == list(together)
    assert len(alone) > 0


def test_the_threshold_and_the_longest_sentence():
    settings = pivot.Settings(longest=1, min_count=1, minimum=0.3)
    table = pivot.extract([TOY], settings=settings)
    assert [row.phrase for row in table] == ["physician"]
    settings = pivot.Settings(max_words=1)
    table = pivot.extract([TOY], settings=settings)
    assert (len(table), table.about["pairs"]) == (0, 0)
    assert table.about["pairs_read"] == len(TOY)


def test_settings_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="longest must be from 1 to 15 words"):
        pivot.Settings(longest=16)


def test_an_empty_text_is_refused():
    with pytest.raises(ParaphrastError, match="no text"):
        pivot.extract([])


def test_the_aligner_learns_words_in_another_order(tmp_path):
    words = dict(
        zip(
            ["the", "a", "red", "old", "big", "house", "dog", "sleeps", "burns"],
            ["das", "ein", "rot", "alt", "gross", "haus", "hund", "schläft", "brennt"],
            strict=True,
        )
    )
    pairs = [
        (
            [one, colour, thing, verb, ",", "he", "said"],
            [*(words[w] for w in (one, thing, colour, verb)), ",", "sagte", "er"],
        )
        for one in ("the", "a")
        for colour in ("red", "old", "big")
        for thing in ("house", "dog")
        for verb in ("sleeps", "burns")
    ] * 4
    text = CodedText(tmp_path / "text")
    text.write(pairs)
    model = Diagonal(*map(len, text.vocabularies), slots=1 << 12)
    model.train(lambda: ((source, target) for _, source, target in text.batches()))
    (_, source, target) = next(text.batches())
    rows, columns = model.align(source, target)
    cells = sorted(zip(rows.tolist(), columns.tolist(), strict=True))
    # Of "he said" nothing tells the words apart but their order.
    positions = enumerate((0, 2, 1, 3, 4, 5, 6))
    expected = [(7 * n + i, 7 * n + j) for i, j in positions for n in range(len(pairs))]
    assert cells == sorted(expected)


def grid(rows):
    return np.array([[[cell == "x" for cell in row] for row in rows]])


def test_symmetrisation_grows_from_the_intersection():
    forth = grid(["x..", ".x.", "..x"])
    back = grid(["x..", "x..", "..x"])
    assert (symmetrise(forth, back) == grid(["x..", "xx.", "..x"])).all()
    # Nothing in common: final-and takes words of which neither has a link.
    forth = grid(["x.", ".."])
    back = grid(["..", ".x"])
    assert (symmetrise(forth, back) == grid(["x.", ".x"])).all()
    # A link to a word that has one stays out when it touches no other link.
    forth = grid(["x.x", "...", "..."])
    back = grid(["x..", "...", "..."])
    assert (symmetrise(forth, back) == back).all()


def test_words_are_split_as_in_europarl():
    assert english_words('The Parliament"s Rules') == [
        "the",
        "parliament",
        "'s",
        "rules",
    ]
    assert foreign_words("L’élection de 1,5 (hier)") == [
        "l'", "élection", "de", "1,5", "(", "hier", ")",
    ]  # fmt: skip


def test_hashes_depend_on_letters_alone():
    one, two = Vocabulary(), Vocabulary()
    one.side([["a", "b"]])
    two.side([["b", "a"]])
    assert one.hashes()[1] == two.hashes()[2]
    assert not math.isclose(one.hashes()[1], one.hashes()[2])


@pytest.mark.data
def test_europarl_gives_sensible_paraphrases():
    mirror = Path(os.environ["PARAPHRAST_MIRROR"])
    text = list(islice(catalogue.load_pairs("europarl", "en-fr", mirror=mirror), 20000))
    table = pivot.extract([text])
    result = [row.paraphrase for row in table.of("take into account", limit=5)]
    assert "take account" in result or "take account of" in result
    assert "take into account" not in result
