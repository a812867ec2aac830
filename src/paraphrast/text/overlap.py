"""How much two sentences have in common: words, n-grams and word order.

This is how STRAP (Krishna et al., 2020) measures diversity, for filtering pairs and
for its Table 16. Words are those of the SQuAD evaluation script (Rajpurkar et al.,
2016): lower case, without punctuation and without articles. Normalise a sentence
once with `words` and pass the lists to the other functions.

Where the paper is silent we follow the authors' published code: the k-th occurrence
of a repeated word is matched with the k-th occurrence on the other side; the order
of fewer than two shared words counts as reversed (tau -1); two sentences without
any word have precision, recall and F1 of 1, and no shared word makes them 0. The
code does not show how trigram overlap was counted; see `ngram_overlap`.
"""

import re
import string
from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

_ARTICLES = frozenset({"a", "an", "the"})
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_LOWER = bytes(range(256)).lower()
_PUNCTUATION = string.punctuation.encode()


class Overlap(NamedTuple):
    """Shared words as a share of the target (precision), of the source (recall); F1."""

    precision: float
    recall: float
    f1: float


def words(text: str) -> list[str]:
    """Return the words of a text as the SQuAD script normalises them."""
    if text.isascii():
        bare = text.encode().translate(_LOWER, _PUNCTUATION).decode()
        if bare.isprintable():
            # Only letters, digits and spaces are left: an article is a whole word.
            return [word for word in bare.split() if word not in _ARTICLES]
    bare = text.lower().translate(_NO_PUNCTUATION)
    return _ARTICLE.sub(" ", bare).split()


def unigram_overlap(source: Sequence[str], target: Sequence[str]) -> Overlap:
    """Compare two bags of words; a repeated word counts as often as both have it."""
    if not source and not target:
        return Overlap(1.0, 1.0, 1.0)
    shared = _count_shared(source, target, 1)
    if not shared:
        return Overlap(0.0, 0.0, 0.0)
    return Overlap(
        precision=shared / len(target),
        recall=shared / len(source),
        f1=2 * shared / (len(source) + len(target)),
    )


def ngram_overlap(
    source: Sequence[str], target: Sequence[str], *, order: int = 3
) -> float:
    """Return the shared n-grams as a share of the n-grams of the shorter side.

    Dividing by the smaller side keeps a copy with a clause added from looking
    diverse. A pair with a side too short to have an n-gram shares none: 0.
    """
    few, many = sorted((len(source), len(target)))
    if few < order:
        return 0.0
    return _count_shared(source, target, order) / (few - order + 1)


def shared_order(source: Sequence[str], target: Sequence[str]) -> list[int]:
    """Return the target positions of the shared words, in source order."""
    positions: dict[str, list[int]] = {}
    for index in range(len(target) - 1, -1, -1):
        positions.setdefault(target[index], []).append(index)
    return [positions[word].pop() for word in source if positions.get(word)]


def kendall_tau(source: Sequence[str], target: Sequence[str]) -> float:
    """Return Kendall's tau of the order of shared words: 1 same, -1 reversed.

    As every shared word has its own position on both sides, there are no ties, and
    tau-b equals tau-a. With fewer than two shared words, tau is -1.
    """
    order = shared_order(source, target)
    if len(order) < 2:
        return -1.0
    return 1.0 - 4.0 * _inversions(order) / (len(order) * (len(order) - 1))


def share_shuffled(source: Sequence[str], target: Sequence[str]) -> float:
    """Return the share of pairs of shared words in reversed order: 0 none, 1 all."""
    return (1.0 - kendall_tau(source, target)) / 2.0


def _count_shared(source: Sequence[str], target: Sequence[str], order: int) -> int:
    once, other = set(_ngrams(source, order)), set(_ngrams(target, order))
    common = once & other
    cut = order - 1
    if not common or len(once) == len(source) - cut or len(other) == len(target) - cut:
        return len(common)  # one side has no repeated word
    here, there = Counter(_ngrams(source, order)), Counter(_ngrams(target, order))
    return sum(min(here[item], there[item]) for item in common)


def _ngrams(tokens: Sequence[str], order: int) -> Iterable[Hashable]:
    if order == 1:
        return tokens
    return zip(*[tokens[start:] for start in range(order)], strict=False)


def _inversions(order: Sequence[int]) -> int:
    # Insertion into a sorted list is faster than merging at the length of a sentence,
    # and still takes only seconds for a line of 100,000 words.
    inversions = 0
    seen: list[int] = []
    for position in order:
        index = bisect_right(seen, position)
        inversions += len(seen) - index
        seen.insert(index, position)
    return inversions
