"""The decoder against one that tries every derivation, written anew in Python."""

from dataclasses import replace
from itertools import combinations, pairwise
from math import log
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.estimators import language_model
from paraphrast.phrase.building import from_options
from paraphrast.phrase.decoder import (
    COPIED,
    FAST,
    FORCED,
    FULL,
    KEPT,
    Decoder,
    Phrase,
    Search,
)
from paraphrast.phrase.features import FIXED, Weights
from paraphrast.phrase.table import Option, PhraseTable

TEXT = [
    "i love thee well",
    "thou art my love",
    "art thou well",
    "i am well my love",
    "my heart is thine",
    "thou lovest my heart well",
    "is it well",
]
ALL = Search(pops=10**9, stack=10**9, options=0)
SCORES = ("inverse phrase", "phrase")


def _model(order: int, lines: list[str] = TEXT) -> language_model.LanguageModel:
    return language_model.train(lines, language_model.Settings(order=order))


MODELS = {"style": _model(3), "plain": _model(2, TEXT[::-1] + ["you love me"])}


def _option(source: str, target: str, *probabilities: float, **more: object) -> Option:
    return Option(tuple(source.split()), tuple(target.split()), probabilities, **more)


SMALL = from_options(
    [
        _option("you", "thou", 0.4, 0.6, links=((0, 0),), count=7, example=3),
        _option("you", "thee", 0.5, 0.3, links=((0, 0),), count=2),
        _option("are", "art", 0.9, 0.5, links=((0, 0),)),
        _option("are you", "art thou", 0.5, 0.5, links=((0, 0), (1, 1))),
        _option("indeed", "", 0.1, 0.2),
        _option("well", "well", 0.9, 0.9, links=((0, 0),)),
        _option("my dear", "my love", 0.5, 0.5, links=((0, 0), (1, 1))),
    ],
    scores=SCORES,
)


def _random_table(draw: Random, *, reordering: bool) -> PhraseTable:
    sources = ["a", "b", "c", "d"]
    targets = [*["thou", "art", "my", "love", "well", "a"], "heart"]
    rows = {}
    for _ in range(draw.randint(1, 9)):
        source = tuple(draw.choices(sources, k=draw.choice([1, 1, 2, 3])))
        target = tuple(draw.choices(targets, k=draw.choice([0, 1, 1, 2, 3])))
        scores = tuple(draw.uniform(0.05, 1) for _ in SCORES)
        orders = tuple(draw.uniform(0.05, 1) for _ in range(6)) if reordering else ()
        links = tuple((i % len(source), i) for i in range(len(target)))
        rows[source, target] = Option(source, target, scores, orders, links)
    return from_options(rows.values(), scores=SCORES)


def _rows_of(table: PhraseTable) -> dict[tuple[str, ...], list[int]]:
    rows: dict[tuple[str, ...], list[int]] = {}
    for row in range(len(table)):
        rows.setdefault(table.option(row).source, []).append(row)
    return rows


def _ways(table: PhraseTable, words, forced):
    """Return by span what may stand for it: rows, or signs, and target words."""
    rows = _rows_of(table)
    taken = {i for start, end, _ in forced for i in range(start, end)}
    ways = {(start, end): [(FORCED, tuple(t))] for start, end, t in forced}
    for start, end in combinations(range(len(words) + 1), 2):
        if not taken.intersection(range(start, end)):
            result = rows.get(tuple(words[start:end]), [])
            ways[start, end] = [(row, table.option(row).target) for row in result]
            if end == start + 1 and not result:
                ways[start, end] = [(COPIED, (words[start],))]
    return ways


