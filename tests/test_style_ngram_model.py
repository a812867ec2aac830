"""The language model: hand-computed values, a brute-force twin, normalisation."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.estimators import ngram_model
from paraphrast.storage import weights

TEXTS = [
    "good morrow to thee good sir",
    "good night to you",
    "the night is long and the road is long",
    "how long is the road to the town",
    "i wish you good night sir",
    "the town is far and the night is near",
    "to the town good sir to the town",
    "you wish to see the long road",
]
SENTENCES = [text.split() for text in TEXTS]


class Twin:
    """Interpolated modified Kneser-Ney as the formulas say, word by word."""

    def __init__(self, sentences, order):
        self.order = order
        words = {word for sentence in sentences for word in sentence}
        self.vocabulary = ["<unk>", "</s>", *sorted(words)]
        padded = [("<s>", *sentence, "</s>") for sentence in sentences]
        raw = [Counter() for _ in range(order + 1)]
        for sentence in padded:
            for n in range(1, order + 1):
                raw[n].update(zip(*(sentence[i:] for i in range(n)), strict=False))
        self.counts = [Counter() for _ in range(order + 1)]
        self.counts[order] = raw[order]
        for n in range(1, order):
            before = defaultdict(set)
            for gram in raw[n + 1]:
                before[gram[1:]].add(gram[0])
            for gram, count in raw[n].items():
                began = gram[0] == "<s>"
                self.counts[n][gram] = count if began else len(before[gram])
        self.counts[1].pop(("<s>",), None)
        self.discounts = [None, *(self._discount(c) for c in self.counts[1:])]

    @staticmethod
    def _discount(counts):
        n = [sum(c == k for c in counts.values()) for k in range(5)]
        if min(n[1:]) > 0:
            y = n[1] / (n[1] + 2 * n[2])
            result = [0, *(k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3))]
            if all(0 < d <= k for k, d in enumerate(result) if k):
                return result
        return [0, 0.5, 1.0, 1.5]

    def probability(self, word, context):
        if not context:
            below = 1 / len(self.vocabulary)
        else:
            below = self.probability(word, context[1:])
        counts = self.counts[len(context) + 1]
        row = {g[-1]: c for g, c in counts.items() if g[:-1] == context}
        total = sum(row.values())
        if not total:
            return below
        discount = self.discounts[len(context) + 1]
        free = sum(discount[min(c, 3)] for c in row.values())
        count = row.get(word, 0)
        return (count - discount[min(count, 3)]) / total + free / total * below


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_every_word_has_the_probability_that_the_formulas_give(order):
    model = ngram_model.train(SENTENCES, order=order)
    twin = Twin(SENTENCES, order)
    strange = ["the", "good", "dragon", "is", "near", "to", "you"]
    scored = model.score([strange, *SENTENCES])
    expected = []
    for sentence in [strange, *SENTENCES]:
        known = [word if word in twin.vocabulary else "<unk>" for word in sentence]
        history = ["<s>", *known, "</s>"]
        for i in range(1, len(history)):
            context = tuple(history[max(0, i - order + 1) : i])
            expected.append(math.log(twin.probability(history[i], context)))
    assert scored.log_probability == pytest.approx(expected, abs=1e-5)


def test_two_words_by_hand():
    # Twice "a b": no counts of 3 or 4, so the discounts are 0.5, 1.0 and 1.5.
    # Unigrams count the words before them: a 1, b 1, </s> 1. Vocabulary: those, <unk>.
    # p(b) = (1 - 0.5)/3 + (3 * 0.5)/3 * 1/4 = 7/24. Bigram "a b" is counted twice:
    # p(b | a) = (2 - 1)/2 + 1/2 * 7/24 = 31/48.
    model = ngram_model.train([["a", "b"], ["a", "b"]], order=2)
    scored = model.score([["a", "b"]])
    assert np.exp(scored.alone[1]) == pytest.approx(7 / 24)
    assert np.exp(scored.log_probability) == pytest.approx([31 / 48] * 3)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1, max_size=12),
    st.integers(1, 5),
    st.lists(st.sampled_from("abcdefg"), max_size=4),
)
def test_probabilities_of_all_words_after_any_context_sum_to_one(texts, order, context):
    if not any(texts):
        texts = [["a"]]
    model = ngram_model.train(texts, order=order)
    words = [word for word in model.vocabulary if word not in ("<s>", "</s>")]
    position = len(context)
    each = model.score([[*context, word] for word in words])
    after = each.log_probability[each.starts + position]
    end = model.score([context]).log_probability[-1]
    assert np.exp(after).sum() + np.exp(end) == pytest.approx(1, abs=1e-5)


def test_a_shared_vocabulary_still_sums_to_one():
    model = ngram_model.train([["a", "b"]], order=2, also=["c", "d"])
    scored = model.score([[word] for word in ("a", "b", "c", "d", "zebra")])
    first = np.exp(scored.log_probability[scored.starts]).sum()
    end = np.exp(model.score([[]]).log_probability[0])
    assert first + end == pytest.approx(1, abs=1e-6)


def test_training_text_is_less_surprising_than_other_text():
    model = ngram_model.train(SENTENCES, order=3)
    assert model.perplexity(SENTENCES) < model.perplexity([s[::-1] for s in SENTENCES])


def test_rare_words_can_be_made_unknown():
    model = ngram_model.train(SENTENCES, order=2, minimum_count=2)
    assert "morrow" not in model.vocabulary
    assert model.score([["good", "morrow"]]).unknown.tolist() == [False, True, False]


def test_a_saved_model_gives_bit_identical_scores(tmp_path):
    model = ngram_model.train(SENTENCES, order=3)
    model.save(tmp_path / "lm.arrays")
    again = ngram_model.load(tmp_path / "lm.arrays")
    assert again.signature == model.signature
    there, back = (m.score(SENTENCES).log_probability for m in (model, again))
    assert there.tolist() == back.tolist()


def test_another_text_gives_another_signature():
    there = ngram_model.train(SENTENCES, order=3)
    assert there.signature != ngram_model.train(SENTENCES[1:], order=3).signature


def test_nothing_to_score_gives_nothing():
    model = ngram_model.train(SENTENCES, order=2)
    assert model.score([]).sums().tolist() == []
    assert len(model.score([[]]).log_probability) == 1  # </s> alone


@pytest.mark.parametrize(
    ("sentences", "order", "complaint"),
    [([], 3, "no words"), ([[], []], 3, "no words"), ([["a"]], 6, "order must be")],
)
def test_impossible_training_is_refused(sentences, order, complaint):
    with pytest.raises(ParaphrastError, match=complaint):
        ngram_model.train(sentences, order=order)


def test_a_damaged_file_and_another_kind_are_refused(tmp_path):
    path = tmp_path / "x.arrays"
    weights.save(path, "something", {}, {"a": np.arange(3)})
    with pytest.raises(ParaphrastError, match="not a ngram-model"):
        ngram_model.load(path)
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(ParaphrastError, match="not a ngram-model"):
        ngram_model.load(path)
    with pytest.raises(ParaphrastError, match="cannot read"):
        ngram_model.load(tmp_path / "none.arrays")


def test_weights_with_a_changed_byte_are_refused(tmp_path):
    path = tmp_path / "x.arrays"
    weights.save(path, "thing", {}, {"a": np.arange(3)})
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(ParaphrastError, match="damaged"):
        weights.load(path, "thing")
