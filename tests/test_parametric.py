"""ParaMetric by hand: a toy group of three sentences, and the paper's own counts."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies

from alignments import cells
from paraphrast.align.base import AlignedPair
from paraphrast.align.links import links_of
from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases.parametric import (
    groups,
    judge,
    read_gold,
    reworded_spans,
    rows,
)
from paraphrast.paraphrases.parametric_shares import Shares
from recipes.parametric.alignment import alignment_rows
from recipes.parametric.curves import compare, curve

FIRST = "the old man left home ."
SECOND = "the elderly man went away from home ."
THIRD = "an aged man departed ."
# In each comment: what the links license with at most two words on either side.
PAIRS = [
    # old|elderly, left|went away, the old|the elderly, old man|elderly man and, as
    # "from" is unlinked, home|from home
    (FIRST, SECOND, "0-0 1-1 2-2 3-3 3-4 4-6 5-7", "story.1.a"),
    # the|an, old|aged, left|departed, the old|an aged, old man|aged man, man left|man
    # departed and, as "home" is unlinked, left home|departed, home .|.
    (FIRST, THIRD, "0-0 1-1 2-2 3-3 5-4", "story.1.b"),
]
TABLE = {
    "old": {"elderly": 0.5, "ancient": 0.3},
    "left": {"went away": 0.4, "right": 0.2},
    "the": {"an": 0.05},
    ".": {"!": 0.005},
    "man": {"man": 0.9},
    "elderly": {"old": 0.6},
    "departed": {"left": 0.5, "left home": 0.2, "left his home at last": 0.1},
}


def aligned(source, target, links, name=""):
    pairs = [tuple(int(side) for side in link.split("-")) for link in links.split()]
    return AlignedPair(
        tuple(source.split()), tuple(target.split()), links_of(pairs), name
    )


GOLD = [aligned(*pair) for pair in PAIRS]


def toy(words, start, end):
    result = TABLE.get(" ".join(words[start:end]), {})
    return [
        (tuple(other.split()), probability) for other, probability in result.items()
    ]


def judged(longest=2, table=toy):
    return judge(groups(GOLD, longest=longest), table, longest=longest)


def test_reference_of_the_toy_group():
    first, second, third = groups(GOLD, longest=2)
    said = {
        " ".join(first.words[start:end]): {" ".join(other) for other in others}
        for (start, end), others in first.reference.items()
    }
    assert said == {
        "the": {"an"},
        "old": {"elderly", "aged"},
        "left": {"went away", "departed"},
        "home": {"from home"},
        "the old": {"the elderly", "an aged"},
        "old man": {"elderly man", "aged man"},
        "man left": {"man departed"},
        "left home": {"departed"},
        "home .": {"."},
    }
    assert sum(map(len, second.reference.values())) == 5
    assert sum(map(len, third.reference.values())) == 8


def test_scores_of_the_toy_group():
    one, two = rows(judged(), resamples=0)
    # Single words: elderly, an, old, left are right of elderly, ancient, right, an
    # (twice: for the first and the second sentence), old, left.
    assert (one.precision.part, one.precision.whole) == (4, 7)
    assert (one.recall.part, one.recall.whole) == (4, 8)
    # Two words add "went away" and "left home", both right.
    assert (two.precision.part, two.precision.whole) == (6, 9)
    assert (two.recall.part, two.recall.whole) == (6, 26)
    assert two.precision.value == pytest.approx(6 / 9)
    assert two.recall.value == pytest.approx(6 / 26)


def test_improbable_paraphrases_are_excluded_by_default():
    assert rows(judged(), least=0, resamples=0)[1].precision.whole == 9 + 3
    assert rows(judged(), least=0.5, resamples=0)[1].precision.part == 3


def test_positions_that_no_translation_rewords_can_be_left_out():
    # "the" of the second sentence stands opposite "the" alone, so "an" cannot be
    # told right or wrong there.
    row = rows(judged(), places="reworded", resamples=0)[1]
    assert (row.precision.part, row.precision.whole, row.recall.whole) == (6, 8, 26)


def test_a_paraphrase_proposed_twice_counts_once_with_its_higher_probability():
    twice = judged(
        table=lambda *place: [*toy(*place), *((p, 0.9) for p, _ in toy(*place))]
    )
    assert len(twice.right) == len(judged().right)
    assert set(twice.probability) == {0.9}


def test_context_can_decide():
    def careful(words, start, end):
        return toy(words, start, end) if words[0] == "the" else []

    assert rows(judged(table=careful), resamples=0)[1].precision.whole == 7


def test_alignment_scores_by_hand():
    # "away" stays unlinked: left|went and man left|man went are added to the five
    # that are right, of which left|went away is one by way of the unlinked word.
    system = [aligned(FIRST, SECOND, "0-0 1-1 2-2 3-3 4-6 5-7", "story.1.a")]
    one, two = alignment_rows(system, GOLD[:1], longest=2, resamples=0)
    assert (one.precision.part, one.precision.whole, one.recall.whole) == (1, 2, 1)
    assert (two.precision.part, two.precision.whole, two.recall.whole) == (5, 7, 5)


def test_possible_links_count_unless_only_sure_ones_are_wanted():
    pair = AlignedPair(("a", "b"), ("c", "d"), links_of([(0, 0)], [(1, 1)]))
    assert (0, 1, 0, 2) in reworded_spans(pair, longest=2, labels="sure")
    assert (0, 1, 0, 2) not in reworded_spans(pair, longest=2)


def test_the_papers_counts_give_its_figures():
    # §7.3: right, proposed, and the 14,078 wanted; Table 2's rows.
    shares = Shares(1, resamples=0)
    for right, proposed, precision, recall in (
        (230 - 74, 230, 0.68, 0.01),
        (399, 1213, 0.33, 0.03),
        (998, 6914, 0.14, 0.07),
    ):
        count = np.array([float(right)])
        assert round(shares(count, np.array([float(proposed)])).value, 2) == precision
        assert round(shares(count, np.array([14078.0])).value, 2) == recall


@given(cells(), strategies.integers(1, 4))
def test_phrase_pairs_are_those_of_the_definition(drawn, longest):
    source_words, target_words, links = drawn
    source = tuple(f"s{i % 2}" for i in range(source_words))
    target = tuple(f"s{j % 2}" for j in range(target_words))
    pair = AlignedPair(source, target, links_of(links))
    assert set(reworded_spans(pair, longest=longest)) == {
        (start, end, low, high)
        for start in range(source_words)
        for end in range(start + 1, min(start + longest, source_words) + 1)
        for low in range(target_words)
        for high in range(low + 1, min(low + longest, target_words) + 1)
        if all((start <= i < end) == (low <= j < high) for i, j in links)
        and any(start <= i < end and low <= j < high for i, j in links)
        and source[start:end] != target[low:high]
    }


def test_curve_passes_through_the_scores_at_each_probability():
    result = curve(judged())
    for probability, precision, recall in zip(
        result.probability, result.precision, result.recall, strict=True
    ):
        row = rows(judged(), least=probability, resamples=0)[-1]
        assert (row.precision.value, row.recall.value) == pytest.approx(
            (precision, recall)
        )
    assert list(result.probability) == sorted(set(result.probability), reverse=True)


def test_methods_are_compared_where_both_have_found_equally_much():
    def better(words, start, end):
        return [
            (other, p) for other, p in toy(words, start, end) if other != ("right",)
        ]

    half, whole = compare(judged(table=better), judged(), shares=(0.5, 1), resamples=99)
    # Three are found: by 0.6 old, 0.5 elderly, left; nothing wrong came before.
    assert (half.precision, half.other) == (1, 1)
    assert whole.recall == pytest.approx(6 / 26)
    # All six: "an" is the last, with its wrong twin of the same probability. The
    # exclamation marks, which are less probable, are never reached.
    assert whole.precision == pytest.approx(6 / 8)
    assert whole.other == pytest.approx(6 / 9)
    assert whole.low <= whole.lead <= whole.high


def test_a_method_that_never_reaches_a_recall_has_precision_zero():
    (result,) = compare(
        judged(table=lambda *place: []), judged(), shares=(1,), resamples=9
    )
    assert result.precision == 0
    assert result.high < 0


def test_intervals_hold_the_value_and_the_seed_repeats_them():
    gold = [
        aligned(source, target, links, f"story.{number}.a")
        for number in range(6)
        for source, target, links, _ in PAIRS[number % 2 :]
    ]
    result = judge(groups(gold, longest=2), toy, longest=2)
    first, again = rows(result), rows(result)
    assert first == again
    assert first[1].precision.low < first[1].precision.value < first[1].precision.high
    assert rows(result, seed=2, resamples=9) != rows(result, resamples=9)


def test_no_proposals_have_full_precision_and_no_recall():
    row = rows(judged(table=lambda *place: []))[-1]
    assert (row.precision.value, row.recall.value) == (1, 0)


def test_bad_settings_are_refused():
    with pytest.raises(ParaphrastError, match="at least 1 word, not 0"):
        groups(GOLD, longest=0)
    with pytest.raises(ParaphrastError, match="no sentence pair"):
        rows(judge([], toy))
    with pytest.raises(ParaphrastError, match="1 aligned pairs were given for 2"):
        alignment_rows(GOLD[:1], GOLD)


@pytest.mark.data
def test_the_half_of_mt_reference_for_scoring_has_its_counts():
    folder = Path(os.environ["PARAPHRAST_MIRROR"]) / "mt-reference"
    result = groups(read_gold(folder / "mt-reference.dev.json", half="score"))
    assert len(result) == 1_606
    assert len({group.cluster for group in result}) == 567
    wanted = judge(result, toy).wanted.sum(axis=0)
    assert list(np.cumsum(wanted)) == [3_478, 10_931, 19_341, 27_796, 35_960]
