"""Convert a sentence to lower-case tokens, and an output back to a sentence.

The decoder sees lower-case tokens with straight quotes, as in training. Its output gets
the sentence's own letters wherever a token is unchanged: its spacing, its curly quotes,
its capitals, and every protected span letter for letter.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from paraphrast.rewriter import Sentence
from paraphrast.text.casing import Truecaser, sentence_starts, transfer_case
from paraphrast.text.exact import Tokens, tokenise_exactly
from paraphrast.text.normalisation import (
    join_apostrophes,
    straighten,
    straighten_in_place,
)
from paraphrast.text.tokens import tokenise

NEW = -1
EM_DASH = " -- "
PAIRED = frozenset('"()[]{}')

TextPair: TypeAlias = tuple[str, str]
Forced: TypeAlias = tuple[int, int, list[str]]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A sentence for the decoder: ``words``, and the forced ones among them.

    ``tokens`` are the same words in their own case, with their positions. A sentence
    with quotes or brackets is ``in_order``: phrases must not move in or out of them.
    """

    tokens: Tokens
    words: list[str]
    forced: list[Forced]
    in_order: bool


def tokens_of(text: str, *, tokenised: bool = False) -> list[str]:
    """Return a training sentence as tokens with straight quotes, case kept.

    Apostrophes that a tokeniser had cut in two are joined again. A ``tokenised`` text
    is only split at spaces.
    """
    straight = straighten(text).replace("--", EM_DASH)
    tokens = straight.split() if tokenised else tokenise(straight)
    if "'" in tokens:
        tokens = join_apostrophes(" ".join(tokens)).split(" ")
    return tokens


def lowercase(tokens: Iterable[str]) -> list[str]:
    """Return tokens in lower case."""
    return [token.lower() for token in tokens]


def prepare(sentence: Sentence) -> Prepared:
    """Return the tokens of a sentence, with protected ones forced.

    These are the tokens of protected spans, and quotes and brackets: a phrase that
    drops one of a pair spoils the sentence.
    """
    result = tokenise_exactly(straighten_in_place(sentence.text))
    tokens = Tokens(sentence.text, result.words, result.spans)
    words = [straighten(word).lower() for word in result.words]
    ranges = _protected_ranges(sentence, result.spans)
    protected = {index for start, end in ranges for index in range(start, end)}
    paired = [
        (index, index + 1)
        for index, word in enumerate(words)
        if word in PAIRED and index not in protected
    ]
    forced = [(start, end, words[start:end]) for start, end in sorted(ranges + paired)]
    return Prepared(tokens, words, forced, in_order=bool(paired))


def pieces(
    prepared: Prepared,
    words: Sequence[str],
    origins: Sequence[int],
    *,
    copied: Iterable[int],
    truecaser: Truecaser,
) -> list[tuple[str, str]]:
    """Return the decoder's words as they are to be written, with the space before each.

    ``origins[i]`` is the sentence's own token that ``words[i]`` is, or `NEW`; those
    at the positions ``copied`` keep their letters wherever they stand.
    """
    source = prepared.tokens.words
    cased = transfer_case(source, truecaser.restore(words))
    firsts, source_firsts = list(sentence_starts(words)), list(sentence_starts(source))
    kept = set(copied)
    for index, origin in enumerate(origins):
        # At the start of a sentence a capital says nothing about the word.
        inner = origin != NEW and not (firsts[index] or source_firsts[origin])
        if inner or index in kept:
            cased[index] = source[origin]
    _begin_quotations(cased, words, truecaser, origins, source)
    return prepared.tokens.pieces(cased, origins)


def _begin_quotations(
    cased: list[str],
    words: Sequence[str],
    truecaser: Truecaser,
    origins: Sequence[int],
    source: Sequence[str],
) -> None:
    """Give a word after a quote or bracket the case of the original word there."""
    for index, origin in enumerate(origins[:-1]):
        if origin == NEW or straighten(source[origin]) not in PAIRED:
            continue
        before = source[origin + 1][:1] if origin + 1 < len(source) else ""
        word = cased[index + 1]
        if origins[index + 1] == origin + 1:
            cased[index + 1] = source[origin + 1]
        elif before.isupper():
            cased[index + 1] = word[:1].title() + word[1:]
        elif before.islower() and index + 1 < len(words):
            # A name keeps its capital wherever it stands, and so does "I".
            cased[index + 1] = truecaser.restore([",", words[index + 1]])[1]


def _protected_ranges(
    sentence: Sentence, spans: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the ranges of tokens that protected spans touch, apart from each other."""
    ranges: list[tuple[int, int]] = []
    for protected in sentence.protected:
        touched = [i for i, span in enumerate(spans) if protected.overlaps(*span)]
        if not touched:
            continue
        start, end = touched[0], touched[-1] + 1
        if ranges and start < ranges[-1][1]:
            start, end = ranges[-1][0], max(end, ranges.pop()[1])
        ranges.append((start, end))
    return ranges
