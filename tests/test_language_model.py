"""N-gram models: what KenLM and our other estimator say, states, damaged files."""

import math
import random
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import kenlm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast import _native
from paraphrast.errors import ParaphrastError
from paraphrast.estimators import language_model, ngram_model
from paraphrast.estimators.language_model import Settings, train
from paraphrast.phrase import arpa
from paraphrast.storage import arrays as array_file

TEXTS = [
    "good morrow to thee good sir",
    "good night to you",
    "the night is long and the road is long",
    "how long is the road to the town",
    "i wish you good night sir",
    "the town is far and the night is near",
]
QUERIES = [*TEXTS, "", "good zounds night", "the the long road is", "zounds"]
WORDS = st.sampled_from(["a", "b", "c", "d", "é", "thou", "🌹"])
LINES = st.lists(st.lists(WORDS, max_size=9).map(" ".join), min_size=1, max_size=12)
STRANGE = st.lists(
    st.lists(st.one_of(WORDS, st.sampled_from(["x", "y"])), max_size=9).map(" ".join),
    max_size=5,
)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_our_other_estimator_gives_the_same_scores(order):
    model = train(TEXTS, Settings(order=order))
    other = ngram_model.train([text.split() for text in TEXTS], order=order)
    expected = other.score([text.split() for text in QUERIES]).sums()
    result = model.score_lines(QUERIES)[:, 0] * math.log(10)
    assert result == pytest.approx(expected, abs=1e-5)


def test_values_by_hand():
    """One line "a b a": counts by hand, fallback discounts 0.5, 1, 1.5.

    Bigrams <s> a, a b, b a, a </s> once each; so a is preceded by 2 different words,
    b and </s> by one, and the vocabulary without <s> is <unk>, </s>, a, b.
    """
    model = train(["a b a"], Settings(order=2))
    free = (0.5 + 0.5 + 1) / 4 / 4  # what discounts leave, in four parts
    once, twice, unknown = 0.5 / 4 + free, 1 / 4 + free, free
    (scores, matched, _), *_ = model.full_scores(["a"])
    assert matched == 2
    assert scores == pytest.approx(math.log10(0.5 + 0.5 * twice), abs=1e-6)
    after = model.full_scores(["a", "b"])[1][0]
    assert after == pytest.approx(math.log10(0.5 / 2 + 0.5 * once), abs=1e-6)
    strange = model.full_scores(["a", "z"])[1]
    assert strange[0] == pytest.approx(math.log10(0.5 * unknown), abs=1e-6)
    assert strange[1:] == (1, True)
    assert [row["fallback"] for row in model.about["orders"]] == [True, True]


def test_discounts_are_those_of_chen_and_goodman():
    # Words 4, 3, 2 and 1 times: a uses all counts of counts, in a model of words.
    lines = ["a " * 4 + "b b b c c d e", "f g g"]
    model = train(lines, Settings(order=1))
    times = {1: 3, 2: 3, 3: 1, 4: 1}  # </s> twice
    y = times[1] / (times[1] + 2 * times[2])
    expected = [k - (k + 1) * y * times[k + 1] / times[k] for k in (1, 2, 3)]
    assert model.about["orders"][0]["discounts"] == pytest.approx(expected)
    assert not model.about["orders"][0]["fallback"]


def read_by_kenlm(model, folder):
    path = folder / "model.arpa"
    arpa.write(model, path)
    if model.order == 1:  # KenLM wants bigrams; none are enough
        text = path.read_text("utf-8").replace("\n\n\\1", "\nngram 2=0\n\n\\1")
        path.write_text(text.replace("\\end\\", "\\2-grams:\n\n\\end\\"), "utf-8")
    return kenlm.Model(str(path))


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 6])
@settings(max_examples=15, deadline=None)
@given(lines=LINES, queries=STRANGE, pruned=st.booleans())
def test_kenlm_scores_our_arpa_as_we_do(
    tmp_path_factory, order, lines, queries, pruned
):
    lines = ["a b b c d", *lines]
    prune = (0, 0, 1) if pruned and order > 2 else (0,)
    model = train(lines, Settings(order=order, prune=prune))
    theirs = read_by_kenlm(model, tmp_path_factory.mktemp("arpa"))
    for text in [*lines, *queries]:
        for start, end in product((True, False), repeat=2):
            expected = list(theirs.full_scores(text, bos=start, eos=end))
            result = model.full_scores(text.split(), start=start, end=end)
            assert [row[0] for row in result] == pytest.approx(
                [row[0] for row in expected], abs=1e-4
            )
            assert [row[1:] for row in result] == [row[1:] for row in expected]
            total = theirs.score(text, bos=start, eos=end)
            assert model.score(text.split(), start=start, end=end) == pytest.approx(
                total, abs=1e-4
            )


