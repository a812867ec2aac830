"""Fluent nonsense: every kind occurs, changes the sentence, and is reproducible."""

# ruff: noqa: SIM905 - sentences read best as text
import random

import pytest

from training.judge.nonsense import KINDS, Weak

MODERN = [
    "the old king does not love his two sons any more .".split(),
    "she gave the letter to the servant before the king came .".split(),
    "the servant read the letter to his old mother .".split(),
] * 5
OLD = [
    "the ancient king loveth not his two sons any more .".split(),
    "she gave the letter to the knave ere the king came .".split(),
    "the knave read the letter to his ancient mother .".split(),
] * 5


@pytest.fixture(scope="module")
def weak():
    return Weak([*MODERN, *OLD], list(zip(MODERN, OLD, strict=True)))


def test_nonsense_differs_from_the_sentence_and_every_kind_occurs(weak):
    draw = random.Random(1)
    met = set()
    for _ in range(300):
        words = draw.choice(MODERN)
        kind, found = weak.make(words, draw)
        met.add(kind)
        assert found != words
        assert len(found) > 1
    assert met == set(KINDS)


def test_the_same_seed_makes_the_same_nonsense(weak):
    def once():
        draw = random.Random(3)
        return [weak.make(words, draw) for words in MODERN]

    assert once() == once()


def test_word_by_word_translation_uses_words_of_the_other_side(weak):
    draw = random.Random(1)
    made = {w for _ in range(200) for w in weak.translate_words(list(MODERN[1]), draw)}
    assert "ere" in made


def test_half_copied_begins_as_the_sentence_does(weak):
    draw = random.Random(2)
    for _ in range(50):
        assert weak.half_copied(list(MODERN[0]), draw)[:2] == MODERN[0][:2]


def test_neighbouring_words_occur_together_in_the_corpus(weak):
    seen = {pair for s in (*MODERN, *OLD) for pair in zip(s, s[1:], strict=False)}
    draw = random.Random(1)
    small = Weak([*MODERN, *OLD])
    small._little = frozenset({"the", ".", "to"})
    made = [small.neighbourly(list(MODERN[1]), draw) for _ in range(100)]
    assert any(words != MODERN[1] for words in made)
    for words in made:
        assert (words[0], words[1]) in seen


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_sentence_of_one_word_breaks_nothing(weak, kind):
    assert KINDS[kind](weak, ["king"], random.Random(1)) is not None
    assert weak.make(["king"], random.Random(1))[1] != ["king"]