def _derivations(decoder: Decoder, words, forced=()):
    """Yield all derivations as lists of (start, end, row, target words)."""
    limit, length = decoder.search.distortion, len(words)
    ways = _ways(decoder.table, words, forced)

    def allowed(start, end, last, gap):
        near = abs(start - last) <= limit and (start == gap or end - gap <= limit)
        return limit < 0 or near

    def extend(done, covered, last):
        if len(covered) == length:
            yield done
            return
        gap = min(set(range(length)) - covered)
        for (start, end), options in ways.items():
            span = set(range(start, end))
            if not span & covered and allowed(start, end, last, gap):
                for option in options:
                    step = (start, end, *option)
                    yield from extend([*done, step], covered | span, end)

    yield from extend([], frozenset(), 0)


def _features(decoder: Decoder, words, derivation):
    """Recompute a derivation's features from their definitions."""
    result = dict.fromkeys(decoder.features, 0.0)
    table, output, last = decoder.table, [], None
    for start, end, row, target in derivation:
        result["distortion"] -= abs(start - (last[1] if last else 0))
        result["words"] -= len(target)
        result["phrases"] += 1
        result["unknown"] -= row == COPIED
        result["kept"] += sum(word in words[start:end] for word in target)
        if row >= 0:
            for name, score in zip(SCORES, table.scores[row], strict=True):
                result[f"table {name}"] += float(score)
        if table.has_reordering:
            monotone = start == (last[1] if last else 0)
            swap = last is not None and end == last[0]
            kind = 0 if monotone else 1 if swap else 2
            name = ("monotone", "swap", "other")[kind]
            if row >= 0:
                score = float(table.reordering[row][kind])
                result[f"reordering {name} before"] += score
            if last and last[2] >= 0:
                score = float(table.reordering[last[2]][3 + kind])
                result[f"reordering {name} after"] += score
        output += target
        last = (start, end, row)
    for name, model in MODELS.items():
        if f"model {name}" in result:
            total, _ = model.native.score_sentence(output)
            result[f"model {name}"] = total * log(10)
    return np.array([result[name] for name in decoder.features]), output


def _random_decoder(draw: Random, search: Search) -> Decoder:
    table = _random_table(draw, reordering=draw.random() < 0.7)
    chosen = draw.sample(sorted(MODELS), draw.randint(0, 2))
    decoder = Decoder(table, {name: MODELS[name] for name in chosen}, search=search)
    weights = {name: draw.uniform(-0.3, 1) for name in decoder.features}
    return Decoder(
        table, {name: MODELS[name] for name in chosen}, Weights(weights), search
    )


@given(st.integers(0, 10**9), st.integers(-1, 4), st.integers(0, 4), st.booleans())
@settings(max_examples=60, deadline=None)
def test_unpruned_search_finds_what_exhaustive_search_finds(seed, limit, length, cube):
    draw = Random(seed)
    search = replace(ALL, distortion=limit, cube=cube)
    decoder = _random_decoder(draw, search)
    words = draw.choices("abcde", k=length)
    expected = sorted(
        (
            float(_features(decoder, words, way)[0] @ decoder.weights)
            for way in _derivations(decoder, words)
        ),
        reverse=True,
    )
    result = decoder.alternatives([words], 100_000, distinct=False)[0]
    scores = [hypothesis.score for hypothesis in result]
    np.testing.assert_allclose(scores, expected, atol=1e-4)
    assert decoder.decode([words])[0].score == pytest.approx(expected[0], abs=1e-4)


@given(st.integers(0, 10**9), st.integers(1, 7))
@settings(max_examples=60, deadline=None)
def test_features_score_and_links_follow_from_the_phrases(seed, length):
    draw = Random(seed)
    decoder = _random_decoder(draw, replace(FAST, distortion=draw.randint(-1, 6)))
    words = draw.choices("abcde", k=length)
    result = decoder.alternatives([words], 50)[0]
    assert len({hypothesis.words for hypothesis in result}) == len(result)
    for hypothesis in result:
        steps = [
            (p.source_start, p.source_end, p.option, _target(hypothesis, p))
            for p in hypothesis.phrases
        ]
        features, output = _features(decoder, words, steps)
        assert tuple(output) == hypothesis.words
        np.testing.assert_allclose(hypothesis.features, features, atol=1e-4)
        assert hypothesis.score == pytest.approx(
            float(hypothesis.features @ decoder.weights), abs=1e-9
        )
        assert set(hypothesis.links) == _links(decoder, hypothesis)
        covered = sorted(
            i for p in hypothesis.phrases for i in range(p.source_start, p.source_end)
        )
        assert covered == list(range(length))
    scores = [hypothesis.score for hypothesis in result]
    assert all(b <= a + 1e-9 for a, b in pairwise(scores))