@settings(max_examples=20, deadline=None)
@given(lines=LINES, order=st.integers(2, 6), prune=st.sampled_from([(0,), (0, 1)]))
def test_states_are_as_small_as_those_of_kenlm_and_sufficient(
    tmp_path_factory, lines, order, prune
):
    model = train(["a b c", *lines], Settings(order=order, prune=prune)).native
    theirs = read_by_kenlm(
        train(["a b c", *lines], Settings(order=order, prune=prune)),
        tmp_path_factory.mktemp("arpa"),
    )
    # Which histories are one to a decoder: ours and KenLM's agree on all of them.
    ours_by_theirs, theirs_by_ours = {}, {}
    for history in {tuple(line.split()[:end]) for line in lines for end in range(9)}:
        state, mirror = model.start(), kenlm.State()
        theirs.BeginSentenceWrite(mirror)
        for word in history:
            number = model.find(word)
            result, state = model.score(state, number)
            after = kenlm.State()
            assert result == pytest.approx(
                theirs.BaseScore(mirror, word, after), abs=1e-4
            )
            mirror = after
        assert ours_by_theirs.setdefault(mirror, state) == state
        assert theirs_by_ours.setdefault(state, mirror) == mirror
        assert len(state.words) < order


@settings(max_examples=30, deadline=None)
@given(lines=LINES, order=st.integers(1, 6), prune=st.sampled_from([(0,), (0, 1)]))
def test_next_word_probabilities_sum_to_one(lines, order, prune):
    prune = prune[:order]
    model = train(["a b c", *lines], Settings(order=order, prune=prune)).native
    followers = [n for n in range(model.size) if n != 1]  # all but <s>
    draw = random.Random(1)
    state = model.start()
    for _ in range(6):
        total = sum(10 ** model.score(state, n)[0] for n in followers)
        assert total == pytest.approx(1, abs=1e-4)
        _, state = model.score(state, draw.choice(followers))


def test_pruning_and_word_limits():
    model = train(TEXTS, Settings(order=3, prune=(0, 1, 1)))
    words, _ = model.native.ngrams(2)
    names = model.vocabulary
    spelt = {" ".join(names[word] for word in row) for row in words.tolist()}
    assert {"good night", "the road", "is long", "<s> good"} <= spelt
    assert not {"good morrow", "is near"} & spelt
    few = train(TEXTS, Settings(order=2, most_words=3))
    assert few.vocabulary == ["<unk>", "<s>", "</s>", "good", "is", "the"]
    rare = train(TEXTS, Settings(order=2, minimum_count=4))
    assert rare.vocabulary[3:] == ["good", "is", "night", "the"]
    fixed = train(TEXTS, Settings(order=2), vocabulary=["zounds", "the", "</s>"])
    assert fixed.vocabulary[3:] == ["the", "zounds"]
    assert fixed.perplexity(["zounds"]).unknown == 0
    assert fixed.perplexity(["good"]).unknown == 1


def test_an_empty_vocabulary_can_be_saved(tmp_path):
    model = train(TEXTS, Settings(order=2, minimum_count=1000))
    model.save(tmp_path / "model")
    again = language_model.load(tmp_path / "model")
    assert again.vocabulary == ["<unk>", "<s>", "</s>"]
    result = again.perplexity(["good night"])
    assert (result.unknown, result.words) == (2, 3)
    assert result.value < 3  # there is little else to expect


