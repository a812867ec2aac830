"""Dictionaries as phrase tables: by frequency and by context, by hand."""

import math

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.phrase import dictionary
from paraphrast.phrase.dictionary import by_context, by_frequency


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
    found = table.of(source.split())
    return {" ".join(o.target): o.probabilities[0] for o in found}


def test_by_frequency_gives_the_papers_example():
    listed = entries(*(("maybe", word) for word in MAYBE))
    found = shares(by_frequency(listed, Bigrams(MAYBE)), "maybe")
    assert found["perchance"] == pytest.approx(0.30107, abs=1e-4)
    assert list(found) == list(MAYBE)
    assert sum(found.values()) == pytest.approx(1, abs=1e-5)


def test_a_phrase_is_as_common_as_its_words_in_order():
    model = Bigrams({"a": 0.1, "b": 0.2, "c": 0.03}, {("a", "b"): 0.5})
    found = shares(by_frequency(entries(("x", "a b"), ("x", "c")), model), "x")
    assert found == pytest.approx({"a b": 0.05 / 0.08, "c": 0.03 / 0.08}, abs=1e-5)


def test_the_published_table_looked_at_the_last_word_alone():
    model = Bigrams({"a": 0.1, "b": 0.2, "c": 0.03}, {("a", "b"): 0.5})
    listed = entries(("x", "a b"), ("x", "c"))
    found = shares(by_frequency(listed, model, measure="last word"), "x")
    assert found == pytest.approx({"a b": 0.5 / 0.53, "c": 0.03 / 0.53}, abs=1e-5)
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


def test_by_context_follows_the_neighbours():
    # a and b are equally common, but c follows a nine times as often as b. One
    # sentence is one count: 0.9 for a. Half of the rest is the prior's.
    model = Bigrams(
        {"a": 0.1, "b": 0.1, "c": 0.1, "</s>": 0.1},
        {("a", "c"): 0.9, ("b", "c"): 0.1},
    )
    listed = entries(("x", "a"), ("x", "b"), ("y", "c"))
    assert shares(by_frequency(listed, model), "x")["a"] == pytest.approx(0.5)
    table = by_context(listed, model, [["x", "y"]], iterations=1)
    assert shares(table, "x")["a"] == pytest.approx((0.9 + 0.5) / 2, abs=1e-5)
    assert shares(table, "y") == pytest.approx({"c": 1})


def test_em_sharpens_what_one_word_alone_must_explain():
    # x may be a or b, z only a: the channel learns that b says x and a says z.
    model = Bigrams({"a": 0.1, "b": 0.1, "</s>": 0.1})
    listed = entries(("x", "a"), ("x", "b"), ("z", "a"))
    texts = [["x"]] * 10 + [["z"]] * 10
    once = shares(by_context(listed, model, texts, iterations=1), "x")
    often = shares(by_context(listed, model, texts, iterations=8), "x")
    assert once["b"] == pytest.approx(0.5, abs=1e-3)
    assert often["b"] > 0.8


def test_em_weighs_a_phrase_against_its_words():
    model = Bigrams({"a": 0.1, "b": 0.1, "c": 0.5, "</s>": 0.1})
    listed = entries(("x", "a"), ("y", "b"), ("x y", "c"))
    lattice = dictionary._Lattice(model, dictionary.frequencies(listed, model))
    counts = lattice.expected([["x", "y"]])
    # By words 0.1 * 0.1, as one phrase 0.5, each followed by the same end.
    assert counts["x", "y"]["c",] == pytest.approx(0.5 / 0.51)
    assert counts["x",]["a",] == pytest.approx(0.01 / 0.51)


def test_phrases_that_no_text_has_keep_their_frequencies():
    model = Bigrams({"a": 0.3, "b": 0.1, "</s>": 0.1})
    listed = entries(("x", "a"), ("x", "b"))
    table = by_context(listed, model, [["other", "words"], []])
    assert shares(table, "x") == pytest.approx({"a": 0.75, "b": 0.25}, abs=1e-5)


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


def test_em_needs_an_iteration():
    with pytest.raises(ParaphrastError, match="at least 1 iteration"):
        by_context(entries(("x", "a")), Bigrams({"a": 0.1}), [], iterations=0)
