"""The monolingual aligner: its parts, its derivative, its training, its model."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast import registry
from paraphrast.align import choosing
from paraphrast.align.base import PREFERENCES, Adjustable, AlignedPair
from paraphrast.align.links import from_gold, links_of, possible_cells, sure_cells
from paraphrast.align.measures import corpus_counts, macro, micro
from paraphrast.align.monolingual import family
from paraphrast.align.monolingual.aligner import Monolingual, batches, inputs_of
from paraphrast.align.monolingual.features import NAMES, grids
from paraphrast.align.monolingual.forms import form, stem
from paraphrast.align.monolingual.network import forward
from paraphrast.align.monolingual.training import (
    Settings,
    _examples,
    _gradients,
    fit,
    random_weights,
)
from paraphrast.align.monolingual.weights import Thresholds, Trained, vectors
from paraphrast.corpora.loaders import alignments
from paraphrast.errors import ParaphrastError
from training.aligner import tune


def pair(source, target, sure, possible=""):
    cells = [
        [tuple(map(int, cell.split("-"))) for cell in text.split()]
        for text in (sure, possible)
    ]
    return AlignedPair(
        tuple(source.split()), tuple(target.split()), links_of(*cells), source
    )


DOZEN = [
    pair("he bought a car .", "he purchased an automobile .", "0-0 1-1 2-2 3-3 4-4"),
    pair("the film was great", "the movie was excellent", "0-0 1-1 2-2 3-3"),
    pair("she left yesterday", "yesterday she departed", "0-1 1-2 2-0"),
    pair("it rained all night", "all night it rained", "0-2 1-3 2-0 3-1"),
    pair("the cat chased the dog", "the dog chased the cat", "1-4 2-2 4-1", "0-3 3-0"),
    pair("two men died", "2 people were killed", "0-0 1-1", "2-2 2-3"),
    pair("they gave up", "they surrendered", "0-0", "1-1 2-1"),
    pair("no one came", "nobody came", "2-1", "0-0 1-0"),
    pair("we agree .", "we do not disagree .", "0-0 2-4", "1-3"),
    pair("i like tea", "i am fond of tea", "0-0 2-4", "1-1 1-2 1-3"),
    pair("prices rose sharply", "there was a sharp rise in prices", "0-6 1-4 2-3"),
    pair("quite unlike this", "a wholly other sentence , friend", "", "0-1"),
]


@pytest.fixture(scope="module")
def aligner():
    return family.load(None)


def words(text):
    return tuple(text.split())


def said(aligner, source, target):
    """Return the linked words as 'source-target'."""
    source, target = words(source), words(target)
    (links,) = aligner([(source, target)])
    return {f"{source[link.source]}-{target[link.target]}" for link in links}


# Words


@pytest.mark.parametrize(
    "same",
    [
        "stop stops stopped stopping",
        "study studies studied",
        "colour color colours",
        "realise realize realised",
        "go goes went gone",
        "n't not",
        "'' \" “ ”",
        "1,000 1000",
        "2 two",
        "An a",
        "critical critically",
    ],
)
def test_spellings_and_inflections_share_a_stem(same):
    assert len({stem(word.lower()) for word in same.split()}) == 1


@pytest.mark.parametrize("other", ["king kin", "was has", "a the", "1 2", ". ,"])
def test_other_words_do_not(other):
    one, two = other.split()
    assert stem(one) != stem(two)


def test_a_form_ignores_case_and_has_no_length_limit():
    assert form("PARIS").lower == form("paris").lower
    assert form("x" * 500).length == 500
    assert form("🙂").kind == form(".").kind


# Grids


def test_features_of_a_cell_by_hand():
    laid = grids([(words("the cat"), words("the dog 's cat"))])
    cells = dict(zip(NAMES, laid.cells[:, 0], strict=True))
    assert cells["identical"].tolist() == [[1, 0, 0, 0], [0, 0, 0, 1]]
    assert cells["both function words"].tolist() == [[1, 0, 1, 0], [0, 0, 0, 0]]
    assert cells["both content words"].tolist() == [[0, 0, 0, 0], [0, 1, 0, 1]]
    assert cells["no same stem in the column"][0].tolist() == [0, 1, 1, 0]
    assert cells["both last"].tolist() == [[0, 0, 0, 0], [0, 0, 0, 1]]
    # The first word's middle is at 1/4 of the source and 1/8 of the target.
    assert cells["distance from the diagonal"][0, 0] == pytest.approx(1 / 8)


def test_the_second_occurrence_of_a_word_matches_the_second():
    laid = grids([(words("to be or to be"), words("to do and to be"))])
    occurrence = laid.cells[NAMES.index("same occurrence of a word"), 0]
    assert occurrence[0, 0] == 1
    assert occurrence[3, 3] == 1
    assert occurrence[0, 3] == occurrence[3, 0] == 0


def test_an_unknown_word_has_the_vector_of_its_part_or_none():
    known = vectors().table
    assert np.array_equal(*known(["cat", "zqxv-cat"]))
    assert not known(["zqxvzqxv"]).any()
    assert known(["cat"]).any()


# The network


def test_a_pair_scores_the_same_alone_and_among_longer_ones():
    weights = random_weights()
    short, long = (words("a b c"), words("a c")), (words("x " * 9), words("y " * 7))
    alone = forward(weights, inputs_of([short], vectors())).scores
    among = forward(weights, inputs_of([short, long], vectors())).scores
    assert np.allclose(alone[:, 0], among[:, 0, :3, :2], atol=1e-5)


def test_the_derivative_is_that_of_the_loss():
    weights = {k: v.astype(np.float64) for k, v in random_weights(seed=3).items()}
    (example,) = _examples(DOZEN[:2], Settings())
    _, gradients = _gradients(weights, example)
    draw = np.random.default_rng(1)
    step = 1e-3
    for name, weight in weights.items():
        # Along one direction through all weights of a name at once: kinks average out.
        direction = draw.standard_normal(weight.shape)
        direction /= np.linalg.norm(direction)
        losses = []
        for sign in (1, -1):
            moved = weights | {name: weight + sign * step * direction}
            losses.append(_gradients(moved, example)[0])
        expected = (losses[0] - losses[1]) / (2 * step)
        result = float((gradients[name] * direction).sum())
        assert result == pytest.approx(expected, rel=0.05, abs=2e-3), name


# Training


@pytest.fixture(scope="module")
def tiny():
    """A network that has seen a dozen pairs often and nothing else."""
    often = Settings(epochs=60, rate=6e-3, batch_cells=2000)
    weights = fit(DOZEN, random_weights(), settings=often)
    return Monolingual(
        Trained(weights, Thresholds(0.5, dict.fromkeys(PREFERENCES, 0.5)))
    )


def test_a_dozen_pairs_can_be_memorised(tiny):
    links = tiny([(one.source, one.target) for one in DOZEN])
    system = [replace(one, links=own) for one, own in zip(DOZEN, links, strict=True)]
    for label in ("sure", "possible"):
        counts = corpus_counts(system, DOZEN, labels=label, identical="kept")
        assert micro(counts).f1 > 0.97


def test_the_two_directions_are_symmetric(tiny):
    """Training shows every pair both ways."""
    ((there,), (back,)) = (
        tiny([(DOZEN[2].source, DOZEN[2].target)]),
        tiny([(DOZEN[2].target, DOZEN[2].source)]),
    )
    assert {(k.source, k.target) for k in there} == {(k.target, k.source) for k in back}


def test_training_twice_gives_the_same_weights():
    one, other = (
        fit(DOZEN[:3], random_weights(), settings=Settings(epochs=2)) for _ in range(2)
    )
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_fixed_weights_stay():
    start = random_weights()
    still = {"features": np.ones(start["features"].shape, dtype=bool)}
    settings = Settings(epochs=1, decay=0)
    done = fit(DOZEN[:3], start, settings=settings, fixed=still)
    assert np.array_equal(done["features"], start["features"])
    assert not np.array_equal(done["last"], start["last"])


def test_pairs_without_links_teach_nothing():
    with pytest.raises(ParaphrastError, match="no links to learn from"):
        family.train([replace(DOZEN[0], links=()), AlignedPair((), ("a",))])


def test_the_family_continues_training_its_own_aligner(aligner, tmp_path):
    trained = family.train(DOZEN)
    trained.save(tmp_path / "model")
    again = family.load(tmp_path / "model")
    both = [(one.source, one.target) for one in DOZEN]
    assert again(both) == trained(both)
    assert not np.array_equal(
        trained.trained.weights["last"], aligner.trained.weights["last"]
    )
    manifest = json.loads((tmp_path / "model" / "manifest.json").read_text("utf-8"))
    assert manifest["settings"]["pairs"] == 12


def test_weights_for_other_features_are_refused(tmp_path, tiny):
    tiny.save(tmp_path / "model")
    path = tmp_path / "model" / "manifest.json"
    text = path.read_text("utf-8")
    made_for = json.loads(text)["settings"]["made_for"]
    path.write_text(text.replace(made_for, "0" * 64), "utf-8")
    with pytest.raises(ParaphrastError, match="other word vectors or features"):
        family.load(tmp_path / "model")


def test_a_changed_file_is_refused(tmp_path, tiny):
    tiny.save(tmp_path / "model")
    path = tmp_path / "model" / "weights.npz"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ParaphrastError, match="weights.npz has changed size"):
        family.load(tmp_path / "model")


# The package's aligner


def test_it_is_registered():
    assert registry.find("aligners", "monolingual") is family


@pytest.mark.parametrize(
    ("source", "target", "wanted", "unwanted"),
    [
        (
            "He bought a new car last week .",
            "Last week he purchased a new automobile .",
            "He-he bought-purchased car-automobile last-Last week-week .-.",
            "bought-automobile car-purchased",
        ),
        (
            "The physician examined the sick boy",
            "the doctor looked at the ill child",
            "physician-doctor examined-looked sick-ill boy-child",
            "physician-child boy-doctor",
        ),
        (
            "the dog bit the man and the man bit the dog",
            "the man bit the dog",
            "man-man dog-dog bit-bit",
            "dog-man man-dog",
        ),
        (
            "It isn 't big",
            "it is not large",
            "It-it 't-not big-large",
            "It-large",
        ),
        (
            "prices rose by 20 percent in 1998",
            "in 1998 , prices went up 20 %",
            "prices-prices rose-went 20-20 percent-% 1998-1998",
            "20-1998 1998-20",
        ),
    ],
)
def test_obvious_links_are_found(aligner, source, target, wanted, unwanted):
    result = said(aligner, source, target)
    assert result >= set(wanted.split())
    assert not result & set(unwanted.split())


def test_one_word_may_be_linked_to_several(aligner):
    (links,) = aligner(
        [(words("they surrendered at dawn"), words("they gave up at dawn"))]
    )
    targets = {link.target for link in links if link.source == 1}
    assert targets == {1, 2}


def test_unrelated_sentences_share_next_to_nothing(aligner):
    assert not said(aligner, "rivers freeze slowly", "my uncle sold three violins")


def test_a_batch_of_unrelated_pairs_has_no_links(aligner):
    alone = [(("7",), ("Paris",)), (("ran",), ("7",))]
    assert aligner(alone) == [(), ()]
    assert aligner([(("zzzz",), (".",))]) == [()]


def test_case_changes_nothing(aligner):
    source, target = words("The SMALL boy ran home"), words("the little lad ran Home")
    lower = [tuple(word.lower() for word in side) for side in (source, target)]
    assert aligner([(source, target)]) == aligner([(lower[0], lower[1])])


def test_sure_links_are_likelier_than_possible_ones(aligner):
    source = words("they discussed the aspects in detail and reached an agreement .")
    target = words("both parties discussed the specific issues and came to terms .")
    (links,) = aligner([(source, target)])
    sure = [link.probability for link in links if link.sure]
    assert min(link.probability for link in links) >= 0.34
    assert sure
    assert sorted((k.source, k.target) for k in links) == [
        (k.source, k.target) for k in links
    ]


# Operating points


SUMMIT = (
    words("the third one is an athlete from zimbabwe , with a result of 354 points ."),
    words("a zimbabwean came third , with a total score of 354 points ."),
)


def test_each_operating_point_adds_possible_links(aligner):
    careful, even, generous = (
        possible_cells(aligner.preferring(point)([SUMMIT])[0]) for point in PREFERENCES
    )
    assert careful < even < generous
    assert possible_cells(aligner([SUMMIT])[0]) == careful


def test_the_operating_points_are_the_documented_ones(aligner):
    assert dict(aligner.trained.thresholds.possible) == {
        "precision": 0.45,
        "balance": 0.34,
        "recall": 0.2,
    }
    (links,) = aligner.preferring("recall")([SUMMIT])
    assert 0.2 < min(link.probability for link in links) < 0.34


def test_sure_links_and_probabilities_are_the_same_at_each_point(aligner):
    sets = [aligner.preferring(point)([SUMMIT])[0] for point in PREFERENCES]
    assert len({tuple(k for k in links if k.sure) for links in sets}) == 1
    assert set(sets[0]) < set(sets[1]) < set(sets[2])


def test_an_aligner_that_cannot_choose_refuses_a_preference():
    with pytest.raises(ParaphrastError, match="identity has one operating point"):
        choosing.load("identity", prefer="recall")
    assert not isinstance(choosing.load("identity"), Adjustable)


def test_precision_is_the_default_preference():
    (asked,) = choosing.load(prefer="recall")([SUMMIT])
    (usual,) = choosing.load()([SUMMIT])
    assert set(usual) < set(asked)
    assert (usual,) == tuple(choosing.load(prefer="precision")([SUMMIT]))


def test_a_model_without_operating_points_links_as_before(tmp_path, tiny):
    tiny.save(tmp_path / "model")
    path = tmp_path / "model" / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    assert manifest["settings"]["thresholds"]["possible"]["recall"] == 0.5
    manifest["settings"]["thresholds"]["possible"] = 0.45
    path.write_text(json.dumps(manifest), "utf-8")
    old = family.load(tmp_path / "model")
    assert dict(old.trained.thresholds.possible) == dict.fromkeys(PREFERENCES, 0.45)
    (links,) = old.preferring("recall")([SUMMIT])
    assert min(link.probability for link in links) > 0.44


def test_points_are_chosen_by_precision_and_f1_on_translations():
    tried = ((0.1, 60, 70), (0.2, 76, 80), (0.3, 85, 82), (0.4, 91, 81), (0.5, 95, 78))
    rows = [
        {
            "corpus": corpus,
            "threshold": threshold,
            "precision": right + more,
            "sure_or_possible_macro_f1": f1 + more * threshold,
        }
        for corpus, more in (("mt-reference", 0), ("edinburgh", 50))
        for threshold, right, f1 in tried
    ]
    chosen = tune.choose_points(rows)
    assert chosen == {"precision": 0.4, "balance": 0.3, "recall": 0.2}


def test_empty_sides_have_no_links_and_keep_the_order(aligner):
    full = (words("a cat"), words("a cat"))
    result = aligner([((), ()), full, ((), words("a")), (words("a"), ())])
    assert [len(links) for links in result] == [0, 2, 0, 0]
    assert aligner([]) == []
    shapes = [p.shape for p in aligner.probabilities([((), words("a")), full])]
    assert shapes == [(2, 0, 1), (2, 2, 2)]


def test_long_sentences_and_odd_words_align_with_themselves(aligner):
    numbered = tuple(f"word{number}" for number in range(200))
    odd = ("🙂", "naïve", "", "\u200b", "İstanbul", "漢字", "<b>", "x" * 300, "…")
    for sentence in (numbered, odd):
        (links,) = aligner([(sentence, sentence)])
        diagonal = {(i, i) for i in range(len(sentence))}
        assert len(sure_cells(links) & diagonal) >= 0.95 * len(diagonal)
        assert len(possible_cells(links) - diagonal) <= 0.05 * len(diagonal)


def test_a_book_on_one_line_is_refused(aligner):
    with pytest.raises(ParaphrastError, match="pair 2: .* up to 1024 words per side"):
        aligner([(("a",), ("a",)), (("a",), ("b",) * 1025)])


VOCABULARY = st.sampled_from(
    ("the", "a", "cat", "dog", "ran", ".", "7", "n't", "Paris")
)
SENTENCE = st.lists(VOCABULARY, max_size=7).map(tuple)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(SENTENCE, SENTENCE), max_size=6))
def test_a_batch_gives_the_same_links_as_single_pairs(pairs):
    aligner = family.load(None)
    together = aligner(pairs)
    assert len(together) == len(pairs)
    for one, links in zip(pairs, together, strict=True):
        (alone,) = aligner([one])
        assert [(k.source, k.target) for k in alone] == [
            (k.source, k.target) for k in links
        ]
        assert all(0 <= k.source < len(one[0]) for k in links)
        assert all(0 <= k.target < len(one[1]) for k in links)
        assert all(0 < k.probability <= 1 for k in links)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(SENTENCE, SENTENCE), max_size=4))
def test_links_only_grow_from_precision_to_recall(pairs):
    shipped = family.load(None)
    careful, even, generous = (
        shipped.preferring(point)(pairs) for point in PREFERENCES
    )
    for few, some, many in zip(careful, even, generous, strict=True):
        assert set(few) <= set(some) <= set(many)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=40))
def test_batches_hold_every_pair_with_words_once(sizes):
    pairs = [(("a",) * rows, ("b",) * columns) for rows, columns in sizes]
    numbers = [number for batch in batches(pairs, 500) for number in batch]
    assert sorted(numbers) == [n for n, size in enumerate(sizes) if all(size)]


def test_aligning_needs_no_more_than_numpy():
    code = (
        "import sys; from paraphrast.align.monolingual import family;"
        "family.load(None)([(('a',), ('a',))]);"
        "print(sorted({'torch', 'scipy', 'sklearn', 'ctranslate2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.data
def test_the_documented_figures_hold_on_edinburgh():
    folder = Path(os.environ["PARAPHRAST_MIRROR"]) / "edinburgh"
    gold = [from_gold(one) for one in alignments.edinburgh(folder, "test")]
    links = family.load(None)([(one.source, one.target) for one in gold])
    system = [replace(one, links=own) for one, own in zip(gold, links, strict=True)]
    everything = corpus_counts(system, gold, labels="sure", identical="kept")
    different = corpus_counts(system, gold, labels="sure", identical="ignored")
    assert macro(everything).f1 >= 0.90
    assert micro(different).f1 >= 0.60
