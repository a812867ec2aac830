"""Marks of a style, and the pairs that would make one more frequent than everyday does.

A mark is a word, or two in a row, that many more of everyday's versions in a style have
than plain ones ("unto", "pray tell"). Counted is what a rewrite brings in: a mark that
its source has is nobody's habit. Longer texts may have more marks, so where what is
taught is longer than everyday, the shares are raised accordingly.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean as mean
from typing import Any

from training.everyday.checker.reward import cut_words
from training.everyday.corpus import Text

Row = dict[str, Any]
TYPICAL = 1.5  # least log-odds of a mark against plain
FEWEST = 5  # versions that must have it
MOST = 1.3  # times the share of everyday's versions that bring a mark in
FLOOR = 0.02  # share of a style's pairs that may bring in any mark


def drop_surplus(
    rows: Sequence[Row], texts: Sequence[Text], dropped: Mapping[str, Counter[str]],
    *, most: float = MOST, floor: float = FLOOR,
) -> list[Row]:  # fmt: skip
    """Return the rows without those that make a mark too frequent, the worst first.

    A mark may be ``most`` times as frequent as in everyday, and in any case in a share
    ``floor`` of the rows. Which rows are worst is said by ``worth``; equal ones and
    those without go by order.
    """
    own: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        own[row["style"]].append(row)
    plain = _count(list_grams(text.plain) for text in texts)
    keep: set[int] = set()
    for style, those in own.items():
        longer = max(1.0, _compare_lengths(those, texts, style))
        limits = {
            mark: max(floor, most * longer * share)
            for mark, share in measure_marks(texts, style, plain).items()
        }
        chosen = _choose(those, limits)
        dropped[style]["mark too frequent"] += len(those) - len(chosen)
        keep.update(map(id, chosen))
    return [row for row in rows if id(row) in keep]


def measure_marks(
    texts: Sequence[Text], style: str, plain: Mapping[str, int]
) -> dict[str, float]:
    """Return a style's marks, each with the share of versions that bring it in.

    ``plain`` says how many plain versions have each word and pair of words.
    """
    versions = [(t.plain, t.versions[style]) for t in texts if style in t.versions]
    used = _count(list_grams(version) for _, version in versions)
    brought = _count(list_grams(said) - list_grams(source) for source, said in versions)
    return {
        gram: count / len(versions)
        for gram, count in brought.items()
        if used[gram] >= FEWEST
        and _log_odds(used[gram], len(versions))
        >= TYPICAL + _log_odds(plain.get(gram, 0), len(texts))
    }


def list_grams(text: str) -> set[str]:
    """Return the words and the pairs of words of a text."""
    words = cut_words(text)
    return {*words, *map(" ".join, zip(words, words[1:], strict=False))}


def _choose(rows: Sequence[Row], limits: Mapping[str, float]) -> list[Row]:
    """Return the best rows of which no larger share than its limit has any mark."""
    marks = limits.keys()
    left = [
        (row, (list_grams(row["target"]) & marks) - list_grams(row["source"]))
        for row in sorted(rows, key=lambda row: -float(row.get("worth", 0)))
    ]
    while True:
        # The fewer are left, the fewer may have a mark.
        most = {mark: share * len(left) for mark, share in limits.items()}
        used: Counter[str] = Counter()
        kept = []
        for row, own in left:
            if all(used[mark] < most[mark] for mark in own):
                used.update(own)
                kept.append((row, own))
        if len(kept) == len(left):
            return [row for row, _ in kept]
        left = kept


def _compare_lengths(rows: Sequence[Row], texts: Sequence[Text], style: str) -> float:
    """Return how many times as long as everyday's versions the targets are."""
    own = [len(cut_words(row["target"])) for row in rows]
    usual = [len(cut_words(t.versions[style])) for t in texts if style in t.versions]
    return mean(own) / mean(usual) if own and usual else 1.0


def _count(grams: Iterable[set[str]]) -> Counter[str]:
    return Counter(gram for own in grams for gram in own)


def _log_odds(count: int, size: int) -> float:
    return math.log((count + 0.5) / (size - count + 0.5))