@pytest.mark.parametrize("words", [["a b"], [""], ["\udcff"], ["a\0"]])
def test_a_vocabulary_contains_only_words(words):
    with pytest.raises(ParaphrastError, match="not a word|not valid text"):
        train(TEXTS, vocabulary=words)


def test_threads_can_score_concurrently():
    model = train(TEXTS, Settings(order=4))
    expected = model.score_lines(QUERIES * 200)
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(model.score_lines, QUERIES * 200) for _ in range(16)]
    for job in jobs:
        assert np.array_equal(job.result(), expected)


def test_sentence_markers_in_a_text_are_unknown_words():
    model = train(["a <s> b </s> <unk>", "a b"], Settings(order=2))
    assert model.vocabulary == ["<unk>", "<s>", "</s>", "a", "b"]
    assert [row[2] for row in model.full_scores(["<s>", "a", "</s>"])] == [
        True, False, True, False,
    ]  # fmt: skip


def test_perplexity_counts_line_ends_and_unknown_words():
    model = train(TEXTS, Settings(order=3))
    result = model.perplexity(["good zounds night", ""])
    assert (result.lines, result.words, result.unknown) == (2, 5, 1)
    rows = model.full_scores(["good", "zounds", "night"]) + model.full_scores([])
    every = sum(row[0] for row in rows)
    known = sum(row[0] for row in rows if not row[2])
    assert result.value == pytest.approx(10 ** (-every / 5))
    assert result.without_unknown == pytest.approx(10 ** (-known / 4))


def test_a_saved_model_gives_the_same_scores(tmp_path):
    model = train(TEXTS, Settings(order=4))
    model.save(tmp_path / "model")
    again = language_model.load(tmp_path / "model")
    assert again.order == 4
    assert again.vocabulary == model.vocabulary
    assert again.about["words"] == model.about["words"]
    assert np.array_equal(again.score_lines(QUERIES), model.score_lines(QUERIES))


def test_training_on_a_stream_gives_the_same_model():
    many = [f"{text} {number % 7}" for number in range(3000) for text in TEXTS]
    told = []
    model = train(iter(many), Settings(order=3), progress=told.append)
    assert told == [10_000, 18_000]
    assert model.about["lines"] == 18_000
    again = train(many, Settings(order=3))
    for name, array in model.arrays.items():
        assert np.array_equal(array, again.arrays[name])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"order": 0}, "order must be 1 to 6, not 0"),
        ({"order": 7}, "order must be 1 to 6, not 7"),
        ({"prune": (1,)}, "prune must start with 0"),
        ({"prune": ()}, "prune must start with 0"),
        ({"prune": (0, 2, 1)}, "prune must not decrease"),
        ({"prune": (0, 0, 0), "order": 2}, "prune has 3 values for order 2"),
        ({"most_words": -1}, "most_words must be 0 to 1,000,000,000, not -1"),
        ({"memory": 10**20}, "memory must be 0 to"),
        ({"prune": (0, 10**20)}, "prune must be 0 to"),
    ],
)
def test_invalid_settings_are_refused(wrong, message):
    with pytest.raises(ParaphrastError, match=message):
        Settings(**wrong)


@pytest.mark.parametrize("lines", [[], [""], ["  \t", "\0"]])
def test_a_text_without_words_is_refused(lines):
    with pytest.raises(ParaphrastError, match="no words"):
        train(lines)


def test_nothing_to_score_is_refused():
    with pytest.raises(ParaphrastError, match="no text to score"):
        train(TEXTS).perplexity([])


def test_undecodable_lines_are_refused_and_such_words_are_unknown():
    model = train(TEXTS, Settings(order=2))
    with pytest.raises(ParaphrastError, match="not valid text"):
        train(["good \udcff night"])
    with pytest.raises(ParaphrastError, match="not valid text"):
        model.perplexity(["good \udcff night"])
    assert model.full_scores(["\udcff"])[0][2]