def _target(hypothesis, phrase: Phrase) -> tuple[str, ...]:
    return hypothesis.words[phrase.target_start : phrase.target_end]


def _links(decoder: Decoder, hypothesis) -> set[tuple[int, int]]:
    links = set()
    for p in hypothesis.phrases:
        inner = ((0, 0),) if p.option < 0 else decoder.table.option(p.option).links
        links |= {(p.source_start + i, p.target_start + j) for i, j in inner}
    return links


@given(st.integers(0, 10**9), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_forced_spans_are_exclusive(seed, length):
    draw = Random(seed)
    decoder = _random_decoder(draw, replace(ALL, distortion=draw.randint(-1, 3)))
    words = draw.choices("abcde", k=length)
    start = draw.randrange(length)
    end = draw.randint(start + 1, length)
    forced = [(start, end, draw.choices(["thou", "x", "a"], k=draw.randint(0, 2)))]
    expected = sorted(
        (
            float(_features(decoder, words, way)[0] @ decoder.weights)
            for way in _derivations(decoder, words, forced)
        ),
        reverse=True,
    )
    result = decoder.alternatives([words], 100_000, distinct=False, forced=[forced])[0]
    scores = [hypothesis.score for hypothesis in result]
    np.testing.assert_allclose(scores, expected, atol=1e-4)


@given(st.integers(0, 10**9))
@settings(max_examples=20, deadline=None)
def test_threads_change_nothing(seed):
    draw = Random(seed)
    decoder = _random_decoder(draw, replace(FAST, pops=20, stack=20))
    sentences = [draw.choices("abcdef", k=draw.randint(0, 12)) for _ in range(12)]
    alone = decoder.candidates(sentences, decoder.weights, 10)
    together = decoder.candidates(sentences, decoder.weights, 10, threads=4)
    assert alone.texts() == together.texts()
    np.testing.assert_array_equal(alone.features, together.features)
    np.testing.assert_array_equal(alone.starts, together.starts)
    one_by_one = [decoder.alternatives([words], 10)[0] for words in sentences]
    texts = [" ".join(h.words) for result in one_by_one for h in result]
    assert alone.texts() == texts


def test_the_models_choose_the_order_of_words():
    decoder = Decoder(SMALL, {"style": MODELS["style"]}, Weights({"distortion": 0.1}))
    hypothesis = decoder.decode([["are", "you", "well", "indeed"]])[0]
    assert hypothesis.words == ("art", "thou", "well")
    assert hypothesis.phrases[0] == Phrase(0, 1, 0, 1, 0)
    assert hypothesis.phrases[-1].target_start == hypothesis.phrases[-1].target_end
    assert hypothesis.links == ((0, 0), (1, 1), (2, 2))


def test_golden_features_by_hand():
    decoder = Decoder(SMALL, {})
    hypothesis = decoder.decode([["you", "know"]])[0]
    assert hypothesis.words == ("thou", "know")
    named = dict(zip(decoder.features, hypothesis.features.tolist(), strict=True))
    assert [named[name] for name in FIXED] == [0, -2, 2, -1, 1]
    assert named["table inverse phrase"] == pytest.approx(log(0.4))
    assert named["table phrase"] == pytest.approx(log(0.6))
    # words 2 * 1, phrases 2 * 0.2, unknown -100, table 0.2 each
    expected = 2 + 0.4 - 100 + 0.2 * (log(0.4) + log(0.6))
    assert hypothesis.score == pytest.approx(expected, abs=1e-6)


def test_a_negative_weight_makes_a_ratio_of_models():
    weights = {"model style": 1.0, "model plain": -1.0}
    decoder = Decoder(SMALL, MODELS, Weights(weights), replace(ALL, distortion=0))
    words = ["you", "are", "well"]
    best = max(
        _features(decoder, words, way)[0] @ decoder.weights
        for way in _derivations(decoder, words)
    )
    assert decoder.decode([words])[0].score == pytest.approx(float(best), abs=1e-4)


def test_empty_sentences_and_tables():
    nothing = from_options([], scores=SCORES)
    decoder = Decoder(nothing, {"style": MODELS["style"]})
    empty, copied = decoder.decode([[], ["<s>", "ſtrange", "</s>"]])
    assert empty.words == ()
    assert empty.phrases == ()
    end, _ = MODELS["style"].native.score_sentence([])
    assert empty.features[len(FIXED)] == pytest.approx(end * log(10), abs=1e-5)
    assert copied.words == ("<s>", "ſtrange", "</s>")
    assert decoder.decode([]) == []


def test_a_table_may_have_no_scores():
    table = from_options([Option(("a",), ("b",), ())], scores=())
    assert Decoder(table, {}).decode([["a", "a"]])[0].words == ("b", "b")


def test_both_ways_of_search_agree_when_wide_enough():
    draw = Random(11)
    decoder = _random_decoder(draw, Search(pops=10_000, stack=10_000))
    sentences = [draw.choices("abcde", k=8) for _ in range(10)]
    cubed = [h.score for h in decoder.decode(sentences)]
    decoder.search = Search(stack=2_000, cube=False)
    plain = [h.score for h in decoder.decode(sentences)]
    assert plain == pytest.approx(cubed, abs=1e-9)
    decoder.search = Search(stack=1, beam=0.5, cube=False)
    narrow = [h.score for h in decoder.decode(sentences)]
    assert all(a <= b + 1e-9 for a, b in zip(narrow, plain, strict=True))
    assert sum(narrow) < sum(plain)


def test_copy_lets_every_word_stay():
    search = replace(FULL, copy=-1.0)
    weights = Weights({"kept": 10.0, "model style": 0.0})
    decoder = Decoder(SMALL, {"style": MODELS["style"]}, weights, search)
    hypothesis = decoder.decode([["you", "are", "well"]])[0]
    assert hypothesis.words == ("you", "are", "well")
    assert [p.option for p in hypothesis.phrases[:2]] == [KEPT, KEPT]
    assert hypothesis.phrases[2].option >= 0
    named = dict(zip(decoder.features, hypothesis.features.tolist(), strict=True))
    assert named["unknown"] == 0
    assert named["table phrase"] == pytest.approx(-2 + log(0.9))
    score = float(hypothesis.features @ decoder.weights)
    assert hypothesis.score == pytest.approx(score)


def test_long_sentences_take_bounded_work():
    decoder = Decoder(SMALL, {"style": MODELS["style"]}, search=replace(FULL, pops=50))
    words = ("you are well my dear " * 500).split()
    for limit in (-1, 0, 6, 100):
        decoder.search = replace(decoder.search, distortion=limit)
        hypothesis = decoder.decode([words])[0]
        assert len(hypothesis.words) == len(words)
    span = [(100, 300, ["thou"]), (300, 2500, [])]
    hypothesis = decoder.decode([words], forced=[span])[0]
    assert len(hypothesis.words) == 101


def test_a_word_of_ten_thousand_letters():
    decoder = Decoder(SMALL, {"style": MODELS["style"]})
    word = "a" * 10_000
    assert decoder.decode([[word, "you"]])[0].words[0] == word


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pops": 0}, "pops must be 1 to"),
        ({"stack": 0}, "stack must be 1 to"),
        ({"options": -1}, "options must be 0 to"),
        ({"distortion": -2}, "distortion must be -1 to"),
        ({"beam": -1.0}, "beam must not be negative"),
        ({"beam": float("nan")}, "beam must not be negative"),
        ({"copy": 1.0}, "copy must be"),
    ],
)
def test_settings_are_checked(change, message):
    with pytest.raises(ParaphrastError, match=message):
        Search(**change)


