"""Contexts and paraphrases that teach each other, on toy translations."""

from dataclasses import replace

import pytest

from paraphrast.paraphrases import cotraining
from paraphrast.paraphrases.word_classes import word_class

NOUNS = ("dog", "cat", "horse", "king")
PLACES = ("garden", "house", "river", "wood")
SETTINGS = cotraining.Settings(min_count=2)


def pair(source: str, target: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(source.split()), tuple(target.split())


def sentence(noun: str, place: str, seen: str = "seen") -> str:
    return f"the {noun} was {seen} near the {place} today ."


# The frame around the words is always the same, so that it is believed.
SAME = [
    pair(sentence(noun, place).capitalize(), sentence(noun, place))
    for noun in NOUNS
    for place in PLACES
]
OTHER = [pair(sentence("cat", place), sentence("feline", place)) for place in PLACES]
LONGER = [
    pair(sentence(noun, "wood"), sentence(noun, "wood", "caught sight of"))
    for noun in NOUNS
]


def probabilities(table, phrase):
    result = {}
    for row in table.of(phrase):
        result[row.paraphrase] = result.get(row.paraphrase, 0) + row.probability
    return result


def test_a_synonym_is_learnt_from_its_context():
    table = cotraining.extract(SAME + OTHER, settings=SETTINGS)
    # cat: 4 sentence pairs have it on both sides, 4 have feline on one.
    assert probabilities(table, "cat") == pytest.approx({"feline": 4 / 12})
    assert probabilities(table, "feline") == {"cat": 1.0}
    assert [row.context for row in table.of("feline")] == ["determiner _ auxiliary"]
    assert {row.phrase for row in table} == {"cat", "feline"}


def test_phrases_of_several_words_are_found():
    table = cotraining.extract(SAME + LONGER, settings=SETTINGS)
    assert probabilities(table, "caught sight of") == {"seen": 1.0}
    assert "caught sight of" in probabilities(table, "seen")
    shorter = cotraining.Settings(min_count=2, longest=2)
    assert cotraining.extract(SAME + LONGER, settings=shorter).of("seen") == []


def test_paraphrases_found_once_are_not_kept():
    table = cotraining.extract(SAME + OTHER[:1], settings=SETTINGS)
    assert len(table) == 0


def test_contexts_that_are_often_wrong_are_not_believed():
    # The same frame, but what stands in it has nothing to do with each other and has
    # its match elsewhere in the sentence.
    wrong = [
        pair(f"the {a} was there , the {b} here", f"the {b} was there , the {a} here")
        for a in NOUNS
        for b in NOUNS
        if a != b
    ]
    assert not any(
        row.paraphrase in NOUNS for row in cotraining.extract(wrong, settings=SETTINGS)
    )


def test_paraphrases_teach_contexts_for_more():
    # In the new frame stand only cat and feline: no same words vouch for it. Once
    # they are known to be paraphrases it is believed, and gives horse and steed.
    frame = [pair("my cat !", "my feline ?")] * 4
    rest = [pair("my horse !", "my steed ?")] * 2
    pairs = SAME + OTHER + frame + rest
    once = cotraining.extract(pairs, settings=replace(SETTINGS, rounds=1))
    assert once.of("horse") == []
    table = cotraining.extract(pairs, settings=SETTINGS)
    assert probabilities(table, "steed") == {"horse": 1.0}


def test_nothing_gives_an_empty_table():
    assert len(cotraining.extract([])) == 0
    assert len(cotraining.extract([((), ("a",))])) == 0


def test_words_are_grouped_into_classes():
    classes = {
        "The": "determiner",
        "proposals": "plural",
        "1,200": "number",
        ",": "sign",
        "running": "gerund",
        "king": "word",
        "slowly": "adverb",
        "hath": "auxiliary",
        "class": "word",
    }
    assert {word: word_class(word) for word in classes} == classes
