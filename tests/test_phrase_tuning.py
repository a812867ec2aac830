"""Tuning: exact where it says so, the same by seed, and it finds what there is."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast import _native
from paraphrast.errors import ParaphrastError
from paraphrast.metrics.bleu import Bleu
from paraphrast.metrics.ter import Ter
from paraphrast.phrase.tuning import (
    Candidates,
    LengthGuard,
    Mert,
    Mira,
    Objective,
    Pro,
    method,
    tune,
)
from paraphrast.phrase.tuning.mert import best_step, normalise
from paraphrast.phrase.tuning.objective import Problem
from paraphrast.phrase.tuning.pool import Pool
from paraphrast.phrase.tuning.pro import rank

WORDS = [
    "thou",
    "art",
    "a",
    "villain",
    "and",
    "I",
    "am",
    "not",
    "so",
    "false",
    "as",
    "thy",
    "own",
    "tongue",
]
BLEU = Bleu(tokenize="none", smoothing="none")
SMOOTH = Bleu(tokenize="none", smoothing="exp")


def packed(lists, features, vocabulary=None) -> Candidates:
    """Pack lists of texts and lists of their features."""
    rows = [text.split() for texts in lists for text in texts]
    known = vocabulary or sorted({w for row in rows for w in row})
    number = {word: i for i, word in enumerate(known)}
    return Candidates(
        starts=np.cumsum([0, *map(len, lists)]),
        features=np.array([f for group in features for f in group], np.float64),
        word_starts=np.cumsum([0, *map(len, rows)]),
        words=np.array([number[w] for row in rows for w in row], np.int64),
        vocabulary=known,
    )


def random_lists(draw: np.random.Generator, *, sentences=6, longest=7, features=3):
    """Return references, and lists of garbled references with random features."""
    references = [
        " ".join(draw.choice(WORDS, size=draw.integers(4, 9))) for _ in range(sentences)
    ]
    lists, values = [], []
    for reference in references:
        size = int(draw.integers(1, longest))
        texts = []
        for _ in range(size):
            words = reference.split()
            for position in draw.integers(0, len(words), size=draw.integers(0, 3)):
                words[position] = draw.choice(WORDS)
            texts.append(" ".join(words[: draw.integers(3, len(words) + 1)]))
        lists.append(texts)
        # Halves, so that equal slopes and corners at one place come up.
        values.append(draw.integers(-4, 5, size=(size, features)) / 2)
    return references, packed(lists, values)


def objective_for(references, metric=BLEU, guard=None):
    return Objective(metric, references, [[text] for text in references], guard=guard)


@dataclass(frozen=True)
class Share:
    """The share of words that are "thou", to be made small."""

    higher_is_better: ClassVar[bool] = False

    def statistics(self, segments):
        rows = [
            (s.output.split().count("thou"), len(s.output.split())) for s in segments
        ]
        return np.array(rows, float).reshape(-1, 2)

    def total(self, statistics):
        return statistics[..., 0] / np.maximum(statistics[..., 1], 1)


def pooled(candidates, objective):
    pool = Pool(objective)
    pool.add(candidates)
    return pool


@pytest.mark.parametrize("metric", [BLEU, Share()], ids=["bleu", "share"])
@given(seed=st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_line_search_is_exact(metric, seed):
    draw = np.random.default_rng(seed)
    references, candidates = random_lists(draw)
    objective = objective_for(references, metric)
    pool = pooled(candidates, objective)
    weights, direction = draw.normal(size=(2, 3))
    corners, sums = pool.lists.line(pool.lists.scores(weights), direction)
    assert (np.diff(corners) > 0).all()
    assert len(sums) == len(corners) + 1
    edges = [-1e3, *corners, 1e3]
    for row, (low, high) in zip(sums, zip(edges, edges[1:], strict=False), strict=True):
        if high - low < 1e-6:
            continue
        for part in (0.01, 0.5, 0.99):
            there = weights + (low + part * (high - low)) * direction
            np.testing.assert_allclose(row, pool.totals(there), atol=1e-9)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_no_point_of_a_fine_grid_beats_the_step_chosen(seed):
    draw = np.random.default_rng(seed)
    references, candidates = random_lists(draw)
    objective = objective_for(references)
    pool = pooled(candidates, objective)
    weights, direction = draw.normal(size=(2, 3))
    corners, sums = pool.lists.line(pool.lists.scores(weights), direction)
    start = float(objective.total(pool.totals(weights)))
    step, value = best_step(
        corners, objective.total(sums), unit=1.0, narrowest=1e-9, value=start
    )
    reached = float(objective.total(pool.totals(weights + step * direction)))
    assert reached == pytest.approx(value)
    tried = [weights + t * direction for t in np.linspace(-20, 20, 401)]
    assert value >= max(objective.total(pool.totals(w)) for w in tried) - 1e-9


def test_envelope_by_hand():
    # Lines 0 + 1t, 1 + 0t, 0 - 1t and one under all: corners at -1 and 1.
    lists = _native.Lists(
        np.array([[1, 0, -1, 0]], np.float32),
        np.array([0, 4]),
        np.array([[1.0], [2.0], [3.0], [4.0]]),
    )
    corners, sums = lists.line(np.array([0.0, 1.0, 0.0, 0.5]), np.array([1.0]))
    assert corners.tolist() == [-1.0, 1.0]
    assert sums.tolist() == [[3.0], [2.0], [1.0]]


def test_the_middle_of_the_widest_step_is_chosen():
    corners = np.array([1.0, 2.0, 5.0, 6.0])
    chosen = best_step(
        corners, np.array([0.0, 3, 1, 3, 0]), unit=1.0, narrowest=1e-4, value=0.0
    )
    assert chosen == (1.5, 3.0)  # both are 1 wide: the nearer
    chosen = best_step(
        corners, np.array([0.0, 3, 3, 1, 3]), unit=1.0, narrowest=1e-4, value=0.0
    )
    assert chosen == (3.0, 3.0)  # equal neighbours are one step, 1 to 5
    stay = best_step(
        corners, np.array([0.0, 3, 1, 3, 0]), unit=1.0, narrowest=1e-4, value=3.0
    )
    assert stay == (0.0, 3.0)
    narrow = best_step(
        np.array([1.0, 1.00001]), np.array([0.0, 9, 1]),
        unit=1.0, narrowest=1e-4, value=0.0,
    )  # fmt: skip
    assert narrow[1] == 1.0


@given(seed=st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_compiled_counts_agree_with_the_metric(seed):
    draw = np.random.default_rng(seed)
    references, candidates = random_lists(draw)
    several = [[text, text[::-1].replace("  ", " ")] for text in references]
    fast = Objective(BLEU, references, several, guard=None)
    rows = fast.statistics(candidates)[:, :-2]
    np.testing.assert_array_equal(rows, fast._count(candidates))


def test_words_with_spaces_inside_are_counted_by_the_metric():
    candidates = packed([["a b"]], [[[0.0]]], vocabulary=["a", "b"])
    spaced = Candidates(
        candidates.starts, candidates.features, np.array([0, 1]),
        np.array([0]), ["a\u00a0b"],
    )  # fmt: skip
    objective = objective_for(["a b"])
    assert objective.statistics(spaced)[0, 0] == 2


def test_the_pool_keeps_each_candidate_once():
    references = ["thou art", "a villain"]
    objective = objective_for(references)
    pool = Pool(objective)
    one = packed([["thou art", "thou"], ["a"]], [[[1, 2], [3, 4]], [[5, 6]]])
    assert pool.add(one) == 3
    assert pool.add(one) == 0
    # A word more in the vocabulary, other features of an output, a new output.
    two = packed(
        [["thou art"], ["a villain", "a"]],
        [[[9, 2]], [[5, 6], [5, 6]]],
        vocabulary=["zounds", "villain", "thou", "art", "a"],
    )
    assert pool.add(two) == 2
    assert pool.starts.tolist() == [0, 3, 5]
    assert pool.features[0].tolist() == [1, 3, 9, 5, 5]
    assert pool.statistics[:, 0].tolist() == [2, 1, 2, 1, 2]


def test_only_new_outputs_are_counted():
    asked = []

    def judge(output, source, references):
        asked.append(output)
        return float(len(output))

    pool = Pool(objective_for(["x", "y"], judge))
    pool.add(packed([["a", "b"], ["a"]], [[[1], [2]], [[3]]]))
    assert asked == ["a", "b", "a"]  # of another sentence, so once more
    pool.add(packed([["a", "c"], ["a"]], [[[7], [2]], [[8]]]))
    assert asked == ["a", "b", "a", "c"]
    assert pool.statistics[:, 0].tolist() == [1, 1, 1, 1, 1, 1]


class ToyDecoder:
    """It writes one of four words for each of a sentence's places.

    Each word has three features, and the references are what known weights choose,
    so that tuning can reach a perfect score from n-best lists of a few.
    """

    best = np.array([1.0, -0.5, 0.25])

    def __init__(self, *, sentences=30, size=4, seed=0):
        draw = np.random.default_rng(seed)
        self.features = draw.normal(size=(sentences, 6, 4, 3))
        self.size = size
        self.calls = 0
        chosen = (self.features @ self.best).argmax(axis=2)
        self.references = [" ".join(WORDS[i] for i in row) for row in chosen]

    def __call__(self, weights):
        self.calls += 1
        lists, values = [], []
        for sentence in self.features:
            order = np.argsort(-(sentence @ weights), axis=1, kind="stable")
            texts, result = [], []
            # The best, and one that differs from it at each place.
            for position in range(-1, self.size):
                words = order[:, 0].copy()
                if position >= 0:
                    words[position] = order[position, 1]
                texts.append(" ".join(WORDS[i] for i in words))
                result.append(sentence[np.arange(6), words].sum(axis=0))
            lists.append(texts)
            values.append(result)
        return packed(lists, values, vocabulary=WORDS)


@pytest.mark.parametrize(
    "chosen",
    [Mert(restarts=4), Mira(), Pro(part=1.0)],
    ids=["mert", "mira", "pro"],
)
def test_known_weights_are_found(chosen):
    decoder = ToyDecoder()
    objective = objective_for(decoder.references, SMOOTH)
    start = np.array([0.2, 1.0, 1.0])
    tuned = tune(decoder, objective, start, method=chosen, rounds=15)
    assert tuned.rounds[0].value < 30
    assert tuned.best.value > 90
    result = np.array(tuned.weights)
    assert np.abs(result).sum() == pytest.approx(1)
    alike = result @ decoder.best
    assert alike / np.linalg.norm(result) / np.linalg.norm(decoder.best) > 0.98


def test_the_same_seed_gives_the_same_weights():
    def run(seed):
        decoder = ToyDecoder(sentences=12)
        objective = objective_for(decoder.references, SMOOTH)
        start = np.ones(3)
        return tune(
            decoder, objective, start, method=Mert(restarts=2), rounds=4, seed=seed
        )

    assert run(3) == run(3)
    assert run(3).weights != run(4).weights
    assert "->" in run(3).summary()


def test_the_objective_never_falls_on_the_lists():
    draw = np.random.default_rng(5)
    references, candidates = random_lists(draw, sentences=20, features=4)
    objective = objective_for(references)
    pool = pooled(candidates, objective)
    free = np.array([True, True, True, False])
    for seed in range(5):
        start = normalise(np.random.default_rng(seed).normal(size=4), free)
        before = objective.total(pool.totals(start))
        draw = np.random.default_rng(seed)
        problem = Problem(pool, objective, [start], free, draw)
        result = Mert(restarts=0).weights(problem)
        assert objective.total(pool.totals(result)) >= before
        assert result[3] == start[3]
        assert np.abs(result[free]).sum() == pytest.approx(1)


def test_rounds_keep_the_best_choice_and_say_why_they_ended():
    decoder = ToyDecoder(sentences=10)
    objective = objective_for(decoder.references, SMOOTH)
    seen = []
    tuned = tune(
        decoder, objective, np.ones(3), method=Mert(restarts=1), progress=seen.append
    )
    assert tuple(seen) == tuned.rounds
    assert tuned.best.objective == max(r.objective for r in tuned.rounds)
    assert tuned.weights == tuned.best.weights
    assert tuned.stopped
    assert decoder.calls == len(tuned.rounds)
    assert seen[0].merged is None
    assert all(r.merged is not None for r in seen[1:])


def test_a_round_that_gains_too_little_is_the_last():
    decoder = ToyDecoder(sentences=10)
    objective = objective_for(decoder.references, SMOOTH)
    everything = tune(decoder, objective, np.ones(3), method=Mert(restarts=1))
    sated = tune(
        decoder, objective, np.ones(3), method=Mert(restarts=1), least_gain=1e3
    )
    assert len(everything.rounds) > 2
    assert len(sated.rounds) == 2
    assert sated.rounds == everything.rounds[:2]
    assert "less than 1000" in sated.stopped


@pytest.mark.parametrize("chosen", [Mert(restarts=2), Mira(), Pro()])
def test_a_fixed_weight_stays_in_proportion(chosen):
    decoder = ToyDecoder(sentences=10)
    objective = objective_for(decoder.references, SMOOTH)
    start = np.array([1.0, 1.0, 4.0])
    tuned = tune(decoder, objective, start, method=chosen, fixed=[2], rounds=4)
    assert tuned.best.number > 1
    assert tuned.weights[2] == 2.0
    assert np.abs(tuned.weights[:2]).sum() == pytest.approx(1)


def test_the_guard_keeps_the_length():
    # Precision alone would choose the single sure word.
    lists = [["thou", "thou art false", "thou art"]] * 4
    features = [[[1.0, 0.0], [0.0, 1.0], [0.4, 0.4]]] * 4
    candidates = packed(lists, features)

    def precision(output, source, references):
        words = output.split()
        return sum(w in references[0].split() for w in words) / len(words)

    def choice(guard):
        objective = objective_for(["thou art a"] * 4, precision, guard)
        tuned = tune(
            lambda weights: ordered(candidates, weights), objective, np.array([1, 0.5])
        )
        return tuned.best

    assert choice(None).length_ratio == pytest.approx(1 / 3)
    guarded = choice(LengthGuard())
    assert guarded.length_ratio == 1
    assert guarded.value == pytest.approx(2 / 3)
    assert guarded.value == guarded.objective
    # Between the two others: the best only where both weights are negative.
    assert choice(LengthGuard(0.5, 0.8)).length_ratio == pytest.approx(2 / 3)


def ordered(candidates, weights):
    """Return the same candidates, each list from the best on."""
    scores = candidates.features @ weights
    order = np.lexsort((-scores, candidates.sentences()))
    return candidates.rows(order)


def test_metrics_where_less_is_better():
    decoder = ToyDecoder(sentences=10)
    objective = objective_for(decoder.references, Ter())
    tuned = tune(decoder, objective, np.ones(3), method=Mert(restarts=2), rounds=5)
    assert tuned.best.value < tuned.rounds[0].value
    assert tuned.best.objective == -tuned.best.value


def test_identical_candidates_leave_the_weights_alone():
    candidates = packed([["a", "a", "a"]] * 2, [[[1.0, 2.0]] * 3] * 2)
    objective = objective_for(["a", "a"])
    for chosen in (Mert(restarts=1), Mira(), Pro()):
        tuned = tune(
            lambda _: candidates, objective, np.array([1.0, 3.0]), method=chosen
        )
        assert tuned.weights == (0.25, 0.75)


def test_bad_input_is_refused_in_one_line():
    objective = objective_for(["a", "b"])
    good = packed([["a"], ["b"]], [[[1.0]], [[2.0]]])
    cases = [
        (packed([["a"], []], [[[1.0]], []]), "sentence 2 has no candidate"),
        (packed([["a"], ["b"]], [[[1.0]], [[np.nan]]]), "candidate of sentence 2"),
        (packed([["a"]], [[[1.0]]]), "lists for 1 sentences"),
    ]
    for candidates, message in cases:
        with pytest.raises(ParaphrastError, match=message):
            tune(lambda _, c=candidates: c, objective, np.ones(1))
    with pytest.raises(ParaphrastError, match="finite"):
        tune(lambda _: good, objective, np.array([np.inf]))
    with pytest.raises(ParaphrastError, match="every feature is fixed"):
        tune(lambda _: good, objective, np.ones(1), fixed=[0])
    with pytest.raises(ParaphrastError, match="2 first weights for 1 feature "):
        tune(lambda _: good, objective, np.ones(2))
    with pytest.raises(ParaphrastError, match="no value for 'a'"):
        nothing = objective_for(["a", "b"], lambda *_: float("nan"))
        tune(lambda _: good, nothing, np.ones(1))
    with pytest.raises(ParaphrastError, match="Did you mean 'mert'"):
        method("mart")
    with pytest.raises(ParaphrastError, match="no reference"):
        Objective(BLEU, ["a"], [[]])
    with pytest.raises(ParaphrastError, match="2 sources"):
        Objective(BLEU, ["a", "b"], [["a"]])
    with pytest.raises(ParaphrastError, match="no sentences"):
        Objective(BLEU, [], [])
    with pytest.raises(ValueError, match="no output fits"):
        LengthGuard(1.2, 1.1)


def arrays(**changed):
    given = {
        "features": np.ones((2, 3), np.float32),
        "starts": np.array([0, 1, 3]),
        "statistics": np.ones((3, 2)),
    }
    return given | changed


@pytest.mark.parametrize(
    "changed",
    [
        {"starts": np.array([0, 4])},
        {"starts": np.array([1, 3])},
        {"starts": np.array([0, 2, 1, 3])},
        {"starts": np.array([0, -1, 3])},
        {"starts": np.zeros(0, np.int64)},
        {"statistics": np.ones((2, 2))},
        {"features": np.full((2, 3), np.nan, np.float32)},
        {"statistics": np.full((3, 2), np.inf)},
    ],
)
def test_compiled_code_refuses_lists_that_do_not_fit(changed):
    with pytest.raises(ValueError):
        _native.Lists(**arrays(**changed))


def test_compiled_code_refuses_queries_that_do_not_fit():
    lists = _native.Lists(**arrays())
    scores = lists.scores(np.ones(2))
    for weights in (np.ones(3), np.array([np.nan, 1])):
        with pytest.raises(ValueError):
            lists.scores(weights)
        with pytest.raises(ValueError):
            lists.line(scores, weights)
    with pytest.raises(ValueError):
        lists.line(np.ones(2), np.ones(2))
    with pytest.raises(ValueError, match="no such list"):
        lists.mira(np.array([2]), np.ones(2), scores, np.ones(2), 0.1)
    huge = _native.Lists(
        **arrays(features=np.array([[3e38, -3e38, 1]] * 2, np.float32))
    )
    with pytest.raises(ValueError, match="too large"):
        huge.scores(np.full(2, 1e300))
    with pytest.raises(ValueError, match="too large"):
        huge.line(np.array([0, 1e308, -1e308]), np.full(2, 1e-300))
    empty = _native.Lists(
        np.ones((2, 0), np.float32), np.array([0, 0]), np.ones((0, 1))
    )
    assert empty.best(empty.scores(np.ones(2))).tolist() == [-1]
    assert empty.line(np.ones(0), np.ones(2))[1].tolist() == [[0.0]]


@pytest.mark.parametrize(
    "changed",
    [
        {"sentences": np.array([1])},
        {"sentences": np.array([-1])},
        {"starts": np.array([0, 3])},
        {"starts": np.array([0])},
        {"sentence_starts": np.array([0, 2])},
        {"reference_starts": np.array([0, 9])},
        {"order": 0},
        {"order": 99},
    ],
)
def test_compiled_counts_refuse_what_does_not_fit(changed):
    given = {
        "sentences": np.array([0]),
        "starts": np.array([0, 2]),
        "words": np.array([1, 2], np.uint32),
        "sentence_starts": np.array([0, 1]),
        "reference_starts": np.array([0, 2]),
        "reference_words": np.array([1, 2], np.uint32),
        "order": 2,
    }
    assert _native.ngram_counts(**given).tolist() == [[2, 2, 2, 1, 2, 1]]
    with pytest.raises(ValueError):
        _native.ngram_counts(**(given | changed))


def test_logistic_regression_is_at_its_minimum():
    draw = np.random.default_rng(1)
    rows = draw.normal(size=(200, 3)) + [1.0, -0.5, 0.0]
    result = rank(rows, 1.0)
    scale = np.sqrt((rows**2).mean(axis=0))

    def loss(weights):
        return (
            np.log1p(np.exp(-rows @ weights)).sum() + ((weights * scale) ** 2).sum() / 2
        )

    here = loss(result)
    for axis in np.eye(3):
        assert loss(result + 1e-3 * axis) > here
        assert loss(result - 1e-3 * axis) > here