def test_odd_words_do_no_harm():
    long = "o" * 10_000
    model = train([f"a {long} b", "a\0b\x0bc"], Settings(order=6))
    assert model.vocabulary[3:] == ["a", "b", "c", long]
    assert model.perplexity([long, "o" * 9_999]).unknown == 1
    words, _ = model.native.ngrams(6)
    assert words.shape == (0, 6)


def test_too_little_memory_is_one_line():
    many = (f"{n} {n + 1} {n + 2}" for n in range(100_000))
    with pytest.raises(ParaphrastError, match="more memory than 3 MB"):
        train(many, Settings(order=3, memory=3))


def saved(tmp_path, **changes):
    model = train(TEXTS, Settings(order=3))
    arrays = dict(model.arrays) | {k: v for k, v in changes.items() if k != "order"}
    path = tmp_path / "model"
    about = {"order": changes.get("order", 3)}
    array_file.write(path, language_model.KIND, arrays, about)
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"order": 4},
        {"order": 7},
        {"order": -1},
        {"order": "3"},
        {"unigrams": np.zeros((5, 2), np.float32)},
        {"unigrams": np.zeros((21, 3), np.float32)},
        {"unigrams": np.zeros((21, 2), np.float64)},
        {"ngrams2": np.zeros((0, 2), np.uint64)},
        {"ngrams2": np.zeros((9, 2), np.uint64)},  # full: a search would never end
        {"ngrams2": np.zeros((9, 3), np.uint64)},
        {"ngrams3": np.zeros((9, 3), np.uint32)},
        {"lookup": np.ones(64, np.uint32)},
        {"lookup": np.zeros(63, np.uint32)},
        {"lookup": np.zeros(0, np.uint32)},
        {"starts": np.zeros(0, np.uint32)},
    ],
)
def test_a_forged_file_is_refused(tmp_path, changes):
    with pytest.raises(ParaphrastError, match="is damaged"):
        language_model.load(saved(tmp_path, **changes))


def test_start_positions_out_of_range_do_no_harm(tmp_path):
    """A forged file may answer nonsense, but it stays within its arrays."""
    path = saved(tmp_path, starts=np.arange(19, dtype=np.uint32)[::-1] * 1000)
    model = language_model.load(path)
    assert model.native.find("good") == 0
    assert model.native.word(5) == "<unk>"
    tables = dict(train(TEXTS, Settings(order=3)).arrays)
    draw = np.random.default_rng(1)
    for name in ("ngrams2", "ngrams3"):
        noise = draw.integers(0, 2**32, tables[name].shape, np.uint64)
        tables[name] = noise.astype(tables[name].dtype)
        tables[name][:2] = np.iinfo(tables[name].dtype).max
    noisy = language_model.LanguageModel(tables, 3)
    noisy.score_lines(QUERIES)
    for order in (1, 2, 3):
        noisy.native.ngrams(order)


def test_cut_and_foreign_files_are_refused(tmp_path):
    path = saved(tmp_path)
    whole = path.read_bytes()
    for cut in range(0, len(whole), 97):
        path.write_bytes(whole[:cut])
        with pytest.raises(ParaphrastError):
            language_model.load(path)
    path.write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0")
    with pytest.raises(ParaphrastError, match="is not a language model"):
        language_model.load(path)
    with pytest.raises(ParaphrastError, match="cannot read"):
        language_model.load(tmp_path / "none")


def test_the_compiled_part_checks_its_arguments():
    model = train(TEXTS, Settings(order=2)).native
    with pytest.raises(IndexError):
        model.word(10_000)
    with pytest.raises(ValueError, match="no such order"):
        model.ngrams(3)
    assert model.score(model.start(), 99_999)[0] == model.score(model.start(), 0)[0]
    words = np.array([[3, 99]], np.uint32)
    values = [np.zeros((5, 2), np.float32), np.zeros((1, 2), np.float32)]
    with pytest.raises(ValueError, match="out of range"):
        _native.language_model_tables([words], values)
    values[1][0, 0] = np.nan
    with pytest.raises(ValueError, match="probability"):
        _native.language_model_tables([words % 5], values)
    with pytest.raises(ValueError, match="order"):
        _native.language_model_tables([], [])