@pytest.mark.parametrize(
    "spans", [[(0, 0, [])], [(1, 3, [])], [(-1, 1, [])], [(0, 2, []), (1, 2, [])]]
)
def test_spans_are_checked(spans):
    with pytest.raises(ParaphrastError, match="sentence 1: the forced span"):
        Decoder(SMALL, {}).decode([["you", "are"]], forced=[spans])


def test_bad_requests_are_one_line():
    decoder = Decoder(SMALL, {})
    with pytest.raises(ParaphrastError, match="2 lists of spans for 1 sentences"):
        decoder.decode([["you"]], forced=[[], []])
    with pytest.raises(ParaphrastError, match="number of alternatives"):
        decoder.alternatives([["you"]], 0)
    with pytest.raises(ParaphrastError, match="sentence 1 has 65535 words"):
        decoder.decode([["you"] * 65_535])
    with pytest.raises(ParaphrastError, match="weights"):
        decoder.candidates([["you"]], np.full(len(decoder.features), np.nan))
    with pytest.raises(ParaphrastError, match="weights"):
        decoder.candidates([["you"]], np.zeros(3))
    with pytest.raises(ParaphrastError, match="sentence 1 holds"):
        decoder.decode([["\ud800"]])


_ARRAYS = {
    name: np.array(array)
    for name, array in _random_table(Random(3), reordering=True).arrays().items()
}


