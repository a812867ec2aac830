"""Dictionaries as phrase tables: probabilities by frequency, by hand."""

import math

import pytest

from paraphrast.errors import ParaphrastError
from recipes.xu12.dictionary import by_frequency


class Bigrams:
    """A model made of a table: p(word|word before), else p(word), else unknown."""

    def __init__(self, words, after=()):
        self.words, self.after = words, dict(after)

    def full_scores(self, words, *, start=True, end=True):
        history = "<s>" if start else None
        scores = []
        for word in [*words, *(["</s>"] if end else [])]:
            known = self.words.get(word, 1e-9)
            chance = self.after.get((history, word), known)
            scores.append((math.log10(chance), 1, word not in self.words))
            history = word
        return scores


# XU12's own example: the counts of its four words give 0.301, 0.286, 0.272, 0.141.
MAYBE = {
    "perchance": 0.0000790755,
    "haply": 0.0000752429,
    "happily": 0.0000714106,
    "peradventure": 0.0000369186,
}


def entries(*pairs):
    return [(tuple(one.split()), tuple(two.split())) for one, two in pairs]


def shares(table, source):
    result = table.of(source.split())
    return {" ".join(o.target): o.probabilities[0] for o in result}


def test_by_frequency_gives_the_papers_example():
    listed = entries(*(("maybe", word) for word in MAYBE))
    result = shares(by_frequency(listed, Bigrams(MAYBE)), "maybe")
    assert result["perchance"] == pytest.approx(0.30107, abs=1e-4)
    assert list(result) == list(MAYBE)
    assert sum(result.values()) == pytest.approx(1, abs=1e-5)


def test_a_phrase_is_as_common_as_its_words_in_order():
    model = Bigrams({"a": 0.1, "b": 0.2, "c": 0.03}, {("a", "b"): 0.5})
    result = shares(by_frequency(entries(("x", "a b"), ("x", "c")), model), "x")
    assert result == pytest.approx({"a b": 0.05 / 0.08, "c": 0.03 / 0.08}, abs=1e-5)


def test_the_published_table_used_only_the_last_word():
    model = Bigrams({"a": 0.1, "b": 0.2, "c": 0.03}, {("a", "b"): 0.5})
    listed = entries(("x", "a b"), ("x", "c"))
    result = shares(by_frequency(listed, model, measure="last word"), "x")
    assert result == pytest.approx({"a b": 0.5 / 0.53, "c": 0.03 / 0.53}, abs=1e-5)
    with pytest.raises(ParaphrastError, match="unknown measure"):
        by_frequency(listed, model, measure="last")


def test_a_known_phrase_may_stay_as_it_is():
    model = Bigrams({"maybe": 0.1, "perchance": 0.3})
    listed = entries(("maybe", "perchance"))
    assert shares(by_frequency(listed, model), "maybe") == pytest.approx(
        {"perchance": 0.75, "maybe": 0.25}
    )
    kept = by_frequency(listed, model, keep_source=False)
    assert shares(kept, "maybe") == pytest.approx({"perchance": 1})


def test_targets_that_the_model_does_not_know_are_left_out():
    model = Bigrams({"perchance": 0.3})
    table = by_frequency(entries(("maybe", "perchance"), ("maybe", "belike")), model)
    assert shares(table, "maybe") == pytest.approx({"perchance": 1})


def test_entries_that_are_too_long_or_given_twice_do_no_harm():
    model = Bigrams({"a": 0.1})
    listed = entries(("x", "a"), ("x", "a"), ("x " * 16, "a"))
    assert len(by_frequency(listed, model)) == 1


def test_a_dictionary_of_which_the_model_knows_nothing_is_refused():
    with pytest.raises(ParaphrastError, match="knows no target"):
        by_frequency(entries(("Maybe", "Perchance")), Bigrams(MAYBE))


def test_an_empty_entry_is_refused():
    with pytest.raises(ParaphrastError, match="empty side"):
        by_frequency([(("x",), ())], Bigrams(MAYBE))