@given(
    st.sampled_from(sorted(_ARRAYS)),
    st.integers(0, 10**6),
    st.sampled_from([0, 1, 2, 7, 255, 2**31, 2**32 - 1, 1e30, float("nan")]),
)
@settings(max_examples=300, deadline=None)
def test_no_damaged_table_crashes(name, place, value):
    """A changed number is refused, or decodes to something."""
    arrays = {key: array.copy() for key, array in _ARRAYS.items()}
    flat = arrays[name].reshape(-1)
    if flat.size == 0:
        return
    if flat.dtype == np.float32:
        flat[place % flat.size] = value
    elif value == value:
        flat[place % flat.size] = int(min(value, 2**32 - 1)) & np.iinfo(flat.dtype).max
    table = _table(arrays)
    try:
        decoder = Decoder(table, {"style": MODELS["style"]})
    except (ParaphrastError, UnicodeDecodeError):
        return
    decoder.alternatives([["a", "b", "c", "d"], ["d", "c", "b", "a", "e"]], 20)


def _table(arrays) -> PhraseTable:
    from paraphrast.text.strings import Strings

    own = {name: arrays[name] for name in arrays if not name.endswith("_text")}
    source = Strings(arrays["source_text"], own.pop("source_starts"))
    target = Strings(arrays["target_text"], own.pop("target_starts"))
    return PhraseTable(source, target, **own, about={"scores": SCORES})


@pytest.mark.parametrize("name", sorted(set(_ARRAYS) - {"counts", "examples"}))
def test_arrays_cut_short_are_refused(name):
    arrays = dict(_ARRAYS)
    arrays[name] = arrays[name][:-1]
    with pytest.raises(ParaphrastError, match="the phrase table is damaged: "):
        Decoder(_table(arrays), {})


def test_sizes_of_search_trade_time_for_score():
    draw = Random(5)
    decoder = _random_decoder(draw, FULL)
    sentences = [draw.choices("abcde", k=9) for _ in range(20)]
    totals = []
    for search in (Search(pops=1, stack=1), Search(pops=5, stack=5), FULL):
        decoder.search = search
        totals.append(sum(h.score for h in decoder.decode(sentences)))
    assert totals == sorted(totals)
    assert totals[0] < totals[-1]
